//! Loss of authority: invites, webhooks and replays of a member end when the member loses the required permissions.

use reqwest::Method;
use serde_json::{Value, json};
use steward_tests::{Actor, Answer, App, Backend, Receiver, World, eventually, on_both, on_sqlite};

/// Invites a user to the team as `inviter`. Returns the invite's ID.
async fn invite(inviter: &Actor, world: &World, username: &str, roles: &str) -> String {
    let invite = json!({"username": username, "roles": roles});
    inviter.post(&format!("/team/{}/invite", world.team), invite).await.created().id()
}

async fn accept(actor: &Actor, invite: &str) -> Answer {
    actor.post("/team/accept-invite", json!({"invite_id": invite})).await
}

fn member_path(world: &World, actor: &Actor) -> String {
    format!("/team/{}/member/{}", world.team, actor.id)
}

/// IDs of the resources in a list.
fn ids(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|resource| resource["id"].as_str().unwrap()).collect()
}

/// Creates a webhook for all events of a team or project. Returns the webhook's path.
async fn webhook(creator: &Actor, scope: &str, url: &str) -> String {
    let created = creator.post(&format!("{scope}/webhook"), json!({"url": url, "events": ["*"]})).await.created();
    format!("{scope}/webhook/{}", created.id())
}

async fn with_key(key: &str, actor: &Actor, method: Method, path: &str, body: Option<Value>) -> Answer {
    actor.send(method, path, body, &[("Idempotency-Key", key)]).await
}

on_both! {
    async fn a_key_reads_only_its_own_project_in_the_team_log(app: &App) {
        let world = World::make(app, "acme").await;
        let other = json!({"name": "Secret plans", "slug": "secret-plans", "team_id": world.team});
        let other = world.owner.post("/project/", other).await.created().id();
        let label = json!({"label": "hidden", "roles": "read"});
        world.owner.post(&format!("/project/{other}/key"), label).await.ok();
        let (audit, feed) = (format!("/team/{}/audit", world.team), format!("/team/{}/event", world.team));
        let (of_project, own) = (format!("/project/{}/audit", world.project), json!(world.project));

        let visible = world.key.get(&audit).await.ok();
        let events = visible["data"].as_array().unwrap();
        assert!(!events.is_empty() && events.iter().all(|event| event["project_id"] == own), "{events:?}");
        assert_eq!(visible["data"], world.key.get(&of_project).await.ok()["data"]);
        for filter in ["action=team.created".to_owned(), format!("target={other}"), "action=project.created".to_owned()] {
            assert_eq!(world.key.get(&format!("{audit}?{filter}")).await.ok()["data"], json!([]), "{filter}");
        }
        for media_type in ["application/x-ndjson", "text/csv"] {
            let stream = world.key.send(Method::GET, &audit, None, &[("Accept", media_type)]).await;
            let text = String::from_utf8(stream.body).unwrap();
            assert!(text.contains(&world.project) && !text.contains(&other), "{text}");
        }
        // Paging returns only events of the key's own project.
        let (mut paged, mut next) = (Vec::new(), format!("{audit}?limit=2"));
        loop {
            let page = world.key.get(&next).await.ok();
            paged.extend(page["data"].as_array().unwrap().clone());
            let Some(cursor) = page["next_cursor"].as_str() else { break };
            next = format!("{audit}?limit=2&cursor={cursor}");
        }
        assert_eq!(&paged, events);
        // A cursor from a caller with more access does not give the key access to other events.
        let wide = world.owner.get(&format!("{audit}?limit=1")).await.ok();
        let foreign_cursor = format!("{audit}?limit=1000&cursor={}", wide["next_cursor"].as_str().unwrap());
        let visible = world.key.get(&foreign_cursor).await.ok();
        assert!(visible["data"].as_array().unwrap().iter().all(|event| event["project_id"] == own));

        let followed = eventually(async || {
            let followed = world.key.get(&format!("{feed}?limit=1000")).await.ok();
            Some(followed).filter(|followed| followed["data"].as_array().unwrap().len() == events.len())
        }).await;
        let feed_events = followed["data"].as_array().unwrap();
        assert!(feed_events.iter().all(|event| event["project_id"] == own), "{feed_events:?}");
        assert_eq!(followed["next"], feed_events.last().unwrap()["position"], "`next` must be the last visible event.");
        let all = world.owner.get(&format!("{feed}?limit=1000")).await.ok();
        assert!(all["data"].as_array().unwrap().len() > feed_events.len(), "Members must see all events of the team.");
    }

    async fn a_concurrent_removal_and_acceptance_are_serialized(app: &App) {
        let world = World::make(app, "acme").await;
        let ann = app.person("ann").await;
        let adam = app.person("adam").await;
        for _ in 0..12 {
            let own = invite(&world.owner, &world, "adam", "admin").await;
            accept(&adam, &own).await.ok();
            let created = invite(&adam, &world, "ann", "admin").await;
            let path = member_path(&world, &adam);
            let (removed, accepted) = tokio::join!(world.owner.delete(&path), accept(&ann, &created));
            let removed = removed.ok();
            if accepted.status == 200 {
                assert_eq!(removed["affected_invites"], json!([]), "The invite was accepted before the removal.");
                world.owner.delete(&member_path(&world, &ann)).await.ok();
            } else {
                accepted.is_not_found();
                assert_eq!(ids(&removed["affected_invites"]), [created.as_str()]);
                ann.get(&format!("/team/{}", world.team)).await.is_not_found();
            }
        }
    }
}

