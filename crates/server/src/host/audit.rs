//! `steward audit`.

use anyhow::{Context as _, bail};
use serde_json::{Value, json};
use steward_domain::Steward;
use steward_domain::administration::{AuditChain, AuditSeal, Verification};
use steward_domain::kernel::TeamId;

use crate::config::Config;
use crate::{terminal, wiring};

/// Verifies the chains of one team, or of all teams, and prints one line of JSON per chain.
pub async fn verify(config: &Config, team: Option<&str>) -> anyhow::Result<()> {
    let steward = wiring::wire(config).await?;
    let parse = |team: &str| TeamId::parse(team).with_context(|| format!("{team:?} is not a valid team ID."));
    let team = team.map(parse).transpose()?;
    let mut broken = 0_usize;
    verify_each(&steward, team, |chain, found| {
        broken += usize::from(matches!(found, Verification::Broken { .. }));
        terminal::print(&line(chain, found).to_string())
    })
    .await?;
    if broken > 0 {
        bail!("Audit log verification failed. Broken chains: {broken}.");
    }
    Ok(())
}

/// Verifies the chains of one team, or of all teams, and passes on what is found.
pub async fn verify_each(
    steward: &Steward,
    team: Option<TeamId>,
    mut see: impl FnMut(AuditChain, Verification) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut last = None;
    loop {
        let chains = steward.audit.chains(team, last).await?;
        for chain in &chains {
            see(*chain, steward.audit.verify(*chain).await?)?;
        }
        last = chains.last().copied();
        if last.is_none() {
            return Ok(());
        }
    }
}

/// Returns the line about a chain.
fn line(chain: AuditChain, found: Verification) -> Value {
    let (team, project) = (chain.team.to_string(), chain.project.map(|project| project.to_string()));
    match found {
        Verification::Holds { events, forgotten, ends } => {
            let (first, last) = ends.map(|ends| (link(&ends.0), link(&ends.1))).unzip();
            json!({"team_id": team, "project_id": project, "holds": true, "events": events, "forgotten": forgotten,
                "first": first, "last": last})
        }
        Verification::Broken { number, positions: (after, through), reason } => {
            json!({"team_id": team, "project_id": project, "holds": false, "number": number, "after": after,
                "through": through, "reason": reason})
        }
    }
}

fn link(seal: &AuditSeal) -> Value {
    json!({"number": seal.number, "through": seal.through, "hash": seal.hash})
}
