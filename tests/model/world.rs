//! The state of the model and its access rules. The rules of each resource are in `rules/`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::expected::{ExpectedError, FORBIDDEN, NOT_FOUND, Outcome, UNAUTHORIZED};
use crate::operation::{Actor, Invites, ItemName, Nth, Operation, Person, Step};
use crate::permission::{Permissions, Roles};

/// The state of a case. Deleted entries stay in their lists, so that indexes remain valid.
#[derive(Debug, Clone)]
pub struct World {
    /// Makes the names of this case different from those of other cases on the same server.
    pub case: String,
    pub teams: Vec<Team>,
    pub invites: Vec<Invite>,
    pub projects: Vec<Project>,
    pub keys: Vec<Key>,
    /// Every key value that was returned, as the index of its key.
    pub values: Vec<usize>,
    pub users: Vec<User>,
    /// The location (user, table, item) of each item version. The last entry of a location is its newest version.
    pub versions: Vec<(usize, &'static str, ItemName)>,
    pub items_made: usize,
    pub offers: usize,
}

#[derive(Debug, Clone)]
pub struct Team {
    pub name: String,
    pub slug: String,
    pub former_slugs: BTreeSet<String>,
    /// Oldest first.
    pub members: Vec<Member>,
    pub deleted: bool,
}

#[derive(Debug, Clone)]
pub struct Member {
    pub person: Person,
    pub roles: Roles,
    pub label: String,
}

#[derive(Debug, Clone)]
pub struct Invite {
    pub team: usize,
    /// The person who created or last renewed the invite.
    pub by: Person,
    pub recipient: Invitee,
    /// The email or username as it was sent.
    pub written: String,
    pub roles: Roles,
    pub label: String,
    pub pending: bool,
    /// Sequence number of the creation or the last renewal.
    pub offer: usize,
}

/// The recipient of an invite: an account, or the owner of a verified email.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Invitee {
    Account(Person),
    Email(String),
}

#[derive(Debug, Clone)]
pub struct Project {
    pub team: usize,
    pub name: String,
    pub slug: String,
    /// The published documents, oldest first.
    pub documents: Vec<Value>,
}

#[derive(Debug, Clone)]
pub struct Key {
    pub project: usize,
    pub label: String,
    pub roles: Roles,
    pub private: bool,
    /// People who created or regenerated the key.
    pub known_to: BTreeSet<Person>,
    /// Index of the valid value.
    pub value: usize,
    pub deleted: bool,
}

#[derive(Debug, Clone)]
pub struct User {
    pub project: usize,
    pub person: Person,
    pub blocked: bool,
    pub meta: Value,
    pub deleted: bool,
    pub tables: BTreeMap<&'static str, Vec<Item>>,
}

#[derive(Debug, Clone)]
pub struct Item {
    pub name: ItemName,
    pub fields: Map<String, Value>,
    /// Index in [`World::versions`].
    pub version: usize,
}

/// The resolved caller of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    Nobody,
    Person(Person),
    /// Index of a key value.
    Value(usize),
}

impl World {
    pub fn new(case: &str) -> Self {
        Self {
            case: case.to_owned(),
            teams: Vec::new(),
            invites: Vec::new(),
            projects: Vec::new(),
            keys: Vec::new(),
            values: Vec::new(),
            users: Vec::new(),
            versions: Vec::new(),
            items_made: 0,
            offers: 0,
        }
    }

    /// Returns the caller of this step.
    pub fn caller(&self, step: &Step) -> Caller {
        match (step.actor, &step.operation) {
            (Actor::Nobody, _) => Caller::Nobody,
            (Actor::Person(person), _) => Caller::Person(person),
            (Actor::Invitee, Operation::Invites(Invites::Accept { invite })) => {
                let invite = self.invite(*invite).map(|invite| &self.invites[invite].recipient);
                let recipient =
                    Person::ALL.into_iter().find(|person| invite.is_some_and(|to| self.is_for(to, *person)));
                Caller::Person(recipient.unwrap_or(Person::Ann))
            }
            (Actor::Chief | Actor::Invitee, operation) => {
                let team = self.team_of(operation).unwrap_or_default();
                Caller::Person(self.owner(team).unwrap_or(Person::Ann))
            }
            (Actor::Key(value), _) => value.newest_of(self.values.len()).map_or(Caller::Nobody, Caller::Value),
        }
    }

    /// Returns whether an invite names this person. The email of the person may be unverified.
    fn is_for(&self, invitee: &Invitee, person: Person) -> bool {
        match invitee {
            Invitee::Account(account) => *account == person,
            Invitee::Email(email) => *email == person.email(&self.case),
        }
    }

    /// Returns the oldest member with the role owner.
    pub fn owner(&self, team: usize) -> Option<Person> {
        let members = &self.teams.get(team)?.members;
        Some(members.iter().find(|member| member.roles.is_owner())?.person)
    }

