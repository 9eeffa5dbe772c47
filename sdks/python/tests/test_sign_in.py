"""Sign-in of people, and the refresh of their tokens."""

from __future__ import annotations

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Iterator
from urllib.parse import parse_qs, urlsplit

import anyio
import anyio.lowlevel
import httpx
import pytest
from service import CALLBACK, Service

from steward_sdk import AsyncSteward, InvalidRequestError, SignInError, Steward, UnauthorizedError, _sign_in_flow
from steward_sdk._exchange import Attempt
from steward_sdk.sign_in import AsyncSignIn, SignIn, Tokens


class Recorder:
    """Counts the requests for tokens."""

    def __init__(self) -> None:
        self.refreshes = 0
        self._lock = threading.Lock()

    def record(self, request: httpx.Request) -> bool:
        if request.url.path == "/auth/token" and b"refresh_token" in request.content:
            with self._lock:
                self.refreshes += 1
            return True
        return False

    def record_slowly(self, request: httpx.Request) -> None:
        if self.record(request):
            # Long enough for all others to need the tokens, too.
            time.sleep(0.5)

    async def record_async(self, request: httpx.Request) -> None:
        if self.record(request):
            await anyio.sleep(0.5)

    def client(self, service: Service, token: Any = None) -> Steward:
        http = httpx.Client(trust_env=False, event_hooks={"request": [self.record_slowly]})
        return Steward(service.url, token, http_client=http)

    def async_client(self, service: Service, token: Any = None) -> AsyncSteward:
        http = httpx.AsyncClient(trust_env=False, event_hooks={"request": [self.record_async]})
        return AsyncSteward(service.url, token, http_client=http)


@pytest.fixture(scope="module")
def people(service: Service) -> tuple[str, str]:
    """The ID of a project, and the username of a person."""
    return service.create_project()[1], service.sign_up("ann")


@pytest.fixture
def tokens(service: Service, people: tuple[str, str]) -> Tokens:
    sign_in = SignIn(Steward(service.url), people[0], CALLBACK)
    started = sign_in.start()
    return sign_in.complete(service.allow(started.url, people[1]), started.pending)


def expired(tokens: Tokens) -> Tokens:
    return Tokens(**{**tokens.to_dict(), "received_at": time.time() - 10_000})


def test_a_person_signs_in_uses_their_items_and_signs_out(service: Service, people: tuple[str, str]) -> None:
    project_id, username = people
    sign_in = SignIn(Steward(service.url), project_id, CALLBACK)
    started = sign_in.start(login_hint=username, ui_locales="de")
    pending = json.loads(json.dumps(started.pending))
    assert pending["code_verifier"] not in started.url
    callback = service.allow(started.url, username)
    tokens = sign_in.complete(callback, pending)
    assert tokens.claims["preferred_username"] == username
    assert Tokens.from_dict(json.loads(json.dumps(tokens.to_dict()))) == tokens
    assert tokens.access_token not in repr(tokens)

    session = sign_in.session(tokens)
    client = Steward(service.url, session.token)
    note = client.own_items(project_id, "notes").create({"title": "Buy milk"})
    assert client.own_items(project_id, "notes").get(note["id"])["title"] == "Buy milk"
    with pytest.raises(SignInError):
        sign_in.complete(callback, pending)

    other = sign_in.start()
    tokens = sign_in.complete(service.allow(other.url, username), other.pending)
    sign_in.sign_out(tokens)
    with pytest.raises(SignInError) as caught:
        sign_in.refresh(tokens)
    assert caught.value.code == "signed_out"
    parameters = parse_qs(urlsplit(sign_in.sign_out_url(tokens, "http://127.0.0.1/")).query)
    assert parameters["id_token_hint"] == [tokens.id_token]


def test_the_asynchronous_flow_is_the_same(service: Service, people: tuple[str, str]) -> None:
    project_id, username = people

    async def run() -> None:
        async with AsyncSteward(service.url) as client:
            sign_in = AsyncSignIn(client, project_id, CALLBACK)
            started = sign_in.start()
            callback = await anyio.to_thread.run_sync(service.allow, started.url, username)
            tokens = await sign_in.complete(dict(httpx.URL(callback).params), started.pending)
            saved: list[Tokens] = []
            session = sign_in.session(expired(tokens), saved.append)
            async with AsyncSteward(service.url, session.token) as own:
                assert (await own.apps.get(project_id))["user_id"]
            assert saved == [session.tokens] and saved[0].access_token != tokens.access_token
            await sign_in.sign_out(session.tokens)
            with pytest.raises(SignInError):
                await sign_in.refresh(session.tokens)

    anyio.run(run)


