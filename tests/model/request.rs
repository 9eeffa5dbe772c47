//! A step as a request. Symbols in it stand for what the service makes up: ids, tokens, values of keys, tags.

use reqwest::Method;
use serde_json::{Map, Value, json};

use crate::document::UNKNOWN;
use crate::operation::{
    Invites, Items, Keys, Members, Nth, Operation, Place, Projects, Schemas, Step, Tag, Teams, Token, Users, When,
};
use crate::rules::items::{item_id, tag};
use crate::world::{Caller, World};

#[derive(Debug, Clone)]
pub struct Request {
    /// Who asks, for people to read.
    pub caller: String,
    pub credential: Option<String>,
    pub method: Method,
    pub path: String,
    pub body: Option<Value>,
    pub headers: Vec<(&'static str, String)>,
}

impl std::fmt::Display for Request {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {} {}", self.caller, self.method, self.path)?;
        self.headers.iter().try_for_each(|(name, value)| write!(f, " {name}: {value}"))?;
        self.body.iter().try_for_each(|body| write!(f, " {body}"))
    }
}

impl World {
    /// What a step asks of the service, in the world as it is.
    pub fn request(&self, step: &Step) -> Request {
        let (caller, credential) = match self.caller(step) {
            Caller::Nobody => ("nobody".to_owned(), None),
            Caller::Person(person) => (person.name().to_owned(), Some(person.token())),
            Caller::Value(value) => {
                (format!("key {} by value {value}", self.values[value]), Some(format!("<value {value}>")))
            }
        };
        let (method, path, body) = match &step.operation {
            Operation::Teams(operation) => self.ask_team(operation),
            Operation::Members(operation) => self.ask_member(operation),
            Operation::Invites(operation) => self.ask_invite(operation),
            Operation::Projects(operation) => self.ask_project(operation),
            Operation::Keys(operation) => self.ask_key(operation),
            Operation::Schemas(operation) => self.ask_schema(operation),
            Operation::Users(operation) => self.ask_user(operation),
            Operation::Items(operation) => self.ask_item(operation),
        };
        Request { caller, credential, method, path, body, headers: self.preconditions(&step.operation) }
    }

    fn ask_team(&self, operation: &Teams) -> Asked {
        match operation {
            Teams::Create { name, slug } => {
                post("/team/".into(), json!({"name": name.sent(&self.case), "slug": slug.sent(&self.case)}))
            }
            Teams::Rename { team, name, slug } => {
                let name = name.map(|name| name.sent(&self.case));
                patch(self.team_path(*team), body([("name", name), ("slug", slug.map(|slug| slug.sent(&self.case)))]))
            }
            Teams::Delete { team } => (Method::DELETE, self.team_path(*team), None),
            Teams::List => get("/team/".into()),
            Teams::Read { team } => get(self.team_path(*team)),
            Teams::CheckSlug { slug } => get(format!("/team/slug?slug={}", slug.sent(&self.case))),
        }
    }

    fn ask_member(&self, operation: &Members) -> Asked {
        let at = |team: &Nth| format!("{}/member", self.team_path(*team));
        match operation {
            Members::List { team } => get(at(team)),
            Members::Change { team, person, roles, label } => {
                let label = label.map(str::to_owned);
                patch(
                    format!("{}/{}", at(team), person.symbol()),
                    body([("roles", roles.clone()), ("role_name", label)]),
                )
            }
            Members::Remove { team, person } => (Method::DELETE, format!("{}/{}", at(team), person.symbol()), None),
        }
    }

