//! The schema of a project in the console: its editors, publication, history and downloads.

use serde_json::{Value, json};
use steward_tests::{Browser, Page, World, notes_schema, on_sqlite};

use super::{links_to, project_of, signed_in};

const REVIEW: (&str, &str) = ("do", "review");

/// Path of the page of the project's schema, and of those below it.
fn path(world: &World, below: &str) -> String {
    format!("{}/schema{below}", project_of(world))
}

/// The newest published document.
async fn newest(world: &World) -> Value {
    world.owner.get(&format!("/project/{}/schema", world.project)).await.ok()["data"][0]["schema"].clone()
}

/// Publishes changes through the API.
async fn patch(world: &World, changes: Value) {
    let path = format!("/project/{}/schema?allow_destructive=true", world.project);
    world.owner.patch(&path, json!({"schema": changes})).await.ok();
}

/// Submits a document as JSON.
async fn submit_json(browser: &Browser, world: &World, document: &Value) -> Page {
    let editor = path(world, "/json");
    let page = browser.open(&editor).await;
    browser.submit(&page, &editor, &[("document", document.to_string().as_str()), REVIEW]).await
}

on_sqlite! {
    async fn a_first_schema_is_made_in_the_form(app: &App) {
        let mut world = World::make(app, "acme").await;
        let project = json!({"name": "Empty", "team_id": world.team});
        world.project = world.owner.post("/project", project).await.created().id();
        let (browser, edit) = (signed_in(app, "acme-owner").await, path(&world, "/edit"));
        let none = browser.open(&path(&world, "")).await;
        assert!(none.text().contains("No schema yet") && none.html.contains(&edit), "{none}");

        let form = browser.open(&edit).await;
        let form = browser.submit(&form, &edit, &[("do", "add-table")]).await;
        let values = [("t0-name", "notes"), ("t0-f0-name", "title"), ("t0-f0-required", "true"), ("do", "add-t0")];
        let form = browser.submit(&form, &edit, &values).await;
        assert!(form.html.contains("value=\"add-t0\" hidden"), "Enter must add a field to this table: {form}");
        assert!(form.html.contains("value=\"notes\"") && form.html.contains("value=\"title\""), "{form}");
        let values = [
            ("t0-f1-name", "rank"),
            ("t0-f1-type", "number"),
            ("t0-f1-indexed", "true"),
            ("t0-f1-description", "Sorts"),
            REVIEW,
        ];
        let review = browser.submit(&form, &edit, &values).await;
        assert_eq!(review.heading(), "Review the changes", "{review}");
        for text in ["The first version", "Add the table notes", "Compatible", "New table notes", "title string Yes No", "rank number No Yes Sorts"] {
            assert!(review.text().contains(text), "{text}: {review}");
        }
        for _ in 0..2 {
            let published = browser.submit(&review, &path(&world, "/publish"), &[]).await;
            assert!(published.is_at(&path(&world, "")), "{published}");
            assert!(published.text().contains("Version 1 of the schema was published."), "{published}");
        }
        let expected = json!({"project_id": world.project, "version": 1, "tables": {"notes": {"fields": {
            "title": {"type": "string", "required": true},
            "rank": {"type": "number", "indexed": true, "description": "Sorts"},
        }}}});
        assert_eq!(newest(&world).await, expected);
        assert!(browser.open(&path(&world, "")).await.text().contains("Sorts"));
    }

    async fn a_form_keeps_what_it_does_not_show(app: &App) {
        let world = World::make(app, "acme").await;
        let notes = json!({"color": "red", "fields": {"title": {"note": 1}}});
        patch(&world, json!({"namespace": "n", "tables": {"notes": notes}})).await;
        let before = newest(&world).await;
        let (browser, edit) = (signed_in(app, "acme-owner").await, path(&world, "/edit"));
        let form = browser.open(&edit).await;
        let form = browser.submit(&form, &edit, &[("do", "add-t0")]).await;
        let review = browser.submit(&form, &edit, &[("t0-f4-name", "tags"), ("t0-f4-type", "json"), REVIEW]).await;
        let form = browser.submit(&review, &edit, &[("do", "edit")]).await;
        let review = browser.submit(&form, &edit, &[("t0-f4-description", "Words"), REVIEW]).await;
        browser.submit(&review, &path(&world, "/publish"), &[]).await;
        let mut expected = before;
        expected["version"] = json!(3);
        expected["tables"]["notes"]["fields"]["tags"] = json!({"type": "json", "description": "Words"});
        assert_eq!(newest(&world).await.to_string(), expected.to_string());
    }

    async fn a_publication_that_breaks_items_must_be_confirmed(app: &App) {
        let world = World::make(app, "acme").await;
        let browser = signed_in(app, "acme-owner").await;
        let (edit, publish) = (path(&world, "/edit"), path(&world, "/publish"));
        let form = browser.open(&edit).await;
        let form = browser.submit(&form, &edit, &[("do", "remove-t0-f0")]).await;
        let review = browser.submit(&form, &edit, &[REVIEW]).await;
        for text in ["Remove the field notes.title", "Breaking", "1, for example first"] {
            assert!(review.text().contains(text), "{text}: {review}");
        }
        let refused = browser.submit(&review, &publish, &[]).await;
        assert!(refused.status == 400 && refused.text().contains("Confirm that stored items"), "{refused}");
        assert_eq!(newest(&world).await["version"], 1);
        let published = browser.submit(&refused, &publish, &[("allow_destructive", "true")]).await;
        assert!(published.text().contains("Version 2 of the schema was published."), "{published}");
        let item = world.owner.get(&world.item("first")).await.ok();
        assert!(item.0.to_string().contains("First"), "The item must stay unchanged: {item:?}");
    }

    async fn a_document_that_is_not_valid_is_kept_with_its_errors(app: &App) {
        let world = World::make(app, "acme").await;
        let (browser, editor) = (signed_in(app, "acme-owner").await, path(&world, "/json"));
        let form = browser.open(&editor).await;
        let refused = browser.submit(&form, &editor, &[("document", "{\"mine\": "), REVIEW]).await;
        assert!(refused.status == 400 && refused.text().contains("Document is not valid JSON"), "{refused}");
        assert!(refused.form(&editor).fields.contains(&("document".into(), "{\"mine\": ".into())), "{refused}");

        for (field, error) in [
            (json!({"type": "text"}), "must be one of: string, boolean, number, json"),
            (json!({"type": "number"}), "Cannot change type of field \"title\""),
        ] {
            let document = json!({"tables": {"notes": {"fields": {"title": field}}}});
            let refused = submit_json(&browser, &world, &document).await;
            assert!(refused.status == 400 && refused.text().contains(error), "{refused}");
        }

        let draft = path(&world, "/draft");
        browser.submit(&browser.open(&draft).await, &draft, &[("do", "discard")]).await;
        let edit = path(&world, "/edit");
        let form = browser.open(&edit).await;
        let form = browser.submit(&form, &edit, &[("do", "add-t0")]).await;
        for (name, error) in [("", "Enter the name"), ("title", "There is another field"), ("a b", "is not valid")] {
            let refused = browser.submit(&form, &edit, &[("t0-f4-name", name), REVIEW]).await;
            assert!(refused.status == 400 && refused.text().contains(error), "{refused}");
            assert!(links_to(&refused, "#t0-f4-name"), "{refused}");
            let names = refused.form(&edit).fields.into_iter().filter(|(field, _)| field.ends_with("-name"));
            let expected = ["notes", "title", "done", "rank", "more", name].map(str::to_owned);
            let names: Vec<String> = names.map(|(_, value)| value).collect();
            assert_eq!(names, expected, "Each row must keep its place.");
        }
        assert_eq!(newest(&world).await["version"], 1);
    }

    async fn a_stale_form_keeps_what_was_entered(app: &App) {
        let world = World::make(app, "acme").await;
        let browser = signed_in(app, "acme-owner").await;
        let (edit, publish) = (path(&world, "/edit"), path(&world, "/publish"));
        let form = browser.open(&edit).await;
        patch(&world, json!({"tables": {"notes": {"fields": {"theirs": {"type": "string"}}}}})).await;
        let stale = browser.submit(&form, &edit, &[("t0-f0-description", "Mine"), REVIEW]).await;
        assert!(stale.status == 412 && stale.html.contains("value=\"Mine\""), "{stale}");
        let review = browser.submit(&stale, &edit, &[REVIEW]).await;
        for text in ["Remove the field notes.theirs", "Add description to notes.title"] {
            assert!(review.text().contains(text), "{text}: {review}");
        }

        patch(&world, json!({"tables": {"notes": {"fields": {"others": {"type": "string"}}}}})).await;
        let stale = browser.submit(&review, &publish, &[]).await;
        assert!(stale.status == 412 && stale.text().contains("Remove the field notes.others"), "{stale}");
        let published = browser.submit(&stale, &publish, &[]).await;
        assert!(published.text().contains("Version 4 of the schema was published."), "{published}");
        let fields = newest(&world).await["tables"]["notes"]["fields"].clone();
        assert_eq!((fields["title"]["description"].as_str(), fields.get("theirs")), (Some("Mine"), None));
    }

    async fn members_without_effect_are_shown_before_and_after_publication(app: &App) {
        const WARNING: &str =
            "/tables/notes/fields/title/requierd `requierd` has no effect. Did you mean `required`?";
        let world = World::make(app, "acme").await;
        let (browser, publish) = (signed_in(app, "acme-owner").await, path(&world, "/publish"));
        let correct = browser.open(&path(&world, "")).await;
        assert!(!correct.text().contains("have no effect"), "{correct}");
        let mut document = newest(&world).await;
        document["tables"]["notes"]["fields"]["title"]["requierd"] = json!(true);
        let review = submit_json(&browser, &world, &document).await;
        assert!(review.text().contains(WARNING), "{review}");
        let published = browser.submit(&review, &publish, &[]).await;
        for text in ["Version 2 of the schema was published.", "have no effect", WARNING] {
            assert!(published.text().contains(text), "{text}: {published}");
        }
        document["version"] = json!(2);
        assert_eq!(newest(&world).await, document);
        let version = browser.open(&path(&world, "/versions/2")).await;
        assert!(version.text().contains(WARNING), "{version}");
        let earlier = browser.open(&path(&world, "/versions/1")).await;
        assert!(!earlier.text().contains("have no effect"), "{earlier}");

        // A member that looks like markup is shown as text.
        document["tables"]["notes"]["fields"]["title"]["<b>unique"] = json!(true);
        let review = submit_json(&browser, &world, &document).await;
        assert!(review.text().contains(WARNING) && !review.html.contains("<b>unique"), "{review}");
    }

    async fn versions_are_compared_and_rolled_back(app: &App) {
        let world = World::make(app, "acme").await;
        patch(&world, json!({"tables": {"notes": {"fields": {"tags": {"type": "json"}}}}})).await;
        let (browser, compare) = (signed_in(app, "acme-owner").await, path(&world, "/compare"));
        let newest_changes = browser.open(&compare).await;
        assert!(newest_changes.text().contains("Add the field notes.tags"), "{newest_changes}");
        for text in ["Field Version 1 Version 2", "notes.rank number number", "notes.tags json"] {
            assert!(newest_changes.text().contains(text), "{text}: {newest_changes}");
        }
        let reverse = browser.submit(&newest_changes, &compare, &[("from", "2"), ("to", "1")]).await;
        assert!(reverse.text().contains("Remove the field notes.tags"), "{reverse}");
        let same = browser.submit(&reverse, &compare, &[("from", "2"), ("to", "2")]).await;
        assert!(same.text().contains("No changes"), "{same}");
        let refused = browser.submit(&same, &compare, &[("from", "3"), ("to", "x")]).await;
        assert!(refused.status == 400 && refused.text().contains("must be a number from 1 to 2"), "{refused}");

        let rollback = path(&world, "/versions/1/rollback");
        let history = browser.open(&path(&world, "")).await;
        assert!(history.html.contains(&rollback), "{history}");
        let review = browser.open(&rollback).await;
        assert!(review.text().contains("Remove the field notes.tags") && review.text().contains("Risky"), "{review}");
        let published = browser.submit(&review, &rollback, &[]).await;
        assert!(published.text().contains("was published again as version 3."), "{published}");
        assert_eq!(newest(&world).await["tables"], notes_schema()["tables"]);
        for (version, status) in [("1", 200), ("3", 200), ("4", 404), ("x", 404)] {
            let page = browser.open(&path(&world, &format!("/versions/{version}"))).await;
            assert_eq!(page.status, status, "{page}");
        }
    }

    async fn tables_are_pictured_with_their_relations(app: &App) {
        let world = World::make(app, "acme").await;
        let browser = signed_in(app, "acme-owner").await;
        let one = browser.open(&path(&world, "")).await;
        assert!(!one.html.contains("Picture of the tables"), "{one}");
        patch(&world, json!({"tables": {"tags": {"fields": {"note_id": {"type": "string"}}}}})).await;
        let two = browser.open(&path(&world, "")).await;
        assert!(two.html.contains("Picture of the tables") && two.html.contains("<circle"), "{two}");
        assert!(two.text().contains("note_id string of notes") && links_to(&two, "#t0"), "{two}");
    }

    async fn a_version_is_downloaded_as_json_and_as_types(app: &App) {
        let world = World::make(app, "acme").await;
        let browser = signed_in(app, "acme-owner").await;
        let download = async |query: &str| browser.open(&path(&world, &format!("/download?{query}"))).await;
        let document = download("version=1&as=json").await;
        assert_eq!(serde_json::from_str::<Value>(&document.html).unwrap(), newest(&world).await);
        for (format, extension) in [("typescript", "ts"), ("python", "py"), ("rust", "rs")] {
            let types = download(&format!("version=1&as={format}")).await;
            assert!(types.status == 200 && types.html.contains("title"), "{types}");
            let name = format!("attachment; filename=\"acme-schema-1.{extension}\"");
            assert_eq!(types.headers["content-disposition"], name.as_str());
        }
        for missing in ["version=2&as=json", "version=1&as=pdf", ""] {
            assert_eq!(download(missing).await.status, 404, "{missing}");
        }
    }

    async fn people_who_may_not_publish_find_no_way_to(app: &App) {
        let world = World::make(app, "acme").await;
        patch(&world, json!({"namespace": "n"})).await;
        world.member(app, "vic", "viewer").await;
        world.member(app, "dev", "developer").await;
        app.person("eve").await;
        let pages = ["/edit", "/json", "/publish", "/versions/1/rollback"];
        for (person, read, write) in [("vic", 200, 403), ("dev", 200, 200), ("eve", 404, 404)] {
            let browser = signed_in(app, person).await;
            let shown = browser.open(&path(&world, "")).await;
            assert_eq!(shown.status, read, "{person}: {shown}");
            for below in pages {
                assert_eq!(browser.open(&path(&world, below)).await.status, write, "{person}: {below}");
            }
            for below in ["/edit", "/json", "/versions/1/rollback"] {
                assert_eq!(shown.html.contains(&path(&world, below)), write == 200, "{person}: {below}");
            }
            for below in ["/compare", "/versions/1", "/download?version=1&as=json"] {
                assert_eq!(browser.open(&path(&world, below)).await.status, read, "{person}: {below}");
            }
        }
    }
}
