"""Retries, errors and time limits, with a transport that counts what is sent."""

from __future__ import annotations

import asyncio
import json
import pickle
import socket
import warnings
from concurrent.futures import ProcessPoolExecutor
from typing import Any, Callable

import httpx
import pytest

import steward_sdk._client as client_module
from steward_sdk import (
    AsyncSteward,
    ConflictError,
    InvalidRequestError,
    InvalidResponseError,
    NotFoundError,
    RateLimitedError,
    Steward,
    StewardError,
    TransportError,
    UnauthorizedError,
    UnavailableError,
    Violation,
    _retry,
    etag_of,
)

Handler = Callable[[httpx.Request], httpx.Response]
URL = "https://steward.example.com"


class Both:
    """Runs a call with the synchronous and the asynchronous client, with the same responses."""

    def __init__(self, handle: Handler, **options: Any) -> None:
        self.handle, self.options = handle, options
        self.requests: list[httpx.Request] = []

    def _transport(self, recorded: list[httpx.Request]) -> httpx.MockTransport:
        def handler(request: httpx.Request) -> httpx.Response:
            recorded.append(request)
            request.extensions["attempt"] = len(recorded)
            return self.handle(request)

        return httpx.MockTransport(handler)

    def run(self, call: Callable[[Any], Any]) -> Any:
        """Return the result, and check that both clients send the same and end the same way."""
        ended = []
        for is_async in (False, True):
            recorded: list[httpx.Request] = []
            transport = self._transport(recorded)
            try:
                if is_async:
                    ended.append((asyncio.run(self._asynchronous(transport, call)), None))
                else:
                    http = httpx.Client(transport=transport)
                    ended.append((call(Steward(URL, http_client=http, **self.options)), None))
            except StewardError as error:
                ended.append((None, error))
            if self.requests:
                assert [(r.method, r.url) for r in recorded] == [(r.method, r.url) for r in self.requests]
            self.requests = recorded
        assert ended[0][0] == ended[1][0]
        assert type(ended[0][1]) is type(ended[1][1])
        if ended[0][1]:
            raise ended[0][1]
        return ended[0][0]

    async def _asynchronous(self, transport: httpx.MockTransport, call: Callable[[Any], Any]) -> Any:
        options = dict(self.options)
        if callable(options.get("token")):
            source = options["token"]

            async def token(rejected: str | None) -> str | None:
                return source(rejected)  # type: ignore[no-any-return]

            options["token"] = token
        return await call(AsyncSteward(URL, http_client=httpx.AsyncClient(transport=transport), **options))


