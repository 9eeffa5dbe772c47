//! What one use case wants stored: one plain value, made with a permit, stored whole or not at all.

mod bound;
mod subject;

use serde_json::{Value, json};

use crate::error::ResourceKind;
use crate::model::{Item, ItemId, Member, Precondition, ProjectId, ProjectUserId, Revision, Team, Time};
use crate::policy::{Permit, Quota};

pub use bound::Bound;
pub use subject::Subject;

/// Where an item is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemPlace {
    /// The project.
    pub project_id: ProjectId,
    /// The user.
    pub user_id: ProjectUserId,
    /// The table.
    pub table: String,
    /// The item.
    pub id: ItemId,
}

/// One write.
#[derive(Debug, Clone, PartialEq)]
pub enum Write {
    /// Stores a new thing; fails if it exists.
    Insert(Subject),
    /// Stores a thing over the one with the same id and revision; the stored revision goes up by one.
    Replace(Subject),
    /// Removes the thing with this id and revision. A project is there for nobody from then on and its slugs are free;
    /// what belonged to it is left to [`crate::ports::DeletedProjects`].
    Remove(Subject),
    /// Raises the revision of the team with this revision: whoever else does the same collides.
    Lock(Team),
    /// Stores nothing: the change is made only while this member is as it was loaded, and whoever changes the member
    /// waits for it.
    Hold(Member),
    /// Stores an item whole, where the precondition holds and its user is connected.
    PutItem(Item, Precondition),
    /// Removes an item, where the precondition holds and its user is connected.
    RemoveItem(ItemPlace, Precondition),
    /// Removes at most this many of a user's items, whichever.
    EraseItems(ProjectId, ProjectUserId, u16),
}

/// What the audit trail keeps of one write.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// `created`, `updated` or `deleted`; [`Event::REFUSED`] for what was not done.
    pub verb: &'static str,
    /// The kind of the thing.
    pub kind: ResourceKind,
    /// The id of the thing.
    pub target: String,
    /// What was shown of it before.
    pub before: Option<Value>,
    /// What is shown of it now.
    pub after: Option<Value>,
}

/// The names of the events of teams and projects: what each kind of thing there is told of.
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

