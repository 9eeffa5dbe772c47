//! Projects (docs/contract.md#projects).

use serde_json::{Value, json};

use super::{kept, name_faults, slug_faults};
use crate::expected::{
    Done, ExpectedError, FORBIDDEN, INVALID, Outcome, SLUG_TAKEN, UNAUTHORIZED, admitted, refuse_if,
};
use crate::operation::{Name, Nth, Projects, Slug};
use crate::world::{Caller, Project, Serves, World};

impl World {
    pub fn take_project(&mut self, caller: Caller, operation: &Projects) -> Outcome {
        match operation {
            Projects::Create { team, name, slug } => self.create_project(caller, *team, *name, *slug),
            Projects::Rename { project, name, slug } => self.rename_project(caller, *project, *name, *slug),
            Projects::List => self.list_projects(caller),
            Projects::Read { project } => {
                let access = self.in_project(caller, self.project(*project), Serves::Keys, "project:read");
                let project = admitted(access, Vec::new())?;
                let mut facts = self.project_shown(project);
                facts["team_id"] = json!(team_id(self.projects[project].team));
                Ok(Done::ok(json!({"data": facts})))
            }
            Projects::CheckSlug { slug } => {
                admitted(self.welcome(caller), slug_faults(Some(*slug).filter(|slug| slug.0 != "admin")))?;
                let taken = slug.0 == "admin" || self.has_project_slug(None, &slug.sent(&self.case));
                Ok(Done::ok(json!({"available": !taken})))
            }
        }
    }

    fn has_project_slug(&self, own: Option<usize>, slug: &str) -> bool {
        let slug = slug.to_lowercase();
        self.projects.iter().enumerate().any(|(id, project)| Some(id) != own && project.slug == slug)
    }

    fn create_project(&mut self, caller: Caller, team: Nth, name: Name, slug: Option<Slug>) -> Outcome {
        let mut errors: Vec<ExpectedError> = [name_faults(Some(name), &self.case), slug_faults(slug)].concat();
        // The team is in the body: the service can reject an API key before it looks up the team.
        errors.extend(matches!(caller, Caller::Value(_)).then_some(FORBIDDEN));
        let team = admitted(self.in_team(caller, team, Serves::People, "project:create"), errors)?;
        let slug = slug.map(|slug| slug.sent(&self.case).to_lowercase());
        refuse_if(&[(slug.as_ref().is_some_and(|slug| self.has_project_slug(None, slug)), SLUG_TAKEN)])?;

        let name = kept(name, &self.case);
        let slug = slug.unwrap_or_else(|| self.free_project_slug(&slugified(&name)));
        self.projects.push(Project { team, name, slug, documents: Vec::new() });
        Ok(Done::created(json!({"data": self.project_shown(self.projects.len() - 1)})))
    }

    /// Returns the slug, or the first available one with a number appended.
    fn free_project_slug(&self, slug: &str) -> String {
        let numbered = (2..).map(|number| format!("{slug}-{number}"));
        std::iter::once(slug.to_owned()).chain(numbered).find(|slug| !self.has_project_slug(None, slug)).unwrap()
    }

    fn rename_project(&mut self, caller: Caller, project: Nth, name: Option<Name>, slug: Option<Slug>) -> Outcome {
        let mut errors = [name_faults(name, &self.case), slug_faults(slug)].concat();
        errors.extend((name.is_none() && slug.is_none()).then_some(INVALID));
        let access = self.in_project(caller, self.project(project), Serves::Keys, "project:write");
        let project = admitted(access, errors)?;
        let slug = slug.map(|slug| slug.sent(&self.case).to_lowercase());
        refuse_if(&[(slug.as_ref().is_some_and(|slug| self.has_project_slug(Some(project), slug)), SLUG_TAKEN)])?;

        let changed = &mut self.projects[project];
        changed.name = name.map_or(changed.name.clone(), |name| kept(name, &self.case));
        changed.slug = slug.unwrap_or(changed.slug.clone());
        Ok(Done::ok(json!({"data": self.project_shown(project)})))
    }

    /// Lists the projects of all teams of the caller, newest first. A key lists its own project.
    fn list_projects(&self, caller: Caller) -> Outcome {
        let authenticated = if caller == Caller::Nobody { Err(UNAUTHORIZED) } else { self.welcome(caller) };
        admitted(authenticated, Vec::new())?;
        let visible = (0..self.projects.len()).rev();
        let visible = visible.filter(|id| self.held(caller, self.projects[*id].team, Some(*id)).is_some());
        let facts = visible.map(|id| {
            let team = &self.teams[self.projects[id].team];
            let mut facts = self.project_shown(id);
            facts["team_id"] = json!(team_id(self.projects[id].team));
            facts["team_name"] = json!(team.name);
            facts["team_slug"] = json!(team.slug);
            facts
        });
        Ok(Done::ok(json!({"data": facts.collect::<Vec<_>>()})))
    }

    pub fn project_shown(&self, id: usize) -> Value {
        let project = &self.projects[id];
        json!({"id": format!("<project {id}>"), "name": project.name, "slug": project.slug})
    }
}

fn team_id(team: usize) -> String {
    format!("<team {team}>")
}

/// Derives a slug from a name (docs/contract.md#slugs, limited to the names of the cases).
fn slugified(name: &str) -> String {
    let words: String = name.to_lowercase().chars().filter(|sign| sign.is_alphanumeric() || *sign == ' ').collect();
    words.split_whitespace().collect::<Vec<_>>().join("-")
}
