//! Queries for the server's own keys.

use async_trait::async_trait;
use diesel::prelude::*;
use steward_domain::error::ResourceKind;
use steward_domain::model::{Revision, ServerKey};
use steward_domain::ports::{ServerKeyReader, StoreError};

use super::{Conn, Database};
use crate::error::{JobError, expect_one};
use crate::server_key_kind;
use crate::sql_types::{At, Id};
use crate::tables::server_keys;

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = server_keys)]
struct Row {
    id: Id,
    kind: String,
    algorithm: Option<String>,
    generation: i64,
    encrypted: Vec<u8>,
    created_at: At,
    use_from: At,
    revision: i64,
}

impl TryFrom<Row> for ServerKey {
    type Error = JobError;

    fn try_from(row: Row) -> Result<Self, JobError> {
        let purpose = server_key_kind::purpose(&row.kind, row.algorithm.as_deref())
            .ok_or_else(|| JobError::corrupt("a server key with an unknown purpose"))?;
        Ok(Self {
            id: row.id.0.into(),
            purpose,
            generation: row.generation,
            encrypted: row.encrypted,
            created_at: row.created_at.0,
            use_from: row.use_from.0,
            revision: Revision(row.revision),
        })
    }
}

#[async_trait]
impl ServerKeyReader for Database {
    async fn server_keys(&self) -> Result<Vec<ServerKey>, StoreError> {
        self.read(|conn| {
            let rows: Vec<Row> = server_keys::table
                .filter(server_keys::kind.eq_any(server_key_kind::ALL))
                .select(Row::as_select())
                .order((server_keys::created_at.asc(), server_keys::id.asc()))
                .load(conn)?;
            rows.into_iter().map(TryInto::try_into).collect()
        })
        .await
    }
}

pub(super) fn insert(conn: &mut Conn, key: &ServerKey) -> Result<(), JobError> {
    let (kind, algorithm) = server_key_kind::stored(key.purpose)
        .ok_or_else(|| JobError::corrupt("a new server key with an unknown algorithm"))?;
    let row = Row {
        id: Id(key.id.uuid()),
        kind: kind.to_owned(),
        algorithm: algorithm.map(str::to_owned),
        generation: key.generation,
        encrypted: key.encrypted.clone(),
        created_at: At(key.created_at),
        use_from: At(key.use_from),
        revision: key.revision.0,
    };
    diesel::insert_into(server_keys::table).values(row).execute(conn)?;
    Ok(())
}

/// Updates `use_from`, the only property of a key that can change.
pub(super) fn replace(conn: &mut Conn, key: &ServerKey) -> Result<(), JobError> {
    let target = server_keys::table.filter(server_keys::id.eq(Id(key.id.uuid())));
    let changed = diesel::update(target.filter(server_keys::revision.eq(key.revision.0)))
        .set((server_keys::use_from.eq(At(key.use_from)), server_keys::revision.eq(server_keys::revision + 1)))
        .execute(conn)?;
    expect_one(changed, ResourceKind::ServerKey)
}

/// Condition that the key is stored.
#[diesel::dsl::auto_type(no_type_alias)]
pub(super) fn is_stored(key: Id) -> _ {
    diesel::dsl::exists(server_keys::table.filter(server_keys::id.eq(key)))
}

pub(super) fn remove(conn: &mut Conn, key: &ServerKey) -> Result<(), JobError> {
    let target = server_keys::table.filter(server_keys::id.eq(Id(key.id.uuid())));
    let deleted = diesel::delete(target.filter(server_keys::revision.eq(key.revision.0))).execute(conn)?;
    expect_one(deleted, ResourceKind::ServerKey)
}
