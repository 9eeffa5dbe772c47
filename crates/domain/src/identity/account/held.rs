//! What an account holds in its teams when someone else confirms its address for the first time. The person who
//! confirms chooses what goes on and what ends (docs/decisions/0031-confirmed-addresses.md).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use uuid::Uuid;

use crate::administration::{AffectedResources, ApiKey, Team, Webhook};
use crate::identity::{Account, IdentityProvider, ProjectClient, SignedIn};
use crate::kernel::changes::Changes;
use crate::kernel::error::Error;
use crate::kernel::policy::RoleSet;
use crate::kernel::{InvalidValue, ProjectId, Slug, TeamId, named};

/// What the names of all fields with choices begin with.
const PREFIX: &str = "held-";
/// The field with the choice about everything.
const ALL: &str = "held-all";
/// Maximum number of choices on a page. Where more things are held, a choice is about all things of a team, or about
/// everything.
const MAX_CHOICES: usize = 100;

named! {
    /// What the person chooses about a thing.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Choice: "the value of the field", else "must be `keep` or `end`" {
        /// It goes on.
        Keep = "keep",
        /// It ends.
        End = "end",
    }
}

/// The choices of a form. There is no default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choices(BTreeMap<String, Choice>);

impl Choices {
    /// Parses the choices among the fields of a form.
    pub fn parse<'a>(fields: impl Iterator<Item = (&'a str, &'a str)>) -> Result<Self, Error> {
        let own = fields.filter(|(name, _)| name.starts_with(PREFIX));
        let parsed = own.map(|(name, value)| Choice::parse(value).map(|choice| (name.to_owned(), choice)));
        let choices: Result<_, InvalidValue> = parsed.collect();
        choices.map(Self).map_err(|error| Error::invalid("held", error))
    }

    /// Returns one choice about everything.
    pub(crate) fn all(choice: Choice) -> Self {
        Self(BTreeMap::from([(ALL.to_owned(), choice)]))
    }

    /// Returns the choice of a field.
    pub fn of(&self, field: &str) -> Option<Choice> {
        self.0.get(field).copied()
    }
}

/// The person who confirms an address.
#[derive(Debug, Clone, Copy)]
pub struct Confirmer<'a> {
    /// Who is signed in in this browser.
    pub signed_in: Option<&'a SignedIn>,
    /// What the person chose about what the account holds.
    pub choices: &'a Choices,
}

impl Confirmer<'_> {
    /// Whether the account is certainly that of the person: then it keeps everything. A session that counts for a
    /// project only does not show that.
    pub(crate) fn holds(&self, account: &Account) -> bool {
        self.signed_in.is_some_and(|signed_in| signed_in.account.id == account.id && signed_in.is_unlimited())
    }
}

/// What follows a request that may confirm an address for the first time.
#[derive(Debug)]
pub enum Confirming<T> {
    /// It is done.
    Done(T),
    /// Nothing has happened yet: the person has to choose what goes on first.
    Undecided(Held),
}

named! {
    /// What a choice is about.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum HeldKind: "the part of the name of the field" {
        /// A membership.
        Membership = "member",
        /// A team without another owner, with its projects.
        Team = "team",
        /// An API key.
        Key = "key",
        /// An OAuth client.
        Client = "client",
        /// An identity provider of a project.
        IdentityProvider = "provider",
        /// A webhook.
        Webhook = "webhook",
        /// Everything in a team.
        AllOfTeam = "all",
        /// Everything in all teams.
        All = "all",
    }
}

/// Something about which the person chooses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldThing {
    id: Uuid,
    /// The name of the field with the choice.
    pub field: String,
    /// What it is.
    pub kind: HeldKind,
    /// What distinguishes it: a name, roles, a URL, or the number of things.
    pub name: String,
    /// The name of the team; empty if the choice is about all teams.
    pub team: String,
}

impl HeldThing {
    fn new(kind: HeldKind, id: Uuid, name: impl fmt::Display, team: &Team) -> Self {
        let (field, name) = (format!("{PREFIX}{}-{id}", kind.as_str()), name.to_string());
        Self { id, field, kind, name, team: team.name.as_str().to_owned() }
    }
}

/// A resource that ends by being removed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct HeldResource {
    thing: HeldThing,
    /// The project whose log records the end, unless the resource names its team.
    pub(super) project: Option<ProjectId>,
    pub(super) entity: HeldEntity,
}

/// What is removed.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum HeldEntity {
    Key(ApiKey),
    Client(ProjectClient),
    IdentityProvider(IdentityProvider),
    Webhook(Webhook),
}

