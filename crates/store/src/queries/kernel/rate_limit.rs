//! Queries for rate limits on attempts at secrets, and for the networks from which users signed in.

use async_trait::async_trait;
use chrono::DateTime;
use diesel::prelude::*;
use steward_domain::kernel::policy::ActionLimit;
use steward_domain::kernel::{AccountId, LimitOutcome, RateLimitStore, StoreError, Time};

use super::statement::{Fragment, Statement};
use super::{Conn, Database};
use crate::error::JobError;
use crate::sql_types::{At, Id};
use crate::tables::{attempts, sign_in_networks};

/// Counts an attempt. $1 is the key, $2 the value of `at_rest` after a first attempt, $3 the current time, $4 the
/// interval, $5 the latest value of `at_rest` at which another attempt is allowed.
const COUNT: &str = "INSERT INTO attempts AS a (digest, at_rest) VALUES ($1, $2) \
     ON CONFLICT (digest) DO UPDATE SET at_rest = CASE WHEN a.at_rest > $3 THEN a.at_rest ELSE $3 END + $4 \
     WHERE a.at_rest <= $5";

/// Records a sign-in. $1 is the account, $2 the network, $3 the time.
const RECORD_NETWORK: &str = "INSERT INTO sign_in_networks AS n (account_id, digest, seen_at) VALUES ($1, $2, $3) \
     ON CONFLICT (account_id, digest) DO UPDATE SET seen_at = excluded.seen_at WHERE n.seen_at < excluded.seen_at";
/// Deletes all but the most recent networks. $1 is the account, $2 the number of networks that remain.
const TRIM_NETWORKS: &str = "DELETE FROM sign_in_networks WHERE account_id = $1 AND digest NOT IN \
     (SELECT digest FROM sign_in_networks WHERE account_id = $1 ORDER BY seen_at DESC LIMIT $2)";

#[async_trait]
impl RateLimitStore for Database {
    async fn count_action(&self, digest: &str, limit: ActionLimit, now: Time) -> Result<LimitOutcome, StoreError> {
        let digest = digest.to_owned();
        self.write(move |conn| count(conn, &digest, limit, now)).await
    }

    async fn uncount_action(&self, digest: &str, limit: ActionLimit) -> Result<(), StoreError> {
        let interval = limit.interval.num_microseconds().unwrap_or_default();
        let counted = attempts::table.find(digest.to_owned());
        self.execute(diesel::update(counted).set(attempts::at_rest.eq(attempts::at_rest - interval))).await
    }

    async fn is_known_network(&self, account: AccountId, digest: &str, since: Time) -> Result<bool, StoreError> {
        let known = sign_in_networks::table.find((Id(account.uuid()), digest.to_owned()));
        let known = known.filter(sign_in_networks::seen_at.ge(At(since))).select(sign_in_networks::seen_at);
        Ok(self.first_as(known, |seen_at: At| Ok(seen_at)).await?.is_some())
    }

    async fn record_network(&self, account: AccountId, digest: &str, now: Time, limit: u16) -> Result<(), StoreError> {
        let account = Fragment::id(account);
        let network = [account.clone(), Fragment::text(digest), Fragment::at(now)];
        let kept = [account, Fragment::Count(limit.into())];
        self.write(move |conn| {
            Statement::<()>::numbered(RECORD_NETWORK, &network).execute(conn)?;
            Ok(Statement::<()>::numbered(TRIM_NETWORKS, &kept).execute(conn).map(drop)?)
        })
        .await
    }
}

fn count(conn: &mut Conn, digest: &str, limit: ActionLimit, now: Time) -> Result<LimitOutcome, JobError> {
    let (now_micros, interval) = (now.timestamp_micros(), limit.interval.num_microseconds().unwrap_or(i64::MAX / 4));
    let values = [
        Fragment::Text(digest.to_owned()),
        Fragment::Count(now_micros.saturating_add(interval)),
        Fragment::Count(now_micros),
        Fragment::Count(interval),
        Fragment::Count((now + limit.burst_tolerance()).timestamp_micros()),
    ];
    if Statement::<()>::numbered(COUNT, &values).execute(conn)? == 1 {
        return Ok(LimitOutcome::Counted);
    }
    let at_rest = attempts::table.find(digest).select(attempts::at_rest).first::<i64>(conn).optional()?;
    let at_rest = at_rest.and_then(DateTime::from_timestamp_micros).unwrap_or(now);
    Ok(LimitOutcome::Refused { at_rest })
}
