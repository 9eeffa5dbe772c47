"""Which errors are retried, and when."""

from __future__ import annotations

import random

from ._errors import RateLimitedError, StewardError, TransportError, UnavailableError

MIN_DELAY = 0.25
"""Longest delay before the first retry, in seconds. It doubles with each further one."""
MAX_DELAY = 8.0
MAX_RETRY_AFTER = 30.0
"""If the service asks for more time, the error is raised instead."""


def backoff(retry: int, longest: float = MAX_DELAY) -> float:
    """Return a delay in seconds. `retry` is 0 for the first retry. It is random, so that clients do not retry all at once."""
    return min(MIN_DELAY * 2.0 ** min(retry, 30), longest) * random.uniform(0.5, 1.0)


def delay(error: StewardError, retry: int) -> float | None:
    """Return the delay before the next attempt in seconds, or None if a retry cannot help."""
    if isinstance(error, TransportError):
        return backoff(retry)
    if isinstance(error, (RateLimitedError, UnavailableError)):
        retry_after = error.retry_after or 0.0
        return retry_after + backoff(retry) if retry_after <= MAX_RETRY_AFTER else None
    # An earlier attempt is still in progress, although its connection was lost.
    return backoff(retry) if error.code == "idempotency_in_progress" else None
