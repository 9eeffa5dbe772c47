//! Project users: connection, metadata, lists, statistics, blocking and deletion.

use serde_json::json;
use steward_tests::{Browser, Client, PASSWORD, World, on_both, on_both_in_full, on_sqlite, parameter};

on_both_in_full! {
    async fn a_user_is_read_blocked_unblocked_and_deleted(app: &App) {
        let world = World::make(app, "acme").await;
        app.person("ann").await;
        let client = Client::of(app, &world);
        let tokens = client.tokens(app, "ann", &[]).await;
        let (ann, own) = (app.bearer(tokens["access_token"].as_str().unwrap()),
            format!("/account/{}/db/notes", world.project));
        ann.post(&own, json!({"value": {"title": "Mine"}})).await.created();
        let users = world.owner.get(&format!("/project/{}/user", world.project)).await.ok();
        let path = format!("/project/{}/user/{}", world.project, users["data"][0]["id"].as_str().unwrap());
        assert_eq!(world.key.get(&path).await.ok()["data"]["profile"]["username"], "ann");

        let blocked = world.owner.patch(&path, json!({"status": "blocked"})).await.ok();
        assert_eq!(blocked["data"]["status"], "blocked");
        ann.get(&own).await.is_forbidden();
        client.refresh(tokens["refresh_token"].as_str().unwrap()).await.refused(400, "invalid_grant");
        let back = Browser::new(app).sign_in_and_allow(&client.authorize(&[]), "ann").await;
        assert_eq!(parameter(&back, "error").as_deref(), Some("access_denied"));
        world.owner.patch(&path, json!({"status": "gone"})).await.refused(400, "invalid_request");
        world.owner.patch(&path, json!({})).await.refused(400, "invalid_request");
        world.owner.patch(&path, json!({"status": "connected", "meta": {"note": 1}})).await.ok();
        assert_eq!(ann.get(&own).await.ok()["pagination"]["count"], 1);

        world.owner.delete(&path).await.ok();
        world.owner.get(&path).await.is_not_found();
        world.owner.get(&format!("{path}/db/notes")).await.is_not_found();
        ann.get(&own).await.refused(401, "unauthorized");
        let again = client.tokens(app, "ann", &[]).await;
        let ann = app.bearer(again["access_token"].as_str().unwrap());
        assert_eq!(ann.get(&own).await.ok()["pagination"]["count"], 0, "A user who returns has no data.");
    }
}

