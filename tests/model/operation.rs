//! What can be asked, by whom, and how sequences of it come about. An operation names what it is about by a number, which
//! the world resolves to something that is there: so every sequence can be played, also one that lost steps by shrinking.

use serde_json::{Value, json};

use crate::document::Draft;

/// The people of a case. The emails of Ann and Bob are verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Person {
    Ann,
    Bob,
    Cid,
    Dot,
}

impl Person {
    pub const ALL: [Self; 4] = [Self::Ann, Self::Bob, Self::Cid, Self::Dot];

    pub fn name(self) -> &'static str {
        match self {
            Self::Ann => "ann",
            Self::Bob => "bob",
            Self::Cid => "cid",
            Self::Dot => "dot",
        }
    }

    pub fn is_verified(self) -> bool {
        matches!(self, Self::Ann | Self::Bob)
    }

    pub fn username(self, case: &str) -> String {
        format!("{}-{case}", self.name())
    }

    pub fn email(self, case: &str) -> String {
        format!("{}@example.com", self.username(case))
    }

    /// What stands for the account's id.
    pub fn symbol(self) -> String {
        format!("<{}>", self.name())
    }

    /// What stands for the person's access token.
    pub fn token(self) -> String {
        format!("<token of {}>", self.name())
    }
}

/// Who asks.
#[derive(Debug, Clone, Copy)]
pub enum Actor {
    Nobody,
    Person(Person),
    /// The oldest owner of the team it is about, so that much succeeds.
    Chief,
    /// Whom the invite of the operation names.
    Addressee,
    /// Whoever holds a key's value, good or not.
    Key(Nth),
}

/// Picks one of what there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Nth(pub usize);

impl Nth {
    pub fn of(self, count: usize) -> Option<usize> {
        self.0.checked_rem(count)
    }

    /// Counted from the newest.
    pub fn newest_of(self, count: usize) -> Option<usize> {
        self.of(count).map(|nth| count - 1 - nth)
    }
}

/// A name for people to read; the case is added, so that slugs made from it differ between cases.
#[derive(Debug, Clone, Copy)]
pub struct Name(pub &'static str);

impl Name {
    pub fn sent(self, case: &str) -> String {
        match self.0 {
            "" => String::new(),
            "long" => "x".repeat(101),
            name => format!(" {name} {case}"),
        }
    }
}

/// A slug; the case is added to those that could be had.
#[derive(Debug, Clone, Copy)]
pub struct Slug(pub &'static str);

impl Slug {
    pub fn sent(self, case: &str) -> String {
        if matches!(self.0, "" | "admin" | "a--b") { self.0.to_owned() } else { format!("{}-{case}", self.0) }
    }
}

/// Whom an invite names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recipient {
    Username(Person),
    Email(Person),
    /// As the email, in capitals.
    LoudEmail(Person),
    UnknownUsername,
    UnknownEmail,
    Nobody,
}

/// Which version of an item a precondition names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tag {
    Any,
    Current,
    Former,
    Foreign,
}

/// The preconditions of a request.
#[derive(Debug, Clone, Copy, Default)]
pub struct When {
    pub matches: Option<Tag>,
    pub matches_none: Option<Tag>,
}

