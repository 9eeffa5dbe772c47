"""Resources with the metadata of their response."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Sequence

import httpx


@dataclass(frozen=True)
class Metadata:
    """What a response contains besides its body."""

    status: int
    etag: str | None
    """Version of the resource, for `if_match` and `if_none_match`."""
    request_id: str | None
    """ID of the request in the log of the service."""
    headers: Mapping[str, str]

    @classmethod
    def of(cls, status: int, headers: httpx.Headers) -> Metadata:
        """Return the metadata of a response."""
        return cls(status, headers.get("etag"), headers.get("x-request-id"), headers)


class _Resource(Dict[str, Any]):
    __slots__ = ("metadata",)
    metadata: Metadata


class _Entries(List[Any]):
    __slots__ = ("metadata",)
    metadata: Metadata


def with_metadata(value: Any, metadata: Metadata) -> Any:
    """Return a resource that has its metadata."""
    if isinstance(value, dict):
        resource = _Resource(value)
        resource.metadata = metadata
        return resource
    if isinstance(value, list):
        entries = _Entries(value)
        entries.metadata = metadata
        return entries
    return value


def metadata_of(resource: Mapping[str, Any] | Sequence[Any]) -> Metadata:
    """Return the metadata of the response that a method returned.

    Raises `TypeError` for anything else, such as a copy or an entry of a list.
    """
    if isinstance(resource, (_Resource, _Entries)):
        return resource.metadata
    raise TypeError(
        "This value has no metadata. Pass what a method of the client returned, and not a copy or a part of it."
    )


def etag_of(resource: Mapping[str, Any] | Sequence[Any]) -> str:
    """Return the version of a resource that a method returned, for `if_match` and `if_none_match`.

    Raises `TypeError` for anything else, such as a copy or an entry of a list, and `ValueError` if the response had no `ETag`.
    """
    etag = metadata_of(resource).etag
    if etag is None:
        raise ValueError("The response had no `ETag`. Get the resource by its ID.")
    return etag
