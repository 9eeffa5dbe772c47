//! Commands that follow something continue when the service is available again.

use std::time::Duration;

use steward_client::Error;
use tokio::time::sleep;

use crate::terminal;

/// The wait before the next attempt. It doubles with each failure.
pub const MIN_WAIT: Duration = Duration::from_secs(1);
pub const MAX_WAIT: Duration = Duration::from_secs(10);

/// Reads from the service. While it is not available, waits and tries again.
pub async fn until_reachable<T>(read: impl AsyncFn() -> Result<T, Error>) -> anyhow::Result<T> {
    let (mut wait, mut has_failed) = (MIN_WAIT, false);
    loop {
        let error = match read().await {
            Ok(read) => {
                if has_failed {
                    terminal::note("The service is available again.");
                }
                return Ok(read);
            }
            Err(error @ (Error::Transport { .. } | Error::Unavailable(_) | Error::RateLimited(_))) => error,
            Err(error) => return Err(error.into()),
        };
        terminal::note(&format!("{:#}. Trying again in {} s.", anyhow::Error::new(error), wait.as_secs()));
        has_failed = true;
        sleep(wait).await;
        wait = wait.saturating_mul(2).min(MAX_WAIT);
    }
}
