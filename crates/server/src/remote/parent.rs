//! The team or project that a resource belongs to.

use anyhow::bail;
use clap::Args;

use crate::terminal::UsageError;

use super::Context;

#[derive(Debug, Args)]
#[group(multiple = false)]
pub struct Parent {
    /// ID or slug of the team
    #[arg(long)]
    team: Option<String>,
    /// ID or slug of the project [default: the project in steward.json]
    #[arg(long)]
    project: Option<String>,
}

pub enum ParentId {
    Team(String),
    Project(String),
}

impl Parent {
    pub async fn id(&self, context: &Context) -> anyhow::Result<ParentId> {
        match (&self.team, &self.project) {
            (Some(team), _) => Ok(ParentId::Team(context.team_id(team).await?)),
            (None, None) if context.project_file.is_none() => {
                bail!(UsageError("There is no steward.json here. Pass --team or --project.".to_owned()))
            }
            (None, project) => Ok(ParentId::Project(context.project_id(project.as_deref()).await?)),
        }
    }
}
