//! The subcommands of `steward token` that use the API.

use std::io::{BufRead as _, IsTerminal as _};

use anyhow::bail;
use chrono::TimeDelta;
use clap::builder::TypedValueParser as _;
use clap::value_parser;
use serde_json::Value;
use steward_client::Timestamp;
use steward_crypto::SystemClock;
use steward_domain::kernel::Clock as _;

use crate::remote::plain::noun;
use crate::remote::{Context, NoArguments, Remote};
use crate::terminal::{self, UsageError};

noun! {
    TokenCommand {
        /// Print the metadata of an access token or refresh token, which is read from standard input
        #[command(after_help = "Examples:\n  printenv TOKEN | steward token introspect")]
        Introspect(Remote<NoArguments>) => introspect,
    }

    /// List your personal access tokens, newest first
    "token list", example(""), columns(&["id", "label", "roles", "hint", "last_used", "expires_at"]) {}
    /// Create a personal access token and print its value, which is not shown again
    "token create", example("--label CI --roles developer --team acme --days 90"),
        example("--label deploy --roles project:read,schema:read,schema:write --project shop --days 30 \
            --json --fields value"),
        note("value", "Store the value now. It is not shown again.") {
        /// Display name
        text "label";
        /// Comma-separated roles (owner, admin, developer, viewer) and permissions such as key:read
        text "roles";
        /// Limit the token to this team and its projects, by ID or slug; can be repeated
        list "team", of("teams");
        /// Limit the token to this project, by ID or slug; can be repeated
        list "project", of("projects");
        /// Number of days until the token expires, at most 366
        text "days", value("NUMBER"), of("expires_at"), parsed(value_parser!(u16).range(1..=366).map(in_days));
        /// When the token expires, such as 2026-12-31T12:00:00Z
        time "expires-at", value("TIME");
    }
    /// Revoke a personal access token
    "token revoke", alias("delete"), confirm("Revoke the token {}?"),
        done("revoked", "The token {} is revoked.") {}
    "token introspect" {}
}

/// Returns the time at which a token expires after a number of days.
fn in_days(days: u16) -> Value {
    Timestamp::from(SystemClock.now() + TimeDelta::days(days.into())).to_string().into()
}

/// Reads the token from standard input, because other users can see the arguments of a process.
async fn introspect(context: &Context, _: NoArguments) -> anyhow::Result<()> {
    let input = std::io::stdin();
    if input.is_terminal() {
        terminal::note("Paste the token and press Enter.");
    }
    let mut token = String::new();
    input.lock().read_line(&mut token)?;
    let token = token.trim();
    if token.is_empty() {
        bail!(UsageError("There is no token in standard input.".to_owned()));
    }
    context.output.entry(&context.client.tokens().introspect(token).json().await?)
}
