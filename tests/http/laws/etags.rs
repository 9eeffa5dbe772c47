//! Entity tags and conditional requests (docs/contract.md#conditional-requests) of every resource that can be changed.

use chrono::{DateTime, TimeDelta, Utc};
use reqwest::Method;
use serde_json::{Value, json};
use steward_api::Row;
use steward_tests::{Actor, Answer, App, Backend, Client, Described, Receiver, World, on_both, on_sqlite};

use super::access::place::{People, Place};
use super::access::requests;

const PNG: &[u8] = include_bytes!("../../images/small.png");

/// A tag that no resource has.
const OUTDATED: &str = "\"0-0000000000000000\"";

/// Returns the tag of a response.
#[track_caller]
fn tag(answer: &Answer) -> String {
    assert!(answer.status.is_success(), "{answer}");
    assert!(answer.header("ETag").starts_with('"'), "{answer}");
    answer.header("ETag").to_owned()
}

async fn get_if(actor: &Actor, path: &str, name: &str, tag: &str) -> Answer {
    actor.send(Method::GET, path, None, &[(name, tag)]).await
}

async fn patch_if(actor: &Actor, path: &str, body: &Value, name: &str, tag: &str) -> Answer {
    actor.send(Method::PATCH, path, Some(body.clone()), &[(name, tag)]).await
}

async fn delete_if(actor: &Actor, path: &str, tag: &str) -> Answer {
    actor.send(Method::DELETE, path, None, &[("If-Match", tag)]).await
}

/// Creates a webhook for events that do not occur. Returns its path.
async fn webhook(owner: &Actor, scope: &str) -> String {
    let body = json!({"url": "https://example.com/hooks", "events": ["grant.deleted"]});
    format!("{scope}/webhook/{}", owner.post(&format!("{scope}/webhook"), body).await.created().id())
}

/// The path of each resource that GET shows and PATCH changes, and a change.
async fn resources(world: &World) -> Vec<(String, Value)> {
    let (team, project) = (format!("/team/{}", world.team), format!("/project/{}", world.project));
    let events = json!({"events": ["grant.deleted", "grant.updated"]});
    vec![
        (webhook(&world.owner, &team).await, events.clone()),
        (webhook(&world.owner, &project).await, events),
        (team, json!({"name": "Renamed"})),
        (world.item("first"), json!({"value": {"rank": 2}})),
        (format!("{project}/user/{}", world.user), json!({"meta": {"plan": "pro"}})),
        (format!("{project}/key/{}", world.key_id), json!({"label": "Renamed"})),
        (format!("{project}/settings"), json!({"auth": {"require_pkce": false}})),
        (format!("{project}/schema"), json!({"schema": {"tables": {"more": {"fields": {"a": {"type": "string"}}}}}})),
        (project, json!({"name": "Renamed", "profile": {"b": 1, "a": {"c": 2.50}}})),
    ]
}

/// Responses without a body: the client has the resource.
#[track_caller]
fn is_cached(answer: &Answer, tag: &str) {
    assert_eq!((answer.status.as_u16(), answer.header("ETag"), answer.body.len()), (304, tag, 0), "{answer}");
}