impl HeldEntity {
    pub(super) fn remove(&self, changes: Changes) -> Changes {
        match self {
            Self::Key(key) => changes.remove(key.clone()),
            Self::Client(client) => changes.remove(client.clone()),
            Self::IdentityProvider(provider) => changes.remove(provider.clone()),
            Self::Webhook(webhook) => changes.remove(webhook.clone()),
        }
    }
}

/// What an account holds in a team.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct HeldInTeam {
    pub(super) team: TeamId,
    pub(super) slug: Slug,
    /// The membership, or the team if it has no other owner.
    membership: HeldThing,
    all: HeldThing,
    resources: Vec<HeldResource>,
}

impl HeldInTeam {
    /// `has_other_owner`: whether the team has an owner without the account.
    pub(super) fn new(team: &Team, roles: &RoleSet, has_other_owner: bool, found: AffectedResources) -> Self {
        let mut resources = Vec::new();
        let mut add = |kind, id, name: String, project, entity| {
            resources.push(HeldResource { thing: HeldThing::new(kind, id, name, team), project, entity });
        };
        for key in found.keys {
            let name = format!("{} ({})", key.label, key.hint);
            add(HeldKind::Key, key.id.uuid(), name, Some(key.project_id), HeldEntity::Key(key));
        }
        for client in found.clients {
            let name = client.settings.name.to_string();
            add(HeldKind::Client, client.id.uuid(), name, Some(client.project_id), HeldEntity::Client(client));
        }
        for provider in found.identity_providers {
            let name = format!("{} ({})", provider.name, provider.issuer.as_str());
            let (id, project) = (provider.id.uuid(), provider.project_id);
            add(HeldKind::IdentityProvider, id, name, project, HeldEntity::IdentityProvider(provider));
        }
        for webhook in found.webhooks {
            let url = webhook.url.as_str().to_owned();
            add(HeldKind::Webhook, webhook.id.uuid(), url, None, HeldEntity::Webhook(webhook));
        }
        let kind = if has_other_owner { HeldKind::Membership } else { HeldKind::Team };
        Self {
            team: team.id,
            slug: team.slug.clone(),
            membership: HeldThing::new(kind, team.id.uuid(), roles, team),
            all: HeldThing::new(HeldKind::AllOfTeam, team.id.uuid(), resources.len(), team),
            resources,
        }
    }

    /// Returns whether the team has no owner without the account.
    fn is_own(&self) -> bool {
        self.membership.kind == HeldKind::Team
    }

    fn things(&self) -> impl Iterator<Item = &HeldThing> {
        std::iter::once(&self.membership).chain(self.resources.iter().map(|resource| &resource.thing))
    }
}

/// What an account holds in its teams. Empty if nobody has to choose.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Held(pub(super) Vec<HeldInTeam>);

/// What of a team ends.
pub(super) struct Ending<'a> {
    pub(super) team: &'a HeldInTeam,
    pub(super) ends_membership: bool,
    pub(super) resources: Vec<&'a HeldResource>,
}

impl Ending<'_> {
    /// Returns whether the team ends with the membership.
    pub(super) fn ends_team(&self) -> bool {
        self.ends_membership && self.team.is_own()
    }
}

impl Held {
    /// Returns everything about which the person chooses, at most 100 things. After choices that did not suffice, it is
    /// one choice about everything: otherwise a stranger who keeps adding things could prevent the confirmation.
    pub fn things(&self, choices: &Choices) -> Vec<HeldThing> {
        let is_asked_again = !choices.0.is_empty() && self.chosen(choices).is_none();
        if is_asked_again { vec![self.everything()] } else { self.questions(choices) }
    }

    /// Returns what these choices are about.
    fn questions(&self, choices: &Choices) -> Vec<HeldThing> {
        if !self.0.is_empty() && choices.of(ALL).is_some() {
            return vec![self.everything()];
        }
        if self.things_one_by_one().nth(MAX_CHOICES).is_none() {
            return self.things_one_by_one().cloned().collect();
        }
        if self.0.len() <= MAX_CHOICES {
            return self.0.iter().map(|team| team.all.clone()).collect();
        }
        vec![self.everything()]
    }

    fn everything(&self) -> HeldThing {
        let (field, name) = (ALL.to_owned(), self.0.len().to_string());
        HeldThing { id: Uuid::nil(), field, kind: HeldKind::All, name, team: String::new() }
    }

    fn things_one_by_one(&self) -> impl Iterator<Item = &HeldThing> {
        self.0.iter().flat_map(HeldInTeam::things)
    }

