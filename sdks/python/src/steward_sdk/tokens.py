"""Verification of access tokens, offline or by introspection. Install `steward-sdk[tokens]`."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Dict, Mapping
from urllib.parse import urlsplit

import anyio
import jwt

from . import AsyncSteward, Steward
from ._errors import InvalidRequestError, StewardError, VerificationError
from ._key_set import KeySet
from ._service_url import service_url
from .models import Introspection

ALGORITHMS: Mapping[str, tuple[str, str | None]] = {
    "ES256": ("EC", "P-256"),
    "RS256": ("RSA", None),
    "EdDSA": ("OKP", "Ed25519"),
}
"""The algorithms of the service, with the types of their keys."""
DEFAULT_LEEWAY = 30.0
MAX_LEEWAY = 300.0
MAX_TOKEN_LENGTH = 16 * 1024
"""Tokens of the service are shorter."""
_UUID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
"""Tokens have IDs in lower case."""


@dataclass(frozen=True)
class AccessToken:
    """A valid access token."""

    user_id: str
    """ID of the account; for a token of `client_credentials`, what the claim `sub` has."""
    client_id: str
    """The client that the token was issued to."""
    scopes: frozenset[str]
    """The granted scopes."""
    expires_at: datetime
    claims: Mapping[str, Any]
    """All claims."""

    def has_scope(self, scope: str) -> bool:
        """Return whether the token has a scope. `app:admin` includes those that write, and these those that read."""
        writes = scope.removesuffix(":read") + ":write" if scope.endswith(":read") else scope
        is_admin = scope.startswith("app:") and "app:admin" in self.scopes
        return is_admin or scope in self.scopes or writes in self.scopes


class _Verification:
    """What both verifiers have in common."""

    def __init__(self, url: str, project_id: str, client_id: str | None, leeway: float) -> None:
        self._url = service_url(url)
        self._project_ids = self._ids_of(project_id)
        self._client_ids = self._ids_of(client_id) if client_id else None
        self._leeway = leeway
        self._keys = KeySet(self._url)
        if not project_id:
            raise InvalidRequestError("Pass `project_id`: the ID of the project.")
        if not 0 <= leeway <= MAX_LEEWAY:
            raise InvalidRequestError(f"`leeway` must be 0 to {MAX_LEEWAY:g} seconds.")

    def _ids_of(self, id: str) -> tuple[str, ...]:
        """Return the forms of an ID: a project is named by its UUID or its DID."""
        host = urlsplit(self._url).netloc.replace(":", "%3A")
        uuid = id.lower() if _UUID.fullmatch(id) else id
        return id, uuid, f"did:web:{host}:projects:{id.replace('-', '').lower()}"

    def _header_of(self, token: str) -> tuple[str, str]:
        """Return the key ID and the algorithm of a token, which are not verified yet."""
        if not isinstance(token, str) or not 0 < len(token) <= MAX_TOKEN_LENGTH:
            raise VerificationError("The token is not a JWT.")
        try:
            header: Dict[str, Any] = jwt.get_unverified_header(token)
        except (jwt.PyJWTError, ValueError):
            raise VerificationError("The token is not a JWT.") from None
        algorithm, kid = header.get("alg"), header.get("kid")
        is_known = isinstance(algorithm, str) and algorithm in ALGORITHMS and isinstance(kid, str)
        if not is_known or header.get("typ") != "at+jwt" or "crit" in header:
            raise VerificationError("The token is not an access token of the service.")
        return str(kid), str(algorithm)

    def _verified(self, token: str, kid: str, algorithm: str, scope: str) -> AccessToken:
        key = self._keys.find(kid)
        kind, curve = ALGORITHMS[algorithm]
        if key is None or key.get("kty") != kind or key.get("crv") != curve or key.get("alg", algorithm) != algorithm:
            raise VerificationError("The signature of the token is not valid: the service has no such key.")
        try:
            claims: Dict[str, Any] = jwt.decode(
                token,
                jwt.PyJWK(key, algorithm=algorithm).key,
                algorithms=[algorithm],
                audience=list(self._project_ids),
                issuer=self._url,
                leeway=self._leeway,
                # A clock that is behind is no reason to refuse a token that was just issued.
                options={"require": ["exp", "iss", "aud", "sub"], "verify_iat": False},
            )
        except jwt.ExpiredSignatureError:
            raise VerificationError("The token has expired.") from None
        except jwt.ImmatureSignatureError:
            raise VerificationError("The token is not valid yet.") from None
        except jwt.InvalidAudienceError:
            raise VerificationError("The token is for another project.") from None
        except jwt.InvalidIssuerError:
            raise VerificationError(f"The issuer of the token is not {self._url}.") from None
        except jwt.InvalidSignatureError:
            raise VerificationError("The signature of the token is not valid.") from None
        except (jwt.PyJWTError, ValueError, TypeError):
            raise VerificationError("The token is not a valid access token.") from None
        return self._access_token(claims, scope)

    def _access_token(self, claims: Dict[str, Any], scope: str) -> AccessToken:
        if claims.get("typ") == "bound_access":
            raise VerificationError("The token is bound to a key, so its proof must be verified, too.")
        client_id, granted = claims.get("client_id"), claims.get("scope", "")
        if claims.get("typ") != "access" or not isinstance(client_id, str) or not isinstance(granted, str):
            raise VerificationError("The token is not an access token.")
        if self._client_ids is not None and client_id not in self._client_ids:
            raise VerificationError("The token was issued to another client.")
        expires_at = datetime.fromtimestamp(claims["exp"], timezone.utc)
        token = AccessToken(claims["sub"], client_id, frozenset(granted.split()), expires_at, claims)
        missing = [each for each in scope.split() if not token.has_scope(each)]
        if missing:
            raise VerificationError(f"The token does not have the scope {' '.join(missing)}.")
        return token

    def _introspected(self, found: Introspection) -> Introspection:
        if not found["active"]:
            raise VerificationError("The token is not active.")
        if found.get("aud") not in self._project_ids:
            raise VerificationError("The token is for another project.")
        if self._client_ids is not None and found.get("client_id") not in self._client_ids:
            raise VerificationError("The token was issued to another client.")
        return found


class TokenVerifier(_Verification):
    """Verifies the access tokens of the people of a project. Create one for all requests: it caches the keys.

    It can be shared by threads.
    """

    def __init__(
        self,
        client: Steward,
        project_id: str,
        *,
        client_id: str | None = None,
        leeway: float = DEFAULT_LEEWAY,
    ) -> None:
        """Return a verifier.

        :param client: A client of the service, whose URL is the issuer of the tokens. `introspect` requires a private API
            key of the project as its token.
        :param project_id: ID of the project that tokens must be for.
        :param client_id: ID of the client that tokens must have been issued to. By default, any client of the project.
        :param leeway: How much the clocks may differ, in seconds: at most 300.
        """
        super().__init__(client.url, project_id, client_id, leeway)
        self._client = client
        self._lock = threading.Lock()

    def verify(self, token: str, *, scope: str = "") -> AccessToken:
        """Verify a token offline, with the public keys of the service.

        A token that was revoked is valid until it expires: at most 15 minutes, unless the client has a lifetime of its own.
        Raises `VerificationError` if the token is not valid, and `TransportError` if the keys could not be read.

        :param scope: Scopes that the token must have, separated by spaces.
        """
        kid, algorithm = self._header_of(token)
        if self._keys.needs_refresh(kid):
            with self._lock:
                if self._keys.needs_refresh(kid):
                    self._refresh()
        return self._verified(token, kid, algorithm, scope)

    def _refresh(self) -> None:
        steps = self._keys.refresh()
        try:
            path = next(steps)
            while True:
                try:
                    body = self._client._get_public(path)
                except StewardError as error:
                    path = steps.throw(error)
                else:
                    path = steps.send(body)
        except StopIteration:
            return

    def introspect(self, token: str) -> Introspection:
        """Ask the service about a token, so that a revoked one is not valid. Check `scope` of the result.

        Raises `VerificationError` if the token is not active, or is for another project or client.
        """
        return self._introspected(self._client.tokens.introspect(token=token))


class AsyncTokenVerifier(_Verification):
    """Verifies the access tokens of the people of a project. Create one for all requests: it caches the keys."""

    def __init__(
        self,
        client: AsyncSteward,
        project_id: str,
        *,
        client_id: str | None = None,
        leeway: float = DEFAULT_LEEWAY,
    ) -> None:
        """Return a verifier. The parameters are those of `TokenVerifier`."""
        super().__init__(client.url, project_id, client_id, leeway)
        self._client = client
        self._lock = anyio.Lock()

    async def verify(self, token: str, *, scope: str = "") -> AccessToken:
        """Verify a token offline. See `TokenVerifier.verify`."""
        kid, algorithm = self._header_of(token)
        if self._keys.needs_refresh(kid):
            async with self._lock:
                if self._keys.needs_refresh(kid):
                    await self._refresh()
        return self._verified(token, kid, algorithm, scope)

    async def _refresh(self) -> None:
        steps = self._keys.refresh()
        try:
            path = next(steps)
            while True:
                try:
                    body = await self._client._get_public(path)
                except StewardError as error:
                    path = steps.throw(error)
                else:
                    path = steps.send(body)
        except StopIteration:
            return

    async def introspect(self, token: str) -> Introspection:
        """Ask the service about a token. See `TokenVerifier.introspect`."""
        return self._introspected(await self._client.tokens.introspect(token=token))
