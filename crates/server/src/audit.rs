//! `steward audit`.

use anyhow::{Context as _, bail};
use serde_json::json;
use steward_domain::model::{Seal, TeamId};
use steward_domain::usecases::{Proof, Steward};

use crate::cli::{self, VerifyAudit};
use crate::config::Config;
use crate::wiring;

/// Checks the chain of one team, or of every team, and prints a line of JSON for each.
pub async fn verify(config: &Config, arguments: &VerifyAudit) -> anyhow::Result<()> {
    let steward = wiring::wire(config).await?;
    let mut broken = 0_usize;
    if let Some(team) = &arguments.team {
        let team = TeamId::parse(team).with_context(|| format!("{team} is no id of a team"))?;
        broken = usize::from(!tell(&steward, team).await?);
    } else {
        let mut last = None;
        loop {
            let teams = steward.audit.teams(last).await?;
            for team in &teams {
                broken += usize::from(!tell(&steward, *team).await?);
            }
            last = teams.last().copied();
            if last.is_none() {
                break;
            }
        }
    }
    if broken > 0 {
        bail!("{broken} chains do not hold");
    }
    Ok(())
}

/// Whether the chain of a team holds.
async fn tell(steward: &Steward, team: TeamId) -> anyhow::Result<bool> {
    let link = |seal: &Seal| json!({"position": seal.position, "hash": seal.hash});
    let (holds, line) = match steward.audit.prove(team).await? {
        Proof::Holds { events, ends } => {
            let (first, last) = ends.as_ref().map(|(first, last)| (link(first), link(last))).unzip();
            (true, json!({"team_id": team.to_string(), "holds": true, "events": events, "first": first, "last": last}))
        }
        Proof::Broken { position, reason } => {
            (false, json!({"team_id": team.to_string(), "holds": false, "position": position, "reason": reason}))
        }
    };
    cli::print(&line.to_string())?;
    Ok(holds)
}
