//! `steward token`.

use chrono::TimeDelta;
use steward_domain::error::Error;
use steward_domain::model::Email;

use crate::cli::{self, IssueToken};
use crate::config::Config;
use crate::wiring;

/// Prints an access token of an account, and nothing else.
pub async fn issue(config: &Config, command: IssueToken) -> anyhow::Result<()> {
    let email = Email::parse(&command.email).map_err(|error| Error::invalid("email", error))?;
    let lasts = command.ttl.map(|seconds| TimeDelta::seconds(seconds.into()));

    let steward = wiring::wire(config).await?;
    let token = steward.accounts.issue_token(&email, lasts).await?;
    cli::print(token.expose())
}
