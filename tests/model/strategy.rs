//! Generates sequences of operations, weighted so that many succeed and every rule is tested. Each strategy lists the
//! simplest value first, because shrinking prefers it.

use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Value, json};

use crate::document::{Defect, Draft, FieldRule, Version};
use crate::operation::{
    Actor, Fields, Invites, ItemName, Items, Keys, Members, Name, Nth, Operation, Person, Place, Projects, Recipient,
    Schemas, Slug, Step, Tag, Teams, Token, Users, When,
};
use crate::permission::{KEY_ROLES, PERMISSIONS, TEAM_ROLES};

/// Generates a step: an operation and its caller.
pub fn step() -> BoxedStrategy<Step> {
    let by = |actor: BoxedStrategy<Actor>, operation: BoxedStrategy<Operation>| {
        (actor, operation).prop_map(|(actor, operation)| Step { actor, operation })
    };
    let invitee = prop_oneof![4 => Just(Actor::Invitee), 1 => actor()].boxed();
    let accept = nth().prop_map(|invite| Operation::from(Invites::Accept { invite })).boxed();
    let visitor = prop_oneof![3 => Just(Actor::Nobody), 1 => actor()].boxed();
    let connect =
        (first(), token()).prop_map(|(project, token)| Operation::from(Users::Connect { project, token })).boxed();
    prop_oneof![
        6 => by(actor(), teams()),
        9 => by(actor(), memberships()),
        3 => by(invitee, accept),
        2 => by(actor(), projects()),
        6 => by(actor(), keys()),
        5 => by(actor(), schemas()),
        2 => by(visitor, connect),
        3 => by(actor(), users()),
        15 => by(actor(), items()),
    ]
    .boxed()
}

fn actor() -> BoxedStrategy<Actor> {
    prop_oneof![
        8 => Just(Actor::Chief),
        6 => person().prop_map(Actor::Person),
        5 => nth().prop_map(Actor::Key),
        1 => Just(Actor::Nobody),
    ]
    .boxed()
}

fn person() -> impl Strategy<Value = Person> + Clone {
    select(Person::ALL.to_vec())
}

/// Mostly a member of the first team.
fn member() -> impl Strategy<Value = Person> + Clone {
    select(vec![Person::Bob, Person::Cid, Person::Bob, Person::Ann, Person::Dot])
}

fn nth() -> BoxedStrategy<Nth> {
    prop_oneof![3 => Just(Nth(0)), 2 => (0..8_usize).prop_map(Nth)].boxed()
}

/// Mostly the first team or project, which have the most data.
fn first() -> BoxedStrategy<Nth> {
    prop_oneof![5 => Just(Nth(0)), 2 => (0..4_usize).prop_map(Nth)].boxed()
}

/// Rarely a team or project other than the resource's own in the request path.
fn elsewhere() -> BoxedStrategy<Option<Nth>> {
    weighted(0.1, (0..4_usize).prop_map(Nth)).boxed()
}

fn name() -> BoxedStrategy<Name> {
    prop_oneof![8 => select(vec!["Rocket", "Rock & Roll", "Fine"]), 1 => select(vec!["", "long"])]
        .prop_map(Name)
        .boxed()
}

fn slug() -> BoxedStrategy<Slug> {
    let valid = select(vec!["gamma", "delta", "acme", "beta", "Acme"]);
    prop_oneof![8 => valid, 1 => select(vec!["", "admin", "a--b"])].prop_map(Slug).boxed()
}

fn label() -> BoxedStrategy<Option<&'static str>> {
    const LONG: &str = "12345678901234567890123456789012345678901234567890123456789012345";
    prop_oneof![5 => Just(None), 4 => select(vec![Some("Dev"), Some("")]), 1 => Just(Some(LONG))].boxed()
}

/// Roles in different spellings: known names, single permissions, with spaces and duplicates, and invalid ones.
fn roles(names: &'static [&'static str]) -> BoxedStrategy<String> {
    let combination = subsequence([names, PERMISSIONS].concat(), 1..4).prop_shuffle();
    prop_oneof![
        8 => select(names).prop_map(str::to_owned),
        4 => combination.prop_map(|roles| roles.join(",")),
        1 => select(names).prop_map(|role| format!(" {role} , db:read,{role}")),
        1 => select(vec!["", "king", "owner,king"]).prop_map(str::to_owned),
    ]
    .boxed()
}

fn teams() -> BoxedStrategy<Operation> {
    prop_oneof![
        2 => (name(), slug()).prop_map(|(name, slug)| Teams::Create { name, slug }),
        3 => (first(), weighted(0.5, name()), weighted(0.6, slug()))
            .prop_map(|(team, name, slug)| Teams::Rename { team, name, slug }),
        2 => prop_oneof![3 => Just(Nth(1)), 1 => nth()].prop_map(|team| Teams::Delete { team }),
        1 => Just(Teams::List),
        2 => first().prop_map(|team| Teams::Read { team }),
        1 => slug().prop_map(|slug| Teams::CheckSlug { slug }),
    ]
    .prop_map(Operation::from)
    .boxed()
}

