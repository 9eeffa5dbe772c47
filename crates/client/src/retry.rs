//! Which errors are retried, and when.

use std::time::Duration;

use uuid::Uuid;

use crate::Error;

/// Average delay before the first retry. It doubles with each further one.
const MIN_DELAY: Duration = Duration::from_millis(250);
const MAX_DELAY: Duration = Duration::from_secs(8);
/// If the service asks for more time, the error is returned instead.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(30);

/// Returns the delay before the next attempt, or `None` if a retry cannot help. `retry` is 0 for the first retry.
pub(crate) fn delay(error: &Error, retry: u32) -> Option<Duration> {
    let backoff = backoff(retry, MAX_DELAY);
    match error {
        Error::Transport { source, .. } => (!source.is_builder()).then_some(backoff),
        Error::RateLimited(error) | Error::Unavailable(error) => {
            let retry_after = error.retry_after.unwrap_or_default();
            (retry_after <= MAX_RETRY_AFTER).then(|| retry_after.saturating_add(backoff))
        }
        // An earlier attempt is still in progress, although its connection was lost.
        Error::Conflict(error) => (error.code == "idempotency_in_progress").then_some(backoff),
        _ => None,
    }
}

/// Returns a delay that doubles with each retry. `retry` is 0 for the first one.
pub(crate) fn backoff(retry: u32, longest: Duration) -> Duration {
    let delay = MIN_DELAY.saturating_mul(2_u32.saturating_pow(retry)).min(longest);
    // Between half of it and the whole, so that clients do not retry all at once.
    let (random, ..) = random_id().as_fields();
    delay.mul_f64(0.5 + f64::from(random) / f64::from(u32::MAX) / 2.0)
}

#[expect(clippy::disallowed_methods, reason = "The client does not use the ports of the service.")]
pub(crate) fn random_id() -> Uuid {
    Uuid::new_v4()
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderMap, HeaderValue, RETRY_AFTER};

    use super::*;

    fn error(status: u16, retry_after: Option<&'static str>, code: &str) -> Error {
        let headers = retry_after.map(|value| (RETRY_AFTER, HeaderValue::from_static(value)));
        let body = format!(r#"{{"error": "{code}", "message": "x"}}"#);
        Error::of_response(status, &headers.into_iter().collect::<HeaderMap>(), body.as_bytes())
    }

    #[test]
    fn the_delay_grows_and_has_a_maximum() {
        for (retry, milliseconds) in [(0, 250), (1, 500), (2, 1_000), (5, 8_000), (1_000, 8_000)] {
            let delay = delay(&error(503, None, "unavailable"), retry).unwrap();
            let longest = Duration::from_millis(milliseconds);
            assert!(delay >= longest / 2 && delay <= longest, "{retry}: {delay:?}");
        }
    }

    #[test]
    fn the_service_sets_the_minimum_delay() {
        assert!(delay(&error(429, Some("3"), "too_many_requests"), 0).unwrap() > Duration::from_secs(3));
        assert!(delay(&error(429, Some("3600"), "too_many_requests"), 0).is_none());
    }

    #[test]
    fn only_temporary_errors_are_retried() {
        assert!(delay(&error(409, None, "idempotency_in_progress"), 0).is_some());
        for (status, code) in [(400, "invalid_request"), (401, "unauthorized"), (404, "not_found"), (409, "conflict")] {
            assert!(delay(&error(status, None, code), 0).is_none(), "{status}");
        }
        assert!(delay(&error(500, None, "internal_error"), 0).is_none());
    }
}