on_both! {
    async fn a_change_with_an_outdated_etag_is_refused(app: &App) {
        let world = World::make(app, "acme").await;
        let owner = &world.owner;
        for (path, change) in resources(&world).await {
            let first = tag(&owner.get(&path).await);
            is_cached(&get_if(owner, &path, "If-None-Match", &first).await, &first);
            is_cached(&get_if(owner, &path, "If-None-Match", &format!("{OUTDATED}, W/{first}")).await, &first);
            is_cached(&owner.send(Method::HEAD, &path, None, &[("If-None-Match", "*")]).await, &first);
            get_if(owner, &path, "If-Match", OUTDATED).await.refused(412, "precondition_failed");

            let second = tag(&patch_if(owner, &path, &change, "If-Match", &first).await);
            assert_ne!(first, second, "{path}");
            assert_eq!(tag(&get_if(owner, &path, "If-None-Match", &first).await), second, "{path}");

            let weak = format!("W/{second}");
            let conditions = [
                ("If-Match", format!("W/{first}")),
                ("If-Match", first),
                ("If-None-Match", second.clone()),
                ("If-None-Match", weak),
            ];
            for (name, value) in conditions {
                patch_if(owner, &path, &change, name, &value).await.refused(412, "precondition_failed");
            }
            for (first, second) in [("*", "*"), ("*", second.as_str()), (second.as_str(), second.as_str())] {
                let both = [("If-Match", first), ("If-None-Match", second)];
                let refused = owner.send(Method::PATCH, &path, Some(change.clone()), &both).await;
                refused.refused(412, "precondition_failed");
            }
            for (name, invalid) in [("If-Match", "unquoted"), ("If-None-Match", "unquoted"), ("If-Match", ",")] {
                patch_if(owner, &path, &change, name, invalid).await.refused(400, "invalid_request");
            }
            assert_eq!(tag(&owner.get(&path).await), second, "A refused change must have no effect: {path}");
            // As a proxy changes it that compresses responses.
            let of_proxy = format!("W/{}-gzip\"", second.trim_end_matches('"'));
            is_cached(&get_if(owner, &path, "If-None-Match", &of_proxy).await, &second);
            get_if(owner, &path, "If-Match", &of_proxy).await.ok();
            patch_if(owner, &path, &change, "If-Match", &of_proxy).await.ok();
            for name in ["If-Match", "If-None-Match"] {
                get_if(owner, &path, name, "").await.ok();
                patch_if(owner, &path, &change, name, "").await.ok();
            }
        }
    }

    async fn a_deletion_with_an_outdated_etag_is_refused(app: &App) {
        let world = World::make(app, "acme").await;
        let owner = &world.owner;
        let settings = format!("/project/{}/settings", world.project);
        let mut paths: Vec<String> = resources(&world).await.into_iter().map(|(path, _)| path).collect();
        // A schema cannot be deleted, settings can only be reset, and a team keeps its project for some time.
        paths.retain(|path| !path.ends_with("/schema") && *path != settings && *path != format!("/team/{}", world.team));
        let empty = owner.post("/team", json!({"name": "Empty", "slug": "empty"})).await.created().id();
        paths.push(format!("/team/{empty}"));
        for path in paths {
            let current = tag(&owner.get(&path).await);
            delete_if(owner, &path, OUTDATED).await.refused(412, "precondition_failed");
            assert_eq!(tag(&owner.get(&path).await), current, "{path}");
            delete_if(owner, &path, &format!("{OUTDATED}, W/{current}")).await.ok();
            owner.get(&path).await.is_not_found();
        }
    }
}

