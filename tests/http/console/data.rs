//! The data of a project in the console: users, and the items of each of their tables.

use serde_json::{Value, json};
use steward_tests::{App, Backend, Browser, Client, PASSWORD, Page, World, on_sqlite};

use super::{project_of, signed_in};

/// Paths of the pages of the fixture's user.
struct Paths {
    users: String,
    user: String,
    notes: String,
}

impl Paths {
    fn of(world: &World) -> Self {
        let users = format!("{}/users", project_of(world));
        let user = format!("{users}/{}", world.user);
        Self { notes: format!("{user}/tables/notes"), user, users }
    }
}

/// The fixture, its paths, and a browser in which its owner is signed in.
async fn owner(app: &App) -> (World, Paths, Browser) {
    let world = World::make(app, "acme").await;
    let paths = Paths::of(&world);
    (world, paths, signed_in(app, "acme-owner").await)
}

/// Submits the form of a page to the page itself.
async fn submit(browser: &Browser, path: &str, values: &[(&str, &str)]) -> Page {
    let page = browser.open(path).await;
    browser.submit(&page, path, values).await
}

async fn titles(world: &World) -> Vec<String> {
    let found = world.owner.get(&format!("{}?order=id.asc", world.notes())).await.ok();
    let title = |item: &Value| item["title"].as_str().unwrap().to_owned();
    found["data"].as_array().unwrap().iter().map(title).collect()
}

/// Stores items `n0`, `n1`, ... with these titles and their index as the rank.
async fn store(world: &World, titles: &[&str]) {
    for (index, title) in titles.iter().enumerate() {
        let value = json!({"value": {"title": title, "rank": index}});
        world.owner.put(&world.item(&format!("n{index}")), value).await.created();
    }
}

fn position(page: &Page, text: &str) -> usize {
    page.text().find(text).unwrap_or_else(|| panic!("{text} is missing at {page}"))
}

