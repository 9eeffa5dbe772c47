//! Search for teams and projects by name or slug.

use actix_web::HttpResponse;
use askama::Template;
use steward_domain::model::PageRequest;

use crate::error::PageError;

use super::home::{ProjectLine, TeamLine, project_lines, team_line};
use super::shell::{Crumb, Shell};
use super::signed::Signed;

/// Maximum length of a search text that is compared, in characters.
const MAX_CHARS: usize = 100;

/// Shows what the person may see and what matches the text.
pub(super) async fn show(signed: Signed) -> Result<HttpResponse, PageError> {
    let text: String = signed.query("q").trim().chars().take(MAX_CHARS).collect();
    let (steward, wanted) = (signed.steward(), text.to_lowercase());
    let matches = |name: &str, slug: &str| name.to_lowercase().contains(&wanted) || slug.contains(&wanted);
    let (mut teams, mut projects, mut is_cut) = (Vec::new(), Vec::new(), false);
    if !text.is_empty() {
        let memberships = steward.teams.list(&signed.caller, &PageRequest::FIRST).await?;
        let found = steward.projects.list(&signed.caller, &PageRequest::FIRST).await?;
        is_cut = memberships.next.is_some() || found.next.is_some();
        let (memberships, mut found) = (memberships.items, found.items);
        found.retain(|found| matches(found.project.name.as_str(), found.project.slug.as_str()));
        projects = project_lines(&found, &memberships);
        let found = memberships.iter().filter(|found| matches(found.team.name.as_str(), found.team.slug.as_str()));
        teams = found.map(team_line).collect();
    }
    let shell = signed.shell(vec![Crumb::here("Search")], Vec::new()).await?;
    signed.page(&Search { shell, text, teams, projects, is_cut })
}

#[derive(Template)]
#[template(path = "console/search.html")]
struct Search {
    shell: Shell,
    text: String,
    teams: Vec<TeamLine>,
    projects: Vec<ProjectLine>,
    /// Whether the person has further teams or projects, which were not compared.
    is_cut: bool,
}
