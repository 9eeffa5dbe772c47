"""The connections to a service, and how requests are sent."""

from __future__ import annotations

import copy
import inspect
import time
from typing import Any, Awaitable, Callable, Dict, Mapping, Sequence, TypeVar, Union

import anyio
import httpx
from typing_extensions import Self

from ._errors import InvalidRequestError, InvalidResponseError, StewardError, TransportError, error_of
from ._exchange import Attempt, GetToken, Sleep, Step, exchange
from ._misuse import EventLoop, checked_token, closed, reason_of
from ._operation import Operation, Received, Request, decode, json_of, request_of
from ._pages import AsyncPages, Page, Pages
from ._service_url import is_local, service_url
from ._version import __version__

T = TypeVar("T")

TokenSource = Union[str, Callable[[Union[str, None]], Union[str, None]], None]
"""The credential: an access token, a personal access token or an API key, or a function that returns it.

The function gets None, or the token that the service rejected. In that case it returns another one, or None if there is none.
"""
AsyncTokenSource = Union[str, Callable[[Union[str, None]], Awaitable[Union[str, None]]], None]
"""Like `TokenSource`, with a function that is awaited."""

MAX_BODY_BYTES = 512 * 1024 * 1024
"""Maximum size of a response."""


class BaseClient:
    """What both clients have in common."""

    def __init__(self, url: str, timeout: float, max_retries: int) -> None:
        self._url = service_url(url)
        self._owns_http = False
        self._timeout = timeout
        self._max_retries = max_retries
        self._headers: Dict[str, str] = {"User-Agent": f"steward-sdk-python/{__version__}"}
        self._add_groups()

    @property
    def url(self) -> str:
        """URL of the service."""
        return self._url

    def _add_groups(self) -> None:
        """Add the groups of operations."""

    def with_options(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        request_id: str | None = None,
    ) -> Self:
        """Return a client with other options that shares the connections.

        :param timeout: Time limit of one attempt, in seconds.
        :param max_retries: How many times a request is retried after a temporary error.
        :param request_id: ID of the requests in the log of the service, such as that of a request which they are part of.
        """
        client = copy.copy(self)
        client._timeout = self._timeout if timeout is None else timeout
        client._max_retries = self._max_retries if max_retries is None else max_retries
        client._headers = self._headers if request_id is None else {**self._headers, "X-Request-Id": request_id}
        client._add_groups()
        client._owns_http = False
        return client

    def _http_options(self) -> Dict[str, Any]:
        # Requests to this machine must not go through a proxy.
        return {"trust_env": not is_local(self._url), "follow_redirects": False}

    def _headers_of(self, step: Attempt) -> Dict[str, str]:
        headers = {**self._headers, **step.request.headers}
        for name, value in headers.items():
            if not (value.isascii() and value.isprintable()):
                raise InvalidRequestError(f"The header {name} must be printable ASCII.")
        if step.token is not None:
            if not (step.token.isascii() and step.token.isprintable() and step.token.strip() == step.token != ""):
                raise InvalidRequestError("The token is not valid: it must be printable ASCII.")
            headers["Authorization"] = f"Bearer {step.token}"
        return headers

    def _timeout_of(self, request: Request) -> float:
        return self._timeout if request.timeout is None else request.timeout

    def _lost(self, error: Exception, timeout: float) -> StewardError:
        if isinstance(error, (httpx.TimeoutException, TimeoutError)):
            return TransportError(f"{self._url} did not respond within {timeout:g} seconds.", code="timeout")
        return TransportError(f"Cannot reach {self._url}: {reason_of(error)}.", code="connection_failed")


class _Body:
    """Collects a body of a limited size."""

    def __init__(self, response: httpx.Response) -> None:
        self.response = response
        self.bytes = bytearray()

    def add(self, part: bytes) -> None:
        self.bytes += part
        if len(self.bytes) > MAX_BODY_BYTES:
            raise InvalidResponseError(
                f"The response is larger than {MAX_BODY_BYTES} bytes.", status=self.response.status_code
            )

    def received(self) -> Received:
        """Return the response, unless it is an error."""
        status, headers, body = self.response.status_code, self.response.headers, bytes(self.bytes)
        if status < 400 and status != 304:
            return Received(status, headers, body)
        raise error_of(status, headers, body)


