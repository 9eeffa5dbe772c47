"""The authorization code flow with PKCE (RFC 7636), without its requests."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
import time
from dataclasses import asdict, dataclass, replace
from typing import Any, Dict, Literal, Mapping, NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit

from ._errors import InvalidRequestError, InvalidResponseError, SignInError, StewardError
from ._generated import operations as ops
from ._operation import Request, request_of
from .models import TokenResponse

DEFAULT_SCOPE = "openid profile email offline_access app:db:read app:db:write"
REFRESH_BEFORE = 60.0
"""How long before its expiry a token is replaced, in seconds. It is never more than a quarter of the lifetime."""
PENDING_TTL = 3_600
"""How long a sign-in may take, in seconds."""

Prompt = Literal["none", "login", "consent", "select_account", "create"]


@dataclass(frozen=True)
class Tokens:
    """The tokens of a sign-in. `to_dict` and `from_dict` store them in a session, which must be encrypted or on the server."""

    access_token: str
    refresh_token: str | None
    id_token: str | None
    scope: str
    received_at: float
    """When the tokens were received, by the clock of this machine, in seconds since the Unix epoch."""
    expires_in: float
    """Lifetime of the access token in seconds, counted from then. So the clock of the service does not matter."""

    @property
    def needs_refresh(self) -> bool:
        """Whether the access token expires soon, or has expired."""
        age = time.time() - self.received_at
        # A negative age: the clock was set back, or another machine stored the tokens whose clock is ahead.
        return not -self.expires_in < age < self.expires_in - min(REFRESH_BEFORE, self.expires_in / 4)

    @property
    def claims(self) -> Dict[str, Any]:
        """The claims of the ID token, such as `sub`, `name` and `email`; empty without one.

        The service returned the token to this program itself, so its signature is not verified.
        """
        return claims_of(self.id_token) if self.id_token else {}

    def to_dict(self) -> Dict[str, Any]:
        """Return the tokens as JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Tokens:
        """Return tokens that `to_dict` returned."""
        try:
            return cls(**stored)
        except TypeError:
            raise InvalidRequestError("These are not tokens that `to_dict` returned.") from None

    def __repr__(self) -> str:
        return f"Tokens(scope={self.scope!r})"


class Started(NamedTuple):
    """A sign-in that has begun."""

    url: str
    """Page on which the person signs in. Redirect the browser to it."""
    pending: Dict[str, Any]
    """What `complete` needs. Store it in the session of the browser, as JSON."""

    def __repr__(self) -> str:
        return f"Started(state={self.pending['state']!r})"


