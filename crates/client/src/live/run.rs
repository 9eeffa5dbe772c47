//! The task that connects, and connects again after an interruption.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use tokio::time::{Instant, sleep, timeout};

use super::connection::Connection;
use super::error::LiveError;
use super::shared::{LiveStatus, Shared};
use super::socket;
use crate::{Client, Error, retry};

/// Longest average delay between two attempts to connect.
const MAX_DELAY: Duration = Duration::from_secs(30);
/// How long the service may take to accept a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);

/// Keeps the items in sync until the task is aborted, a token source panics, or an error occurs that the next attempt
/// does not fix.
pub(super) async fn run(client: Client, project_id: String, shared: Arc<Shared>) {
    let result = AssertUnwindSafe(keep_in_sync(&client, &project_id, &shared)).catch_unwind().await;
    let error = result.unwrap_or_else(|_| Error::Connection("The task of the live items panicked.".to_owned()));
    shared.end(LiveError::Ended(Arc::new(error)));
}

async fn keep_in_sync(client: &Client, project_id: &str, shared: &Shared) -> Error {
    let mut attempt = 0_u32;
    let mut rejected = None;
    loop {
        shared.set_status(LiveStatus::Connecting);
        let result = connect(client, project_id, shared, &mut rejected).await;
        let was_online = shared.progress().borrow().status == LiveStatus::Online;
        attempt = if was_online { 0 } else { attempt.saturating_add(1) };
        shared.set_status(LiveStatus::Offline);
        let mut delay = retry::backoff(attempt, MAX_DELAY);
        if let Err(error) = result {
            if !error.is_temporary() {
                return error;
            }
            let retry_after = error.api().and_then(|error| error.retry_after).unwrap_or_default();
            delay = delay.saturating_add(retry_after.min(MAX_DELAY));
        }
        sleep(delay).await;
    }
}

/// Connects once. `rejected` is the token that the service did not accept, if the connection before ended for that reason.
async fn connect(
    client: &Client,
    project_id: &str,
    shared: &Shared,
    rejected: &mut Option<String>,
) -> Result<(), Error> {
    let transport = &client.transport;
    let credential = &transport.credential;
    let token = match rejected {
        Some(rejected) => credential.refresh(rejected).await?.filter(|token| token != rejected),
        None => credential.token().await?,
    };
    let mut token = token.ok_or_else(|| {
        Error::unauthorized("The service did not accept the token, and there is no other one. Sign in again.")
    })?;
    let opened = timeout(CONNECT_TIMEOUT, socket::open(transport)).await;
    let socket =
        opened.map_err(|_| Error::Connection("The service did not accept a connection in time.".to_owned()))??;
    *rejected = None;
    let now = Instant::now();
    let connection = Connection {
        shared,
        client,
        project_id,
        socket,
        token: &mut token,
        is_ready: false,
        waiting_since: Some(now),
        renewing_since: None,
        silent_since: now,
        is_asked: false,
    };
    connection.run().await?;
    *rejected = Some(token);
    Ok(())
}
