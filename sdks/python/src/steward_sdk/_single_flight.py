"""One request for many callers that need the same result at the same time."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from concurrent.futures import Future
from typing import Awaitable, Callable, Dict, Generic, TypeVar

import anyio

T = TypeVar("T")

MAX_RESULTS = 10_000


class _Results(Generic[T]):
    """The newest results, each for some seconds."""

    def __init__(self, ttl: float) -> None:
        self._ttl = ttl
        self._results: OrderedDict[str, tuple[float, T]] = OrderedDict()

    def get(self, key: str) -> T | None:
        found = self._results.get(key)
        return found[1] if found and time.monotonic() - found[0] < self._ttl else None

    def put(self, key: str, result: T) -> None:
        now = time.monotonic()
        self._results[key] = (now, result)
        while self._results:
            oldest = next(iter(self._results.values()))
            if now - oldest[0] < self._ttl and len(self._results) <= MAX_RESULTS:
                return
            self._results.popitem(last=False)


class SingleFlight(Generic[T]):
    """Calls a function once for all threads that need its result. Errors are raised in all of them, and not kept."""

    def __init__(self, ttl: float) -> None:
        self._results: _Results[T] = _Results(ttl)
        self._flights: Dict[str, Future[T]] = {}
        self._lock = threading.Lock()

    def run(self, key: str, call: Callable[[], T]) -> T:
        with self._lock:
            result = self._results.get(key)
            if result is not None:
                return result
            flight = self._flights.get(key)
            if flight is None:
                own = self._flights[key] = Future()
        if flight is not None:
            return flight.result()
        try:
            result = call()
        except BaseException as error:
            with self._lock:
                del self._flights[key]
            own.set_exception(error)
            raise
        with self._lock:
            self._results.put(key, result)
            del self._flights[key]
        own.set_result(result)
        return result


class _Flight(Generic[T]):
    def __init__(self) -> None:
        self.done = anyio.Event()
        self.error: Exception | None = None


class AsyncSingleFlight(Generic[T]):
    """Calls a function once for all tasks that need its result."""

    def __init__(self, ttl: float) -> None:
        self._results: _Results[T] = _Results(ttl)
        self._flights: Dict[str, _Flight[T]] = {}

    async def run(self, key: str, call: Callable[[], Awaitable[T]]) -> T:
        while True:
            result = self._results.get(key)
            if result is not None:
                return result
            flight = self._flights.get(key)
            if flight is None:
                break
            await flight.done.wait()
            if flight.error is not None:
                raise flight.error
            # If the task was cancelled that made the request, another one makes it.
        flight = self._flights[key] = _Flight()
        try:
            result = await call()
            self._results.put(key, result)
            return result
        except Exception as error:
            flight.error = error
            raise
        finally:
            del self._flights[key]
            flight.done.set()
