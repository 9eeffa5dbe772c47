//! The client that a command names.

use clap::Args;

use super::ProjectOption;

#[derive(Debug, Args)]
pub struct NamedClient {
    /// Client ID
    pub client_id: String,
    #[command(flatten)]
    pub project: ProjectOption,
}
