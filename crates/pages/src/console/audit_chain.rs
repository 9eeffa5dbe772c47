//! The state of an audit log's hash chain.

use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::rt::time::timeout;
use askama::Template;
use steward_domain::model::AuditSeal;
use steward_domain::policy::Lane;
use steward_domain::usecases::Verification;
use steward_domain::work::Work;

use crate::error::PageError;

use super::log_scope::LogScope;
use super::shell::Shell;
use super::signed::Signed;
use super::timestamps::date_time;

/// How long a page verifies a chain. The operator can verify longer ones.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Verifies the chain of a log and shows the result.
pub(super) async fn show(signed: Signed) -> Result<HttpResponse, PageError> {
    let scope = LogScope::of(&signed).await?;
    let shell = scope.shell(&signed).await?.below(scope.at(""), "Verification".to_owned());

    Work::set_lane(Lane::Heavy);
    let verified = timeout(TIMEOUT, signed.steward().audit.verify(scope.chain())).await;
    let state = verified.ok().transpose()?.map_or(ChainState::TooLong, ChainState::of);
    signed.page(&Chain { shell, state, is_team: scope.is_team(), back: scope.at("") })
}

enum ChainState {
    /// No event is sealed yet.
    Empty,
    Holds(Vec<(&'static str, String)>),
    Broken {
        reason: &'static str,
        facts: Vec<(&'static str, String)>,
    },
    /// It takes too long to verify the chain here.
    TooLong,
}

impl ChainState {
    fn of(verification: Verification) -> Self {
        match verification {
            Verification::Holds { ends: None, .. } => Self::Empty,
            Verification::Holds { events, forgotten, ends: Some(ends) } => {
                let (first, last) = *ends;
                Self::Holds(vec![
                    ("Sealed events", events.to_string()),
                    ("Deleted after their retention period", forgotten.to_string()),
                    ("First seal", seal(&first)),
                    ("Last seal", seal(&last)),
                    ("Sealed up to position", last.through.to_string()),
                    ("Hash of the last seal", last.hash),
                ])
            }
            Verification::Broken { number, positions: (after, through), reason } => {
                let positions = format!("{} to {through}", after.saturating_add(1));
                Self::Broken {
                    reason,
                    facts: vec![("Seal", number.to_string()), ("Positions of its events", positions)],
                }
            }
        }
    }
}

fn seal(seal: &AuditSeal) -> String {
    format!("Number {}, {}", seal.number, date_time(seal.at))
}

#[derive(Template)]
#[template(path = "console/audit_chain.html")]
struct Chain {
    shell: Shell,
    state: ChainState,
    is_team: bool,
    back: String,
}
