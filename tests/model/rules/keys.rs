//! API keys (docs/contract.md#api-keys).

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{kept, name_faults};
use crate::expected::{Done, FORBIDDEN, INVALID, NOT_FOUND, Outcome, admitted, refuse_if};
use crate::operation::{Keys, Name, Nth};
use crate::permission::Roles;
use crate::world::{Caller, Key, Serves, World};

impl World {
    pub fn take_key(&mut self, caller: Caller, operation: &Keys) -> Outcome {
        match operation {
            Keys::Create { project, label, roles, private } => {
                self.create_key(caller, *project, *label, roles, *private)
            }
            Keys::Change { key, elsewhere, label, roles } => {
                self.change_key(caller, *key, *elsewhere, *label, roles.as_deref())
            }
            Keys::Regenerate { key, elsewhere } => self.regenerate_key(caller, *key, *elsewhere),
            Keys::Delete { key, elsewhere } => {
                let (_, key) = self.key_at(caller, *key, *elsewhere, Serves::People, "key:write")?;
                self.keys[key].deleted = true;
                Ok(Done::ok(json!({})))
            }
            Keys::Read { key, elsewhere } => {
                let (_, key) = self.key_at(caller, *key, *elsewhere, Serves::Keys, "key:read")?;
                Ok(Done::ok(json!({"key": self.key_shown(key)})))
            }
            Keys::List { project } => {
                let access = self.in_project(caller, self.project(*project), Serves::Keys, "key:read");
                let project = admitted(access, Vec::new())?;
                let own = (0..self.keys.len()).rev().filter(|key| self.is_key_of(*key, project));
                Ok(Done::ok(json!({"data": own.map(|key| self.key_shown(key)).collect::<Vec<_>>()})))
            }
            Keys::Verify { project, value, named } => self.verify_key(caller, *project, *value, *named),
        }
    }

    fn is_key_of(&self, key: usize, project: usize) -> bool {
        self.keys[key].project == project && !self.keys[key].deleted
    }

    /// Returns the project in the path of a key.
    pub fn project_of_key(&self, key: Nth, elsewhere: Option<Nth>) -> Option<usize> {
        let own = self.key(key).map(|key| self.keys[key].project);
        self.under(own.or(self.project(Nth(0))), elsewhere)
    }

    /// Returns an existing key in a project where the caller has the permission.
    fn key_at(
        &self,
        caller: Caller,
        key: Nth,
        elsewhere: Option<Nth>,
        serves: Serves,
        needs: &str,
    ) -> Result<(usize, usize), Vec<crate::expected::ExpectedError>> {
        let access = self.in_project(caller, self.project_of_key(key, elsewhere), serves, needs);
        let project = admitted(access, Vec::new())?;
        let key = self.key(key).filter(|key| self.is_key_of(*key, project));
        Ok((project, key.ok_or(vec![NOT_FOUND])?))
    }

    fn create_key(&mut self, caller: Caller, project: Nth, label: Name, roles: &str, private: bool) -> Outcome {
        let parsed = Roles::of_key(roles);
        let mut errors = name_faults(Some(label), &self.case);
        let exposes_more = !private && parsed.as_ref().is_some_and(|roles| !suit_public_keys(roles));
        errors.extend((parsed.is_none() || exposes_more).then_some(INVALID));
        let access = self.in_project(caller, self.project(project), Serves::People, "key:write");
        let project = admitted(access, errors)?;
        let roles = parsed.unwrap();
        refuse_if(&[(!self.may_issue(caller, project, &roles), FORBIDDEN)])?;

        let label = kept(label, &self.case);
        let (known_to, value) = (known_to(caller), self.values.len());
        self.values.push(self.keys.len());
        self.keys.push(Key { project, label, roles, private, known_to, value, deleted: false });
        Ok(self.key_issued(self.keys.len() - 1))
    }

    /// Nobody can grant permissions that they do not have, not even through a key.
    fn may_issue(&self, caller: Caller, project: usize, roles: &Roles) -> bool {
        let held = self.held(caller, self.projects[project].team, Some(project)).unwrap_or_default();
        roles.permissions.is_subset(&held)
    }

