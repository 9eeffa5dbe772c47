//! Authority ends: what somebody may no longer do, nothing does for them.

use reqwest::Method;
use serde_json::{Value, json};
use steward_tests::{Actor, Answer, App, Backend, Receiver, World, eventually, on_both};

/// An invite to the world's team by a member; its id.
async fn invite(maker: &Actor, world: &World, username: &str, roles: &str) -> String {
    let invite = json!({"username": username, "roles": roles});
    maker.post(&format!("/team/{}/invite", world.team), invite).await.created().id()
}

async fn accept(actor: &Actor, invite: &str) -> Answer {
    actor.post("/team/accept-invite", json!({"invite_id": invite})).await
}

fn member(world: &World, actor: &Actor) -> String {
    format!("/team/{}/member/{}", world.team, actor.id)
}

/// The ids in a list of an answer.
fn ids(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|thing| thing["id"].as_str().unwrap()).collect()
}

/// A webhook of a place that is sent everything; its path.
async fn webhook(maker: &Actor, place: &str, url: &str) -> String {
    let made = maker.post(&format!("{place}/webhook"), json!({"url": url, "events": ["*"]})).await.created();
    format!("{place}/webhook/{}", made.id())
}

async fn with_key(key: &str, actor: &Actor, method: Method, path: &str, body: Option<Value>) -> Answer {
    actor.send(method, path, body, &[("Idempotency-Key", key)]).await
}

