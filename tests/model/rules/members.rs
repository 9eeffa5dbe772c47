//! Members and their roles (docs/contract.md#members, docs/contract.md#roles).

use serde_json::{Value, json};

use super::label_faults;
use crate::expected::{Done, FORBIDDEN, INVALID, LAST_OWNER, NOT_FOUND, Outcome, admitted, refuse_if};
use crate::operation::{Members, Nth, Person};
use crate::permission::Roles;
use crate::world::{Caller, Serves, World};

impl World {
    pub fn take_member(&mut self, caller: Caller, operation: &Members) -> Outcome {
        match operation {
            Members::List { team } => {
                let team = admitted(self.in_team(caller, *team, Serves::Keys, "member:read"), Vec::new())?;
                Ok(Done::ok(json!({"data": self.members_shown(team)})))
            }
            Members::Change { team, person, roles, label } => {
                self.change_member(caller, *team, *person, roles.as_deref(), *label)
            }
            Members::Remove { team, person } => self.remove_member(caller, *team, *person),
        }
    }

    /// Nobody can grant permissions that they do not have, and only owners can add owners.
    pub fn may_grant(&self, caller: Caller, team: usize, roles: &Roles) -> bool {
        let held = self.held(caller, team, None).unwrap_or_default();
        roles.permissions.is_subset(&held) && (!roles.is_owner() || self.is_owner(caller, team))
    }

    pub fn is_owner(&self, caller: Caller, team: usize) -> bool {
        let Caller::Person(person) = caller else { return false };
        self.member(team, person).is_some_and(|member| member.roles.is_owner())
    }

    fn is_last_owner(&self, team: usize, person: Person) -> bool {
        let owners: Vec<_> = self.teams[team].members.iter().filter(|member| member.roles.is_owner()).collect();
        owners.len() == 1 && owners[0].person == person
    }

    fn change_member(
        &mut self,
        caller: Caller,
        team: Nth,
        person: Person,
        roles: Option<&str>,
        label: Option<&str>,
    ) -> Outcome {
        let mut errors = label_faults(label);
        let parsed = roles.map(Roles::of_member);
        errors.extend((parsed == Some(None) || roles.is_none() && label.is_none()).then_some(INVALID));
        let team = admitted(self.in_team(caller, team, Serves::People, "member:write"), errors)?;
        let member = self.member(team, person).ok_or(vec![NOT_FOUND])?;
        let roles = parsed.flatten();
        let granted = roles.as_ref().is_none_or(|roles| self.may_grant(caller, team, roles));
        let changes_owner = member.roles.is_owner() && !self.is_owner(caller, team);
        let demotes = roles.as_ref().is_some_and(|roles| !roles.is_owner());
        refuse_if(&[
            (changes_owner || !granted, FORBIDDEN),
            (demotes && self.is_last_owner(team, person), LAST_OWNER),
        ])?;

        let member = self.teams[team].members.iter_mut().find(|member| member.person == person).unwrap();
        let changed = roles.filter(|roles| *roles != member.roles);
        if let Some(roles) = &changed {
            member.roles = roles.clone();
        }
        if let Some(label) = label {
            member.label = label.to_owned();
        }
        let (mut keys, mut invites) = (Vec::new(), Vec::new());
        if let Some(remaining) = &changed {
            keys = self.keys_known(team, person, Some(remaining));
            invites = self.end_invites(team, person, Some(remaining));
        }
        let mut facts = self.member_shown(team, person);
        facts["team_id"] = json!(format!("<team {team}>"));
        Ok(Done::ok(json!({"data": facts, "affected_keys": keys, "affected_invites": invites})))
    }

    /// Any member can leave; removing another member requires a permission. The response lists the keys known to the
    /// removed member, and their invites are revoked.
    fn remove_member(&mut self, caller: Caller, team: Nth, person: Person) -> Outcome {
        let leaves = caller == Caller::Person(person);
        let own = team.of(self.teams.len()).filter(|team| leaves && self.member(*team, person).is_some());
        let access = own.map_or_else(|| self.in_team(caller, team, Serves::People, "member:write"), Ok);
        let team = admitted(access, Vec::new())?;
        let member = self.member(team, person).ok_or(vec![NOT_FOUND])?;
        refuse_if(&[
            (member.roles.is_owner() && !self.is_owner(caller, team), FORBIDDEN),
            (self.is_last_owner(team, person), LAST_OWNER),
        ])?;

        self.teams[team].members.retain(|member| member.person != person);
        let (keys, invites) = (self.keys_known(team, person, None), self.end_invites(team, person, None));
        Ok(Done::ok(json!({"success": true, "affected_keys": keys, "affected_invites": invites})))
    }

    /// Returns the members of a team, oldest first.
    pub fn members_shown(&self, team: usize) -> Vec<Value> {
        self.teams[team].members.iter().map(|member| self.member_shown(team, member.person)).collect()
    }

    pub fn member_shown(&self, team: usize, person: Person) -> Value {
        let member = self.member(team, person).unwrap();
        let role_name = member.roles.shown_label(&member.label);
        json!({"account_id": person.symbol(), "roles": member.roles.text, "role_name": role_name})
    }
}
