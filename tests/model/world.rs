//! The model: what there is, who may touch it, and who is who. Plain state; the rules of each concept stand in `rules/`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::expected::{ExpectedError, FORBIDDEN, Outcome, UNAUTHORIZED, UNKNOWN_THING};
use crate::operation::{Actor, Invites, ItemName, Nth, Operation, Person, Step};
use crate::permission::{Permissions, Roles};

/// Everything of a case. Nothing leaves its list: what is deleted keeps its number.
#[derive(Debug, Clone)]
pub struct World {
    /// Tells the names of this case from those of others on the same server.
    pub case: String,
    pub teams: Vec<Team>,
    pub invites: Vec<Invite>,
    pub projects: Vec<Project>,
    pub keys: Vec<Key>,
    /// Every value of a key ever shown, and the key it is of.
    pub values: Vec<usize>,
    pub users: Vec<User>,
    /// Of every version of every item, which place had it; the last of a place is the newest.
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
    /// Who made it, or made it again.
    pub by: Person,
    pub recipient: Invitee,
    /// As it was written.
    pub written: String,
    pub roles: Roles,
    pub label: String,
    pub pending: bool,
    /// Counts the offers: one that is renewed is as new as its renewal.
    pub offer: usize,
}

/// Whom an invite is for: an account, or whoever proves to have an email.
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
    /// Who made or regenerated it.
    pub known_to: BTreeSet<Person>,
    /// The one value that is good.
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
    /// Its number among the world's versions.
    pub version: usize,
}

/// Who asks, once it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    Nobody,
    Person(Person),
    /// The number of a value.
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

    /// Who takes this step.
    pub fn caller(&self, step: &Step) -> Caller {
        match (step.actor, &step.operation) {
            (Actor::Nobody, _) => Caller::Nobody,
            (Actor::Person(person), _) => Caller::Person(person),
            (Actor::Addressee, Operation::Invites(Invites::Accept { invite })) => {
                let invite = self.invite(*invite).map(|invite| &self.invites[invite].recipient);
                let named = Person::ALL.into_iter().find(|person| invite.is_some_and(|to| self.is_for(to, *person)));
                Caller::Person(named.unwrap_or(Person::Ann))
            }
            (Actor::Chief | Actor::Addressee, operation) => {
                let team = self.team_of(operation).unwrap_or_default();
                Caller::Person(self.owner(team).unwrap_or(Person::Ann))
            }
            (Actor::Key(value), _) => value.newest_of(self.values.len()).map_or(Caller::Nobody, Caller::Value),
        }
    }

    /// Whether the words of an invite name a person, whose email may not be verified.
    fn is_for(&self, invitee: &Invitee, person: Person) -> bool {
        match invitee {
            Invitee::Account(account) => *account == person,
            Invitee::Email(email) => *email == person.email(&self.case),
        }
    }

    /// The oldest member who owns the team.
    pub fn owner(&self, team: usize) -> Option<Person> {
        let members = &self.teams.get(team)?.members;
        Some(members.iter().find(|member| member.roles.is_owner())?.person)
    }

    pub fn member(&self, team: usize, person: Person) -> Option<&Member> {
        self.teams[team].members.iter().find(|member| member.person == person)
    }

    /// The key that a value opens, if it is good.
    pub fn key_of(&self, value: usize) -> Option<usize> {
        let key = *self.values.get(value)?;
        (!self.keys[key].deleted && self.keys[key].value == value).then_some(key)
    }

    /// That nobody comes with a bad credential, be it to where none is needed.
    pub fn welcome(&self, caller: Caller) -> Result<(), ExpectedError> {
        match caller {
            Caller::Value(value) if self.key_of(value).is_none() => Err(UNAUTHORIZED),
            _ => Ok(()),
        }
    }

    /// A person, where keys are not served.
    pub fn person(&self, caller: Caller) -> Result<Person, ExpectedError> {
        self.welcome(caller)?;
        match caller {
            Caller::Nobody => Err(UNAUTHORIZED),
            Caller::Value(_) => Err(FORBIDDEN),
            Caller::Person(person) => Ok(person),
        }
    }

    /// What the caller holds in a team, or in one of its projects; none when they have no part in it.
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

    /// The team, if the caller may know it and holds the permission there (contract 1.4).
    pub fn in_team(&self, caller: Caller, team: Nth, serves: Serves, needs: &str) -> Result<usize, ExpectedError> {
        let team = team.of(self.teams.len());
        let held = team.and_then(|team| Some((team, self.held(caller, team, None)?)));
        self.may(caller, held, serves, needs)
    }

    /// The project, likewise.
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
        let (id, held) = held.ok_or(UNKNOWN_THING)?;
        let served = serves == Serves::Keys || matches!(caller, Caller::Person(_));
        if served && held.contains(needs) { Ok(id) } else { Err(FORBIDDEN) }
    }

    pub fn project(&self, project: Nth) -> Option<usize> {
        project.of(self.projects.len())
    }

    /// The project that something is named under: its own, or another one.
    pub fn under(&self, own: Option<usize>, elsewhere: Option<Nth>) -> Option<usize> {
        elsewhere.map_or(own, |elsewhere| self.project(elsewhere))
    }

    pub fn key(&self, key: Nth) -> Option<usize> {
        key.newest_of(self.keys.len())
    }

    pub fn user(&self, user: Nth) -> Option<usize> {
        user.of(self.users.len())
    }

    /// Pending ones before those that are over, each from the newest.
    pub fn invite(&self, invite: Nth) -> Option<usize> {
        let mut invites: Vec<usize> = (0..self.invites.len()).rev().collect();
        invites.sort_by_key(|id| !self.invites[*id].pending);
        Some(invites[invite.of(invites.len())?])
    }

    /// Does what is asked; tells what the answer must be.
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

/// Whom an operation serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Serves {
    People,
    Keys,
}
