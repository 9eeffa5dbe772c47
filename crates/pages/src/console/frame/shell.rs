//! What the layout of every page of the console shows around its content.

use steward_domain::kernel::{PageRequest, PageSize, ResourceScope};

use crate::error::PageError;

use super::permitted::Permitted;
use super::sections::Section;
use super::signed::Signed;
use super::timestamps::Timestamp;

/// How many teams and projects the menu lists. The home page and the search list all of them.
const MENU_SIZE: PageSize = PageSize { rows: 50, bytes: 256 * 1024, ..PageSize::MAX };

/// The layout of a page.
pub(crate) struct Shell {
    pub(crate) csrf: String,
    /// The name of the person, or the email address of one without a name.
    pub(crate) person: String,
    pub(crate) email: String,
    pub(crate) is_operator: bool,
    pub(crate) flash: Option<String>,
    /// The time from which the person needs a second factor, which they did not use, and for what.
    pub(crate) second_factor_due: Option<(Timestamp, String)>,
    pub(crate) crumbs: Vec<Crumb>,
    pub(crate) sections: Vec<Section>,
    pub(crate) teams: Vec<MenuTeam>,
    /// Whether the menu lists some teams or projects only.
    pub(crate) is_menu_cut: bool,
}

/// A part of the breadcrumb. The last one has no address.
pub(crate) struct Crumb {
    pub(crate) label: String,
    pub(crate) address: Option<String>,
}

/// A team in the menu that switches between teams and projects.
pub(crate) struct MenuTeam {
    pub(crate) name: String,
    /// Tells teams with the same name apart.
    pub(crate) slug: String,
    /// `None` if the person may open none of its pages.
    pub(crate) address: Option<String>,
    /// Names and addresses.
    pub(crate) projects: Vec<(String, String)>,
}

impl Crumb {
    pub(crate) fn to(label: impl Into<String>, address: impl Into<String>) -> Self {
        Self { label: label.into(), address: Some(address.into()) }
    }

    /// The page itself.
    pub(crate) fn here(label: impl Into<String>) -> Self {
        Self { label: label.into(), address: None }
    }
}

impl Shell {
    /// Makes this the layout of a page below, from which the breadcrumb links back to `address`, if there is one.
    pub(crate) fn below(mut self, address: impl Into<Option<String>>, label: impl Into<String>) -> Self {
        if let Some(last) = self.crumbs.last_mut() {
            last.address = address.into();
        }
        self.crumbs.push(Crumb::here(label));
        self
    }

    /// Whether the page is that of a team or project, or below it.
    pub(crate) fn is_in(&self, address: &str) -> bool {
        let is_above = self.crumbs.iter().any(|crumb| crumb.address.as_deref() == Some(address));
        is_above || self.sections.iter().any(|section| section.address == address)
    }

    /// Returns the team of the page, with its slug if another team has the same name, and the project.
    pub(crate) fn place(&self) -> Option<(String, Option<&str>)> {
        let project = |team: &'_ MenuTeam| team.projects.iter().position(|(_, address)| self.is_in(address));
        let is_here = |team: &&MenuTeam| team.address.as_ref().is_some_and(|address| self.is_in(address));
        let team = self.teams.iter().find(|team| is_here(team) || project(team).is_some())?;
        let has_twin = self.teams.iter().any(|other| other.name == team.name && other.slug != team.slug);
        let name = if has_twin { format!("{} ({})", team.name, team.slug) } else { team.name.clone() };
        Some((name, project(team).and_then(|position| Some(team.projects.get(position)?.0.as_str()))))
    }

    /// Returns the address of the page above.
    pub(crate) fn back(&self) -> &str {
        self.crumbs.iter().rev().nth(1).and_then(|above| above.address.as_deref()).unwrap_or("/")
    }
}

impl Signed {
    /// Returns the layout of a page.
    pub(crate) async fn shell(&self, crumbs: Vec<Crumb>, sections: Vec<Section>) -> Result<Shell, PageError> {
        let account = &self.signed_in.account;
        let email = account.email.shown().to_owned();
        let (teams, is_menu_cut) = self.menu().await?;
        let second_factor_due = self.second_factor_due().await?;
        Ok(Shell {
            csrf: self.browser.csrf(),
            person: account.name.as_ref().map_or_else(|| email.clone(), |name| name.to_string()),
            email,
            is_operator: account.is_operator,
            flash: self.flash.clone(),
            second_factor_due,
            crumbs,
            sections,
            teams,
            is_menu_cut,
        })
    }

    /// Returns the first of the rules that require a second factor, unless the person used one. It also says why lists
    /// leave out a team.
    async fn second_factor_due(&self) -> Result<Option<(Timestamp, String)>, PageError> {
        let steward = self.steward();
        let of_team = steward.teams.second_factor_rule(&self.caller).await?;
        let of_team = of_team.map(|(due, team)| (due, format!("the team {team}")));
        let of_service = steward.accounts.second_factor_due(&self.signed_in.account);
        let of_service = of_service.filter(|_| self.caller.missing_factor.is_some());
        let both = of_service.map(|due| (due, "this service".to_owned())).into_iter().chain(of_team);
        Ok(both.min().map(|(due, what)| (due.into(), what)))
    }

    /// Returns the teams of the menu, and whether there are further teams or projects.
    async fn menu(&self) -> Result<(Vec<MenuTeam>, bool), PageError> {
        let (steward, page) = (self.steward(), PageRequest { size: MENU_SIZE, ..PageRequest::FIRST });
        let teams = steward.teams.list(&self.caller, &page).await?;
        let projects = steward.projects.list(&self.caller, &page).await?;
        let is_cut = teams.next.is_some() || projects.next.is_some();
        let menu = teams.items.into_iter().map(|membership| {
            let (team, permitted) = (membership.team, Permitted::with(membership.roles.permissions()));
            let own = projects.items.iter().filter(|found| found.project.team_id == team.id);
            let own = own.filter_map(|found| {
                let address = self.tabs().entry_of(permitted, ResourceScope::Project(found.project.id))?;
                Some((found.project.name.to_string(), address))
            });
            MenuTeam {
                name: team.name.to_string(),
                slug: team.slug.to_string(),
                address: self.tabs().entry_of(permitted, ResourceScope::Team(team.id)),
                projects: own.collect(),
            }
        });
        Ok((menu.collect(), is_cut))
    }
}