/// Where an item is: a user, named under the user's own project or under another one, a table, and an id.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    pub user: Nth,
    pub elsewhere: Option<Nth>,
    pub table: &'static str,
    pub item: ItemName,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ItemName {
    Chosen(&'static str),
    /// One whose id the service made.
    Made(usize),
}

/// The fields of a value as sent, in this order.
#[derive(Debug, Clone)]
pub struct Fields(pub Vec<(&'static str, Value)>);

impl Fields {
    pub fn json(&self) -> Value {
        Value::Object(self.0.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect())
    }
}

/// Whose token connects.
#[derive(Debug, Clone, Copy)]
pub enum Token {
    Of(Person),
    Key(Nth),
    Nonsense,
}

/// Something asked by somebody.
#[derive(Debug, Clone)]
pub struct Step {
    pub actor: Actor,
    pub operation: Operation,
}

#[derive(Debug, Clone)]
pub enum Operation {
    Teams(Teams),
    Members(Members),
    Invites(Invites),
    Projects(Projects),
    Keys(Keys),
    Schemas(Schemas),
    Users(Users),
    Items(Items),
}

impl Operation {
    /// What it is called, whatever it is about.
    pub fn name(&self) -> String {
        let shown = format!("{self:?}");
        shown.split([' ', ')']).next().unwrap_or_default().replace('(', "::")
    }
}

macro_rules! into_operation {
    ($($concept:ident)+) => {$(
        impl From<$concept> for Operation {
            fn from(operation: $concept) -> Self {
                Self::$concept(operation)
            }
        }
    )+};
}

into_operation! { Teams Members Invites Projects Keys Schemas Users Items }

#[derive(Debug, Clone)]
pub enum Teams {
    Create { name: Name, slug: Slug },
    Rename { team: Nth, name: Option<Name>, slug: Option<Slug> },
    Delete { team: Nth },
    List,
    Read { team: Nth },
    CheckSlug { slug: Slug },
}

#[derive(Debug, Clone)]
pub enum Members {
    List { team: Nth },
    Change { team: Nth, person: Person, roles: Option<String>, label: Option<&'static str> },
    Remove { team: Nth, person: Person },
}

#[derive(Debug, Clone)]
pub enum Invites {
    List { team: Nth },
    Create { team: Nth, recipient: Recipient, roles: String, label: Option<&'static str> },
    Revoke { invite: Nth, elsewhere: Option<Nth> },
    Accept { invite: Nth },
}

#[derive(Debug, Clone)]
pub enum Projects {
    Create { team: Nth, name: Name, slug: Option<Slug> },
    Rename { project: Nth, name: Option<Name>, slug: Option<Slug> },
    List,
    Read { project: Nth },
    CheckSlug { slug: Slug },
}

#[derive(Debug, Clone)]
pub enum Keys {
    Create { project: Nth, label: Name, roles: String, private: bool },
    Change { key: Nth, elsewhere: Option<Nth>, label: Option<Name>, roles: Option<String> },
    Regenerate { key: Nth, elsewhere: Option<Nth> },
    Delete { key: Nth, elsewhere: Option<Nth> },
    Read { key: Nth, elsewhere: Option<Nth> },
    List { project: Nth },
    Verify { project: Nth, value: Nth, named: Option<Nth> },
}

#[derive(Debug, Clone)]
pub enum Schemas {
    Publish { project: Nth, draft: Draft },
    Read { project: Nth, all: bool },
    Compare { project: Nth, draft: Draft },
    Verify { project: Nth, draft: Draft },
}

#[derive(Debug, Clone)]
pub enum Users {
    Connect { project: Nth, token: Token },
    List { project: Nth },
    Read { user: Nth, elsewhere: Option<Nth> },
    Change { user: Nth, elsewhere: Option<Nth>, meta: Option<Value>, blocked: Option<bool> },
    Delete { user: Nth, elsewhere: Option<Nth> },
}

#[derive(Debug, Clone)]
pub enum Items {
    Put { place: Place, fields: Fields, when: When },
    Post { place: Place, fields: Fields },
    Patch { place: Place, fields: Fields, when: When },
    Delete { place: Place, when: When },
    Read { place: Place, when: When },
    List { place: Place },
}

/// What every case begins with: a team with an owner, an admin, a viewer and an invite, a project with a schema, a key
/// and a user; and another team.
pub fn beginning() -> Vec<Step> {
    let (first, ann) = (Nth(0), Actor::Person(Person::Ann));
    let by = |actor: Actor, operation: Operation| Step { actor, operation };
    let invite = |recipient: Recipient, roles: &str| {
        Invites::Create { team: first, recipient, roles: roles.into(), label: None }.into()
    };
    let place = Place { user: first, elsewhere: None, table: "notes", item: ItemName::Chosen("one") };
    let fields = Fields(vec![("title", json!("first"))]);
    vec![
        by(ann, Teams::Create { name: Name("Acme"), slug: Slug("acme") }.into()),
        by(ann, invite(Recipient::Username(Person::Bob), "admin")),
        by(Actor::Addressee, Invites::Accept { invite: first }.into()),
        by(ann, invite(Recipient::Username(Person::Cid), "viewer")),
        by(Actor::Addressee, Invites::Accept { invite: first }.into()),
        by(ann, invite(Recipient::Email(Person::Dot), "developer")),
        by(ann, Projects::Create { team: first, name: Name("Rocket"), slug: None }.into()),
        by(ann, Keys::Create { project: first, label: Name("server"), roles: "admin".into(), private: true }.into()),
        by(ann, Schemas::Publish { project: first, draft: Draft::of_notes() }.into()),
        by(ann, Teams::Create { name: Name("Fine"), slug: Slug("beta") }.into()),
        by(Actor::Nobody, Users::Connect { project: first, token: Token::Of(Person::Dot) }.into()),
        by(Actor::Key(first), Items::Put { place, fields, when: When::default() }.into()),
    ]
}
