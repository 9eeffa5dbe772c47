"""Sign-in of people in web apps of any framework: authorization code with PKCE.

1. `start` returns the page on which the person signs in. Store `pending` in the session of the browser.
2. `complete` exchanges the code with which the browser returns for tokens. Store them in the session.
3. `session` returns an access token source, which replaces tokens before they expire.
4. `sign_out` revokes the tokens, and `sign_out_url` returns the page that ends the sign-in at the service.
"""

from __future__ import annotations

import logging
from typing import Any, Awaitable, Callable, Mapping

from . import AsyncSteward, Steward
from ._errors import StewardError
from ._generated import operations as ops
from ._operation import Request, decode
from ._sign_in_flow import DEFAULT_SCOPE, SignInFlow, Started, Tokens, key_of, refused
from ._single_flight import AsyncSingleFlight, SingleFlight
from .models import TokenResponse

logger = logging.getLogger("steward_sdk")

REPEATED_FOR = 50.0
"""How long a refreshed pair is returned again, in seconds. The service accepts the previous refresh token for a minute."""

NOT_SAVED = "`save` failed. It is called again with the next request; until then, only this program has the new tokens."


class SignIn(SignInFlow):
    """Signs people in. Create one for the whole program: it refreshes tokens once for all threads."""

    def __init__(
        self,
        client: Steward,
        client_id: str,
        redirect_uri: str,
        *,
        client_secret: str | None = None,
        scope: str = DEFAULT_SCOPE,
    ) -> None:
        """Return an object that signs people in.

        :param client: A client of the service. Its credential is not used.
        :param client_id: ID of the project, or of an OAuth client that it registered.
        :param redirect_uri: URL to which the service redirects, as it is registered.
        :param client_secret: Secret of a confidential client.
        :param scope: Scopes, separated by spaces.
        """
        super().__init__(client.url, client_id, redirect_uri, client_secret, scope)
        self._client = client
        self._refreshes: SingleFlight[Tokens] = SingleFlight(REPEATED_FOR)

    def complete(self, callback: str | Mapping[str, str], pending: Mapping[str, Any] | None) -> Tokens:
        """Complete a sign-in. Remove `pending` from the session afterwards: it can be used once.

        Raises `SignInError` if the person was not signed in.

        :param callback: The URL, or the parameters of its query, with which the browser returned.
        :param pending: What `start` returned, or None if the session has none.
        """
        request = self._code_request(callback, pending)
        return self._checked(self._tokens_of(self._exchange(request)), pending or {})

    def refresh(self, tokens: Tokens) -> Tokens:
        """Return new tokens. Threads that call it at the same time with the same tokens share one request.

        Raises `SignInError` with the code `signed_out` if the sign-in has ended.
        """
        request = self._refresh_request(tokens)
        return self._refreshes.run(key_of(tokens), lambda: self._tokens_of(self._exchange(request), tokens))

    def session(self, tokens: Tokens, save: Callable[[Tokens], None] | None = None) -> Session:
        """Return the session of a person, which replaces its tokens.

        :param save: Called with new tokens, to store them in the session of the browser. If it fails, that is logged, and it
            is called again with the next request.
        """
        return Session(self, tokens, save)

    def sign_out(self, tokens: Tokens) -> None:
        """Revoke the tokens, which ends this sign-in. The person stays signed in at the service: see `sign_out_url`."""
        self._client._send(self._revoke_request(tokens), is_public=True)

    def _exchange(self, request: Request) -> TokenResponse:
        try:
            return decode(ops.EXCHANGE_TOKEN, self._client._send(request, is_public=True))
        except StewardError as error:
            raise refused(error) from None


