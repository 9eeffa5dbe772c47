//! The newest requests of a project in the console.

use steward_tests::{Page, World, on_sqlite};

use super::{links_to, project_of, signed_in};

fn of_project(world: &World) -> String {
    format!("{}/requests", project_of(world))
}

/// Number of requests that a page lists.
fn count(page: &Page) -> usize {
    page.html.matches("<td data-label=\"Request\">").count()
}

on_sqlite! {
    async fn requests_are_filtered_and_one_is_shown_with_its_error(app: &App) {
        let world = World::make(app, "acme").await;
        world.key.get(&world.item("first")).await.ok();
        world.key.get(&world.item("missing")).await.is_not_found();
        let (browser, log) = (signed_in(app, "acme-owner").await, of_project(&world));
        let all = browser.open(&log).await;
        assert!(all.heading() == "Requests" && count(&all) > 2, "{all}");
        assert!(all.text().contains("Key: server"), "The filter offers the keys: {all}");
        let failed = browser.submit(&all, &log, &[("status", "4xx")]).await;
        assert!(count(&failed) == 1 && failed.text().contains("404 not_found server"), "{failed}");
        let of_key = browser.submit(&all, &log, &[("caller", world.key_id.as_str()), ("route", "/db/")]).await;
        assert_eq!(count(&of_key), 2, "{of_key}");
        let of_owner = browser.submit(&all, &log, &[("caller", world.owner.id.as_str())]).await;
        assert!(count(&of_owner) > 0 && !of_owner.text().contains("not_found"), "{of_owner}");
        assert!(of_owner.text().contains("You"), "{of_owner}");

        let one = failed.links().into_iter().find(|link| link.contains("request=")).unwrap();
        let shown = browser.open(&one).await;
        for text in ["Error not_found", "Operation getItem", "Request ID", "Caller server"] {
            assert!(shown.text().contains(text), "{text}: {shown}");
        }
        let missing = browser.open(&format!("{log}?request=none")).await;
        assert!(missing.text().contains("This request is not in the log"), "{missing}");

        let refused = browser.submit(&all, &log, &[("status", "6xx")]).await;
        assert!(refused.status == 400 && count(&refused) == 0, "{refused}");
        assert!(refused.text().contains("must be a status such as 404"), "{refused}");
    }

    async fn the_page_follows_new_requests_with_and_without_scripts(app: &App) {
        let world = World::make(app, "acme").await;
        let (browser, log) = (signed_in(app, "acme-owner").await, of_project(&world));
        let page = browser.open(&format!("{log}?status=2xx")).await;
        assert!(!page.html.contains("http-equiv"), "{page}");
        let follow = format!("{log}?status=2xx&follow=200");
        assert!(links_to(&page, &follow), "{page}");
        let followed = browser.open(&follow).await;
        assert!(followed.html.contains("hx-trigger=\"every 3s\"") && followed.html.contains("http-equiv"), "{followed}");
        assert_eq!(followed.html.matches("follow=199").count(), 2, "With and without scripts: {followed}");
        assert!(!followed.html.contains("hx-select-oob=\""), "The link is replaced only at the end: {followed}");
        let last = browser.open(&format!("{log}?status=2xx&follow=1")).await;
        assert!(last.html.contains("hx-select-oob=\"#follow\"") && last.text().contains("Stop following"), "{last}");
        let ended = browser.open(&format!("{log}?status=2xx&follow=0")).await;
        assert!(!ended.text().contains("Stop following") && ended.html.contains("id=\"follow\""), "{ended}");
        assert!(!ended.html.contains("hx-trigger=\"every 3s\"") && links_to(&ended, &follow), "The page stops: {ended}");
        assert!(links_to(&followed, &format!("{log}?status=2xx")), "{followed}");
    }

    async fn the_last_use_of_a_key_leads_to_its_requests(app: &App) {
        let world = World::make(app, "acme").await;
        world.member(app, "vic", "viewer").await;
        world.key.get(&world.item("first")).await.ok();
        let (browser, viewer) = (signed_in(app, "acme-owner").await, signed_in(app, "vic").await);
        let requests = format!("{}?caller={}", of_project(&world), world.key_id);
        let keys = format!("{}/keys", project_of(&world));
        for page in [keys.clone(), format!("{keys}/{}", world.key_id)] {
            let shown = steward_tests::eventually(async || {
                let shown = browser.open(&page).await;
                links_to(&shown, &requests).then_some(shown)
            })
            .await;
            assert!(shown.text().contains("Last used"), "{shown}");
            assert!(!links_to(&viewer.open(&page).await, &requests), "A viewer may not read the requests.");
        }
        assert!(count(&browser.open(&requests).await) > 0);
        assert_eq!(viewer.open(&requests).await.status, 403);
    }
}