    fn change_key(
        &mut self,
        caller: Caller,
        key: Nth,
        elsewhere: Option<Nth>,
        label: Option<Name>,
        roles: Option<&str>,
    ) -> Outcome {
        let parsed = roles.map(Roles::of_key);
        let mut errors = name_faults(label, &self.case);
        errors.extend((parsed == Some(None) || roles.is_none() && label.is_none()).then_some(INVALID));
        let access = self.in_project(caller, self.project_of_key(key, elsewhere), Serves::People, "key:write");
        let project = admitted(access, errors)?;
        let key = self.key(key).filter(|key| self.is_key_of(*key, project)).ok_or(vec![NOT_FOUND])?;
        // Unchanged roles are not a grant.
        let roles = parsed.flatten().filter(|roles| *roles != self.keys[key].roles);
        refuse_if(&[
            (roles.as_ref().is_some_and(|roles| !self.may_issue(caller, project, roles)), FORBIDDEN),
            (roles.as_ref().is_some_and(|roles| !self.keys[key].private && !suit_public_keys(roles)), INVALID),
        ])?;

        let changed = &mut self.keys[key];
        changed.label = label.map_or(changed.label.clone(), |label| kept(label, &self.case));
        changed.roles = roles.unwrap_or(changed.roles.clone());
        let mut facts = self.key_shown(key);
        facts.as_object_mut().unwrap().remove("is_private");
        Ok(Done::ok(json!({"key": facts})))
    }

    /// A key can regenerate itself and no other key. Returning a value grants the permissions of the key to the caller.
    fn regenerate_key(&mut self, caller: Caller, key: Nth, elsewhere: Option<Nth>) -> Outcome {
        let (project, requested) = (self.project_of_key(key, elsewhere), self.key(key));
        let itself = match caller {
            Caller::Value(value) => {
                self.key_of(value).filter(|own| Some(*own) == requested && Some(self.keys[*own].project) == project)
            }
            _ => None,
        };
        let key = match itself {
            Some(key) => key,
            None => {
                let (project, key) = self.key_at(caller, key, elsewhere, Serves::People, "key:write")?;
                refuse_if(&[(!self.may_issue(caller, project, &self.keys[key].roles), FORBIDDEN)])?;
                key
            }
        };

        self.keys[key].value = self.values.len();
        self.keys[key].known_to.extend(known_to(caller));
        self.values.push(key);
        Ok(self.key_issued(key))
    }

    fn verify_key(&self, caller: Caller, project: Nth, value: Nth, named: Option<Nth>) -> Outcome {
        let access = self.in_project(caller, self.project(project), Serves::Keys, "key:read");
        let project = admitted(access, Vec::new())?;
        let key = value.newest_of(self.values.len()).and_then(|value| self.key_of(value));
        let valid = key.filter(|key| {
            self.keys[*key].project == project && named.is_none_or(|named| self.key(named) == Some(*key))
        });
        let facts = match valid {
            Some(key) => {
                let mut shown = self.key_shown(key);
                shown.as_object_mut().unwrap().remove("is_private");
                json!({"is_valid": true, "key": shown})
            }
            None => json!({"is_valid": false, "key": null}),
        };
        Ok(Done::ok(facts))
    }

    fn key_issued(&self, key: usize) -> Done {
        let mut facts = self.key_shown(key);
        facts["value"] = json!(format!("<value {}>", self.keys[key].value));
        Done::ok(json!({"key": facts}))
    }

    /// Returns a key as in responses: without its value.
    fn key_shown(&self, id: usize) -> Value {
        let key = &self.keys[id];
        json!({"id": format!("<key {id}>"), "label": key.label, "roles": key.roles.text, "is_private": key.private,
            "value": null})
    }
}

/// Returns whether a public key may have the roles.
fn suit_public_keys(roles: &Roles) -> bool {
    roles.permissions.iter().all(|permission| ["project:read", "schema:read"].contains(permission))
}

fn known_to(caller: Caller) -> BTreeSet<crate::operation::Person> {
    match caller {
        Caller::Person(person) => BTreeSet::from([person]),
        _ => BTreeSet::new(),
    }
}
