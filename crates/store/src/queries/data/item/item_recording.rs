//! What is stored with an item write: its event, its keys, and its effect on the project's usage.

use steward_domain::kernel::AccessBasis;

use super::administration::audit::NewEvent;
use super::kernel::statement::Statement;
use crate::dialect::Proof;
use crate::sql_types::Id;

/// What is stored with an item write: its event, and its effect on the project's counter row.
pub(crate) struct Recording<'a> {
    pub(crate) event: NewEvent<'a>,
    pub(crate) project: Id,
    pub(crate) shard: i16,
    pub(crate) keys: Keys,
    /// Basis of the access decision for the write.
    pub(crate) basis: &'a AccessBasis,
    pub(crate) proof: Proof,
}

impl Recording<'_> {
    /// Appends the position of the event.
    pub(crate) fn push_position<T>(&self, statement: &mut Statement<T>) {
        push_position(statement, self.proof, self.event.number);
    }
}

/// Appends the position of the event with this number.
pub(crate) fn push_position<T>(statement: &mut Statement<T>, proof: Proof, number: i64) {
    match proof {
        Proof::InStatement => super::dialect::push_position(statement, number),
        Proof::Before { first_position } => statement.count(first_position.saturating_add(number)),
    }
}

/// The action of a put that creates its item. A put that replaces an item has the action of its event, `item.updated`.
pub(crate) const ITEM_CREATED: &str = "item.created";

/// Effect of a write on the keys of its item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keys {
    /// The item has no keys.
    None,
    Stored,
    Deleted,
}
