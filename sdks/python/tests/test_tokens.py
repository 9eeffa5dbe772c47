"""Verification of access tokens: those of the service, and forged ones."""

from __future__ import annotations

import base64
import json
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable

import anyio
import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from service import CALLBACK, Service

from steward_sdk import AsyncSteward, InvalidRequestError, Steward, TransportError, VerificationError, _key_set
from steward_sdk.sign_in import SignIn, Tokens
from steward_sdk.tokens import AsyncTokenVerifier, TokenVerifier

URL = "https://steward.example.com"
PROJECT = "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55"
DID = "did:web:steward.example.com:projects:018f2a3c7d1e7cc49b3a2f6d1c0e8a55"


class Issuer:
    """A service with a key of each algorithm."""

    def __init__(self) -> None:
        self.keys: dict[str, Any] = {
            "ES256": ec.generate_private_key(ec.SECP256R1()),
            "RS256": rsa.generate_private_key(65537, 2048),
            "EdDSA": ed25519.Ed25519PrivateKey.generate(),
        }
        self.issuer, self.requests, self.is_down = URL, 0, False
        self.client = Steward(URL, http_client=httpx.Client(transport=httpx.MockTransport(self.handle)), max_retries=0)

    def handle(self, request: httpx.Request) -> httpx.Response:
        self.requests += 1
        assert "authorization" not in request.headers
        if self.is_down:
            raise httpx.ConnectError("down")
        if not request.url.path.endswith("jwks.json"):
            return httpx.Response(200, json={"issuer": self.issuer, "jwks_uri": f"{URL}/auth/.well-known/jwks.json"})
        algorithms: dict[str, Any] = jwt.algorithms.get_default_algorithms()
        keys = [
            {**algorithms[name].to_jwk(key.public_key(), as_dict=True), "kid": name, "alg": name, "use": "sig"}
            for name, key in self.keys.items()
        ]
        return httpx.Response(200, json={"keys": keys})

    def issue(self, algorithm: str = "ES256", headers: dict[str, Any] | None = None, **claims: Any) -> str:
        now = int(time.time())
        valid = {
            "iss": URL,
            "sub": "ann",
            "aud": DID,
            "client_id": PROJECT,
            "scope": "openid app:db:write",
            "typ": "access",
        }
        all_claims = {**valid, "iat": now, "exp": now + 900, **claims}
        sent = {name: value for name, value in all_claims.items() if value is not None}
        return jwt.encode(sent, self.keys[algorithm], algorithm, {"kid": algorithm, "typ": "at+jwt", **(headers or {})})


@pytest.fixture(scope="module")
def keys() -> Issuer:
    return Issuer()


@pytest.fixture
def issuer(keys: Issuer) -> Issuer:
    keys.issuer, keys.requests, keys.is_down = URL, 0, False
    return keys


@pytest.mark.parametrize("algorithm", ["ES256", "RS256", "EdDSA"])
def test_all_algorithms_of_the_service_are_verified(issuer: Issuer, algorithm: str) -> None:
    token = TokenVerifier(issuer.client, PROJECT, client_id=DID).verify(
        issuer.issue(algorithm, client_id=DID), scope="app:db:read"
    )
    assert (token.user_id, token.client_id, token.has_scope("app:db:write")) == ("ann", DID, True)


@pytest.mark.parametrize(
    ("claims", "message"),
    [
        ({"iss": "https://evil.example.com"}, "issuer"),
        ({"exp": -31}, "expired"),
        ({"exp": "tomorrow"}, "not a valid"),
        ({"exp": None}, "not a valid"),
        ({"nbf": 60}, "not valid yet"),
        ({"aud": "did:web:evil.example.com:projects:018f2a3c7d1e7cc49b3a2f6d1c0e8a55"}, "another project"),
        ({"aud": []}, "not a valid"),
        ({"aud": [PROJECT + "0"]}, "another project"),
        ({"aud": None}, "not a valid"),
        ({"sub": None}, "not a valid"),
        ({"typ": "refresh"}, "not an access token"),
        ({"typ": "bound_access", "cnf": {"jkt": "x"}}, "bound to a key"),
        ({"client_id": None}, "not an access token"),
        ({"client_id": "other"}, "another client"),
        ({"scope": "openid"}, "does not have the scope app:db:read"),
        ({"scope": 1}, "not an access token"),
    ],
)
def test_each_claim_is_verified(issuer: Issuer, claims: dict[str, Any], message: str) -> None:
    now = int(time.time())
    absolute = {
        name: now + value if name in ("exp", "nbf") and isinstance(value, int) else value
        for name, value in claims.items()
    }
    with pytest.raises(VerificationError, match=message):
        TokenVerifier(issuer.client, PROJECT, client_id=PROJECT).verify(issuer.issue(**absolute), scope="app:db:read")