on_sqlite! {
    async fn a_malformed_condition_is_reported_before_a_missing_resource(app: &App) {
        let world = World::make(app, "acme").await;
        let missing = format!("/team/{}/webhook/{}", world.team, world.project);
        for name in ["If-Match", "If-None-Match"] {
            get_if(&world.owner, &missing, name, "unquoted").await.refused(400, "invalid_request");
            patch_if(&world.owner, &missing, &json!({}), name, "unquoted").await.refused(400, "invalid_request");
        }
        world.owner.get(&missing).await.refused(404, "not_found");
        for page in ["/docs", "/docs/json", "/schemas/schema-document.json"] {
            get_if(&world.owner, page, "If-None-Match", "unquoted").await.refused(400, "invalid_request");
        }
    }

    async fn settings_are_reset_only_with_a_current_etag(app: &App) {
        let world = World::make(app, "acme").await;
        let settings = format!("/project/{}/settings", world.project);
        let changed = tag(&world.owner.patch(&settings, json!({"auth": {"require_pkce": false}})).await);
        let reset = format!("{settings}?key=auth.require_pkce");
        delete_if(&world.owner, &reset, OUTDATED).await.refused(412, "precondition_failed");
        assert_eq!(world.owner.get(&settings).await.ok()["data"]["auth"]["require_pkce"], false);
        let after = tag(&delete_if(&world.owner, &reset, &changed).await);
        assert_ne!(after, changed);
        assert_eq!(tag(&world.owner.get(&settings).await), after);
    }

    async fn the_etag_of_a_new_resource_is_that_of_its_first_get(app: &App) {
        let world = World::make(app, "acme").await;
        let (team, project) = (format!("/team/{}", world.team), format!("/project/{}", world.project));
        let hook = json!({"url": "https://example.com/hooks", "events": ["grant.deleted"]});
        for (collection, body) in [
            ("/team".to_owned(), json!({"name": "Second", "slug": "second"})),
            ("/project".to_owned(), json!({"name": "Second", "team_id": world.team})),
            (format!("{project}/key"), json!({"label": "second", "roles": "read"})),
            (format!("{team}/webhook"), hook.clone()),
            (format!("{project}/webhook"), hook),
            (world.notes(), json!({"value": {"title": "Second"}})),
        ] {
            let created = world.owner.post(&collection, body).await;
            let resource = created.json();
            let id = resource["data"]["id"].as_str().or(resource["key"]["id"].as_str()).unwrap();
            assert_eq!(tag(&world.owner.get(&format!("{collection}/{id}")).await), tag(&created), "{collection}");
        }
        let key = format!("{project}/key/{}", world.key_id);
        let regenerated = tag(&world.owner.post(&format!("{key}/regenerate"), json!({})).await);
        assert_eq!(tag(&world.owner.get(&key).await), regenerated);
        let schema = format!("{project}/schema");
        let published = json!({"schema": {"tables": {"more": {"fields": {"a": {"type": "string"}}}}}});
        let published = tag(&world.owner.patch(&schema, published).await);
        assert_eq!(tag(&world.owner.get(&schema).await), published);
        assert_eq!(tag(&world.owner.get(&format!("{schema}?version=2")).await), published);
        let dry_run = world.owner.post(&format!("{schema}/rollback?dry_run=true"), json!({"version": 1})).await;
        assert_eq!(dry_run.header("ETag"), "", "The version of a dry run is not stored: {dry_run}");
    }

    async fn new_content_is_not_cached_and_does_not_prevent_a_change(app: &App) {
        let world = World::make(app, "acme").await;
        let (team, project) = (format!("/team/{}", world.team), format!("/project/{}", world.project));
        let before = [tag(&world.owner.get(&team).await), tag(&world.owner.get(&project).await)];
        world.member(app, "vic", "viewer").await;
        world.owner.put(&world.item("second"), json!({"value": {"title": "Second"}})).await.created();
        for (path, before) in [team, project].iter().zip(before) {
            let answer = get_if(&world.owner, path, "If-None-Match", &before).await;
            assert_ne!(tag(&answer), before, "{path}");
            patch_if(&world.owner, path, &json!({"name": "Renamed"}), "If-Match", &before).await.ok();
        }
    }

    async fn the_etag_of_a_team_changes_with_everything_that_get_shows(app: &App) {
        let world = World::make(app, "acme").await;
        let (owner, key, team) = (&world.owner, &world.key, format!("/team/{}", world.team));
        let (vic, bare) = (world.member(app, "vic", "viewer").await, world.member(app, "bare", "team:read").await);
        let (project, member) = (format!("/project/{}", world.project), format!("{team}/member/{}", vic.id));
        let other = json!({"name": "Other", "team_id": world.team});
        let other = format!("/project/{}", owner.post("/project", other).await.created().id());
        let etag = async |caller: &Actor| tag(&caller.get(&team).await);
        let invite = json!({"email": "new@example.com", "roles": "viewer"});
        let step = |method, path: &str, body: Value, of_key| (method, path.to_owned(), body, of_key);
        for (method, path, body, is_shown_to_key) in [
            step(Method::POST, &format!("{team}/invite"), invite, true),
            step(Method::PATCH, &member, json!({"role_name": "Guest"}), true),
            step(Method::PATCH, &project, json!({"name": "Renamed"}), true),
            step(Method::PATCH, &project, json!({"slug": "renamed"}), true),
            step(Method::PATCH, &project, json!({"profile": {"icon_url": "https://example.com/icon.png"}}), true),
            step(Method::PATCH, &other, json!({"name": "Renamed"}), false),
            step(Method::DELETE, &other, json!({}), false),
            step(Method::DELETE, &member, json!({}), true),
        ] {
            let before = (etag(owner).await, key.get(&team).await, etag(&bare).await);
            let body = (method != Method::DELETE).then_some(body);
            let answer = owner.send(method, &path, body, &[]).await;
            assert!(answer.status.is_success(), "{answer}");
            let changed = tag(&get_if(owner, &team, "If-None-Match", &before.0).await);
            assert_ne!(changed, before.0, "{path}");
            let shown_to_key = key.get(&team).await;
            assert_eq!(shown_to_key.body != before.1.body, is_shown_to_key, "{path}");
            assert!(!is_shown_to_key || tag(&shown_to_key) != tag(&before.1), "{path}");

            let patched = tag(&patch_if(owner, &team, &json!({"name": path}), "If-Match", &changed).await);
            assert_ne!(patched, changed, "{path}");
            assert_eq!(tag(&get_if(owner, &team, "If-Match", &patched).await), patched, "{path}");
            is_cached(&get_if(owner, &team, "If-None-Match", &patched).await, &patched);
            assert_ne!(etag(&bare).await, before.2, "{path}");
        }

        // Callers who read other lists have other representations.
        let tags = [etag(owner).await, etag(&bare).await, etag(key).await];
        assert!(tags[0] != tags[1] && tags[1] != tags[2] && tags[0] != tags[2], "{tags:?}");

        app.execute_sql("UPDATE invites SET expires_at = created_at WHERE state = 'pending'");
        let answer = get_if(owner, &team, "If-None-Match", &tags[0]).await;
        assert_ne!(tag(&answer), tags[0], "An invite has expired.");
        assert_eq!(answer.json()["data"]["invites"], json!([]));
        assert_eq!(etag(&bare).await, tags[1]);
    }

    async fn invites_and_members_are_changed_only_with_a_current_etag(app: &App) {
        let world = World::make(app, "acme").await;
        let (owner, dev) = (&world.owner, app.person("dev").await);
        let invites = format!("/team/{}/invite", world.team);
        let invite = json!({"username": "dev", "roles": "developer"});
        let member = format!("/team/{}/member/{}", world.team, dev.id);
        let join = async || {
            let id = owner.post(&invites, invite.clone()).await.created().id();
            tag(&dev.post("/team/accept-invite", json!({"invite_id": id})).await)
        };

        let created = owner.post(&invites, invite.clone()).await;
        let renewed = owner.post(&invites, invite.clone()).await;
        let (outdated, current) = (tag(&created), tag(&renewed));
        assert_ne!(outdated, current);
        let path = format!("{invites}/{}", renewed.created().id());
        delete_if(owner, &path, &outdated).await.refused(412, "precondition_failed");
        delete_if(owner, &path, &current).await.ok();

        let joined = join().await;
        let label = json!({"role_name": "Lead"});
        let changed = tag(&patch_if(owner, &member, &label, "If-Match", &joined).await);
        assert_ne!(changed, joined);
        patch_if(owner, &member, &label, "If-Match", &joined).await.refused(412, "precondition_failed");
        delete_if(owner, &member, &joined).await.refused(412, "precondition_failed");
        delete_if(owner, &member, &changed).await.ok();

        // The new membership has the same path, but none of the former tags.
        let rejoined = join().await;
        for former in [&joined, &changed] {
            patch_if(owner, &member, &label, "If-Match", former).await.refused(412, "precondition_failed");
        }
        patch_if(owner, &member, &label, "If-Match", &rejoined).await.ok();
    }

    async fn a_personal_token_is_revoked_only_with_its_etag(app: &App) {
        let owner = app.person("ann").await;
        let team = owner.post("/team", json!({"name": "acme", "slug": "acme"})).await.created();
        let now: DateTime<Utc> = team["data"]["created_at"].as_str().unwrap().parse().unwrap();
        let expires_at = (now + TimeDelta::days(30)).to_rfc3339();
        let token = json!({"label": "laptop", "roles": "viewer", "expires_at": expires_at});
        let created = owner.post("/auth/pat", token).await;
        let current = tag(&created);
        let path = format!("/auth/pat/{}", created.created().id());
        delete_if(&owner, &path, OUTDATED).await.refused(412, "precondition_failed");
        delete_if(&owner, &path, &current).await.ok();
    }

    async fn images_are_deleted_only_with_a_current_etag(app: &App) {
        let world = World::make(app, "acme").await;
        let images = format!("/project/{}/upload", world.project);
        let head = "--cut\r\nContent-Disposition: form-data; name=\"file\"; filename=\"icon.png\"\r\n\
            Content-Type: image/png\r\n\r\n";
        let form = [head.as_bytes(), PNG, "\r\n--cut--\r\n".as_bytes()].concat();
        let body = Some(("multipart/form-data; boundary=cut", form));
        let none = tag(&world.owner.get(&images).await);
        let uploaded = tag(&world.owner.send_raw(Method::POST, &format!("{images}/icon"), body, &[]).await);
        assert_ne!(none, uploaded);
        is_cached(&get_if(&world.owner, &images, "If-None-Match", &uploaded).await, &uploaded);
        delete_if(&world.owner, &format!("{images}/icon"), &none).await.refused(412, "precondition_failed");
        delete_if(&world.owner, &format!("{images}/icon"), &uploaded).await.ok();
        assert_ne!(tag(&world.owner.get(&images).await), uploaded);
    }

    async fn a_person_leaves_a_project_only_with_a_current_etag(app: &App) {
        let world = World::make(app, "acme").await;
        app.person("ann").await;
        let tokens = Client::of(app, &world).tokens(app, "ann", &[("scope", "openid app:db:write")]).await;
        let ann = app.bearer(tokens["access_token"].as_str().unwrap());
        let own = format!("/account/apps/{}", world.project);
        let current = tag(&ann.get(&own).await);
        is_cached(&get_if(&ann, &own, "If-None-Match", &current).await, &current);
        delete_if(&ann, &own, OUTDATED).await.refused(412, "precondition_failed");
        assert_eq!(ann.get(&own).await.ok()["data"]["status"], "connected");
        delete_if(&ann, &format!("{own}?erase=true"), &current).await.ok();
    }

    async fn an_account_and_a_public_profile_have_an_etag(app: &App) {
        let world = World::make(app, "acme").await;
        let profile = format!("/project/{}/profile", world.project);
        let before = tag(&app.anonymous().get(&profile).await);
        is_cached(&get_if(&app.anonymous(), &profile, "If-None-Match", &before).await, &before);
        let website = json!({"website": "https://example.com"});
        patch_if(&world.owner, &format!("/project/{}", world.project), &website, "If-Match", &before).await.ok();
        assert_ne!(tag(&get_if(&app.anonymous(), &profile, "If-None-Match", &before).await), before);

        let account = json!({"email": "ann@example.com", "password": steward_tests::PASSWORD, "username": "ann"});
        let created = tag(&app.anonymous().post("/auth/signup", account).await);
        let login = json!({"username": "ann", "password": steward_tests::PASSWORD});
        let session = app.anonymous().post("/auth/login", login).await.ok();
        let ann = app.bearer(session["access_token"].as_str().unwrap());
        is_cached(&get_if(&ann, "/auth/userinfo", "If-None-Match", &created).await, &created);
    }
}

