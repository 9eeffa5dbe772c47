//! Unpublished changes to a schema: they are kept when the person leaves the page.

use reqwest::header::{COOKIE, ORIGIN};
use serde_json::{Value, json};
use steward_tests::{Browser, Page, World, on_both_in_full, on_sqlite};

use super::{links_to, project_of, signed_in};

fn path(world: &World, below: &str) -> String {
    format!("{}/schema{below}", project_of(world))
}

async fn newest(world: &World) -> Value {
    world.owner.get(&format!("/project/{}/schema", world.project)).await.ok()["data"][0]["schema"].clone()
}

/// Publishes changes through the API.
async fn patch(world: &World, changes: Value) {
    let path = format!("/project/{}/schema?allow_destructive=true", world.project);
    world.owner.patch(&path, json!({"schema": changes})).await.ok();
}

/// Adds a field with this name to the first table, in the form, and leaves it there.
async fn add_field(browser: &Browser, world: &World, input: &str, name: &str) -> Page {
    let edit = path(world, "/edit");
    let form = browser.open(&edit).await;
    let form = browser.submit(&form, &edit, &[("do", "add-t0")]).await;
    browser.submit(&form, &edit, &[(&format!("{input}-name"), name), ("do", "add-table")]).await
}

/// Enters a document in the JSON editor.
async fn enter(browser: &Browser, world: &World, text: &str) -> Page {
    let editor = path(world, "/json");
    let form = browser.open(&editor).await;
    browser.submit(&form, &editor, &[("document", text), ("do", "save")]).await
}

const UNPUBLISHED: &str = "You have unpublished changes";

on_both_in_full! {
    async fn a_published_draft_is_removed_and_leaves_no_audit_event(app: &App) {
        let world = World::make(app, "acme").await;
        let browser = signed_in(app, "acme-owner").await;
        let edit = path(&world, "/edit");
        let form = browser.open(&edit).await;
        let form = browser.submit(&form, &edit, &[("do", "add-t0")]).await;
        let review = browser.submit(&form, &edit, &[("t0-f4-name", "mine"), ("do", "review")]).await;
        assert!(browser.open(&path(&world, "")).await.text().contains(UNPUBLISHED));
        let published = browser.submit(&review, &path(&world, "/publish"), &[]).await;
        assert!(published.text().contains("Version 2 of the schema was published."), "{published}");
        assert!(!published.text().contains("npublished changes"), "{published}");
        let audit = world.owner.get(&format!("/project/{}/audit", world.project)).await.ok();
        assert!(!audit.0.to_string().contains("draft"), "{audit:?}");
    }
}

