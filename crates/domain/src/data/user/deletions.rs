//! Continues the deletion of project users in the background, after a request has performed its share of the steps, or
//! after a crash. Users take turns, so that one with much data does not delay others.

use std::sync::Mutex;

use chrono::TimeDelta;

use crate::data::{DataCore, UserData};
use crate::kernel::error::Error;
use crate::kernel::jobs::Step;
use crate::kernel::policy::Permit;
use crate::kernel::{ProjectUserId, Request, lock, use_cases};

/// The background job leaves a deletion that started later than this ago to the request that started it.
const REQUEST_TIME: TimeDelta = TimeDelta::seconds(15);
/// Name of the lease for the background job.
const SHARE: &str = "user_cleanup";

use_cases! {
    /// Performs the remaining steps of deletions of project users.
    pub struct UserDeletions {
        core: DataCore, data: UserData;
        /// The user of the last step.
        last: Mutex<Option<ProjectUserId>>,
    }
}

impl UserDeletions {
    /// Performs the next step of the next user's deletion.
    pub async fn step(&self) -> Result<Step, Error> {
        let (last, started_before) = (*lock(&self.last), self.core.now() - REQUEST_TIME);
        let next = match (self.core.ports.user_cleanup.user_to_delete(last, started_before).await?, last) {
            (None, Some(_)) => self.core.ports.user_cleanup.user_to_delete(None, started_before).await?,
            (next, _) => next,
        };
        let Some((team, user)) = next else { return Ok(Step::IDLE) };
        if !self.core.shares.hold(SHARE).await? {
            return Ok(Step::IDLE);
        }
        *lock(&self.last) = Some(user.id);
        if let Some(permit) = Permit::continued_deletion(&user, team, Request::local()) {
            self.data.erase_batch(&permit, &user).await?;
        }
        Ok(Step { done: 1, more: true })
    }
}
