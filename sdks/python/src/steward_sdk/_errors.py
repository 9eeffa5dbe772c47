"""Errors of the API and of its transport."""

from __future__ import annotations

import copyreg
import json
from dataclasses import dataclass
from typing import Any, Literal, Mapping, Tuple, Union, cast

from ._generated.codes import ErrorCode

LocalErrorCode = Literal[
    "connection_failed",
    "timeout",
    "invalid_key",
    "invalid_request",
    "invalid_response",
    "local_store_failed",
    "message_too_long",
    "not_modified",
    "not_supported",
    "sign_in_failed",
    "signed_out",
    "unknown_table",
    "unsent_changes",
    "verification_failed",
]
"""Codes of errors that the SDK raises itself."""


@dataclass(frozen=True)
class Violation:
    """One reason why a request is not valid."""

    message: str
    """What is wrong."""
    field: str | None = None
    """The field of the request, or the path in a document."""
    code: str | None = None
    """Machine-readable code, such as `missing_field`."""


class StewardError(Exception):
    """A request failed. The subclasses tell why."""

    code: Union[ErrorCode, LocalErrorCode]
    """Machine-readable code. A later version of the service may return one that is not in the type."""
    message: str
    """What is wrong and how to fix it, for people."""
    status: int | None
    """Status of the response, if there is one."""
    request_id: str | None
    """ID of the request in the log of the service."""
    retry_after: float | None
    """How long to wait before the next attempt, in seconds."""
    violations: Tuple[Violation, ...]
    """All violations of the request, at most 100."""
    details: Mapping[str, Any]
    """The other members of the error, such as `suggestion` or `diff`."""

    def __init__(
        self,
        message: str,
        *,
        code: str,
        status: int | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
        violations: Tuple[Violation, ...] = (),
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = cast("Union[ErrorCode, LocalErrorCode]", code)
        self.status = status
        self.request_id = request_id
        self.retry_after = retry_after
        self.violations = violations
        self.details = details or {}

    def __reduce__(self) -> Tuple[Any, ...]:
        # By default, an exception is created again from its message alone, which is not enough for this one.
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]

    def __str__(self) -> str:
        more = "".join(
            f" {each.field}: {each.message}"
            for each in self.violations
            if each.field and each.message not in self.message
        )
        return f"{self.message}{more} ({self.code})"


class InvalidRequestError(StewardError):
    """The request is not valid (status 400, 405, 413 or 415), or cannot be sent."""

    def __init__(self, message: str, *, code: str = "invalid_request", **more: Any) -> None:
        super().__init__(message, code=code, **more)


class UnauthorizedError(StewardError):
    """The credential is missing, invalid or expired (status 401)."""


class ForbiddenError(StewardError):
    """The credential does not have the permission (status 403)."""


class NotFoundError(StewardError):
    """The resource does not exist, or the caller may not know that it does (status 404)."""


class ConflictError(StewardError):
    """The request conflicts with the state of the service, such as a slug that is taken (status 409)."""


class PreconditionFailedError(StewardError):
    """The resource changed since the version in `if_match` (status 412)."""


class RateLimitedError(StewardError):
    """A rate limit is exceeded (status 429), and retries did not help."""


class UnavailableError(StewardError):
    """The service is not available (status 502, 503 or 504), and retries did not help."""


class TransportError(StewardError):
    """The service could not be reached, or did not respond in time: `connection_failed` or `timeout`."""


class NotModifiedError(StewardError):
    """The resource still has the version in `if_none_match` (status 304)."""


class InvalidResponseError(StewardError):
    """The response of the service does not have the expected form."""

    def __init__(self, message: str, *, status: int | None = None) -> None:
        super().__init__(message, code="invalid_response", status=status)


class SignInError(StewardError):
    """A person could not be signed in, or is signed out: `sign_in_failed`, `signed_out`, or the code of the service."""


class VerificationError(StewardError):
    """A token, or a message to a webhook, is not valid."""

    def __init__(self, message: str) -> None:
        super().__init__(message, code="verification_failed")


_CLASSES: Mapping[int, type[StewardError]] = {
    400: InvalidRequestError,
    401: UnauthorizedError,
    403: ForbiddenError,
    404: NotFoundError,
    405: InvalidRequestError,
    409: ConflictError,
    412: PreconditionFailedError,
    413: InvalidRequestError,
    415: InvalidRequestError,
    429: RateLimitedError,
    502: UnavailableError,
    503: UnavailableError,
    504: UnavailableError,
}


def error_of(status: int, headers: Mapping[str, str], body: bytes) -> StewardError:
    """Return the error in a response."""
    request_id = headers.get("x-request-id")
    if status == 304:
        message = "The resource has not changed."
        return NotModifiedError(message, code="not_modified", status=status, request_id=request_id)
    try:
        details = json.loads(body)
    except ValueError:
        details = None
    details = dict(details) if isinstance(details, dict) else {}
    code, message, errors = (details.pop(name, None) for name in ("error", "message", "errors"))
    retry_after = headers.get("retry-after", "")
    return _CLASSES.get(status, StewardError)(
        message if isinstance(message, str) else f"The service responded with status {status}.",
        # The response is not one of the service itself, but for example of a proxy.
        code=code if isinstance(code, str) else "invalid_response",
        status=status,
        request_id=request_id,
        retry_after=float(retry_after) if retry_after.isascii() and retry_after.isdigit() else None,
        violations=tuple(_violation(each) for each in errors if isinstance(each, dict))
        if isinstance(errors, list)
        else (),
        details=details,
    )


def _violation(error: Mapping[str, Any]) -> Violation:
    text = {name: value for name, value in error.items() if isinstance(value, str) and value}
    field = text.get("field") or text.get("path") or text.get("instancePath")
    message = text.get("message", "")
    params = error.get("params")
    allowed = params.get("allowedValues") if isinstance(params, dict) else None
    if isinstance(allowed, list):
        message = f"{message}: {', '.join(str(value) for value in allowed)}"
    return Violation(message, field, text.get("code"))
