//! Queries for the server's own keys.

use async_trait::async_trait;
use diesel::prelude::*;
use steward_domain::error::ResourceKind;
use steward_domain::model::{Revision, ServerKey, ServerKeyPurpose, SignedToken, SigningAlgorithm};
use steward_domain::ports::{ServerKeyReader, StoreError};

use super::{Conn, Database};
use crate::error::{JobError, expect_one};
use crate::sql_types::{At, Id};
use crate::tables::server_keys;

/// The kind of keys for access tokens.
const SIGNING: &str = "signing";
const ID_TOKEN_SIGNING: &str = "id_token_signing";
const PEPPER: &str = "pepper";
/// A newer version of the service may have stored keys of other kinds, which are skipped.
const KINDS: [&str; 3] = [SIGNING, ID_TOKEN_SIGNING, PEPPER];

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
        let purpose = match (row.kind.as_str(), row.algorithm.as_deref()) {
            (SIGNING, Some(algorithm)) => signing(SignedToken::Access, algorithm),
            (ID_TOKEN_SIGNING, Some(algorithm)) => signing(SignedToken::Id, algorithm),
            (PEPPER, None) => ServerKeyPurpose::KeyPepper,
            _ => return Err(JobError::corrupt("a server key with an unknown purpose")),
        };
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

fn signing(token: SignedToken, algorithm: &str) -> ServerKeyPurpose {
    match SigningAlgorithm::parse(algorithm) {
        Some(algorithm) => ServerKeyPurpose::TokenSigning(token, algorithm),
        None => ServerKeyPurpose::UnknownTokenSigning(token),
    }
}

#[async_trait]
impl ServerKeyReader for Database {
    async fn server_keys(&self) -> Result<Vec<ServerKey>, StoreError> {
        self.read(|conn| {
            let rows: Vec<Row> = server_keys::table
                .filter(server_keys::kind.eq_any(KINDS))
                .select(Row::as_select())
                .order((server_keys::created_at.asc(), server_keys::id.asc()))
                .load(conn)?;
            rows.into_iter().map(TryInto::try_into).collect()
        })
        .await
    }
}

pub(super) fn insert(conn: &mut Conn, key: &ServerKey) -> Result<(), JobError> {
    let (kind, algorithm) = match key.purpose {
        ServerKeyPurpose::TokenSigning(SignedToken::Access, algorithm) => {
            (SIGNING, Some(algorithm.as_str().to_owned()))
        }
        ServerKeyPurpose::TokenSigning(SignedToken::Id, algorithm) => {
            (ID_TOKEN_SIGNING, Some(algorithm.as_str().to_owned()))
        }
        ServerKeyPurpose::UnknownTokenSigning(_) => {
            return Err(JobError::corrupt("a new server key with an unknown algorithm"));
        }
        ServerKeyPurpose::KeyPepper => (PEPPER, None),
    };
    let row = Row {
        id: Id(key.id.uuid()),
        kind: kind.to_owned(),
        algorithm,
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