on_both! {
    async fn a_key_reads_of_the_teams_log_its_own_project_only(app: &App) {
        let world = World::make(app, "acme").await;
        let other = json!({"name": "Secret plans", "slug": "secret-plans", "team_id": world.team});
        let other = world.owner.post("/project/", other).await.created().id();
        let label = json!({"label": "hidden", "roles": "read"});
        world.owner.post(&format!("/project/{other}/key"), label).await.ok();
        let (audit, feed) = (format!("/team/{}/audit", world.team), format!("/team/{}/event", world.team));
        let (of_project, own) = (format!("/project/{}/audit", world.project), json!(world.project));

        let seen = world.key.get(&audit).await.ok();
        let events = seen["data"].as_array().unwrap();
        assert!(!events.is_empty() && events.iter().all(|event| event["project_id"] == own), "{events:?}");
        assert_eq!(seen["data"], world.key.get(&of_project).await.ok()["data"]);
        for filter in ["action=team.created".to_owned(), format!("target={other}"), "action=project.created".to_owned()] {
            assert_eq!(world.key.get(&format!("{audit}?{filter}")).await.ok()["data"], json!([]), "{filter}");
        }
        for media_type in ["application/x-ndjson", "text/csv"] {
            let stream = world.key.send(Method::GET, &audit, None, &[("Accept", media_type)]).await;
            let text = String::from_utf8(stream.body).unwrap();
            assert!(text.contains(&world.project) && !text.contains(&other), "{text}");
        }
        // Pages lead through the own events and end with them.
        let (mut paged, mut next) = (Vec::new(), format!("{audit}?limit=2"));
        loop {
            let page = world.key.get(&next).await.ok();
            paged.extend(page["data"].as_array().unwrap().clone());
            let Some(cursor) = page["next_cursor"].as_str() else { break };
            next = format!("{audit}?limit=2&cursor={cursor}");
        }
        assert_eq!(&paged, events);
        // A cursor of somebody who sees more leads a key nowhere else.
        let wide = world.owner.get(&format!("{audit}?limit=1")).await.ok();
        let stolen = format!("{audit}?limit=1000&cursor={}", wide["next_cursor"].as_str().unwrap());
        let seen = world.key.get(&stolen).await.ok();
        assert!(seen["data"].as_array().unwrap().iter().all(|event| event["project_id"] == own));

        let followed = eventually(async || {
            let followed = world.key.get(&format!("{feed}?limit=1000")).await.ok();
            Some(followed).filter(|followed| followed["data"].as_array().unwrap().len() == events.len())
        }).await;
        let told = followed["data"].as_array().unwrap();
        assert!(told.iter().all(|event| event["project_id"] == own), "{told:?}");
        assert_eq!(followed["next"], told.last().unwrap()["position"], "it leads to the last event of its own");
        let all = world.owner.get(&format!("{feed}?limit=1000")).await.ok();
        assert!(all["data"].as_array().unwrap().len() > told.len(), "members see the whole team");
    }

    async fn an_invite_ends_when_its_maker_is_removed(app: &App) {
        let world = World::make(app, "acme").await;
        let (adam, second) = (world.member(app, "adam", "admin").await, app.person("second").await);
        let made = invite(&adam, &world, "second", "admin").await;
        let kept = invite(&world.owner, &world, "acme-visitor", "viewer").await;
        let removed = world.owner.delete(&member(&world, &adam)).await.ok();
        assert_eq!(removed["affected_invites"], json!([{"id": made, "roles": "admin"}]));
        accept(&second, &made).await.is_unknown();
        assert_eq!(second.get("/invite").await.ok()["data"], json!([]));
        let pending = world.owner.get(&format!("/team/{}/invite", world.team)).await.ok();
        assert_eq!(ids(&pending["data"]), [kept.as_str()]);
        let log = world.owner.get(&format!("/team/{}/audit?target={made}", world.team)).await.ok();
        assert_eq!((&log["data"][0]["operation"], &log["data"][0]["after"]["state"]), (&json!("removeMember"), &json!("revoked")));
        accept(&world.visitor, &kept).await.ok();
    }

    async fn a_demotion_ends_the_invites_that_exceed_the_new_roles(app: &App) {
        let world = World::make(app, "acme").await;
        let adam = world.member(app, "adam", "admin").await;
        let (ann, bob) = (app.person("ann").await, app.person("bob").await);
        let (wide, narrow) = (invite(&adam, &world, "ann", "admin").await, invite(&adam, &world, "bob", "viewer").await);
        let path = member(&world, &adam);
        let changed = world.owner.patch(&path, json!({"roles": "viewer,invite:write"})).await.ok();
        assert_eq!(ids(&changed["affected_invites"]), [wide.as_str()]);
        accept(&ann, &wide).await.is_unknown();
        assert_eq!(accept(&bob, &narrow).await.ok()["data"]["roles"], "viewer");

        let label = world.owner.patch(&path, json!({"role_name": "Former admin"})).await.ok();
        assert_eq!((&label["affected_invites"], &label["affected_keys"]), (&json!([]), &json!([])));
        let cat = app.person("cat").await;
        let last = invite(&adam, &world, "cat", "viewer").await;
        world.owner.patch(&path, json!({"roles": "viewer"})).await.ok();
        accept(&cat, &last).await.is_unknown();
    }

    async fn an_invite_whose_maker_lost_the_authority_otherwise_cannot_be_accepted(app: &App) {
        let world = World::make(app, "acme").await;
        let (adam, ann) = (world.member(app, "adam", "admin").await, app.person("ann").await);
        let made = invite(&adam, &world, "ann", "admin").await;
        // As a version would have left it that did not revoke.
        app.tamper("UPDATE members SET roles = 'viewer' WHERE roles = 'admin'");
        accept(&ann, &made).await.is_unknown();
        app.tamper("DELETE FROM members WHERE roles = 'viewer'");
        accept(&ann, &made).await.is_unknown();
        // Somebody who may makes the offer their own by making it again.
        let renewed = invite(&world.owner, &world, "ann", "admin").await;
        assert_eq!(renewed, made);
        accept(&ann, &made).await.ok();
    }

    async fn an_invite_ends_when_the_account_of_its_maker_is_disabled(app: &App) {
        let world = World::make(app, "acme").await;
        let (adam, ann) = (world.member(app, "adam", "admin").await, app.person("ann").await);
        let made = invite(&adam, &world, "ann", "admin").await;
        let hook = webhook(&adam, &format!("/team/{}", world.team), "https://example.com/").await;
        let disabled = app.run(&["account", "disable", "--email", "adam@example.com"], "").await;
        assert!(disabled.status.success(), "{}", String::from_utf8_lossy(&disabled.stderr));
        accept(&ann, &made).await.is_unknown();
        assert_eq!(world.owner.get(&hook).await.ok()["data"]["status"], "paused");
        let log = world.owner.get(&format!("/team/{}/audit?target={made}", world.team)).await.ok();
        let told = &log["data"][0];
        assert_eq!((&told["operation"], &told["actor"]["type"]), (&json!("disableAccount"), &json!("system")));
        // Should it be pending all the same, it is no offer of theirs any more.
        app.tamper("UPDATE invites SET state = 'pending', decided_at = NULL WHERE state = 'revoked'");
        accept(&ann, &made).await.is_unknown();
    }

    async fn of_a_removal_and_an_acceptance_at_once_one_comes_first(app: &App) {
        let world = World::make(app, "acme").await;
        let ann = app.person("ann").await;
        let adam = app.person("adam").await;
        for _ in 0..12 {
            let own = invite(&world.owner, &world, "adam", "admin").await;
            accept(&adam, &own).await.ok();
            let made = invite(&adam, &world, "ann", "admin").await;
            let path = member(&world, &adam);
            let (removed, accepted) = tokio::join!(world.owner.delete(&path), accept(&ann, &made));
            let removed = removed.ok();
            if accepted.status == 200 {
                assert_eq!(removed["affected_invites"], json!([]), "it was accepted before");
                world.owner.delete(&member(&world, &ann)).await.ok();
            } else {
                accepted.is_unknown();
                assert_eq!(ids(&removed["affected_invites"]), [made.as_str()]);
                ann.get(&format!("/team/{}", world.team)).await.is_unknown();
            }
        }
    }

    async fn a_demotion_names_the_keys_that_may_do_more_than_the_member(app: &App) {
        let world = World::make(app, "acme").await;
        let adam = world.member(app, "adam", "admin").await;
        let path = format!("/project/{}/key", world.project);
        let key = async |roles: &str| {
            let made = adam.post(&path, json!({"label": roles, "roles": roles})).await.ok();
            (made["key"]["id"].as_str().unwrap().to_owned(), app.bearer(made["key"]["value"].as_str().unwrap()))
        };
        let ((mighty, caller), (_, _)) = (key("write").await, key("project:read").await);
        let changed = world.owner.patch(&member(&world, &adam), json!({"roles": "viewer"})).await.ok();
        assert_eq!(ids(&changed["affected_keys"]), [mighty.as_str()]);
        caller.get(&format!("/project/{}/schema", world.project)).await.ok();
        caller.put(&world.item("x"), json!({"value": {"title": "a key is its project's"}})).await.created();
    }

    async fn a_replay_needs_the_access_that_the_request_needed(app: &App) {
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
        // A developer may make keys, but none that may do more than they: the value of such a key is shown to nobody else.
        world.owner.patch(&member(&world, &adam), json!({"roles": "key:write,project:read"})).await.ok();
        let (_, method, path, body) = &requests[0];
        with_key("key", &adam, method.clone(), path, body.clone()).await.is_forbidden();
        let (_, method, path, body) = &requests[1];
        with_key("regenerate", &adam, method.clone(), path, body.clone()).await.is_forbidden();

        world.owner.patch(&member(&world, &adam), json!({"roles": "viewer"})).await.ok();
        for (key, method, path, body) in &requests {
            with_key(key, &adam, method.clone(), path, body.clone()).await.is_forbidden();
        }
        world.owner.delete(&member(&world, &adam)).await.ok();
        for (key, method, path, body) in &requests {
            with_key(key, &adam, method.clone(), path, body.clone()).await.is_unknown();
        }
    }

    async fn who_ended_their_own_access_is_answered_the_same_again(app: &App) {
        let world = World::make(app, "acme").await;
        let adam = world.member(app, "adam", "admin").await;
        let own = member(&world, &adam);
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

async fn webhooks_end_with_their_maker(app: &App) {
    let (world, receiver) = (World::make(app, "acme").await, Receiver::start().await);
    let (team, project) = (format!("/team/{}", world.team), format!("/project/{}", world.project));
    let dev = world.member(app, "dev", "developer").await;
    let (of_team, of_project) =
        (webhook(&dev, &team, &receiver.url).await, webhook(&dev, &project, &receiver.url).await);
    let kept = webhook(&world.owner, &team, &receiver.url).await;
    let removed = world.owner.delete(&member(&world, &dev)).await.ok();
    let mut affected = ids(&removed["affected_webhooks"]);
    let mut expected: Vec<&str> = [&of_team, &of_project].map(|path| path.rsplit('/').next().unwrap()).into();
    affected.sort_unstable();
    expected.sort_unstable();
    assert_eq!(affected, expected);
    for path in [&of_team, &of_project] {
        let shown = world.owner.get(path).await.ok();
        assert_eq!((&shown["data"]["status"], &shown["data"]["authorized_by"]), (&json!("paused"), &json!(dev.id)));
    }
    assert_eq!(world.owner.get(&kept).await.ok()["data"]["status"], "active");

    // Whoever resumes it answers for it from then on.
    let resumed = world.owner.patch(&of_team, json!({"status": "active"})).await.ok();
    assert_eq!(
        (&resumed["data"]["authorized_by"], &resumed["data"]["created_by"]),
        (&json!(world.owner.id), &json!(dev.id))
    );
    world.owner.patch(&team, json!({"name": "Since then"})).await.ok();
    let id = of_team.rsplit('/').next().unwrap().replace('-', "");
    eventually(async || {
        let told = receiver.received();
        let since = |message: &steward_tests::Received| message.body.contains("Since then");
        told.iter().any(|message| message.headers["webhook-id"].contains(&id) && since(message)).then_some(())
    })
    .await;
}

async fn nothing_is_sent_for_who_lost_the_authority_otherwise(app: &App) {
    let (world, receiver) = (World::make(app, "acme").await, Receiver::start().await);
    let team = format!("/team/{}", world.team);
    let dev = world.member(app, "dev", "developer").await;
    let path = webhook(&dev, &team, &receiver.url).await;
    receiver.once(1).await;
    app.tamper("UPDATE members SET roles = 'viewer' WHERE roles = 'developer'");
    world.owner.patch(&team, json!({"name": "Not for them"})).await.ok();
    let paused = eventually(async || {
        let shown = world.owner.get(&path).await.ok()["data"].clone();
        Some(shown).filter(|shown| shown["status"] == "paused")
    })
    .await;
    assert!(paused["paused_reason"].as_str().unwrap().contains("can no longer manage webhooks"), "{paused}");
    assert!(receiver.received().iter().all(|message| !message.body.contains("Not for them")));
}

/// Over a service that may reach the receivers of the tests.
async fn reaching(backend: Backend) -> App {
    App::start_with(backend, &[("STEWARD_WEBHOOK_ALLOW_PRIVATE", "true")]).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_webhook_ends_when_its_maker_is_removed() {
    for backend in [Backend::Sqlite, Backend::Postgres] {
        webhooks_end_with_their_maker(&reaching(backend).await).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_webhook_is_authorized_anew_when_it_delivers() {
    for backend in [Backend::Sqlite, Backend::Postgres] {
        nothing_is_sent_for_who_lost_the_authority_otherwise(&reaching(backend).await).await;
    }
}