on_sqlite! {
    async fn an_invite_is_revoked_when_its_creator_is_removed(app: &App) {
        let world = World::make(app, "acme").await;
        let (adam, second) = (world.member(app, "adam", "admin").await, app.person("second").await);
        let created = invite(&adam, &world, "second", "admin").await;
        let remaining = invite(&world.owner, &world, "acme-visitor", "viewer").await;
        let removed = world.owner.delete(&member_path(&world, &adam)).await.ok();
        assert_eq!(removed["affected_invites"], json!([{"id": created, "roles": "admin"}]));
        accept(&second, &created).await.is_not_found();
        assert_eq!(second.get("/invite").await.ok()["data"], json!([]));
        let pending = world.owner.get(&format!("/team/{}/invite", world.team)).await.ok();
        assert_eq!(ids(&pending["data"]), [remaining.as_str()]);
        let log = world.owner.get(&format!("/team/{}/audit?target={created}", world.team)).await.ok();
        assert_eq!((&log["data"][0]["operation"], &log["data"][0]["after"]["state"]), (&json!("removeMember"), &json!("revoked")));
        accept(&world.visitor, &remaining).await.ok();
    }

    async fn a_demotion_revokes_the_invites_that_exceed_the_new_roles(app: &App) {
        let world = World::make(app, "acme").await;
        let adam = world.member(app, "adam", "admin").await;
        let (ann, bob) = (app.person("ann").await, app.person("bob").await);
        let (wide, narrow) = (invite(&adam, &world, "ann", "admin").await, invite(&adam, &world, "bob", "viewer").await);
        let path = member_path(&world, &adam);
        let changed = world.owner.patch(&path, json!({"roles": "viewer,invite:write"})).await.ok();
        assert_eq!(ids(&changed["affected_invites"]), [wide.as_str()]);
        accept(&ann, &wide).await.is_not_found();
        assert_eq!(accept(&bob, &narrow).await.ok()["data"]["roles"], "viewer");

        let label = world.owner.patch(&path, json!({"role_name": "Former admin"})).await.ok();
        assert_eq!((&label["affected_invites"], &label["affected_keys"]), (&json!([]), &json!([])));
        let cat = app.person("cat").await;
        let last = invite(&adam, &world, "cat", "viewer").await;
        world.owner.patch(&path, json!({"roles": "viewer"})).await.ok();
        accept(&cat, &last).await.is_not_found();
    }

    async fn an_invite_cannot_be_accepted_if_its_creator_lost_the_permission(app: &App) {
        let world = World::make(app, "acme").await;
        let (adam, ann) = (world.member(app, "adam", "admin").await, app.person("ann").await);
        let created = invite(&adam, &world, "ann", "admin").await;
        // As in a database of an older version that did not revoke invites.
        app.execute_sql("UPDATE members SET roles = 'viewer' WHERE roles = 'admin'");
        accept(&ann, &created).await.is_not_found();
        app.execute_sql("DELETE FROM members WHERE roles = 'viewer'");
        accept(&ann, &created).await.is_not_found();
        // A member with the permission takes over the invite by creating it again.
        let renewed = invite(&world.owner, &world, "ann", "admin").await;
        assert_eq!(renewed, created);
        accept(&ann, &created).await.ok();
    }

    async fn an_invite_is_revoked_when_the_account_of_its_creator_is_disabled(app: &App) {
        let world = World::make(app, "acme").await;
        let (adam, ann) = (world.member(app, "adam", "admin").await, app.person("ann").await);
        let created = invite(&adam, &world, "ann", "admin").await;
        let hook = webhook(&adam, &format!("/team/{}", world.team), "https://example.com/").await;
        let disabled = app.run(&["account", "disable", "--email", "adam@example.com"], "").await;
        assert!(disabled.status.success(), "{}", String::from_utf8_lossy(&disabled.stderr));
        accept(&ann, &created).await.is_not_found();
        assert_eq!(world.owner.get(&hook).await.ok()["data"]["status"], "paused");
        let log = world.owner.get(&format!("/team/{}/audit?target={created}", world.team)).await.ok();
        let event = &log["data"][0];
        assert_eq!((&event["operation"], &event["actor"]["type"]), (&json!("disableAccount"), &json!("system")));
        // Even if it is still pending in the database, the invite cannot be accepted.
        app.execute_sql("UPDATE invites SET state = 'pending', decided_at = NULL WHERE state = 'revoked'");
        accept(&ann, &created).await.is_not_found();
    }

    async fn a_demotion_reports_the_keys_with_more_permissions_than_the_member(app: &App) {
        let world = World::make(app, "acme").await;
        let adam = world.member(app, "adam", "admin").await;
        let path = format!("/project/{}/key", world.project);
        let key = async |roles: &str| {
            let created = adam.post(&path, json!({"label": roles, "roles": roles})).await.ok();
            (created["key"]["id"].as_str().unwrap().to_owned(), app.bearer(created["key"]["value"].as_str().unwrap()))
        };
        let ((privileged, caller), (_, _)) = (key("write").await, key("project:read").await);
        let changed = world.owner.patch(&member_path(&world, &adam), json!({"roles": "viewer"})).await.ok();
        assert_eq!(ids(&changed["affected_keys"]), [privileged.as_str()]);
        caller.get(&format!("/project/{}/schema", world.project)).await.ok();
        caller.put(&world.item("x"), json!({"value": {"title": "a key is its project's"}})).await.created();
    }

    async fn a_replay_needs_the_permission_that_the_request_needed(app: &App) {
        let world = World::make(app, "acme").await;
        let adam = world.member(app, "adam", "admin").await;
        let keys = format!("/project/{}/key", world.project);
        let (item, hooks) = (world.item("first"), format!("/team/{}/webhook", world.team));
        let requests = [
            ("key", Method::POST, keys.clone(), Some(json!({"label": "CI", "roles": "write"}))),
            ("regenerate", Method::POST, format!("{keys}/{}/regenerate", world.key_id), None),
            ("item", Method::DELETE, item, None),
            ("hook", Method::POST, hooks, Some(json!({"url": "https://example.com/", "events": ["*"]}))),
            ("refused", Method::POST, keys.clone(), Some(json!({"label": "", "roles": "write"}))),
            ("project", Method::POST, "/project/".to_owned(), Some(json!({"name": "Rocket", "team_id": world.team}))),
        ];
        for (key, method, path, body) in &requests {
            let first = with_key(key, &adam, method.clone(), path, body.clone()).await;
            let again = with_key(key, &adam, method.clone(), path, body.clone()).await;
            assert_eq!((again.status, again.header("Idempotency-Replayed")), (first.status, "true"), "{again}");
        }
        // A member with `key:write` can create only keys with their own permissions, so a replay must not return the
        // value of a key with more permissions.
        world.owner.patch(&member_path(&world, &adam), json!({"roles": "key:write,project:read"})).await.ok();
        let (_, method, path, body) = &requests[0];
        with_key("key", &adam, method.clone(), path, body.clone()).await.is_forbidden();
        let (_, method, path, body) = &requests[1];
        with_key("regenerate", &adam, method.clone(), path, body.clone()).await.is_forbidden();

        world.owner.patch(&member_path(&world, &adam), json!({"roles": "viewer"})).await.ok();
        for (key, method, path, body) in &requests {
            with_key(key, &adam, method.clone(), path, body.clone()).await.is_forbidden();
        }
        world.owner.delete(&member_path(&world, &adam)).await.ok();
        for (key, method, path, body) in &requests {
            with_key(key, &adam, method.clone(), path, body.clone()).await.is_not_found();
        }
    }

    async fn a_caller_who_ended_their_own_access_gets_the_replayed_response(app: &App) {
        let world = World::make(app, "acme").await;
        let adam = world.member(app, "adam", "admin").await;
        let own = member_path(&world, &adam);
        let step_down = Some(json!({"roles": "viewer"}));
        let twice = async |key: &str, actor: &Actor, method: Method, path: &str, body: Option<Value>| {
            let first = with_key(key, actor, method.clone(), path, body.clone()).await;
            assert_eq!(first.status, 200, "{first}");
            let again = with_key(key, actor, method, path, body).await;
            assert_eq!((again.status, &again.body), (first.status, &first.body), "{again}");
            assert_eq!(again.header("Idempotency-Replayed"), "true");
        };
        twice("down", &adam, Method::PATCH, &own, step_down).await;
        twice("leave", &adam, Method::DELETE, &own, None).await;
        twice("project", &world.owner, Method::DELETE, &format!("/project/{}", world.project), None).await;
        twice("team", &world.owner, Method::DELETE, &format!("/team/{}", world.team), None).await;
    }
}

