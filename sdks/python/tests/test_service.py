"""Every operation of the document, called with both clients against the service, with the token of its developer or of a
person."""

from __future__ import annotations

import base64
import hashlib
import inspect
import re
import threading
import time
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Iterator

import httpx
import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from service import CALLBACK, SCHEMA, Service, png, unique

from steward_sdk import (
    AsyncSteward,
    NotFoundError,
    NotModifiedError,
    PreconditionFailedError,
    Steward,
    UnauthorizedError,
    etag_of,
    metadata_of,
)
from steward_sdk._generated.operations import OPERATIONS
from steward_sdk.sign_in import SignIn

ROWS = [
    (each.id, each.method, re.compile(re.sub(r"\{\w+\}", "[^/]+", each.path.replace(".", r"\."))))
    for each in OPERATIONS
]


class Calls:
    """Records the operation of each successful response."""

    def __init__(self) -> None:
        self.operations: set[str] = set()

    def record(self, response: httpx.Response) -> None:
        if response.status_code < 400:
            path = response.request.url.raw_path.decode().split("?")[0]
            found = [row for row in ROWS if row[1] == response.request.method and row[2].fullmatch(path)]
            # A fixed path such as /team/slug takes precedence over /team/{team_id}.
            self.operations.add(min(found, key=lambda row: row[2].pattern.count("[^/]"))[0])

    async def record_async(self, response: httpx.Response) -> None:
        self.record(response)


class Blocking:
    """An asynchronous client, with the shape of the synchronous one."""

    def __init__(self, portal: BlockingPortal, target: Any) -> None:
        self._portal, self._target = portal, target

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._target, name)
        return (
            Blocking(self._portal, found)
            if type(found).__module__.startswith("steward_sdk") or callable(found)
            else found
        )

    def __call__(self, *positional: Any, **named: Any) -> Any:
        def call() -> Any:
            return self._target(*positional, **named)

        if inspect.iscoroutinefunction(self._target):
            return self._portal.call(lambda: self._target(*positional, **named))
        result = call()
        return Blocking(self._portal, result) if type(result).__module__.startswith("steward_sdk") else result


class World:
    """The clients of a scenario, and the resources that it uses."""

    def __init__(self, service: Service, portal: BlockingPortal | None) -> None:
        self.service, self.portal, self.calls = service, portal, Calls()
        self.admin = self.client(service.token)
        self.anonymous = self.client(None)
        self.team_id, self.project_id = service.create_project()
        self.ann, self.guest = service.sign_up("ann"), service.sign_up("guest")
        sign_in = SignIn(Steward(service.url), self.project_id, CALLBACK)
        started = sign_in.start()
        tokens = sign_in.complete(service.allow(started.url, self.ann), started.pending)
        self.token = tokens.access_token
        self.user_id: str = service.developer().users.list(self.project_id).first(1)[0]["id"]

    def client(self, token: str | None) -> Any:
        if self.portal is None:
            http = httpx.Client(trust_env=False, event_hooks={"response": [self.calls.record]})
            return Steward(self.service.url, token, http_client=http)

        async def create() -> AsyncSteward:
            http = httpx.AsyncClient(trust_env=False, event_hooks={"response": [self.calls.record_async]})
            return AsyncSteward(self.service.url, token, http_client=http)

        return Blocking(self.portal, self.portal.call(create))


@pytest.fixture(scope="module", params=["sync", "async"])
def world(request: pytest.FixtureRequest, service: Service) -> Iterator[World]:
    if request.param == "sync":
        yield World(service, None)
    else:
        with start_blocking_portal() as portal:
            yield World(service, portal)


def test_accounts_and_tokens(world: World) -> None:
    username = unique("new")
    password = world.service.password
    account = world.anonymous.auth.sign_up(email=f"{username}@example.com", username=username, password=password)
    assert account["username"] == username
    tokens = world.anonymous.auth.log_in(username=username, password=password)
    refreshed = world.anonymous.auth.exchange_token(grant_type="refresh_token", refresh_token=tokens["refresh_token"])
    own = world.client(refreshed["access_token"])
    assert own.account.user_info()["preferred_username"] == username
    assert own.account.user_info_of()["sub"] == own.account.user_info()["sub"]
    assert own.account.credential()["type"] == "account"
    assert own.sessions.current()["active"] is True

    expires_at = (datetime.now(timezone.utc) + timedelta(days=1)).isoformat().replace("+00:00", "Z")
    personal = own.tokens.create(label="Script", roles="team:read", expires_at=expires_at)
    assert personal["value"].startswith("stw_pat_")
    assert len(own.tokens.list().all()) == 1
    assert own.tokens.introspect(token=refreshed["access_token"])["active"] is True
    own.tokens.revoke(personal["id"])
    with pytest.raises(UnauthorizedError):
        world.client(personal["value"]).teams.list().all()
    own.auth.revoke_token(token=refreshed["refresh_token"])
    with pytest.raises(UnauthorizedError):
        own.sessions.current()


