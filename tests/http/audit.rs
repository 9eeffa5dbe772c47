//! The audit log.

use serde_json::{Value, json};
use steward_tests::{Actor, World, eventually, on_both};

/// The log, newest first.
async fn log(actor: &Actor, path: &str) -> Vec<Value> {
    actor.get(path).await.ok()["data"].as_array().unwrap().clone()
}

/// The log once every event has its place in the chain, which takes a moment.
async fn sealed_log(actor: &Actor, path: &str) -> Vec<Value> {
    eventually(async || {
        Some(log(actor, path).await).filter(|events| events.iter().all(|event| event["position"].is_i64()))
    })
    .await
}

/// Waits until the feed has come so far.
async fn feed(actor: &Actor, path: &str, next: i64) {
    eventually(async || (actor.get(path).await.ok()["next"] == next).then_some(())).await;
}

fn actions(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["action"].as_str().unwrap()).collect()
}

on_both! {
    async fn every_change_is_told_with_who_did_it_and_what_it_was(app: &App) {
        let world = World::make(app, "acme").await;
        world.owner.patch(&format!("/team/{}", world.team), json!({"name": "Acme Inc"})).await.ok();
        let events = log(&world.owner, &format!("/team/{}/audit", world.team)).await;
        let newest = &events[0];
        assert_eq!((&newest["action"], &newest["operation"]), (&json!("team.updated"), &json!("updateTeam")));
        assert_eq!(newest["target"], json!({"type": "team", "id": world.team}));
        assert_eq!(newest["before"]["name"], "acme");
        assert_eq!(newest["after"]["name"], "Acme Inc");
        assert_eq!(newest["actor"]["type"], "account");
        let sealed = sealed_log(&world.owner, &format!("/team/{}/audit", world.team)).await;
        assert_eq!((&sealed[0]["action"], &sealed[0]["position"]), (&newest["action"], &json!(events.len())));
        assert!(newest["address"].is_string() && newest["request_id"].is_string());

        world.key.put(&world.item("x"), json!({"value": {"title": "secret thoughts"}})).await.created();
        let path = format!("/project/{}/audit", world.project);
        let of_project = log(&world.owner, &path).await;
        assert_eq!(of_project[0]["action"], "item.updated");
        assert_eq!(of_project[0]["actor"], json!({"type": "key", "id": world.key_id, "token_id": null}));
        assert!(!of_project[0].to_string().contains("secret thoughts"), "people's data stays out");
        assert!(of_project.iter().all(|event| event["project_id"] == world.project));
    }

    async fn it_is_narrowed_and_paged(app: &App) {
        let world = World::make(app, "acme").await;
        let path = format!("/team/{}/audit", world.team);
        let all = sealed_log(&world.owner, &path).await;
        assert_eq!(actions(&log(&world.owner, &format!("{path}?action=team.created")).await), ["team.created"]);
        let by_key = log(&world.owner, &format!("{path}?actor={}", world.key_id)).await;
        assert!(by_key.iter().all(|event| event["actor"]["id"] == world.key_id));
        assert_eq!(log(&world.owner, &format!("{path}?target={}", world.key_id)).await.len(), 1);
        assert_eq!(log(&world.owner, &format!("{path}?to=2020-01-01T00:00:00Z")).await.len(), 0);
        assert_eq!(log(&world.owner, &format!("{path}?from=2020-01-01T00:00:00Z")).await.len(), all.len());
        let (mut paged, mut next) = (Vec::new(), format!("{path}?limit=2"));
        loop {
            let page = world.owner.get(&next).await.ok();
            paged.extend(page["data"].as_array().unwrap().clone());
            let Some(cursor) = page["next_cursor"].as_str() else { break };
            next = format!("{path}?limit=2&cursor={cursor}");
        }
        assert_eq!(paged, all);
        for bad in ["actor=ann", "from=yesterday", "action=a&action=b", "limit=0", "cursor=x", "who=me"] {
            world.owner.get(&format!("{path}?{bad}")).await.refused(400, "invalid_request");
        }
    }

    async fn it_is_streamed_whole_as_lines_and_as_a_table(app: &App) {
        let world = World::make(app, "acme").await;
        world.owner.patch(&format!("/team/{}", world.team), json!({"name": "A \"quoted\", name"})).await.ok();
        let path = format!("/team/{}/audit", world.team);
        let all = sealed_log(&world.owner, &path).await;
        let stream = async |accept: &str| {
            world.owner.send(reqwest::Method::GET, &path, None, &[("Accept", accept)]).await
        };
        let lines = stream("application/x-ndjson").await;
        assert_eq!((lines.status.as_u16(), lines.header("Content-Type")), (200, "application/x-ndjson"));
        let told: Vec<Value> =
            lines.body.split(|b| *b == b'\n').filter(|line| !line.is_empty()).map(|line| serde_json::from_slice(line).unwrap()).collect();
        assert_eq!(told, all);
        let table = stream("text/csv, */*;q=0.1").await;
        assert_eq!(table.header("Content-Type"), "text/csv; charset=utf-8");
        let text = String::from_utf8(table.body.to_vec()).unwrap();
        assert_eq!(text.lines().count(), all.len() + 1);
        assert!(text.starts_with("at,action,operation,"));
        assert!(text.contains(r#"A \""quoted\"", name"#), "{text}");
        world.owner.get(&format!("{path}?limit=2")).await.ok();
        let refused = world.owner.send(reqwest::Method::GET, &format!("{path}?limit=2"), None, &[("Accept", "text/csv")]).await;
        refused.refused(400, "invalid_request");
        let stranger = app.person("stranger").await;
        stranger.send(reqwest::Method::GET, &path, None, &[("Accept", "text/csv")]).await.is_unknown();
    }

    async fn an_attempt_that_was_refused_is_told(app: &App) {
        let world = World::make(app, "acme").await;
        let viewer = world.member(app, "vic", "viewer").await;
        let team = format!("/team/{}", world.team);
        viewer.patch(&team, json!({"name": "Mine"})).await.is_forbidden();
        viewer.get(&format!("{team}/audit")).await.is_forbidden();
        world.key.delete(&format!("/project/{}/key/{}", world.project, world.key_id)).await.is_forbidden();
        let dev = world.member(app, "dev", "developer,member:write").await;
        dev.patch(&format!("{team}/member/{}", viewer.id), json!({"roles": "admin"})).await.is_forbidden();

        let events = log(&world.owner, &format!("{team}/audit")).await;
        let refused: Vec<_> = events.iter().filter(|event| event["action"].as_str().unwrap().ends_with("access_denied")).collect();
        let operations: Vec<&str> = refused.iter().map(|event| event["operation"].as_str().unwrap()).collect();
        assert_eq!(operations, ["updateMember", "deleteKey", "updateTeam"], "what was only to be read is not told of");
        assert_eq!(refused[2]["actor"]["id"], viewer.id.as_str());
        assert!(refused[2]["after"]["reason"].as_str().unwrap().contains("team:write"), "{}", refused[2]);
    }

    async fn the_feed_tells_each_change_once_in_order(app: &App) {
        let world = World::make(app, "acme").await;
        let path = format!("/team/{}/event", world.team);
        let next = i64::try_from(sealed_log(&world.owner, &format!("/team/{}/audit", world.team)).await.len()).unwrap();
        let begin = world.owner.get(&path).await.ok();
        assert_eq!((begin["data"].as_array().unwrap().len() as i64, begin["next"].as_i64()), (next, Some(next)), "from the first on");
        for name in ["One", "Two", "Three"] {
            world.owner.patch(&format!("/team/{}", world.team), json!({"name": name})).await.ok();
        }
        feed(&world.owner, &format!("{path}?after={next}"), next + 3).await;
        let two = world.owner.get(&format!("{path}?after={next}&limit=2")).await.ok();
        let names: Vec<_> = two["data"].as_array().unwrap().iter().map(|event| event["after"]["name"].clone()).collect();
        assert_eq!((names, two["next"].as_i64()), (vec![json!("One"), json!("Two")], Some(next + 2)));
        let last = world.owner.get(&format!("{path}?after={}", next + 2)).await.ok();
        assert_eq!((last["data"].as_array().unwrap().len(), last["next"].as_i64()), (1, Some(next + 3)));
        let none = world.owner.get(&format!("{path}?after={}", next + 3)).await.ok();
        assert_eq!((&none["data"], none["next"].as_i64()), (&json!([]), Some(next + 3)));
        for bad in ["after=-1", "after=x", "limit=1001", "cursor=x"] {
            world.owner.get(&format!("{path}?{bad}")).await.refused(400, "invalid_request");
        }
    }

    async fn the_chain_is_proved_and_a_change_in_it_is_found(app: &App) {
        let world = World::make(app, "acme").await;
        for name in ["One", "Two", "Three"] {
            world.owner.patch(&format!("/team/{}", world.team), json!({"name": name})).await.ok();
        }
        sealed_log(&world.owner, &format!("/team/{}/audit", world.team)).await;
        let verify = async || {
            let output = app.run(&["audit", "verify", "--team", &world.team], "").await;
            (output.status.success(), serde_json::from_slice::<Value>(&output.stdout).unwrap())
        };
        let (holds, proof) = verify().await;
        assert!(holds && proof["holds"] == true, "{proof}");
        let last = proof["last"]["position"].as_i64().unwrap();
        assert_eq!(proof["events"], last);
        app.tamper(&format!("UPDATE audit_events SET target_id = 'x' WHERE position = {}", last - 1));
        let (holds, proof) = verify().await;
        assert_eq!((holds, &proof["position"], &proof["reason"]), (false, &json!(last - 1), &json!("the event was changed")));
        app.tamper(&format!("DELETE FROM audit_events WHERE position = {}", last - 1));
        let (_, proof) = verify().await;
        assert_eq!((&proof["position"], &proof["reason"]), (&json!(last - 1), &json!("the event is missing")));
        assert!(!app.run(&["audit", "verify"], "").await.status.success(), "among all teams too");
    }
}
