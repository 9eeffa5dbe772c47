//! Queries for the queue of logout tokens.

use async_trait::async_trait;
use diesel::prelude::*;
use steward_domain::identity::{LogoutDelivery, LogoutQueue};
use steward_domain::kernel::{LogoutDeliveryId, ProjectId, StoreError, Time};

use super::Database;
use crate::sql_types::{At, Id};
use crate::tables::{LogoutDeliveryRow, logout_deliveries};

#[async_trait]
impl LogoutQueue for Database {
    async fn due_logouts(
        &self,
        now: Time,
        except: &[ProjectId],
        limit: u16,
    ) -> Result<Vec<LogoutDelivery>, StoreError> {
        let except: Vec<Id> = except.iter().map(|project| Id(project.uuid())).collect();
        let due = logout_deliveries::table
            .filter(logout_deliveries::next_attempt_at.le(At(now)))
            .filter(logout_deliveries::project_id.ne_all(except));
        self.all(due.order(logout_deliveries::next_attempt_at.asc()).limit(limit.into())).await
    }

    async fn claim_logout(&self, delivery: &LogoutDelivery, next_attempt_at: Time) -> Result<bool, StoreError> {
        let row = LogoutDeliveryRow::try_from(delivery)?;
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
        self.execute(diesel::delete(logout_deliveries::table.filter(logout_deliveries::id.eq(Id(id.uuid()))))).await
    }
}
