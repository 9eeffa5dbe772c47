//! Calls every operation as every kind of caller and compares the outcomes with the golden file `golden/access.txt`.
//! With `STEWARD_UPDATE_GOLDEN=1` the test updates the file; review the diff.

mod callers;
pub(super) mod place;
pub(super) mod requests;

use std::collections::BTreeMap;
use std::path::PathBuf;

use steward_domain::kernel::policy::{Callers, Confirmation, Operation, PermissionSet};
use steward_tests::{Actor, App, Backend, Described, Receiver};

use callers::{Column, Standing, Token};
use place::Place;

use crate::laws::operations::rule;

/// The outcome of an operation that requires a more recent sign-in, or one with a second factor.
const CONFIRM: &str = "401 insufficient_user_authentication";

/// Number of kinds of callers that are tested concurrently.
const CONCURRENCY: usize = 4;

/// Status of a response, followed by the error code if it is an error.
type Outcome = String;

/// Outcomes of all operations for one kind of caller, by row name.
type Outcomes = BTreeMap<String, Outcome>;

fn golden() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("http/golden/access.txt")
}

/// Calls all operations as one caller, in the caller's own fixture. Deletions come last.
async fn outcomes_of(app: &App, column: &Column) -> Outcomes {
    let mut operations: Vec<&Described> = app.openapi.operations.iter().collect();
    operations.sort_by_key(|described| requests::turn(described));
    let mut outcomes = Outcomes::new();
    for described in operations {
        for variant in requests::variants(described) {
            let response = requests::send(&column.caller, described, variant, &column.place, &[]).await;
            let code = serde_json::from_slice::<serde_json::Value>(&response.body).unwrap_or_default();
            let code = code["error"].as_str().unwrap_or_default();
            assert!(response.status.as_u16() < 500, "{} as {}: {response}", described.id, column.name);
            let outcome = format!("{} {code}", response.status.as_u16()).trim_end().to_owned();
            outcomes.insert(requests::row(described, variant), outcome);
        }
    }
    outcomes
}

/// Text of the golden file: for each operation, the outcome for each kind of caller.
fn golden_text(app: &App, columns: &[Column], outcomes: &[Outcomes]) -> String {
    let mut text =
        String::from("# Outcome of each operation for each kind of caller. Run `make generate` to update it.\n#\n");
    for column in columns {
        text += &format!("# {:<24} {}\n", column.name, column.what);
    }
    let rows: BTreeMap<String, &Described> = app
        .openapi
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
            let names = if names.len() == columns.len() { "all callers".to_owned() } else { names.join(", ") };
            text += &format!("    {outcome:<24} {names}\n");
        }
    }
    text
}

/// Returns the operations that ask for a confirmation according to `Operation::RULES`, but did not ask the caller, or
/// the other way round.
fn violations_of_confirmation(app: &App, column: &Column, outcomes: &Outcomes) -> Vec<String> {
    let with_rule = app.openapi.operations.iter().filter_map(|described| Some((described, rule(described)?)));
    let wrong = with_rule.filter_map(|(described, rule)| {
        let rows = requests::variants(described).iter().map(|variant| &outcomes[&requests::row(described, variant)]);
        let (asked, all) =
            rows.fold((0, 0), |(asked, all), outcome| (asked + usize::from(outcome == CONFIRM), all + 1));
        let is_expected = match rule.confirmation {
            _ if column.standing == Standing::WithoutSecondFactor => true,
            _ if !column.must_confirm => asked == 0,
            Confirmation::Never => asked == 0,
            Confirmation::Always => asked == all,
            // A reset never widens the settings.
            Confirmation::IfWidening => (asked > 0) != (rule.operation == Operation::SettingsReset),
        };
        (!is_expected).then(|| format!("{} as {}: {asked} of {all} asked", described.id, column.name))
    });
    wrong.collect()
}

/// Compares the outcomes with `Operation::RULES`: permitted operations must succeed, all others must be refused.
/// Returns the differences.
fn violations_of_rules(app: &App, column: &Column, outcomes: &Outcomes) -> Vec<String> {
    let with_rule = app.openapi.operations.iter().filter_map(|described| Some((described, rule(described)?)));
    let wrong = with_rule.filter_map(|(described, rule)| {
        let (outcome, allowed) = (&outcomes[&requests::row(described, "")], column.standing.may(rule)?);
        let is_asked = column.must_confirm && outcome == CONFIRM;
        let is_expected = match (allowed, &column.standing) {
            (true, _) if column.must_confirm && rule.confirmation == Confirmation::Always => is_asked,
            (true, _) if is_asked => rule.confirmation == Confirmation::IfWidening,
            (true, _) => outcome.starts_with('2'),
            (false, Standing::Nobody) => outcome == "401 unauthorized",
            (false, Standing::WithoutSecondFactor)
                if matches!(rule.callers, Callers::Account | Callers::AccountOrKey) =>
            {
                outcome == CONFIRM
            }
            // Members and keys of the team may know that the resource exists.
            (false, Standing::Key(_)) => outcome == "403 forbidden",
            (false, Standing::Person(held, Token::None))
                if *held != PermissionSet::default() && rule.requirement.scope().is_none() =>
            {
                outcome == "403 forbidden"
            }
            (false, _) => ["401", "403", "404"].iter().any(|status| outcome.starts_with(status)),
        };
        (!is_expected).then(|| format!("{} as {}: {outcome}, allowed: {allowed}", described.id, column.name))
    });
    wrong.collect()
}

/// The decision is above the stores, so one of them is enough: that on which fewer other tests run.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_operation_as_every_caller_on_postgres() {
    let settings = [("STEWARD_WEBHOOK_ALLOW_PRIVATE", "true"), ("STEWARD_LOG", "error")];
    let app = App::start_with(Backend::Postgres, &settings).await;
    let receiver = Receiver::start().await;
    let columns = callers::all(&app, &receiver).await;
    let mut outcomes = Vec::new();
    for chunk in columns.chunks(CONCURRENCY) {
        outcomes.extend(futures_util::future::join_all(chunk.iter().map(|column| outcomes_of(&app, column))).await);
    }
    let text = golden_text(&app, &columns, &outcomes);
    let is_updated = std::env::var_os("STEWARD_UPDATE_GOLDEN").is_some();
    if is_updated {
        std::fs::write(golden(), &text).unwrap();
    }
    let both = columns.iter().zip(&outcomes);
    let wrong = both.flat_map(|(column, outcomes)| {
        [violations_of_rules(&app, column, outcomes), violations_of_confirmation(&app, column, outcomes)].concat()
    });
    let wrong: Vec<_> = wrong.collect();
    assert!(wrong.is_empty(), "Some outcomes differ from `Operation::RULES`: {wrong:#?}");
    let expected = std::fs::read_to_string(golden()).unwrap_or_default();
    let differs = text.lines().zip(expected.lines()).find(|(found, expected)| found != expected);
    assert!(
        text == expected,
        "The outcomes differ from tests/http/golden/access.txt. First difference: {differs:#?}\n\
        Set STEWARD_UPDATE_GOLDEN=1 to update the file."
    );
}

#[test]
fn every_operation_has_a_row_in_the_golden_file() {
    let text = std::fs::read_to_string(golden()).unwrap();
    for rule in Operation::RULES.iter().filter(|rule| rule.operation.is_public()) {
        assert!(text.contains(&format!("\n{}: ", rule.name)), "{} has no row in the golden file.", rule.name);
    }
}

/// A caller without a credential.
fn anonymous(app: &App) -> Actor {
    app.anonymous()
}
