//! The audit log of teams and projects in the console.

use serde_json::{Value, json};
use steward_tests::{Page, World, eventually, on_sqlite};

use super::{links_to, project_of, signed_in, team_of};

fn of_team(world: &World) -> String {
    format!("{}/audit", team_of(world))
}

fn of_project(world: &World) -> String {
    format!("{}/audit", project_of(world))
}

/// Number of events that a page lists.
fn count(page: &Page) -> usize {
    page.html.matches("<li class=\"event\">").count()
}

on_sqlite! {
    async fn the_log_shows_who_changed_what(app: &App) {
        let world = World::make(app, "acme").await;
        world.owner.patch(&format!("/team/{}", world.team), json!({"name": "Acme Inc"})).await.ok();
        world.key.put(&world.item("x"), json!({"value": {"title": "secret thoughts"}})).await.created();
        let browser = signed_in(app, "acme-owner").await;

        let team = browser.open(&of_team(&world)).await;
        assert_eq!(team.heading(), "Audit log", "{team}");
        assert!(!team.text().contains("item.created") && team.text().contains("Changes of items are left out."), "{team}");
        let with_items = format!("{}?item_changes=include", of_team(&world));
        assert!(links_to(&team, &with_items), "{team}");
        let team = browser.open(&with_items).await;
        for text in ["You changed the team Acme Inc", "server created the item x", "team.updated", "updateTeam"] {
            assert!(team.text().contains(text), "{text}: {team}");
        }
        let log = of_project(&world);
        let all = browser.open(&log).await;
        assert!(all.text().contains("You created the API key server") && !all.text().contains("item.created"), "{all}");
        let project = browser.submit(&all, &log, &[("item_changes", "only")]).await;
        assert!(project.text().contains("server created the item"), "{project}");
        assert!(!project.text().contains("created the API key"), "{project}");
        let by_action = browser.submit(&all, &log, &[("action", "item.created")]).await;
        assert!(count(&by_action) > 0, "{by_action}");
        assert!(!project.text().contains("changed the team") && !project.html.contains("secret thoughts"), "{project}");
    }

    async fn the_log_is_filtered_by_action_actor_and_target(app: &App) {
        let world = World::make(app, "acme").await;
        let (browser, log) = (signed_in(app, "acme-owner").await, of_team(&world));
        let all = browser.open(&log).await;
        let created = browser.submit(&all, &log, &[("action", "team.created")]).await;
        assert!(count(&created) == 1 && created.text().contains("You created the team"), "{created}");
        assert!(created.html.contains("value=\"team.created\""), "{created}");
        let of_key = browser.submit(&all, &log, &[("target", world.key_id.as_str())]).await;
        assert!(count(&of_key) == 1 && of_key.text().contains("api_key.created"), "{of_key}");
        for (actor, is_empty) in [(&world.owner.id, false), (&world.key_id, true)] {
            let found = browser.submit(&all, &log, &[("actor", actor.as_str())]).await;
            assert_eq!(count(&found) == 0, is_empty, "{found}");
            assert_eq!(found.text().contains("No event matches these filters."), is_empty, "{found}");
        }
        let key = format!("{}/keys/{}", project_of(&world), world.key_id);
        assert!(links_to(&of_key, &key), "The name links to its page: {of_key}");
        world.owner.delete(&format!("/project/{}/key/{}", world.project, world.key_id)).await.ok();
        let deleted = browser.submit(&all, &log, &[("target", world.key_id.as_str())]).await;
        assert!(count(&deleted) == 2 && !links_to(&deleted, &key), "{deleted}");

        let refused = browser.submit(&all, &log, &[("actor", "ann"), ("from", "yesterday")]).await;
        assert!(refused.status == 400 && refused.html.contains("value=\"ann\""), "{refused}");
        for error in ["Actor must be the ID of an account", "From must be a timestamp"] {
            assert!(refused.text().contains(error), "{refused}");
        }
    }

    async fn a_period_excludes_the_events_before_and_after_it(app: &App) {
        let world = World::make(app, "acme").await;
        let (browser, log) = (signed_in(app, "acme-owner").await, of_team(&world));
        let all = browser.open(&log).await;
        let events = world.owner.get(&format!("/team/{}/audit?item_changes=exclude", world.team)).await.ok();
        let events = events["data"].as_array().unwrap();
        assert_eq!(count(&all), events.len());
        let times: Vec<&str> = events.iter().map(|event| event["at"].as_str().unwrap()).collect();
        let newest = *times.iter().max().unwrap();
        let since = times.iter().filter(|at| **at == newest).count();
        assert!(since < times.len(), "{times:?}");
        for (field, time, expected) in [
            ("from", newest, since),
            ("to", newest, times.len() - since),
            ("from", "2020-01-01T00:00:00", times.len()),
            ("to", "2020-01-01T00:00", 0),
            ("from", "2100-01-01T00:00", 0),
            ("to", "2100-01-01T00:00", times.len()),
            ("from", "9999-12-31T23:59:59", 0),
        ] {
            let found = browser.submit(&all, &log, &[(field, time)]).await;
            assert_eq!((found.status.as_u16(), count(&found)), (200, expected), "{field} {time}: {found}");
        }
    }

    async fn an_invalid_filter_is_shown_with_its_error_and_without_events(app: &App) {
        let world = World::make(app, "acme").await;
        let (browser, log) = (signed_in(app, "acme-owner").await, of_project(&world));
        let all = browser.open(&log).await;
        assert!(count(&all) > 0, "{all}");
        type Case<'a> = (&'a [(&'a str, &'a str)], &'a str, &'a str);
        let cases: [Case<'_>; 6] = [
            (&[("action", "team.exploded")], "action", "Action must be the name of an event such as team.updated."),
            (&[("target", "\u{1}")], "target", "Target must not contain control characters."),
            (&[("from", "yesterday")], "from", "From must be a timestamp"),
            // Years of five digits, one of them only in UTC.
            (&[("from", "12030-01-31T12:00")], "from", "From must be a timestamp"),
            (&[("from", "9999-12-31T23:59:59-01:00")], "from", "From must be a timestamp"),
            (
                &[("from", "2030-01-02T00:00"), ("to", "2030-01-01T00:00")],
                "to",
                "The end of the period must not be before its start.",
            ),
        ];
        for (values, field, error) in cases {
            let refused = browser.submit(&all, &log, values).await;
            assert!(refused.status == 400 && count(&refused) == 0, "{refused}");
            assert!(refused.html.contains(&format!("id=\"{field}-error\"")), "{field}: {refused}");
            assert!(refused.text().contains(error), "{error}: {refused}");
            for (_, value) in values {
                assert!(refused.html.contains(&format!("value=\"{value}\"")), "{value}: {refused}");
            }
            assert!(refused.text().contains("Remove the filters") && !refused.text().contains("Export"), "{refused}");
        }
    }

    async fn a_long_log_has_pages_that_keep_the_filter(app: &App) {
        let world = World::make(app, "acme").await;
        for number in 0..55 {
            let item = json!({"value": {"title": "x"}});
            world.key.put(&world.item(&format!("item-{number}")), item).await.created();
        }
        let browser = signed_in(app, "acme-owner").await;
        let filter = format!("actor={}&item_changes=only", world.key_id);
        let first = browser.open(&format!("{}?{filter}", of_project(&world))).await;
        assert_eq!(count(&first), 50, "{first}");
        let address = first.next_page().unwrap();
        assert!(address.contains(&filter), "{address}");
        let second = browser.open(&address).await;
        assert!(count(&second) == 5 && second.next_page().is_none(), "{second}");
        assert!(second.html.contains("item-0</bdi>") && !first.html.contains("item-0</bdi>"), "{second}");
    }

    async fn the_export_contains_what_the_api_returns(app: &App) {
        let world = World::make(app, "acme").await;
        let browser = signed_in(app, "acme-owner").await;
        for (log, api) in [
            (of_team(&world), format!("/team/{}/audit", world.team)),
            (of_project(&world), format!("/project/{}/audit", world.project)),
        ] {
            let before = world.owner.get(&api).await.ok()["data"].clone();
            let export = browser.open(&format!("{log}/export")).await;
            assert_eq!(export.headers["content-type"], "application/x-ndjson");
            assert!(export.headers["content-disposition"].to_str().unwrap().contains("audit-acme.ndjson"));
            let lines: Vec<Value> = export.html.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            assert!(!lines.is_empty());
            assert_eq!(Value::Array(lines), before);
        }
        let page = browser.open(&of_team(&world)).await;
        let shown = page.links().into_iter().find(|link| link.contains("/export")).unwrap();
        assert!(shown.ends_with("item_changes=exclude"), "An export contains what the page shows: {shown}");
        let filtered = browser.open(&format!("{}/export?action=team.created", of_team(&world))).await;
        assert_eq!(filtered.html.lines().count(), 1, "{filtered}");
        let refused = browser.open(&format!("{}/export?actor=ann", of_team(&world))).await;
        assert_eq!(refused.status, 400, "{refused}");
    }

    async fn the_chain_of_a_log_is_verified(app: &App) {
        let world = World::make(app, "acme").await;
        let browser = signed_in(app, "acme-owner").await;
        for log in [of_team(&world), of_project(&world)] {
            let page = eventually(async || {
                let page = browser.open(&format!("{log}/chain")).await;
                page.text().contains("The log is intact").then_some(page)
            })
            .await;
            assert!(page.text().contains("Sealed up to position"), "{page}");
        }
        app.execute_sql("UPDATE audit_seals SET item_changes = item_changes + 1");
        let page = browser.open(&format!("{}/chain", of_project(&world))).await;
        assert!(page.text().contains("The log was changed") && page.text().contains("The seal was changed."), "{page}");
    }

    async fn only_people_who_may_read_the_log_find_it(app: &App) {
        let world = World::make(app, "acme").await;
        world.member(app, "vic", "viewer").await;
        world.member(app, "abe", "admin").await;
        app.person("eve").await;
        for (person, status) in [("vic", 403), ("abe", 200), ("eve", 404)] {
            let browser = signed_in(app, person).await;
            for (log, above) in [(of_team(&world), team_of(&world)), (of_project(&world), project_of(&world))] {
                let above = browser.open(&above).await;
                assert_eq!(links_to(&above, &log), status == 200, "{above}");
                for page in ["", "/export", "/chain"] {
                    assert_eq!(browser.open(&format!("{log}{page}")).await.status, status, "{person}: {log}{page}");
                }
            }
        }
    }
}