def test_teams_members_and_invites(world: World) -> None:
    admin, team_id = world.admin, world.team_id
    team = admin.teams.get(team_id)
    renamed = admin.teams.update(team_id, name="Acme Inc.", if_match=etag_of(team))
    assert renamed["name"] == "Acme Inc."
    with pytest.raises(PreconditionFailedError):
        admin.teams.update(team_id, name="Lost", if_match=etag_of(team))
    with pytest.raises(NotModifiedError):
        admin.teams.get(team_id, if_none_match=etag_of(admin.teams.get(team_id)))
    assert team_id in [each["id"] for each in admin.teams.list(page_size=1).all()]
    assert admin.teams.check_slug(slug=team["slug"])["available"] is False

    invite = admin.invites.create(team_id, username=world.guest, roles="viewer")
    assert len(admin.invites.list(team_id).all()) == 1
    other = world.client(world.service.access_token(world.guest))
    assert other.own_invites.list().first(1)[0]["id"] == invite["id"]
    other.own_invites.accept(invite_id=invite["id"])
    member = next(each for each in admin.members.list(team_id).all() if each["roles"] == "viewer")
    admin.members.update(team_id, member["account_id"], roles="developer")
    admin.members.remove(team_id, member["account_id"])
    second = admin.invites.create(team_id, username=world.guest, roles="viewer")
    other.own_invites.decline(invite_id=second["id"])
    third = admin.invites.create(team_id, username=world.guest, roles="viewer")
    admin.invites.delete(team_id, third["id"])
    key = unique("key")
    slug = unique("spare")
    spare = admin.teams.create(name="Spare", slug=slug, idempotency_key=key)
    assert admin.teams.create(name="Spare", slug=slug, idempotency_key=key)["id"] == spare["id"]
    admin.teams.delete(spare["id"])


def test_projects_settings_and_images(world: World) -> None:
    admin, project_id = world.admin, world.project_id
    assert project_id in [each["id"] for each in admin.projects.list().all()]
    project = admin.projects.get(project_id)
    assert metadata_of(project).status == 200 and metadata_of(project).request_id
    assert admin.with_options(request_id="from-test").projects.get(project_id)["id"] == project_id
    assert admin.projects.check_slug(slug=project["slug"])["available"] is False
    assert admin.projects.update(project_id, name="Rocket 2", website=None)["name"] == "Rocket 2"
    assert world.anonymous.projects.profile(project_id)["name"] == "Rocket 2"
    assert len(admin.projects.request_stats(project_id, days=2)["series"]) == 2
    requests = admin.projects.requests(project_id, limit=5)
    assert requests["data"] and requests["next"] and requests["truncated"] is False
    uris = ["http://127.0.0.1/callback", "https://app.example.com/callback"]
    assert admin.settings.update(project_id, {"auth": {"redirect_uris": uris}})["auth"]["redirect_uris"] == uris
    assert admin.settings.get(project_id)["auth"]["redirect_uris"] == uris
    admin.settings.reset(project_id, key=["auth.redirect_uris", "auth.tos_uri"])

    admin.images.upload_icon(project_id, file=png(32))
    admin.images.upload_background(project_id, file=png(32))
    assert admin.images.list(project_id)
    url = world.anonymous.projects.profile(project_id)["profile"]["icon_url"]
    image_id, name = url.split("/")[-2:]
    assert len(world.anonymous.images.get(image_id, name)) > 50
    admin.images.delete_icon(project_id)
    admin.images.delete_background(project_id)
    admin.projects.delete(admin.projects.create(name="Spare", team_id=world.team_id)["id"])


