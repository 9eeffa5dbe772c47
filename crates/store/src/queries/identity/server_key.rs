//! Queries for the server's own keys.

use async_trait::async_trait;
use diesel::prelude::*;
use steward_domain::identity::{ServerKey, ServerKeyReader};
use steward_domain::kernel::StoreError;
use steward_domain::kernel::error::ResourceKind;

use super::{Conn, Database};
use crate::error::{JobError, expect_one};
use crate::sql_types::{At, Id};
use crate::tables::server_key_kind;
use crate::tables::{Revised as _, server_keys};

#[async_trait]
impl ServerKeyReader for Database {
    async fn server_keys(&self) -> Result<Vec<ServerKey>, StoreError> {
        let known = server_keys::table.filter(server_keys::kind.eq_any(server_key_kind::ALL));
        self.all(known.order((server_keys::created_at.asc(), server_keys::id.asc()))).await
    }
}

/// Updates `use_from`, the only property of a key that can change.
pub(crate) fn replace(conn: &mut Conn, key: &ServerKey) -> Result<(), JobError> {
    let changed = diesel::update(key.current()?)
        .set((server_keys::use_from.eq(At(key.use_from)), server_keys::revision.eq(server_keys::revision + 1)))
        .execute(conn)?;
    expect_one(changed, ResourceKind::ServerKey)
}

/// Condition that the key is stored.
#[diesel::dsl::auto_type(no_type_alias)]
pub(crate) fn is_stored(key: Id) -> _ {
    diesel::dsl::exists(server_keys::table.filter(server_keys::id.eq(key)))
}
