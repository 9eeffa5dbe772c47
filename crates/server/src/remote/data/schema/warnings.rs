//! Warnings about a schema: members that the service stores and that have no effect.

use clap::Args;
use steward_client::SchemaWarning;

use crate::remote::SchemaRefused;
use crate::terminal;

const MEMBERS_WITHOUT_EFFECT: &str =
    "The schema has members without effect. Correct or remove them, or run the command without --strict.";

/// What a command does about warnings.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct OnWarnings {
    /// Fail if members of the schema have no effect, such as misspelt ones
    #[arg(long)]
    pub strict: bool,
}

impl OnWarnings {
    /// Fails if there are warnings and they are errors.
    pub fn accept(self, warnings: &[SchemaWarning]) -> anyhow::Result<()> {
        if self.strict && !warnings.is_empty() { Err(SchemaRefused(MEMBERS_WITHOUT_EFFECT).into()) } else { Ok(()) }
    }
}

/// Prints warnings to standard error.
pub fn show(warnings: &[SchemaWarning]) {
    for warning in warnings {
        terminal::note(&format!("Warning: {warning}"));
    }
}