class Client(BaseClient):
    """Sends requests. Use `Steward`, which has the operations of the API."""

    def __init__(
        self,
        url: str,
        token: TokenSource = None,
        *,
        timeout: float = 30.0,
        max_retries: int = 4,
        http_client: httpx.Client | None = None,
    ) -> None:
        """Return a client.

        :param url: URL of the service. It uses HTTPS, or HTTP on this machine.
        :param token: The credential: an access token, a personal access token or an API key, or a function that returns it.
        :param timeout: Time limit of one attempt, in seconds.
        :param max_retries: How many times a request is retried after a temporary error.
        :param http_client: Connections to use, for example with a proxy. The caller closes them.
        """
        super().__init__(url, timeout, max_retries)
        self._token = token
        self._owns_http = http_client is None
        self._http = http_client or httpx.Client(**self._http_options())

    def with_token(self, token: TokenSource) -> Self:
        """Return a client with another credential that shares the connections."""
        client = copy.copy(self)
        client._token = token
        client._owns_http = False
        client._add_groups()
        return client

    def close(self) -> None:
        """Close the connections."""
        if self._owns_http:
            self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def request(self, method: str, path: str, *, body: object = None, headers: Mapping[str, str] | None = None) -> Any:
        """Send a request to a path that no method has, with retries. Returns the parsed JSON of the response."""
        operation: Operation[Any] = Operation("request", method, path, "json", body="json")
        prepared = request_of(operation, (), body, {}, headers or {}, None)
        return json_of(self._send(prepared))

    def _get_public(self, path: str) -> Any:
        """Return the parsed JSON of a path, without a credential."""
        request = request_of(Operation("public", "GET", path, "json"), (), None, {}, {}, None)
        return json_of(self._send(request, is_public=True))

    def _call(
        self,
        operation: Operation[T],
        ids: Sequence[str],
        *,
        body: object = None,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str | None] | None = None,
        timeout: float | None = None,
    ) -> T:
        return decode(operation, self._send(request_of(operation, ids, body, query or {}, headers or {}, timeout)))

    def _list(
        self,
        operation: Operation[Any],
        ids: Sequence[str],
        query: Mapping[str, Any],
        page_size: int,
        cursor: str | None,
        timeout: float | None,
    ) -> Pages[Any]:
        def fetch(at: str | None) -> Page[Any]:
            sent = {**query, "limit": page_size, "cursor": at}
            return Page.of(json_of(self._send(request_of(operation, ids, None, sent, {}, timeout))))

        return Pages(fetch, cursor)

    def _send(self, request: Request, is_public: bool = False) -> Received:
        steps = exchange(request, self._max_retries, is_public)
        try:
            step = next(steps)
            while True:
                try:
                    result = self._perform(step)
                except StewardError as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(result)
        except StopIteration as end:
            received: Received = end.value
            return received

    def _token_of(self, rejected: str | None) -> str | None:
        """Return the credential, or another one instead of one that the service rejected."""
        if not callable(self._token):
            return self._token if rejected is None else None
        return checked_token(self._token(rejected))

    def _perform(self, step: Step) -> Received | str | None:
        if isinstance(step, GetToken):
            return self._token_of(step.rejected)
        if isinstance(step, Sleep):
            time.sleep(step.seconds)
            return None
        headers, request, timeout = self._headers_of(step), step.request, self._timeout_of(step.request)
        deadline = time.monotonic() + timeout
        url = self._url + request.path
        if self._http.is_closed:
            raise closed()
        try:
            with self._http.stream(
                request.method, url, headers=headers, content=request.content, timeout=timeout
            ) as response:
                body = _Body(response)
                for part in response.iter_bytes():
                    body.add(part)
                    if time.monotonic() > deadline:
                        raise TimeoutError
        except (httpx.HTTPError, TimeoutError) as error:
            raise self._lost(error, timeout) from error
        return body.received()


