//! Teams (docs/contract.md#teams).

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{kept, name_faults, slug_faults};
use crate::expected::{Done, INVALID, OWNS_PROJECTS, Outcome, SLUG_TAKEN, admitted, refuse_if};
use crate::operation::{Name, Nth, Slug, Teams};
use crate::permission::Roles;
use crate::world::{Caller, Member, Serves, Team, World};

impl World {
    pub fn take_team(&mut self, caller: Caller, operation: &Teams) -> Outcome {
        match operation {
            Teams::Create { name, slug } => self.create_team(caller, *name, *slug),
            Teams::Rename { team, name, slug } => self.rename_team(caller, *team, *name, *slug),
            Teams::Delete { team } => self.delete_team(caller, *team),
            Teams::List => self.list_teams(caller),
            Teams::Read { team } => self.read_team(caller, *team),
            Teams::CheckSlug { slug } => {
                admitted(self.welcome(caller), slug_faults(Some(*slug).filter(|slug| slug.0 != "admin")))?;
                let taken = slug.0 == "admin" || self.has_team_slug(None, &slug.sent(&self.case));
                Ok(Done::ok(json!({"available": !taken})))
            }
        }
    }

    /// Returns whether another team has or had the slug: a previous slug stays reserved for its team.
    fn has_team_slug(&self, own: Option<usize>, slug: &str) -> bool {
        let slug = slug.to_lowercase();
        let others = self.teams.iter().enumerate().filter(|(id, team)| Some(*id) != own && !team.deleted);
        others.into_iter().any(|(_, team)| team.slug == slug || team.former_slugs.contains(&slug))
    }

    fn create_team(&mut self, caller: Caller, name: Name, slug: Slug) -> Outcome {
        let errors = [name_faults(Some(name), &self.case), slug_faults(Some(slug))].concat();
        let person = admitted(self.person(caller), errors)?;
        let (name, slug) = (kept(name, &self.case), slug.sent(&self.case).to_lowercase());
        refuse_if(&[(self.has_team_slug(None, &slug), SLUG_TAKEN)])?;

        let roles = Roles::of_member("owner").unwrap();
        let members = vec![Member { person, roles, label: String::new() }];
        self.teams.push(Team { name, slug, former_slugs: BTreeSet::new(), members, deleted: false });
        let mut facts = self.team_shown(self.teams.len() - 1);
        facts["owner"] = json!(person.symbol());
        Ok(Done::created(json!({"data": facts})))
    }

    fn rename_team(&mut self, caller: Caller, team: Nth, name: Option<Name>, slug: Option<Slug>) -> Outcome {
        let mut errors = [name_faults(name, &self.case), slug_faults(slug)].concat();
        errors.extend((name.is_none() && slug.is_none()).then_some(INVALID));
        let team = admitted(self.in_team(caller, team, Serves::People, "team:write"), errors)?;
        let slug = slug.map(|slug| slug.sent(&self.case).to_lowercase());
        refuse_if(&[(slug.as_ref().is_some_and(|slug| self.has_team_slug(Some(team), slug)), SLUG_TAKEN)])?;

        let changed = &mut self.teams[team];
        if let Some(name) = name {
            changed.name = kept(name, &self.case);
        }
        if let Some(slug) = slug {
            changed.former_slugs.insert(std::mem::replace(&mut changed.slug, slug));
        }
        let mut facts = self.team_shown(team);
        facts["owner_id"] = self.owner_shown(team);
        Ok(Done::ok(json!({"data": facts})))
    }

    fn delete_team(&mut self, caller: Caller, team: Nth) -> Outcome {
        let team = admitted(self.in_team(caller, team, Serves::People, "team:delete"), Vec::new())?;
        refuse_if(&[(self.projects.iter().any(|project| project.team == team), OWNS_PROJECTS)])?;

        self.teams[team].deleted = true;
        self.teams[team].members.clear();
        self.invites.iter_mut().filter(|invite| invite.team == team).for_each(|invite| invite.pending = false);
        Ok(Done::ok(json!({})))
    }

    fn list_teams(&self, caller: Caller) -> Outcome {
        let person = admitted(self.person(caller), Vec::new())?;
        let own = (0..self.teams.len()).filter_map(|team| Some((team, self.member(team, person)?)));
        let facts = own.map(|(team, member)| {
            let mut facts = self.team_shown(team);
            facts["owner"] = self.owner_shown(team);
            facts["roles"] = json!(member.roles.text);
            facts["role_name"] = json!(member.roles.shown_label(&member.label));
            facts
        });
        Ok(Done::ok(json!({"data": facts.collect::<Vec<_>>()})))
    }

    /// Lists that the caller may not read are empty. A key sees only its own project.
    fn read_team(&self, caller: Caller, team: Nth) -> Outcome {
        let team = admitted(self.in_team(caller, team, Serves::Keys, "team:read"), Vec::new())?;
        let held = self.held(caller, team, None).unwrap_or_default();
        let mut facts = self.team_shown(team);
        facts["owner_id"] = self.owner_shown(team);
        let visible = |needs: &str, list: Vec<Value>| if held.contains(needs) { list } else { Vec::new() };
        facts["members"] = visible("member:read", self.members_shown(team)).into();
        facts["invites"] = visible("invite:read", self.invites_shown(team)).into();
        let projects = (0..self.projects.len())
            .rev()
            .filter(|id| self.projects[*id].team == team && self.held(caller, team, Some(*id)).is_some());
        facts["projects"] = visible("project:read", projects.map(|id| self.project_shown(id)).collect()).into();
        Ok(Done::ok(json!({"data": facts})))
    }

    fn team_shown(&self, id: usize) -> Value {
        let team = &self.teams[id];
        json!({"id": format!("<team {id}>"), "name": team.name, "slug": team.slug})
    }

    fn owner_shown(&self, team: usize) -> Value {
        self.owner(team).map(|owner| owner.symbol()).into()
    }
}
