//! `steward token`.

use chrono::TimeDelta;
use steward_domain::identity::Email;
use steward_domain::kernel::error::Error;

use crate::config::Config;
use crate::{terminal, wiring};

/// Issues an access token for an account and prints only the token.
pub async fn issue(config: &Config, email: &str, ttl: Option<u32>) -> anyhow::Result<()> {
    let email = Email::parse(email).map_err(|error| Error::invalid("email", error))?;
    let ttl = ttl.map(|seconds| TimeDelta::seconds(seconds.into()));

    let steward = wiring::wire(config).await?;
    let token = steward.accounts.issue_token(&email, ttl).await?;
    terminal::print(token.expose())
}