on_sqlite! {
    async fn a_person_connects_and_is_listed(app: &App) {
        let world = World::make(app, "acme").await;
        let path = format!("/project/{}/user", world.project);
        let token = json!({"token": world.visitor.credential});
        let connected = app.anonymous().post(&format!("{path}/connect"), token.clone()).await.ok();
        assert_eq!(connected["ok"], true);
        assert_eq!(connected["pds_url"], json!(app.base));
        app.anonymous().post(&format!("{path}/connect/"), token).await.ok();

        let users = world.key.get(&format!("{path}/")).await.ok();
        assert_eq!(users["data"].as_array().unwrap().len(), 1);
        let user = &users["data"][0];
        assert_eq!((&user["status"], &user["meta"]), (&json!("connected"), &json!({})));
        assert!(user["user_did"].is_string(), "{user}");
        assert_eq!(user["user_did"], connected["user_did"]);
        assert_eq!(user["profile"]["username"], "acme-visitor");
    }

    async fn an_address_is_shown_and_found_where_the_user_granted_it(app: &App) {
        let world = World::make(app, "acme").await;
        let (users, user) = (format!("/project/{}/user", world.project), format!("/project/{}/user/{}", world.project, world.user));
        let (email, search) = ("acme-visitor@example.com", format!("{users}?q=ACME-visitor%40example.com"));
        let client = Client::of(app, &world);
        client.tokens(app, "acme-visitor", &[("scope", "openid profile app:db:write")]).await;
        for path in [&users, &user, &format!("{user}/export")] {
            let shown = world.owner.get(path).await.ok();
            assert!(!shown.0.to_string().contains(email), "{shown:?}");
        }
        assert_eq!(world.key.get(&search).await.ok()["data"], json!([]));
        let browser = Browser::new(app);
        let form = browser.open("/auth/sign-in").await;
        browser.submit(&form, "/auth/sign-in", &[("login", "acme-owner"), ("password", PASSWORD)]).await;
        let console = format!("/console/projects/{}/users", world.project);
        for (path, reason) in [(console.clone(), "did not request the scope email"), (format!("{console}/{}", world.user), "did not grant the scope email")] {
            let page = browser.open(&path).await;
            assert!(page.text().contains(reason) && !page.text().contains(email), "{page}");
        }

        let tokens = client.tokens(app, "acme-visitor", &[("scope", "openid profile email app:db:write")]).await;
        let listed = world.key.get(&users).await.ok();
        assert_eq!(listed["data"][0]["email"], email);
        assert_eq!(world.key.get(&user).await.ok()["data"]["email"], email);
        assert_eq!(world.key.get(&format!("{user}/export")).await.ok()["user"]["email"], email);
        assert_eq!(world.key.patch(&user, json!({"meta": {"a": 1}})).await.ok()["data"]["email"], email);
        assert_eq!(world.key.get(&search).await.ok()["data"][0]["id"], world.user.as_str());
        assert_eq!(world.key.get(&format!("{users}?q=acme-visitor%40example")).await.ok()["data"], json!([]));
        for path in [console.clone(), format!("{console}/{}", world.user), format!("{console}?q={email}"), format!("/console/search?q={email}")] {
            let page = browser.open(&path).await;
            let shown = if path.contains("search") { "acme-visitor" } else { email };
            assert!(page.text().contains(shown), "{path}: {page}");
        }
        let export = browser.open(&format!("{console}/{}/export", world.user)).await;
        assert!(export.html.contains(email), "{export}");

        // The address is hidden again when the user leaves.
        let visitor = app.bearer(tokens["access_token"].as_str().unwrap());
        visitor.delete(&format!("/account/apps/{}", world.project)).await.ok();
        assert_eq!(world.key.get(&user).await.ok()["data"]["email"], json!(null));
        assert_eq!(world.key.get(&search).await.ok()["data"], json!([]));
    }

    async fn an_invalid_token_cannot_connect_a_user(app: &App) {
        let world = World::make(app, "acme").await;
        let path = format!("/project/{}/user/connect", world.project);
        for token in [json!("nonsense"), json!(world.key.credential)] {
            app.anonymous().post(&path, json!({"token": token})).await.refused(401, "unauthorized");
        }
        app.anonymous().post(&path, json!({})).await.refused(400, "invalid_request");
        let unknown_project = format!("/project/{}/user/connect", world.user);
        app.anonymous().post(&unknown_project, json!({"token": world.visitor.credential})).await.is_not_found();
    }

    async fn meta_is_merged_according_to_rfc_7396(app: &App) {
        let world = World::make(app, "acme").await;
        let path = format!("/project/{}/user/{}", world.project, world.user);
        let patch = json!({"meta": {"plan": "pro", "limits": {"a": 1, "b": 2}, "ünï": "😀"}});
        world.key.patch(&path, patch).await.ok();
        let merged = world.owner.patch(&format!("{path}/"), json!({"meta": {"plan": null, "limits": {"b": 3}}})).await.ok();
        assert_eq!(merged["data"]["meta"], json!({"limits": {"a": 1, "b": 3}, "ünï": "😀"}));
        assert_eq!(merged["data"]["id"], json!(world.user));

        world.owner.patch(&path, json!({"meta": "text"})).await.refused(400, "invalid_request");
        world.owner.patch(&path, json!({})).await.refused(400, "invalid_request");
        world.owner.patch(&path, json!({"meta": {"x": "y".repeat(70_000)}})).await.refused(400, "invalid_request");
        let unknown_user = format!("/project/{}/user/{}", world.project, world.team);
        world.owner.patch(&unknown_user, json!({"meta": {}})).await.is_not_found();
    }

    async fn users_are_filtered_by_status_and_by_part_of_their_name(app: &App) {
        let world = World::make(app, "acme").await;
        let path = format!("/project/{}/user", world.project);
        for name in ["ann", "an_na", "bob"] {
            let token = json!({"token": app.person(name).await.credential});
            app.anonymous().post(&format!("{path}/connect"), token).await.ok();
        }
        let names = async |query: &str| {
            let users = world.key.get(&format!("{path}/?{query}")).await.ok();
            let names = users["data"].as_array().unwrap().iter().map(|user| user["profile"]["username"].as_str().unwrap());
            names.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(names("q=AN").await, "an_na ann");
        assert_eq!(names("q=n_").await, "an_na", "`_` is not a wildcard.");
        assert_eq!(names("q=a%25n").await, "");
        assert_eq!(names("q=did%3Aweb&limit=2").await, "bob an_na");
        let users = world.owner.get(&format!("{path}?q=bob")).await.ok();
        let bob = users["data"][0]["id"].as_str().unwrap();
        world.owner.patch(&format!("{path}/{bob}"), json!({"status": "blocked"})).await.ok();
        assert_eq!(names("status=blocked").await, "bob");
        assert_eq!(names("status=connected").await, "an_na ann acme-visitor");
        assert_eq!(names("status=blocked&q=ann").await, "");
        let page = world.key.get(&format!("{path}?status=connected&limit=2")).await;
        let link = page.header("Link").to_owned();
        assert!(link.contains("status=connected"), "The link must keep the filter: {link}");
        let next = page.ok()["next_cursor"].as_str().unwrap().to_owned();
        assert_eq!(names(&format!("status=connected&limit=2&cursor={next}")).await, "acme-visitor");
        let long = format!("q={}", "x".repeat(101));
        for invalid in ["status=gone", "status=", "q=", "q=%20", "q=a%0Ab", long.as_str(), "q=a&q=b"] {
            world.key.get(&format!("{path}?{invalid}")).await.refused(400, "invalid_request");
        }
    }

    async fn usage_statistics_are_reported(app: &App) {
        let world = World::make(app, "acme").await;
        let path = format!("/project/{}/user/stats", world.project);
        app.person("ann").await;
        Client::of(app, &world).tokens(app, "ann", &[]).await;
        let stats = world.key.get(&path).await.ok();
        for (name, count) in [("total", 2), ("dau", 2), ("wau", 2), ("mau", 2)] {
            assert_eq!(stats[name], json!(count), "{name}");
        }
        let series = stats["series"].as_array().unwrap();
        assert_eq!(series.len(), 30);
        assert_eq!((&series[28]["active_users"], &series[29]["active_users"]), (&json!(0), &json!(2)));
        let dates: Vec<&str> = series.iter().map(|day| day["date"].as_str().unwrap()).collect();
        assert!(dates.is_sorted_by(|one, next| one < next), "Expected the oldest day first: {dates:?}");
        for days in ["1", "365"] {
            let stats = world.owner.get(&format!("{path}/?days={days}")).await.ok();
            assert_eq!(stats["series"].as_array().unwrap().len().to_string(), days);
        }
        for invalid in ["0", "366", "-1", "x", "", "1&days=2"] {
            world.owner.get(&format!("{path}?days={invalid}")).await.refused(400, "invalid_request");
        }
        let users = world.owner.get(&format!("/project/{}/user", world.project)).await.ok();
        let ann = users["data"][0]["id"].as_str().unwrap();
        world.owner.delete(&format!("/project/{}/user/{ann}", world.project)).await.ok();
        let stats = world.key.get(&path).await.ok();
        assert_eq!((&stats["total"], &stats["dau"]), (&json!(1), &json!(1)), "Deleted users must not be counted.");
    }

    async fn a_user_is_signed_out_of_one_project_only(app: &App) {
        let (world, other) = (World::make(app, "acme").await, World::make(app, "other").await);
        let person = app.person("ann").await;
        let (client, other_client) = (Client::of(app, &world), Client::of(app, &other));
        let tokens = client.tokens(app, "ann", &[]).await;
        let elsewhere = other_client.tokens(app, "ann", &[]).await;
        let ann = app.bearer(tokens["access_token"].as_str().unwrap());
        let own = ann.get("/auth/session").await.ok();

        let users = world.owner.get(&format!("/project/{}/user?q=ann", world.project)).await.ok();
        let path = format!("/project/{}/user/{}/session", world.project, users["data"][0]["id"].as_str().unwrap());
        let listed = world.key.get(&path).await.ok();
        assert_eq!(listed["data"].as_array().unwrap().len(), 1, "{:?}", listed["data"]);
        let session = &listed["data"][0];
        assert_eq!(session["id"].as_str().unwrap(), own["session_id"]);
        assert!(session["scopes"].as_array().unwrap().contains(&json!("app:db:write")), "{session}");
        let [signed_in_at, created_at] = ["signed_in_at", "created_at"].map(|name| session[name].as_str().unwrap());
        assert!(signed_in_at <= created_at, "{session}");

        assert_eq!(world.key.delete(&path).await.ok().0, json!({"success": true}));
        assert_eq!(world.key.get(&path).await.ok()["data"], json!([]));
        client.refresh(tokens["refresh_token"].as_str().unwrap()).await.refused(400, "invalid_grant");
        ann.get(&format!("/account/apps/{}", world.project)).await.refused(401, "unauthorized");
        other_client.refresh(elsewhere["refresh_token"].as_str().unwrap()).await.ok();
        person.get("/team/").await.ok();

        client.tokens(app, "ann", &[]).await;
        assert_eq!(world.owner.get(&path).await.ok()["data"].as_array().unwrap().len(), 1, "A user can sign in again.");
    }
}

// The database decides these races.
on_both! {
    async fn concurrent_changes_of_meta_are_all_stored(app: &App) {
        let world = World::make(app, "acme").await;
        let path = format!("/project/{}/user/{}", world.project, world.user);
        let mut changes = tokio::task::JoinSet::new();
        for number in 0..4 {
            let (owner, path) = (world.owner.clone(), path.clone());
            changes.spawn(async move { owner.patch(&path, json!({"meta": {format!("n{number}"): number}})).await.ok() });
        }
        changes.join_all().await;
        let users = world.owner.get(&format!("/project/{}/user", world.project)).await.ok();
        assert_eq!(users["data"][0]["meta"].as_object().unwrap().len(), 4);
    }
}
