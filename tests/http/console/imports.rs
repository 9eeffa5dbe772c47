//! Imports of large files in the console, which run in the background.

use std::fmt::Write as _;

use steward_tests::{App, Backend, Browser, Page, World, eventually, on_both_in_full, on_sqlite};

use super::{project_of, signed_in};

/// Path of the fixture's table.
fn notes(world: &World) -> String {
    format!("{}/users/{}/tables/notes", project_of(world), world.user)
}

/// Submits a file. Returns the page that follows.
async fn import(browser: &Browser, world: &World, format: &str, file: &str, action: &str) -> Page {
    let path = format!("{}/import", notes(world));
    let page = browser.open(&path).await;
    browser.submit(&page, &path, &[("format", format), ("file", file), ("action", action)]).await
}

/// Waits until an import has ended. Returns its page.
async fn ended(browser: &Browser, page: &Page) -> Page {
    eventually(async || {
        let page = browser.open(page.url.path()).await;
        (!page.html.contains("Cancel the import")).then_some(page)
    })
    .await
}

/// Returns a member of all items of the fixture's table in an order, without the item that it has from the start.
async fn all(world: &World, order: &str, member: &str) -> Vec<String> {
    let (mut found, mut offset) = (Vec::new(), 0);
    loop {
        let path = format!("{}?order={order}&limit=1000&offset={offset}", world.notes());
        let page = world.owner.get(&path).await.ok();
        let items = page["data"].as_array().unwrap();
        let imported = items.iter().filter(|item| item["title"] != "First");
        found.extend(imported.map(|item| item[member].as_str().unwrap().to_owned()));
        offset += items.len();
        if items.len() < 1_000 {
            return found;
        }
    }
}

on_both_in_full! {
    async fn a_file_of_any_size_is_imported_in_the_background_in_its_order(app: &App) {
        let world = World::make(app, "acme").await;
        let browser = signed_in(app, "acme-owner").await;
        let titles: Vec<String> = (0..5_000).map(|n| format!("T{n}")).collect();
        let mut file = "title,rank\n".to_owned();
        for (number, title) in titles.iter().enumerate() {
            writeln!(file, "{title},{}", if number % 1_000 == 7 { "many" } else { "1" }).unwrap();
        }
        let page = import(&browser, &world, "csv", &file, "import").await;
        assert!(page.url.path().contains("/imports/") && page.status == 200, "{page}");
        assert!(page.html.contains("<noscript><meta http-equiv=\"refresh\""), "{page}");
        assert!(page.text().contains("steward item import FILE --server"), "{page}");
        let done = ended(&browser, &page).await;
        assert!(done.text().contains("Done: 4995 items were imported. 5 lines do not fit."), "{done}");
        assert!(!done.html.contains("http-equiv=\"refresh\"") && !done.html.contains("hx-trigger=\"every"), "{done}");
        assert!(done.text().contains("9 Field rank must be a number"), "{done}");
        let report = browser.open(&format!("{}/report", page.url.path())).await;
        let lines: Vec<&str> = report.html.lines().filter_map(|line| line.split(',').next()).collect();
        assert_eq!(lines, ["line", "9", "1009", "2009", "3009", "4009"], "{report}");

        let expected: Vec<String> =
            titles.into_iter().enumerate().filter(|(number, _)| number % 1_000 != 7).map(|(_, title)| title).collect();
        for order in ["created_at.desc", "id.asc"] {
            assert!(all(&world, order, "title").await == expected, "{order}");
        }
        let form = browser.open(&format!("{}/import", notes(&world))).await;
        assert!(form.text().contains("Recent imports") && form.text().contains("Done: 4995 items"), "{form}");
        let created = world.owner.get(&format!("/team/{}/audit?action=item.created&limit=1", world.team)).await.ok();
        let event = created["data"][0].to_string();
        assert!(event.contains(&world.owner.id) && event.contains("import-"), "{event}");
    }
}