def test_tokens_that_were_not_saved_are_saved_with_the_next_request(caplog: pytest.LogCaptureFixture) -> None:
    old = Tokens("old", "r", None, "", received_at=0, expires_in=60)
    new = Tokens("new", "r", None, "", received_at=time.time(), expires_in=60)
    saved: list[Tokens] = []

    def save(tokens: Tokens) -> None:
        saved.append(tokens)
        if len(saved) == 1:
            raise KeyError("session")

    sign_in = SignIn(Steward("http://localhost"), "p", CALLBACK)
    sign_in.refresh = lambda tokens: new  # type: ignore[method-assign]
    session = sign_in.session(old, save)
    assert [session.token(), session.token(), session.token()] == ["new"] * 3
    assert (saved, len(caplog.records)) == ([new, new], 1)

    async def run() -> None:
        sign_in = AsyncSignIn(AsyncSteward("http://localhost"), "p", CALLBACK)

        async def refresh(tokens: Tokens) -> Tokens:
            return new

        sign_in.refresh = refresh  # type: ignore[method-assign]
        session = sign_in.session(old, save)
        assert [await session.token(), await session.token(), await session.token()] == ["new"] * 3

    saved.clear()
    anyio.run(run)
    assert (saved, len(caplog.records)) == ([new, new], 2)


def test_a_confidential_client_signs_people_in(service: Service, people: tuple[str, str]) -> None:
    project_id, username = people
    grants = ["authorization_code", "refresh_token"]
    scope = "openid profile app:db:read"
    client = service.developer().oauth_clients.create(
        project_id, name="App", type="confidential", grant_types=grants, redirect_uris=[CALLBACK], scope=scope
    )
    secret = client["client_secret"]
    sign_in = SignIn(Steward(service.url), client["id"], CALLBACK, client_secret=secret, scope=scope)
    started = sign_in.start()
    tokens = sign_in.complete(service.allow(started.url, username), started.pending)
    sign_in.sign_out(sign_in.refresh(tokens))
    wrong = SignIn(Steward(service.url), client["id"], CALLBACK, client_secret="wrong")
    started = wrong.start()
    with pytest.raises(InvalidRequestError) as caught:
        wrong.complete(service.allow(started.url, username), started.pending)
    assert caught.value.code == "invalid_client"


@pytest.mark.parametrize(
    ("callback", "code"),
    [
        ({"code": "c", "state": "other"}, "sign_in_failed"),
        ({"code": "c"}, "sign_in_failed"),
        ({"state": "$state"}, "sign_in_failed"),
        ({"state": "$state", "code": "c", "iss": "https://evil.example.com"}, "sign_in_failed"),
        ({"state": "$state", "error": "access_denied", "error_description": "No."}, "access_denied"),
        ({"state": "\udcff", "code": "c"}, "sign_in_failed"),
    ],
)
def test_a_forged_return_is_refused(callback: dict[str, str], code: str) -> None:
    sign_in = SignIn(Steward("https://steward.example.com"), "p", CALLBACK)
    started = sign_in.start()
    sent = {name: started.pending["state"] if value == "$state" else value for name, value in callback.items()}
    with pytest.raises(SignInError) as caught:
        sign_in.complete(sent, started.pending)
    assert caught.value.code == code
    with pytest.raises(SignInError):
        sign_in.complete({"code": "c", "state": started.pending["state"]}, None)
    late = {**started.pending, "started_at": time.time() - 4_000}
    with pytest.raises(SignInError, match="too long"):
        sign_in.complete({"code": "c", "state": started.pending["state"]}, late)


def test_an_id_token_for_another_sign_in_is_refused(service: Service, people: tuple[str, str]) -> None:
    project_id, username = people
    sign_in = SignIn(Steward(service.url), project_id, CALLBACK)
    started = sign_in.start()
    callback = service.allow(started.url, username)
    with pytest.raises(SignInError, match="not for this sign-in"):
        sign_in.complete(callback, {**started.pending, "nonce": "other"})


@pytest.mark.parametrize("is_shared", [True, False])
def test_20_threads_refresh_once(service: Service, people: tuple[str, str], tokens: Tokens, is_shared: bool) -> None:
    """Also if each thread has loaded the tokens itself, such as for requests of one browser that arrive at once."""
    recorder = Recorder()
    sign_in = SignIn(recorder.client(service), people[0], CALLBACK)
    session = sign_in.session(expired(tokens))
    barrier = threading.Barrier(20)

    def request(_: int) -> str:
        own = session if is_shared else sign_in.session(expired(tokens))
        client = recorder.client(service, own.token)
        barrier.wait()
        return client.apps.get(people[0])["user_id"]

    with ThreadPoolExecutor(20) as pool:
        assert len(set(pool.map(request, range(20)))) == 1
    assert recorder.refreshes == 1