async fn assert_webhooks_pause_when_their_creator_is_removed(app: &App) {
    let (world, receiver) = (World::make(app, "acme").await, Receiver::start().await);
    let (team, project) = (format!("/team/{}", world.team), format!("/project/{}", world.project));
    let dev = world.member(app, "dev", "developer").await;
    let (of_team, of_project) =
        (webhook(&dev, &team, &receiver.url).await, webhook(&dev, &project, &receiver.url).await);
    let remaining = webhook(&world.owner, &team, &receiver.url).await;
    let removed = world.owner.delete(&member_path(&world, &dev)).await.ok();
    let mut affected = ids(&removed["affected_webhooks"]);
    let mut expected: Vec<&str> = [&of_team, &of_project].map(|path| path.rsplit('/').next().unwrap()).into();
    affected.sort_unstable();
    expected.sort_unstable();
    assert_eq!(affected, expected);
    for path in [&of_team, &of_project] {
        let shown = world.owner.get(path).await.ok();
        assert_eq!((&shown["data"]["status"], &shown["data"]["authorized_by"]), (&json!("paused"), &json!(dev.id)));
    }
    assert_eq!(world.owner.get(&remaining).await.ok()["data"]["status"], "active");

    // The member who resumes a webhook becomes its authorizer.
    let resumed = world.owner.patch(&of_team, json!({"status": "active"})).await.ok();
    assert_eq!(
        (&resumed["data"]["authorized_by"], &resumed["data"]["created_by"]),
        (&json!(world.owner.id), &json!(dev.id))
    );
    world.owner.patch(&team, json!({"name": "Since then"})).await.ok();
    let id = of_team.rsplit('/').next().unwrap().replace('-', "");
    eventually(async || {
        let received = receiver.received();
        let is_new = |message: &steward_tests::Received| message.body.contains("Since then");
        received.iter().any(|message| message.headers["webhook-id"].contains(&id) && is_new(message)).then_some(())
    })
    .await;
}

