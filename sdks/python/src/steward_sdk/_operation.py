"""The operations of the API, and how their requests and responses are encoded."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Generic, Mapping, Sequence, TypeVar, cast
from urllib.parse import quote, urlencode
from uuid import uuid4

import httpx

from ._errors import InvalidRequestError, InvalidResponseError
from ._resource import Metadata, with_metadata

T = TypeVar("T")


class Omitted:
    """Type of `OMITTED`."""

    def __repr__(self) -> str:
        return "OMITTED"

    def __bool__(self) -> bool:
        return False


OMITTED = Omitted()
"""Default of parameters that are not sent. None is sent as null, which removes a value in an update."""


@dataclass(frozen=True)
class Operation(Generic[T]):
    """An operation of the API, with the type of its response."""

    id: str
    method: str
    path: str
    response: str
    """What is returned of the response: `data`, `json`, `text`, `bytes`, `location` or `empty`."""
    body: str | None = None
    """How the body of the request is sent: `json`, `form` or `multipart`."""
    is_keyed: bool = False
    """Whether a request with an `Idempotency-Key` can be retried."""
    exploded: str | None = None
    """The parameter whose members are parameters of the query."""


@dataclass(frozen=True, repr=False)
class Request:
    """A request, as each attempt sends it. It can contain secrets."""

    method: str
    path: str
    headers: Mapping[str, str]
    content: bytes | None
    timeout: float | None
    """Time limit of one attempt in seconds, instead of that of the client."""

    is_repeatable: bool
    """Whether a second attempt has no further effect."""


@dataclass(frozen=True, repr=False)
class Received:
    """A successful response with its whole body. It can contain secrets."""

    status: int
    headers: httpx.Headers
    body: bytes


def request_of(
    operation: Operation[Any],
    ids: Sequence[str],
    body: object,
    query: Mapping[str, Any],
    headers: Mapping[str, str | None],
    timeout: float | None,
) -> Request:
    """Return the request of an operation."""
    content, media_type = _encode(operation, body)
    sent = {name: value for name, value in headers.items() if value is not None}
    if media_type:
        sent["Content-Type"] = media_type
    if operation.is_keyed:
        sent.setdefault("Idempotency-Key", str(uuid4()))
    path = _path(operation.path, ids) + _query(operation, query)
    is_repeatable = operation.method == "GET" or any(name.lower() == "idempotency-key" for name in sent)
    return Request(operation.method, path, sent, content, timeout, is_repeatable)


def decode(operation: Operation[T], received: Received) -> T:
    """Return the part of a response that the operation returns."""
    if operation.response == "empty":
        return cast("T", None)
    if operation.response == "bytes":
        return cast("T", received.body)
    if operation.response == "location":
        return cast("T", received.headers.get("location", ""))
    if operation.response == "text":
        return cast("T", received.body.decode("utf-8", "replace"))
    value = json_of(received)
    if operation.response == "data":
        if not isinstance(value, dict) or "data" not in value:
            raise InvalidResponseError("The response of the service has no member `data`.", status=received.status)
        value = value["data"]
    return cast("T", with_metadata(value, Metadata.of(received.status, received.headers)))


def json_of(received: Received) -> Any:
    """Parse the body of a response."""
    try:
        return json.loads(received.body)
    except ValueError:
        raise InvalidResponseError("The response of the service is not valid JSON.", status=received.status) from None


def _encode(operation: Operation[Any], body: object) -> tuple[bytes | None, str | None]:
    """Encode the body once: a retry sends the same bytes, also those between the parts of a form."""
    if operation.body is None or body is None:
        return None, None
    if not isinstance(body, Mapping):
        raise InvalidRequestError(f"The body of {operation.id} must be a mapping, not {type(body).__name__}.")
    members = {name: value for name, value in body.items() if not isinstance(value, Omitted)}
    if operation.body == "json":
        try:
            return json.dumps(members, allow_nan=False).encode(), "application/json"
        except (TypeError, ValueError) as error:
            raise InvalidRequestError(f"The body of {operation.id} cannot be sent as JSON: {error}.") from None
    members = {name: value for name, value in members.items() if value is not None}
    if operation.body == "form":
        return urlencode(members).encode(), "application/x-www-form-urlencoded"
    form = httpx.Request("POST", "https://form.invalid", files=members)
    return form.read(), form.headers["content-type"]


def _path(path: str, ids: Sequence[str]) -> str:
    """Return a path with its IDs, which are encoded."""
    values = iter(ids)
    return "/".join(_segment(next(values)) if part.startswith("{") else part for part in path.split("/"))


def _segment(value: str) -> str:
    # These would name another resource.
    if not isinstance(value, str) or value in ("", ".", ".."):
        raise InvalidRequestError(f"{value!r} is not a valid ID.")
    return quote(value, safe="")


def _query(operation: Operation[Any], query: Mapping[str, Any]) -> str:
    """Return the query with its question mark. Absent values are left out, and lists are repeated."""
    pairs: list[tuple[str, str]] = []
    for name, value in query.items():
        if value is None:
            continue
        members = value.items() if name == operation.exploded else [(name, value)]
        for key, entry in members:
            values = [entry] if isinstance(entry, (str, int, float)) else list(entry)
            pairs += [(key, str(each).lower() if isinstance(each, bool) else str(each)) for each in values]
    return f"?{urlencode(pairs)}" if pairs else ""