on_sqlite! {
    async fn a_user_who_is_being_deleted_is_shown_as_such_without_data_and_actions(app: &App) {
        let (world, paths, browser) = owner(app).await;
        let set = "status = 'blocked', deletion_started_at = '2100-01-01T00:00:00.000000Z'";
        app.execute_sql(&format!("UPDATE project_users SET {set} WHERE id = '{}'", world.user));
        let list = browser.open(&paths.users).await;
        assert!(list.text().contains("Being deleted"), "{list}");
        let page = browser.open(&paths.user).await;
        assert!(page.status == 200 && page.text().contains("This continues in the background."), "{page}");
        for action in ["/erase", "/block", "/export", "/meta", "/tables/notes"] {
            assert!(!page.html.contains(&format!("{}{action}", paths.user)), "{action}");
        }
        assert_eq!(browser.open(&paths.notes).await.status, 404);
    }

    async fn users_are_listed_searched_and_filtered(app: &App) {
        let (_world, paths, browser) = owner(app).await;
        let page = browser.open(&paths.users).await;
        assert!(page.heading() == "Users" && page.text().contains("acme-visitor"), "{page}");
        for page in [&page, &browser.open(&paths.user).await, &browser.open(&paths.notes).await] {
            assert!(page.html.contains("</svg>Users</a>"), "{page}");
        }
        let first = page.html.split("<time datetime=\"").nth(1).unwrap();
        let (at, title) = (first.split('"').next().unwrap(), first.split('"').nth(2).unwrap());
        assert!(at.parse::<chrono::DateTime<chrono::Utc>>().is_ok() && title.ends_with(" UTC"), "{at} {title}");
        let found = browser.submit(&page, &paths.users, &[("q", "VISITOR"), ("status", "connected")]).await;
        assert!(found.text().contains("acme-visitor"), "{found}");
        for values in [[("q", "nobody"), ("status", "")], [("q", ""), ("status", "blocked")]] {
            let none = browser.submit(&page, &paths.users, &values).await;
            assert!(none.text().contains("No users were found") && !none.text().contains("acme-visitor"), "{none}");
        }
        let invalid = browser.open(&format!("{}?q={}", paths.users, "x".repeat(101))).await;
        assert!(invalid.status == 400 && invalid.text().contains("1 to 100 characters"), "{invalid}");
    }

    async fn a_person_without_a_name_is_listed_by_the_address_if_it_is_known(app: &App) {
        let (world, paths, browser) = owner(app).await;
        let email = "nameless@example.com";
        app.anonymous().post("/auth/signup", json!({"email": email, "password": PASSWORD})).await.created();
        let client = Client::of(app, &world);
        client.tokens(app, email, &[("scope", "openid profile app:db:write")]).await;
        let unknown = browser.open(&paths.users).await;
        assert!(!unknown.text().contains(email), "The address was not granted: {unknown}");
        client.tokens(app, email, &[("scope", "openid profile email app:db:write")]).await;
        let listed = browser.open(&paths.users).await;
        assert!(listed.html.contains(&format!("<bdi>{email}</bdi></a>")), "{listed}");
        let found = browser.open(&format!("{}?q={email}", paths.users)).await;
        let user = browser.open(&format!("{}/{}", paths.users, found.id_in(&format!("{}/", paths.users), ""))).await;
        assert_eq!(user.heading(), email, "{user}");
        let searched = browser.open(&format!("/console/search?q={email}")).await;
        assert!(searched.html.contains(&format!(">{email}<")), "{searched}");
    }

    async fn the_metadata_of_a_user_is_edited_as_a_whole(app: &App) {
        let (world, paths, browser) = owner(app).await;
        let path = format!("{}/meta", paths.user);
        let page = submit(&browser, &path, &[("meta", "{\"plan\": \"pro\", \"old\": {\"a\": 1, \"b\": 2}}")]).await;
        assert!(page.is_at(&paths.user) && page.text().contains("The metadata was changed."), "{page}");
        submit(&browser, &path, &[("meta", "{\"plan\": \"free\", \"old\": {\"b\": 2}}")]).await;
        let user = world.owner.get(&format!("/project/{}/user/{}", world.project, world.user)).await.ok();
        assert_eq!(user["data"]["meta"], json!({"plan": "free", "old": {"b": 2}}));
        for invalid in ["[]", "{", "{\"a\": \"\\u0000\"}"] {
            let page = submit(&browser, &path, &[("meta", invalid)]).await;
            assert!(page.status == 400 && page.form(&path).fields.contains(&("meta".into(), invalid.into())), "{page}");
        }
    }

    async fn a_user_is_blocked_and_unblocked(app: &App) {
        let (world, paths, browser) = owner(app).await;
        let path = format!("{}/block", paths.user);
        let page = submit(&browser, &path, &[]).await;
        assert!(page.is_at(&paths.user) && page.text().contains("Blocked"), "{page}");
        let table = browser.open(&paths.notes).await;
        assert!(table.text().contains("not connected") && !table.html.contains(&format!("{}/new", paths.notes)), "{table}");
        world.owner.put(&world.item("second"), json!({"value": {"title": "B"}})).await.refused(409, "user_not_connected");
        submit(&browser, &path, &[]).await;
        world.owner.put(&world.item("second"), json!({"value": {"title": "B"}})).await.created();
    }

    async fn a_user_is_signed_out(app: &App) {
        let (world, paths, browser) = owner(app).await;
        let path = format!("{}/sign-out", paths.user);
        let page = browser.open(&paths.user).await;
        assert!(page.text().contains("No sessions") && !page.links().contains(&path), "{page}");
        let client = Client::of(app, &world);
        let tokens = client.tokens(app, "acme-visitor", &[]).await;
        let page = browser.open(&paths.user).await;
        assert!(!page.text().contains("No sessions") && page.links().contains(&path), "{page}");
        let page = submit(&browser, &path, &[]).await;
        assert!(page.is_at(&paths.user) && page.text().contains("The user is signed out."), "{page}");
        assert!(page.text().contains("No sessions"), "{page}");
        client.refresh(tokens["refresh_token"].as_str().unwrap()).await.refused(400, "invalid_grant");
    }

    async fn erasing_a_user_requires_their_name(app: &App) {
        let (world, paths, browser) = owner(app).await;
        let path = format!("{}/erase", paths.user);
        let page = submit(&browser, &path, &[("confirm", "acme")]).await;
        assert!(page.status == 400 && page.text().contains("must be the name of the user"), "{page}");
        let form = browser.open(&path).await;
        for _ in 0..2 {
            let page = browser.submit(&form, &path, &[("confirm", "acme-visitor")]).await;
            assert!(page.is_at(&paths.users) && page.text().contains("were erased."), "{page}");
            assert!(page.text().contains("No users yet"), "{page}");
        }
        let other = browser.submit(&form, &path, &[("confirm", "acme")]).await;
        assert_eq!(other.status, 404, "Another form has no first response. {other}");
        world.owner.get(&format!("/project/{}/user/{}", world.project, world.user)).await.is_not_found();
        assert_eq!(browser.open(&paths.notes).await.status, 404);
    }

    async fn the_export_of_a_user_equals_that_of_the_api(app: &App) {
        let (world, paths, browser) = owner(app).await;
        store(&world, &["A \"quoted\"", "ü"]).await;
        let download = browser.open(&format!("{}/export", paths.user)).await;
        let disposition = download.headers["content-disposition"].to_str().unwrap();
        assert_eq!(disposition, format!("attachment; filename=\"user-{}.json\"", world.user));
        let mut exported: Value = serde_json::from_str(&download.html).unwrap();
        let api = world.owner.get(&format!("/project/{}/user/{}/export", world.project, world.user)).await.ok();
        assert!(exported["exported_at"].is_string() && api["items"]["notes"].as_array().unwrap().len() == 3);
        exported["exported_at"] = api["exported_at"].clone();
        assert_eq!(exported, api.0);
    }

    async fn conditions_are_added_applied_and_removed_without_a_script(app: &App) {
        let (world, paths, browser) = owner(app).await;
        store(&world, &["Alpha", "Beta", "Gamma"]).await;
        let page = browser.open(&paths.notes).await;
        let page = browser.submit(&page, &paths.notes, &[("add", "1")]).await;
        assert!(page.text().contains("Gamma") && !page.url.query().unwrap().contains("add="), "{page}");
        let filter = [("f", "title"), ("o", "like"), ("v", "*a"), ("add", "1")];
        let page = browser.submit(&page, &paths.notes, &filter).await;
        let filter = [("f", "title"), ("o", "like"), ("v", "*a"), ("f", "rank"), ("o", "gte"), ("v", "1")];
        let page = browser.submit(&page, &paths.notes, &filter).await;
        let text = page.text();
        assert!(text.contains("Beta") && text.contains("Gamma") && !text.contains("Alpha"), "{page}");
        let page = browser.submit(&page, &paths.notes, &[("remove", "1")]).await;
        assert!(page.text().contains("Alpha") && !page.text().contains("First"), "{page}");
        let page = browser.submit(&page, &paths.notes, &[("f", "rank"), ("o", "eq"), ("v", "one")]).await;
        assert!(page.status == 400 && page.text().contains("must be a JSON number"), "{page}");
        assert!(page.form(&paths.notes).fields.contains(&("v".into(), "one".into())), "The filter must be kept.");
    }

    async fn the_grid_is_ordered_by_a_column_and_has_pages(app: &App) {
        let (world, paths, browser) = owner(app).await;
        store(&world, &["B", "C", "A"]).await;
        let ascending = browser.open(&format!("{}?order=title.asc", paths.notes)).await;
        let descending = browser.open(&format!("{}?order=title.desc", paths.notes)).await;
        assert!(ascending.html.contains("aria-sort=\"ascending\"") && ascending.html.contains("order=title.desc"));
        assert!(position(&ascending, "n2") < position(&ascending, "n0"));
        assert!(position(&descending, "n2") > position(&descending, "n0"));

        let operations: Vec<Value> =
            (0..60).map(|n| json!({"op": "put", "id": format!("p{n:02}"), "value": {"title": "P"}})).collect();
        world.owner.post(&format!("{}/batch", world.notes()), json!({"operations": operations})).await.ok();
        let first = browser.open(&format!("{}?order=id.asc&f=title&o=eq&v=P", paths.notes)).await;
        let second = browser.open(&first.next_page().unwrap()).await;
        assert!(first.text().contains("p49") && !first.text().contains("p50"), "{first}");
        assert!(second.text().contains("p59") && !second.text().contains("p49"), "{second}");
    }

    async fn an_item_is_added_edited_and_deleted(app: &App) {
        let (world, paths, browser) = owner(app).await;
        let new = format!("{}/new", paths.notes);
        let missing = submit(&browser, &new, &[("id", "x"), ("field.rank", "one")]).await;
        assert!(missing.status == 400 && missing.text().contains("must be a number"), "{missing}");
        assert!(missing.text().contains("Field title is required"), "All that is wrong must be reported: {missing}");
        let missing = submit(&browser, &new, &[("id", "x"), ("field.rank", "1")]).await;
        assert!(missing.status == 400 && missing.text().contains("Field title is required"), "{missing}");
        let values = [("id", "x"), ("field.title", "<b>T</b>"), ("field.done", "true"), ("field.more", "{\"a\": [1]}")];
        let item = submit(&browser, &new, &values).await;
        let address = format!("{}/items/x", paths.notes);
        assert!(item.is_at(&address) && !item.html.contains("<b>T</b>"), "{item}");
        let taken = submit(&browser, &new, &values).await;
        assert!(taken.status == 400 && taken.text().contains("ID of another item"), "{taken}");

        let (page, stale) = (browser.open(&address).await, browser.open(&address).await);
        browser.submit(&page, &address, &[("field.rank", "2.5"), ("field.done", "")]).await;
        let expected = json!({"title": "<b>T</b>", "rank": 2.5, "more": {"a": [1]}});
        let mut stored = world.owner.get(&world.item("x")).await.ok()["data"].clone();
        stored.as_object_mut().unwrap().retain(|name, _| expected.get(name).is_some());
        assert_eq!(stored, expected);
        let conflict = browser.submit(&stale, &address, &[("field.title", "Later")]).await;
        assert!(conflict.status == 412 && conflict.html.contains("Later"), "{conflict}");

        let json = browser.open(&format!("{address}?as=json")).await;
        let page = browser.submit(&json, &address, &[("value", "{\"title\": 1}")]).await;
        assert!(page.status == 400 && page.text().contains("should be type string"), "{page}");
        browser.submit(&page, &address, &[("value", "{\"title\": \"\"}")]).await;
        assert_eq!(world.owner.get(&world.item("x")).await.ok()["data"]["title"], "");

        let deleted = submit(&browser, &format!("{address}/delete"), &[]).await;
        assert!(deleted.is_at(&paths.notes) && deleted.text().contains("The item was deleted."), "{deleted}");
        world.owner.get(&world.item("x")).await.is_not_found();
    }

    async fn a_form_submitted_again_after_a_conflict_keeps_what_others_changed(app: &App) {
        let (world, paths, browser) = owner(app).await;
        let (item, address) = (world.item("x"), format!("{}/items/x", paths.notes));
        let json = "{\"title\": \"Mine\", \"rank\": 1, \"more\": {\"a\": 1}}";
        for (query, name, edited) in [("", "field.title", "Mine"), ("?as=json", "value", json)] {
            let before = json!({"value": {"title": "T", "rank": 1, "more": {"a": 1}}});
            assert!(world.owner.put(&item, before).await.status.is_success());
            let stale = browser.open(&format!("{address}{query}")).await;
            world.owner.patch(&item, json!({"value": {"rank": 2, "done": true, "more": null}})).await.ok();
            let conflict = browser.submit(&stale, &address, &[(name, edited)]).await;
            let is_explained = conflict.text().contains("was changed while you were editing it");
            assert!(conflict.status == 412 && is_explained, "{conflict}");
            let saved = browser.submit(&conflict, &address, &[]).await;
            assert!(saved.is_at(&address) && saved.text().contains("The item was changed."), "{saved}");
            let mut stored = world.owner.get(&item).await.ok()["data"].clone();
            let fields = ["title", "rank", "done", "more"];
            stored.as_object_mut().unwrap().retain(|name, _| fields.contains(&name.as_str()));
            assert_eq!(stored, json!({"title": "Mine", "rank": 2, "done": true}), "{query}");
        }
    }

    async fn selected_items_are_deleted_together_or_not_at_all(app: &App) {
        let (world, paths, browser) = owner(app).await;
        store(&world, &["A", "B", "C"]).await;
        let (page, path) = (browser.open(&paths.notes).await, format!("{}/delete", paths.notes));
        let confirm = browser.submit(&page, &path, &[("item", "n0"), ("item", "n2")]).await;
        assert!(confirm.text().contains("These 2 items are deleted"), "{confirm}");
        world.owner.delete(&world.item("n2")).await.ok();
        let refused = browser.submit(&confirm, &path, &[]).await;
        assert!(refused.status == 400 && refused.text().contains("Nothing was deleted"), "{refused}");
        assert_eq!(titles(&world).await, ["First", "A", "B"]);
        let confirm = browser.open(&format!("{path}?item=n0&item=n1")).await;
        let done = browser.submit(&confirm, &path, &[]).await;
        assert!(done.is_at(&paths.notes) && done.text().contains("2 items were deleted."), "{done}");
        let again = browser.submit(&confirm, &path, &[]).await;
        assert!(again.is_at(&paths.notes), "A form that is submitted again must have no further effect: {again}");
        assert_eq!(titles(&world).await, ["First"]);
        assert!(browser.open(&path).await.text().contains("No items are selected"));
    }

    async fn an_import_reports_every_line_that_does_not_fit_and_stores_nothing(app: &App) {
        let (world, paths, browser) = owner(app).await;
        let path = format!("{}/import", paths.notes);
        let file = "id,title,rank\nfirst,Changed,1\na,A,one\nb,,2\nc,C,3\n";
        for action in ["check", "import"] {
            let page = submit(&browser, &path, &[("format", "csv"), ("file", file), ("action", action)]).await;
            let text = page.text();
            assert!(page.status == 400 && text.contains("2 of 4 lines do not fit"), "{page}");
            assert!(text.contains("must be a number") && text.contains("title"), "{page}");
        }
        let file = "id,titel,rank,colour\na,A,one,red\nb,B,2,blue\n";
        let page = submit(&browser, &path, &[("format", "csv"), ("file", file), ("action", "import")]).await;
        for text in [
            "2 of 3 lines do not fit",
            "1 Field titel is not in the table notes (did you mean title?).",
            "1 Field colour is not in the table notes.",
            "2 Field rank must be a number",
        ] {
            assert!(page.status == 400 && page.text().contains(text), "{text}: {page}");
        }
        let ndjson = "{\"title\": \"A\"}\n{\"title\": 1}\n{\"nothing\": 1}";
        let page = submit(&browser, &path, &[("format", "ndjson"), ("lines", ndjson), ("action", "import")]).await;
        assert!(page.status == 400 && page.text().contains("2 of 3 lines do not fit"), "{page}");
        let empty = submit(&browser, &path, &[("format", "csv"), ("lines", ""), ("action", "import")]).await;
        assert!(empty.status == 400 && empty.text().contains("There are no items to import"), "{empty}");
        let one = "title,rank\nA,one\n";
        let two = format!("{one}B,2\n");
        for (lines, expected) in [(one, "because the line does not"), (two.as_str(), "1 of 2 lines does not")] {
            let page = submit(&browser, &path, &[("format", "csv"), ("lines", lines), ("action", "import")]).await;
            assert!(page.text().contains(expected) && page.text().contains("1 line does not fit."), "{page}");
        }
        let large = format!("title\n{}", "x".repeat(1024 * 1024));
        let page = submit(&browser, &path, &[("format", "csv"), ("lines", &large), ("action", "import")]).await;
        assert!(page.status == 400 && page.text().contains("The text is larger than 1 MiB. Choose it as a file."));
        assert!(page.form(&path).fields.contains(&("lines".into(), large)), "Pasted text must be kept.");
        let lines = "title\n".to_owned() + &"x\n".repeat(1_000);
        let largest = submit(&browser, &path, &[("format", "csv"), ("file", &lines), ("action", "check")]).await;
        assert!(largest.status == 200 && largest.text().contains("1000 items fit"), "{largest}");
        assert_eq!(titles(&world).await, ["First"]);
    }

    async fn an_import_that_fits_is_stored_as_a_whole(app: &App) {
        let (world, paths, browser) = owner(app).await;
        let path = format!("{}/import", paths.notes);
        let file = "id,title,rank,done\nfirst,Changed,1,true\na,\"A,\nB\",,\n";
        let page = browser.open(&path).await;
        let checked = browser.submit(&page, &path, &[("format", "csv"), ("file", file), ("action", "check")]).await;
        assert!(checked.status == 200 && checked.text().contains("2 items fit"), "{checked}");
        assert_eq!(titles(&world).await, ["First"]);
        let done = browser.submit(&checked, &path, &[("action", "import")]).await;
        assert!(done.is_at(&paths.notes) && done.text().contains("2 items were imported."), "{done}");
        assert_eq!(titles(&world).await, ["A,\nB", "Changed"]);

        let lines: String = (0..250).map(|n| format!("{{\"title\": \"T{n}\"}}\n")).collect();
        let values = [("format", "ndjson"), ("file", lines.as_str()), ("action", "import")];
        let done = browser.submit(&page, &path, &values).await;
        assert!(done.is_at(&paths.notes), "{done}");
        let again = browser.submit(&page, &path, &values).await;
        assert!(again.is_at(&paths.notes), "{again}");
        assert_eq!(titles(&world).await.len(), 252, "A form that is submitted again must have no further effect.");
    }

    async fn what_spreadsheet_programs_save_is_imported(app: &App) {
        let (world, paths, browser) = owner(app).await;
        let path = format!("{}/import", paths.notes);
        let file = "sep=;\r\ntitle;;rank\r\nA;;1\r\n;;\r\nB;;2\r\n";
        let checked = submit(&browser, &path, &[("format", "csv"), ("file", file), ("action", "check")]).await;
        assert!(checked.text().contains("2 items fit. 1 empty row was skipped."), "{checked}");
        let done = browser.submit(&checked, &path, &[("action", "import")]).await;
        assert!(done.text().contains("2 items were imported. 1 empty row was skipped."), "{done}");
        let file = "title;rank\nC;1,5\n";
        let comma = submit(&browser, &path, &[("format", "csv"), ("file", file), ("action", "import")]).await;
        assert!(comma.status == 400 && comma.text().contains("it has a decimal comma"), "{comma}");
        let file = "title\trank\n\"C,D,E\"\t3\n";
        let values = [("format", "csv"), ("delimiter", "tab"), ("file", file), ("action", "import")];
        let done = submit(&browser, &path, &values).await;
        assert!(done.text().contains("1 item was imported."), "{done}");
        assert_eq!(titles(&world).await, ["A", "B", "C,D,E", "First"]);
    }

    async fn imported_items_keep_the_order_of_the_file(app: &App) {
        let (world, paths, browser) = owner(app).await;
        let path = format!("{}/import", paths.notes);
        let expected: Vec<String> = (0..250).map(|n| format!("T{n}")).collect();
        let file = format!("title\n{}\n", expected.join("\n"));
        let done = submit(&browser, &path, &[("format", "csv"), ("file", &file), ("action", "import")]).await;
        assert!(done.is_at(&paths.notes) && done.text().contains("250 items were imported."), "{done}");
        for order in ["created_at.desc", "id.asc"] {
            let found = world.owner.get(&format!("{}?order={order}", world.notes())).await.ok();
            let titles = found["data"].as_array().unwrap().iter().map(|item| item["title"].as_str().unwrap());
            let imported: Vec<&str> = titles.filter(|title| *title != "First").collect();
            assert_eq!(imported, expected, "{order}");
        }
    }

    async fn an_export_can_be_imported_again(app: &App) {
        let (world, paths, browser) = owner(app).await;
        store(&world, &["=1+1", "A \"quoted\", text\nof two lines", "ü", "'=1+1"]).await;
        let export = format!("{}/export?format=", paths.notes);
        let rows = async || {
            let found = world.owner.get(&format!("{}?order=id.asc", world.notes())).await.ok();
            let row = |item: &Value| ["id", "title", "rank"].map(|name| item[name].clone());
            found["data"].as_array().unwrap().iter().map(row).collect::<Vec<_>>()
        };
        let before = rows().await;
        let deletions: Vec<Value> = before.iter().map(|[id, ..]| json!({"op": "delete", "id": id})).collect();
        for format in ["csv", "ndjson"] {
            let file = browser.open(&format!("{export}{format}")).await;
            let disposition = file.headers["content-disposition"].to_str().unwrap();
            assert_eq!(disposition, format!("attachment; filename=\"notes.{format}\""));
            world.owner.post(&format!("{}/batch", world.notes()), json!({"operations": deletions})).await.ok();
            assert!(rows().await.is_empty());
            let path = format!("{}/import", paths.notes);
            let done = submit(&browser, &path, &[("format", format), ("file", &file.html), ("action", "import")]).await;
            assert!(done.is_at(&paths.notes) && done.text().contains("5 items were imported."), "{done}");
            assert_eq!(rows().await, before, "{format}");
        }
        let page = browser.open(&paths.notes).await;
        assert!(page.text().contains("CSV for programs (raw)"), "{page}");
        let safe = browser.open(&format!("{export}csv")).await.html;
        assert!(safe.contains(",'=1+1,") && safe.contains(",''=1+1,") && !safe.contains(",=1+1"), "{safe}");
        let raw = browser.open(&format!("{export}raw")).await.html;
        assert!(raw.contains(",=1+1,") && raw.contains(",'=1+1,"), "{raw}");
        let filtered = browser.open(&format!("{export}csv&f=rank&o=eq&v=2")).await.html;
        assert_eq!(filtered.lines().count(), 2, "{filtered}");
    }

    async fn an_export_has_the_items_of_all_pages(app: &App) {
        let (world, paths, browser) = owner(app).await;
        for batch in 0..4 {
            let operation = |n| json!({"op": "put", "id": format!("{batch}-{n:02}"), "value": {"title": "T"}});
            let operations: Vec<Value> = (0..100).map(operation).collect();
            world.owner.post(&format!("{}/batch", world.notes()), json!({"operations": operations})).await.ok();
        }
        let file = browser.open(&format!("{}/export?format=csv", paths.notes)).await.html;
        assert_eq!(file.lines().count(), 1 + 1 + 400);
    }

    async fn a_person_who_may_only_read_finds_no_control_and_is_refused(app: &App) {
        let (world, paths, _) = owner(app).await;
        world.member(app, "reader", "viewer,db:read").await;
        // Only the page of a user who is signed in has the control to sign them out.
        Client::of(app, &world).tokens(app, "acme-visitor", &[]).await;
        let browser = signed_in(app, "reader").await;
        let tables = ["/tables/notes/new", "/tables/notes/import", "/tables/notes/delete"];
        for path in ["/meta", "/block", "/sign-out", "/erase"].into_iter().chain(tables) {
            assert_eq!(browser.open(&format!("{}{path}", paths.user)).await.status, 403, "{path}");
            for page in [&paths.user, &paths.notes] {
                let page = browser.open(page).await;
                assert!(page.status == 200 && !page.html.contains(&format!("{}{path}\"", paths.user)), "{page}");
            }
        }
        let other = World::make(app, "other").await;
        let stranger = signed_in(app, "other-owner").await;
        for path in [&paths.users, &paths.user, &paths.notes, &format!("{}/export", paths.user)] {
            assert_eq!(stranger.open(path).await.status, 404, "{path}");
        }
        let mixed = format!("/console/projects/{}/users/{}", other.project, world.user);
        assert_eq!(stranger.open(&mixed).await.status, 404);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_import_that_exceeds_the_rate_limit_keeps_its_lines() {
    let settings = [
        ("STEWARD_RATE_LIMITS", "on"),
        ("STEWARD_RATE_READS", "1000/s burst 1000"),
        ("STEWARD_RATE_WRITES", "1/m burst 40"),
        ("STEWARD_RATE_SIGN_INS", "10/s burst 100"),
    ];
    let app = App::start_with(Backend::Sqlite, &settings).await;
    let (_world, paths, browser) = owner(&app).await;
    let path = format!("{}/import", paths.notes);
    let lines = "{\"title\": \"x\"}\n".repeat(250);
    let values = [("format", "ndjson"), ("lines", lines.as_str()), ("action", "import")];
    let done = submit(&browser, &path, &values).await;
    assert!(done.is_at(&paths.notes) && done.text().contains("250 items were imported."), "{done}");
    let refused = submit(&browser, &path, &values).await;
    assert!(refused.status == 429 && refused.headers.contains_key("retry-after"), "{}", refused.status);
    assert!(refused.text().contains("Too many attempts. Try again in"), "The error must be shown.");
    assert!(refused.form(&path).fields.contains(&("lines".into(), lines.clone())), "The lines must be kept.");
}
