//! Changes: all writes of one use case as one value. A permit is required to create it, and it is stored atomically.

mod bound;
mod entity;
mod write;

use serde_json::{Value, json};
use uuid::Uuid;

use crate::administration::{AuditEvent, Member, Team};
use crate::data::{Item, ItemDeletion, ItemId, ItemImport, ItemPath, LineProblem, SchemaDraft, SyncReceipt};
use crate::kernel::error::ResourceKind;
use crate::kernel::policy::{Actor, Permit, Quota, Quotas};
use crate::kernel::{
    AccountId, IdentityProviderId, InviteId, ItemDeletionId, OwnerIds, Precondition, ProjectId, ProjectUserId, Time,
    TokenDigest,
};

use bound::Bounds;

pub use bound::Bound;
pub use entity::{Entity, Remove, Replace};
pub use write::Write;

/// The audit event of one write.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// `created`, `updated` or `deleted`, a more specific verb, or [`AuditEvent::REFUSED`] for an attempt that was
    /// refused.
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

impl Event {
    /// Returns the name of the event in the audit log, such as `team.updated`.
    pub fn action(&self) -> String {
        format!("{}.{}", self.kind.as_str(), self.verb)
    }
}

/// A write with the audit event that records it.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedWrite {
    /// The write.
    pub write: Write,
    /// The event; `None` if the audit log does not record the write.
    pub event: Option<Event>,
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
    writes: Vec<RecordedWrite>,
    /// The event of an attempt that was refused. The change contains no writes then.
    refusal: Option<Event>,
    bounds: Bounds,
    has_indexed_fields: bool,
}

impl Changes {
    /// Creates an empty change that the permit allows.
    pub fn by(permit: Permit, at: Time) -> Self {
        Self { permit, at, writes: Vec::new(), refusal: None, bounds: Bounds::default(), has_indexed_fields: true }
    }

    /// Sets the limits of all quotas that the change counts against.
    pub fn bounded_by(self, quotas: &Quotas) -> Self {
        Self { bounds: self.bounds.limited_by(quotas), ..self }
    }

    /// Returns the bounds that must hold after the change.
    pub fn bounds(&self) -> &[Bound] {
        self.bounds.as_slice()
    }

    /// Returns the limit of a quota, or `None` if the change does not count against it.
    pub fn limit(&self, quota: Quota) -> Option<u64> {
        self.bounds.limit(quota)
    }

    /// Creates a change that only records a refused attempt and the reason.
    pub(crate) fn refused(attempt: Permit, why: &str, at: Time) -> Self {
        let (kind, target) = match (attempt.project(), attempt.team()) {
            (Some(project), _) => (ResourceKind::Project, project.to_string()),
            (None, Some(team)) => (ResourceKind::Team, team.to_string()),
            (None, None) => {
                let (_, actor) = attempt.actor().formatted();
                (ResourceKind::Account, actor.map(|id| id.to_string()).unwrap_or_default())
            }
        };
        Self::with_refusal(attempt, AuditEvent::REFUSED, (kind, target), json!({"reason": why}), at)
    }

    /// Creates a change that only records what was refused, such as a request of an OAuth client, and the details.
    pub(crate) fn with_refusal(
        attempt: Permit,
        verb: &'static str,
        (kind, target): (ResourceKind, String),
        details: Value,
        at: Time,
    ) -> Self {
        let refusal = Some(Event { verb, kind, target, before: None, after: Some(details) });
        Self { refusal, ..Self::by(attempt, at) }
    }

    /// Returns the ID of what an event without a team is about: the account that is its target, the person who caused it, or the
    /// identity provider that is its target if nobody who is known caused it. `None` if there is none of them.
    pub fn subject_of(&self, event: &Event) -> Option<Uuid> {
        if event.kind == ResourceKind::Account {
            return AccountId::parse(&event.target).map(AccountId::uuid);
        }
        match self.permit.actor() {
            Actor::System if event.kind == ResourceKind::IdentityProvider => {
                IdentityProviderId::parse(&event.target).map(IdentityProviderId::uuid)
            }
            actor => actor.account().map(AccountId::uuid),
        }
    }

    /// Inserts each entity.
    pub fn insert_all(self, entities: impl IntoIterator<Item = impl Into<Entity>>) -> Self {
        entities.into_iter().fold(self, Self::insert)
    }