async fn assert_webhooks_pause_when_their_creator_lost_the_permission(app: &App) {
    let (world, receiver) = (World::make(app, "acme").await, Receiver::start().await);
    let team = format!("/team/{}", world.team);
    let dev = world.member(app, "dev", "developer").await;
    let path = webhook(&dev, &team, &receiver.url).await;
    receiver.once(1).await;
    app.execute_sql("UPDATE members SET roles = 'viewer' WHERE roles = 'developer'");
    world.owner.patch(&team, json!({"name": "Not for them"})).await.ok();
    let paused = eventually(async || {
        let shown = world.owner.get(&path).await.ok()["data"].clone();
        Some(shown).filter(|shown| shown["status"] == "paused")
    })
    .await;
    assert!(paused["paused_reason"].as_str().unwrap().contains("can no longer manage webhooks"), "{paused}");
    assert!(receiver.received().iter().all(|message| !message.body.contains("Not for them")));
}

/// Starts a service that may send webhooks to the receivers of the tests.
async fn start_with_private_webhooks(backend: Backend) -> App {
    App::start_with(backend, &[("STEWARD_WEBHOOK_ALLOW_PRIVATE", "true")]).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_webhook_is_paused_when_its_creator_is_removed() {
    for backend in [Backend::Sqlite, Backend::Postgres] {
        assert_webhooks_pause_when_their_creator_is_removed(&start_with_private_webhooks(backend).await).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_webhook_is_authorized_again_at_each_delivery() {
    for backend in [Backend::Sqlite, Backend::Postgres] {
        assert_webhooks_pause_when_their_creator_lost_the_permission(&start_with_private_webhooks(backend).await).await;
    }
}
