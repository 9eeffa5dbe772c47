//! Imports and exports of items: which lines are written, and what is reported.

use steward_tests::{App, Backend, World};

use super::CommandLine;

/// A fixture, and a command line in a directory with the file.
struct Scene {
    app: App,
    world: World,
    line: CommandLine,
}

impl Scene {
    async fn with_file(name: &str, text: &str) -> Self {
        let app = App::start(Backend::Sqlite).await;
        let world = World::make(&app, "acme").await;
        std::fs::write(app.directory().join(name), text).unwrap();
        Self { line: CommandLine::of(&app, &world.key), world, app }
    }

    /// Runs `steward item` for the table of the fixture. Returns the exit code and both outputs.
    async fn item(&self, arguments: &[&str]) -> (i32, String, String) {
        let table = ["--project", &self.world.project, "--user", &self.world.user, "--table", "notes"];
        let output = self.line.run(&[&["item"][..], arguments, &table].concat(), "").await;
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lines_that_do_not_fit_are_reported_and_the_others_are_imported() {
    let text = "id,title,done,rank\na,First,true,1\nb,,,2\nc,Third,maybe,3\nd,\"Fourth, last\",,\n";
    let scene = Scene::with_file("notes.csv", text).await;
    let (code, checked, _) = scene.item(&["import", "notes.csv", "--dry-run", "--json"]).await;
    assert_eq!(code, 1);
    assert_eq!(checked, "{\"lines\":4,\"imported\":2,\"skipped\":0,\"failed\":2,\"empty_rows\":0,\"dry_run\":true}\n");
    let list = ["list", "--order", "id.asc", "--fields", "id,title"];
    assert_eq!(scene.item(&list).await.1, "ID     TITLE\nfirst  First\n", "Nothing was written.");

    let (code, imported, message) = scene.item(&["import", "notes.csv", "--report", "rejected.csv"]).await;
    assert_eq!((code, imported.as_str()), (1, ""));
    assert!(message.contains("2 imported, 0 skipped, 2 failed"), "{message}");
    let report = std::fs::read_to_string(scene.app.directory().join("rejected.csv")).unwrap();
    let rows: Vec<&str> = report.lines().collect();
    assert!(rows.len() == 3 && rows[1].starts_with("3,title,") && rows[2].starts_with("4,done,"), "{report}");
    assert_eq!(scene.item(&list).await.1, "ID     TITLE\na      First\nd      Fourth, last\nfirst  First\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_id_that_a_file_has_twice_is_reported_by_the_check_and_by_the_import() {
    let scene = Scene::with_file("notes.csv", "id,title,done,rank\na,One,,\nb,Two,,\na,Three,,\n").await;
    for policy in ["fail", "skip", "replace"] {
        let import = ["import", "notes.csv", "--on-conflict", policy];
        for (arguments, is_check) in [([&import[..], &["--dry-run"]].concat(), true), (import.to_vec(), false)] {
            let (code, _, message) = scene.item(&arguments).await;
            assert_eq!(code, 1, "{policy}: {message}");
            let totals = if is_check { "2 can be imported, 1 cannot" } else { "2 imported, 0 skipped, 1 failed" };
            assert!(message.contains("Line 4: The id was already used on line 2."), "{policy}: {message}");
            assert!(message.contains(totals), "{policy}, check: {is_check}: {message}");
        }
        assert_eq!(scene.item(&["get", "a", "--fields", "title"]).await.1, "title:  One\n", "{policy}");
        for id in ["a", "b"] {
            assert_eq!(scene.item(&["delete", id, "--yes"]).await.0, 0);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_quote_that_is_not_closed_is_reported_with_its_line() {
    let scene = Scene::with_file("notes.csv", "id,title\na,One\nb,\"Two\nc,Three\n").await;
    let (code, _, message) = scene.item(&["import", "notes.csv"]).await;
    assert_eq!(code, 1, "{message}");
    for expected in ["1 imported, 0 skipped, 1 failed", "Line 3: A quoted value has no closing quotation mark"] {
        assert!(message.contains(expected), "{message}");
    }
    let list = scene.item(&["list", "--order", "id.asc", "--fields", "id,title"]).await.1;
    assert_eq!(list, "ID     TITLE\na      One\nfirst  First\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_with_an_unknown_column_is_not_imported() {
    let scene = Scene::with_file("notes.csv", "id,title,unknown,rnk,rank\na,One,x,1,2\nb,Two,x,1,many\n").await;
    for arguments in [&["import", "notes.csv"][..], &["import", "notes.csv", "--dry-run"]] {
        let (code, _, message) = scene.item(arguments).await;
        assert!(code == 1 && message.contains("Nothing was imported: The first line"), "{message}");
        for problem in [
            "Line 1: Field unknown is not in the table notes.",
            "Line 1: Field rnk is not in the table notes (did you mean rank?).",
            "Line 3: Field rank must be a number",
        ] {
            assert!(message.contains(problem), "{problem}: {message}");
        }
    }
    assert_eq!(scene.item(&["list", "--fields", "id"]).await.1, "ID\nfirst\n", "Nothing was written.");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_spreadsheet_programs_save_is_imported() {
    let unicode = "\u{feff}title\tdone\trank\r\nKäse\ttrue\t1\r\n\t\t\r\n";
    let unicode: Vec<u8> = unicode.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let western = b"title;;done;rank\r\nBr\xf6tchen;;;2\r\n;;;\r\nWei\xdfbrot;;;1,5\r\n";
    let scene = Scene::with_file("notes.csv", "").await;
    std::fs::write(scene.app.directory().join("notes.csv"), western).unwrap();
    std::fs::write(scene.app.directory().join("notes.txt"), unicode).unwrap();

    let (code, _, message) = scene.item(&["import", "notes.txt"]).await;
    assert_eq!(code, 0, "{message}");
    assert!(message.contains("1 imported, 0 skipped, 0 failed. 1 empty row was skipped."), "{message}");
    let (code, _, message) = scene.item(&["import", "notes.csv"]).await;
    assert!(code == 1 && message.contains("pass --encoding windows-1252"), "{message}");
    assert!(message.contains("notes.csv was not imported."), "{message}");
    let import = ["import", "notes.csv", "--encoding", "windows-1252", "--delimiter", ";"];
    let (code, _, message) = scene.item(&import).await;
    assert!(code == 1 && message.contains("it has a decimal comma"), "{message}");
    assert!(message.contains("1 imported, 0 skipped, 1 failed. 1 empty row was skipped."), "{message}");
    let list = scene.item(&["list", "--order", "id.asc", "--fields", "title"]).await.1;
    assert_eq!(list.split_whitespace().collect::<Vec<_>>(), ["TITLE", "Käse", "Brötchen", "First"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_import_does_not_overwrite_items_by_default() {
    let scene = Scene::with_file("notes.ndjson", "{\"id\": \"first\", \"title\": \"Imported\"}\n").await;
    let get = ["get", "first", "--fields", "title"];
    for (policy, code, title) in [("fail", 1, "First"), ("skip", 0, "First"), ("replace", 0, "Imported")] {
        let (found, _, message) = scene.item(&["import", "notes.ndjson", "--on-conflict", policy]).await;
        assert_eq!(found, code, "{policy}: {message}");
        assert_eq!(scene.item(&get).await.1, format!("title:  {title}\n"), "{policy}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_export_can_be_imported_again() {
    let text = "id,title,done,rank\na,\"Two\nlines\",true,1.5\nb,\"=1+1\",,-5\nc,'=1+1,,\nd,-5,,\n";
    let scene = Scene::with_file("notes.csv", text).await;
    assert_eq!(scene.item(&["import", "notes.csv", "--raw"]).await.0, 0);
    assert_eq!(
        scene.item(&["export", "--format", "csv", "--raw", "--order", "id.asc"]).await.1.matches("\n").count(),
        7
    );
    let list = ["list", "--order", "id.asc", "--json", "--fields", "id,title,done,rank"];
    for (file, raw) in [("all.csv", &[][..]), ("raw.csv", &["--raw"]), ("all.ndjson", &[])] {
        let before = scene.item(&list).await.1;
        assert!(before.contains(r#"{"id":"a","title":"Two\nlines","done":true,"rank":1.5}"#), "{file}: {before}");
        assert_eq!(scene.item(&[&["export", file][..], raw].concat()).await.0, 0);
        for id in ["a", "b", "c", "d", "first"] {
            assert_eq!(scene.item(&["delete", id, "--yes"]).await.0, 0);
        }
        let (code, _, message) = scene.item(&[&["import", file][..], raw].concat()).await;
        assert_eq!(code, 0, "{file}: {message}");
        assert_eq!(scene.item(&list).await.1, before, "{file}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_csv_file_contains_no_formulas_unless_programs_read_it() {
    let text = "{\"id\": \"-x\", \"title\": \"=1+1\", \"rank\": -5}\n{\"title\": \"x\", \"=HYPERLINK(1)\": 1}\n";
    let scene = Scene::with_file("notes.ndjson", text).await;
    assert_eq!(scene.item(&["import", "notes.ndjson", "--report", "rejected.csv"]).await.0, 1);
    let report = std::fs::read_to_string(scene.app.directory().join("rejected.csv")).unwrap();
    assert!(report.lines().nth(1).unwrap().starts_with("2,'=HYPERLINK(1),"), "{report}");
    let export = ["export", "--format", "csv", "--filter", "id=eq.-x"];
    let columns = |file: String| file.lines().nth(1).unwrap().split(',').map(str::to_owned).collect::<Vec<_>>();
    let safe = columns(scene.item(&export).await.1);
    assert!(safe[0] == "'-x" && safe.contains(&"'=1+1".to_owned()) && safe.contains(&"-5".to_owned()), "{safe:?}");
    let raw = columns(scene.item(&[&export[..], &["--raw"]].concat()).await.1);
    assert!(raw[0] == "-x" && raw.contains(&"=1+1".to_owned()) && raw.contains(&"-5".to_owned()), "{raw:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn imported_items_keep_the_order_of_the_file() {
    let titles: Vec<String> = (0..950).map(|n| format!("T{n}")).collect();
    let scene = Scene::with_file("notes.csv", &format!("title,rank\nwrong,x\n{}\n", titles.join(",1\n") + ",1")).await;
    assert_eq!(scene.item(&["import", "notes.csv"]).await.0, 1);
    for order in ["created_at.desc", "id.asc"] {
        let path = format!("{}?order={order}&limit=1000", scene.world.notes());
        let found = scene.world.owner.get(&path).await.ok();
        let found = found["data"].as_array().unwrap().iter().map(|item| item["title"].as_str().unwrap());
        let imported: Vec<&str> = found.filter(|title| *title != "First").collect();
        assert!(imported == titles, "{order}: {imported:?}");
    }
}