    /// Inserts an entity. The commit MUST fail if it exists.
    pub fn insert(mut self, entity: impl Into<Entity>) -> Self {
        let entity = entity.into();
        self.bounds.add_of_new(&entity);
        let event = entity.audit_view().map(|new| Event {
            verb: "created",
            kind: entity.kind(),
            target: new.id,
            before: None,
            after: Some(new.state),
        });
        self.with(Write::Insert(entity), event)
    }

    /// Replaces the loaded entity. The commit MUST fail if the stored revision is not the loaded one.
    pub fn replace<E: Replace>(mut self, loaded: E, changed: E) -> Self {
        let (loaded, changed) = (loaded.into(), changed.into());
        self.bounds.add_of_changed(&loaded, &changed);
        let event = changed.audit_view().map(|new| Event {
            verb: changed.verb_after(&loaded),
            kind: changed.kind(),
            target: new.id,
            before: loaded.audit_view().map(|old| old.state),
            after: Some(new.state),
        });
        self.with(Write::Replace(changed), event)
    }

    /// Removes the loaded entity. The commit MUST fail if the stored revision is not the loaded one.
    pub fn remove(self, loaded: impl Remove) -> Self {
        let loaded = loaded.into();
        let event = loaded.audit_view().map(|old| Event {
            verb: "deleted",
            kind: loaded.kind(),
            target: old.id,
            // The audit log must contain nothing but the ID of a deleted account.
            before: (!matches!(loaded, Entity::Account(_))).then_some(old.state),
            after: None,
        });
        self.with(Write::Remove(loaded), event)
    }

    /// Makes the change conflict with every other change that locks the same team. Use it for rules that span its
    /// members.
    pub fn lock(self, team: Team) -> Self {
        self.with(Write::Lock(team), None)
    }

    /// Makes the change conditional on the loaded revision of a member. Use it for changes that rely on another
    /// member's roles.
    pub fn hold(self, member: Member) -> Self {
        self.with(Write::Hold(member), None)
    }