@pytest.fixture(autouse=True)
def delays(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The delays before retries, which tests do not wait for."""
    found: list[float] = []

    async def sleep(seconds: float) -> None:
        found.append(seconds)

    monkeypatch.setattr(client_module.time, "sleep", found.append)
    monkeypatch.setattr(client_module.anyio, "sleep", sleep)
    return found


def error(status: int, code: str, **headers: str) -> httpx.Response:
    return httpx.Response(status, json={"error": code, "message": "Wrong."}, headers=headers)


def project() -> httpx.Response:
    return httpx.Response(
        200, json={"data": {"id": "p", "added_later": [1]}}, headers={"ETag": '"1"', "X-Request-Id": "r"}
    )


def test_a_temporary_error_is_retried_with_the_same_key(delays: list[float]) -> None:
    both = Both(lambda request: project() if request.extensions["attempt"] == 3 else error(503, "unavailable"))
    assert both.run(lambda client: client.projects.create(name="Rocket", team_id="t"))["id"] == "p"
    keys = {request.headers["idempotency-key"] for request in both.requests}
    assert (len(both.requests), len(keys)) == (3, 1)
    assert len({request.content for request in both.requests}) == 1
    assert [0.125 <= delays[0] <= 0.25, 0.25 <= delays[1] <= 0.5] == [True, True]


def test_retries_are_bounded() -> None:
    both = Both(lambda request: error(503, "unavailable"))
    with pytest.raises(UnavailableError):
        both.run(lambda client: client.projects.get("p"))
    assert len(both.requests) == 5


def test_an_operation_without_a_key_is_sent_once() -> None:
    both = Both(lambda request: error(503, "unavailable"))
    with pytest.raises(UnavailableError):
        both.run(lambda client: client.auth.log_in(username="ann", password="x"))
    assert len(both.requests) == 1


def test_the_service_sets_the_minimum_delay(delays: list[float]) -> None:
    def handle(request: httpx.Request) -> httpx.Response:
        return (
            error(429, "too_many_requests", **{"Retry-After": "3"}) if request.extensions["attempt"] == 1 else project()
        )

    Both(handle).run(lambda client: client.projects.get("p"))
    assert all(3 < delay <= 3.25 for delay in delays) and len(delays) == 2


def test_a_long_delay_is_an_error() -> None:
    both = Both(lambda request: error(429, "too_many_requests", **{"Retry-After": "3600"}))
    with pytest.raises(RateLimitedError) as caught:
        both.run(lambda client: client.projects.get("p"))
    assert (len(both.requests), caught.value.retry_after) == (1, 3600)


def test_the_delay_grows_and_has_a_maximum() -> None:
    for retry, longest in [(0, 0.25), (1, 0.5), (2, 1.0), (5, 8.0), (1_000, 8.0)]:
        assert longest / 2 <= _retry.backoff(retry) <= longest


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (400, "invalid_request", InvalidRequestError),
        (401, "unauthorized", UnauthorizedError),
        (404, "not_found", NotFoundError),
        (409, "conflict", ConflictError),
        (500, "internal_error", StewardError),
    ],
)
def test_other_errors_are_not_retried(status: int, code: str, kind: type[StewardError]) -> None:
    both = Both(lambda request: error(status, code))
    with pytest.raises(kind) as caught:
        both.run(lambda client: client.projects.get("p"))
    assert (len(both.requests), caught.value.code, caught.value.status) == (1, code, status)


def test_a_request_in_progress_is_retried() -> None:
    both = Both(lambda r: project() if r.extensions["attempt"] == 2 else error(409, "idempotency_in_progress"))
    both.run(lambda client: client.projects.create(name="Rocket", team_id="t"))
    assert len(both.requests) == 2


def test_a_lost_connection_is_retried() -> None:
    def handle(request: httpx.Request) -> httpx.Response:
        if request.extensions["attempt"] == 1:
            raise httpx.ReadError("lost")
        return project()

    both = Both(handle)
    both.run(lambda client: client.projects.delete("p"))
    assert len(both.requests) == 2


def test_a_rejected_token_is_replaced_once() -> None:
    def handle(request: httpx.Request) -> httpx.Response:
        return project() if request.headers["authorization"] == "Bearer new" else error(401, "unauthorized")

    both = Both(handle, token=lambda rejected: "new" if rejected == "old" else "old")
    both.run(lambda client: client.projects.get("p"))
    assert len(both.requests) == 2
    both = Both(lambda request: error(401, "unauthorized"), token=lambda rejected: f"{rejected}x")
    with pytest.raises(UnauthorizedError):
        both.run(lambda client: client.projects.get("p"))
    assert len(both.requests) == 2


def test_a_token_is_kept_if_the_person_has_to_enter_the_password_again() -> None:
    rejected: list[str | None] = []

    def token(value: str | None) -> str:
        rejected.append(value)
        return f"token {len(rejected)}"

    both = Both(lambda request: error(401, "insufficient_user_authentication"), token=token)
    with pytest.raises(UnauthorizedError) as caught:
        both.run(lambda client: client.projects.delete("p"))
    assert (caught.value.code, rejected) == ("insufficient_user_authentication", [None, None])


def test_an_error_has_everything_that_the_service_reports() -> None:
    errors = [
        {"field": "name", "code": "missing_field", "message": "is required"},
        {"instancePath": "/a", "message": "bad"},
    ]
    body = {"error": "quota_exceeded", "message": "Too many.", "errors": errors, "quota": "keys"}
    both = Both(lambda request: httpx.Response(400, json=body, headers={"X-Request-Id": "r1"}))
    with pytest.raises(InvalidRequestError) as caught:
        both.run(lambda client: client.projects.get("p"))
    found = caught.value
    assert (found.request_id, found.details) == ("r1", {"quota": "keys"})
    assert [(each.field, each.code) for each in found.violations] == [("name", "missing_field"), ("/a", None)]
    assert str(found) == "Too many. name: is required /a: bad (quota_exceeded)"


@pytest.mark.parametrize("body", [b"", b"[]", b"null", b"<html>", b"\xff"])
def test_a_response_that_is_not_of_the_service_is_an_error(body: bytes) -> None:
    with pytest.raises(UnavailableError) as caught:
        Both(lambda request: httpx.Response(502, content=body), max_retries=0).run(
            lambda client: client.projects.get("p")
        )
    assert caught.value.code == "invalid_response"
    with pytest.raises(InvalidResponseError):
        Both(lambda request: httpx.Response(200, content=body)).run(lambda client: client.projects.get("p"))


def test_a_redirect_is_not_followed() -> None:
    both = Both(lambda request: httpx.Response(302, headers={"Location": "https://elsewhere.example.com"}))
    assert both.run(lambda client: client.auth.authorize(client_id="p")) == "https://elsewhere.example.com"
    assert len(both.requests) == 1


@pytest.mark.parametrize("value", ["", ".", ".."])
def test_an_id_that_names_another_resource_is_refused(value: str) -> None:
    with pytest.raises(InvalidRequestError):
        Both(lambda request: project()).run(lambda client: client.projects.get(value))


def test_ids_are_encoded() -> None:
    both = Both(lambda request: project())
    both.run(lambda client: client.own_items("did:web:a%3A1:projects:b", "notes").get("a/../b?c#d"))
    assert both.requests[0].url.raw_path == b"/account/did%3Aweb%3Aa%253A1%3Aprojects%3Ab/db/notes/a%2F..%2Fb%3Fc%23d"


def test_omitted_members_are_not_sent_and_none_is_null() -> None:
    both = Both(lambda request: project())
    both.run(lambda client: client.projects.update("p", name="Moon", website=None))
    assert json.loads(both.requests[0].content) == {"name": "Moon", "website": None}


@pytest.mark.parametrize(
    "url", ["http://steward.example.com", "localhost:3003", "ftp://a", "https://", "https://u:p@a", "https://a?b"]
)
def test_a_url_over_which_others_can_read_tokens_is_refused(url: str) -> None:
    with pytest.raises(InvalidRequestError):
        Steward(url)


@pytest.mark.parametrize("token", ["a\nb", "\u20ac", "", " secret"])
def test_an_invalid_token_is_not_in_the_error(token: str) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        Both(lambda request: project(), token=token).run(lambda client: client.projects.get("p"))
    assert "must be printable ASCII" in str(caught.value) and (not token or token not in str(caught.value))


def test_a_slow_response_ends_after_the_time_limit() -> None:
    class Slow(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            await asyncio.sleep(60)
            return project()

    async def run() -> None:
        client = AsyncSteward(URL, timeout=0.05, max_retries=0, http_client=httpx.AsyncClient(transport=Slow()))
        await client.projects.get("p")

    with pytest.raises(TransportError) as caught:
        asyncio.run(run())
    assert caught.value.code == "timeout"


def test_a_response_that_is_too_large_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "MAX_BODY_BYTES", 10)
    with pytest.raises(InvalidResponseError):
        Both(lambda request: project()).run(lambda client: client.projects.get("p"))


def test_options_apply_to_one_client() -> None:
    both = Both(lambda request: error(503, "unavailable"))
    with pytest.raises(UnavailableError):
        both.run(lambda client: client.with_options(max_retries=1, request_id="mine").projects.get("p"))
    assert [request.headers["x-request-id"] for request in both.requests] == ["mine", "mine"]


def fail_in_another_process() -> None:
    transport = httpx.MockTransport(lambda request: httpx.Response(404, json={"error": "not_found", "message": "No."}))
    Steward(URL, http_client=httpx.Client(transport=transport)).projects.get("p")


def test_an_error_of_another_process_arrives() -> None:
    with ProcessPoolExecutor(1) as pool, pytest.raises(NotFoundError) as caught:
        pool.submit(fail_in_another_process).result(60)
    assert (caught.value.code, caught.value.status, str(caught.value)) == ("not_found", 404, "No. (not_found)")


def test_each_error_can_be_pickled() -> None:
    kinds = [StewardError]
    for kind in kinds:
        kinds += kind.__subclasses__()
    assert len(kinds) > 12
    for kind in kinds:
        error = kind.__new__(kind, "Wrong.")
        StewardError.__init__(error, "Wrong.", code="c", status=400, violations=(Violation("m"),), details={"a": [1]})
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            found = pickle.loads(pickle.dumps(error, protocol))
            assert (type(found), found.args, vars(found)) == (kind, error.args, vars(error))


def test_a_resource_can_be_pickled() -> None:
    found = pickle.loads(pickle.dumps(Both(lambda request: project()).run(lambda client: client.projects.get("p"))))
    assert (found["id"], etag_of(found)) == ("p", '"1"')


def test_a_token_source_of_the_other_client_is_named() -> None:
    async def asynchronous(rejected: str | None) -> str:
        return "token"

    wrong: Any = asynchronous
    with warnings.catch_warnings(), pytest.raises(InvalidRequestError, match="asynchronous.*AsyncSteward"):
        warnings.simplefilter("error")
        Steward(URL, wrong).projects.get("p")
    other: Any = lambda rejected: "token"
    with pytest.raises(InvalidRequestError, match="not asynchronous.*async function"):
        asyncio.run(AsyncSteward(URL, other).projects.get("p"))
    with pytest.raises(InvalidRequestError, match="must return a token or None, not bytes"):
        Both(lambda request: project(), token=lambda rejected: b"secret").run(lambda client: client.projects.get("p"))


def test_a_closed_client_is_named() -> None:
    with Steward(URL) as client:
        pass
    with pytest.raises(InvalidRequestError, match="This client is closed"):
        client.projects.get("p")

    async def main() -> None:
        async with AsyncSteward(URL) as client:
            pass
        await client.projects.get("p")

    with pytest.raises(InvalidRequestError, match="This client is closed"):
        asyncio.run(main())


def test_another_event_loop_is_named() -> None:
    http = httpx.AsyncClient(transport=httpx.MockTransport(lambda request: project()))
    client = AsyncSteward(URL, http_client=http)
    asyncio.run(client.with_token("t").projects.get("p"))  # type: ignore[arg-type]
    with pytest.raises(InvalidRequestError, match="another event loop"):
        asyncio.run(client.projects.get("p"))  # type: ignore[arg-type]


def test_the_reason_of_a_lost_connection_is_in_the_message() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://localhost:{unused.getsockname()[1]}"
        with pytest.raises(TransportError, match=rf"^Cannot reach {url}: .*Connection refused\. "):
            try:
                raise OSError("Something else.")
            except OSError:
                Steward(url, max_retries=0).projects.get("p")

        async def main() -> None:
            await AsyncSteward(url, max_retries=0).projects.get("p")

        # The reason is behind those of each address of the host.
        with pytest.raises(TransportError, match=rf"^Cannot reach {url}: \[Errno "):
            asyncio.run(main())
