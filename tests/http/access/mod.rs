//! Every operation as every kind of caller, held against one golden file: `golden/access.txt`. With
//! `STEWARD_UPDATE_GOLDEN=1` the file is written anew, and its difference is what a review looks at.

mod callers;
mod place;
mod requests;

use std::collections::BTreeMap;
use std::path::PathBuf;

use steward_domain::policy::Operation;
use steward_tests::{Actor, App, Backend, Described, Receiver};

use callers::{Column, Standing};
use place::Place;

use crate::operations::rule;

/// So many kinds of callers are walked side by side.
const AT_ONCE: usize = 4;

/// What came of a request: the status, and the code of a refusal.
type Outcome = String;

/// The outcomes of all operations for one kind of caller, by the name of the row.
type Outcomes = BTreeMap<String, Outcome>;

fn golden() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("http/golden/access.txt")
}

/// Asks for everything as one caller, in the world that is this caller's own; what removes something comes last.
async fn walked(app: &App, column: &Column) -> Outcomes {
    let mut operations: Vec<&Described> = app.contract.operations.iter().collect();
    operations.sort_by_key(|described| requests::turn(described));
    let mut outcomes = Outcomes::new();
    for described in operations {
        for variant in requests::variants(described) {
            let answer = requests::send(&column.caller, described, variant, &column.place).await;
            let code = serde_json::from_slice::<serde_json::Value>(&answer.body).unwrap_or_default();
            let code = code["error"].as_str().unwrap_or_default();
            assert!(answer.status.as_u16() < 500, "{} as {}: {answer}", described.id, column.name);
            let outcome = format!("{} {code}", answer.status.as_u16()).trim_end().to_owned();
            outcomes.insert(requests::row(described, variant), outcome);
        }
    }
    outcomes
}

/// The golden text: for each operation, who gets which answer.
fn written(app: &App, columns: &[Column], outcomes: &[Outcomes]) -> String {
    let mut text = String::from(
        "# Who gets which answer to each operation. Written by the test `access`; STEWARD_UPDATE_GOLDEN=1 writes it anew.\n#\n",
    );
    for column in columns {
        text += &format!("# {:<24} {}\n", column.name, column.what);
    }
    let rows: BTreeMap<String, &Described> = app
        .contract
        .operations
        .iter()
        .flat_map(|described| {
            requests::variants(described).iter().map(move |variant| (requests::row(described, variant), described))
        })
        .collect();
    for (row, described) in rows {
        text += &format!("\n{row}: {} {}\n", described.method, described.path);
        let mut by_outcome: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (column, outcomes) in columns.iter().zip(outcomes) {
            by_outcome.entry(&outcomes[&row]).or_default().push(column.name);
        }
        for (outcome, names) in by_outcome {
            let names = if names.len() == columns.len() { "everybody".to_owned() } else { names.join(", ") };
            text += &format!("    {outcome:<24} {names}\n");
        }
    }
    text
}

/// What the one table of operations says of a caller is what happens: what they may do succeeds, the rest is refused.
/// Returns what is not so.
fn differs_from_the_table(app: &App, column: &Column, outcomes: &Outcomes) -> Vec<String> {
    let with_rule = app.contract.operations.iter().filter_map(|described| Some((described, rule(described)?)));
    let wrong = with_rule.filter_map(|(described, rule)| {
        let (outcome, may) = (&outcomes[&requests::row(described, "")], column.standing.may(rule)?);
        let is_right = match (may, &column.standing) {
            (true, _) => outcome.starts_with('2'),
            (false, Standing::Nobody) => outcome == "401 unauthorized",
            (false, _) => ["401", "403", "404"].iter().any(|status| outcome.starts_with(status)),
        };
        (!is_right).then(|| format!("{} as {}: {outcome}, may: {may}", described.id, column.name))
    });
    wrong.collect()
}

async fn everything_is_answered_as_the_golden_file_says(backend: Backend) {
    let app = App::start_with(backend, &[("STEWARD_WEBHOOK_ALLOW_PRIVATE", "true"), ("STEWARD_LOG", "error")]).await;
    let receiver = Receiver::start().await;
    let columns = callers::all(&app, &receiver).await;
    let mut outcomes = Vec::new();
    for some in columns.chunks(AT_ONCE) {
        outcomes.extend(futures_util::future::join_all(some.iter().map(|column| walked(&app, column))).await);
    }
    let text = written(&app, &columns, &outcomes);
    let is_updated = std::env::var_os("STEWARD_UPDATE_GOLDEN").is_some();
    if is_updated {
        std::fs::write(golden(), &text).unwrap();
    }
    let both = columns.iter().zip(&outcomes);
    let wrong: Vec<_> = both.flat_map(|(column, outcomes)| differs_from_the_table(&app, column, outcomes)).collect();
    assert!(wrong.is_empty(), "not as the table of operations says: {wrong:#?}");
    let expected = std::fs::read_to_string(golden()).unwrap_or_default();
    let differs = text.lines().zip(expected.lines()).find(|(found, expected)| found != expected);
    assert!(
        text == expected,
        "the answers are not those of tests/http/golden/access.txt; the first difference: {differs:#?}\n\
         STEWARD_UPDATE_GOLDEN=1 writes the file anew"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_operation_as_every_caller_on_sqlite() {
    everything_is_answered_as_the_golden_file_says(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_operation_as_every_caller_on_postgres() {
    everything_is_answered_as_the_golden_file_says(Backend::Postgres).await;
}

#[test]
fn every_operation_has_a_row_in_the_golden_file() {
    let text = std::fs::read_to_string(golden()).unwrap();
    for rule in Operation::RULES.iter().filter(|rule| rule.operation.is_public()) {
        assert!(text.contains(&format!("\n{}: ", rule.name)), "{} has no row", rule.name);
    }
}

/// Somebody without a credential, in a world of their own.
fn anon(app: &App) -> Actor {
    app.anon()
}
