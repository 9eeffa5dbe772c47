//! Deletes expired data in bounded batches.

use async_trait::async_trait;
use diesel::RunQueryDsl as _;
use steward_domain::identity::{Expiring, ExpirySweeper};
use steward_domain::kernel::{StoreError, Time};

use super::Database;
use super::statement::{Fragment, Statement};
use crate::sql_types::OnDay;

/// The statement that deletes rows of a table, which is given with the columns of its key and that of the time.
macro_rules! expired {
    ($table:literal, $key:literal, $time:literal) => {
        expired!($table, [$key], [$key], $time)
    };
    ($table:literal, ($first:literal, $second:literal), $time:literal) => {
        expired!($table, ["(", $first, ", ", $second, ")"], [$first, ", ", $second], $time)
    };
    ($table:literal, [$($key:literal),+], [$($columns:literal),+], $time:literal) => {
        concat! {
            "DELETE FROM ", $table, " WHERE ", $($key,)+ " IN (SELECT ", $($columns,)+ " FROM ", $table,
            " WHERE ", $time, " < $1 LIMIT $2)"
        }
    };
}

/// SQL statement for a kind of expiring data: $1 is the cutoff time, $2 the maximum number of rows. Raw SQL, because
/// Diesel's query builder does not support DELETE with a limit.
const fn statement(kind: Expiring) -> &'static str {
    match kind {
        Expiring::AuthorizationRequests => expired!("authorization_requests", "id", "expires_at"),
        Expiring::DeviceAuthorizations => expired!("device_authorizations", "id", "expires_at"),
        Expiring::Sessions => expired!("sessions", "id", "expires_at"),
        Expiring::EmailLinks => expired!("email_links", "id", "expires_at"),
        Expiring::IdempotencyClaims => expired!("idempotency_claims", "id", "expires_at"),
        Expiring::PersonalTokens => expired!("personal_tokens", "id", "expires_at"),
        Expiring::AuthorizationCodes => expired!("authorization_codes", "family_id", "expires_at"),
        Expiring::RefreshTokens => expired!("refresh_tokens", "id", "expires_at"),
        Expiring::TokenFamilies => {
            "DELETE FROM token_families WHERE id IN (SELECT id FROM token_families \
             WHERE coalesce(check_after, created_at) < $1 ORDER BY coalesce(check_after, created_at) LIMIT $2) \
             AND NOT EXISTS (SELECT 1 FROM refresh_tokens t WHERE t.family_id = token_families.id)"
        }
        Expiring::Deliveries => expired!("deliveries", "id", "at"),
        Expiring::RefreshResponses => {
            "UPDATE refresh_tokens SET answer = NULL WHERE id IN \
             (SELECT id FROM refresh_tokens WHERE answer IS NOT NULL AND replaced_at < $1 LIMIT $2)"
        }
        Expiring::RateLimitCounters => expired!("attempts", "digest", "at_rest"),
        Expiring::SignInNetworks => expired!("sign_in_networks", ("account_id", "digest"), "seen_at"),
        Expiring::SyncRejections => expired!("sync_rejections", "id", "at"),
        Expiring::RequestCounts => expired!("request_counts", ("project_id", "day"), "day"),
        Expiring::UserActivity => {
            expired!("user_activity", ["(project_id, user_id, day)"], ["project_id, user_id, day"], "day")
        }
        Expiring::Invites => expired!("invites", "id", "expires_at"),
        Expiring::LogoutDeliveries => expired!("logout_deliveries", "id", "next_attempt_at"),
        Expiring::ItemDeletions => expired!("item_deletions", ("project_id", "id"), "expires_at"),
        // Each has many rows with its problems.
        Expiring::ItemImports => {
            "DELETE FROM item_imports WHERE (project_id, id) IN \
             (SELECT project_id, id FROM item_imports WHERE updated_at < $1 AND NOT has_work LIMIT ($2 + 49) / 50)"
        }
        Expiring::SchemaDrafts => expired!("schema_drafts", ("project_id", "account_id"), "updated_at"),
        // Reads all clients that registered themselves: a quota limits them. Another replica may mark one too. The
        // project keeps those that it gave a logo.
        Expiring::SelfRegisteredClients => {
            "UPDATE project_clients SET deleted_at = $1, secret_digest = NULL, secret_hint = NULL, \
             previous_digest = NULL, previous_expires_at = NULL, earlier_digest = NULL, earlier_expires_at = NULL, \
             revision = revision + 1 \
             WHERE deleted_at IS NULL AND id IN (SELECT c.id FROM project_clients c \
             WHERE c.registered_itself AND c.deleted_at IS NULL AND c.logo IS NULL AND c.created_at < $1 \
             AND NOT EXISTS (SELECT 1 FROM token_families f WHERE f.project_client_id = c.id) LIMIT $2)"
        }
        Expiring::Clients => {
            "DELETE FROM refresh_tokens WHERE id IN (SELECT t.id FROM refresh_tokens t \
             JOIN token_families f ON f.id = t.family_id \
             JOIN project_clients c ON c.id = f.project_client_id WHERE c.deleted_at < $1 LIMIT $2)"
        }
        Expiring::IdentityProviders => {
            "DELETE FROM linked_identities WHERE id IN (SELECT i.id FROM linked_identities i \
             JOIN identity_providers p ON p.id = i.provider_id WHERE p.deleted_at < $1 LIMIT $2)"
        }
    }
}

