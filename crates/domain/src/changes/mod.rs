//! Changes: all writes of one use case as one value. A permit is required to create it, and it is stored atomically.

mod bound;
mod subject;

use serde_json::{Value, json};

use crate::error::ResourceKind;
use crate::model::{Item, ItemId, Member, Precondition, ProjectId, ProjectUserId, Revision, Team, TeamId, Time};
use crate::policy::{Actor, Permit, Quota};

pub use bound::Bound;
pub use subject::Subject;

/// Location of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemPath {
    /// The project of the user.
    pub project_id: ProjectId,
    /// The user who owns the item.
    pub user_id: ProjectUserId,
    /// Name of the table in the project's schema.
    pub table: String,
    /// ID of the item in the table.
    pub id: ItemId,
}

/// A single write of a change.
#[derive(Debug, Clone, PartialEq)]
pub enum Write {
    /// Inserts an entity. Fails if it exists.
    Insert(Subject),
    /// Replaces the entity with the same ID and revision, and increments the stored revision.
    Replace(Subject),
    /// Removes the entity with this ID and revision. A removed project is no longer visible and its slugs become
    /// available; [`crate::ports::DeletedProjects`] removes its data later.
    Remove(Subject),
    /// Increments the revision of the team if it has this revision. Concurrent changes that lock the same team
    /// conflict.
    Lock(Team),
    /// Writes nothing. The change is stored only if the member still has this revision, and concurrent changes of the
    /// member wait until it is stored.
    Hold(Member),
    /// Stores an item as a whole if the precondition holds and its user is connected.
    PutItem(Item, Precondition),
    /// Removes an item if the precondition holds and its user is connected.
    RemoveItem(ItemPath, Precondition),
    /// Removes at most this many items of a user, in any order.
    EraseItems(ProjectId, ProjectUserId, u16),
}

impl Write {
    fn owner(&self) -> (Option<TeamId>, Option<ProjectId>) {
        match self {
            Self::Insert(subject) | Self::Replace(subject) | Self::Remove(subject) => subject.owner(),
            Self::Lock(team) => (Some(team.id), None),
            Self::Hold(member) => (Some(member.team_id), None),
            Self::PutItem(item, _) => (None, Some(item.project_id)),
            Self::RemoveItem(path, _) => (None, Some(path.project_id)),
            Self::EraseItems(project, ..) => (None, Some(*project)),
        }
    }

    fn kind(&self) -> ResourceKind {
        match self {
            Self::Insert(subject) | Self::Replace(subject) | Self::Remove(subject) => subject.kind(),
            Self::Lock(_) => ResourceKind::Team,
            Self::Hold(_) => ResourceKind::Member,
            Self::PutItem(..) | Self::RemoveItem(..) | Self::EraseItems(..) => ResourceKind::Item,
        }
    }
}

/// The audit event of one write.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// `created`, `updated` or `deleted`, or [`Event::REFUSED`] for an attempt that was refused.
    pub verb: &'static str,
    /// Kind of the target.
    pub kind: ResourceKind,
    /// ID of the target.
    pub target: String,
    /// Representation of the target before the write; `None` if there is none.
    pub before: Option<Value>,
    /// Representation of the target after the write; `None` if there is none.
    pub after: Option<Value>,
}

/// The events of teams and projects to which webhooks can subscribe: the verbs of each resource kind.
const EVENTS: &[(ResourceKind, &[&str])] = &[
    (ResourceKind::Team, &["created", "updated", "deleted", Event::REFUSED]),
    (ResourceKind::Member, &["created", "updated", "deleted"]),
    (ResourceKind::Invite, &["created", "updated", "deleted"]),
    (ResourceKind::Project, &["created", "updated", "deleted", Event::REFUSED]),
    (ResourceKind::ApiKey, &["created", "updated", "deleted"]),
    (ResourceKind::Schema, &["created"]),
    (ResourceKind::ProjectUser, &["created", "updated", "deleted"]),
    (ResourceKind::Item, &["updated", "deleted"]),
    (ResourceKind::Grant, &["created", "updated", "deleted"]),
    (ResourceKind::Webhook, &["created", "updated", "deleted"]),
];