on_sqlite! {
    async fn a_large_file_is_only_checked_if_the_person_asks_for_that(app: &App) {
        let world = World::make(app, "acme").await;
        let browser = signed_in(app, "acme-owner").await;
        let file = "{\"title\": \"A\"}\n".repeat(1_500) + "{\"title\": 1}\n";
        let page = import(&browser, &world, "ndjson", &file, "check").await;
        let done = ended(&browser, &page).await;
        assert!(done.text().contains("Done: 1500 items fit. 1 line does not fit."), "{done}");
        assert_eq!(all(&world, "id.asc", "title").await, Vec::<String>::new());
    }

    async fn a_file_with_a_wrong_header_reports_its_lines_and_stores_nothing(app: &App) {
        let world = World::make(app, "acme").await;
        let browser = signed_in(app, "acme-owner").await;
        let file = "titel,rank\n".to_owned() + &"A,1\n".repeat(1_200) + "A,many\n";
        let done = ended(&browser, &import(&browser, &world, "csv", &file, "import").await).await;
        let text = done.text();
        assert!(text.contains("Stopped: 0 items were imported.") && text.contains("The first line"), "{done}");
        assert!(text.contains("did you mean title?") && text.contains("1202 Field rank must be a number"), "{done}");
        assert_eq!(all(&world, "id.asc", "title").await, Vec::<String>::new());
    }

    async fn an_id_that_is_used_twice_and_one_that_exists_are_reported_and_replaced(app: &App) {
        let world = World::make(app, "acme").await;
        let browser = signed_in(app, "acme-owner").await;
        let mut file = "id,title\nfirst,Replaced\n".to_owned();
        (0..1_100).for_each(|n| writeln!(file, "n{n},N").unwrap());
        file.push_str("n7,Twice\n,\n,\n");
        let done = ended(&browser, &import(&browser, &world, "csv", &file, "import").await).await;
        assert!(done.text().contains("1101 items were imported. 1 line does not fit."), "{done}");
        assert!(done.text().contains("2 empty rows were skipped."), "{done}");
        assert!(done.text().contains("1103 The id was already used on line 10."), "{done}");
        let first = world.owner.get(&world.item("first")).await.ok();
        assert_eq!(first["data"]["title"], "Replaced");
        assert_eq!(world.owner.get(&world.item("n7")).await.ok()["data"]["title"], "N");
    }

    async fn a_person_who_loses_access_ends_their_import(app: &App) {
        let world = World::make(app, "acme").await;
        let admin = world.member(app, "acme-admin", "admin").await;
        let browser = signed_in(app, "acme-admin").await;
        // The lines wait as long as the import of another file runs.
        let first = import(&browser, &world, "ndjson", &"{\"title\": \"A\"}\n".repeat(8_000), "import").await;
        let second = import(&browser, &world, "ndjson", &"{\"title\": \"B\"}\n".repeat(2_000), "import").await;
        assert!(first.url != second.url && second.url.path().contains("/imports/"), "{second}");
        let member = format!("/team/{}/member/{}", world.team, admin.id);
        world.owner.delete(&member).await.ok();
        assert_eq!(browser.open(second.url.path()).await.status, 404);
        let owner = signed_in(app, "acme-owner").await;
        let ended = ended(&owner, &second).await;
        assert!(ended.text().contains("Stopped: 0 items were imported."), "{ended}");
        assert!(ended.text().contains("may no longer change the user's data"), "{ended}");
    }

    async fn an_import_can_be_canceled_and_a_stranger_cannot_see_it(app: &App) {
        let (world, other) = (World::make(app, "acme").await, World::make(app, "other").await);
        let browser = signed_in(app, "acme-owner").await;
        let page = import(&browser, &world, "ndjson", &"{\"title\": \"A\"}\n".repeat(20_000), "import").await;
        let stranger = signed_in(app, "other-owner").await;
        assert_eq!(stranger.open(page.url.path()).await.status, 404);
        let id = page.url.path().rsplit('/').next().unwrap();
        for path in [format!("{}/imports/{id}", notes(&other)), format!("{}/imports/{id}/report", notes(&other))] {
            assert_eq!(stranger.open(&path).await.status, 404);
        }
        let canceled = browser.submit(&page, page.url.path(), &[]).await;
        assert!(canceled.is_at(page.url.path()) && canceled.text().contains("Canceled:"), "{canceled}");
        let count = all(&world, "id.asc", "title").await.len();
        assert!(count < 20_000, "{count}");
        let again = ended(&browser, &page).await;
        assert!(again.text().contains(&format!("{count} item")), "{count}: {again}");
        world.member(app, "acme-viewer", "viewer").await;
        let viewer = signed_in(app, "acme-viewer").await;
        for path in [page.url.path().to_owned(), format!("{}/report", page.url.path())] {
            assert!(viewer.open(&path).await.status.is_client_error());
        }
    }

    async fn too_many_imports_and_too_large_files_are_refused(app: &App) {
        let world = World::make(app, "acme").await;
        let browser = signed_in(app, "acme-owner").await;
        let file = "{\"title\": \"A\"}\n".repeat(30_000);
        let mut pages = Vec::new();
        for _ in 0..5 {
            pages.push(import(&browser, &world, "ndjson", &file, "import").await);
        }
        let refused = import(&browser, &world, "ndjson", &file, "import").await;
        assert!(refused.status == 400 && refused.text().contains("5 imports of this project have not ended"), "{refused}");
        for page in &pages {
            browser.submit(page, page.url.path(), &[]).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_beyond_the_quota_of_the_project_is_refused_and_keeps_nothing() {
    let app = App::start_with(Backend::Sqlite, &[("STEWARD_MAX_BYTES_PER_PROJECT", "3000000")]).await;
    let world = World::make(&app, "acme").await;
    let browser = signed_in(&app, "acme-owner").await;
    let file = format!("{{\"title\": \"{}\"}}\n", "x".repeat(1_000)).repeat(4_000);
    let refused = import(&browser, &world, "ndjson", &file, "import").await;
    assert!(refused.status == 400 && refused.text().contains("3000000 bytes"), "{refused}");
    let form = browser.open(&format!("{}/import", notes(&world))).await;
    assert!(form.text().contains("Stopped: 0 items were imported."), "{form}");
    assert_eq!(all(&world, "id.asc", "title").await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_that_is_stored_while_it_arrives_takes_little_memory() {
    const LINES: usize = 5_000;
    const MAX_MIB: u64 = 24;
    let app = App::start(Backend::Sqlite).await;
    let world = World::make(&app, "acme").await;
    let browser = signed_in(&app, "acme-owner").await;
    // 48 MiB: more than the requests of a tenant may take together.
    let file = format!("{{\"title\": \"{}\"}}\n", "x".repeat(10_000)).repeat(LINES);
    app.reset_peak_memory();
    let before = app.peak_memory();
    let page = import(&browser, &world, "ndjson", &file, "check").await;
    let done = ended(&browser, &page).await;
    assert!(done.text().contains("Done: 5000 items fit."), "{done}");
    let peak = app.peak_memory();
    assert!(peak < before + MAX_MIB, "{before} MiB before, at most {peak} MiB");
}
