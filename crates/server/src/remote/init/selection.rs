//! Which project an app is for: one that exists, or a new one.

use anyhow::bail;
use clap::Args;
use steward_client::NewProject;

use crate::remote::Context;
use crate::terminal::{UsageError, prompt};

/// Maximum number of projects or teams that a person is asked about.
const MAX_CHOICES: u16 = 50;

#[derive(Debug, Args)]
pub struct ProjectSelection {
    /// ID or slug of an existing project
    #[arg(long)]
    project: Option<String>,
    /// Name of a project to create
    #[arg(long, conflicts_with = "project")]
    name: Option<String>,
    /// ID or slug of the team that owns the new project [default: your team, if you have only one]
    #[arg(long, conflicts_with = "project")]
    team: Option<String>,
}

/// The project of an app.
pub struct Project {
    pub id: String,
    pub name: String,
    pub is_new: bool,
}

impl ProjectSelection {
    /// Returns the project, or creates it. On a terminal, asks which one it is.
    pub async fn resolve(&self, context: &Context) -> anyhow::Result<Project> {
        if let Some(project) = &self.project {
            let id = context.project_id(Some(project)).await?;
            let name = context.client.projects().get(&id).data().await?.summary.name;
            return Ok(Project { id, name, is_new: false });
        }
        if let Some(name) = &self.name {
            return self.create(context, name.clone()).await;
        }
        if !prompt::is_possible() {
            bail!(UsageError("Name a project with --project, or the name of a new one with --name.".to_owned()));
        }
        let projects = context.client.projects().list().page_size(MAX_CHOICES).page().await?.data;
        let describe = |name: &str, team: &str| format!("{name} ({team})");
        let mut choices = vec!["Create a project".to_owned()];
        choices.extend(projects.iter().map(|project| describe(&project.summary.name, &project.team_slug)));
        let chosen = prompt::choose("Project", &choices)?;
        match chosen.checked_sub(1).and_then(|place| projects.into_iter().nth(place)) {
            Some(project) => {
                Ok(Project { id: project.summary.id.to_string(), name: project.summary.name, is_new: false })
            }
            None => self.create(context, prompt::text("Name of the project")?).await,
        }
    }

    async fn create(&self, context: &Context, name: String) -> anyhow::Result<Project> {
        let team_id = match &self.team {
            Some(team) => context.team_id(team).await?,
            None => only_team(context).await?,
        };
        let created = context.client.projects().create(&NewProject { name, team_id, slug: None }).data().await?;
        Ok(Project { id: created.summary.id.to_string(), name: created.summary.name, is_new: true })
    }
}

/// Returns the ID of the only team of the person, or of the one that they choose.
async fn only_team(context: &Context) -> anyhow::Result<String> {
    let teams = context.client.teams().list().page_size(MAX_CHOICES).page().await?.data;
    let place = match teams.len() {
        0 => {
            let message = "You have no team. Create one with `steward team create --name Acme --slug acme`.";
            bail!(UsageError(message.to_owned()));
        }
        1 => 0,
        _ if prompt::is_possible() => {
            let names = teams.iter().map(|team| format!("{} ({})", team.summary.name, team.summary.slug));
            prompt::choose("Team", &names.collect::<Vec<_>>())?
        }
        _ => {
            let slugs: Vec<&str> = teams.iter().map(|team| team.summary.slug.as_str()).collect();
            bail!(UsageError(format!("Name the team with --team: {}.", slugs.join(", "))));
        }
    };
    let chosen = teams.get(place).map(|team| team.summary.id.to_string());
    chosen.ok_or_else(|| UsageError("Name the team with --team.".to_owned()).into())
}