/// The names of all events that a webhook can ask for, like `team.updated`.
pub fn event_names() -> Vec<String> {
    let names = |(kind, verbs): &(ResourceKind, &[&'static str])| {
        let kind = kind.as_str();
        verbs.iter().map(move |verb| format!("{kind}.{verb}")).collect::<Vec<_>>()
    };
    EVENTS.iter().flat_map(names).collect()
}

impl Event {
    /// The verb of what somebody tried to do to a thing and was not allowed.
    pub const REFUSED: &'static str = "access_denied";

    /// What it is called in the audit trail, like `team.updated`.
    pub fn action(&self) -> String {
        format!("{}.{}", self.kind.as_str(), self.verb)
    }
}

/// Everything one use case wants stored. All of it is stored, or none.
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
    /// Begins a change that the permit allows.
    pub fn by(permit: Permit, at: Time) -> Self {
        Self { permit, at, writes: Vec::new(), events: Vec::new(), bounds: Vec::new(), has_indexed_fields: true }
    }

    /// Nothing but the record that something was refused, and why.
    pub(crate) fn refused(attempt: Permit, why: &str, at: Time) -> Self {
        let (kind, target) = match (attempt.project(), attempt.team()) {
            (Some(project), _) => (ResourceKind::Project, project.to_string()),
            (None, Some(team)) => (ResourceKind::Team, team.to_string()),
            (None, None) => (ResourceKind::Account, String::new()),
        };
        let event = Event { verb: Event::REFUSED, kind, target, before: None, after: Some(json!({"reason": why})) };
        Self { events: vec![event], ..Self::by(attempt, at) }
    }

    /// Stores a new thing. MUST fail if it exists.
    pub fn insert(mut self, subject: impl Into<Subject>) -> Self {
        let subject = subject.into();
        self.counts_new(&subject);
        let event = subject.is_recorded().then(|| event("created", &subject, None, Some(subject.shown())));
        self.with(Write::Insert(subject), event)
    }

    /// Stores a thing over the one that was loaded. MUST match the loaded revision.
    pub fn replace(mut self, loaded: impl Into<Subject>, changed: impl Into<Subject>) -> Self {
        let (loaded, changed) = (loaded.into(), changed.into());
        self.counts_renamed(&loaded, &changed);
        let told = || event("updated", &changed, Some(loaded.shown()), Some(changed.shown()));
        let event = changed.is_recorded().then(told);
        self.with(Write::Replace(changed), event)
    }

    /// Removes a thing. MUST match the loaded revision.
    pub fn remove(self, loaded: impl Into<Subject>) -> Self {
        let loaded = loaded.into();
        // Of a deleted account nothing but its id is to be found.
        let before = (!matches!(loaded, Subject::Account(_))).then(|| loaded.shown());
        let event = loaded.is_recorded().then(|| event("deleted", &loaded, before, None));
        self.with(Write::Remove(loaded), event)
    }

    /// Makes the change collide with every other that locks the same team: for rules across its members.
    pub fn lock(mut self, team: Team) -> Self {
        self.writes.push(Write::Lock(team));
        self
    }

    /// Makes the change depend on a member being as it was loaded: for what rests on another's authority.
    pub fn hold(mut self, member: Member) -> Self {
        self.writes.push(Write::Hold(member));
        self
    }

    /// Stores an item: one conditional statement, nothing read first. Its value does not enter the audit trail.
    pub fn put(mut self, item: Item, when: Precondition) -> Self {
        self.counts(Quota::ItemsPerProject, item.project_id.uuid());
        self.counts(Quota::BytesPerProject, item.project_id.uuid());
        let event = item_event("updated", &item.table, &item.id, item.user_id);
        self.with(Write::PutItem(item, when), Some(event))
    }

    /// Says whether a table that it writes items of has indexed fields, by the schema that was known with the permit.
    pub fn indexed(mut self, has_indexed_fields: bool) -> Self {
        self.has_indexed_fields = has_indexed_fields;
        self
    }

    /// Whether items may have indexed fields. That they have none counts only where the write proves the project's access
    /// epoch: a new schema raises it.
    pub fn has_indexed_fields(&self) -> bool {
        self.has_indexed_fields || self.permit.basis().project.is_none()
    }

    /// Removes an item: one conditional statement, nothing read first.
    pub fn remove_item(self, place: ItemPlace, when: Precondition) -> Self {
        let event = item_event("deleted", &place.table, &place.id, place.user_id);
        self.with(Write::RemoveItem(place, when), Some(event))
    }

    /// Removes at most this many of a user's items. The trail tells of the user, not of each item.
    pub fn erase_items(mut self, project: ProjectId, user: ProjectUserId, most: u16) -> Self {
        self.writes.push(Write::EraseItems(project, user, most));
        self
    }

    fn with(mut self, write: Write, event: Option<Event>) -> Self {
        self.writes.push(write);
        self.events.extend(event);
        self
    }

    /// What allows it.
    pub fn permit(&self) -> &Permit {
        &self.permit
    }

    /// When it happens.
    pub fn at(&self) -> Time {
        self.at
    }

    /// The writes, in the order in which they are made.
    pub fn writes(&self) -> &[Write] {
        &self.writes
    }

    /// What the audit trail keeps.
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
    /// The revision that an item stored at this moment begins with. It grows with time, so that an item that is removed
    /// and made again never wears an old entity tag.
    pub fn first_revision(at: Time) -> Revision {
        Revision(at.timestamp_micros())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mocks::{
        a_key, a_permit_resting_on, a_project, a_request, a_team, a_user_bearer, an_account, an_image, id_of, instant,
    };
    use crate::model::{AccessBasis, AccessEpoch, ImageUse, JsonObject, Project};
    use crate::policy::Operation;

    fn changes() -> Changes {
        Changes::by(Permit::for_system(Operation::AccountProvision, a_request()), instant())
    }

    #[test]
    fn keys_are_left_out_only_where_the_write_proves_the_schema() {
        let basis = AccessBasis { project: Some((id_of("project").into(), AccessEpoch(1))), ..AccessBasis::default() };
        let proving = |has_indexed_fields| {
            Changes::by(a_permit_resting_on(basis), instant()).indexed(has_indexed_fields).has_indexed_fields()
        };
        assert!(proving(true) && !proving(false));
        assert!(changes().indexed(false).has_indexed_fields());
    }

    #[test]
    fn every_write_leaves_an_event() {
        let team = a_team("acme");
        let changes = changes().insert(team.clone()).replace(team.clone(), team.clone()).remove(team);
        let verbs: Vec<_> = changes.events().iter().map(|event| event.verb).collect();
        assert_eq!(verbs, ["created", "updated", "deleted"]);
    }

    #[test]
    fn the_audit_trail_tells_which_image_came_and_which_went() {
        let project = a_project("rocket");
        let with = |image| Project { images: project.images.clone().with(ImageUse::Icon, image), ..project.clone() };
        let changes = changes().replace(with(Some(an_image("old"))), with(Some(an_image("new"))));
        let [Event { before: Some(before), after: Some(after), .. }] = changes.events() else { panic!("one event") };
        let (old, new) = (an_image("old").id.to_string(), an_image("new").id.to_string());
        assert_eq!((&before["icon"], &after["icon"]), (&json!(old), &json!(new)));
    }

    #[test]
    fn the_audit_trail_holds_no_digest_and_no_password_hash() {
        let account = an_account("ann");
        let key = a_key();
        let changes = changes().insert(account.clone()).insert(key.clone());
        let events = format!("{:?}", changes.events());
        assert!(!events.contains(account.password.as_str()));
        assert!(!events.contains(&key.digest.hex));
        assert!(events.contains(&key.hint));
    }

    #[test]
    fn the_audit_trail_holds_nothing_of_a_person_who_uses_a_project() {
        let mut user = a_user_bearer("ann").user;
        user.meta = JsonObject::parse(json!({"note": "tall"}).as_object().unwrap().clone()).unwrap();
        let changes = changes().insert(user.clone()).replace(user.clone(), user.clone()).remove(user.clone());
        let events = format!("{:?}", changes.events());
        for personal in [user.account_id.to_string().as_str(), "ann", "tall", &user.user_did] {
            assert!(!events.contains(personal), "{personal} in {events}");
        }
    }
}
