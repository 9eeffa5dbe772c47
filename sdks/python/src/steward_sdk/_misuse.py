"""What is said when a client is used in a way that cannot work, or cannot reach the service."""

from __future__ import annotations

import asyncio
import inspect

import httpx

from ._errors import InvalidRequestError


def reason_of(error: BaseException) -> str:
    """Return why a connection failed: what the operating system reported, if that is known."""
    # Errors in what this program sends quote it, and it can be a token.
    reason = "" if isinstance(error, httpx.LocalProtocolError) else str(error)
    seen: BaseException | None = error
    while seen is not None:
        # A host with several addresses has an error for each. Python 3.10 has no type of groups.
        seen = next(iter(getattr(seen, "exceptions", ())), seen)
        is_of_system = isinstance(seen, OSError)
        if is_of_system:
            reason = str(seen) or reason
        # The context of an error of the system is what the caller was handling.
        seen = seen.__cause__ or (None if is_of_system else seen.__context__)
    return reason.rstrip(".") or type(error).__name__


def checked_token(token: object) -> str | None:
    """Return what a token source returned, if it is a token."""
    if token is None or isinstance(token, str):
        return token
    if inspect.isawaitable(token):
        if inspect.iscoroutine(token):
            token.close()
        raise InvalidRequestError("The token source is asynchronous. Pass a function that is not, or use AsyncSteward.")
    raise InvalidRequestError(f"The token source must return a token or None, not {type(token).__name__}.")


def closed() -> InvalidRequestError:
    """Return the error of a client that is closed."""
    return InvalidRequestError(
        "This client is closed. Send requests before `close` and inside of `with`, or create another one."
    )


class EventLoop:
    """The event loop to which connections belong."""

    def __init__(self) -> None:
        self._own: asyncio.AbstractEventLoop | None = None

    def check(self) -> None:
        """Raise an error in another event loop than that of the first call."""
        try:
            current = asyncio.get_running_loop()
        except RuntimeError:
            # Trio: a program has one run.
            return
        self._own = self._own or current
        if self._own is not current:
            raise InvalidRequestError(
                "This client has connections in another event loop. Create a client in each one, such as in each "
                "`asyncio.run`."
            )