    fn ask_invite(&self, operation: &Invites) -> Asked {
        let at = |team: Nth| format!("{}/invite", self.team_path(team));
        let named = |invite: &Nth| id("invite", self.invite(*invite));
        match operation {
            Invites::List { team } => get(at(*team)),
            Invites::Create { team, recipient, roles, label } => {
                let written = Some(recipient.written(&self.case)).filter(|written| !written.is_empty());
                let member = if recipient.is_email() { "email" } else { "username" };
                let given =
                    [("roles", Some(roles.clone())), (member, written), ("role_name", label.map(str::to_owned))];
                post(at(*team), body(given))
            }
            Invites::Revoke { invite, elsewhere } => {
                let own = self.invite(*invite).map_or(0, |invite| self.invites[invite].team);
                (Method::DELETE, format!("{}/{}", at(elsewhere.unwrap_or(Nth(own))), named(invite)), None)
            }
            Invites::Accept { invite } => post("/team/accept-invite".into(), json!({"invite_id": named(invite)})),
        }
    }

    fn ask_project(&self, operation: &Projects) -> Asked {
        match operation {
            Projects::Create { team, name, slug } => {
                let team = id("team", team.of(self.teams.len()));
                let slug = slug.map(|slug| slug.sent(&self.case));
                let given = [("name", Some(name.sent(&self.case))), ("team_id", Some(team)), ("slug", slug)];
                post("/project/".into(), body(given))
            }
            Projects::Rename { project, name, slug } => {
                let name = name.map(|name| name.sent(&self.case));
                let given = body([("name", name), ("slug", slug.map(|slug| slug.sent(&self.case)))]);
                patch(project_path(self.project(*project)), given)
            }
            Projects::List => get("/project/".into()),
            Projects::Read { project } => get(project_path(self.project(*project))),
            Projects::CheckSlug { slug } => get(format!("/project/slug?slug={}", slug.sent(&self.case))),
        }
    }

    fn ask_key(&self, operation: &Keys) -> Asked {
        let at = |project: &Nth| format!("{}/key", project_path(self.project(*project)));
        let one = |key: &Nth, elsewhere: &Option<Nth>| {
            let project = project_path(self.project_of_key(*key, *elsewhere));
            format!("{project}/key/{}", id("key", self.key(*key)))
        };
        match operation {
            Keys::Create { project, label, roles, private } => {
                let label = label.sent(&self.case);
                post(at(project), json!({"label": label, "roles": roles, "is_private": private}))
            }
            Keys::Change { key, elsewhere, label, roles } => {
                let label = label.map(|label| label.sent(&self.case));
                patch(one(key, elsewhere), body([("label", label), ("roles", roles.clone())]))
            }
            Keys::Regenerate { key, elsewhere } => (Method::POST, format!("{}/regenerate", one(key, elsewhere)), None),
            Keys::Delete { key, elsewhere } => (Method::DELETE, one(key, elsewhere), None),
            Keys::Read { key, elsewhere } => get(one(key, elsewhere)),
            Keys::List { project } => get(at(project)),
            Keys::Verify { project, value, named } => {
                let named = named.map(|named| id("key", self.key(named)));
                post(format!("{}/verify", at(project)), body([("key", Some(self.value(*value))), ("key_id", named)]))
            }
        }
    }

    fn value(&self, value: Nth) -> String {
        value.newest_of(self.values.len()).map_or("none".to_owned(), |value| format!("<value {value}>"))
    }

    fn ask_schema(&self, operation: &Schemas) -> Asked {
        let at = |project: &Nth| format!("{}/schema", project_path(self.project(*project)));
        match operation {
            Schemas::Publish { project, draft } => {
                post(at(project), json!({"schema": self.drafted_for(*project, draft)}))
            }
            Schemas::Read { project, all } => get(at(project) + if *all { "?version=all" } else { "" }),
            Schemas::Compare { project, draft } => {
                post("/utils/schema/compareSchema".into(), json!({"schema": self.drafted_for(*project, draft)}))
            }
            Schemas::Verify { project, draft } => {
                post("/utils/schema/verifyUpdateSchema".into(), json!({"schema": self.drafted_for(*project, draft)}))
            }
        }
    }

    fn drafted_for(&self, project: Nth, draft: &crate::document::Draft) -> Value {
        self.project(project).map_or_else(|| draft.document(UNKNOWN, 0), |project| self.document(project, draft))
    }