def test_clocks_may_differ(issuer: Issuer) -> None:
    now = int(time.time())
    assert TokenVerifier(issuer.client, PROJECT).verify(issuer.issue(exp=now - 20, nbf=now + 20, iat=now + 299))
    verifier = TokenVerifier(issuer.client, PROJECT, leeway=300)
    assert verifier.verify(issuer.issue(exp=now - 290, nbf=now + 290))
    with pytest.raises(VerificationError):
        verifier.verify(issuer.issue(exp=now - 310))
    with pytest.raises(InvalidRequestError):
        TokenVerifier(issuer.client, PROJECT, leeway=301)


def encoded(value: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def forgeries(token: str) -> list[Any]:
    head, claims, signature = token.split(".")
    header, body = ({**json.loads(base64.urlsafe_b64decode(part + "=="))} for part in (head, claims))
    return [
        f"{head}.{encoded({**body, 'sub': 'someone else'})}.{signature}",
        f"{encoded({**header, 'alg': 'none'})}.{claims}.",
        f"{encoded({**header, 'alg': 'HS256'})}.{claims}.{signature}",
        f"{encoded({**header, 'alg': 'RS256'})}.{claims}.{signature}",
        f"{encoded({**header, 'alg': ['ES256']})}.{claims}.{signature}",
        f"{encoded({**header, 'kid': 1})}.{claims}.{signature}",
        f"{encoded({**header, 'crit': ['exp']})}.{claims}.{signature}",
        f"{encoded({**header, 'typ': 'JWT'})}.{claims}.{signature}",
        f"{head}.{claims}",
        f"{head}.{claims}.{signature[:-4]}",
        f"{head}.{claims}.!!!",
        f"{encoded(header)}.{encoded(body)}.{signature[::-1]}",
        "",
        "x" * 100_000,
        "a.b.c",
        "\u20ac.\u20ac.\u20ac",
        None,
    ]


def test_a_changed_token_is_not_valid(issuer: Issuer) -> None:
    verifier = TokenVerifier(issuer.client, PROJECT)
    assert verifier.verify(issuer.issue())
    for token in forgeries(issuer.issue()):
        with pytest.raises(VerificationError):
            verifier.verify(token)
    for headers in ({"typ": "JWT"}, {"crit": ["exp"]}, {"kid": "RS256"}):
        with pytest.raises(VerificationError):
            verifier.verify(issuer.issue(headers=headers))
    public = issuer.keys["RS256"].public_key()
    pem = public.public_bytes(*_pem()).decode()
    with pytest.raises(VerificationError):
        verifier.verify(_hmac_token(pem, issuer))


def _pem() -> tuple[Any, Any]:
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    return Encoding.PEM, PublicFormat.SubjectPublicKeyInfo


def _hmac_token(pem: str, issuer: Issuer) -> str:
    """A token that is signed with a public key as the secret."""
    import hashlib
    import hmac

    head = encoded({"alg": "HS256", "kid": "RS256", "typ": "at+jwt"})
    claims = issuer.issue().split(".")[1]
    digest = hmac.new(pem.encode(), f"{head}.{claims}".encode(), hashlib.sha256).digest()
    return f"{head}.{claims}.{base64.urlsafe_b64encode(digest).rstrip(b'=').decode()}"


def test_the_keys_are_read_once_for_all_threads_and_tasks(issuer: Issuer) -> None:
    verifier = TokenVerifier(issuer.client, PROJECT)
    token = issuer.issue()
    with ThreadPoolExecutor(20) as pool:
        assert len(list(pool.map(verifier.verify, [token] * 50))) == 50
    assert issuer.requests == 2

    async def run() -> None:
        http = httpx.AsyncClient(transport=httpx.MockTransport(issuer.handle))
        asynchronous = AsyncTokenVerifier(AsyncSteward(URL, http_client=http), PROJECT)
        async with anyio.create_task_group() as tasks:
            for _ in range(50):
                tasks.start_soon(asynchronous.verify, token)

    anyio.run(run)
    assert issuer.requests == 4


def test_unknown_keys_cause_few_requests(issuer: Issuer) -> None:
    verifier = TokenVerifier(issuer.client, PROJECT)
    verifier.verify(issuer.issue())
    for index in range(50):
        with pytest.raises(VerificationError, match="no such key"):
            verifier.verify(issuer.issue(headers={"kid": f"invented-{index}"}))
    assert issuer.requests <= 4


def test_an_outage_is_no_reason_to_accept_or_forget_a_token(issuer: Issuer, monkeypatch: pytest.MonkeyPatch) -> None:
    issuer.is_down = True
    verifier = TokenVerifier(issuer.client, PROJECT)
    with pytest.raises(TransportError):
        verifier.verify(issuer.issue())
    issuer.is_down = False
    verifier.verify(issuer.issue())
    issuer.is_down = True
    start = time.monotonic()
    monkeypatch.setattr(_key_set.time, "monotonic", lambda: start + 2 * _key_set.TTL)
    assert verifier.verify(issuer.issue())
    monkeypatch.setattr(_key_set.time, "monotonic", lambda: start + _key_set.MAX_AGE + 60)
    with pytest.raises(TransportError):
        verifier.verify(issuer.issue())


def test_a_service_with_another_issuer_is_an_error(issuer: Issuer) -> None:
    issuer.issuer = "https://internal.example.com"
    with pytest.raises(InvalidRequestError, match="https://internal.example.com"):
        TokenVerifier(issuer.client, PROJECT).verify(issuer.issue())


@pytest.fixture(scope="module")
def person(service: Service) -> tuple[str, str, Tokens]:
    """The IDs of two projects, and the tokens of a person for the first."""
    (_, project_id), (_, other_id) = service.create_project(), service.create_project()
    sign_in = SignIn(Steward(service.url), project_id, CALLBACK)
    started = sign_in.start()
    return project_id, other_id, sign_in.complete(service.allow(started.url, service.sign_up("ann")), started.pending)


def test_tokens_of_the_service_are_valid_for_their_project(service: Service, person: tuple[str, str, Tokens]) -> None:
    project_id, other_id, tokens = person
    client = Steward(service.url)
    token = TokenVerifier(client, project_id, client_id=project_id).verify(
        tokens.access_token, scope="app:db:read app:db:write"
    )
    assert token.user_id == tokens.claims["sub"]
    wrong: list[Callable[[], object]] = [
        lambda: TokenVerifier(client, other_id).verify(tokens.access_token),
        lambda: TokenVerifier(client, project_id, client_id=other_id).verify(tokens.access_token),
        lambda: TokenVerifier(client, project_id).verify(tokens.access_token, scope="app:admin"),
        lambda: TokenVerifier(client, project_id).verify(service.token),
        lambda: TokenVerifier(client, project_id).verify(tokens.id_token or ""),
    ]
    for verify in wrong:
        with pytest.raises(VerificationError):
            verify()
    verifier = TokenVerifier(client, project_id)
    for forged in forgeries(tokens.access_token):
        with pytest.raises(VerificationError):
            verifier.verify(forged)


def test_introspection_refuses_a_revoked_token(service: Service, person: tuple[str, str, Tokens]) -> None:
    project_id, other_id, tokens = person
    key = service.developer().keys.create(project_id, label="Server", roles="read")["key"]["value"]
    client = Steward(service.url, key)
    assert TokenVerifier(client, project_id, client_id=project_id).introspect(tokens.access_token)["active"] is True
    with pytest.raises(VerificationError, match="another client"):
        TokenVerifier(client, project_id, client_id=other_id).introspect(tokens.access_token)

    async def run() -> bool:
        async with AsyncSteward(service.url, key) as asynchronous:
            verifier = AsyncTokenVerifier(asynchronous, project_id)
            await verifier.verify(tokens.access_token)
            return (await verifier.introspect(tokens.access_token))["active"]

    assert anyio.run(run) is True
    SignIn(Steward(service.url), project_id, CALLBACK).sign_out(tokens)
    with pytest.raises(VerificationError, match="not active"):
        TokenVerifier(client, project_id).introspect(tokens.access_token)
