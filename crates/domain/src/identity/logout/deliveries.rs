//! Delivery of logout tokens to the clients of a session that has ended (OpenID Connect Back-Channel Logout 1.0 §2.5):
//! at least once, with retries, and with a concurrency limit per project.

use std::collections::BTreeSet;

use chrono::TimeDelta;

use crate::administration::WebhookUrl;
use crate::identity::{IdentityCore, LogoutClaims, LogoutDelivery};
use crate::kernel::error::Error;
use crate::kernel::{ProjectId, to_the_second, use_cases};

/// Maximum number of deliveries that one step claims, in total and per project.
const MAX_CLAIMED: usize = 32;
const MAX_CLAIMED_PER_PROJECT: usize = 4;
/// How many due deliveries are read per query.
const BATCH_SIZE: u16 = 64;
/// Delay after each failed attempt, in seconds: more than five hours in total. The first delay is longer than an
/// attempt can take.
const RETRY_DELAYS: [i64; 5] = [20, 120, 600, 3_600, 14_400];
/// Lifetime of a logout token (Back-Channel Logout §2.4 recommends at most two minutes).
const LOGOUT_TOKEN_TTL: TimeDelta = TimeDelta::minutes(2);

/// The result of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogoutAttempt {
    /// The client has received the token, or no longer wants it.
    Completed,
    /// The attempt failed for this reason and is repeated later.
    Failed(String),
    /// The last attempt failed for this reason.
    Abandoned(String),
}

use_cases! {
    /// Use cases of back-channel logout.
    pub struct LogoutDeliveries { core: IdentityCore }
}

impl LogoutDeliveries {
    /// Claims due deliveries, within the limit per project. Pass each to [`LogoutDeliveries::deliver`]. If the process
    /// stops before, the attempt counts as failed.
    pub async fn claim(&self) -> Result<Vec<LogoutDelivery>, Error> {
        let now = self.core.now();
        let mut claimed: Vec<LogoutDelivery> = Vec::new();
        loop {
            let due = self.core.ports.logout_queue.due_logouts(now, &full_projects(&claimed), BATCH_SIZE).await?;
            let (found, before) = (due.len(), claimed.len());
            for delivery in due {
                if claimed.len() >= MAX_CLAIMED || of_project(&claimed, delivery.project_id) >= MAX_CLAIMED_PER_PROJECT
                {
                    continue;
                }
                let next = LogoutDelivery {
                    attempts: delivery.attempts.saturating_add(1),
                    next_attempt_at: now + delay_after(delivery.attempts),
                    ..delivery.clone()
                };
                if self.core.ports.logout_queue.claim_logout(&delivery, next.next_attempt_at).await? {
                    claimed.push(next);
                }
            }
            let is_complete = found < usize::from(BATCH_SIZE) || claimed.len() == before;
            if is_complete || claimed.len() >= MAX_CLAIMED {
                return Ok(claimed);
            }
        }
    }

    /// Sends a logout token once.
    pub async fn deliver(&self, delivery: LogoutDelivery) -> Result<LogoutAttempt, Error> {
        let attempt = match self.url(delivery.project_id).await? {
            Some(url) => self.attempt(&url, &delivery).await?,
            None => LogoutAttempt::Completed,
        };
        if !matches!(attempt, LogoutAttempt::Failed(_)) {
            self.core.ports.logout_queue.remove_logout(delivery.id).await?;
        }
        Ok(attempt)
    }

    /// Returns the URL that the project currently registers.
    async fn url(&self, project: ProjectId) -> Result<Option<WebhookUrl>, Error> {
        let found = self.core.ports.projects.project(project).await?;
        Ok(found.and_then(|found| found.project.sign_in.backchannel_logout_uri))
    }

    async fn attempt(&self, url: &WebhookUrl, delivery: &LogoutDelivery) -> Result<LogoutAttempt, Error> {
        // So that the token is not signed with a key that another process has revoked.
        self.core.keys.reload().await?;
        let issued_at = to_the_second(self.core.now());
        let token = self.core.ports.tokens.issue_logout_token(&LogoutClaims {
            subject: delivery.account_id,
            session: delivery.session_id,
            client: delivery.client.clone(),
            issued_at,
            expires_at: issued_at + LOGOUT_TOKEN_TTL,
            id: self.core.next_id(),
        })?;
        let reason = match self.core.ports.webhook_sender.send_logout_token(url, &token).await {
            Ok(200..=299) => return Ok(LogoutAttempt::Completed),
            Ok(status) => format!("The client returned status {status}."),
            Err(reason) => reason,
        };
        let is_last = usize::try_from(delivery.attempts).is_ok_and(|attempts| attempts > RETRY_DELAYS.len());
        Ok(if is_last { LogoutAttempt::Abandoned(reason) } else { LogoutAttempt::Failed(reason) })
    }
}

/// Returns the delay until the attempt after the next one, if the next one fails.
fn delay_after(attempts: u32) -> TimeDelta {
    let delay = usize::try_from(attempts).ok().and_then(|attempts| RETRY_DELAYS.get(attempts));
    TimeDelta::seconds(delay.or(RETRY_DELAYS.last()).copied().unwrap_or_default())
}

fn of_project(claimed: &[LogoutDelivery], project: ProjectId) -> usize {
    claimed.iter().filter(|delivery| delivery.project_id == project).count()
}