def test_keys_clients_and_identity_providers(world: World) -> None:
    admin, project_id, anonymous = world.admin, world.project_id, world.anonymous
    key = admin.keys.create(project_id, label="Server", roles="admin")["key"]
    assert key["value"].startswith("stw_sk_")
    assert admin.keys.get(project_id, key["id"])["key"]["label"] == "Server"
    assert len(admin.keys.list(project_id).all()) == 1
    assert admin.keys.verify(project_id, key=key["value"])["is_valid"] is True
    admin.keys.update(project_id, key["id"], label="Server 2")
    rotated = admin.keys.rotate(project_id, key["id"], grace_seconds=0)["key"]
    assert rotated["value"] != key["value"]
    admin.keys.revoke_previous_values(project_id, key["id"])
    server = world.client(rotated["value"])
    app = {
        "client_name": "App",
        "redirect_uris": ["https://app.example.com/callback"],
        "token_endpoint_auth_method": "none",
    }
    assert server.auth.register_client(**app)["client_id"]
    admin.keys.delete(project_id, key["id"])

    grants = ["authorization_code", "urn:ietf:params:oauth:grant-type:device_code", "client_credentials"]
    client = admin.oauth_clients.create(
        project_id, name="TV", type="confidential", grant_types=grants, redirect_uris=[CALLBACK], roles="read"
    )
    assert len(admin.oauth_clients.list(project_id)) == 2
    assert admin.oauth_clients.get(project_id, client["id"])["name"] == "TV"
    assert admin.oauth_clients.update(project_id, client["id"], name="TV 2")["name"] == "TV 2"
    assert admin.oauth_clients.upload_logo(project_id, client["id"], file=png(32))["id"] == client["id"]
    admin.oauth_clients.delete_logo(project_id, client["id"])
    secret = admin.oauth_clients.rotate_secret(project_id, client["id"])["client_secret"]
    named = {"client_id": client["id"], "client_secret": secret}
    assert re.fullmatch("[A-Z]{4}-[A-Z]{4}", anonymous.auth.authorize_device(**named)["user_code"])
    pushed = anonymous.auth.push_authorization_request(**named, redirect_uri=CALLBACK, response_type="code", state="s")
    assert pushed["request_uri"].startswith("urn:")
    machine = anonymous.auth.exchange_token(grant_type="client_credentials", **named)
    assert world.client(machine["access_token"]).projects.get(project_id)["id"] == project_id
    admin.oauth_clients.delete(project_id, client["id"])

    challenge = base64.urlsafe_b64encode(hashlib.sha256(b"v").digest()).rstrip(b"=").decode()
    request = {
        "client_id": project_id,
        "redirect_uri": CALLBACK,
        "response_type": "code",
        "scope": "openid",
        "state": "s",
    }
    request |= {"code_challenge": challenge, "code_challenge_method": "S256"}
    assert "/auth/sign-in" in anonymous.auth.authorize(**request)
    assert "/auth/sign-in" in anonymous.auth.authorize_by_form(**request)

    provider = admin.identity_providers.create(project_id, kind="github", client_id="id", client_secret="secret")
    assert len(admin.identity_providers.list(project_id)) == 1
    assert admin.identity_providers.get(project_id, provider["id"])["kind"] == "github"
    assert admin.identity_providers.update(project_id, provider["id"], is_enabled=False)["is_enabled"] is False
    admin.identity_providers.delete(project_id, provider["id"])


def test_schemas(world: World) -> None:
    admin, project_id, anonymous = world.admin, world.project_id, world.anonymous
    assert [each["schema"]["version"] for each in admin.schemas.list(project_id).all()] == [1]
    assert len(anonymous.schemas.get(project_id)["data"]) == 1
    schema = {"tables": {**SCHEMA["tables"], "spare": {"fields": {}}}}
    assert admin.schemas.publish(project_id, schema=schema, dry_run=True)["diff"]["class"] == "compatible"
    admin.schemas.publish(project_id, schema=schema)
    admin.schemas.patch(project_id, schema={"tables": {"spare": {"fields": {"a": {"type": "string"}}}}})
    admin.schemas.roll_back(project_id, version=1, allow_destructive=True)
    assert [each["schema"]["version"] for each in admin.schemas.list(project_id, page_size=2).all()] == [4, 3, 2, 1]
    following = {"project_id": project_id, "version": 5, "tables": SCHEMA["tables"]}
    assert anonymous.schemas.check_update(schema=following)["valid"] is True
    assert anonymous.schemas.compare(schema=following)
    assert anonymous.schemas.json_schema()["properties"]