    pub fn member(&self, team: usize, person: Person) -> Option<&Member> {
        self.teams[team].members.iter().find(|member| member.person == person)
    }

    /// Returns the key of a value, if the value is valid.
    pub fn key_of(&self, value: usize) -> Option<usize> {
        let key = *self.values.get(value)?;
        (!self.keys[key].deleted && self.keys[key].value == value).then_some(key)
    }

    /// Rejects an invalid credential, even for operations that require none.
    pub fn welcome(&self, caller: Caller) -> Result<(), ExpectedError> {
        match caller {
            Caller::Value(value) if self.key_of(value).is_none() => Err(UNAUTHORIZED),
            _ => Ok(()),
        }
    }

    /// Returns the person for operations that API keys cannot use.
    pub fn person(&self, caller: Caller) -> Result<Person, ExpectedError> {
        self.welcome(caller)?;
        match caller {
            Caller::Nobody => Err(UNAUTHORIZED),
            Caller::Value(_) => Err(FORBIDDEN),
            Caller::Person(person) => Ok(person),
        }
    }

    /// Returns the permissions of the caller in a team or in one of its projects; `None` without access to it.
    pub fn held(&self, caller: Caller, team: usize, project: Option<usize>) -> Option<Permissions> {
        match caller {
            Caller::Nobody => None,
            Caller::Person(person) => Some(self.member(team, person)?.roles.permissions.clone()),
            Caller::Value(value) => {
                let key = &self.keys[self.key_of(value)?];
                let within = self.projects[key.project].team == team && project.is_none_or(|id| id == key.project);
                within.then(|| key.roles.permissions.clone())
            }
        }
    }

    /// Returns the team if the caller may know about it and has the permission (docs/contract.md#errors).
    pub fn in_team(&self, caller: Caller, team: Nth, serves: Serves, needs: &str) -> Result<usize, ExpectedError> {
        let team = team.of(self.teams.len());
        let held = team.and_then(|team| Some((team, self.held(caller, team, None)?)));
        self.may(caller, held, serves, needs)
    }

    /// Returns the project if the caller may know about it and has the permission (docs/contract.md#errors).
    pub fn in_project(
        &self,
        caller: Caller,
        project: Option<usize>,
        serves: Serves,
        needs: &str,
    ) -> Result<usize, ExpectedError> {
        let held = project.and_then(|id| Some((id, self.held(caller, self.projects[id].team, Some(id))?)));
        self.may(caller, held, serves, needs)
    }

    fn may(
        &self,
        caller: Caller,
        held: Option<(usize, Permissions)>,
        serves: Serves,
        needs: &str,
    ) -> Result<usize, ExpectedError> {
        self.welcome(caller)?;
        if caller == Caller::Nobody {
            return Err(UNAUTHORIZED);
        }
        let (id, held) = held.ok_or(NOT_FOUND)?;
        let served = serves == Serves::Keys || matches!(caller, Caller::Person(_));
        if served && held.contains(needs) { Ok(id) } else { Err(FORBIDDEN) }
    }

    pub fn project(&self, project: Nth) -> Option<usize> {
        project.of(self.projects.len())
    }

    /// Returns the project in the request path: the resource's own project, or another one.
    pub fn under(&self, own: Option<usize>, elsewhere: Option<Nth>) -> Option<usize> {
        elsewhere.map_or(own, |elsewhere| self.project(elsewhere))
    }

    pub fn key(&self, key: Nth) -> Option<usize> {
        key.newest_of(self.keys.len())
    }

    pub fn user(&self, user: Nth) -> Option<usize> {
        user.of(self.users.len())
    }

    /// Selects an invite: first pending ones, then others, each from the newest.
    pub fn invite(&self, invite: Nth) -> Option<usize> {
        let mut invites: Vec<usize> = (0..self.invites.len()).rev().collect();
        invites.sort_by_key(|id| !self.invites[*id].pending);
        Some(invites[invite.of(invites.len())?])
    }

    /// Applies the step to the model and returns the expected response.
    pub fn take(&mut self, step: &Step) -> Outcome {
        let caller = self.caller(step);
        match &step.operation {
            Operation::Teams(operation) => self.take_team(caller, operation),
            Operation::Members(operation) => self.take_member(caller, operation),
            Operation::Invites(operation) => self.take_invite(caller, operation),
            Operation::Projects(operation) => self.take_project(caller, operation),
            Operation::Keys(operation) => self.take_key(caller, operation),
            Operation::Schemas(operation) => self.take_schema(caller, operation),
            Operation::Users(operation) => self.take_user(caller, operation),
            Operation::Items(operation) => self.take_item(caller, operation),
        }
    }
}

/// The callers that can use an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Serves {
    People,
    Keys,
}
