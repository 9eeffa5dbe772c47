//! Removes what has expired, a bounded number of rows at a time.

use diesel::prelude::*;
use diesel::sql_types::BigInt;
use steward_domain::model::Time;
use steward_domain::ports::Expiring;

use super::Conn;
use crate::error::JobError;
use crate::sql_types::{At, Instant};

/// The statement for a kind of thing: $1 is the time, $2 how many. Diesel's query builder has no bounded DELETE.
const fn statement(kind: Expiring) -> &'static str {
    match kind {
        Expiring::AuthorizationRequests => {
            "DELETE FROM authorization_requests WHERE id IN \
             (SELECT id FROM authorization_requests WHERE expires_at < $1 LIMIT $2)"
        }
        Expiring::Sessions => {
            "DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE expires_at < $1 LIMIT $2)"
        }
        Expiring::EmailLinks => {
            "DELETE FROM email_links WHERE id IN (SELECT id FROM email_links WHERE expires_at < $1 LIMIT $2)"
        }
        Expiring::IdempotencyClaims => {
            "DELETE FROM idempotency_claims WHERE id IN \
             (SELECT id FROM idempotency_claims WHERE expires_at < $1 LIMIT $2)"
        }
        Expiring::PersonalTokens => {
            "DELETE FROM personal_tokens WHERE id IN (SELECT id FROM personal_tokens WHERE expires_at < $1 LIMIT $2)"
        }
        Expiring::AuthorizationCodes => {
            "DELETE FROM authorization_codes WHERE family_id IN \
             (SELECT family_id FROM authorization_codes WHERE expires_at < $1 LIMIT $2)"
        }
        Expiring::RefreshTokens => {
            "DELETE FROM refresh_tokens WHERE id IN (SELECT id FROM refresh_tokens WHERE expires_at < $1 LIMIT $2)"
        }
        Expiring::TokenFamilies => {
            "DELETE FROM token_families WHERE id IN (SELECT id FROM token_families \
             WHERE coalesce(check_after, created_at) < $1 ORDER BY coalesce(check_after, created_at) LIMIT $2) \
             AND NOT EXISTS (SELECT 1 FROM refresh_tokens t WHERE t.family_id = token_families.id)"
        }
        Expiring::Deliveries => "DELETE FROM deliveries WHERE id IN (SELECT id FROM deliveries WHERE at < $1 LIMIT $2)",
        Expiring::RefreshAnswers => {
            "UPDATE refresh_tokens SET answer = NULL WHERE id IN \
             (SELECT id FROM refresh_tokens WHERE answer IS NOT NULL AND replaced_at < $1 LIMIT $2)"
        }
        Expiring::Attempts => {
            "DELETE FROM attempts WHERE digest IN (SELECT digest FROM attempts WHERE at_rest < $1 LIMIT $2)"
        }
        Expiring::SignInNetworks => {
            "DELETE FROM sign_in_networks WHERE (account_id, digest) IN \
             (SELECT account_id, digest FROM sign_in_networks WHERE seen_at < $1 LIMIT $2)"
        }
    }
}

/// A family that lives is looked at again when its last refresh token has ended, and not before.
const LIVE_FAMILIES: &str = "UPDATE token_families SET check_after = \
     (SELECT CASE WHEN max(t.expires_at) > $1 THEN max(t.expires_at) ELSE $1 END FROM refresh_tokens t \
     WHERE t.family_id = token_families.id) \
     WHERE id IN (SELECT id FROM token_families WHERE coalesce(check_after, created_at) < $1 \
     ORDER BY coalesce(check_after, created_at) LIMIT $2) \
     AND EXISTS (SELECT 1 FROM refresh_tokens t WHERE t.family_id = token_families.id)";

pub(super) fn sweep(conn: &mut Conn, kind: Expiring, before: Time, most: u16) -> Result<usize, JobError> {
    match kind {
        // Their times are microseconds.
        Expiring::Attempts => {
            let query = diesel::sql_query(statement(kind)).bind::<BigInt, _>(before.timestamp_micros());
            Ok(query.bind::<BigInt, _>(i64::from(most)).execute(conn)?)
        }
        Expiring::TokenFamilies => {
            let removed = run(conn, statement(kind), before, most)?;
            Ok(removed.saturating_add(run(conn, LIVE_FAMILIES, before, most)?))
        }
        _ => run(conn, statement(kind), before, most),
    }
}

fn run(conn: &mut Conn, statement: &str, before: Time, most: u16) -> Result<usize, JobError> {
    let query = diesel::sql_query(statement).bind::<Instant, _>(At(before));
    Ok(query.bind::<BigInt, _>(i64::from(most)).execute(conn)?)
}
