//! What surrounds the pages of the console: errors, the menu, the first steps, and links for few permissions.

use serde_json::json;
use steward_tests::{Browser, Page, World, on_sqlite};

use super::{copyable, links_to, project_of, signed_in, team_of};

/// An ID that nothing has.
const UNKNOWN: &str = "01940000-0000-7000-8000-00000000abcd";

fn has_layout(page: &Page) -> bool {
    page.html.contains("role=\"search\"") && page.html.contains("Teams and projects")
}

on_sqlite! {
    async fn an_error_is_shown_in_the_layout_of_the_console(app: &App) {
        let world = World::make(app, "acme").await;
        world.member(app, "vic", "viewer").await;
        let (owner, viewer) = (signed_in(app, "acme-owner").await, signed_in(app, "vic").await);
        let (team, project) = (team_of(&world), project_of(&world));
        for (browser, address, status, tab) in [
            (&owner, "/console/nowhere".to_owned(), 404, "/console/account".to_owned()),
            (&owner, format!("/console/teams/{UNKNOWN}"), 404, "/console/account".to_owned()),
            (&owner, "/console/projects/x".to_owned(), 404, "/console/account".to_owned()),
            (&owner, format!("{project}/keys/{UNKNOWN}"), 404, format!("{project}/webhooks")),
            (&owner, format!("/console/account/tokens/{UNKNOWN}/revoke"), 404, "/console/account/tokens".to_owned()),
            (&viewer, format!("{team}/settings"), 403, format!("{team}/members")),
            (&viewer, "/console/operator".to_owned(), 403, "/console/account".to_owned()),
        ] {
            let page = browser.open(&address).await;
            assert!(page.status == status && has_layout(&page), "{page}");
            for link in ["/", "/console/search", &tab] {
                assert!(links_to(&page, link), "{link}: {page}");
            }
            let policy = page.headers["content-security-policy"].to_str().unwrap();
            assert!(policy.contains("script-src 'self'"), "{policy}");
        }
        let settings = format!("{team}/settings");
        let form = owner.open(&settings).await;
        let foreign = owner.submit(&form, &settings, &[("csrf", "wrong")]).await;
        assert!(foreign.status == 403 && foreign.heading() == "This form has expired", "{foreign}");
        assert!(has_layout(&foreign), "{foreign}");
    }

    async fn an_error_without_a_session_has_no_menu(app: &App) {
        let world = World::make(app, "acme").await;
        let nobody = Browser::new(app);
        for project in [world.project.as_str(), UNKNOWN] {
            let page = nobody.open(&format!("/console/projects/{project}")).await;
            assert!(page.is_at("/auth/sign-in"), "{page}");
        }
        let page = nobody.open("/console/nowhere").await;
        assert!(page.status == 404 && !has_layout(&page), "{page}");
    }

    async fn the_first_key_is_shown_once_and_then_the_steps_are_done(app: &App) {
        let ann = app.person("ann").await;
        let (browser, start) = (signed_in(app, "ann").await, "/console/start");
        let page = browser.open(start).await;
        let page = browser.submit(&page, start, &[("name", "Acme")]).await;
        let page = browser.submit(&page, start, &[("name", "Shop")]).await;
        let first = browser.submit(&page, start, &[]).await;
        let again = browser.submit(&page, start, &[]).await;
        let value = copyable(&first, "key");
        assert_eq!(copyable(&again, "key"), value, "A repeated submission gets the first response.");

        let afterwards = first.headers["hx-push-url"].to_str().unwrap();
        assert!(!afterwards.contains(&value), "{afterwards}");
        let projects = ann.get("/project/").await.ok();
        let project = projects["data"][0]["id"].as_str().unwrap();
        for address in [afterwards, start] {
            let reloaded = browser.open(address).await;
            assert!(reloaded.is_at(start) && reloaded.text().contains("The project has a key."), "{reloaded}");
            assert!(!reloaded.html.contains("Create the key") && !reloaded.html.contains(&value), "{reloaded}");
            assert!(links_to(&reloaded, &format!("/console/projects/{project}")), "{reloaded}");
            assert_eq!(reloaded.text().contains("was shown once"), address == afterwards, "{reloaded}");
        }
        let keys = ann.get(&format!("/project/{project}/key")).await.ok();
        assert_eq!(keys["data"].as_array().unwrap().len(), 1);
    }

    async fn a_step_for_a_deleted_project_creates_no_key_elsewhere(app: &App) {
        let ann = app.person("ann").await;
        let (browser, start) = (signed_in(app, "ann").await, "/console/start");
        let page = browser.open(start).await;
        let page = browser.submit(&page, start, &[("name", "Acme")]).await;
        let form = browser.submit(&page, start, &[("name", "Shop")]).await;
        let projects = ann.get("/project/").await.ok();
        let (project, team) = (&projects["data"][0]["id"], &projects["data"][0]["team_id"]);
        let other = ann.post("/project", json!({"name": "Other", "team_id": team})).await.created().id();
        ann.delete(&format!("/project/{}", project.as_str().unwrap())).await.ok();
        let refused = browser.submit(&form, start, &[]).await;
        assert!(refused.status == 404 && has_layout(&refused), "{refused}");
        let keys = ann.get(&format!("/project/{other}/key")).await.ok();
        assert_eq!(keys["data"], json!([]));
    }

    async fn a_page_with_a_secret_is_followed_by_one_that_reports_that_it_was_shown(app: &App) {
        let world = World::make(app, "acme").await;
        let browser = signed_in(app, "acme-owner").await;
        let project = project_of(&world);
        let (new_key, rotate) = (format!("{project}/keys/new"), format!("{project}/keys/{}/rotate", world.key_id));
        let (new_token, new_hook) = ("/console/account/tokens/new".to_owned(), format!("{project}/webhooks/new"));
        for (address, id, values, next) in [
            (&new_key, "key", vec![("label", "CI"), ("roles", "read")], new_key.as_str()),
            (&rotate, "key", vec![], rotate.as_str()),
            (&new_token, "token", vec![("label", "CI"), ("roles", "viewer")], new_token.as_str()),
            (&new_hook, "secret", vec![("url", "https://example.com/new")], "/rotate"),
        ] {
            let form = browser.open(address).await;
            let shown = browser.submit(&form, address, &values).await;
            let value = copyable(&shown, id);
            let afterwards = shown.headers["hx-push-url"].to_str().unwrap();
            let reloaded = browser.open(afterwards).await;
            assert!(reloaded.status == 200 && reloaded.text().contains("was shown once"), "{address}: {reloaded}");
            assert!(!reloaded.html.contains(&value), "{reloaded}");
            assert!(reloaded.links().iter().any(|link| link.ends_with(next)), "{next}: {reloaded}");
        }
    }

    async fn the_switcher_names_the_place_and_tells_teams_of_one_name_apart(app: &App) {
        let world = World::make(app, "acme").await;
        let browser = signed_in(app, "acme-owner").await;
        let place = async |address: &str| {
            let page = browser.open(address).await;
            let switcher = page.html.split("<summary>").nth(1).and_then(|rest| rest.split("</details>").next()).unwrap();
            let shown = switcher.split("<svg").next().unwrap();
            (shown.replace("</bdi>", "").replace("<bdi>", "").trim().to_owned(), switcher.matches("aria-current=\"true\"").count())
        };
        let named = |text: &str| format!("<span class=\"unseen\">Teams and projects: </span>{text}");
        assert_eq!(place("/console/account").await, ("Teams and projects".to_owned(), 0));
        assert_eq!(place(&team_of(&world)).await, (named("acme"), 1));
        for address in [project_of(&world), format!("{}/schema", project_of(&world))] {
            assert_eq!(place(&address).await, (named("acme / acme"), 2), "{address}");
        }
        let twin = json!({"name": "acme", "slug": "acme-twin"});
        let twin = world.owner.post("/team/", twin).await.created().id();
        assert_eq!(place(&format!("/console/teams/{twin}")).await.0, named("acme (acme-twin)"));
    }

    async fn the_menu_reports_that_it_does_not_list_all(app: &App) {
        let ann = app.person("ann").await;
        let browser = signed_in(app, "ann").await;
        let create = async |index: usize| {
            let team = json!({"name": "Team", "slug": format!("crew-{index}")});
            ann.post("/team/", team).await.created();
        };
        for index in 0..50 {
            create(index).await;
        }
        let complete = browser.open("/console/search").await;
        assert!(!complete.text().contains("Some are not listed here."), "{complete}");
        create(50).await;
        let cut = browser.open("/console/search").await;
        assert!(cut.text().contains("Some are not listed here. Search to find others"), "{cut}");
        let found = browser.open("/console/search?q=crew-").await;
        assert_eq!(found.html.matches("data-label=\"Slug\"").count(), 51, "{found}");
        assert!(!found.text().contains("further matches"), "{found}");
    }

    async fn people_who_may_only_delete_find_the_pages_that_delete(app: &App) {
        let world = World::make(app, "acme").await;
        world.member(app, "dee", "team:delete,project:delete").await;
        let browser = signed_in(app, "dee").await;
        let home = browser.open("/").await;
        let of_team = format!("{}/delete", team_of(&world));
        // Everyone may see the schema, so it is the first page.
        let of_project = [format!("{}/schema", project_of(&world)), format!("{}/delete", project_of(&world))];
        for (entry, address) in [(&of_team, &of_team), (&of_project[0], &of_project[1])] {
            assert!(links_to(&home, entry), "{entry}: {home}");
            let first = browser.open(entry).await;
            assert!(links_to(&first, address), "{address}: {first}");
            let page = browser.open(address).await;
            assert!(page.status == 200 && page.html.contains("href=\"/\">Cancel</a>"), "{page}");
            let links: Vec<_> = page.links().into_iter().filter(|link| link.starts_with("/console/")).collect();
            assert!(!links.is_empty(), "{page}");
            for link in links {
                assert_eq!(browser.open(&link).await.status, 200, "{link} at {page}");
            }
        }
        let overview = signed_in(app, "acme-owner").await.open(&team_of(&world)).await;
        assert!(!links_to(&overview, &of_team), "The settings link to it. {overview}");
    }

    async fn a_new_project_is_canceled_to_its_team(app: &App) {
        let world = World::make(app, "acme").await;
        world.member(app, "pat", "project:create").await;
        let team = team_of(&world);
        for (username, back) in [("acme-owner", team.as_str()), ("pat", "/")] {
            let form = signed_in(app, username).await.open(&format!("{team}/projects/new")).await;
            assert!(form.html.contains(&format!("href=\"{back}\">Cancel</a>")), "{form}");
        }
    }
}