/// Returns the projects that have reached their limit.
fn full_projects(claimed: &[LogoutDelivery]) -> Vec<ProjectId> {
    let projects: BTreeSet<ProjectId> = claimed.iter().map(|delivery| delivery.project_id).collect();
    projects.into_iter().filter(|project| of_project(claimed, *project) >= MAX_CLAIMED_PER_PROJECT).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::administration::ProjectInTeam;
    use crate::identity::ClientId;
    use crate::kernel::Secret;
    use crate::mocks::{
        MockAccessTokens, MockStore, MockWebhookSender, a_project_in_team, id_of, instant, mock_identity,
        mock_system_ports,
    };
    use crate::{DeliveryPorts, Ports, SystemPorts};

    fn a_delivery(project: &str, attempts: u32) -> LogoutDelivery {
        let project_id = ProjectId::from(id_of(project));
        LogoutDelivery {
            id: id_of("delivery").into(),
            account_id: id_of("ann").into(),
            session_id: id_of("session").into(),
            client: ClientId::stored(project_id.to_string(), Some(project_id)),
            project_id,
            attempts,
            next_attempt_at: instant(),
        }
    }

    fn with_url(url: Option<&str>) -> ProjectInTeam {
        let mut found = a_project_in_team();
        found.project.sign_in.backchannel_logout_uri = url.map(|url| WebhookUrl::parse(url, false).unwrap());
        found
    }

    fn deliveries(mut store: MockStore, url: Option<&str>, response: Result<u16, String>) -> LogoutDeliveries {
        let project = with_url(url);
        store.projects.expect_project().returning(move |_| Ok(Some(project.clone())));
        let (mut tokens, mut sender) = (MockAccessTokens::new(), MockWebhookSender::new());
        tokens.expect_issue_logout_token().returning(|_| Ok(Secret::new("token".into())));
        sender.expect_send_logout_token().returning(move |_, _| response.clone());
        let system = SystemPorts { tokens: Arc::new(tokens), ..mock_system_ports() };
        let delivery = DeliveryPorts { webhook_sender: Arc::new(sender), ..DeliveryPorts::default() };
        LogoutDeliveries::new(&mock_identity(Ports { store: store.into(), system, delivery }))
    }

    /// Makes attempt number `attempt`. Returns its result and whether the delivery was removed.
    async fn attempt(attempt: u32, url: Option<&str>, response: Result<u16, String>) -> (LogoutAttempt, bool) {
        let removed = Arc::new(std::sync::atomic::AtomicBool::new(false));
        let (mut store, seen) = (MockStore::without_server_keys(), removed.clone());
        store.logout_queue.expect_remove_logout().returning(move |_| {
            seen.store(true, std::sync::atomic::Ordering::Relaxed);
            Ok(())
        });
        let result = deliveries(store, url, response).deliver(a_delivery("project", attempt)).await.unwrap();
        (result, removed.load(std::sync::atomic::Ordering::Relaxed))
    }

    #[tokio::test]
    async fn a_delivery_is_removed_when_it_is_received_unwanted_or_has_failed_six_times() {
        let url = Some("https://app.example/logout");
        let failed = || Err("The receiver could not be reached.".to_owned());
        assert_eq!(attempt(1, url, Ok(200)).await, (LogoutAttempt::Completed, true));
        assert_eq!(attempt(1, url, Ok(204)).await, (LogoutAttempt::Completed, true));
        assert_eq!(attempt(1, None, failed()).await, (LogoutAttempt::Completed, true));
        let status = LogoutAttempt::Failed("The client returned status 400.".into());
        assert_eq!(attempt(1, url, Ok(400)).await, (status, false));
        assert!(matches!(attempt(5, url, failed()).await, (LogoutAttempt::Failed(_), false)));
        assert!(matches!(attempt(6, url, failed()).await, (LogoutAttempt::Abandoned(_), true)));
    }

    #[tokio::test]
    async fn one_project_cannot_use_up_the_deliveries_of_a_step() {
        let mut store = MockStore::default();
        store.logout_queue.expect_due_logouts().returning(|_, except, limit| {
            let busy = a_delivery("busy", 0);
            let is_full = except.contains(&busy.project_id);
            Ok(if is_full { vec![a_delivery("quiet", 0)] } else { vec![busy; usize::from(limit)] })
        });
        store.logout_queue.expect_claim_logout().returning(|_, _| Ok(true));
        let claimed = deliveries(store, None, Ok(200)).claim().await.unwrap();
        let projects: Vec<_> = claimed.iter().map(|delivery| delivery.project_id).collect();
        let (busy, quiet) = (a_delivery("busy", 0).project_id, a_delivery("quiet", 0).project_id);
        assert_eq!(projects, [busy, busy, busy, busy, quiet]);
        assert!(claimed.iter().all(|delivery| delivery.attempts == 1));
        assert_eq!(claimed[0].next_attempt_at, instant() + TimeDelta::seconds(20));
    }

    #[tokio::test]
    async fn a_delivery_that_another_process_claimed_is_skipped() {
        let mut store = MockStore::default();
        store
            .logout_queue
            .expect_due_logouts()
            .returning(|_, _, limit| Ok(vec![a_delivery("project", 0); usize::from(limit)]));
        store.logout_queue.expect_claim_logout().returning(|_, _| Ok(false));
        assert_eq!(deliveries(store, None, Ok(200)).claim().await.unwrap(), []);
    }

    #[test]
    fn the_delay_grows_with_each_failed_attempt() {
        let delays: Vec<i64> = (0..7).map(|attempts| delay_after(attempts).num_seconds()).collect();
        assert_eq!(delays, [20, 120, 600, 3_600, 14_400, 14_400, 14_400]);
    }
}