class SignInFlow:
    """What `SignIn` and `AsyncSignIn` have in common."""

    def __init__(self, url: str, client_id: str, redirect_uri: str, client_secret: str | None, scope: str) -> None:
        self._url = url
        self._client_id = client_id
        self._redirect_uri = redirect_uri
        self._client_secret = client_secret
        self._scope = scope
        if not client_id or not urlsplit(redirect_uri).scheme:
            raise InvalidRequestError(
                "Pass `client_id`, and as `redirect_uri` a whole URL that is registered for the client."
            )

    def start(
        self,
        *,
        scope: str | None = None,
        prompt: Prompt | None = None,
        login_hint: str | None = None,
        max_age: int | None = None,
        ui_locales: str | None = None,
    ) -> Started:
        """Begin a sign-in. Redirect the browser to `url`, and store `pending` in its session.

        :param scope: Scopes, separated by spaces, instead of those of this object.
        :param prompt: `login` asks for the password again, `create` shows the sign-up page, `none` shows no page.
        :param login_hint: Email address or username that the page shows.
        :param max_age: How long ago the person may have signed in, in seconds.
        :param ui_locales: Preferred languages of the pages, separated by spaces, such as `de en`.
        """
        state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        parameters = {
            "client_id": self._client_id,
            "redirect_uri": self._redirect_uri,
            "response_type": "code",
            "scope": scope or self._scope,
            "state": state,
            "nonce": nonce,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
            "prompt": prompt,
            "login_hint": login_hint,
            "max_age": max_age,
            "ui_locales": ui_locales,
        }
        query = urlencode({name: value for name, value in parameters.items() if value is not None})
        pending = {"state": state, "nonce": nonce, "code_verifier": verifier, "started_at": int(time.time())}
        return Started(f"{self._url}/auth/authorize?{query}", pending)

    def sign_out_url(self, tokens: Tokens | None = None, post_logout_redirect_uri: str | None = None) -> str:
        """Return the page that ends the sign-in at the service itself. Redirect the browser to it after `sign_out`.

        :param post_logout_redirect_uri: URL to return to, which is registered in the settings of the project.
        """
        parameters = {
            "client_id": self._client_id,
            "id_token_hint": tokens.id_token if tokens else None,
            "post_logout_redirect_uri": post_logout_redirect_uri,
        }
        query = urlencode({name: value for name, value in parameters.items() if value is not None})
        return f"{self._url}/auth/logout?{query}"

    def _code_request(self, callback: str | Mapping[str, str], pending: Mapping[str, Any] | None) -> Request:
        """Check the parameters with which the browser returned. Returns the request that exchanges the code."""
        parameters = dict(parse_qsl(urlsplit(callback).query)) if isinstance(callback, str) else dict(callback)
        state = parameters.get("state", "")
        expected = pending.get("state") if pending else None
        if not pending or not isinstance(expected, str) or not hmac.compare_digest(_bytes(state), _bytes(expected)):
            raise _failed("This sign-in did not begin in this browser, or is already complete. Sign in again.")
        if abs(time.time() - float(pending.get("started_at", 0))) > PENDING_TTL:
            raise _failed("The sign-in took too long. Sign in again.")
        if parameters.get("iss", self._url) != self._url:
            raise _failed("The response is from another service (RFC 9207). Sign in again.")
        if "error" in parameters:
            about = parameters.get("error_description") or parameters["error"]
            raise SignInError(f"The service did not sign the person in: {about}", code=parameters["error"])
        if not parameters.get("code"):
            raise _failed("The service returned no code. Sign in again.")
        return self._token_request(
            grant_type="authorization_code",
            code=parameters["code"],
            redirect_uri=self._redirect_uri,
            code_verifier=pending["code_verifier"],
        )

    def _refresh_request(self, tokens: Tokens) -> Request:
        if tokens.refresh_token is None:
            raise SignInError("The sign-in has no refresh token. Sign in again.", code="signed_out")
        # For a minute, the service returns the same tokens again, so the request can be repeated.
        return replace(
            self._token_request(grant_type="refresh_token", refresh_token=tokens.refresh_token), is_repeatable=True
        )

    def _token_request(self, **parameters: str) -> Request:
        body = {**parameters, "client_id": self._client_id}
        if self._client_secret is not None:
            body["client_secret"] = self._client_secret
        return request_of(ops.EXCHANGE_TOKEN, (), body, {}, {}, None)

    def _revoke_request(self, tokens: Tokens) -> Request:
        body = {"token": tokens.refresh_token or tokens.access_token, "client_id": self._client_id}
        if self._client_secret is not None:
            body["client_secret"] = self._client_secret
        return replace(request_of(ops.REVOKE_TOKEN, (), body, {}, {}, None), is_repeatable=True)

    def _tokens_of(self, body: TokenResponse, previous: Tokens | None = None) -> Tokens:
        if not isinstance(body, dict) or not isinstance(body.get("access_token"), str) or "expires_in" not in body:
            raise InvalidResponseError("The service returned no access token.")
        return Tokens(
            access_token=body["access_token"],
            refresh_token=body.get("refresh_token") or (previous.refresh_token if previous else None),
            id_token=body.get("id_token") or (previous.id_token if previous else None),
            scope=body["scope"],
            received_at=time.time(),
            expires_in=float(body["expires_in"]),
        )

    def _checked(self, tokens: Tokens, pending: Mapping[str, Any]) -> Tokens:
        """Check the ID token. It comes from the service itself over a secure connection (OpenID Connect Core §3.1.3.7)."""
        if tokens.id_token is not None:
            claims = tokens.claims
            audience = claims.get("aud")
            is_for_client = self._client_id in (audience if isinstance(audience, list) else [audience])
            if claims.get("iss") != self._url or not is_for_client or claims.get("nonce") != pending["nonce"]:
                raise _failed("The ID token is not for this sign-in. Sign in again.")
        return tokens


def refused(error: StewardError) -> StewardError:
    """Return the error of a request for tokens: that the person has to sign in again, or a temporary one."""
    if error.code == "invalid_grant":
        return SignInError(
            "The sign-in has ended. Sign in again.", code="signed_out", status=error.status, request_id=error.request_id
        )
    return error


def key_of(tokens: Tokens) -> str:
    """Return a key for the refresh of tokens that does not contain them."""
    return hashlib.sha256((tokens.refresh_token or "").encode()).hexdigest()


def claims_of(token: str) -> Dict[str, Any]:
    """Return the claims of a token, whose signature is not verified."""
    try:
        part = token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except (IndexError, ValueError):
        claims = None
    if not isinstance(claims, dict):
        raise InvalidResponseError("The ID token of the service is not a JWT.")
    return claims


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _failed(message: str) -> SignInError:
    return SignInError(message, code="sign_in_failed")