on_sqlite! {
    async fn what_a_person_entered_is_there_when_they_come_back(app: &App) {
        let world = World::make(app, "acme").await;
        world.member(app, "dev", "developer").await;
        let (owner, dev) = (signed_in(app, "acme-owner").await, signed_in(app, "dev").await);
        let (schema, edit) = (path(&world, ""), path(&world, "/edit"));
        assert!(!owner.open(&schema).await.text().contains("Unpublished changes"));
        add_field(&owner, &world, "t0-f4", "mine").await;

        let again = signed_in(app, "acme-owner").await;
        for overview in [&schema, &project_of(&world)] {
            let page = again.open(overview).await;
            assert!(page.text().contains(UNPUBLISHED) && links_to(&page, &edit), "{page}");
        }
        let form = again.open(&edit).await;
        assert!(form.html.contains("value=\"mine\"") && form.html.contains("id=\"t1-name\""), "{form}");
        assert!(form.text().contains("These are your unpublished changes"), "{form}");
        assert!(form.html.contains("saved on <time datetime=\""), "{form}");

        let theirs = dev.open(&schema).await;
        assert!(!theirs.text().contains(UNPUBLISHED), "{theirs}");
        assert!(theirs.text().contains("acme-owner has unpublished changes to version 1"), "{theirs}");
        assert!(!dev.open(&edit).await.html.contains("value=\"mine\""), "A draft must be seen by its author only.");
        add_field(&dev, &world, "t0-f4", "theirs").await;
        assert!(again.open(&edit).await.html.contains("value=\"mine\""), "Another draft must not replace this one.");

        let draft = path(&world, "/draft");
        let page = again.open(&draft).await;
        let gone = again.submit(&page, &draft, &[("do", "discard")]).await;
        assert!(gone.is_at(&schema) && gone.text().contains("were discarded"), "{gone}");
        assert!(!gone.text().contains(UNPUBLISHED), "{gone}");
        assert!(!again.open(&edit).await.html.contains("value=\"mine\""));
        assert!(dev.open(&edit).await.html.contains("value=\"theirs\""));
        assert!(again.open(&draft).await.text().contains("No unpublished changes"));
    }

    async fn a_draft_of_an_earlier_version_is_applied_to_the_newest_one(app: &App) {
        let world = World::make(app, "acme").await;
        let browser = signed_in(app, "acme-owner").await;
        let (edit, draft) = (path(&world, "/edit"), path(&world, "/draft"));
        let form = browser.open(&edit).await;
        let form = browser.submit(&form, &edit, &[("do", "add-t0")]).await;
        browser.submit(&form, &edit, &[("t0-f4-name", "mine"), ("do", "save")]).await;
        patch(&world, json!({"tables": {"notes": {"fields": {"theirs": {"type": "string"}}}}})).await;

        let schema = browser.open(&path(&world, "")).await;
        assert!(schema.text().contains("do not contain what version 2 changed"), "{schema}");
        let page = browser.open(&draft).await;
        assert!(page.text().contains("Version 2 was published since then"), "{page}");
        let form = browser.submit(&page, &draft, &[("do", "rebase")]).await;
        assert!(form.is_at(&edit) && form.text().contains("now apply to version 2"), "{form}");
        assert!(form.html.contains("value=\"mine\"") && form.html.contains("value=\"theirs\""), "{form}");
        let review = browser.submit(&form, &edit, &[("do", "review")]).await;
        assert!(review.text().contains("Add the field notes.mine"), "{review}");
        assert!(!review.text().contains("theirs"), "{review}");
        browser.submit(&review, &path(&world, "/publish"), &[]).await;
        let fields = newest(&world).await["tables"]["notes"]["fields"].clone();
        assert!(fields.get("mine").is_some() && fields.get("theirs").is_some(), "{fields}");
    }

    async fn json_is_kept_as_it_was_entered(app: &App) {
        let world = World::make(app, "acme").await;
        let (browser, editor) = (signed_in(app, "acme-owner").await, path(&world, "/json"));
        let saved = enter(&browser, &world, "{\"mine\": ").await;
        assert!(saved.is_at(&path(&world, "")) && saved.text().contains("saved as a draft"), "{saved}");
        let form = browser.open(&editor).await;
        assert!(form.form(&editor).fields.contains(&("document".into(), "{\"mine\": ".into())), "{form}");
        let form = browser.open(&path(&world, "/edit")).await;
        assert!(form.is_at(&editor) && form.text().contains("not valid JSON"), "{form}");

        let complete = json!({"tables": {"notes": {"fields": {"only": {"type": "json"}}}}}).to_string();
        enter(&browser, &world, &complete).await;
        assert!(browser.open(&path(&world, "/edit")).await.html.contains("value=\"only\""));

        let published = newest(&world).await.to_string();
        let unchanged = enter(&browser, &world, &published).await;
        assert!(unchanged.text().contains("There were no changes to save."), "{unchanged}");
        assert!(!unchanged.text().contains(UNPUBLISHED), "{unchanged}");

        let large = format!("{{\"text\": \"{}\"}}", "x".repeat(256 * 1024));
        let refused = enter(&browser, &world, &large).await;
        assert!(refused.text().contains("larger than 256 KiB"), "{refused}");
        assert!(!browser.open(&path(&world, "")).await.text().contains(UNPUBLISHED));
    }

    async fn a_draft_that_the_script_cannot_save_is_refused_and_the_one_before_stays(app: &App) {
        let world = World::make(app, "acme").await;
        let (browser, edit) = (signed_in(app, "acme-owner").await, path(&world, "/edit"));
        add_field(&browser, &world, "t0-f4", "mine").await;
        let (form, large) = (browser.open(&edit).await, "x".repeat(256 * 1024));
        for (description, status) in [("Sorts", 204), (large.as_str(), 422)] {
            let mut fields = form.form(&edit).fields;
            fields.retain(|(name, _)| name != "t0-f4-description");
            fields.push(("t0-f4-description".into(), description.into()));
            fields.push(("do".into(), "autosave".into()));
            let request = app.client.post(format!("{}{edit}", app.base)).header(COOKIE, browser.cookie_header());
            let response = request.header(ORIGIN, app.base.as_str()).form(&fields).send().await.unwrap();
            assert_eq!(response.status().as_u16(), status);
        }
        let kept = browser.open(&edit).await;
        assert!(kept.html.contains("value=\"mine\"") && kept.html.contains("value=\"Sorts\""), "{kept}");
        // The button says why, and what was entered is still in the form.
        let refused = browser.submit(&form, &edit, &[("t0-f4-description", &large), ("do", "save")]).await;
        assert!(refused.text().contains("larger than 256 KiB") && refused.html.contains(&large));
    }

    async fn a_draft_ends_with_the_membership_of_its_author(app: &App) {
        let world = World::make(app, "acme").await;
        let dev = world.member(app, "dev", "developer").await;
        let browser = signed_in(app, "dev").await;
        enter(&browser, &world, "{\"mine\": 1}").await;
        let owner = signed_in(app, "acme-owner").await;
        assert!(owner.open(&path(&world, "")).await.text().contains("dev has unpublished changes"));
        world.owner.delete(&format!("/team/{}/member/{}", world.team, dev.id)).await.ok();
        assert!(!owner.open(&path(&world, "")).await.text().contains("unpublished changes"));
    }
}
