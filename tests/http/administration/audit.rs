//! Audit log: content, filters, export, feed and verification.

use serde_json::{Value, json};
use steward_tests::{Actor, World, eventually, on_both, on_sqlite};

/// Events of the log, newest first.
async fn log(actor: &Actor, path: &str) -> Vec<Value> {
    actor.get(path).await.ok()["data"].as_array().unwrap().clone()
}

/// Waits until the feed has exactly `count` events after a position and returns them.
async fn events_after(actor: &Actor, path: &str, after: &Value, count: usize) -> Vec<Value> {
    eventually(async || {
        let feed = actor.get(&format!("{path}?after={after}")).await.ok();
        let events = feed["data"].as_array().unwrap().clone();
        assert_eq!(&feed["next"], events.last().map_or(after, |event| &event["position"]));
        (events.len() == count).then_some(events)
    })
    .await
}

fn actions(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["action"].as_str().unwrap()).collect()
}

on_both! {
    async fn every_change_is_recorded_with_its_actor_and_content(app: &App) {
        let world = World::make(app, "acme").await;
        world.owner.patch(&format!("/team/{}", world.team), json!({"name": "Acme Inc"})).await.ok();
        let events = log(&world.owner, &format!("/team/{}/audit", world.team)).await;
        let newest = &events[0];
        assert_eq!((&newest["action"], &newest["operation"]), (&json!("team.updated"), &json!("updateTeam")));
        assert_eq!(newest["target"], json!({"type": "team", "id": world.team}));
        assert_eq!(newest["before"]["name"], "acme");
        assert_eq!(newest["after"]["name"], "Acme Inc");
        assert_eq!(newest["actor"]["type"], "account");
        let positions: Vec<i64> = events.iter().map(|event| event["position"].as_i64().unwrap()).collect();
        assert!(positions.is_sorted_by(|one, next| one > next), "{positions:?}");
        assert!(newest["address"].is_string() && newest["request_id"].is_string());

        world.key.put(&world.item("x"), json!({"value": {"title": "secret thoughts"}})).await.created();
        let path = format!("/project/{}/audit", world.project);
        let project_events = log(&world.owner, &path).await;
        assert_eq!(project_events[0]["action"], "item.created");
        assert_eq!(project_events[0]["actor"], json!({"type": "key", "id": world.key_id, "token_id": null}));
        assert!(!project_events[0].to_string().contains("secret thoughts"), "User data must not be logged.");
        assert!(project_events.iter().all(|event| event["project_id"] == world.project));
    }

    async fn the_log_is_filtered_and_paged(app: &App) {
        let world = World::make(app, "acme").await;
        world.key.put(&world.item("x"), json!({"value": {"title": "x"}})).await.created();
        let path = format!("/team/{}/audit", world.team);
        let all = log(&world.owner, &path).await;
        assert_eq!(actions(&log(&world.owner, &format!("{path}?action=team.created")).await), ["team.created"]);
        let by_key = log(&world.owner, &format!("{path}?actor={}", world.key_id)).await;
        assert!(by_key.len() == 1 && by_key[0]["actor"]["id"] == world.key_id, "{by_key:?}");
        assert_eq!(log(&world.owner, &format!("{path}?target={}", world.key_id)).await.len(), 1);
        let newest = all.iter().map(|event| event["at"].as_str().unwrap()).max().unwrap();
        let (since, before): (Vec<Value>, _) = all.iter().cloned().partition(|event| event["at"] == newest);
        assert!(!before.is_empty());
        for (period, expected) in [
            (format!("from={newest}"), &since),
            (format!("to={newest}"), &before),
            ("from=2020-01-01T00:00:00Z".to_owned(), &all),
            ("to=2020-01-01T00:00:00Z".to_owned(), &Vec::new()),
            ("from=2100-01-01T00:00:00Z".to_owned(), &Vec::new()),
            ("to=2100-01-01T00:00:00Z".to_owned(), &all),
        ] {
            assert_eq!(&log(&world.owner, &format!("{path}?{period}")).await, expected, "{period}");
        }
        let (mut paged, mut next) = (Vec::new(), format!("{path}?limit=2"));
        loop {
            let page = world.owner.get(&next).await.ok();
            paged.extend(page["data"].as_array().unwrap().clone());
            let Some(cursor) = page["next_cursor"].as_str() else { break };
            next = format!("{path}?limit=2&cursor={cursor}");
        }
        assert_eq!(paged, all);
        let of_items = |event: &Value| event["action"].as_str().unwrap().starts_with("item.");
        let (items, others): (Vec<Value>, _) = all.iter().cloned().partition(of_items);
        assert!(!items.is_empty() && !others.is_empty(), "{all:?}");
        for (value, expected) in [("include", &all), ("exclude", &others), ("only", &items)] {
            assert_eq!(&log(&world.owner, &format!("{path}?item_changes={value}")).await, expected, "{value}");
        }
        for invalid in ["item_changes=none", "actor=ann", "from=yesterday", "action=a&action=b", "limit=0", "cursor=x", "who=me"] {
            world.owner.get(&format!("{path}?{invalid}")).await.refused(400, "invalid_request");
        }
    }

    async fn the_feed_returns_each_change_once_in_order(app: &App) {
        let world = World::make(app, "acme").await;
        let path = format!("/team/{}/event", world.team);
        let mut all = log(&world.owner, &format!("/team/{}/audit", world.team)).await;
        all.reverse();
        assert_eq!(events_after(&world.owner, &path, &json!(0), all.len()).await, all, "All events are returned.");
        let next = &all.last().unwrap()["position"];
        for name in ["One", "Two", "Three"] {
            world.owner.patch(&format!("/team/{}", world.team), json!({"name": name})).await.ok();
        }
        let three = events_after(&world.owner, &path, next, 3).await;
        let names: Vec<_> = three.iter().map(|event| event["after"]["name"].clone()).collect();
        assert_eq!(names, ["One", "Two", "Three"]);
        let two = world.owner.get(&format!("{path}?after={next}&limit=2")).await.ok();
        assert_eq!((&two["data"], &two["next"]), (&json!(three[..2]), &three[1]["position"]));
        assert_eq!(events_after(&world.owner, &path, &two["next"], 1).await, three[2..]);
        assert_eq!(events_after(&world.owner, &path, &three[2]["position"], 0).await, [Value::Null; 0]);
        for invalid in ["after=-1", "after=x", "limit=1001", "cursor=x"] {
            world.owner.get(&format!("{path}?{invalid}")).await.refused(400, "invalid_request");
        }
    }

    async fn the_hash_chains_of_a_team_are_verified_and_tampering_is_detected(app: &App) {
        let world = World::make(app, "acme").await;
        world.owner.patch(&format!("/team/{}", world.team), json!({"name": "One"})).await.ok();
        for id in ["x", "y", "z"] {
            world.key.put(&world.item(id), json!({"value": {"title": "x"}})).await.created();
        }
        let all = log(&world.owner, &format!("/team/{}/audit", world.team)).await.len();
        let verify = async || {
            let output = app.run(&["audit", "verify", "--team", &world.team], "").await;
            let lines = output.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
            (output.status.success(), lines.map(|line| serde_json::from_slice(line).unwrap()).collect::<Vec<Value>>())
        };
        let (holds, chains) = eventually(async || {
            let (holds, chains) = verify().await;
            let sealed: u64 = chains.iter().map(|chain| chain["events"].as_u64().unwrap()).sum();
            (sealed == all as u64).then_some((holds, chains))
        })
        .await;
        let project_events = |chains: &[Value]| chains.iter().find(|chain| chain["project_id"] == world.project).unwrap().clone();
        assert!(holds && chains.len() == 2 && chains.iter().all(|chain| chain["holds"] == true), "{chains:?}");
        assert!(project_events(&chains)["last"]["hash"].is_string());

        let changes = [
            // Other chains may be sealed in the meantime, so only seals of item changes are changed and restored.
            ("UPDATE item_changes SET item_id = 'w' WHERE item_id = 'y'", "An event was changed."),
            ("UPDATE item_changes SET item_id = 'y' WHERE item_id = 'w'", ""),
            ("UPDATE audit_seals SET item_changes = item_changes + 1 WHERE item_changes > 0", "The seal was changed."),
            ("UPDATE audit_seals SET item_changes = item_changes - 1 WHERE item_changes > 1", ""),
            ("DELETE FROM audit_events WHERE project_id IS NOT NULL", "An event is missing."),
            ("DELETE FROM item_changes WHERE item_id = 'y'", "An event is missing."),
        ];
        for (change, reason) in changes {
            app.execute_sql(change);
            let (holds, chains) = verify().await;
            let project_events = project_events(&chains);
            assert_eq!((holds, &project_events["holds"]), (reason.is_empty(), &json!(reason.is_empty())), "{change}");
            if !reason.is_empty() {
                assert_eq!(project_events["reason"], reason, "{change}");
            }
        }
        assert!(!app.run(&["audit", "verify"], "").await.status.success(), "Verifying all teams must fail, too.");
    }
}

