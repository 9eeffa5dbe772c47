//! `steward session`.

use clap::Subcommand;

use crate::remote::plain::{Noun, Plain, commands};

#[derive(Debug, Subcommand)]
pub enum SessionCommand {}

impl Noun for SessionCommand {
    fn commands() -> Vec<Plain> {
        commands! {
            /// Get the sign-in that issued the access token
            "session get", example(""), example("--json --fields session_id") {}
        }
    }

    async fn run(self) -> anyhow::Result<()> {
        match self {}
    }
}
