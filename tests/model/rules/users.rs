//! Project users (docs/contract.md#project-users).

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::expected::{Done, ExpectedError, FORBIDDEN, INVALID, NOT_FOUND, Outcome, UNAUTHORIZED, admitted, refuse_if};
use crate::operation::{Nth, Token, Users};
use crate::world::{Caller, Serves, User, World};

impl World {
    pub fn take_user(&mut self, caller: Caller, operation: &Users) -> Outcome {
        match operation {
            Users::Connect { project, token } => self.connect(caller, *project, *token),
            Users::List { project } => {
                let access = self.in_project(caller, self.project(*project), Serves::Keys, "user:read");
                let project = admitted(access, Vec::new())?;
                let own = (0..self.users.len()).rev().filter(|user| self.is_user_of(*user, project));
                Ok(Done::ok(json!({"data": own.map(|user| self.user_shown(user)).collect::<Vec<_>>()})))
            }
            Users::Read { user, elsewhere } => {
                let user = self.user_at(caller, *user, *elsewhere, "user:read", Vec::new())?;
                Ok(Done::ok(json!({"data": self.user_shown(user)})))
            }
            Users::Change { user, elsewhere, meta, blocked } => {
                self.change_user(caller, *user, *elsewhere, meta.as_ref(), *blocked)
            }
            Users::Delete { user, elsewhere } => {
                let user = self.user_at(caller, *user, *elsewhere, "user:write", Vec::new())?;
                self.users[user].deleted = true;
                self.users[user].tables.clear();
                Ok(Done::ok(json!({"success": true})))
            }
        }
    }

    fn is_user_of(&self, user: usize, project: usize) -> bool {
        self.users[user].project == project && !self.users[user].deleted
    }

    /// Returns the project in the path of a user.
    pub fn project_of_user(&self, user: Nth, elsewhere: Option<Nth>) -> Option<usize> {
        let own = self.user(user).map(|user| self.users[user].project);
        self.under(own.or(self.project(Nth(0))), elsewhere)
    }

    /// Returns an existing user in a project where the caller has the permission.
    pub fn user_at(
        &self,
        caller: Caller,
        user: Nth,
        elsewhere: Option<Nth>,
        needs: &str,
        errors: Vec<ExpectedError>,
    ) -> Result<usize, Vec<ExpectedError>> {
        let access = self.in_project(caller, self.project_of_user(user, elsewhere), Serves::Keys, needs);
        let project = admitted(access, errors)?;
        self.user(user).filter(|user| self.is_user_of(*user, project)).ok_or(vec![NOT_FOUND])
    }

    /// A connected user stays the same user, a deleted user becomes a new user, and a blocked user is rejected.
    fn connect(&mut self, caller: Caller, project: Nth, token: Token) -> Outcome {
        admitted(self.welcome(caller), Vec::new())?;
        let (Some(project), Token::Of(person)) = (self.project(project), token) else {
            let is_invalid_token = !matches!(token, Token::Of(_));
            refuse_if(&[(is_invalid_token, UNAUTHORIZED), (self.project(project).is_none(), NOT_FOUND)])?;
            return Err(Vec::new());
        };
        let own =
            (0..self.users.len()).find(|user| self.is_user_of(*user, project) && self.users[*user].person == person);
        refuse_if(&[(own.is_some_and(|user| self.users[user].blocked), FORBIDDEN)])?;

        if own.is_none() {
            let tables = BTreeMap::new();
            self.users.push(User { project, person, blocked: false, meta: json!({}), deleted: false, tables });
        }
        Ok(Done::ok(json!({"ok": true})))
    }

    fn change_user(
        &mut self,
        caller: Caller,
        user: Nth,
        elsewhere: Option<Nth>,
        meta: Option<&Value>,
        blocked: Option<bool>,
    ) -> Outcome {
        let is_invalid = meta.is_some_and(|meta| !meta.is_object()) || meta.is_none() && blocked.is_none();
        let errors = if is_invalid { vec![INVALID] } else { Vec::new() };
        let user = self.user_at(caller, user, elsewhere, "user:write", errors)?;

        if let Some(meta) = meta {
            merge(&mut self.users[user].meta, meta);
        }
        self.users[user].blocked = blocked.unwrap_or(self.users[user].blocked);
        Ok(Done::ok(json!({"data": self.user_shown(user)})))
    }

    fn user_shown(&self, id: usize) -> Value {
        let user = &self.users[id];
        let status = if user.blocked { "blocked" } else { "connected" };
        json!({"id": format!("<user {id}>"), "status": status, "meta": {"=": user.meta},
            "profile": {"username": user.person.username(&self.case)}})
    }
}

/// Merges a JSON merge patch (RFC 7396).
fn merge(target: &mut Value, patch: &Value) {
    let Some(patch) = patch.as_object() else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = json!({});
    }
    let members = target.as_object_mut().unwrap();
    for (name, value) in patch {
        if value.is_null() {
            members.remove(name);
        } else {
            merge(members.entry(name.clone()).or_insert(Value::Null), value);
        }
    }
}
