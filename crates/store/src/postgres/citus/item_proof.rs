//! Proves what writes of items rely on, before they are sent to another node.

use diesel::OptionalExtension as _;
use diesel::RunQueryDsl as _;
use diesel::sql_types::{BigInt, Nullable};
use steward_domain::data::{ItemPath, StoredItem};
use steward_domain::kernel::error::ResourceKind;
use steward_domain::kernel::{AccessBasis, ProjectId, ProjectUserId};

use crate::dialect::Proof;
use crate::error::JobError;
use crate::postgres::queries::data::item;
use crate::postgres::queries::data::item::item_write;
use crate::postgres::queries::kernel::access_epoch;
use crate::postgres::queries::kernel::statement::Statement;
use crate::postgres::{Conn, Layout};
use crate::tables::ItemContent;

/// Proves that the user is connected and that the basis is current, and reads the positions of the transaction. The lock
/// prevents that the user is deleted before the transaction ends, as a foreign key would: Citus commits on the other node
/// first.
pub(in crate::postgres) fn prove(
    conn: &mut Conn,
    layout: Layout,
    (project, user): (ProjectId, ProjectUserId),
    basis: &AccessBasis,
) -> Result<Proof, JobError> {
    if layout.is_local() {
        return Ok(Proof::InStatement);
    }
    let mut proof: Statement<Nullable<BigInt>> = Statement::new();
    proof.sql("SELECT (SELECT base FROM transaction_position) FROM project_users WHERE ");
    item_write::is_connected(&mut proof, project, user);
    access_epoch::push_basis_condition(&mut proof, basis);
    proof.sql(" FOR KEY SHARE");
    let first_position: Option<Option<i64>> = proof.get_result(conn).optional()?;
    let first_position = first_position.ok_or(JobError::Stale(ResourceKind::Item))?;
    Ok(Proof::Before { first_position: first_position.ok_or(JobError::NoPosition)? })
}

/// Reads an item from its node, and then proves that the user was not being deleted and that the basis was current: access
/// that has ended does not begin again.
pub(in crate::postgres) fn read(
    conn: &mut Conn,
    path: &ItemPath,
    basis: &AccessBasis,
) -> Result<Option<StoredItem>, JobError> {
    let content: Option<ItemContent> = item::unproven(path).get_result(conn).optional()?;
    let Some(content) = content else { return Ok(None) };
    let is_current = access_epoch::is_current(conn, basis, Some((path.project_id, path.user_id)))?;
    is_current.then(|| content.in_table((path.project_id, path.user_id, &path.table))).transpose()
}