class AsyncClient(BaseClient):
    """Sends requests. Use `AsyncSteward`, which has the operations of the API."""

    def __init__(
        self,
        url: str,
        token: AsyncTokenSource = None,
        *,
        timeout: float = 30.0,
        max_retries: int = 4,
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        """Return a client.

        :param url: URL of the service. It uses HTTPS, or HTTP on this machine.
        :param token: The credential: an access token, a personal access token or an API key, or a function that is awaited
            and returns it.
        :param timeout: Time limit of one attempt, in seconds.
        :param max_retries: How many times a request is retried after a temporary error.
        :param http_client: Connections to use, for example with a proxy. The caller closes them.
        """
        super().__init__(url, timeout, max_retries)
        self._token = token
        self._loop = EventLoop()
        self._owns_http = http_client is None
        self._http = http_client or httpx.AsyncClient(**self._http_options())

    def with_token(self, token: AsyncTokenSource) -> Self:
        """Return a client with another credential that shares the connections."""
        client = copy.copy(self)
        client._token = token
        client._owns_http = False
        client._add_groups()
        return client

    async def close(self) -> None:
        """Close the connections."""
        if self._owns_http:
            await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def request(
        self, method: str, path: str, *, body: object = None, headers: Mapping[str, str] | None = None
    ) -> Any:
        """Send a request to a path that no method has, with retries. Returns the parsed JSON of the response."""
        operation: Operation[Any] = Operation("request", method, path, "json", body="json")
        prepared = request_of(operation, (), body, {}, headers or {}, None)
        return json_of(await self._send(prepared))

    async def _get_public(self, path: str) -> Any:
        """Return the parsed JSON of a path, without a credential."""
        request = request_of(Operation("public", "GET", path, "json"), (), None, {}, {}, None)
        return json_of(await self._send(request, is_public=True))

    async def _call(
        self,
        operation: Operation[T],
        ids: Sequence[str],
        *,
        body: object = None,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str | None] | None = None,
        timeout: float | None = None,
    ) -> T:
        return decode(
            operation, await self._send(request_of(operation, ids, body, query or {}, headers or {}, timeout))
        )

    def _list(
        self,
        operation: Operation[Any],
        ids: Sequence[str],
        query: Mapping[str, Any],
        page_size: int,
        cursor: str | None,
        timeout: float | None,
    ) -> AsyncPages[Any]:
        async def fetch(at: str | None) -> Page[Any]:
            sent = {**query, "limit": page_size, "cursor": at}
            return Page.of(json_of(await self._send(request_of(operation, ids, None, sent, {}, timeout))))

        return AsyncPages(fetch, cursor)

    async def _send(self, request: Request, is_public: bool = False) -> Received:
        steps = exchange(request, self._max_retries, is_public)
        try:
            step = next(steps)
            while True:
                try:
                    result = await self._perform(step)
                except StewardError as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(result)
        except StopIteration as end:
            received: Received = end.value
            return received

    async def _token_of(self, rejected: str | None) -> str | None:
        """Return the credential, or another one instead of one that the service rejected."""
        if not callable(self._token):
            return self._token if rejected is None else None
        token: object = self._token(rejected)
        if not inspect.isawaitable(token):
            raise InvalidRequestError("The token source is not asynchronous. Pass an async function, or use Steward.")
        return checked_token(await token)

    async def _perform(self, step: Step) -> Received | str | None:
        if isinstance(step, GetToken):
            return await self._token_of(step.rejected)
        if isinstance(step, Sleep):
            await anyio.sleep(step.seconds)
            return None
        headers, request, timeout = self._headers_of(step), step.request, self._timeout_of(step.request)
        url = self._url + request.path
        if self._http.is_closed:
            raise closed()
        self._loop.check()
        try:
            with anyio.fail_after(timeout):
                async with self._http.stream(
                    request.method, url, headers=headers, content=request.content, timeout=timeout
                ) as response:
                    body = _Body(response)
                    async for part in response.aiter_bytes():
                        body.add(part)
        except (httpx.HTTPError, TimeoutError) as error:
            raise self._lost(error, timeout) from error
        return body.received()


class Resource:
    """A group of operations."""

    def __init__(self, client: Client) -> None:
        self._client = client


class AsyncResource:
    """A group of operations."""

    def __init__(self, client: AsyncClient) -> None:
        self._client = client