fn memberships() -> BoxedStrategy<Operation> {
    let candidate = select(vec![Person::Dot, Person::Cid, Person::Bob, Person::Ann]);
    let recipient = prop_oneof![
        4 => Just(Recipient::Username(Person::Dot)),
        8 => candidate.clone().prop_map(Recipient::Username),
        6 => candidate.prop_map(Recipient::Email),
        2 => person().prop_map(Recipient::UppercaseEmail),
        1 => Just(Recipient::UnknownUsername),
        1 => Just(Recipient::UnknownEmail),
        1 => Just(Recipient::Nobody),
    ];
    let invites = prop_oneof![
        5 => (first(), recipient, roles(TEAM_ROLES), label())
            .prop_map(|(team, recipient, roles, label)| Invites::Create { team, recipient, roles, label }),
        3 => (nth(), elsewhere()).prop_map(|(invite, elsewhere)| Invites::Revoke { invite, elsewhere }),
        1 => first().prop_map(|team| Invites::List { team }),
    ];
    let members = prop_oneof![
        8 => (first(), member(), weighted(0.85, roles(TEAM_ROLES)), label())
            .prop_map(|(team, person, roles, label)| Members::Change { team, person, roles, label }),
        3 => (first(), member()).prop_map(|(team, person)| Members::Remove { team, person }),
        1 => first().prop_map(|team| Members::List { team }),
    ];
    prop_oneof![invites.prop_map(Operation::from), members.prop_map(Operation::from)].boxed()
}

fn projects() -> BoxedStrategy<Operation> {
    prop_oneof![
        3 => (first(), name(), weighted(0.5, slug()))
            .prop_map(|(team, name, slug)| Projects::Create { team, name, slug }),
        3 => (first(), weighted(0.5, name()), weighted(0.5, slug()))
            .prop_map(|(project, name, slug)| Projects::Rename { project, name, slug }),
        1 => Just(Projects::List),
        1 => first().prop_map(|project| Projects::Read { project }),
        1 => slug().prop_map(|slug| Projects::CheckSlug { slug }),
    ]
    .prop_map(Operation::from)
    .boxed()
}

fn keys() -> BoxedStrategy<Operation> {
    prop_oneof![
        4 => (first(), name(), roles(KEY_ROLES), proptest::bool::weighted(0.8))
            .prop_map(|(project, label, roles, private)| Keys::Create { project, label, roles, private }),
        3 => (nth(), elsewhere(), weighted(0.4, name()), weighted(0.8, roles(KEY_ROLES)))
            .prop_map(|(key, elsewhere, label, roles)| Keys::Change { key, elsewhere, label, roles }),
        3 => (nth(), elsewhere()).prop_map(|(key, elsewhere)| Keys::Regenerate { key, elsewhere }),
        1 => (nth(), elsewhere()).prop_map(|(key, elsewhere)| Keys::Delete { key, elsewhere }),
        1 => (nth(), elsewhere()).prop_map(|(key, elsewhere)| Keys::Read { key, elsewhere }),
        1 => first().prop_map(|project| Keys::List { project }),
        2 => (first(), nth(), weighted(0.4, nth()))
            .prop_map(|(project, value, named)| Keys::Verify { project, value, named }),
    ]
    .prop_map(Operation::from)
    .boxed()
}

fn schemas() -> BoxedStrategy<Operation> {
    prop_oneof![
        6 => (first(), draft()).prop_map(|(project, draft)| Schemas::Publish { project, draft }),
        1 => (first(), any::<bool>()).prop_map(|(project, all)| Schemas::Read { project, all }),
        1 => (first(), draft()).prop_map(|(project, draft)| Schemas::Compare { project, draft }),
        2 => (first(), draft()).prop_map(|(project, draft)| Schemas::Verify { project, draft }),
    ]
    .prop_map(Operation::from)
    .boxed()
}

fn draft() -> BoxedStrategy<Draft> {
    let version = prop_oneof![
        3 => Just(Version::Absent),
        6 => Just(Version::Next),
        1 => Just(Version::Same),
        1 => Just(Version::Later),
        1 => Just(Version::Zero),
    ];
    let flaw = select(vec![Defect::FieldType, Defect::TableName, Defect::OtherProject, Defect::VersionText]);
    let table = |name: &'static str, probability: f64| {
        weighted(probability, table()).prop_map(move |table| Some((name, table?)))
    };
    let tables = (table("notes", 0.95), table("marks", 0.4));
    (version, any::<bool>(), weighted(0.1, flaw), tables)
        .prop_map(|(version, names_project, flaw, (notes, marks))| {
            let tables = [notes, marks].into_iter().flatten().collect();
            Draft { version, names_project, flaw, tables }
        })
        .boxed()
}

