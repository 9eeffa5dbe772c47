//! `steward audit`.

use anyhow::{Context as _, bail};
use serde_json::{Value, json};
use steward_domain::Steward;
use steward_domain::administration::{AuditChain, AuditSeal, Verification};
use steward_domain::kernel::TeamId;

use crate::cli::VerifyAudit;
use crate::config::Config;
use crate::{terminal, wiring};

/// Verifies the chains of one team, or of all teams, and prints one line of JSON per chain.
pub async fn verify(config: &Config, arguments: &VerifyAudit) -> anyhow::Result<()> {
    let steward = wiring::wire(config).await?;
    let team = arguments
        .team
        .as_ref()
        .map(|team| TeamId::parse(team).with_context(|| format!("{team:?} is not a valid team ID.")));
    let team = team.transpose()?;
    let (mut broken, mut last) = (0_usize, None);
    loop {
        let chains = steward.audit.chains(team, last).await?;
        for chain in &chains {
            broken += usize::from(!print_verification(&steward, *chain).await?);
        }
        last = chains.last().copied();
        if last.is_none() {
            break;
        }
    }
    if broken > 0 {
        bail!("Audit log verification failed. Broken chains: {broken}.");
    }
    Ok(())
}

/// Verifies a chain and prints the result. Returns whether the chain is intact.
async fn print_verification(steward: &Steward, chain: AuditChain) -> anyhow::Result<bool> {
    let (team, project) = (chain.team.to_string(), chain.project.map(|project| project.to_string()));
    let (holds, line) = match steward.audit.verify(chain).await? {
        Verification::Holds { events, forgotten, ends } => {
            let (first, last) = ends.map(|ends| (link(&ends.0), link(&ends.1))).unzip();
            let found = json!({"team_id": team, "project_id": project, "holds": true, "events": events,
                "forgotten": forgotten, "first": first, "last": last});
            (true, found)
        }
        Verification::Broken { number, positions: (after, through), reason } => {
            let found = json!({"team_id": team, "project_id": project, "holds": false, "number": number, "after": after,
                "through": through, "reason": reason});
            (false, found)
        }
    };
    terminal::print(&line.to_string())?;
    Ok(holds)
}

fn link(seal: &AuditSeal) -> Value {
    json!({"number": seal.number, "through": seal.through, "hash": seal.hash})
}
