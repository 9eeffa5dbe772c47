//! A change that consists of the write of one item, and the kinds of such writes.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use steward_domain::changes::{Changes, RecordedWrite, Write};
use steward_domain::model::{Item, ItemPath, Precondition, Revision};
use uuid::Uuid;

/// Larger items are written alone, so that they do not delay those of others.
const MAX_WRITE_BYTES: usize = 16 * 1024;

/// How a statement writes its items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum WriteKind {
    /// Stores items whether they exist or not.
    Put,
    /// Stores items that do not exist.
    Create,
    /// Replaces items that exist, if they have the wanted revision.
    Replace,
    /// Deletes items that exist, if they have the wanted revision.
    Delete,
}

/// The write of a change that consists of one.
#[derive(Clone)]
pub(super) struct SingleWrite {
    pub(super) path: ItemPath,
    pub(super) path_hash: u64,
    pub(super) kind: WriteKind,
    pub(super) has_keys: bool,
    pub(super) wanted: Option<i64>,
    pub(super) bytes: usize,
}

impl SingleWrite {
    /// Returns the write of a change that can share a statement with others.
    pub(super) fn of(changes: &Changes) -> Option<Self> {
        let [RecordedWrite { write, event: Some(_) }] = changes.recorded_writes() else { return None };
        if changes.permit().request().claim.is_some() {
            return None;
        }
        let (path, (kind, wanted), bytes) = match write {
            Write::PutItem(item, when) => (path_of(item), put_kind(when)?, item.value.as_str().len()),
            Write::RemoveItem(path, when) => (path.clone(), delete_kind(when)?, 0),
            _ => return None,
        };
        let mut hasher = DefaultHasher::new();
        (path.project_id, path.user_id, &path.table, path.id.as_str()).hash(&mut hasher);
        let write =
            Self { path_hash: hasher.finish(), path, kind, has_keys: changes.has_indexed_fields(), wanted, bytes };
        (bytes <= MAX_WRITE_BYTES).then_some(write)
    }
}

pub(super) fn path_of(item: &Item) -> ItemPath {
    ItemPath { project_id: item.project_id, user_id: item.user_id, table: item.table.clone(), id: item.id.clone() }
}

pub(super) fn put_kind(when: &Precondition) -> Option<(WriteKind, Option<i64>)> {
    match when {
        Precondition::None => Some((WriteKind::Put, None)),
        Precondition::Absent => Some((WriteKind::Create, None)),
        Precondition::Exists => Some((WriteKind::Replace, None)),
        Precondition::Matches(wanted) => Some((WriteKind::Replace, Some(only(wanted)?))),
        Precondition::NoneOf(_) | Precondition::ExistsExcept(_) => None,
    }
}

pub(super) fn delete_kind(when: &Precondition) -> Option<(WriteKind, Option<i64>)> {
    match when {
        Precondition::None | Precondition::Exists => Some((WriteKind::Delete, None)),
        Precondition::Matches(wanted) => Some((WriteKind::Delete, Some(only(wanted)?))),
        Precondition::Absent | Precondition::NoneOf(_) | Precondition::ExistsExcept(_) => None,
    }
}

fn only(revisions: &[Revision]) -> Option<i64> {
    match revisions {
        [Revision(revision)] => Some(*revision),
        _ => None,
    }
}

/// Returns the key of an item, in the order of the primary key.
pub(super) fn key(path: &ItemPath) -> (Uuid, Uuid, &str, &str) {
    (path.project_id.uuid(), path.user_id.uuid(), &path.table, path.id.as_str())
}
