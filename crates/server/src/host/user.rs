//! `steward user`.

use steward_domain::identity::Email;
use steward_domain::kernel::error::{Error, ResourceKind};

use crate::config::Config;
use crate::{terminal, wiring};

/// Connects an account to a project as a user and prints the user's ID.
pub async fn connect(config: &Config, project: &str, email: &str) -> anyhow::Result<()> {
    let email = Email::parse(email).map_err(|error| Error::invalid("email", error))?;
    let project = config.public_url.project_named(project).ok_or(Error::NotFound(ResourceKind::Project))?;

    let steward = wiring::wire(config).await?;
    let user = steward.project_users.connect_by_email(wiring::command_request(), project, &email).await?;
    terminal::print(&user.id.to_string())
}