    /// Stores an item without a read by the use case. The audit event does not contain its value. The
    /// store records it as `created` if the statement creates the item.
    pub fn put(self, item: Item, when: Precondition) -> Self {
        self.with_item("updated", item, |item| Write::PutItem(item, when))
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

    /// Removes an item without a read by the use case.
    pub fn remove_item(self, path: ItemPath, when: Precondition) -> Self {
        let event = item_event("deleted", &path.table, &path.id, path.user_id);
        self.with(Write::RemoveItem(path, when), Some(event))
    }

    /// Removes at most `limit` items of a user. The audit log records the change of the user, not of each item.
    pub fn erase_items(self, project: ProjectId, user: ProjectUserId, limit: u16) -> Self {
        self.with(Write::EraseItems(project, user, limit), None)
    }

    /// Removes at most `limit` rows of a user before the user.
    pub fn remove_user_data(self, project: ProjectId, user: ProjectUserId, limit: u16) -> Self {
        self.with(Write::RemoveUserData(project, user, limit), None)
    }

    /// Records that the items change because of a message of a device.
    pub fn record_receipt(self, receipt: SyncReceipt) -> Self {
        self.with(Write::RecordReceipt(receipt), None)
    }

    /// Keeps the items that the change removes, so that their deletion can be undone. MUST follow the removals.
    pub fn keep_deletion(self, deletion: ItemDeletion) -> Self {
        self.with(Write::KeepDeletion(deletion), None)
    }

    /// Removes a deletion that is undone.
    pub fn end_deletion(self, project: ProjectId, id: ItemDeletionId) -> Self {
        self.with(Write::EndDeletion(project, id), None)
    }

    /// Stores an item that counts as created at this time, unless it exists: then the change fails.
    pub fn restore(self, item: Item, created_at: Time) -> Self {
        self.with_item("created", item, |item| Write::RestoreItem(item, created_at))
    }

    /// Stores an item. One that does not exist yet counts as created at this time.
    pub fn import(self, item: Item, created_at: Time) -> Self {
        self.with_item("updated", item, |item| Write::ImportItem(item, created_at))
    }

    /// Stores an import after its next portion.
    pub fn advance_import(self, import: ItemImport, problems: Vec<LineProblem>) -> Self {
        self.with(Write::AdvanceImport(Box::new(import), problems), None)
    }

    /// Replaces the draft that its account has in its project.
    pub fn save_draft(self, draft: SchemaDraft) -> Self {
        self.with(Write::SaveDraft(draft), None)
    }

    /// Deletes the draft that the account has in the project, if there is one.
    pub fn discard_draft(self, project: ProjectId, account: AccountId) -> Self {
        self.with(Write::DiscardDraft(project, account), None)
    }

    /// Uses up the proof in the emailed link of an invite.
    pub fn use_invite_proof(self, invite: InviteId, proof: TokenDigest) -> Self {
        self.with(Write::UseInviteProof(invite, proof), None)
    }

    /// Returns an error if a write is outside the team or project of the permit. Every store MUST check this before it
    /// stores the change, so that a mistake in a use case cannot write into another tenant. The service itself and its
    /// operator may write anywhere unless their permit names a team. The permit of a refused attempt covers no write.
    pub fn check_scope(&self) -> Result<(), OutOfScope> {
        let outside = self.writes().find(|write| self.permit.is_refused() || !self.covers(write.owner_ids()));
        outside.map_or(Ok(()), |write| Err(OutOfScope(write.kind())))
    }

    fn covers(&self, (team, project): OwnerIds) -> bool {
        match (self.permit.team(), self.permit.project()) {
            (Some(own), Some(permitted)) => {
                team.is_none_or(|team| team == own) && project.is_none_or(|project| project == permitted)
            }
            // What names only a project needs a permit that reaches it: which team owns it is not known here.
            (Some(own), None) => match team {
                Some(team) => team == own,
                None => project.is_none_or(|project| self.permit.reaches(project)),
            },
            (None, _) => self.permit.actor() == Actor::System || team.is_none() && project.is_none(),
        }
    }

    /// Lets the change of a team also change these projects. They MUST have been read as projects of the team.
    pub(crate) fn reaching(self, projects: impl IntoIterator<Item = ProjectId>) -> Self {
        Self { permit: self.permit.reaching(projects), ..self }
    }

    /// Returns the project in whose log a write is recorded: that of the permit, or that of a resource which a change
    /// of its team reaches.
    pub fn project_of(&self, write: &Write) -> Option<ProjectId> {
        let reached = match write.owner_ids() {
            (None, project) => project.filter(|project| self.permit.reaches(*project)),
            (Some(_), _) => None,
        };
        self.permit.project().or(reached)
    }

    fn with_item(mut self, verb: &'static str, item: Item, write: impl FnOnce(Item) -> Write) -> Self {
        self.bounds.add(Quota::ItemsPerProject, item.project_id.uuid());
        self.bounds.add(Quota::BytesPerProject, item.project_id.uuid());
        let event = item_event(verb, &item.table, &item.id, item.user_id);
        self.with(write(item), Some(event))
    }

    fn with(mut self, write: Write, event: Option<Event>) -> Self {
        self.writes.push(RecordedWrite { write, event });
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

    /// Returns the writes with their audit events, in the order in which they are executed.
    pub fn recorded_writes(&self) -> &[RecordedWrite] {
        &self.writes
    }

    /// Returns the audit event of the attempt that was refused; `None` if the change contains writes.
    pub fn refusal(&self) -> Option<&Event> {
        self.refusal.as_ref()
    }

    /// Returns the writes in the order in which they are executed.
    pub fn writes(&self) -> impl Iterator<Item = &Write> {
        self.writes.iter().map(|recorded| &recorded.write)
    }

    /// Returns the audit events in the order of the writes.
    pub fn events(&self) -> impl Iterator<Item = &Event> {
        self.writes.iter().filter_map(|recorded| recorded.event.as_ref()).chain(&self.refusal)
    }
}

fn item_event(verb: &'static str, table: &str, id: &ItemId, user: ProjectUserId) -> Event {
    let place = json!({"user_id": user.to_string(), "table": table});
    let (before, after) = if verb == "deleted" { (Some(place), None) } else { (None, Some(place)) };
    Event { verb, kind: ResourceKind::Item, target: id.as_str().to_owned(), before, after }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::administration::{ApiKey, Project, ProjectImage};
    use crate::kernel::policy::Operation;
    use crate::kernel::{AccessBasis, AccessEpoch, JsonObject};
    use crate::mocks::{
        a_caller, a_key, a_permit, a_permit_in, a_permit_with_basis, a_project, a_request, a_team, a_user_bearer,
        an_account, an_image, id_of, instant,
    };

    fn changes() -> Changes {
        Changes::by(a_permit(), instant())
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
        let verbs: Vec<_> = changes.events().map(|event| event.verb).collect();
        assert_eq!(verbs, ["created", "updated", "deleted"]);
    }

    #[test]
    fn a_write_outside_the_team_or_project_of_the_permit_is_out_of_scope() {
        let other =
            Project { id: id_of("other project").into(), team_id: id_of("other team").into(), ..a_project("other") };
        let mine = a_project("mine");
        let in_project = |entity: Entity| {
            Changes::by(a_permit_in(mine.team_id, Some(mine.id)), instant()).insert(entity).check_scope()
        };
        let in_team =
            |entity: Entity| Changes::by(a_permit_in(mine.team_id, None), instant()).insert(entity).check_scope();
        let key = |project: &Project| ApiKey { project_id: project.id, ..a_key() };
        assert_eq!(in_project(key(&mine).into()), Ok(()));
        assert_eq!(in_project(key(&other).into()), Err(OutOfScope(ResourceKind::ApiKey)));
        assert_eq!(in_project(other.clone().into()), Err(OutOfScope(ResourceKind::Project)));
        assert_eq!(in_team(mine.clone().into()), Ok(()));
        assert_eq!(in_team(other.clone().into()), Err(OutOfScope(ResourceKind::Project)));
        assert_eq!(in_team(key(&mine).into()), Err(OutOfScope(ResourceKind::ApiKey)));
        let reaching = Changes::by(a_permit_in(mine.team_id, None), instant()).reaching([mine.id]);
        assert_eq!(reaching.clone().insert(key(&mine)).check_scope(), Ok(()));
        let beyond = reaching.insert(key(&mine)).insert(key(&other));
        assert_eq!(beyond.check_scope(), Err(OutOfScope(ResourceKind::ApiKey)));
        let logs: Vec<_> = beyond.writes().map(|write| beyond.project_of(write)).collect();
        assert_eq!(logs, [Some(mine.id), None], "The log of the project records what a change of its team reaches.");
        assert_eq!(changes().insert(other.clone()).check_scope(), Ok(()), "The operator may write anywhere.");
        let own = Permit::authenticated(Operation::SignUp, id_of("ann").into(), a_request()).unwrap();
        let own = |entity: Entity| Changes::by(own.clone(), instant()).insert(entity).check_scope();
        assert_eq!(own(an_account("ann").into()), Ok(()));
        assert_eq!(own(other.into()), Err(OutOfScope(ResourceKind::Project)));
        let refused = Permit::refused(Operation::TeamUpdate, &a_caller("ann"), mine.team_id, None);
        let refused = Changes::by(refused, instant()).insert(mine);
        assert_eq!(refused.check_scope(), Err(OutOfScope(ResourceKind::Project)));
    }

    #[test]
    fn audit_events_contain_the_old_and_the_new_image() {
        let project = a_project("rocket");
        let with =
            |image| Project { images: project.images.clone().with(ProjectImage::Icon, image), ..project.clone() };
        let changes = changes().replace(with(Some(an_image("old"))), with(Some(an_image("new"))));
        let [RecordedWrite { event: Some(Event { before: Some(before), after: Some(after), .. }), .. }] =
            changes.recorded_writes()
        else {
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
        let events = format!("{:?}", changes.events().collect::<Vec<_>>());
        assert!(!events.contains(account.password.unwrap().as_str()));
        assert!(!events.contains(&key.digest.hex));
        assert!(events.contains(&key.hint));
    }

    #[test]
    fn audit_events_contain_no_personal_data_of_project_users() {
        let mut user = a_user_bearer("ann").user;
        user.meta = JsonObject::parse(json!({"note": "tall"}).as_object().unwrap().clone()).unwrap();
        let changes = changes().insert(user.clone()).replace(user.clone(), user.clone()).remove(user.clone());
        let events = format!("{:?}", changes.events().collect::<Vec<_>>());
        for personal in [user.account_id.to_string().as_str(), "ann", "tall", &user.user_did] {
            assert!(!events.contains(personal), "{personal:?} is in {events}");
        }
    }
}