fn row(described: &Described) -> &'static Row {
    steward_api::row(&described.id).unwrap()
}

/// The requests are valid, so a handler that ignores the headers performs them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_operation_with_preconditions_checks_them() {
    let app = App::start_with(Backend::Sqlite, &[("STEWARD_WEBHOOK_ALLOW_PRIVATE", "true")]).await;
    let people = People::gather(&app).await;
    let mut place = Place::make(&app, &people, &Receiver::start().await, "acme").await;
    place.welcome(&people, &people.owner, "owner").await;
    let tokens = Client::new(&app, &place.project).tokens(&app, "visitor", &[]).await;
    let user = app.bearer(tokens["access_token"].as_str().unwrap());
    let send = async |described: &Described, headers: &[(&str, &str)]| {
        let caller = if described.path.starts_with("/account/") { &user } else { &place.owner };
        requests::send(caller, described, "", &place, headers).await
    };
    // An image that does not exist is deleted under every condition.
    for upload in app.openapi.operations.iter().filter(|described| row(described).upload().is_some()) {
        let uploaded = send(upload, &[]).await;
        assert!(uploaded.status.is_success(), "{uploaded}");
    }

    let guarded: Vec<_> = app.openapi.operations.iter().filter(|described| row(described).is_guarded()).collect();
    assert!(guarded.len() >= 40, "{}", guarded.len());
    for described in guarded {
        for name in ["If-Match", "If-None-Match"] {
            send(described, &[(name, "unquoted")]).await.refused(400, "invalid_request");
        }
        send(described, &[("If-Match", OUTDATED)]).await.refused(412, "precondition_failed");
    }
}