class Session:
    """The tokens of a person. Pass `token` to `Steward` as the token."""

    def __init__(self, sign_in: SignIn, tokens: Tokens, save: Callable[[Tokens], None] | None) -> None:
        self._sign_in = sign_in
        self._save = save
        self._is_saved = True
        self.tokens = tokens
        """The newest tokens."""

    def token(self, rejected: str | None = None) -> str:
        """Return an access token that is valid, and is not the rejected one."""
        tokens = self.tokens
        if tokens.access_token == rejected or tokens.needs_refresh:
            refreshed = self._sign_in.refresh(tokens)
            if self.tokens is tokens:
                self.tokens = refreshed
                self._is_saved = False
        if self._save and not self._is_saved:
            # Other threads do not save the same tokens.
            self._is_saved = True
            try:
                self._save(self.tokens)
            except Exception:
                self._is_saved = False
                logger.exception(NOT_SAVED)
        return self.tokens.access_token


class AsyncSignIn(SignInFlow):
    """Signs people in. Create one for the whole program: it refreshes tokens once for all tasks."""

    def __init__(
        self,
        client: AsyncSteward,
        client_id: str,
        redirect_uri: str,
        *,
        client_secret: str | None = None,
        scope: str = DEFAULT_SCOPE,
    ) -> None:
        """Return an object that signs people in. The parameters are those of `SignIn`."""
        super().__init__(client.url, client_id, redirect_uri, client_secret, scope)
        self._client = client
        self._refreshes: AsyncSingleFlight[Tokens] = AsyncSingleFlight(REPEATED_FOR)

    async def complete(self, callback: str | Mapping[str, str], pending: Mapping[str, Any] | None) -> Tokens:
        """Complete a sign-in. See `SignIn.complete`."""
        request = self._code_request(callback, pending)
        return self._checked(self._tokens_of(await self._exchange(request)), pending or {})

    async def refresh(self, tokens: Tokens) -> Tokens:
        """Return new tokens. Tasks that call it at the same time with the same tokens share one request.

        Raises `SignInError` with the code `signed_out` if the sign-in has ended.
        """
        request = self._refresh_request(tokens)

        async def call() -> Tokens:
            return self._tokens_of(await self._exchange(request), tokens)

        return await self._refreshes.run(key_of(tokens), call)

    def session(self, tokens: Tokens, save: Callable[[Tokens], Awaitable[None] | None] | None = None) -> AsyncSession:
        """Return the session of a person, which replaces its tokens.

        :param save: Called with new tokens, as that of `SignIn.session`. It may be a coroutine function.
        """
        return AsyncSession(self, tokens, save)

    async def sign_out(self, tokens: Tokens) -> None:
        """Revoke the tokens, which ends this sign-in. The person stays signed in at the service: see `sign_out_url`."""
        await self._client._send(self._revoke_request(tokens), is_public=True)

    async def _exchange(self, request: Request) -> TokenResponse:
        try:
            return decode(ops.EXCHANGE_TOKEN, await self._client._send(request, is_public=True))
        except StewardError as error:
            raise refused(error) from None


class AsyncSession:
    """The tokens of a person. Pass `token` to `AsyncSteward` as the token."""

    def __init__(
        self, sign_in: AsyncSignIn, tokens: Tokens, save: Callable[[Tokens], Awaitable[None] | None] | None
    ) -> None:
        self._sign_in = sign_in
        self._save = save
        self._is_saved = True
        self.tokens = tokens
        """The newest tokens."""

    async def token(self, rejected: str | None = None) -> str:
        """Return an access token that is valid, and is not the rejected one."""
        tokens = self.tokens
        if tokens.access_token == rejected or tokens.needs_refresh:
            refreshed = await self._sign_in.refresh(tokens)
            if self.tokens is tokens:
                self.tokens = refreshed
                self._is_saved = False
        if self._save and not self._is_saved:
            self._is_saved = True
            try:
                saved = self._save(self.tokens)
                if saved is not None:
                    await saved
            except Exception:
                self._is_saved = False
                logger.exception(NOT_SAVED)
            except BaseException:
                # The task was cancelled.
                self._is_saved = False
                raise
        return self.tokens.access_token


__all__ = ["AsyncSession", "AsyncSignIn", "Session", "SignIn", "Started", "Tokens"]