/// Deletes token families of deleted clients that have no refresh tokens left, of which there can be many.
const FAMILIES_OF_CLIENTS: &str = "DELETE FROM token_families WHERE id IN (SELECT f.id FROM token_families f \
     JOIN project_clients c ON c.id = f.project_client_id WHERE c.deleted_at < $1 \
     AND NOT EXISTS (SELECT 1 FROM refresh_tokens t WHERE t.family_id = f.id) LIMIT $2)";

/// Deletes clients that have no tokens left.
const UNUSED_CLIENTS: &str = "DELETE FROM project_clients WHERE id IN \
     (SELECT c.id FROM project_clients c WHERE c.deleted_at < $1 \
     AND NOT EXISTS (SELECT 1 FROM token_families f WHERE f.project_client_id = c.id) LIMIT $2)";

/// Deletes providers once no identity is linked to them.
const UNLINKED_PROVIDERS: &str = "DELETE FROM identity_providers WHERE id IN \
     (SELECT p.id FROM identity_providers p WHERE p.deleted_at < $1 \
     AND NOT EXISTS (SELECT 1 FROM linked_identities i WHERE i.provider_id = p.id) LIMIT $2)";

/// Schedules the next check of families that still have refresh tokens. They are not checked again before their last
/// refresh token expires.
const LIVE_FAMILIES: &str = "UPDATE token_families SET check_after = \
     (SELECT CASE WHEN max(t.expires_at) > $1 THEN max(t.expires_at) ELSE $1 END FROM refresh_tokens t \
     WHERE t.family_id = token_families.id) \
     WHERE id IN (SELECT id FROM token_families WHERE coalesce(check_after, created_at) < $1 \
     ORDER BY coalesce(check_after, created_at) LIMIT $2) \
     AND EXISTS (SELECT 1 FROM refresh_tokens t WHERE t.family_id = token_families.id)";

#[async_trait]
impl ExpirySweeper for Database {
    async fn sweep(&self, kind: Expiring, before: Time, limit: u16) -> Result<usize, StoreError> {
        let cutoff = match kind {
            // `at_rest` is stored in microseconds since the Unix epoch.
            Expiring::RateLimitCounters => Fragment::Count(before.timestamp_micros()),
            Expiring::RequestCounts | Expiring::UserActivity => Fragment::Day(OnDay(before.date_naive())),
            _ => Fragment::at(before),
        };
        let others: &[&str] = match kind {
            Expiring::TokenFamilies => &[LIVE_FAMILIES],
            Expiring::Clients => &[FAMILIES_OF_CLIENTS, UNUSED_CLIENTS],
            Expiring::IdentityProviders => &[UNLINKED_PROVIDERS],
            _ => &[],
        };
        let values = [cutoff, Fragment::Count(limit.into())];
        self.write(move |conn| {
            let mut changed = 0_usize;
            for text in std::iter::once(statement(kind)).chain(others.iter().copied()) {
                changed = changed.saturating_add(Statement::<()>::numbered(text, &values).execute(conn)?);
            }
            Ok(changed)
        })
        .await
    }
}
