//! Queries for the second factors of accounts.

use async_trait::async_trait;
use diesel::prelude::*;
use steward_domain::error::ResourceKind;
use steward_domain::model::{AccountId, AuthenticatorApp, RecoveryCodes, SecondFactors};
use steward_domain::ports::{SecondFactorReader, StoreError};

use super::{Conn, Database};
use crate::error::{JobError, expect_one};
use crate::sql_types::Id;
use crate::tables::{AuthenticatorAppRow, RecoveryCodesRow, accounts, authenticator_apps, passkeys, recovery_codes};

/// Condition that the account in the surrounding query has a second factor.
#[diesel::dsl::auto_type(no_type_alias)]
pub(super) fn has_second_factor() -> _ {
    diesel::dsl::exists(authenticator_apps::table.filter(authenticator_apps::account_id.eq(accounts::id)))
}

/// Condition that the account in the surrounding query has a passkey.
#[diesel::dsl::auto_type(no_type_alias)]
pub(super) fn has_passkey() -> _ {
    diesel::dsl::exists(passkeys::table.filter(passkeys::account_id.eq(accounts::id)))
}

#[async_trait]
impl SecondFactorReader for Database {
    async fn second_factors(&self, account: AccountId) -> Result<SecondFactors, StoreError> {
        self.read(move |conn| {
            let account = Id(account.uuid());
            let app: Option<AuthenticatorAppRow> = authenticator_apps::table
                .filter(authenticator_apps::account_id.eq(account))
                .select(AuthenticatorAppRow::as_select())
                .first(conn)
                .optional()?;
            let codes: Option<RecoveryCodesRow> = recovery_codes::table
                .filter(recovery_codes::account_id.eq(account))
                .select(RecoveryCodesRow::as_select())
                .first(conn)
                .optional()?;
            Ok(SecondFactors {
                app: app.map(TryInto::try_into).transpose()?,
                recovery_codes: codes.map(TryInto::try_into).transpose()?,
            })
        })
        .await
    }
}

pub(super) fn insert_app(conn: &mut Conn, app: &AuthenticatorApp) -> Result<(), JobError> {
    diesel::insert_into(authenticator_apps::table).values(AuthenticatorAppRow::try_from(app)?).execute(conn)?;
    Ok(())
}

pub(super) fn replace_app(conn: &mut Conn, app: &AuthenticatorApp) -> Result<(), JobError> {
    let row = AuthenticatorAppRow::try_from(app)?;
    let target = authenticator_apps::table.find(row.id).filter(authenticator_apps::revision.eq(row.revision));
    let row = AuthenticatorAppRow { revision: row.revision + 1, ..row };
    expect_one(diesel::update(target).set(row).execute(conn)?, ResourceKind::AuthenticatorApp)
}

pub(super) fn remove_app(conn: &mut Conn, app: &AuthenticatorApp) -> Result<(), JobError> {
    let target = authenticator_apps::table.find(Id(app.id.uuid()));
    let deleted = diesel::delete(target.filter(authenticator_apps::revision.eq(app.revision.0))).execute(conn)?;
    expect_one(deleted, ResourceKind::AuthenticatorApp)
}

pub(super) fn insert_codes(conn: &mut Conn, codes: &RecoveryCodes) -> Result<(), JobError> {
    diesel::insert_into(recovery_codes::table).values(RecoveryCodesRow::try_from(codes)?).execute(conn)?;
    Ok(())
}

pub(super) fn replace_codes(conn: &mut Conn, codes: &RecoveryCodes) -> Result<(), JobError> {
    let row = RecoveryCodesRow::try_from(codes)?;
    let target = recovery_codes::table.find(row.id).filter(recovery_codes::revision.eq(row.revision));
    let row = RecoveryCodesRow { revision: row.revision + 1, ..row };
    expect_one(diesel::update(target).set(row).execute(conn)?, ResourceKind::RecoveryCodes)
}

pub(super) fn remove_codes(conn: &mut Conn, codes: &RecoveryCodes) -> Result<(), JobError> {
    let target = recovery_codes::table.find(Id(codes.id.uuid()));
    let deleted = diesel::delete(target.filter(recovery_codes::revision.eq(codes.revision.0))).execute(conn)?;
    expect_one(deleted, ResourceKind::RecoveryCodes)
}