on_sqlite! {
    async fn the_log_is_exported_as_ndjson_and_as_csv(app: &App) {
        let world = World::make(app, "acme").await;
        world.owner.patch(&format!("/team/{}", world.team), json!({"name": "A \"quoted\", name"})).await.ok();
        let path = format!("/team/{}/audit", world.team);
        let all = log(&world.owner, &path).await;
        let stream = async |accept: &str| {
            world.owner.send(reqwest::Method::GET, &path, None, &[("Accept", accept)]).await
        };
        let lines = stream("application/x-ndjson").await;
        assert_eq!((lines.status.as_u16(), lines.header("Content-Type")), (200, "application/x-ndjson"));
        let exported: Vec<Value> =
            lines.body.split(|b| *b == b'\n').filter(|line| !line.is_empty()).map(|line| serde_json::from_slice(line).unwrap()).collect();
        assert_eq!(exported, all);
        let table = stream("text/csv, */*;q=0.1").await;
        assert_eq!(table.header("Content-Type"), "text/csv; charset=utf-8");
        let text = String::from_utf8(table.body.to_vec()).unwrap();
        assert_eq!(text.lines().count(), all.len() + 1);
        assert!(text.starts_with("at,action,operation,"));
        assert!(text.contains(r#"A \""quoted\"", name"#), "{text}");
        let named = [("X-Request-Id", "-2:3")];
        world.owner.send(reqwest::Method::PATCH, &format!("/team/{}", world.team), Some(json!({"name": "B"})), &named).await.ok();
        let text = String::from_utf8(stream("text/csv").await.body.to_vec()).unwrap();
        assert!(text.contains(",'-2:3,"), "A cell must not be a formula: {text}");
        world.owner.get(&format!("{path}?limit=2")).await.ok();
        let refused = world.owner.send(reqwest::Method::GET, &format!("{path}?limit=2"), None, &[("Accept", "text/csv")]).await;
        refused.refused(400, "invalid_request");
        let stranger = app.person("stranger").await;
        stranger.send(reqwest::Method::GET, &path, None, &[("Accept", "text/csv")]).await.is_not_found();
    }

    async fn refused_changes_are_recorded(app: &App) {
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
        assert_eq!(operations, ["updateMember", "deleteKey", "updateTeam"], "Refused reads are not recorded.");
        assert_eq!(refused[2]["actor"]["id"], viewer.id.as_str());
        assert!(refused[2]["after"]["reason"].as_str().unwrap().contains("team:write"), "{}", refused[2]);
    }
}
