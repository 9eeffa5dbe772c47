//! `steward keys`.

use anyhow::Context as _;
use serde_json::json;

use crate::cli;
use crate::config::Config;
use crate::wiring;

/// Makes a new pepper, and tells from when it is used.
pub async fn rotate_pepper(config: &Config) -> anyhow::Result<()> {
    let steward = wiring::wire(config).await?;
    let made = steward.server_keys.rotate_pepper(wiring::command_request()).await;
    let pepper = made.context("no new pepper could be made")?;
    cli::print(&json!({"generation": pepper.generation, "use_from": pepper.use_from.to_rfc3339()}).to_string())
}