    fn ask_user(&self, operation: &Users) -> Asked {
        let at = |project: &Nth| format!("{}/user", project_path(self.project(*project)));
        match operation {
            Users::Connect { project, token } => {
                let token = match token {
                    Token::Of(person) => person.token(),
                    Token::Key(value) => self.value(*value),
                    Token::Nonsense => "nonsense".to_owned(),
                };
                post(format!("{}/connect", at(project)), json!({"token": token}))
            }
            Users::List { project } => get(at(project)),
            Users::Read { user, elsewhere } => get(self.user_path(*user, *elsewhere)),
            Users::Change { user, elsewhere, meta, blocked } => {
                let status = blocked.map(|blocked| if blocked { "blocked".to_owned() } else { "connected".to_owned() });
                let mut change = body([("status", status)]);
                if let Some(meta) = meta {
                    change["meta"] = meta.clone();
                }
                patch(self.user_path(*user, *elsewhere), change)
            }
            Users::Delete { user, elsewhere } => (Method::DELETE, self.user_path(*user, *elsewhere), None),
        }
    }

    fn ask_item(&self, operation: &Items) -> Asked {
        let table = |place: &Place| format!("{}/db/{}", self.user_path(place.user, place.elsewhere), place.table);
        let one = |place: &Place| format!("{}/{}", table(place), item_id(self.item_name(place.item)));
        match operation {
            Items::Put { place, fields, .. } => (Method::PUT, one(place), Some(json!({"value": fields.json()}))),
            Items::Post { place, fields } => post(table(place), json!({"value": fields.json()})),
            Items::Patch { place, fields, .. } => patch(one(place), json!({"value": fields.json()})),
            Items::Delete { place, .. } => (Method::DELETE, one(place), None),
            Items::Read { place, .. } => get(one(place)),
            Items::List { place } => get(table(place)),
        }
    }

    fn preconditions(&self, operation: &Operation) -> Vec<(&'static str, String)> {
        let Operation::Items(
            Items::Put { place, when, .. }
            | Items::Patch { place, when, .. }
            | Items::Delete { place, when }
            | Items::Read { place, when },
        ) = operation
        else {
            return Vec::new();
        };
        let text = |named: Tag| match (named, self.version_named(self.user(place.user), *place, named)) {
            (Tag::Any, _) => "*".to_owned(),
            (_, Some(version)) => tag(version),
            (_, None) => "\"none\"".to_owned(),
        };
        let When { matches, matches_none } = *when;
        let given = [("If-Match", matches), ("If-None-Match", matches_none)];
        given.into_iter().filter_map(|(name, named)| Some((name, text(named?)))).collect()
    }

    fn team_path(&self, team: Nth) -> String {
        format!("/team/{}", id("team", team.of(self.teams.len())))
    }

    fn user_path(&self, user: Nth, elsewhere: Option<Nth>) -> String {
        format!("{}/user/{}", project_path(self.project_of_user(user, elsewhere)), id("user", self.user(user)))
    }
}

type Asked = (Method, String, Option<Value>);

fn get(path: String) -> Asked {
    (Method::GET, path, None)
}

fn post(path: String, body: Value) -> Asked {
    (Method::POST, path, Some(body))
}

fn patch(path: String, body: Value) -> Asked {
    (Method::PATCH, path, Some(body))
}

/// A body of those members that are given.
fn body<const N: usize>(members: [(&str, Option<String>); N]) -> Value {
    let given = members.into_iter().filter_map(|(name, value)| Some((name.to_owned(), json!(value?))));
    Value::Object(given.collect::<Map<_, _>>())
}

fn project_path(project: Option<usize>) -> String {
    format!("/project/{}", id("project", project))
}

/// What stands for an id; one that nothing has when there is nothing yet.
fn id(kind: &str, number: Option<usize>) -> String {
    number.map_or(UNKNOWN.to_owned(), |number| format!("<{kind} {number}>"))
}
