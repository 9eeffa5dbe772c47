//! `steward keys`.

use anyhow::Context as _;
use serde_json::{Value, json};
use steward_domain::identity::{ServerKey, ServerKeyPurpose, SignedToken, SigningKeyState};
use steward_domain::kernel::error::{Error, ResourceKind};
use steward_domain::kernel::{ServerKeyId, Time};

use crate::cli::KeysCommand;
use crate::config::Config;
use crate::{terminal, wiring};

/// Runs the command and prints the result as JSON.
pub async fn run(config: &Config, command: KeysCommand) -> anyhow::Result<()> {
    match command {
        KeysCommand::RotatePepper => rotate_pepper(config).await,
        KeysCommand::List => list(config).await,
        KeysCommand::RotateSigning { now } => {
            let steward = wiring::wire(config).await?;
            let keys = steward.server_keys.rotate_signing(wiring::command_request(), now).await;
            let keys = keys.context("The signing keys were not rotated")?;
            keys.iter().try_for_each(|key| terminal::print(&to_json(key).to_string()))
        }
        KeysCommand::RevokeSigning { kid } => {
            let id = ServerKeyId::parse(&kid).ok_or(Error::NotFound(ResourceKind::ServerKey))?;
            let steward = wiring::wire(config).await?;
            let active = steward.server_keys.revoke_signing(wiring::command_request(), id).await;
            let active = active.context("The signing key was not revoked")?;
            terminal::print(&json!({"revoked": id.to_string(), "active": active.id.to_string()}).to_string())
        }
    }
}

/// Creates a new pepper and prints the time from which it is used.
async fn rotate_pepper(config: &Config) -> anyhow::Result<()> {
    let steward = wiring::wire(config).await?;
    let pepper = steward.server_keys.rotate_pepper(wiring::command_request()).await;
    let pepper = pepper.context("The pepper was not rotated")?;
    terminal::print(&json!({"generation": pepper.generation, "use_from": timestamp(pepper.use_from)}).to_string())
}

/// Prints one line per signing key.
async fn list(config: &Config) -> anyhow::Result<()> {
    let steward = wiring::wire(config).await?;
    for (key, state) in steward.server_keys.signing_keys().await? {
        let mut line = to_json(&key);
        if let Some(members) = line.as_object_mut() {
            members.insert("state".into(), json!(state.as_str()));
            if let SigningKeyState::Retiring { until } = state {
                members.insert("published_until".into(), json!(timestamp(until)));
            }
        }
        terminal::print(&line.to_string())?;
    }
    Ok(())
}

fn to_json(key: &ServerKey) -> Value {
    let algorithm = match key.purpose {
        ServerKeyPurpose::TokenSigning(_, algorithm) => Some(algorithm.as_str()),
        ServerKeyPurpose::UnknownTokenSigning(_) | ServerKeyPurpose::KeyPepper => None,
    };
    let signs = key.purpose.signed_token().map(SignedToken::as_str);
    let (created_at, active_from) = (timestamp(key.created_at), timestamp(key.use_from));
    json!({
        "kid": key.id.to_string(), "signs": signs, "algorithm": algorithm, "created_at": created_at,
        "active_from": active_from,
    })
}

fn timestamp(at: Time) -> String {
    at.to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
}
