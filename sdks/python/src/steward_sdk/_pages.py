"""Lists that are read in pages when they are needed."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Any, AsyncIterator, Awaitable, Callable, Generic, Iterator, List, TypeVar

from ._errors import InvalidResponseError

T = TypeVar("T")


@dataclass(frozen=True)
class Page(Generic[T]):
    """One page of a list."""

    data: List[T]
    next_cursor: str | None
    """Cursor of the next page, or None on the last one."""

    @classmethod
    def of(cls, body: Any) -> Page[T]:
        """Return the page in the body of a response."""
        if not isinstance(body, dict) or not isinstance(body.get("data"), list):
            raise InvalidResponseError("The response of the service is not a page of a list.")
        return cls(body["data"], body.get("next_cursor"))


class Pages(Generic[T]):
    """A list: `for entry in pages` requests page by page."""

    def __init__(self, fetch: Callable[[str | None], Page[T]], cursor: str | None = None) -> None:
        self._fetch = fetch
        self._cursor = cursor

    def page(self, cursor: str | None = None) -> Page[T]:
        """Return one page: the first one, or that of a cursor."""
        return self._fetch(cursor or self._cursor)

    def pages(self) -> Iterator[Page[T]]:
        """Read page by page."""
        cursor = self._cursor
        while True:
            page = self._fetch(cursor)
            yield page
            cursor = page.next_cursor
            if cursor is None:
                return

    def __iter__(self) -> Iterator[T]:
        for page in self.pages():
            yield from page.data

    def first(self, count: int) -> List[T]:
        """Return at most this number of entries, from the start."""
        return list(islice(self, count))

    def all(self) -> List[T]:
        """Return all entries."""
        return list(self)


class AsyncPages(Generic[T]):
    """A list: `async for entry in pages` requests page by page."""

    def __init__(self, fetch: Callable[[str | None], Awaitable[Page[T]]], cursor: str | None = None) -> None:
        self._fetch = fetch
        self._cursor = cursor

    async def page(self, cursor: str | None = None) -> Page[T]:
        """Return one page: the first one, or that of a cursor."""
        return await self._fetch(cursor or self._cursor)

    async def pages(self) -> AsyncIterator[Page[T]]:
        """Read page by page."""
        cursor = self._cursor
        while True:
            page = await self._fetch(cursor)
            yield page
            cursor = page.next_cursor
            if cursor is None:
                return

    async def __aiter__(self) -> AsyncIterator[T]:
        async for page in self.pages():
            for entry in page.data:
                yield entry

    async def first(self, count: int) -> List[T]:
        """Return at most this number of entries, from the start."""
        found: List[T] = []
        if count > 0:
            async for entry in self:
                found.append(entry)
                if len(found) >= count:
                    break
        return found

    async def all(self) -> List[T]:
        """Return all entries."""
        return [entry async for entry in self]
