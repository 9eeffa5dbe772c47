//! Records when credentials were last used, replaces their digests by digests with a newer pepper, and counts requests.

use async_trait::async_trait;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use steward_domain::administration::{Day, RequestCount};
use steward_domain::kernel::{
    ApiKeyId, Credential, CredentialUse, PersonalTokenId, PresentedValue, ProjectClientId, ProjectId, RefreshTokenId,
    SessionId, StoreError, UsageRecorder,
};

use super::{Conn, Database};
use crate::error::JobError;
use crate::sql_types::{At, CalendarDay, Id, OnDay, Uid};
use crate::tables::{api_keys, personal_tokens, project_clients, refresh_tokens, request_counts, sessions};

/// Adds to the number of requests on a day ($1) to a project ($3). Raw SQL, because Diesel's query builder does not
/// support an upsert of a subquery, which has no row if the project is gone. SQLite numbers parameters by their order.
const ADD_REQUESTS: &str = "INSERT INTO request_counts (project_id, day, requests) \
     SELECT id, $1, $2 FROM projects WHERE id = $3 \
     ON CONFLICT (project_id, day) DO UPDATE SET requests = request_counts.requests + excluded.requests";

#[async_trait]
impl UsageRecorder for Database {
    async fn record_uses(&self, uses: &[CredentialUse]) -> Result<(), StoreError> {
        let uses = uses.to_vec();
        self.write(move |conn| {
            conn.transaction(|conn| {
                for used in &uses {
                    match used.credential {
                        Credential::Key(id, which) => key(conn, id, which, used)?,
                        Credential::Client(id, which) => client(conn, id, which, used)?,
                        Credential::Token(id) => token(conn, id, used)?,
                        Credential::Session(id) => session(conn, id, used)?,
                        Credential::Pair(id) => pair(conn, id, used)?,
                    }
                }
                Ok(())
            })
        })
        .await
    }

    async fn add_requests(&self, counts: &[RequestCount]) -> Result<(), StoreError> {
        let counts = counts.to_vec();
        self.write(move |conn| {
            conn.transaction(|conn| {
                for count in &counts {
                    diesel::sql_query(ADD_REQUESTS)
                        .bind::<CalendarDay, _>(OnDay(count.day))
                        .bind::<BigInt, _>(i64::try_from(count.requests).map_err(JobError::corrupt)?)
                        .bind::<Uid, _>(Id(count.project_id.uuid()))
                        .execute(conn)?;
                }
                Ok(())
            })
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

/// Records the use of a value of a key, in the columns of its last use, its digest and its pepper.
macro_rules! record_value {
    ($conn:ident, $id:ident, $used:ident, $last_used:ident, $digest:ident, $pepper:ident) => {{
        let (key, at) = (api_keys::table.filter(api_keys::id.eq(Id($id.uuid()))), At($used.at));
        let is_later = api_keys::$last_used.is_null().or(api_keys::$last_used.lt(at));
        let exists = api_keys::$digest.is_not_null();
        diesel::update(key.filter(exists).filter(is_later)).set(api_keys::$last_used.eq(at)).execute($conn)?;
        if let Some((old, new)) = &$used.redigested {
            diesel::update(key.filter(api_keys::$digest.eq(&old.hex)))
                .set((api_keys::$digest.eq(&new.hex), api_keys::$pepper.eq(new.pepper)))
                .execute($conn)?;
        }
    }};
}

fn key(conn: &mut Conn, id: ApiKeyId, which: PresentedValue, used: &CredentialUse) -> Result<(), JobError> {
    match which {
        PresentedValue::Current => record_value!(conn, id, used, last_used, digest, pepper),
        PresentedValue::Previous => {
            record_value!(conn, id, used, previous_last_used, previous_digest, previous_pepper);
        }
        PresentedValue::Earlier => {
            record_value!(conn, id, used, earlier_last_used, earlier_digest, earlier_pepper);
        }
    }
    Ok(())
}

/// Records the use of a secret of a client, in the column of its last use.
macro_rules! record_secret {
    ($conn:ident, $id:ident, $used:ident, $last_used:ident, $digest:ident) => {{
        let (client, at) = (project_clients::table.filter(project_clients::id.eq(Id($id.uuid()))), At($used.at));
        let is_later = project_clients::$last_used.is_null().or(project_clients::$last_used.lt(at));
        let exists = project_clients::$digest.is_not_null();
        diesel::update(client.filter(exists).filter(is_later))
            .set(project_clients::$last_used.eq(at))
            .execute($conn)?;
    }};
}

fn client(conn: &mut Conn, id: ProjectClientId, which: PresentedValue, used: &CredentialUse) -> Result<(), JobError> {
    match which {
        PresentedValue::Current => record_secret!(conn, id, used, secret_last_used, secret_digest),
        PresentedValue::Previous => record_secret!(conn, id, used, previous_last_used, previous_digest),
        PresentedValue::Earlier => record_secret!(conn, id, used, earlier_last_used, earlier_digest),
    }
    Ok(())
}

fn session(conn: &mut Conn, id: SessionId, used: &CredentialUse) -> Result<(), JobError> {
    let (session, at) = (sessions::table.filter(sessions::id.eq(Id(id.uuid()))), At(used.at));
    let earlier = sessions::last_used.is_null().or(sessions::last_used.lt(at));
    diesel::update(session.filter(earlier)).set(sessions::last_used.eq(at)).execute(conn)?;
    Ok(())
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

fn token(conn: &mut Conn, id: PersonalTokenId, used: &CredentialUse) -> Result<(), JobError> {
    let (token, at) = (personal_tokens::table.filter(personal_tokens::id.eq(Id(id.uuid()))), At(used.at));
    let earlier = personal_tokens::last_used.is_null().or(personal_tokens::last_used.lt(at));
    diesel::update(token.filter(earlier)).set(personal_tokens::last_used.eq(at)).execute(conn)?;
    if let Some((old, new)) = &used.redigested {
        diesel::update(token.filter(personal_tokens::digest.eq(&old.hex)))
            .set((personal_tokens::digest.eq(&new.hex), personal_tokens::pepper.eq(new.pepper)))
            .execute(conn)?;
    }
    Ok(())
}
