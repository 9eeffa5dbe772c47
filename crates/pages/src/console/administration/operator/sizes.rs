//! Teams and projects by size, for operators.

use askama::Template;
use steward_domain::administration::{SizeOrder, SizePage};

use crate::console::administration::project::number::size;
use crate::console::frame::{Shell, Signed};
use crate::error::{PageError, PageResult};
use crate::request::form::with_query;

use super::service;

/// Rows on one page.
const ROWS: u16 = 50;

/// Lists teams or projects, largest first.
pub(crate) async fn show(signed: Signed) -> PageResult {
    let shell = signed.operator_shell("Sizes").await?;
    let is_of_teams = signed.query("of") == "teams";
    let order = SizeOrder::parse(&signed.query("order")).unwrap_or_default();
    let offset = signed.query("offset").parse().unwrap_or(0);
    // One row more shows whether there is another page.
    let page = SizePage { order, offset, limit: ROWS.saturating_add(1) };
    let mut lines = if is_of_teams { teams(&signed, page).await? } else { projects(&signed, page).await? };
    let has_more = lines.len() > usize::from(ROWS);
    lines.truncate(usize::from(ROWS));
    let next_offset = offset.checked_add(ROWS).filter(|_| has_more);
    let address = |of: bool, order: SizeOrder, offset: u16| {
        let (of, offset) = (if of { "teams" } else { "projects" }, offset.to_string());
        let offset = if offset == "0" { "" } else { &offset };
        let parameters = [("of", of), ("order", order.as_str()), ("offset", offset)];
        with_query(&format!("{}/sizes", service::ADDRESS), parameters)
    };
    let choice = |label, of, by| (label, address(of, by, 0), of == is_of_teams && by == order);
    signed.page(&Sizes {
        shell,
        choices: [
            choice("Projects by size of their items", false, SizeOrder::Bytes),
            choice("Projects by number of items", false, SizeOrder::Items),
            choice("Teams by size of their items", true, SizeOrder::Bytes),
            choice("Teams by number of items", true, SizeOrder::Items),
        ],
        is_of_teams,
        lines,
        next: next_offset.map(|offset| address(is_of_teams, order, offset)),
    })
}

/// A team or a project.
struct SizeLine {
    name: String,
    slug: String,
    /// The slug of a project's team, or the number of a team's projects.
    detail: String,
    items: u64,
    size: String,
}

async fn teams(signed: &Signed, page: SizePage) -> Result<Vec<SizeLine>, PageError> {
    let found = signed.steward().operators.teams_by_size(&signed.caller, page).await?;
    let lines = found.iter().map(|team| SizeLine {
        name: team.name.to_string(),
        slug: team.slug.to_string(),
        detail: team.projects.to_string(),
        items: team.items,
        size: size(team.bytes),
    });
    Ok(lines.collect())
}

async fn projects(signed: &Signed, page: SizePage) -> Result<Vec<SizeLine>, PageError> {
    let found = signed.steward().operators.projects_by_size(&signed.caller, page).await?;
    let lines = found.iter().map(|project| SizeLine {
        name: project.name.to_string(),
        slug: project.slug.to_string(),
        detail: project.team_slug.to_string(),
        items: project.items,
        size: size(project.bytes),
    });
    Ok(lines.collect())
}

#[derive(Template)]
#[template(path = "console/administration/operator/sizes.html")]
struct Sizes {
    shell: Shell,
    /// Labels and addresses of the lists, and whether they are shown.
    choices: [(&'static str, String, bool); 4],
    is_of_teams: bool,
    lines: Vec<SizeLine>,
    next: Option<String>,
}