/// Fields mostly keep their types, because a published type cannot change.
fn table() -> BoxedStrategy<Vec<(&'static str, FieldRule)>> {
    let field = |name: &'static str, kind: &'static str, probability: f64| {
        let kind = prop_oneof![15 => Just(kind), 1 => select(vec!["string", "boolean", "number", "json"])];
        let flag = || weighted(0.3, any::<bool>());
        let rule = (kind, flag(), flag()).prop_map(|(kind, required, indexed)| FieldRule { kind, required, indexed });
        weighted(probability, rule).prop_map(move |rule| Some((name, rule?)))
    };
    (
        field("title", "string", 0.9),
        field("rank", "number", 0.8),
        field("done", "boolean", 0.5),
        field("more", "json", 0.5),
    )
        .prop_map(|(title, rank, done, more)| [title, rank, done, more].into_iter().flatten().collect())
        .boxed()
}

fn token() -> BoxedStrategy<Token> {
    prop_oneof![8 => person().prop_map(Token::Of), 1 => nth().prop_map(Token::Key), 1 => Just(Token::Nonsense)].boxed()
}

fn users() -> BoxedStrategy<Operation> {
    let meta =
        select(vec![json!({}), json!({"plan": "pro"}), json!({"plan": null}), json!({"plan": {"a": 1}}), json!("x")]);
    let (meta, blocked) = (weighted(0.5, meta), weighted(0.6, any::<bool>()));
    prop_oneof![
        5 => (nth(), elsewhere(), meta, blocked)
            .prop_map(|(user, elsewhere, meta, blocked)| Users::Change { user, elsewhere, meta, blocked }),
        1 => (nth(), elsewhere()).prop_map(|(user, elsewhere)| Users::Delete { user, elsewhere }),
        1 => (nth(), elsewhere()).prop_map(|(user, elsewhere)| Users::Read { user, elsewhere }),
        1 => first().prop_map(|project| Users::List { project }),
    ]
    .prop_map(Operation::from)
    .boxed()
}

fn place() -> BoxedStrategy<Place> {
    let item = prop_oneof![
        5 => Just(ItemName::Chosen("one")),
        2 => Just(ItemName::Chosen("two")),
        1 => (0..3_usize).prop_map(ItemName::Made),
    ];
    (first(), elsewhere(), prop_oneof![7 => Just("notes"), 1 => Just("marks")], item)
        .prop_map(|(user, elsewhere, table, item)| Place { user, elsewhere, table, item })
        .boxed()
}

/// Values mostly match the usual types. Some do not, and some fields are not in the table.
fn fields() -> BoxedStrategy<Fields> {
    fn field(
        name: &'static str,
        probability: f64,
        matching: Vec<Value>,
    ) -> impl Strategy<Value = Option<(&'static str, Value)>> {
        let other = select(vec![json!(null), json!("1"), json!(1), json!(false), json!({}), json!([])]);
        weighted(probability, prop_oneof![9 => select(matching), 1 => other])
            .prop_map(move |value| Some((name, value?)))
    }
    (
        field("title", 0.9, vec![json!("a"), json!("")]),
        field("rank", 0.4, vec![json!(0), json!(1.5)]),
        field("done", 0.2, vec![json!(true), json!(false)]),
        field("more", 0.2, vec![json!({"a": [1]}), json!([])]),
        field("what", 0.04, vec![json!("x"), json!(null)]),
    )
        .prop_map(|(title, rank, done, more, what)| {
            Fields([title, rank, done, more, what].into_iter().flatten().collect())
        })
        .boxed()
}

fn when() -> BoxedStrategy<When> {
    let tag = || select(vec![Tag::Any, Tag::Current, Tag::Former, Tag::Foreign]);
    (weighted(0.25, tag()), weighted(0.2, tag()))
        .prop_map(|(matches, matches_none)| When { matches, matches_none })
        .boxed()
}

fn items() -> BoxedStrategy<Operation> {
    prop_oneof![
        6 => (place(), fields(), when()).prop_map(|(place, fields, when)| Items::Put { place, fields, when }),
        2 => (place(), fields()).prop_map(|(place, fields)| Items::Post { place, fields }),
        5 => (place(), fields(), when()).prop_map(|(place, fields, when)| Items::Patch { place, fields, when }),
        2 => (place(), when()).prop_map(|(place, when)| Items::Delete { place, when }),
        3 => (place(), when()).prop_map(|(place, when)| Items::Read { place, when }),
        1 => place().prop_map(|place| Items::List { place }),
    ]
    .prop_map(Operation::from)
    .boxed()
}
