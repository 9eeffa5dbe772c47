//! Queries for identity providers and the identities that are linked to accounts.

use async_trait::async_trait;
use diesel::prelude::*;
use steward_domain::identity::{IdentityProvider, IdentityProviderReader, LinkedIdentity};
use steward_domain::kernel::error::ResourceKind;
use steward_domain::kernel::{AccountId, IdentityProviderId, ProjectId, StoreError, TeamId, Time};

use super::kernel::page::MAX_ROWS;
use super::{Backend, Conn, Database};
use crate::error::{JobError, expect_one};
use crate::sql_types::{At, Id};
use crate::tables::{
    IdentityProviderRow, LinkedIdentityRow, Revised as _, identity_providers, linked_identities, projects,
};

#[async_trait]
impl IdentityProviderReader for Database {
    async fn identity_providers(&self, project: Option<ProjectId>) -> Result<Vec<IdentityProvider>, StoreError> {
        let providers = match project {
            Some(project) => existing().filter(identity_providers::project_id.eq(Id(project.uuid()))),
            None => existing().filter(identity_providers::project_id.is_null()),
        };
        self.all(providers.order((identity_providers::created_at, identity_providers::id)).limit(MAX_ROWS)).await
    }

    async fn identity_providers_created_by(
        &self,
        team: TeamId,
        account: AccountId,
    ) -> Result<Vec<IdentityProvider>, StoreError> {
        let account = Id(account.uuid());
        let created = identity_providers::table
            .inner_join(projects::table)
            .filter(projects::team_id.eq(Id(team.uuid())))
            .filter(projects::deleted_at.is_null())
            .filter(identity_providers::created_by.eq(account).or(identity_providers::configured_by.eq(account)))
            .filter(identity_providers::deleted_at.is_null());
        self.all(created.order((identity_providers::created_at, identity_providers::id))).await
    }

    async fn identity_provider(&self, id: IdentityProviderId) -> Result<Option<IdentityProvider>, StoreError> {
        self.first(existing().filter(identity_providers::id.eq(Id(id.uuid())))).await
    }

    async fn linked_identity(
        &self,
        provider: IdentityProviderId,
        subject: &str,
    ) -> Result<Option<LinkedIdentity>, StoreError> {
        let linked = linked_identities::table.filter(linked_identities::provider_id.eq(Id(provider.uuid())));
        self.first(linked.filter(linked_identities::subject.eq(subject.to_owned()))).await
    }

    async fn linked_identities(
        &self,
        account: AccountId,
    ) -> Result<Vec<(LinkedIdentity, IdentityProvider)>, StoreError> {
        let linked = linked_identities::table
            .inner_join(identity_providers::table)
            .filter(linked_identities::account_id.eq(Id(account.uuid())))
            .filter(identity_providers::deleted_at.is_null())
            .select((LinkedIdentityRow::as_select(), IdentityProviderRow::as_select()))
            .order((linked_identities::created_at, linked_identities::id))
            .limit(MAX_ROWS);
        let parse = |(identity, provider): (LinkedIdentityRow, IdentityProviderRow)| {
            Ok((identity.try_into()?, provider.try_into()?))
        };
        self.all_as(linked, parse).await
    }
}

/// Selects the providers that are not deleted.
fn existing() -> identity_providers::BoxedQuery<'static, Backend> {
    identity_providers::table.filter(identity_providers::deleted_at.is_null()).into_boxed()
}

pub(crate) fn replace(conn: &mut Conn, provider: &IdentityProvider) -> Result<(), JobError> {
    let target = provider.current()?.filter(identity_providers::deleted_at.is_null());
    expect_one(diesel::update(target).set(provider.next_row()?).execute(conn)?, ResourceKind::IdentityProvider)
}

/// Marks a provider as deleted. A job deletes it after the identities that are linked to it, which can be many.
pub(crate) fn remove(conn: &mut Conn, provider: &IdentityProvider, at: Time) -> Result<(), JobError> {
    let target = provider.current()?.filter(identity_providers::deleted_at.is_null());
    let deleted = (
        identity_providers::deleted_at.eq(At(at)),
        identity_providers::client_secret.eq(None::<Vec<u8>>),
        identity_providers::revision.eq(identity_providers::revision + 1),
    );
    expect_one(diesel::update(target).set(deleted).execute(conn)?, ResourceKind::IdentityProvider)
}
