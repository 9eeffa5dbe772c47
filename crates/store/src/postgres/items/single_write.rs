//! Writes of items, as the statements that write several items know them.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use steward_domain::data::{Item, ItemPath};
use steward_domain::kernel::changes::{Changes, RecordedWrite, Write};
use steward_domain::kernel::{Precondition, ProjectId, Revision, Time};
use uuid::Uuid;

/// Larger items are written alone, so that they do not delay those of others.
const MAX_WRITE_BYTES: usize = 16 * 1024;

/// How a statement writes its items. In the order in which a change runs its statements: each one counts its items, and
/// those that free space come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::postgres) enum WriteKind {
    /// Deletes items that exist, if they have the wanted revision.
    Delete,
    /// Replaces items that exist, if they have the wanted revision.
    Replace,
    /// Stores items whether they exist or not.
    Put,
    /// Stores items that do not exist.
    Create,
}

/// The write of one item.
pub(in crate::postgres) struct WriteShape<'a> {
    pub(in crate::postgres) kind: WriteKind,
    /// Whether the statement also writes the keys of the item.
    pub(in crate::postgres) has_keys: bool,
    pub(in crate::postgres) path: ItemPath,
    /// Empty for a deletion.
    pub(in crate::postgres) value: &'a str,
    /// When the item counts as created, if it does not exist yet.
    pub(in crate::postgres) created_at: Time,
    /// The revision that the item must have; `None` if any.
    pub(in crate::postgres) wanted: Option<i64>,
}

impl<'a> WriteShape<'a> {
    /// Returns the shape of a write; `None` for a write of something else, and for preconditions that no statement of
    /// several items knows.
    pub(in crate::postgres) fn of(changes: &Changes, write: &'a Write) -> Option<Self> {
        let put = |item: &'a Item, (kind, wanted), created_at, has_keys| Self {
            kind,
            has_keys,
            path: ItemPath {
                project_id: item.project_id,
                user_id: item.user_id,
                table: item.table.clone(),
                id: item.id.clone(),
            },
            value: item.value.as_str(),
            created_at,
            wanted,
        };
        let has_keys = changes.has_indexed_fields();
        match write {
            Write::PutItem(item, when) => Some(put(item, put_kind(when)?, changes.at(), has_keys)),
            Write::ImportItem(item, created_at) => Some(put(item, (WriteKind::Put, None), *created_at, has_keys)),
            Write::RestoreItem(item, created_at) => Some(put(item, (WriteKind::Create, None), *created_at, true)),
            Write::RemoveItem(path, when) => Some(Self {
                kind: WriteKind::Delete,
                has_keys: true,
                path: path.clone(),
                value: "",
                created_at: changes.at(),
                wanted: delete_condition(when)?,
            }),
            _ => None,
        }
    }

    /// Returns the key of the item, in the order of the primary key.
    pub(in crate::postgres) fn key(&self) -> (Uuid, Uuid, &str, &str) {
        (self.path.project_id.uuid(), self.path.user_id.uuid(), &self.path.table, self.path.id.as_str())
    }

    /// Returns the length of the value.
    pub(in crate::postgres) fn bytes(&self) -> i64 {
        i64::try_from(self.value.len()).unwrap_or(i64::MAX)
    }
}

fn put_kind(when: &Precondition) -> Option<(WriteKind, Option<i64>)> {
    match when {
        Precondition::None => Some((WriteKind::Put, None)),
        Precondition::Absent => Some((WriteKind::Create, None)),
        Precondition::Exists => Some((WriteKind::Replace, None)),
        Precondition::Matches(wanted) => Some((WriteKind::Replace, Some(only(wanted)?))),
        Precondition::NoneOf(_) | Precondition::ExistsExcept(_) => None,
    }
}

fn delete_condition(when: &Precondition) -> Option<Option<i64>> {
    match when {
        Precondition::None | Precondition::Exists => Some(None),
        Precondition::Matches(wanted) => Some(Some(only(wanted)?)),
        Precondition::Absent | Precondition::NoneOf(_) | Precondition::ExistsExcept(_) => None,
    }
}

fn only(revisions: &[Revision]) -> Option<i64> {
    match revisions {
        [Revision(revision)] => Some(*revision),
        _ => None,
    }
}

/// What decides which other requests a change that writes one item can share a statement with.
pub(in crate::postgres) struct SingleWrite {
    pub(in crate::postgres) project: ProjectId,
    pub(in crate::postgres) statement: (WriteKind, bool),
    pub(in crate::postgres) item_hash: u64,
    pub(in crate::postgres) bytes: usize,
}

impl SingleWrite {
    /// Returns the write of a change that can share a statement with others.
    pub(in crate::postgres) fn of(changes: &Changes) -> Option<Self> {
        let [RecordedWrite { write, event: Some(_) }] = changes.recorded_writes() else { return None };
        if changes.permit().request().claim.is_some() {
            return None;
        }
        let shape = WriteShape::of(changes, write)?;
        let mut hasher = DefaultHasher::new();
        shape.key().hash(&mut hasher);
        let bytes = shape.value.len();
        let project = shape.path.project_id;
        let write = Self { project, statement: (shape.kind, shape.has_keys), item_hash: hasher.finish(), bytes };
        (bytes <= MAX_WRITE_BYTES).then_some(write)
    }
}
