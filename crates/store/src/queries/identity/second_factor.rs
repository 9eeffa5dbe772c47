//! Queries for the second factors of accounts.

use async_trait::async_trait;
use diesel::prelude::*;
use steward_domain::identity::{SecondFactorReader, SecondFactors};
use steward_domain::kernel::{AccountId, StoreError};

use super::Database;
use crate::sql_types::Id;
use crate::tables::{AuthenticatorAppRow, RecoveryCodesRow, accounts, authenticator_apps, passkeys, recovery_codes};

/// Condition that the account in the surrounding query has a second factor.
#[diesel::dsl::auto_type]
pub(crate) fn has_second_factor() -> _ {
    diesel::dsl::exists(authenticator_apps::table.filter(authenticator_apps::account_id.eq(accounts::id)))
}

/// Condition that the account in the surrounding query has a passkey.
#[diesel::dsl::auto_type(no_type_alias)]
pub(crate) fn has_passkey() -> _ {
    diesel::dsl::exists(passkeys::table.filter(passkeys::account_id.eq(accounts::id)))
}

#[async_trait]
impl SecondFactorReader for Database {
    async fn second_factors(&self, account: AccountId) -> Result<SecondFactors, StoreError> {
        self.read(move |conn| {
            let app = authenticator_apps::table.filter(authenticator_apps::account_id.eq(Id(account.uuid())));
            let app = app.select(AuthenticatorAppRow::as_select()).first(conn).optional()?;
            let codes = recovery_codes::table.filter(recovery_codes::account_id.eq(Id(account.uuid())));
            let codes = codes.select(RecoveryCodesRow::as_select()).first(conn).optional()?;
            Ok(SecondFactors {
                app: app.map(TryInto::try_into).transpose()?,
                recovery_codes: codes.map(TryInto::try_into).transpose()?,
            })
        })
        .await
    }
}