@pytest.mark.parametrize("is_shared", [True, False])
def test_20_tasks_refresh_once(service: Service, people: tuple[str, str], tokens: Tokens, is_shared: bool) -> None:
    recorder = Recorder()
    found: list[str] = []

    async def run() -> None:
        client = recorder.async_client(service)
        sign_in = AsyncSignIn(client, people[0], CALLBACK)
        session = sign_in.session(expired(tokens))

        async def request() -> None:
            own = session if is_shared else sign_in.session(expired(tokens))
            found.append((await recorder.async_client(service, own.token).apps.get(people[0]))["user_id"])

        async with anyio.create_task_group() as tasks:
            for _ in range(20):
                tasks.start_soon(request)

    anyio.run(run)
    assert (len(found), len(set(found)), recorder.refreshes) == (20, 1, 1)


def test_a_task_that_is_cancelled_does_not_stop_the_others(
    service: Service, people: tuple[str, str], tokens: Tokens
) -> None:
    recorder = Recorder()
    found: list[str] = []

    async def run() -> None:
        sign_in = AsyncSignIn(recorder.async_client(service), people[0], CALLBACK)

        async def refresh() -> None:
            found.append((await sign_in.refresh(tokens)).access_token)

        async with anyio.create_task_group() as others, anyio.create_task_group() as first:
            first.start_soon(refresh)
            await anyio.lowlevel.checkpoint()
            others.start_soon(refresh)
            others.start_soon(refresh)
            await anyio.lowlevel.checkpoint()
            first.cancel_scope.cancel()

    anyio.run(run)
    # The service returns the same pair to a repeated request.
    assert len(set(found)) == 1


@pytest.fixture(params=[-300, 300], ids=["behind", "ahead"])
def skewed(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The clock of this machine differs by 5 minutes from that of the service."""
    offset: int = request.param
    now = time.time
    monkeypatch.setattr(_sign_in_flow.time, "time", lambda: now() + offset)
    yield offset


def test_a_clock_that_differs_by_5_minutes_does_not_matter(
    service: Service, people: tuple[str, str], skewed: int
) -> None:
    project_id, username = people
    recorder = Recorder()
    sign_in = SignIn(recorder.client(service), project_id, CALLBACK)
    started = sign_in.start()
    tokens = sign_in.complete(service.allow(started.url, username), started.pending)
    assert not tokens.needs_refresh
    assert abs(tokens.received_at - time.time()) < 5
    session = sign_in.session(tokens)
    client = recorder.client(service, session.token)
    for _ in range(3):
        client.apps.get(project_id)
    assert recorder.refreshes == 0


def test_tokens_that_a_machine_with_another_clock_stored_are_replaced(
    service: Service, people: tuple[str, str], tokens: Tokens
) -> None:
    """If the clocks of two servers of the app differ, the service decides."""
    recorder = Recorder()
    sign_in = SignIn(recorder.client(service), people[0], CALLBACK)
    broken = Tokens(
        **{**tokens.to_dict(), "access_token": f"{tokens.access_token[:-4]}AAAA", "received_at": time.time() + 300}
    )
    assert not broken.needs_refresh
    session = sign_in.session(broken)
    assert recorder.client(service, session.token).apps.get(people[0])["user_id"]
    assert recorder.refreshes == 1


def test_the_person_has_to_sign_in_again_after_the_service_ended_the_sign_in(
    service: Service, people: tuple[str, str], tokens: Tokens
) -> None:
    sign_in = SignIn(Steward(service.url), people[0], CALLBACK)
    sign_in.sign_out(tokens)
    session = sign_in.session(tokens)
    with pytest.raises(SignInError) as caught:
        Steward(service.url, session.token).apps.get(people[0])
    assert caught.value.code == "signed_out"
    with pytest.raises(UnauthorizedError):
        Steward(service.url, tokens.access_token).apps.get(people[0])
    without = Tokens(**{**expired(tokens).to_dict(), "refresh_token": None})
    with pytest.raises(SignInError):
        sign_in.session(without).token()


def test_secrets_are_not_printed() -> None:
    sign_in = SignIn(Steward("https://steward.example.com"), "p", CALLBACK, client_secret="secret-1")
    started = sign_in.start()
    tokens = Tokens("secret-2", "secret-3", "secret-4", "openid", time.time(), 900)
    request = sign_in._refresh_request(tokens)
    assert b"secret-3" in (request.content or b"")
    printed = repr([started, tokens, request, sign_in, sign_in.session(tokens), Attempt(request, "secret-5")])
    assert "secret-" not in printed and started.pending["code_verifier"] not in printed


def test_tokens_are_replaced_before_they_expire() -> None:
    def received(seconds_ago: float, expires_in: float = 900) -> Tokens:
        return Tokens("a", "r", None, "openid", time.time() - seconds_ago, expires_in)

    assert [received(age).needs_refresh for age in (0, 830, 845, 901)] == [False, False, True, True]
    assert [received(age, 20).needs_refresh for age in (0, 14, 16)] == [False, False, True]
    assert received(-10_000).needs_refresh
