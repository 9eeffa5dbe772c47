//! The state of an audit log's hash chain.

use std::time::Duration;

use actix_web::rt::time::timeout;
use askama::Template;
use steward_domain::administration::{AuditChain, AuditSeal, Verification};

use crate::console::frame::{Shell, Signed, TeamOrProject, Timestamp};
use crate::error::PageResult;

use super::log::readable;

/// How long a page verifies a chain. The operator can verify longer ones.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Verifies the chain of a log and shows the result.
pub(crate) async fn show(signed: Signed) -> PageResult {
    let scope = readable(&signed).await?;
    let shell = scope.shell(&signed, "Audit log").await?.below(scope.at("/audit"), "Verification".to_owned());

    // The events of a team's projects are in the chains of these projects.
    let chain = match &scope {
        TeamOrProject::Team(scope) => AuditChain { team: scope.team.id, project: None },
        TeamOrProject::Project(scope) => AuditChain { team: scope.project.team_id, project: Some(scope.project.id) },
    };
    let verified = timeout(TIMEOUT, signed.steward().audit.verify(chain)).await;
    let state = verified.ok().transpose()?.map_or(ChainState::TooLong, ChainState::of);
    signed.page(&Chain { shell, state, is_team: scope.choose(true, false) })
}

/// A label, its value, and when it happened.
type Fact = (&'static str, String, Option<Timestamp>);

enum ChainState {
    /// No event is sealed yet.
    Empty,
    Holds(Vec<Fact>),
    Broken {
        reason: &'static str,
        facts: Vec<Fact>,
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
                    ("Sealed events", events.to_string(), None),
                    ("Deleted after their retention period", forgotten.to_string(), None),
                    seal("First seal", &first),
                    seal("Last seal", &last),
                    ("Sealed up to position", last.through.to_string(), None),
                    ("Hash of the last seal", last.hash, None),
                ])
            }
            Verification::Broken { number, positions: (after, through), reason } => {
                let positions = format!("{} to {through}", after.saturating_add(1));
                Self::Broken {
                    reason,
                    facts: vec![("Seal", number.to_string(), None), ("Positions of its events", positions, None)],
                }
            }
        }
    }
}

fn seal(label: &'static str, seal: &AuditSeal) -> Fact {
    (label, format!("Number {}", seal.number), Some(seal.at.into()))
}

#[derive(Template)]
#[template(path = "console/administration/audit/chain.html")]
struct Chain {
    shell: Shell,
    state: ChainState,
    is_team: bool,
}
