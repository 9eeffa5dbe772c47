//! Queries for the queue of logout tokens.

use async_trait::async_trait;
use diesel::prelude::*;
use steward_domain::model::{LogoutDelivery, LogoutDeliveryId, ProjectId, Time};
use steward_domain::ports::{LogoutQueue, StoreError};

use super::client::client;
use super::{Conn, Database};
use crate::error::JobError;
use crate::sql_types::{At, Id};
use crate::tables::logout_deliveries;

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = logout_deliveries)]
struct Row {
    id: Id,
    account_id: Id,
    session_id: Id,
    client_id: String,
    project_id: Id,
    attempts: i64,
    next_attempt_at: At,
}

impl TryFrom<Row> for LogoutDelivery {
    type Error = JobError;

    fn try_from(row: Row) -> Result<Self, JobError> {
        Ok(Self {
            id: row.id.0.into(),
            account_id: row.account_id.0.into(),
            session_id: row.session_id.0.into(),
            client: client(row.client_id, Some(row.project_id)),
            project_id: row.project_id.0.into(),
            attempts: u32::try_from(row.attempts).map_err(JobError::corrupt)?,
            next_attempt_at: row.next_attempt_at.0,
        })
    }
}

impl From<&LogoutDelivery> for Row {
    fn from(delivery: &LogoutDelivery) -> Self {
        Self {
            id: Id(delivery.id.uuid()),
            account_id: Id(delivery.account_id.uuid()),
            session_id: Id(delivery.session_id.uuid()),
            client_id: delivery.client.as_str().to_owned(),
            project_id: Id(delivery.project_id.uuid()),
            attempts: i64::from(delivery.attempts),
            next_attempt_at: At(delivery.next_attempt_at),
        }
    }
}

#[async_trait]
impl LogoutQueue for Database {
    async fn due_logouts(
        &self,
        now: Time,
        except: &[ProjectId],
        limit: u16,
    ) -> Result<Vec<LogoutDelivery>, StoreError> {
        let except: Vec<Id> = except.iter().map(|project| Id(project.uuid())).collect();
        self.read(move |conn| {
            let rows: Vec<Row> = logout_deliveries::table
                .filter(logout_deliveries::next_attempt_at.le(At(now)))
                .filter(logout_deliveries::project_id.ne_all(except))
                .select(Row::as_select())
                .order(logout_deliveries::next_attempt_at.asc())
                .limit(i64::from(limit))
                .load(conn)?;
            rows.into_iter().map(TryInto::try_into).collect()
        })
        .await
    }

    async fn claim_logout(&self, delivery: &LogoutDelivery, next_attempt_at: Time) -> Result<bool, StoreError> {
        let row = Row::from(delivery);
        self.write(move |conn| {
            let unchanged = logout_deliveries::table
                .filter(logout_deliveries::id.eq(row.id))
                .filter(logout_deliveries::attempts.eq(row.attempts))
                .filter(logout_deliveries::next_attempt_at.eq(row.next_attempt_at));
            let claimed = (
                logout_deliveries::attempts.eq(logout_deliveries::attempts + 1),
                logout_deliveries::next_attempt_at.eq(At(next_attempt_at)),
            );
            Ok(diesel::update(unchanged).set(claimed).execute(conn)? == 1)
        })
        .await
    }

    async fn remove_logout(&self, id: LogoutDeliveryId) -> Result<(), StoreError> {
        self.write(move |conn| {
            diesel::delete(logout_deliveries::table.filter(logout_deliveries::id.eq(Id(id.uuid())))).execute(conn)?;
            Ok(())
        })
        .await
    }
}

pub(super) fn insert(conn: &mut Conn, delivery: &LogoutDelivery) -> Result<(), JobError> {
    diesel::insert_into(logout_deliveries::table).values(Row::from(delivery)).execute(conn)?;
    Ok(())
}