def test_users_and_their_items(world: World) -> None:
    admin, project_id, user_id = world.admin, world.project_id, world.user_id
    assert world.anonymous.users.connect(project_id, token=world.token)
    assert admin.users.get(project_id, user_id)["id"] == user_id
    assert admin.users.update(project_id, user_id, meta={"plan": "pro"})["meta"]["plan"] == "pro"
    assert admin.users.stats(project_id, days=3)["total"] >= 1
    assert len(admin.users.sessions(project_id, user_id)) == 1
    assert [each["id"] for each in admin.users.list(project_id, status="connected").all()] == [user_id]

    items = admin.items(project_id, user_id, "notes")
    note = items.create({"title": "Buy milk", "rank": 1})
    assert items.get(note["id"])["title"] == "Buy milk"
    assert metadata_of(items.put("a.b~c", {"title": "x"})).status == 201
    with pytest.raises(PreconditionFailedError):
        items.put("a.b~c", {"title": "x"}, if_none_match="*")
    items.patch("a.b~c", {"rank": 2})
    items.batch(operations=[{"op": "put", "id": "b", "value": {"title": "y", "rank": 3}}])
    conditions = {"rank": ["gte.2", "lt.3"], "title": "not.is.null"}
    assert [each["id"] for each in items.list(conditions=conditions, order="rank.desc").all()] == ["a.b~c"]
    assert len(items.list(page_size=1).all()) == 3
    page = items.list(page_size=2).page()
    assert (len(page.data), len(items.list(page_size=2, cursor=page.next_cursor).all())) == (2, 1)
    assert items.delete("b")["title"] == "y"
    with pytest.raises(NotFoundError):
        items.get("b")

    own = world.client(world.token)
    mine = own.own_items(project_id, "notes")
    mine.create({"title": "own"})
    mine.put("own", {"title": "own"})
    mine.patch("own", {"done": True})
    assert mine.get("own")["done"] is True
    mine.batch(operations=[{"op": "patch", "id": "own", "value": {"rank": 9}}])
    assert len(mine.list(page_size=2).all()) == 4
    mine.delete("own")
    assert own.apps.get(project_id)["user_id"] == user_id
    assert len(own.apps.export(project_id)["items"]["notes"]) == 3
    assert admin.users.export(project_id, user_id)["user"]["id"] == user_id
    assert admin.sync_rejections.list(project_id).all() == []
    tables = admin.tables.list(project_id)
    assert tables["complete"] and {each["table"]: each["items"] for each in tables["data"]}["notes"] == 3
    listed = admin.tables.items(project_id, "notes", page_size=2).all()
    assert [each["user_id"] for each in listed] == [user_id] * 3
    assert admin.tables.items(project_id, "notes", conforms=False).all() == []
    own.apps.leave(project_id)
    admin.users.sign_out(project_id, user_id)
    admin.users.delete(project_id, user_id)


def test_audit_logs_and_events(world: World) -> None:
    admin = world.admin
    assert len(admin.team_audit_log.list(world.team_id, action="team.created").all()) == 1
    assert len(admin.project_audit_log.list(world.project_id, item_changes="exclude").first(3)) == 3
    assert len(admin.team_audit_log.events(world.team_id, after=0, limit=2)["data"]) == 2
    assert admin.project_audit_log.events(world.project_id, limit=1)["next"] > 0


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.parametrize("place", ["team", "project"])
def test_webhooks_and_their_deliveries(world: World, place: str) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    webhooks = getattr(world.admin, f"{place}_webhooks")
    owner = world.team_id if place == "team" else world.project_id
    try:
        webhook = webhooks.create(owner, url=f"http://127.0.0.1:{server.server_port}/", events=["*"])
        assert webhook["secret"].startswith("whsec_")
        assert len(webhooks.list(owner).all()) == 1
        assert webhooks.get(owner, webhook["id"])["status"] == "active"
        assert webhooks.update(owner, webhook["id"], ordering="none")["ordering"] == "none"
        webhooks.test(owner, webhook["id"])
        world.admin.projects.update(world.project_id, name=unique("Rocket"))
        end = time.monotonic() + 30
        delivered = None
        while delivered is None:
            assert time.monotonic() < end, "The event was not delivered."
            deliveries = webhooks.deliveries(owner, webhook["id"]).all()
            delivered = next((each for each in deliveries if each["event"] == "project.updated"), None)
            time.sleep(0.05)
        details = webhooks.delivery(owner, webhook["id"], delivered["id"])
        assert details["payload"]["type"] == "project.updated" and details["next_attempt_at"] is None
        webhooks.redeliver(owner, webhook["id"], delivered["id"])
        webhooks.rotate_secret(owner, webhook["id"])
        webhooks.delete(owner, webhook["id"])
    finally:
        server.shutdown()
        server.server_close()


def test_the_service_itself(world: World, document: dict[str, Any]) -> None:
    service = world.anonymous.service
    assert service.get_root()["root"] is True
    metadata = service.get_openid_metadata()
    assert service.get_oauth_metadata() == metadata == service.get_auth_metadata()
    assert service.get_key_set()["keys"]
    assert service.get_user_info_moved().endswith("/auth/userinfo")
    assert "<html" in service.get_docs()
    assert service.get_openapi()["openapi"] == document["openapi"]
    assert service.get_liveness()["status"] == service.get_readiness()["status"] == "pass"
    assert world.anonymous.auth.get_auth_status()["status"] and service.get_utils_status()["status"]
    assert service.slugify(text="Rock & Roll")["slug"] == "rock-roll"
    code = world.project_id.replace("-", "")
    assert service.get_project_did(code)["id"].endswith(f":projects:{code}")
    assert service.get_client_metadata(world.project_id)["client_id"]
    account = world.admin.account.user_info()["sub"].replace("-", "")
    assert ":u:" in service.get_account_did(account)["id"]
    assert world.admin.request("GET", f"/team/{world.team_id}")["data"]["id"] == world.team_id


def test_all_operations_were_called(world: World) -> None:
    assert {each.id for each in OPERATIONS} - world.calls.operations == set()
