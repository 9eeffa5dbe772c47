"""What a client does to get a response, for the synchronous and the asynchronous client alike.

`exchange` yields what has to be done, and receives the result. So the rules of retries exist once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generator, Union

from . import _retry
from ._errors import StewardError, UnauthorizedError
from ._operation import Received, Request


@dataclass(frozen=True, repr=False)
class GetToken:
    """Get the credential, or another one instead of one that the service rejected."""

    rejected: str | None


@dataclass(frozen=True, repr=False)
class Attempt:
    """Send the request."""

    request: Request
    token: str | None


@dataclass(frozen=True)
class Sleep:
    """Wait for some seconds."""

    seconds: float


Step = Union[GetToken, Attempt, Sleep]


def exchange(request: Request, max_retries: int, is_public: bool) -> Generator[Step, Any, Received]:
    """Send a request. Replace a rejected token once. Retry temporary errors if that has no further effect."""
    token: str | None = None
    if not is_public:
        token = yield GetToken(None)
    has_refreshed = False
    retries = 0
    while True:
        try:
            received: Received = yield Attempt(request, token)
            return received
        except UnauthorizedError as error:
            # Another token of the same sign-in does not help if the person has to enter the password again.
            if token is None or has_refreshed or error.code == "insufficient_user_authentication":
                raise
            has_refreshed = True
            replacement: str | None = yield GetToken(token)
            if replacement is None or replacement == token:
                raise
            token = replacement
        except StewardError as error:
            delay = _retry.delay(error, retries) if request.is_repeatable and retries < max_retries else None
            if delay is None:
                raise
            retries += 1
            yield Sleep(delay)