/// Returns the names of all events to which webhooks can subscribe, such as `team.updated`.
pub fn event_names() -> Vec<String> {
    let names = |(kind, verbs): &(ResourceKind, &[&'static str])| {
        let kind = kind.as_str();
        verbs.iter().map(move |verb| format!("{kind}.{verb}")).collect::<Vec<_>>()
    };
    EVENTS.iter().flat_map(names).collect()
}

impl Event {
    /// Verb of an attempt that was refused because the caller was not allowed.
    pub const REFUSED: &'static str = "access_denied";

    /// Returns the name of the event in the audit log, such as `team.updated`.
    pub fn action(&self) -> String {
        format!("{}.{}", self.kind.as_str(), self.verb)
    }
}

/// A change contains a write that its permit does not cover.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a change of a {0} is outside the team or project of its permit")]
pub struct OutOfScope(pub ResourceKind);

/// All writes of one use case, with their audit events. They are stored atomically.
#[derive(Debug, Clone, PartialEq)]
pub struct Changes {
    permit: Permit,
    at: Time,
    writes: Vec<Write>,
    events: Vec<Event>,
    bounds: Vec<Bound>,
    has_indexed_fields: bool,
}

impl Changes {
    /// Creates an empty change that the permit allows.
    pub fn by(permit: Permit, at: Time) -> Self {
        Self { permit, at, writes: Vec::new(), events: Vec::new(), bounds: Vec::new(), has_indexed_fields: true }
    }

    /// Creates a change that only records a refused attempt and the reason.
    pub(crate) fn refused(attempt: Permit, why: &str, at: Time) -> Self {
        let (kind, target) = match (attempt.project(), attempt.team()) {
            (Some(project), _) => (ResourceKind::Project, project.to_string()),
            (None, Some(team)) => (ResourceKind::Team, team.to_string()),
            (None, None) => (ResourceKind::Account, String::new()),
        };
        let event = Event { verb: Event::REFUSED, kind, target, before: None, after: Some(json!({"reason": why})) };
        Self { events: vec![event], ..Self::by(attempt, at) }
    }

    /// Inserts an entity. The commit MUST fail if it exists.
    pub fn insert(mut self, subject: impl Into<Subject>) -> Self {
        let subject = subject.into();
        self.counts_new(&subject);
        let event = subject.is_recorded().then(|| event("created", &subject, None, Some(subject.shown())));
        self.with(Write::Insert(subject), event)
    }

    /// Replaces the loaded entity. The commit MUST fail if the stored revision is not the loaded one.
    pub fn replace(mut self, loaded: impl Into<Subject>, changed: impl Into<Subject>) -> Self {
        let (loaded, changed) = (loaded.into(), changed.into());
        self.counts_renamed(&loaded, &changed);
        let updated = || event("updated", &changed, Some(loaded.shown()), Some(changed.shown()));
        let event = changed.is_recorded().then(updated);
        self.with(Write::Replace(changed), event)
    }

    /// Removes the loaded entity. The commit MUST fail if the stored revision is not the loaded one.
    pub fn remove(self, loaded: impl Into<Subject>) -> Self {
        let loaded = loaded.into();
        // The audit log must contain nothing but the ID of a deleted account.
        let before = (!matches!(loaded, Subject::Account(_))).then(|| loaded.shown());
        let event = loaded.is_recorded().then(|| event("deleted", &loaded, before, None));
        self.with(Write::Remove(loaded), event)
    }

    /// Makes the change conflict with every other change that locks the same team. Use it for rules that span its
    /// members.
    pub fn lock(mut self, team: Team) -> Self {
        self.writes.push(Write::Lock(team));
        self
    }

    /// Makes the change conditional on the loaded revision of a member. Use it for changes that rely on another
    /// member's roles.
    pub fn hold(mut self, member: Member) -> Self {
        self.writes.push(Write::Hold(member));
        self
    }

    /// Stores an item with one conditional statement, without a read. The audit event does not contain its value.
    pub fn put(mut self, item: Item, when: Precondition) -> Self {
        self.counts(Quota::ItemsPerProject, item.project_id.uuid());
        self.counts(Quota::BytesPerProject, item.project_id.uuid());
        let event = item_event("updated", &item.table, &item.id, item.user_id);
        self.with(Write::PutItem(item, when), Some(event))
    }

    /// Sets whether a table that the change writes items to has indexed fields, according to the schema that was read
    /// with the permit.
    pub fn indexed(mut self, has_indexed_fields: bool) -> Self {
        self.has_indexed_fields = has_indexed_fields;
        self
    }

    /// Returns whether the written items may have indexed fields. It is `false` only if the write also verifies the
    /// access epoch of the project, because publishing a schema raises that epoch.
    pub fn has_indexed_fields(&self) -> bool {
        self.has_indexed_fields || self.permit.basis().project.is_none()
    }

    /// Removes an item with one conditional statement, without a read.
    pub fn remove_item(self, place: ItemPath, when: Precondition) -> Self {
        let event = item_event("deleted", &place.table, &place.id, place.user_id);
        self.with(Write::RemoveItem(place, when), Some(event))
    }

    /// Removes at most `limit` items of a user. The audit log records the change of the user, not of each item.
    pub fn erase_items(mut self, project: ProjectId, user: ProjectUserId, limit: u16) -> Self {
        self.writes.push(Write::EraseItems(project, user, limit));
        self
    }

    /// Returns an error if a write is outside the team or project of the permit. Every store MUST check this before it
    /// stores the change, so that a mistake in a use case cannot write into another tenant. The service itself and its
    /// operator may write anywhere unless their permit names a team.
    pub fn check_scope(&self) -> Result<(), OutOfScope> {
        match self.writes.iter().find(|write| !self.covers(write.owner())) {
            Some(write) => Err(OutOfScope(write.kind())),
            None => Ok(()),
        }
    }

    fn covers(&self, (team, project): (Option<TeamId>, Option<ProjectId>)) -> bool {
        match (self.permit.team(), self.permit.project()) {
            (Some(own), Some(permitted)) => {
                team.is_none_or(|team| team == own) && project.is_none_or(|project| project == permitted)
            }
            // The permit of a team covers its projects. Which team owns them is not known here.
            (Some(own), None) => team.is_none_or(|team| team == own),
            (None, _) => self.permit.actor() == Actor::System || team.is_none() && project.is_none(),
        }
    }

    fn with(mut self, write: Write, event: Option<Event>) -> Self {
        self.writes.push(write);
        self.events.extend(event);
        self
    }

    /// Returns the permit that allows the change.
    pub fn permit(&self) -> &Permit {
        &self.permit
    }

    /// Returns the timestamp of the change.
    pub fn at(&self) -> Time {
        self.at
    }

    /// Returns the writes in the order in which they are executed.
    pub fn writes(&self) -> &[Write] {
        &self.writes
    }

    /// Returns the audit events.
    pub fn events(&self) -> &[Event] {
        &self.events
    }
}

fn event(verb: &'static str, subject: &Subject, before: Option<Value>, after: Option<Value>) -> Event {
    Event { verb, kind: subject.kind(), target: subject.id(), before, after }
}

fn item_event(verb: &'static str, table: &str, id: &ItemId, user: ProjectUserId) -> Event {
    let place = json!({"user_id": user.to_string(), "table": table});
    let (before, after) = if verb == "deleted" { (Some(place), None) } else { (None, Some(place)) };
    Event { verb, kind: ResourceKind::Item, target: id.as_str().to_owned(), before, after }
}

impl Item {
    /// Returns the first revision of an item that is stored at `at`. It grows with time, so that an item that is
    /// deleted and created again never has an entity tag that it had before.
    pub fn first_revision(at: Time) -> Revision {
        Revision(at.timestamp_micros())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mocks::{
        a_key, a_permit_in, a_permit_with_basis, a_project, a_request, a_team, a_user_bearer, an_account, an_image,
        id_of, instant,
    };
    use crate::model::{AccessBasis, AccessEpoch, ApiKey, ImageUse, JsonObject, Project};
    use crate::policy::Operation;

    fn changes() -> Changes {
        Changes::by(Permit::for_system(Operation::AccountProvision, a_request()), instant())
    }

    #[test]
    fn indexed_fields_are_ruled_out_only_if_the_write_verifies_the_access_epoch() {
        let basis = AccessBasis { project: Some((id_of("project").into(), AccessEpoch(1))), ..AccessBasis::default() };
        let with_basis = |has_indexed_fields| {
            Changes::by(a_permit_with_basis(basis), instant()).indexed(has_indexed_fields).has_indexed_fields()
        };
        assert!(with_basis(true) && !with_basis(false));
        assert!(changes().indexed(false).has_indexed_fields());
    }

    #[test]
    fn every_write_of_an_entity_creates_an_audit_event() {
        let team = a_team("acme");
        let changes = changes().insert(team.clone()).replace(team.clone(), team.clone()).remove(team);
        let verbs: Vec<_> = changes.events().iter().map(|event| event.verb).collect();
        assert_eq!(verbs, ["created", "updated", "deleted"]);
    }

    #[test]
    fn a_write_outside_the_team_or_project_of_the_permit_is_out_of_scope() {
        let other =
            Project { id: id_of("other project").into(), team_id: id_of("other team").into(), ..a_project("other") };
        let mine = a_project("mine");
        let in_project = |subject: Subject| {
            Changes::by(a_permit_in(mine.team_id, Some(mine.id)), instant()).insert(subject).check_scope()
        };
        let in_team =
            |subject: Subject| Changes::by(a_permit_in(mine.team_id, None), instant()).insert(subject).check_scope();
        let key = |project: &Project| ApiKey { project_id: project.id, ..a_key() };
        assert_eq!(in_project(key(&mine).into()), Ok(()));
        assert_eq!(in_project(key(&other).into()), Err(OutOfScope(ResourceKind::ApiKey)));
        assert_eq!(in_project(other.clone().into()), Err(OutOfScope(ResourceKind::Project)));
        assert_eq!(in_team(mine.clone().into()), Ok(()));
        assert_eq!(in_team(other.clone().into()), Err(OutOfScope(ResourceKind::Project)));
        assert_eq!(changes().insert(other.clone()).check_scope(), Ok(()), "The operator may write anywhere.");
        let own = Permit::for_self(Operation::SignUp, id_of("ann").into(), a_request());
        let own = |subject: Subject| Changes::by(own.clone(), instant()).insert(subject).check_scope();
        assert_eq!(own(an_account("ann").into()), Ok(()));
        assert_eq!(own(other.into()), Err(OutOfScope(ResourceKind::Project)));
    }

    #[test]
    fn audit_events_contain_the_old_and_the_new_image() {
        let project = a_project("rocket");
        let with = |image| Project { images: project.images.clone().with(ImageUse::Icon, image), ..project.clone() };
        let changes = changes().replace(with(Some(an_image("old"))), with(Some(an_image("new"))));
        let [Event { before: Some(before), after: Some(after), .. }] = changes.events() else {
            panic!("Expected exactly one event.")
        };
        let (old, new) = (an_image("old").id.to_string(), an_image("new").id.to_string());
        assert_eq!((&before["icon"], &after["icon"]), (&json!(old), &json!(new)));
    }

    #[test]
    fn audit_events_contain_no_digests_and_no_password_hashes() {
        let account = an_account("ann");
        let key = a_key();
        let changes = changes().insert(account.clone()).insert(key.clone());
        let events = format!("{:?}", changes.events());
        assert!(!events.contains(account.password.as_str()));
        assert!(!events.contains(&key.digest.hex));
        assert!(events.contains(&key.hint));
    }

    #[test]
    fn audit_events_contain_no_personal_data_of_project_users() {
        let mut user = a_user_bearer("ann").user;
        user.meta = JsonObject::parse(json!({"note": "tall"}).as_object().unwrap().clone()).unwrap();
        let changes = changes().insert(user.clone()).replace(user.clone(), user.clone()).remove(user.clone());
        let events = format!("{:?}", changes.events());
        for personal in [user.account_id.to_string().as_str(), "ann", "tall", &user.user_did] {
            assert!(!events.contains(personal), "{personal:?} is in {events}");
        }
    }
}