    /// Returns what ends in each team. `None` unless there is a choice about everything that is held.
    pub(super) fn chosen(&self, choices: &Choices) -> Option<Vec<Ending<'_>>> {
        let things = self.questions(choices);
        if !things.iter().all(|thing| choices.of(&thing.field).is_some()) {
            return None;
        }
        let asked: BTreeSet<&str> = things.iter().map(|thing| thing.field.as_str()).collect();
        Some(self.ending(|team, thing| {
            let fields = [thing.field.as_str(), team.all.field.as_str(), ALL];
            let field = fields.into_iter().find(|field| asked.contains(field));
            field.and_then(|field| choices.of(field)) == Some(Choice::End)
        }))
    }

    /// Returns what is held now and was not before: all of it ends.
    pub(super) fn since(&self, before: &Self) -> Vec<Ending<'_>> {
        let known: BTreeSet<Uuid> = before.things_one_by_one().map(|thing| thing.id).collect();
        self.ending(|_, thing| !known.contains(&thing.id))
    }

    fn ending(&self, ends: impl Fn(&HeldInTeam, &HeldThing) -> bool) -> Vec<Ending<'_>> {
        let teams = self.0.iter().map(|team| Ending {
            team,
            ends_membership: ends(team, &team.membership),
            resources: team.resources.iter().filter(|resource| ends(team, &resource.thing)).collect(),
        });
        teams.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::administration::ApiKey;
    use crate::mocks::{a_client, a_key, a_team, a_webhook, id_of};

    fn held_in(slug: &str, keys: usize) -> HeldInTeam {
        let team = a_team(slug);
        let found = AffectedResources {
            keys: (0..keys).map(|number| ApiKey { id: id_of(&format!("{slug}{number}")).into(), ..a_key() }).collect(),
            clients: vec![a_client()],
            webhooks: vec![a_webhook(team.id, None)],
            ..AffectedResources::default()
        };
        HeldInTeam::new(&team, &RoleSet::owner(), false, found)
    }

    /// The same choice about everything.
    fn all(held: &Held, choice: &str) -> Choices {
        let fields: Vec<String> = held.things(&Choices::default()).into_iter().map(|thing| thing.field).collect();
        Choices::parse(fields.iter().map(|field| (field.as_str(), choice))).unwrap()
    }

    /// How many resources end in each team, and whether the membership does.
    fn counts(ending: Option<Vec<Ending<'_>>>) -> Vec<(usize, bool)> {
        let ending = ending.unwrap().into_iter();
        ending.map(|ending| (ending.resources.len(), ending.ends_membership)).collect()
    }

    #[test]
    fn there_is_no_default_and_each_thing_has_a_choice_of_its_own() {
        let held = Held(vec![held_in("acme", 1)]);
        let kinds: Vec<_> = held.things(&Choices::default()).iter().map(|thing| thing.kind).collect();
        assert_eq!(kinds, [HeldKind::Team, HeldKind::Key, HeldKind::Client, HeldKind::Webhook]);
        assert!(held.chosen(&Choices::default()).is_none());
        assert_eq!(counts(held.chosen(&all(&held, "keep"))), [(0, false)]);
        assert_eq!(counts(held.chosen(&all(&held, "end"))), [(3, true)]);

        let key = format!("held-key-{}", id_of("acme0"));
        let mut mixed = all(&held, "keep");
        assert_eq!(mixed.0.insert(key.clone(), Choice::End), Some(Choice::Keep));
        assert_eq!(counts(held.chosen(&mixed)), [(1, false)]);
        // What appeared since the page was shown has no choice.
        let more = Held(vec![held_in("acme", 2)]);
        assert!(more.chosen(&mixed).is_none());
        assert_eq!(counts(Some(more.since(&held))), [(1, false)]);
        assert!(Choices::parse([(key.as_str(), "")].into_iter()).is_err());
        assert_eq!(Choices::parse([("csrf", "x"), ("token", "end")].into_iter()).unwrap(), Choices::default());
    }

    #[test]
    fn the_number_of_choices_is_bounded() {
        let many = Held(vec![held_in("acme", 60), held_in("other", 60)]);
        assert_eq!(many.things(&Choices::default()).len(), 2);
        assert!(many.chosen(&all(&Held(vec![held_in("acme", 1), held_in("other", 1)]), "end")).is_none());
        let first = many.things(&Choices::default()).swap_remove(0).field;
        let mut choices = all(&many, "keep");
        choices.0.insert(first, Choice::End);
        assert_eq!(counts(many.chosen(&choices)), [(62, true), (0, false)]);

        let teams = Held((0..101).map(|number| held_in(&format!("t{number}"), 0)).collect());
        let [only]: [HeldThing; 1] = teams.things(&Choices::default()).try_into().unwrap();
        assert_eq!((only.field.as_str(), only.kind, only.name.as_str()), ("held-all", HeldKind::All, "101"));
        assert!(counts(teams.chosen(&all(&teams, "end"))).iter().all(|counts| *counts == (2, true)));
        assert!(Held::default().chosen(&Choices::default()).unwrap().is_empty());
    }
}
