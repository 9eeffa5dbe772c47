//! Records when credentials were last used, replaces their digests by digests with a newer pepper, and counts requests.

use async_trait::async_trait;
use diesel::prelude::*;
use steward_domain::administration::{Day, RequestCount};
use steward_domain::kernel::{
    AccountId, Credential, CredentialUse, Locale, PresentedValue, ProjectId, RefreshTokenId, StoreError, UsageRecorder,
};

use super::statement::{Fragment, Statement};
use super::{Conn, Database};
use crate::error::JobError;
use crate::sql_types::{At, Id, OnDay};
use crate::tables::{accounts, api_keys, personal_tokens, project_clients, refresh_tokens, request_counts, sessions};

/// Adds to the number of requests to a project ($1) on a day ($2). Raw SQL, because Diesel's query builder does not
/// support an upsert of a subquery, which has no row if the project is gone.
const ADD_REQUESTS: &str = "INSERT INTO request_counts (project_id, day, requests) \
     SELECT id, $2, $3 FROM projects WHERE id = $1 \
     ON CONFLICT (project_id, day) DO UPDATE SET requests = request_counts.requests + excluded.requests";

/// Records the use of a value, in the columns of its last use and its digest, and replaces the digest if it has a pepper.
macro_rules! record_use {
    ($conn:ident, $used:ident, $table:ident, $id:ident, $last_used:ident, $digest:ident $(, $pepper:ident)?) => {{
        let (row, at) = ($table::table.filter($table::id.eq(Id($id.uuid()))), At($used.at));
        let is_later = $table::$last_used.is_null().or($table::$last_used.lt(at));
        let exists = $table::$digest.is_not_null();
        diesel::update(row.filter(exists).filter(is_later)).set($table::$last_used.eq(at)).execute($conn)?;
        $(if let Some((old, new)) = &$used.redigested {
            diesel::update(row.filter($table::$digest.eq(&old.hex)))
                .set(($table::$digest.eq(&new.hex), $table::$pepper.eq(new.pepper)))
                .execute($conn)?;
        })?
    }};
}

#[async_trait]
impl UsageRecorder for Database {
    async fn record_language(&self, account: AccountId, language: Locale) -> Result<(), StoreError> {
        let unset = accounts::table.find(Id(account.uuid())).filter(accounts::language.is_null());
        let target = unset.filter(accounts::deleted_at.is_null());
        self.execute(diesel::update(target).set(accounts::language.eq(language.as_str()))).await
    }

    async fn record_uses(&self, uses: &[CredentialUse]) -> Result<(), StoreError> {
        let uses = uses.to_vec();
        self.transact(move |conn| {
            for used in &uses {
                match used.credential {
                    Credential::Key(id, PresentedValue::Current) => {
                        record_use!(conn, used, api_keys, id, last_used, digest, pepper);
                    }
                    Credential::Key(id, PresentedValue::Previous) => {
                        record_use!(conn, used, api_keys, id, previous_last_used, previous_digest, previous_pepper);
                    }
                    Credential::Key(id, PresentedValue::Earlier) => {
                        record_use!(conn, used, api_keys, id, earlier_last_used, earlier_digest, earlier_pepper);
                    }
                    Credential::Client(id, PresentedValue::Current) => {
                        record_use!(conn, used, project_clients, id, secret_last_used, secret_digest);
                    }
                    Credential::Client(id, PresentedValue::Previous) => {
                        record_use!(conn, used, project_clients, id, previous_last_used, previous_digest);
                    }
                    Credential::Client(id, PresentedValue::Earlier) => {
                        record_use!(conn, used, project_clients, id, earlier_last_used, earlier_digest);
                    }
                    Credential::Token(id) => {
                        record_use!(conn, used, personal_tokens, id, last_used, digest, pepper);
                    }
                    Credential::Session(id) => record_use!(conn, used, sessions, id, last_used, digest),
                    Credential::Pair(id) => pair(conn, id, used)?,
                }
            }
            Ok(())
        })
        .await
    }

    async fn add_requests(&self, counts: &[RequestCount]) -> Result<(), StoreError> {
        let counts = counts.to_vec();
        self.transact(move |conn| {
            for count in &counts {
                let requests = i64::try_from(count.requests).map_err(JobError::corrupt)?;
                let values =
                    [Fragment::id(count.project_id), Fragment::Day(OnDay(count.day)), Fragment::Count(requests)];
                Statement::<()>::numbered(ADD_REQUESTS, &values).execute(conn)?;
            }
            Ok(())
        })
        .await
    }
}

/// Returns the number of requests to a project of each day since `since`, oldest first.
pub(crate) fn requests(conn: &mut Conn, project: ProjectId, since: Day) -> Result<Vec<(Day, u64)>, JobError> {
    let days: Vec<(OnDay, i64)> = request_counts::table
        .filter(request_counts::project_id.eq(Id(project.uuid())))
        .filter(request_counts::day.ge(OnDay(since)))
        .order(request_counts::day)
        .select((request_counts::day, request_counts::requests))
        .load(conn)?;
    days.into_iter().map(|(day, requests)| Ok((day.0, u64::try_from(requests).map_err(JobError::corrupt)?))).collect()
}

/// Records the first use of a pair of tokens, unless it was exchanged or given up. Whether it was used decides about a
/// refresh, so the revision changes, too.
fn pair(conn: &mut Conn, id: RefreshTokenId, used: &CredentialUse) -> Result<(), JobError> {
    let unused = refresh_tokens::table
        .filter(refresh_tokens::id.eq(Id(id.uuid())))
        .filter(refresh_tokens::used_at.is_null())
        .filter(refresh_tokens::replaced_at.is_null());
    diesel::update(unused)
        .set((refresh_tokens::used_at.eq(At(used.at)), refresh_tokens::revision.eq(refresh_tokens::revision + 1)))
        .execute(conn)?;
    Ok(())
}
