# Generated from docs/openapi.json by scripts/generate.py. Do not edit.
"""The operations of the synchronous client, by resource."""

from __future__ import annotations

from typing import Any, Dict, Generic, List, Literal, Mapping, Sequence, overload

from .._client import Client, Resource
from .._operation import OMITTED, Omitted
from .._pages import Pages
from .._query import conditions_of
from .._tables import Changes, Entry, Fields, Table, Where
from . import models as m
from . import operations as ops


class Account(Resource):
    """The operations in `account`."""

    def credential(self, *, timeout: float | None = None) -> m.CurrentCredential:
        """Get the current credential.

        Returns the identity and permissions of the credential that authenticates this request.
        """
        return self._client._call(ops.GET_OWN_CREDENTIAL, (), timeout=timeout)

    def user_info(
        self,
        *,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> m.UserInfo:
        """Get user info.

        Returns the claims about the caller's account that the scopes of the access token give access to.

        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        return self._client._call(
            ops.GET_USER_INFO,
            (),
            headers={"If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )

    def user_info_of(self, *, access_token: str | None = None, timeout: float | None = None) -> m.UserInfo:
        """Get user info with POST.

        Same as `GET /auth/userinfo`. OpenID Connect Core §5.3 requires both methods. The access token can be sent
        in the body
        instead of the header (RFC 6750 §2.2).

        Without members, the request has no body.

        :param access_token: Access token.
        """
        return self._client._call(ops.POST_USER_INFO, (), body={"access_token": access_token}, timeout=timeout)


class Apps(Resource):
    """The operations in `apps`."""

    def get(
        self,
        project_id: str,
        *,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> m.ConnectedApp:
        """Get a connected project.

        Returns the project of the token, and the caller as its user.

        :param project_id: ID or DID of the project.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        return self._client._call(
            ops.GET_OWN_APP,
            (project_id,),
            headers={"If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )

    def leave(
        self,
        project_id: str,
        *,
        erase: bool | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> m.Success:
        """Leave a project.

        Disconnects the caller from the project and revokes all of the caller's tokens for it. With `erase=true`,
        the
        caller's items in the project are deleted first.

        :param project_id: ID or DID of the project.
        :param erase: Whether to delete the caller's items. Requires the scope `app:db:write`. Default: false.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        return self._client._call(
            ops.LEAVE_OWN_APP,
            (project_id,),
            query={"erase": erase},
            headers={"If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )

    def export(self, project_id: str, *, timeout: float | None = None) -> m.UserExport:
        """Export your data.

        Returns all data that a project stores about the caller. The response is streamed; if it is interrupted, the
        body is
        not valid JSON.

        :param project_id: ID or DID of the project.
        """
        return self._client._call(ops.EXPORT_OWN_DATA, (project_id,), timeout=timeout)


class Auth(Resource):
    """The operations in `auth`."""

    def get_auth_status(self, *, timeout: float | None = None) -> m.Status:
        """Get the status of authentication.

        Responds with 503 if the database cannot be reached or written to.
        """
        return self._client._call(ops.GET_AUTH_STATUS, (), timeout=timeout)

    def authorize(
        self,
        *,
        client_id: str,
        redirect_uri: str | None = None,
        response_type: str | None = None,
        response_mode: Literal["query", "fragment", "form_post"] | None = None,
        scope: str | None = None,
        state: str | None = None,
        code_challenge: str | None = None,
        code_challenge_method: str | None = None,
        dpop_jkt: str | None = None,
        nonce: str | None = None,
        prompt: str | None = None,
        login_hint: str | None = None,
        max_age: str | None = None,
        request_uri: str | None = None,
        acr_values: str | None = None,
        timeout: float | None = None,
    ) -> str:
        """Authorize a client.

        Starts the sign-in of a person to a project (RFC 6749 §4.1.1, OpenID Connect Core §3.1.2.1). Redirects to a
        sign-in
        page, or back to the client with a code if a session and a grant exist. An invalid `client_id` or
        `redirect_uri`
        returns an error without a redirect; other errors are returned to `redirect_uri`, unless the client
        registered itself.

        :param client_id: UUID or DID of the project, or ID of a client that it registered.
        :param redirect_uri: URI that receives the response. It must be registered for the client. It is required,
            and so is `response_type`, unless `request_uri` is sent.
        :param response_type: Must be `code`.
        :param response_mode: How the client receives the response: `query` (default) or `fragment` of the redirect
            URI, or `form_post`, a form that the browser posts to it.
        :param scope: Requested scopes, separated by spaces or commas; `openid` by default. Unknown scopes are
            ignored.
        :param state: Value that is returned unchanged in the response, so that the client can detect forged
            responses. At most 2,048 bytes. Required unless `code_challenge` is sent.
        :param code_challenge: SHA-256 of the code verifier, in base64url (RFC 7636 §4.2). Required unless the
            project turns PKCE off.
        :param code_challenge_method: Must be `S256` if `code_challenge` is sent.
        :param dpop_jkt: SHA-256 thumbprint of a key (RFC 7638). The code can be exchanged only with a proof of this
            key (RFC 9449 §10).
        :param nonce: Value that is returned in the ID token. At most 512 bytes.
        :param prompt: `none`, or one or more of `login`, `consent`, `select_account` and `create`, separated by
            spaces. With `none`, a redirect URI on loopback or with a private-use scheme gets
            `interaction_required`, because the user confirms each of its requests.
        :param login_hint: Login to suggest on the sign-in page. At most 320 bytes.
        :param max_age: Maximum time since the person last signed in, in seconds. After that, the person must sign
            in again.
        :param request_uri: Reference to a request that the client pushed to `/auth/par`. All other parameters
            except `client_id` and `id_token_hint` are ignored then.
        :param acr_values: Assurance that the client asks for: `aal1` for one factor or `aal2` for two, separated by
            spaces. With `aal2`, a person who has a second factor must have signed in with it. The claim `acr` of
            the ID token says whether the person did. At most 320 bytes.
        """
        return self._client._call(
            ops.AUTHORIZE,
            (),
            query={"client_id": client_id, "redirect_uri": redirect_uri, "response_type": response_type, "response_mode": response_mode, "scope": scope, "state": state, "code_challenge": code_challenge, "code_challenge_method": code_challenge_method, "dpop_jkt": dpop_jkt, "nonce": nonce, "prompt": prompt, "login_hint": login_hint, "max_age": max_age, "request_uri": request_uri, "acr_values": acr_values},
            timeout=timeout,
        )

    def authorize_by_form(
        self,
        *,
        client_id: str,
        redirect_uri: str | None = None,
        response_type: str | None = None,
        response_mode: Literal["query", "fragment", "form_post"] | None = None,
        scope: str | None = None,
        state: str | None = None,
        code_challenge: str | None = None,
        code_challenge_method: str | None = None,
        dpop_jkt: str | None = None,
        nonce: str | None = None,
        prompt: str | None = None,
        login_hint: str | None = None,
        max_age: str | None = None,
        acr_values: str | None = None,
        request_uri: str | None = None,
        timeout: float | None = None,
    ) -> str:
        """Authorize a client with a form.

        The same as `GET /auth/authorize`, with the parameters in the body. OpenID Connect Core §3.1.2.1 requires
        both
        methods.

        :param client_id: UUID or DID of the project, or ID of a client that it registered.
        :param redirect_uri: URI that receives the response. It must be registered for the client. It is required,
            and so is `response_type`, unless `request_uri` is sent.
        :param response_type: Must be `code`.
        :param response_mode: How the client receives the response: `query` (default) or `fragment` of the redirect
            URI, or `form_post`, a form that the browser posts to it.
        :param scope: Requested scopes, separated by spaces or commas; `openid` by default. Unknown scopes are
            ignored.
        :param state: Value that is returned unchanged in the response, so that the client can detect forged
            responses. At most 2,048 bytes. Required unless `code_challenge` is sent.
        :param code_challenge: SHA-256 of the code verifier, in base64url (RFC 7636 §4.2). Required unless the
            project turns PKCE off.
        :param code_challenge_method: Must be `S256` if `code_challenge` is sent.
        :param dpop_jkt: SHA-256 thumbprint of a key (RFC 7638). The code can be exchanged only with a proof of this
            key (RFC 9449 §10).
        :param nonce: Value that is returned in the ID token. At most 512 bytes.
        :param prompt: `none`, or one or more of `login`, `consent`, `select_account` and `create`, separated by
            spaces. With `none`, a redirect URI on loopback or with a private-use scheme gets
            `interaction_required`, because the user confirms each of its requests.
        :param login_hint: Login to suggest on the sign-in page. At most 320 bytes.
        :param max_age: Maximum time since the person last signed in, in seconds. After that, the person must sign
            in again.
        :param acr_values: Assurance that the client asks for: `aal1` for one factor or `aal2` for two, separated by
            spaces. With `aal2`, a person who has a second factor must have signed in with it. The claim `acr` of
            the ID token says whether the person did. At most 320 bytes.
        :param request_uri: Reference to a request that the client pushed to `/auth/par`. All other parameters
            except `client_id` and `id_token_hint` are ignored then. It cannot be pushed itself.
        """
        return self._client._call(
            ops.AUTHORIZE_BY_FORM,
            (),
            body={"client_id": client_id, "redirect_uri": redirect_uri, "response_type": response_type, "response_mode": response_mode, "scope": scope, "state": state, "code_challenge": code_challenge, "code_challenge_method": code_challenge_method, "dpop_jkt": dpop_jkt, "nonce": nonce, "prompt": prompt, "login_hint": login_hint, "max_age": max_age, "acr_values": acr_values, "request_uri": request_uri},
            timeout=timeout,
        )

    def authorize_device(
        self,
        *,
        client_id: str | None = None,
        client_secret: str | None = None,
        client_assertion_type: Literal["urn:ietf:params:oauth:client-assertion-type:jwt-bearer"] | None = None,
        client_assertion: str | None = None,
        scope: str | None = None,
        max_age: str | None = None,
        timeout: float | None = None,
    ) -> m.DeviceAuthorization:
        """Authorize a device.

        Begins the sign-in of a person to a device without a browser (RFC 8628). The device shows `user_code` and
        `verification_uri`, and sends `device_code` to the token endpoint until the person has decided, which takes
        at most 10
        minutes. Only registered clients with the grant type of devices, and this service's command line, can use
        it. A
        confidential client authenticates as at the token endpoint.

        :param client_id: ID of the client. It can also be sent as the user name of HTTP Basic.
        :param client_secret: Secret of a confidential client, if it is not sent with HTTP Basic.
        :param client_assertion_type: Must be `urn:ietf:params:oauth:client-assertion-type:jwt-bearer` if
            `client_assertion` is sent.
        :param client_assertion: JWT that a client with keys signs instead of sending a secret (RFC 7523 §2.2).
        :param scope: Requested scopes, separated by spaces or commas. `openid` by default.
        :param max_age: Maximum time since the person last signed in, in seconds. After that, the person must sign
            in again.
        """
        return self._client._call(
            ops.AUTHORIZE_DEVICE,
            (),
            body={"client_id": client_id, "client_secret": client_secret, "client_assertion_type": client_assertion_type, "client_assertion": client_assertion, "scope": scope, "max_age": max_age},
            timeout=timeout,
        )

    def log_in(
        self,
        *,
        password: str,
        email: str | None | Omitted = OMITTED,
        username: str | None | Omitted = OMITTED,
        timeout: float | None = None,
    ) -> m.TokenResponse:
        """Log in.

        Checks the password of an account and returns the tokens of a first-party session. They have the scope
        `admin` and
        can administer teams and projects. Applications of projects use `GET /auth/authorize` instead. An account
        with a
        second factor is refused with `second_factor_required`: only the sign-in in a browser asks for it.

        :param password: Password of the account.
        :param email: Email address of the account. Send either `email` or `username`.
        :param username: Username of the account. Send either `email` or `username`.
        """
        return self._client._call(
            ops.LOG_IN,
            (),
            body={"email": email, "username": username, "password": password},
            timeout=timeout,
        )

    def push_authorization_request(
        self,
        *,
        client_id: str,
        redirect_uri: str | None = None,
        response_type: str | None = None,
        response_mode: Literal["query", "fragment", "form_post"] | None = None,
        scope: str | None = None,
        state: str | None = None,
        code_challenge: str | None = None,
        code_challenge_method: str | None = None,
        dpop_jkt: str | None = None,
        nonce: str | None = None,
        prompt: str | None = None,
        login_hint: str | None = None,
        max_age: str | None = None,
        acr_values: str | None = None,
        request_uri: str | None = None,
        client_secret: str | None = None,
        client_assertion_type: Literal["urn:ietf:params:oauth:client-assertion-type:jwt-bearer"] | None = None,
        client_assertion: str | None = None,
        timeout: float | None = None,
    ) -> m.PushedAuthorization:
        """Push an authorization request.

        Stores the parameters of an authorization request (RFC 9126), so that the browser only carries the
        `request_uri` of the
        response and the `client_id` to `/auth/authorize`. It can be used once, within 90 seconds. A confidential
        client
        authenticates as at the token endpoint. With a proof in the header `DPoP`, the code is bound to its key (RFC
        9449 §10.1).

        :param client_id: UUID or DID of the project, or ID of a client that it registered.
        :param redirect_uri: URI that receives the response. It must be registered for the client. It is required,
            and so is `response_type`, unless `request_uri` is sent.
        :param response_type: Must be `code`.
        :param response_mode: How the client receives the response: `query` (default) or `fragment` of the redirect
            URI, or `form_post`, a form that the browser posts to it.
        :param scope: Requested scopes, separated by spaces or commas; `openid` by default. Unknown scopes are
            ignored.
        :param state: Value that is returned unchanged in the response, so that the client can detect forged
            responses. At most 2,048 bytes. Required unless `code_challenge` is sent.
        :param code_challenge: SHA-256 of the code verifier, in base64url (RFC 7636 §4.2). Required unless the
            project turns PKCE off.
        :param code_challenge_method: Must be `S256` if `code_challenge` is sent.
        :param dpop_jkt: SHA-256 thumbprint of a key (RFC 7638). The code can be exchanged only with a proof of this
            key (RFC 9449 §10).
        :param nonce: Value that is returned in the ID token. At most 512 bytes.
        :param prompt: `none`, or one or more of `login`, `consent`, `select_account` and `create`, separated by
            spaces. With `none`, a redirect URI on loopback or with a private-use scheme gets
            `interaction_required`, because the user confirms each of its requests.
        :param login_hint: Login to suggest on the sign-in page. At most 320 bytes.
        :param max_age: Maximum time since the person last signed in, in seconds. After that, the person must sign
            in again.
        :param acr_values: Assurance that the client asks for: `aal1` for one factor or `aal2` for two, separated by
            spaces. With `aal2`, a person who has a second factor must have signed in with it. The claim `acr` of
            the ID token says whether the person did. At most 320 bytes.
        :param request_uri: Reference to a request that the client pushed to `/auth/par`. All other parameters
            except `client_id` and `id_token_hint` are ignored then. It cannot be pushed itself.
        :param client_secret: Secret of a confidential client, if it is not sent with HTTP Basic.
        :param client_assertion_type: Must be `urn:ietf:params:oauth:client-assertion-type:jwt-bearer` if
            `client_assertion` is sent.
        :param client_assertion: JWT that a client with keys signs instead of sending a secret (RFC 7523 §2.2).
        """
        return self._client._call(
            ops.PUSH_AUTHORIZATION_REQUEST,
            (),
            body={"client_id": client_id, "redirect_uri": redirect_uri, "response_type": response_type, "response_mode": response_mode, "scope": scope, "state": state, "code_challenge": code_challenge, "code_challenge_method": code_challenge_method, "dpop_jkt": dpop_jkt, "nonce": nonce, "prompt": prompt, "login_hint": login_hint, "max_age": max_age, "acr_values": acr_values, "request_uri": request_uri, "client_secret": client_secret, "client_assertion_type": client_assertion_type, "client_assertion": client_assertion},
            timeout=timeout,
        )

    def register_client(
        self,
        *,
        client_name: str | None | Omitted = OMITTED,
        redirect_uris: Sequence[str] | None | Omitted = OMITTED,
        token_endpoint_auth_method: Literal["none", "client_secret_basic", "client_secret_post", "private_key_jwt"] | None | Omitted = OMITTED,
        grant_types: Sequence[str] | None | Omitted = OMITTED,
        response_types: Sequence[Literal["code"]] | None | Omitted = OMITTED,
        scope: str | None | Omitted = OMITTED,
        jwks: Mapping[str, Any] | None | Omitted = OMITTED,
        jwks_uri: str | None | Omitted = OMITTED,
        dpop_bound_access_tokens: bool | None | Omitted = OMITTED,
        require_pushed_authorization_requests: bool | None | Omitted = OMITTED,
        timeout: float | None = None,
    ) -> m.ClientInformation:
        """Register a client.

        Registers an OAuth client with its own metadata (RFC 7591). The initial access token is a private API key of
        the project
        with the permission `client:register`; it is not needed in a project that the operator has opened. The
        response has
        what the client was given, which can be less than it asked for. Members that are not listed are ignored.

        Requires the permission `client:register`.

        :param client_name: Name that people see when they are asked for consent: at most 100 characters. `Unnamed
            client` by default.
        :param redirect_uris: URIs that may receive authorization codes: at most 50. On loopback, any port matches.
            Required for `authorization_code`.
        :param token_endpoint_auth_method: `none` for a public client; `client_secret_basic` (default) or
            `client_secret_post` for a confidential one, which can use both; `private_key_jwt` for one that
            authenticates with its keys.
        :param grant_types: Grant types that the client uses; `authorization_code` by default. Those that it may not
            use are left out, such as `client_credentials`.
        :param response_types: Can only contain `code`.
        :param scope: Scopes that the client may request, separated by spaces. Unknown ones are left out. Default:
            all that projects may request.
        :param jwks: Public keys of the client, as a JSON Web Key Set (RFC 7517 §5). Required for `private_key_jwt`,
            otherwise left out.
        :param jwks_uri: Not supported: refused with `private_key_jwt`, otherwise ignored.
        :param dpop_bound_access_tokens: Whether the client gets only tokens that are bound to a key (RFC 9449
            §5.2); `false` by default.
        :param require_pushed_authorization_requests: Whether the client must push its authorization requests (RFC
            9126 §6); `false` by default.
        """
        return self._client._call(
            ops.REGISTER_CLIENT,
            (),
            body={"client_name": client_name, "redirect_uris": redirect_uris, "token_endpoint_auth_method": token_endpoint_auth_method, "grant_types": grant_types, "response_types": response_types, "scope": scope, "jwks": jwks, "jwks_uri": jwks_uri, "dpop_bound_access_tokens": dpop_bound_access_tokens, "require_pushed_authorization_requests": require_pushed_authorization_requests},
            timeout=timeout,
        )

    def revoke_token(
        self,
        *,
        token: str,
        token_type_hint: str | None | Omitted = OMITTED,
        client_id: str | None | Omitted = OMITTED,
        client_secret: str | None | Omitted = OMITTED,
        client_assertion_type: Literal["urn:ietf:params:oauth:client-assertion-type:jwt-bearer"] | None | Omitted = OMITTED,
        client_assertion: str | None | Omitted = OMITTED,
        timeout: float | None = None,
    ) -> None:
        """Revoke a token.

        Revokes all tokens of the sign-in that issued the token (RFC 7009). Succeeds if the token is unknown (RFC
        7009
        §2.2).

        :param token: Access token or refresh token.
        :param token_type_hint: `access_token` or `refresh_token`. Ignored: the type is detected.
        :param client_id: ID of the client, or UUID or DID of the project, if it is not sent with HTTP Basic. A
            revocation request must match the token's client if it is sent.
        :param client_secret: Secret of a confidential client, if it is not sent with HTTP Basic.
        :param client_assertion_type: Must be `urn:ietf:params:oauth:client-assertion-type:jwt-bearer` if
            `client_assertion` is sent.
        :param client_assertion: JWT that a client with keys signs instead of sending a secret (RFC 7523 §2.2).
        """
        self._client._call(
            ops.REVOKE_TOKEN,
            (),
            body={"token": token, "token_type_hint": token_type_hint, "client_id": client_id, "client_secret": client_secret, "client_assertion_type": client_assertion_type, "client_assertion": client_assertion},
            timeout=timeout,
        )

    def sign_up(
        self,
        *,
        email: str,
        password: str,
        name: str | None | Omitted = OMITTED,
        username: str | None | Omitted = OMITTED,
        timeout: float | None = None,
    ) -> m.CreatedAccount:
        """Sign up.

        Creates an account, if the sign-up policy of the service allows it. Until the first account of a new service
        is
        created with the link in its log, `not_set_up` is returned. The email address is unverified at first; the
        service sends a verification link to it.

        :param email: Email address. It is unique across the service, case-insensitively.
        :param password: Password of 10 to 256 characters that is hard to guess, also for someone who knows the
            email address and the names.
        :param name: Name of the person: 1 to 100 characters.
        :param username: Username: 3 to 32 letters, digits, hyphens and underscores. It is unique across the
            service, case-insensitively.
        """
        return self._client._call(
            ops.SIGN_UP,
            (),
            body={"email": email, "password": password, "name": name, "username": username},
            timeout=timeout,
        )

    def exchange_token(
        self,
        *,
        grant_type: Literal["authorization_code", "refresh_token", "client_credentials", "urn:ietf:params:oauth:grant-type:device_code"] | None | Omitted = OMITTED,
        code: str | None | Omitted = OMITTED,
        redirect_uri: str | None | Omitted = OMITTED,
        client_id: str | None | Omitted = OMITTED,
        client_secret: str | None | Omitted = OMITTED,
        client_assertion_type: Literal["urn:ietf:params:oauth:client-assertion-type:jwt-bearer"] | None | Omitted = OMITTED,
        client_assertion: str | None | Omitted = OMITTED,
        code_verifier: str | None | Omitted = OMITTED,
        refresh_token: str | None | Omitted = OMITTED,
        device_code: str | None | Omitted = OMITTED,
        scope: str | None | Omitted = OMITTED,
        timeout: float | None = None,
    ) -> m.TokenResponse:
        """Exchange a code or a refresh token for tokens.

        A code is valid for 10 minutes and can be used once; using it again revokes the tokens that it was exchanged
        for.
        Each exchange of a refresh token returns a new one. A confidential client authenticates with HTTP Basic, or
        with
        `client_id` and `client_secret`, and can exchange its secret alone for a token with its roles
        (`client_credentials`). A
        device exchanges its device code, and gets `authorization_pending` until the person has decided (RFC 8628
        §3.5).
        A client with keys sends an assertion instead of a secret (RFC 7523). Other clients have no secret: any
        value is accepted.
        With a proof in the header `DPoP`, the tokens are bound to its key (RFC 9449).

        :param grant_type: `authorization_code` (default), `refresh_token`, `client_credentials` or
            `urn:ietf:params:oauth:grant-type:device_code`.
        :param code: Authorization code. A refresh token is also accepted.
        :param redirect_uri: Redirect URI of the authorization request. Must match if sent.
        :param client_id: ID of the client, or UUID or DID of the project. Must match if sent. It can also be sent
            as the user name of HTTP Basic. Required for a confidential client.
        :param client_secret: Secret of a confidential client. It can also be sent as the password of HTTP Basic.
            Ignored for other clients.
        :param client_assertion_type: Must be `urn:ietf:params:oauth:client-assertion-type:jwt-bearer` if
            `client_assertion` is sent.
        :param client_assertion: JWT that a client with keys signs instead of sending a secret (RFC 7523 §2.2).
        :param code_verifier: Verifier of the code challenge (RFC 7636 §4.1): 43 to 128 characters. Required if the
            authorization request contained a code challenge.
        :param refresh_token: Refresh token of an earlier response.
        :param device_code: Code of a device that waits for a person.
        :param scope: Roles of the token, separated by spaces, among those of the client; all by default. Only for
            `client_credentials`.
        """
        return self._client._call(
            ops.EXCHANGE_TOKEN,
            (),
            body={"grant_type": grant_type, "code": code, "redirect_uri": redirect_uri, "client_id": client_id, "client_secret": client_secret, "client_assertion_type": client_assertion_type, "client_assertion": client_assertion, "code_verifier": code_verifier, "refresh_token": refresh_token, "device_code": device_code, "scope": scope},
            timeout=timeout,
        )


class IdentityProviders(Resource):
    """The operations in `identity_providers`."""

    def list(self, project_id: str, *, timeout: float | None = None) -> List[m.IdentityProvider]:
        """List identity providers.

        Returns the identity providers of the project, including disabled ones, oldest first, without their secrets.

        Requires the permission `project:read`.

        :param project_id: ID of the project.
        """
        return self._client._call(ops.LIST_IDENTITY_PROVIDERS, (project_id,), timeout=timeout)

    def create(
        self,
        project_id: str,
        *,
        kind: Literal["openid_connect", "google", "microsoft", "apple", "github", "gitlab"],
        client_id: str,
        name: str | None | Omitted = OMITTED,
        issuer: str | None | Omitted = OMITTED,
        client_secret: str | None | Omitted = OMITTED,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> m.IdentityProvider:
        """Add an identity provider.

        From now on, people can sign in there. People who sign in there are signed in to this project only. Register
        the
        `redirect_uri` of the response at the provider. The metadata of the provider is read first, so the provider
        has to
        respond; not that of the public services of the kinds with a default, nor of GitHub, which has none. If
        `issuer` differs
        from that of the metadata only by a slash at the end, the latter is stored and returned. Another one is
        refused, and the
        error names it.

        Requires the permission `project:write`.

        Requires a recent sign-in, unless the credential is a personal token or an API key.

        :param project_id: ID of the project.
        :param kind: `openid_connect` for any provider of OpenID Connect, or `google`, `microsoft`, `apple`,
            `github` or `gitlab`.
        :param client_id: ID that the provider has assigned to this service: 1 to 255 printable ASCII characters.
        :param name: Name on the button: 1 to 100 characters. Default: the name of the kind.
        :param issuer: URL that identifies the provider: a public https URL without a query, of at most 500
            characters. Optional for `google`, `apple`, `github` and `gitlab`. For `microsoft`:
            `https://login.microsoftonline.com/TENANT/v2.0` with the ID of the tenant.
        :param client_secret: Secret that the provider has assigned: 1 to 2,000 printable ASCII characters. Absent
            for a public client. For `apple`, the signed JWT, which is valid for at most six months.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        """
        return self._client._call(
            ops.CREATE_IDENTITY_PROVIDER,
            (project_id,),
            body={"kind": kind, "name": name, "issuer": issuer, "client_id": client_id, "client_secret": client_secret},
            headers={"Idempotency-Key": idempotency_key},
            timeout=timeout,
        )

    def get(
        self,
        project_id: str,
        provider_id: str,
        *,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> m.IdentityProvider:
        """Get an identity provider.

        Returns a provider without its secret.

        Requires the permission `project:read`.

        :param project_id: ID of the project.
        :param provider_id: ID of the identity provider.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        return self._client._call(
            ops.GET_IDENTITY_PROVIDER,
            (project_id, provider_id),
            headers={"If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )

    def delete(
        self,
        project_id: str,
        provider_id: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> m.Success:
        """Delete an identity provider.

        People can no longer sign in there, and the identities that are linked to it are deleted in the background.
        Sessions
        that began there go on.

        Requires the permission `project:write`.

        Requires a recent sign-in, unless the credential is a personal token or an API key.

        :param project_id: ID of the project.
        :param provider_id: ID of the identity provider.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        return self._client._call(
            ops.DELETE_IDENTITY_PROVIDER,
            (project_id, provider_id),
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )

    def update(
        self,
        project_id: str,
        provider_id: str,
        *,
        name: str | None | Omitted = OMITTED,
        client_id: str | None | Omitted = OMITTED,
        client_secret: str | None | Omitted = OMITTED,
        is_enabled: bool | None | Omitted = OMITTED,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> m.IdentityProvider:
        """Update an identity provider.

        Changes the name or the client of a provider, or disables it. The kind and the issuer do not change, because
        the
        linked identities are those of this issuer.

        Requires the permission `project:write`.

        Requires a recent sign-in, unless the credential is a personal token or an API key.

        :param project_id: ID of the project.
        :param provider_id: ID of the identity provider.
        :param name: New name: 1 to 100 characters.
        :param client_id: New client ID: 1 to 255 printable ASCII characters.
        :param client_secret: New secret: 1 to 2,000 printable ASCII characters.
        :param is_enabled: Whether people can sign in there.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        return self._client._call(
            ops.UPDATE_IDENTITY_PROVIDER,
            (project_id, provider_id),
            body={"name": name, "client_id": client_id, "client_secret": client_secret, "is_enabled": is_enabled},
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )


class Images(Resource):
    """The operations in `images`."""

    def get(
        self,
        image_id: str,
        file: str,
        *,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> bytes:
        """Get an image.

        Returns an uploaded icon or background of a project, or a logo of a client. The content at this URL never
        changes, so clients may cache it
        without revalidation.

        :param image_id: ID of the project.
        :param file: File name of the image: its ID and its extension.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        return self._client._call(
            ops.GET_IMAGE,
            (image_id, file),
            headers={"If-None-Match": if_none_match},
            timeout=timeout,
        )

    def list(
        self,
        project_id: str,
        *,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> m.ProjectImages:
        """List uploaded images.

        Returns the uploaded icon and background of the project.

        Requires the permission `project:read`.

        :param project_id: ID of the project.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        return self._client._call(
            ops.LIST_IMAGES,
            (project_id,),
            headers={"If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )

    def upload_background(
        self,
        project_id: str,
        *,
        file: bytes,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> m.BackgroundUploaded:
        """Upload a background.

        Replaces the background image of the project. Anyone who knows its URL can read it.

        Requires the permission `project:write`.

        :param project_id: ID of the project.
        :param file: PNG, JPEG, WebP or GIF image. The format is detected from the content. An icon or a logo has at
            most 2 MiB and 16 to 4,096 pixels per side, a background at most 8 MiB and 16 to 8,192 pixels per side.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        """
        return self._client._call(
            ops.UPLOAD_BACKGROUND,
            (project_id,),
            body={"file": file},
            headers={"Idempotency-Key": idempotency_key},
            timeout=timeout,
        )

    def delete_background(
        self,
        project_id: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> m.Deleted:
        """Delete the background.

        Deletes the uploaded background image of the project.

        Requires the permission `project:write`.

        :param project_id: ID of the project.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        return self._client._call(
            ops.DELETE_BACKGROUND,
            (project_id,),
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )

    def upload_icon(
        self,
        project_id: str,
        *,
        file: bytes,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> m.IconUploaded:
        """Upload an icon.

        Replaces the icon of the project. Anyone who knows its URL can read it.

        Requires the permission `project:write`.

        :param project_id: ID of the project.
        :param file: PNG, JPEG, WebP or GIF image. The format is detected from the content. An icon or a logo has at
            most 2 MiB and 16 to 4,096 pixels per side, a background at most 8 MiB and 16 to 8,192 pixels per side.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        """
        return self._client._call(
            ops.UPLOAD_ICON,
            (project_id,),
            body={"file": file},
            headers={"Idempotency-Key": idempotency_key},
            timeout=timeout,
        )

    def delete_icon(
        self,
        project_id: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> m.Deleted:
        """Delete the icon.

        Deletes the uploaded icon of the project.

        Requires the permission `project:write`.

        :param project_id: ID of the project.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        return self._client._call(
            ops.DELETE_ICON,
            (project_id,),
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )


class Invites(Resource):
    """The operations in `invites`."""

    def list(
        self,
        team_id: str,
        *,
        page_size: int = 100,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> Pages[m.Invite]:
        """List invites.

        Returns the pending invites of the team, newest first.

        Requires the permission `invite:read`.

        :param team_id: ID of the team.
        :param page_size: Entries per page: 1 to 1,000.
        :param cursor: Start at the cursor of an earlier page.
        """
        return self._client._list(ops.LIST_INVITES, (team_id,), {}, page_size, cursor, timeout)

    def create(
        self,
        team_id: str,
        *,
        roles: str,
        email: str | None | Omitted = OMITTED,
        username: str | None | Omitted = OMITTED,
        role_name: str | None | Omitted = OMITTED,
        expires_at: str | None | Omitted = OMITTED,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> m.CreatedInvite:
        """Create an invite.

        Invites a person to become a member of the team. A pending invite to the same person is renewed. If email is
        configured, an invite to an email address is sent by email.

        Requires the permission `invite:write`.

        :param team_id: ID of the team.
        :param roles: Comma-separated role names (`owner`, `admin`, `developer`, `viewer`) and permissions such as
            `project:read`. You can grant only permissions that you have.
        :param email: Email address of the recipient. Send either `email` or `username`.
        :param username: Username of the recipient. Send either `email` or `username`.
        :param role_name: Label of the role: at most 64 characters. It grants no permissions.
        :param expires_at: When the invite expires: 7 days from now by default, at most 30 days from now.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        """
        return self._client._call(
            ops.CREATE_INVITE,
            (team_id,),
            body={"roles": roles, "email": email, "username": username, "role_name": role_name, "expires_at": expires_at},
            headers={"Idempotency-Key": idempotency_key},
            timeout=timeout,
        )

    def delete(
        self,
        team_id: str,
        invite_id: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> m.Success:
        """Revoke an invite.

        The invite can no longer be accepted.

        Requires the permission `invite:write`.

        :param team_id: ID of the team.
        :param invite_id: ID of the invite.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        return self._client._call(
            ops.DELETE_INVITE,
            (team_id, invite_id),
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )


class Items(Resource, Generic[Fields, Entry, Changes, Where]):
    """The operations in `items`."""

    def __init__(self, client: Client, project_id: str, user_id: str, table: str) -> None:
        super().__init__(client)
        self._ids = (project_id, user_id, table,)

    def batch(
        self,
        *,
        operations: Sequence[m.ItemOperation[Fields, Changes]],
        created_before: str | None | Omitted = OMITTED,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> List[Entry]:
        """Write several items.

        Performs up to 100 operations, each on a different item. Either all of them take effect, or none. Returns
        the items
        in the order of the operations; a deleted item is returned as it was before. Each operation can have its own
        `if_match` and `if_none_match`.

        Requires the permission `db:write`.

        :param operations: Operations, each on a different item. Either all of them take effect, or none; the error
            contains the `index` of the first operation that failed.
        :param created_before: New items that are put count as created before this time, at most seven days ago,
            each one a microsecond before the item of the operation before it: a list of the newest items has the
            order of the operations. A time in the future counts as now. By default, all of them count as created
            now.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        """
        return self._client._call(
            ops.BATCH_ITEMS,
            self._ids,
            body={"operations": operations, "created_before": created_before},
            headers={"Idempotency-Key": idempotency_key},
            timeout=timeout,
        )

    def get(
        self,
        item_id: str,
        *,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> Entry:
        """Get an item.

        The response has an `ETag`. `If-None-Match` and `If-Match` are supported.

        Requires the permission `db:read`.

        :param item_id: ID of the item in its table.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        returned: Entry = self._client._call(
            ops.GET_ITEM,
            (*self._ids, item_id),
            headers={"If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )
        return returned

    def put(
        self,
        item_id: str,
        value: Fields,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> Entry:
        """Create or replace an item.

        Stores the complete item under the ID in the path. Fields that are absent are removed. `If-Match` and
        `If-None-Match` are supported.

        Requires the permission `db:write`.

        :param item_id: ID of the item in its table.
        :param value: Fields of the item, as defined by the table in the schema. `id`, `created_at` and `updated_at`
            are ignored.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        returned: Entry = self._client._call(
            ops.PUT_ITEM,
            (*self._ids, item_id),
            body={"value": value},
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )
        return returned

    def delete(
        self,
        item_id: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> Entry:
        """Delete an item.

        Returns the item as it was before. `If-Match` and `If-None-Match` are supported.

        Requires the permission `db:write`.

        :param item_id: ID of the item in its table.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        returned: Entry = self._client._call(
            ops.DELETE_ITEM,
            (*self._ids, item_id),
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )
        return returned

    def patch(
        self,
        item_id: str,
        value: Changes,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> Entry:
        """Update fields of an item.

        Fields that are absent stay as they are. `null` removes a field. `If-Match` and `If-None-Match` are
        supported.

        Requires the permission `db:write`.

        :param item_id: ID of the item in its table.
        :param value: Fields of the item, as defined by the table in the schema. `id`, `created_at` and `updated_at`
            are ignored.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        returned: Entry = self._client._call(
            ops.PATCH_ITEM,
            (*self._ids, item_id),
            body={"value": value},
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )
        return returned

    def list(
        self,
        where: Where | None = None,
        *,
        conditions: Mapping[str, str | Sequence[str]] | None = None,
        id: str | None = None,
        order: str | None = None,
        offset: int | None = None,
        select: str | None = None,
        page_size: int = 100,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> Pages[Entry]:
        """List items.

        Returns the items of a user in a table that meet all conditions. Without `limit`, all items are streamed.

        Requires the permission `db:read`.

        :param where: Conditions, by field: a value, or operators such as `{"gte": 2}`. An item must meet all of
            them, and those of `conditions`, which can also be negated.
        :param conditions: Conditions: any number of parameters, each with the name of a field, `id`, `created_at`
            or `updated_at`, and a value of the form `operator.value`. An item must meet all of them. Operators:
            `eq`, `neq`, `gt`, `gte`, `lt`, `lte`, `in.(a,"b,c")` or `in.a,b`, and `is.null`. Text fields also
            support `like` and `ilike`, with `*` as the wildcard and `\\*` as an asterisk. Boolean fields support
            only `eq`, `neq`, `is.null`, `is.true` and `is.false`; JSON fields only `is.null`. The prefix `not.`
            negates an operator. A comparison with an absent value never matches, negated or not.
        :param id: Return only the item with this ID, or items whose ID meets a condition.
        :param order: Sort order, such as `rank.desc,title.asc`. Absent values sort last, and equal items are sorted
            by ID. By default, the newest items come first.
        :param offset: Number of items to skip. It cannot be combined with `cursor`.
        :param select: Comma-separated members of the items to return besides `id`, such as `title,rank`.
        :param page_size: Entries per page: 1 to 1,000.
        :param cursor: Start at the cursor of an earlier page.
        """
        return self._client._list(
            ops.LIST_ITEMS,
            self._ids,
            {"conditions": conditions_of(where, conditions), "id": id, "order": order, "offset": offset, "select": select},
            page_size,
            cursor,
            timeout,
        )

    def create(self, value: Fields, *, idempotency_key: str | None = None, timeout: float | None = None) -> Entry:
        """Create an item.

        The service generates the ID of the item.

        Requires the permission `db:write`.

        :param value: Fields of the item, as defined by the table in the schema. `id`, `created_at` and `updated_at`
            are ignored.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        """
        returned: Entry = self._client._call(
            ops.CREATE_ITEM,
            self._ids,
            body={"value": value},
            headers={"Idempotency-Key": idempotency_key},
            timeout=timeout,
        )
        return returned


class Keys(Resource):
    """The operations in `keys`."""

    def list(
        self,
        project_id: str,
        *,
        page_size: int = 100,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> Pages[m.Key]:
        """List API keys.

        Returns the API keys of the project without their values, newest first.

        Requires the permission `key:read`.

        :param project_id: ID of the project.
        :param page_size: Entries per page: 1 to 1,000.
        :param cursor: Start at the cursor of an earlier page.
        """
        return self._client._list(ops.LIST_KEYS, (project_id,), {}, page_size, cursor, timeout)

    def create(
        self,
        project_id: str,
        *,
        label: str,
        roles: str,
        is_private: bool | None | Omitted = OMITTED,
        expires_at: str | None | Omitted = OMITTED,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> m.IssuedKey:
        """Create an API key.

        The response contains the value of the key, which is never returned again. You can grant only permissions
        that you
        have.

        Requires the permission `key:write`.

        Requires a recent sign-in, unless the credential is a personal token or an API key.

        :param project_id: ID of the project.
        :param label: Display name of the key: 1 to 100 characters.
        :param roles: Comma-separated roles of the key: `admin`, `write`, `read`, or individual permissions such as
            `db:read`.
        :param is_private: Whether the key is private; `true` by default. A public key may appear in browsers, where
            everyone can see it: its roles may be `project:read` and `schema:read` only. Browsers read users and
            items with the access token of the signed-in user.
        :param expires_at: When the key expires: a timestamp in the future. Without it, the key never expires.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        """
        return self._client._call(
            ops.CREATE_KEY,
            (project_id,),
            body={"label": label, "roles": roles, "is_private": is_private, "expires_at": expires_at},
            headers={"Idempotency-Key": idempotency_key},
            timeout=timeout,
        )

    def verify(
        self,
        project_id: str,
        *,
        key: str,
        key_id: str | None | Omitted = OMITTED,
        timeout: float | None = None,
    ) -> m.KeyVerification:
        """Verify an API key.

        Returns whether a value belongs to a key of this project that has not expired. The previous value of a
        rotated key
        is valid during its grace period. The status is 200 even if the value is not valid.

        Requires the permission `key:read`.

        :param project_id: ID of the project.
        :param key: Value to verify.
        :param key_id: ID of the key that the value must belong to. Without it, any key of the project matches.
        """
        return self._client._call(
            ops.VERIFY_KEY,
            (project_id,),
            body={"key": key, "key_id": key_id},
            timeout=timeout,
        )

    def get(
        self,
        project_id: str,
        key_id: str,
        *,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> m.ShownKey:
        """Get an API key.

        Returns a key without its value.

        Requires the permission `key:read`.

        :param project_id: ID of the project.
        :param key_id: ID of the API key.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        return self._client._call(
            ops.GET_KEY,
            (project_id, key_id),
            headers={"If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )

    def delete(
        self,
        project_id: str,
        key_id: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> m.Message:
        """Delete an API key.

        The value of the key stops working immediately.

        Requires the permission `key:write`.

        Requires a recent sign-in, unless the credential is a personal token or an API key.

        :param project_id: ID of the project.
        :param key_id: ID of the API key.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        return self._client._call(
            ops.DELETE_KEY,
            (project_id, key_id),
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )

    def update(
        self,
        project_id: str,
        key_id: str,
        *,
        label: str | None | Omitted = OMITTED,
        roles: str | None | Omitted = OMITTED,
        expires_at: str | None | Omitted = OMITTED,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> m.ChangedKey:
        """Update an API key.

        Changes the label or the roles of a key; its value stays the same. You can grant only permissions that you
        have.

        Requires the permission `key:write`.

        :param project_id: ID of the project.
        :param key_id: ID of the API key.
        :param label: New display name: 1 to 100 characters. At least one of `label` and `roles` is required.
        :param roles: New comma-separated roles: `admin`, `write`, `read`, or individual permissions such as
            `db:read`.
        :param expires_at: The expiry cannot be changed. If present, it must equal the current one.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        return self._client._call(
            ops.UPDATE_KEY,
            (project_id, key_id),
            body={"label": label, "roles": roles, "expires_at": expires_at},
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )

    def revoke_previous_values(
        self,
        project_id: str,
        key_id: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> m.ShownKey:
        """Revoke the previous values of an API key.

        The values that the key had before it was rotated stop working immediately, also within their grace period.
        The
        current value stays valid. A key without previous values is returned as it is.

        Requires the permission `key:write`.

        Requires a recent sign-in, unless the credential is a personal token or an API key.

        :param project_id: ID of the project.
        :param key_id: ID of the API key.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        return self._client._call(
            ops.REVOKE_PREVIOUS_KEY_VALUES,
            (project_id, key_id),
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )

    def rotate(
        self,
        project_id: str,
        key_id: str,
        *,
        grace_seconds: int | None | Omitted = OMITTED,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> m.IssuedKey:
        """Rotate an API key.

        Replaces the value of a key; its ID, label and roles stay the same. The old value, and those before it, stop
        working
        immediately, unless `grace_seconds` is set: then the two newest old values work until their times. The
        response contains the new value, which is never returned again. A private key can rotate
        itself with its current value.

        Requires the permission `key:write`.

        Requires a recent sign-in, unless the credential is a personal token or an API key.

        Without members, the request has no body.

        :param project_id: ID of the project.
        :param key_id: ID of the API key.
        :param grace_seconds: Number of seconds for which the old value continues to work, and those before it as
            long as they were to. 0 by default: all of them stop working immediately.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        """
        return self._client._call(
            ops.REGENERATE_KEY,
            (project_id, key_id),
            body={"grace_seconds": grace_seconds},
            headers={"Idempotency-Key": idempotency_key},
            timeout=timeout,
        )


class Members(Resource):
    """The operations in `members`."""

    def list(
        self,
        team_id: str,
        *,
        page_size: int = 100,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> Pages[m.Member]:
        """List members.

        Returns the members of the team, oldest first.

        Requires the permission `member:read`.

        :param team_id: ID of the team.
        :param page_size: Entries per page: 1 to 1,000.
        :param cursor: Start at the cursor of an earlier page.
        """
        return self._client._list(ops.LIST_MEMBERS, (team_id,), {}, page_size, cursor, timeout)

    def remove(
        self,
        team_id: str,
        member_id: str,
        *,
        end: str | None = None,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> m.RemovedMember:
        """Remove a member.

        Removes a member from the team. Members can remove themselves to leave the team. The response lists the API
        keys, OAuth clients, identity providers, invites and webhooks that depend on permissions which the member no
        longer has, and what ended.

        Requires the permission `member:write`.

        :param team_id: ID of the team.
        :param member_id: Account ID of the member.
        :param end: Comma-separated list of what is deleted in the same change: `keys`, `clients` and
            `identity_providers`, those of `affected_keys`, `affected_clients` and `affected_identity_providers`.
            Requires the permission to delete them. Default: nothing.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        return self._client._call(
            ops.REMOVE_MEMBER,
            (team_id, member_id),
            query={"end": end},
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )

    def update(
        self,
        team_id: str,
        member_id: str,
        *,
        roles: str | None | Omitted = OMITTED,
        role_name: str | None | Omitted = OMITTED,
        end: str | None = None,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> m.UpdatedMember:
        """Update a member.

        Changes the roles or the role label of a member. The response lists the API keys, OAuth clients, identity
        providers, invites and webhooks that depend on permissions which the member no longer has, and what ended.

        Requires the permission `member:write`.

        :param team_id: ID of the team.
        :param member_id: Account ID of the member.
        :param roles: Comma-separated role names (`owner`, `admin`, `developer`, `viewer`) and permissions such as
            `project:read`. At least one of `roles` and `role_name` is required.
        :param role_name: Label of the member's role: at most 64 characters. It grants no permissions.
        :param end: Comma-separated list of what is deleted in the same change: `keys`, `clients` and
            `identity_providers`, those of `affected_keys`, `affected_clients` and `affected_identity_providers`.
            Requires the permission to delete them. Default: nothing.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        return self._client._call(
            ops.UPDATE_MEMBER,
            (team_id, member_id),
            body={"roles": roles, "role_name": role_name},
            query={"end": end},
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )


class OauthClients(Resource):
    """The operations in `oauth_clients`."""

    def list(self, project_id: str, *, timeout: float | None = None) -> List[m.OAuthClient]:
        """List OAuth clients.

        Returns the clients that the project registered, oldest first, without their secrets. The project itself,
        whose ID is
        that of a public client, is not one of them.

        Requires the permission `project:read`.

        :param project_id: ID of the project.
        """
        return self._client._call(ops.LIST_CLIENTS, (project_id,), timeout=timeout)

    def create(
        self,
        project_id: str,
        *,
        name: str,
        type: Literal["public", "confidential"],
        grant_types: Sequence[Literal["authorization_code", "refresh_token", "client_credentials", "urn:ietf:params:oauth:grant-type:device_code"]] | None | Omitted = OMITTED,
        redirect_uris: Sequence[str] | None | Omitted = OMITTED,
        scope: str | None | Omitted = OMITTED,
        roles: str | None | Omitted = OMITTED,
        require_pkce: bool | None | Omitted = OMITTED,
        skip_consent: bool | None | Omitted = OMITTED,
        jwks: Mapping[str, Any] | None | Omitted = OMITTED,
        require_dpop: bool | None | Omitted = OMITTED,
        require_pushed_requests: bool | None | Omitted = OMITTED,
        access_token_seconds: int | None | Omitted = OMITTED,
        sign_in_seconds: int | None | Omitted = OMITTED,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> m.OAuthClientWithSecret:
        """Register an OAuth client.

        The response contains the secret of a confidential client, which is never returned again. You can grant only
        roles
        whose permissions you have.

        Requires the permission `project:write` and `key:write`.

        Requires a recent sign-in, unless the credential is a personal token or an API key.

        :param project_id: ID of the project.
        :param name: Name that people see when they are asked for consent: 1 to 100 characters.
        :param type: `public` or `confidential`.
        :param grant_types: Grant types that the client may use. Default: `authorization_code` and `refresh_token`.
            `client_credentials` is only for confidential clients.
        :param redirect_uris: URIs that may receive authorization codes: at most 50. Required for
            `authorization_code`.
        :param scope: Scopes that the client may request when a person signs in, separated by spaces. Default: all
            that projects may request.
        :param roles: Comma-separated roles of a client that acts on its own behalf, as for API keys. Required for
            `client_credentials`.
        :param require_pkce: Whether an authorization request must contain a code challenge. Default: only for a
            public client, which cannot turn it off.
        :param skip_consent: Whether people are not asked for consent; `false` by default.
        :param jwks: Public keys with which a confidential client authenticates (`private_key_jwt`), as a JSON Web
            Key Set: 1 to 10 keys for ES256, EdDSA, RS256 or PS256, at most 8 KiB. The client has no secret then.
        :param require_dpop: Whether the client gets only tokens that are bound to a key (RFC 9449); `false` by
            default.
        :param require_pushed_requests: Whether the client must push its authorization requests (RFC 9126); `false`
            by default.
        :param access_token_seconds: Lifetime of access tokens: 60 to 86,400 seconds, or 0 for the default of the
            service (default).
        :param sign_in_seconds: Time after which the person must sign in again: 300 to 31,536,000 seconds, or 0 for
            the default of the service (default).
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        """
        return self._client._call(
            ops.CREATE_CLIENT,
            (project_id,),
            body={"name": name, "type": type, "grant_types": grant_types, "redirect_uris": redirect_uris, "scope": scope, "roles": roles, "require_pkce": require_pkce, "skip_consent": skip_consent, "jwks": jwks, "require_dpop": require_dpop, "require_pushed_requests": require_pushed_requests, "access_token_seconds": access_token_seconds, "sign_in_seconds": sign_in_seconds},
            headers={"Idempotency-Key": idempotency_key},
            timeout=timeout,
        )

    def get(
        self,
        project_id: str,
        client_id: str,
        *,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> m.OAuthClient:
        """Get an OAuth client.

        Returns a client without its secret.

        Requires the permission `project:read`.

        :param project_id: ID of the project.
        :param client_id: ID of the OAuth client.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        return self._client._call(
            ops.GET_CLIENT,
            (project_id, client_id),
            headers={"If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )

    def delete(
        self,
        project_id: str,
        client_id: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> m.Success:
        """Delete an OAuth client.

        The tokens of the client stop working immediately.

        Requires the permission `project:write` and `key:write`.

        Requires a recent sign-in, unless the credential is a personal token or an API key.

        :param project_id: ID of the project.
        :param client_id: ID of the OAuth client.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        return self._client._call(
            ops.DELETE_CLIENT,
            (project_id, client_id),
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )

    def update(
        self,
        project_id: str,
        client_id: str,
        *,
        name: str | None | Omitted = OMITTED,
        grant_types: Sequence[Literal["authorization_code", "refresh_token", "client_credentials", "urn:ietf:params:oauth:grant-type:device_code"]] | None | Omitted = OMITTED,
        redirect_uris: Sequence[str] | None | Omitted = OMITTED,
        scope: str | None | Omitted = OMITTED,
        roles: str | None | Omitted = OMITTED,
        require_pkce: bool | None | Omitted = OMITTED,
        skip_consent: bool | None | Omitted = OMITTED,
        jwks: Mapping[str, Any] | None | Omitted = OMITTED,
        require_dpop: bool | None | Omitted = OMITTED,
        require_pushed_requests: bool | None | Omitted = OMITTED,
        access_token_seconds: int | None | Omitted = OMITTED,
        sign_in_seconds: int | None | Omitted = OMITTED,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> m.OAuthClient:
        """Update an OAuth client.

        Changes the settings of a client. Its type does not change, and its secret only if it gets keys: it has none
        then. Tokens that were issued keep their scopes
        and their lifetime until they are renewed; the roles of a client that acts on its own behalf change at once.
        If the
        client has roles, you must have their permissions.

        Requires the permission `project:write` and `key:write`.

        Requires a recent sign-in, unless the credential is a personal token or an API key.

        :param project_id: ID of the project.
        :param client_id: ID of the OAuth client.
        :param name: New name: 1 to 100 characters.
        :param grant_types: New grant types.
        :param redirect_uris: New redirect URIs: at most 50.
        :param scope: New scopes, separated by spaces.
        :param roles: New comma-separated roles of a client that acts on its own behalf. An empty string removes
            them.
        :param require_pkce: Whether an authorization request must contain a code challenge.
        :param skip_consent: Whether people are not asked for consent.
        :param jwks: New public keys of a confidential client, instead of the current ones or of its secret. They
            cannot be removed.
        :param require_dpop: Whether the client gets only tokens that are bound to a key. Tokens that were issued
            stay as they are.
        :param require_pushed_requests: Whether the client must push its authorization requests.
        :param access_token_seconds: Lifetime of access tokens: 60 to 86,400 seconds, or 0 for the default of the
            service.
        :param sign_in_seconds: Time after which the person must sign in again: 300 to 31,536,000 seconds, or 0 for
            the default of the service.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        return self._client._call(
            ops.UPDATE_CLIENT,
            (project_id, client_id),
            body={"name": name, "grant_types": grant_types, "redirect_uris": redirect_uris, "scope": scope, "roles": roles, "require_pkce": require_pkce, "skip_consent": skip_consent, "jwks": jwks, "require_dpop": require_dpop, "require_pushed_requests": require_pushed_requests, "access_token_seconds": access_token_seconds, "sign_in_seconds": sign_in_seconds},
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )

    def upload_logo(
        self,
        project_id: str,
        client_id: str,
        *,
        file: bytes,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> m.OAuthClient:
        """Upload the logo of an OAuth client.

        Replaces the logo of a client. Pages on which people sign in to the client show it in place of the icon of
        the project,
        except for a client that registered itself. Anyone who knows its URL can read it.

        Requires the permission `project:write` and `key:write`.

        :param project_id: ID of the project.
        :param client_id: ID of the OAuth client.
        :param file: PNG, JPEG, WebP or GIF image. The format is detected from the content. An icon or a logo has at
            most 2 MiB and 16 to 4,096 pixels per side, a background at most 8 MiB and 16 to 8,192 pixels per side.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        """
        return self._client._call(
            ops.UPLOAD_CLIENT_LOGO,
            (project_id, client_id),
            body={"file": file},
            headers={"Idempotency-Key": idempotency_key},
            timeout=timeout,
        )

    def delete_logo(
        self,
        project_id: str,
        client_id: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> m.Success:
        """Delete the logo of an OAuth client.

        Deletes the uploaded logo of a client.

        Requires the permission `project:write` and `key:write`.

        :param project_id: ID of the project.
        :param client_id: ID of the OAuth client.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        return self._client._call(
            ops.DELETE_CLIENT_LOGO,
            (project_id, client_id),
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )

    def rotate_secret(
        self,
        project_id: str,
        client_id: str,
        *,
        grace_seconds: int | None | Omitted = OMITTED,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> m.OAuthClientWithSecret:
        """Rotate the secret of an OAuth client.

        Replaces the secret of a confidential client. The old secret, and those before it, stop working immediately,
        unless
        `grace_seconds` is set: then the two newest old secrets work until their times. The response contains the
        new secret,
        which is never returned again. Tokens that were issued stay valid.

        Requires the permission `project:write` and `key:write`.

        Requires a recent sign-in, unless the credential is a personal token or an API key.

        Without members, the request has no body.

        :param project_id: ID of the project.
        :param client_id: ID of the OAuth client.
        :param grace_seconds: Number of seconds for which the old secret continues to work, and those before it as
            long as they were to. 0 by default: all of them stop working immediately.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        """
        return self._client._call(
            ops.ROTATE_CLIENT_SECRET,
            (project_id, client_id),
            body={"grace_seconds": grace_seconds},
            headers={"Idempotency-Key": idempotency_key},
            timeout=timeout,
        )


class OwnInvites(Resource):
    """The operations in `own_invites`."""

    def list(
        self,
        *,
        page_size: int = 100,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> Pages[m.OwnInvite]:
        """List your invites.

        Returns the pending invites to the caller's username and, if it is verified, to the caller's email address,
        newest
        first.

        :param page_size: Entries per page: 1 to 1,000.
        :param cursor: Start at the cursor of an earlier page.
        """
        return self._client._list(ops.LIST_OWN_INVITES, (), {}, page_size, cursor, timeout)

    def accept(
        self,
        *,
        invite_id: str,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> m.Membership:
        """Accept an invite.

        The caller becomes a member of the team. An invite that is missing, expired, revoked or for another person
        is not
        found.

        :param invite_id: ID of the invite.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        """
        return self._client._call(
            ops.ACCEPT_INVITE,
            (),
            body={"invite_id": invite_id},
            headers={"Idempotency-Key": idempotency_key},
            timeout=timeout,
        )

    def decline(
        self,
        *,
        invite_id: str,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> m.Success:
        """Decline an invite.

        The invite cannot be accepted afterwards. An invite that is missing, expired, revoked or for another person
        is not
        found.

        :param invite_id: ID of the invite.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        """
        return self._client._call(
            ops.DECLINE_INVITE,
            (),
            body={"invite_id": invite_id},
            headers={"Idempotency-Key": idempotency_key},
            timeout=timeout,
        )


class OwnItems(Resource, Generic[Fields, Entry, Changes, Where]):
    """The operations in `own_items`."""

    def __init__(self, client: Client, project_id: str, table: str) -> None:
        super().__init__(client)
        self._ids = (project_id, table,)

    def list(
        self,
        where: Where | None = None,
        *,
        conditions: Mapping[str, str | Sequence[str]] | None = None,
        id: str | None = None,
        order: str | None = None,
        offset: int | None = None,
        select: str | None = None,
        page_size: int = 100,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> Pages[Entry]:
        """List items.

        Returns the items of a user in a table that meet all conditions. Without `limit`, all items are streamed.

        :param where: Conditions, by field: a value, or operators such as `{"gte": 2}`. An item must meet all of
            them, and those of `conditions`, which can also be negated.
        :param conditions: Conditions: any number of parameters, each with the name of a field, `id`, `created_at`
            or `updated_at`, and a value of the form `operator.value`. An item must meet all of them. Operators:
            `eq`, `neq`, `gt`, `gte`, `lt`, `lte`, `in.(a,"b,c")` or `in.a,b`, and `is.null`. Text fields also
            support `like` and `ilike`, with `*` as the wildcard and `\\*` as an asterisk. Boolean fields support
            only `eq`, `neq`, `is.null`, `is.true` and `is.false`; JSON fields only `is.null`. The prefix `not.`
            negates an operator. A comparison with an absent value never matches, negated or not.
        :param id: Return only the item with this ID, or items whose ID meets a condition.
        :param order: Sort order, such as `rank.desc,title.asc`. Absent values sort last, and equal items are sorted
            by ID. By default, the newest items come first.
        :param offset: Number of items to skip. It cannot be combined with `cursor`.
        :param select: Comma-separated members of the items to return besides `id`, such as `title,rank`.
        :param page_size: Entries per page: 1 to 1,000.
        :param cursor: Start at the cursor of an earlier page.
        """
        return self._client._list(
            ops.LIST_OWN_ITEMS,
            self._ids,
            {"conditions": conditions_of(where, conditions), "id": id, "order": order, "offset": offset, "select": select},
            page_size,
            cursor,
            timeout,
        )

    def create(self, value: Fields, *, idempotency_key: str | None = None, timeout: float | None = None) -> Entry:
        """Create an item.

        The service generates the ID of the item.

        :param value: Fields of the item, as defined by the table in the schema. `id`, `created_at` and `updated_at`
            are ignored.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        """
        returned: Entry = self._client._call(
            ops.CREATE_OWN_ITEM,
            self._ids,
            body={"value": value},
            headers={"Idempotency-Key": idempotency_key},
            timeout=timeout,
        )
        return returned

    def batch(
        self,
        *,
        operations: Sequence[m.ItemOperation[Fields, Changes]],
        created_before: str | None | Omitted = OMITTED,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> List[Entry]:
        """Write several items.

        Performs up to 100 operations, each on a different item. Either all of them take effect, or none. Returns
        the items
        in the order of the operations; a deleted item is returned as it was before. Each operation can have its own
        `if_match` and `if_none_match`.

        :param operations: Operations, each on a different item. Either all of them take effect, or none; the error
            contains the `index` of the first operation that failed.
        :param created_before: New items that are put count as created before this time, at most seven days ago,
            each one a microsecond before the item of the operation before it: a list of the newest items has the
            order of the operations. A time in the future counts as now. By default, all of them count as created
            now.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        """
        return self._client._call(
            ops.BATCH_OWN_ITEMS,
            self._ids,
            body={"operations": operations, "created_before": created_before},
            headers={"Idempotency-Key": idempotency_key},
            timeout=timeout,
        )

    def get(
        self,
        item_id: str,
        *,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> Entry:
        """Get an item.

        The response has an `ETag`. `If-None-Match` and `If-Match` are supported.

        :param item_id: ID of the item in its table.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        returned: Entry = self._client._call(
            ops.GET_OWN_ITEM,
            (*self._ids, item_id),
            headers={"If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )
        return returned

    def put(
        self,
        item_id: str,
        value: Fields,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> Entry:
        """Create or replace an item.

        Stores the complete item under the ID in the path. Fields that are absent are removed. `If-Match` and
        `If-None-Match` are supported.

        :param item_id: ID of the item in its table.
        :param value: Fields of the item, as defined by the table in the schema. `id`, `created_at` and `updated_at`
            are ignored.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        returned: Entry = self._client._call(
            ops.PUT_OWN_ITEM,
            (*self._ids, item_id),
            body={"value": value},
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )
        return returned

    def delete(
        self,
        item_id: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> Entry:
        """Delete an item.

        Returns the item as it was before. `If-Match` and `If-None-Match` are supported.

        :param item_id: ID of the item in its table.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        returned: Entry = self._client._call(
            ops.DELETE_OWN_ITEM,
            (*self._ids, item_id),
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )
        return returned

    def patch(
        self,
        item_id: str,
        value: Changes,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> Entry:
        """Update fields of an item.

        Fields that are absent stay as they are. `null` removes a field. `If-Match` and `If-None-Match` are
        supported.

        :param item_id: ID of the item in its table.
        :param value: Fields of the item, as defined by the table in the schema. `id`, `created_at` and `updated_at`
            are ignored.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        returned: Entry = self._client._call(
            ops.PATCH_OWN_ITEM,
            (*self._ids, item_id),
            body={"value": value},
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )
        return returned


class ProjectAuditLog(Resource):
    """The operations in `project_audit_log`."""

    def list(
        self,
        project_id: str,
        *,
        actor: str | None = None,
        action: str | None = None,
        target: str | None = None,
        from_: str | None = None,
        to: str | None = None,
        item_changes: Literal["include", "exclude", "only"] | None = None,
        page_size: int = 100,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> Pages[m.AuditEvent]:
        """List audit events.

        Returns the audit log of the project, or of the team and its projects, newest first. A page holds 100 events
        by
        default. With `Accept: application/x-ndjson` or `text/csv`, the response is the complete log as a stream
        instead. In
        CSV, text that a spreadsheet program would evaluate as a formula has an apostrophe before it.

        Requires the permission `audit:read`.

        :param project_id: ID of the project.
        :param actor: Return only events caused by the account, API key, client or personal access token with this
            ID.
        :param action: Return only events with this action, such as `team.updated`.
        :param target: Return only events about the resource with this ID.
        :param from_: Return only events at or after this timestamp.
        :param to: Return only events before this timestamp.
        :param item_changes: Whether to return changes of items: `include` (the default), `exclude`, or `only`.
        :param page_size: Entries per page: 1 to 1,000.
        :param cursor: Start at the cursor of an earlier page.
        """
        return self._client._list(
            ops.LIST_PROJECT_AUDIT,
            (project_id,),
            {"actor": actor, "action": action, "target": target, "from": from_, "to": to, "item_changes": item_changes},
            page_size,
            cursor,
            timeout,
        )

    def events(
        self,
        project_id: str,
        *,
        after: int | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> m.Events:
        """Follow events.

        Returns the events of the project, or of the team and its projects, oldest first, starting after a position.
        To
        receive each event once, poll with `after` set to the `next` of the previous response.

        Requires the permission `audit:read`.

        :param project_id: ID of the project.
        :param after: Return only events after this position: `next` of the previous response. Without it, the log
            is read from its start.
        :param limit: Maximum number of events to return; 100 by default.
        """
        return self._client._call(
            ops.LIST_PROJECT_EVENTS,
            (project_id,),
            query={"after": after, "limit": limit},
            timeout=timeout,
        )


class ProjectWebhooks(Resource):
    """The operations in `project_webhooks`."""

    def list(
        self,
        project_id: str,
        *,
        page_size: int = 100,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> Pages[m.Webhook]:
        """List webhooks.

        Returns the webhooks of the team or project, newest first, without their secrets.

        Requires the permission `webhook:read`.

        :param project_id: ID of the project.
        :param page_size: Entries per page: 1 to 1,000.
        :param cursor: Start at the cursor of an earlier page.
        """
        return self._client._list(ops.LIST_PROJECT_WEBHOOKS, (project_id,), {}, page_size, cursor, timeout)

    def create(
        self,
        project_id: str,
        *,
        url: str,
        events: Sequence[Literal["*", "team.created", "team.updated", "team.deleted", "team.access_denied", "member.created", "member.updated", "member.deleted", "invite.created", "invite.updated", "invite.deleted", "project.created", "project.updated", "project.deleted", "project.access_denied", "project.client_request_refused", "api_key.created", "api_key.updated", "api_key.deleted", "client.created", "client.updated", "client.deleted", "identity_provider.created", "identity_provider.updated", "identity_provider.deleted", "identity_provider.sign_in_failed", "schema.created", "project_user.created", "project_user.updated", "project_user.deleted", "item.created", "item.updated", "item.deleted", "grant.created", "grant.updated", "grant.deleted", "webhook.created", "webhook.updated", "webhook.deleted"]],
        ordering: Literal["project", "none"] | None | Omitted = OMITTED,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> m.WebhookWithSecret:
        """Create a webhook.

        The webhook receives the events of the team or project from now on. The response holds its signing secret,
        which is
        not shown again.

        Requires the permission `webhook:write`.

        Requires a recent sign-in, unless the credential is a personal token or an API key.

        :param project_id: ID of the project.
        :param url: URL to send events to: a public https URL of at most 2,048 characters, without credentials and
            fragment.
        :param events: Names of the events to send, such as `team.updated`: at most 100. `["*"]` for all events.
        :param ordering: `project` sends the events of each project, and those of the team itself, in order, and
            those of different projects at the same time. `none` sends events in any order. The default is
            `project`.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        """
        return self._client._call(
            ops.CREATE_PROJECT_WEBHOOK,
            (project_id,),
            body={"url": url, "events": events, "ordering": ordering},
            headers={"Idempotency-Key": idempotency_key},
            timeout=timeout,
        )

    def get(
        self,
        project_id: str,
        webhook_id: str,
        *,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> m.Webhook:
        """Get a webhook.

        Returns a webhook without its secret.

        Requires the permission `webhook:read`.

        :param project_id: ID of the project.
        :param webhook_id: ID of the webhook.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        return self._client._call(
            ops.GET_PROJECT_WEBHOOK,
            (project_id, webhook_id),
            headers={"If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )

    def delete(
        self,
        project_id: str,
        webhook_id: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> m.Success:
        """Delete a webhook.

        No further events are sent.

        Requires the permission `webhook:write`.

        Requires a recent sign-in, unless the credential is a personal token or an API key.

        :param project_id: ID of the project.
        :param webhook_id: ID of the webhook.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        return self._client._call(
            ops.DELETE_PROJECT_WEBHOOK,
            (project_id, webhook_id),
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )

    def update(
        self,
        project_id: str,
        webhook_id: str,
        *,
        url: str | None | Omitted = OMITTED,
        events: Sequence[Literal["*", "team.created", "team.updated", "team.deleted", "team.access_denied", "member.created", "member.updated", "member.deleted", "invite.created", "invite.updated", "invite.deleted", "project.created", "project.updated", "project.deleted", "project.access_denied", "project.client_request_refused", "api_key.created", "api_key.updated", "api_key.deleted", "client.created", "client.updated", "client.deleted", "identity_provider.created", "identity_provider.updated", "identity_provider.deleted", "identity_provider.sign_in_failed", "schema.created", "project_user.created", "project_user.updated", "project_user.deleted", "item.created", "item.updated", "item.deleted", "grant.created", "grant.updated", "grant.deleted", "webhook.created", "webhook.updated", "webhook.deleted"]] | None | Omitted = OMITTED,
        ordering: Literal["project", "none"] | None | Omitted = OMITTED,
        status: Literal["active", "paused"] | None | Omitted = OMITTED,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> m.Webhook:
        """Update a webhook.

        Changes the URL, the events or the ordering of a webhook, pauses it or resumes it.

        Requires the permission `webhook:write`.

        :param project_id: ID of the project.
        :param webhook_id: ID of the webhook.
        :param url: New URL to send events to: a public https URL of at most 2,048 characters, without credentials
            and fragment.
        :param events: Names of the events to send, such as `team.updated`: at most 100. `["*"]` for all events.
        :param ordering: `project` sends the events of each project, and those of the team itself, in order, and
            those of different projects at the same time. `none` sends events in any order. The change takes effect
            within 10 seconds.
        :param status: `paused` pauses the webhook: no further events are sent, but they are kept. `active` resumes
            it: delivery continues with the first event that was not delivered.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        return self._client._call(
            ops.UPDATE_PROJECT_WEBHOOK,
            (project_id, webhook_id),
            body={"url": url, "events": events, "ordering": ordering, "status": status},
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )

    def deliveries(
        self,
        project_id: str,
        webhook_id: str,
        *,
        page_size: int = 100,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> Pages[m.WebhookDelivery]:
        """List the deliveries of a webhook.

        Returns the attempts to deliver events to the webhook, newest first.

        Requires the permission `webhook:read`.

        :param project_id: ID of the project.
        :param webhook_id: ID of the webhook.
        :param page_size: Entries per page: 1 to 1,000.
        :param cursor: Start at the cursor of an earlier page.
        """
        return self._client._list(
            ops.LIST_PROJECT_WEBHOOK_DELIVERIES,
            (project_id, webhook_id),
            {},
            page_size,
            cursor,
            timeout,
        )

    def delivery(
        self,
        project_id: str,
        webhook_id: str,
        delivery_id: str,
        *,
        timeout: float | None = None,
    ) -> m.WebhookDeliveryDetails:
        """Get a delivery of a webhook.

        Returns an attempt with the message that was sent, the beginning of the response, and when the event is sent
        again.

        Requires the permission `webhook:read`.

        :param project_id: ID of the project.
        :param webhook_id: ID of the webhook.
        :param delivery_id: ID of the delivery.
        """
        return self._client._call(
            ops.GET_PROJECT_WEBHOOK_DELIVERY,
            (project_id, webhook_id, delivery_id),
            timeout=timeout,
        )

    def redeliver(
        self,
        project_id: str,
        webhook_id: str,
        delivery_id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> m.WebhookDelivery:
        """Redeliver a webhook event.

        Sends the event of an earlier delivery again, now, and returns the outcome. A test event cannot be
        redelivered.

        Requires the permission `webhook:write`.

        :param project_id: ID of the project.
        :param webhook_id: ID of the webhook.
        :param delivery_id: ID of the delivery.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        """
        return self._client._call(
            ops.REDELIVER_PROJECT_WEBHOOK,
            (project_id, webhook_id, delivery_id),
            headers={"Idempotency-Key": idempotency_key},
            timeout=timeout,
        )

    def rotate_secret(
        self,
        project_id: str,
        webhook_id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> m.WebhookWithSecret:
        """Rotate the secret of a webhook.

        For 24 hours, messages are signed with both the new and the previous secret, and after another rotation with
        the one
        before it as long as they were to.

        Requires the permission `webhook:write`.

        Requires a recent sign-in, unless the credential is a personal token or an API key.

        :param project_id: ID of the project.
        :param webhook_id: ID of the webhook.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        """
        return self._client._call(
            ops.ROTATE_PROJECT_WEBHOOK_SECRET,
            (project_id, webhook_id),
            headers={"Idempotency-Key": idempotency_key},
            timeout=timeout,
        )

    def test(
        self,
        project_id: str,
        webhook_id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> m.WebhookDelivery:
        """Test a webhook.

        Sends a signed message of the type `webhook.test`, now, and returns the outcome. A paused webhook can be
        tested as
        well. The message has the form of an event with the position 0, and does not depend on the selected events.
        Each test
        has a `webhook-id` of its own.

        Requires the permission `webhook:write`.

        :param project_id: ID of the project.
        :param webhook_id: ID of the webhook.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        """
        return self._client._call(
            ops.TEST_PROJECT_WEBHOOK,
            (project_id, webhook_id),
            headers={"Idempotency-Key": idempotency_key},
            timeout=timeout,
        )


class Projects(Resource):
    """The operations in `projects`."""

    def list(
        self,
        *,
        page_size: int = 100,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> Pages[m.ListedProject]:
        """List projects.

        Returns the projects of all of the caller's teams, newest first. With an API key, returns only the key's own
        project. Those of a team that requires a second factor are missing until the caller uses one.

        :param page_size: Entries per page: 1 to 1,000.
        :param cursor: Start at the cursor of an earlier page.
        """
        return self._client._list(ops.LIST_PROJECTS, (), {}, page_size, cursor, timeout)

    def create(
        self,
        *,
        name: str,
        team_id: str,
        slug: str | None | Omitted = OMITTED,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> m.CreatedProject:
        """Create a project.

        Creates a project in one of the caller's teams.

        Requires the permission `project:create`.

        :param name: Display name of the project: 1 to 100 characters.
        :param team_id: ID of the team that owns the project.
        :param slug: URL-friendly name, unique in the service: 1 to 63 lowercase letters, digits and single hyphens.
            If absent, it is generated from the name, with a number appended if it is taken.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        """
        return self._client._call(
            ops.CREATE_PROJECT,
            (),
            body={"name": name, "team_id": team_id, "slug": slug},
            headers={"Idempotency-Key": idempotency_key},
            timeout=timeout,
        )

    def check_slug(self, *, slug: str, timeout: float | None = None) -> m.Availability:
        """Check whether a project slug is available.

        A slug is available if it is neither taken nor reserved. Requires no credential.

        :param slug: Slug to check.
        """
        return self._client._call(ops.CHECK_PROJECT_SLUG, (), query={"slug": slug}, timeout=timeout)

    def get(
        self,
        project_id: str,
        *,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> m.ProjectDetails:
        """Get a project.

        Returns a project with the usage and limits of its quotas.

        Requires the permission `project:read`.

        :param project_id: ID of the project.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        return self._client._call(
            ops.GET_PROJECT,
            (project_id,),
            headers={"If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )

    def delete(
        self,
        project_id: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> m.Message:
        """Delete a project.

        Deletes a project and all its data. The project becomes inaccessible immediately, and its slug becomes
        available.
        Its team can be deleted after the data is removed, which takes seconds, or minutes for large projects.

        Requires the permission `project:delete`.

        Requires a recent sign-in, unless the credential is a personal token or an API key.

        :param project_id: ID of the project.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        return self._client._call(
            ops.DELETE_PROJECT,
            (project_id,),
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )

    def update(
        self,
        project_id: str,
        *,
        name: str | None | Omitted = OMITTED,
        slug: str | None | Omitted = OMITTED,
        website: str | None | Omitted = OMITTED,
        profile: Mapping[str, Any] | None | Omitted = OMITTED,
        data: m.ProjectChanges | None | Omitted = OMITTED,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> m.Project:
        """Update a project.

        Changes the name, slug, website or profile of a project.

        Requires the permission `project:write`.

        :param project_id: ID of the project.
        :param name: New display name: 1 to 100 characters.
        :param slug: New URL-friendly name, unique in the service: 1 to 63 lowercase letters, digits and single
            hyphens.
        :param website: New website, an http(s) URL of at most 2,048 characters; null removes it.
        :param profile: Merged into the stored profile (RFC 7396): null removes a member. At most 64 KiB as JSON.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        return self._client._call(
            ops.UPDATE_PROJECT,
            (project_id,),
            body={"name": name, "slug": slug, "website": website, "profile": profile, "data": data},
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )

    def profile(
        self,
        project_id: str,
        *,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> m.PublicProject:
        """Get the public profile of a project.

        Returns the information about a project that everyone may read. Requires no credential.

        :param project_id: ID of the project.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        return self._client._call(
            ops.GET_PROJECT_PROFILE,
            (project_id,),
            headers={"If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )

    def requests(
        self,
        project_id: str,
        *,
        after: str | None = None,
        limit: int | None = None,
        caller: str | None = None,
        method: str | None = None,
        route: str | None = None,
        status: str | None = None,
        timeout: float | None = None,
    ) -> m.RequestList:
        """List requests.

        Returns the newest requests to a project, oldest first. To follow them, poll with `after` set to the `next`
        of the
        previous response. Requests are in the memory of the instance of the service that served them: some 600 for
        each project,
        none before its start. A response has those of one instance, which it names. All requests of callers with
        access to the
        project are listed, whatever their result, except those of this operation.

        Requires the permission `audit:read`.

        :param project_id: ID of the project.
        :param after: Return only requests after this point: `next` of the previous response. Without it, the newest
            requests are returned.
        :param limit: Maximum number of requests to return; 100 by default.
        :param caller: Return only requests of the API key, account, client, user or personal access token with this
            ID.
        :param method: Return only requests with this method, such as `POST`.
        :param route: Return only requests whose route contains this text, such as `/db/`.
        :param status: Return only requests with this status, such as `404`, or a class of statuses, such as `4xx`.
        """
        return self._client._call(
            ops.LIST_REQUESTS,
            (project_id,),
            query={"after": after, "limit": limit, "caller": caller, "method": method, "route": route, "status": status},
            timeout=timeout,
        )

    def request_stats(
        self,
        project_id: str,
        *,
        days: int | None = None,
        timeout: float | None = None,
    ) -> m.RequestStats:
        """Get request statistics.

        Returns the number of requests to a project on each day up to today. All requests of callers with access to
        the
        project count, whatever their result. Requests of the last seconds may be missing.

        Requires the permission `project:read`.

        :param project_id: ID of the project.
        :param days: Number of days in `series`: 1 to 365. Default: 30.
        """
        return self._client._call(ops.GET_REQUEST_STATS, (project_id,), query={"days": days}, timeout=timeout)


class Schemas(Resource):
    """The operations in `schemas`."""

    def list(
        self,
        project_id: str,
        *,
        page_size: int = 100,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> Pages[m.SchemaVersion]:
        """List schema versions.

        Returns the newest version of a project's schema, the version with a number, or all versions, newest first.
        Requires
        no credential.

        :param project_id: ID of the project.
        :param page_size: Entries per page: 1 to 1,000.
        :param cursor: Start at the cursor of an earlier page.
        """
        return self._client._list(ops.GET_SCHEMA, (project_id,), {"version": "all"}, page_size, cursor, timeout)

    def get(
        self,
        project_id: str,
        *,
        version: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> m.SchemaListing:
        """List schema versions.

        Returns the newest version of a project's schema, the version with a number, or all versions, newest first.
        Requires
        no credential.

        :param project_id: ID of the project.
        :param version: Version number, or `all` for all versions. Default: the newest version.
        :param limit: Maximum number of entries of the page. A page also ends after 4 MiB. Without `limit` the list
            is complete, unless the description of the operation states a default.
        :param cursor: `next_cursor` of the previous page.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        returned: m.SchemaListing = self._client._call(
            ops.GET_SCHEMA,
            (project_id,),
            query={"version": version, "limit": limit, "cursor": cursor},
            headers={"If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )
        return returned

    def publish(
        self,
        project_id: str,
        *,
        schema: Mapping[str, Any],
        dry_run: bool | None = None,
        allow_destructive: bool | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> m.Publication:
        """Publish a schema.

        Publishes a document as the next version of a project's schema. An absent `project_id` or `version` is
        filled in.

        Requires the permission `schema:write`.

        :param project_id: ID of the project.
        :param schema: Schema document: an object with `project_id`, `version` and `tables`. In a PATCH request,
            only the changes to merge (RFC 7396): null removes a member.
        :param dry_run: Whether to only check the publication. Nothing is stored; the response contains the version
            that would be published, and its effects.
        :param allow_destructive: Whether to publish even if stored items no longer conform to the schema. These
            items stay unchanged.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        """
        return self._client._call(
            ops.PUBLISH_SCHEMA,
            (project_id,),
            body={"schema": schema},
            query={"dry_run": dry_run, "allow_destructive": allow_destructive},
            headers={"Idempotency-Key": idempotency_key},
            timeout=timeout,
        )

    def patch(
        self,
        project_id: str,
        *,
        schema: Mapping[str, Any],
        dry_run: bool | None = None,
        allow_destructive: bool | None = None,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> m.Publication:
        """Patch a schema.

        Merges changes into the newest version of a project's schema (RFC 7396) and publishes the result as the next
        version.

        Requires the permission `schema:write`.

        :param project_id: ID of the project.
        :param schema: Schema document: an object with `project_id`, `version` and `tables`. In a PATCH request,
            only the changes to merge (RFC 7396): null removes a member.
        :param dry_run: Whether to only check the publication. Nothing is stored; the response contains the version
            that would be published, and its effects.
        :param allow_destructive: Whether to publish even if stored items no longer conform to the schema. These
            items stay unchanged.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        return self._client._call(
            ops.PATCH_SCHEMA,
            (project_id,),
            body={"schema": schema},
            query={"dry_run": dry_run, "allow_destructive": allow_destructive},
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )

    def roll_back(
        self,
        project_id: str,
        *,
        version: int,
        dry_run: bool | None = None,
        allow_destructive: bool | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> m.Publication:
        """Roll back a schema.

        Publishes the document of an earlier version of a project's schema as the next version.

        Requires the permission `schema:write`.

        :param project_id: ID of the project.
        :param version: Number of a published version.
        :param dry_run: Whether to only check the publication. Nothing is stored; the response contains the version
            that would be published, and its effects.
        :param allow_destructive: Whether to publish even if stored items no longer conform to the schema. These
            items stay unchanged.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        """
        return self._client._call(
            ops.ROLLBACK_SCHEMA,
            (project_id,),
            body={"version": version},
            query={"dry_run": dry_run, "allow_destructive": allow_destructive},
            headers={"Idempotency-Key": idempotency_key},
            timeout=timeout,
        )

    def json_schema(self, *, if_none_match: str | None = None, timeout: float | None = None) -> Dict[str, Any]:
        """Get the JSON Schema of schema documents.

        Returns the rules of schema documents as a JSON Schema (draft-07). Editors complete and check a document
        whose
        `$schema` is the URL of this operation.

        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        return self._client._call(
            ops.GET_JSON_SCHEMA,
            (),
            headers={"If-None-Match": if_none_match},
            timeout=timeout,
        )

    def compare(self, *, schema: Mapping[str, Any], timeout: float | None = None) -> m.SchemaComparison:
        """Compare a schema.

        Returns the changes from the published schema of the document's `project_id` to the document. Requires no
        credential.

        :param schema: Schema document: an object with `project_id`, `version` and `tables`. In a PATCH request,
            only the changes to merge (RFC 7396): null removes a member.
        """
        return self._client._call(ops.COMPARE_SCHEMA, (), body={"schema": schema}, timeout=timeout)

    def check_update(self, *, schema: Mapping[str, Any], timeout: float | None = None) -> m.SchemaCheck:
        """Check a schema update.

        Returns whether the document can be published as the next version of the schema of its `project_id`, and the
        changes. Nothing is stored. Requires no credential.

        :param schema: Schema document: an object with `project_id`, `version` and `tables`. In a PATCH request,
            only the changes to merge (RFC 7396): null removes a member.
        """
        return self._client._call(ops.VERIFY_UPDATE_SCHEMA, (), body={"schema": schema}, timeout=timeout)


class Service(Resource):
    """The operations in `service`."""

    def get_root(self, *, timeout: float | None = None) -> m.ServiceInfo:
        """Get service information.

        Returns the name of the deployment, the version and the state of the database. With `Accept: text/html`, as
        browsers
        send it, the response is the landing page instead.
        """
        return self._client._call(ops.GET_ROOT, (), timeout=timeout)

    def get_oauth_metadata(self, *, timeout: float | None = None) -> m.ProviderMetadata:
        """Get authorization server metadata.

        Returns the endpoints and features of this service as an OAuth 2.0 authorization server (RFC 8414 §2).
        """
        return self._client._call(ops.GET_OAUTH_METADATA, (), timeout=timeout)

    def get_openid_metadata(self, *, timeout: float | None = None) -> m.ProviderMetadata:
        """Get OpenID Provider metadata.

        Returns the endpoints and features of this service as an OpenID Provider (OpenID Connect Discovery §3).
        """
        return self._client._call(ops.GET_OPENID_METADATA, (), timeout=timeout)

    def get_key_set(self, *, timeout: float | None = None) -> Dict[str, Any]:
        """Get the JSON Web Key Set.

        Returns the active and retiring public keys for verifying tokens (RFC 7517 §5). Clients may cache them for
        an hour.
        """
        return self._client._call(ops.GET_KEY_SET, (), timeout=timeout)

    def get_auth_metadata(self, *, timeout: float | None = None) -> m.ProviderMetadata:
        """Get provider metadata below /auth.

        Same as `GET /.well-known/openid-configuration`.
        """
        return self._client._call(ops.GET_AUTH_METADATA, (), timeout=timeout)

    def get_user_info_moved(self, *, timeout: float | None = None) -> str:
        """Redirect to user info.

        The user info moved permanently to `/auth/userinfo`.
        """
        return self._client._call(ops.GET_USER_INFO_MOVED, (), timeout=timeout)

    def get_docs(self, *, if_none_match: str | None = None, timeout: float | None = None) -> str:
        """Get the API reference page.

        Returns an interactive page for browsers that displays the OpenAPI document.

        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        return self._client._call(ops.GET_DOCS, (), headers={"If-None-Match": if_none_match}, timeout=timeout)

    def get_openapi(self, *, if_none_match: str | None = None, timeout: float | None = None) -> Dict[str, Any]:
        """Get the OpenAPI document.

        Returns the OpenAPI 3.1 document that describes this API.

        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        return self._client._call(ops.GET_OPENAPI, (), headers={"If-None-Match": if_none_match}, timeout=timeout)

    def get_liveness(self, *, timeout: float | None = None) -> m.Status:
        """Check liveness.

        Reports that the process runs. It checks neither the database nor a credential.
        """
        return self._client._call(ops.GET_LIVENESS, (), timeout=timeout)

    def get_readiness(self, *, timeout: float | None = None) -> m.Status:
        """Check readiness.

        Reports whether the service can process requests. Responds with 503 and the failing part if the database
        cannot be
        reached or written to, or if the service is shutting down.
        """
        return self._client._call(ops.GET_READINESS, (), timeout=timeout)

    def get_project_did(self, hex: str, *, timeout: float | None = None) -> m.DidDocument:
        """Get the DID document of a project.

        Resolves the `did:web` identifier of the project. Its service `BasicAppMetadata` refers to the client
        metadata.

        :param hex: The ID as 32 hexadecimal digits, without hyphens.
        """
        return self._client._call(ops.GET_PROJECT_DID, (hex,), timeout=timeout)

    def get_client_metadata(self, project_id: str, *, timeout: float | None = None) -> m.ClientMetadata:
        """Get the client metadata of a project.

        Returns the metadata of the project as an OAuth client (RFC 7591 §2).

        :param project_id: ID of the project.
        """
        return self._client._call(ops.GET_CLIENT_METADATA, (project_id,), timeout=timeout)

    def get_account_did(self, hex: str, *, timeout: float | None = None) -> m.DidDocument:
        """Get the DID document of an account.

        Resolves the `did:web` identifier of the account. Its service `PersonalDataServer` refers to this service.

        :param hex: The ID as 32 hexadecimal digits, without hyphens.
        """
        return self._client._call(ops.GET_ACCOUNT_DID, (hex,), timeout=timeout)

    def get_utils_status(self, *, timeout: float | None = None) -> m.Status:
        """Get the status of the utilities.

        Responds with 503 if the database cannot be reached or written to.
        """
        return self._client._call(ops.GET_UTILS_STATUS, (), timeout=timeout)

    def slugify(
        self,
        *,
        slug: str | None = None,
        text: str | None = None,
        timeout: float | None = None,
    ) -> m.SlugText:
        """Convert text to a slug.

        Removes special characters, transliterates letters of other scripts, and replaces white space, `_` and `-`
        with
        single hyphens. Requires no credential.

        :param slug: Text to convert.
        :param text: Alias of `slug`, used if `slug` is absent.
        """
        return self._client._call(ops.SLUGIFY, (), query={"slug": slug, "text": text}, timeout=timeout)


class Sessions(Resource):
    """The operations in `sessions`."""

    def current(self, *, timeout: float | None = None) -> m.Session:
        """Get the current sign-in.

        Returns the sign-in that issued the access token. If it has ended, so that the person must sign in again,
        the
        response is 401 with `active: false` and `reauth_required: true`. A 401 without them means that the access
        token is
        not valid, or has expired and can be refreshed.
        """
        return self._client._call(ops.GET_SESSION, (), timeout=timeout)


class Settings(Resource):
    """The operations in `settings`."""

    def get(
        self,
        project_id: str,
        *,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> m.ProjectSettings:
        """Get project settings.

        Returns the settings of the project, with the default for each setting that was never changed.

        Requires the permission `project:read`.

        :param project_id: ID of the project.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        return self._client._call(
            ops.GET_SETTINGS,
            (project_id,),
            headers={"If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )

    def reset(
        self,
        project_id: str,
        *,
        key: Sequence[Literal["auth", "auth.redirect_uris", "auth.require_pkce", "auth.legacy_scopes", "auth.email_codes", "auth.second_factor_from", "auth.post_logout_redirect_uris", "auth.backchannel_logout_uri", "auth.accent_color", "auth.background_color", "auth.tos_uri", "auth.policy_uri"]],
        idempotency_key: str | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> m.ProjectSettings:
        """Reset project settings.

        Resets settings of a project to their defaults and returns all settings.

        Requires the permission `project:write`.

        :param project_id: ID of the project.
        :param key: Dotted path of a setting: `auth`, `auth.redirect_uris`, `auth.require_pkce`,
            `auth.legacy_scopes`, `auth.email_codes`, `auth.second_factor_from`, `auth.post_logout_redirect_uris`,
            `auth.backchannel_logout_uri`, `auth.accent_color`, `auth.background_color`, `auth.tos_uri` or
            `auth.policy_uri`. Can be repeated.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        return self._client._call(
            ops.RESET_SETTINGS,
            (project_id,),
            query={"key": key},
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )

    def update(
        self,
        project_id: str,
        changes: m.UpdateSettingsBody,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> m.ProjectSettings:
        """Update project settings.

        Merges changes into the settings of a project (RFC 7396) and returns all settings.

        Requires the permission `project:write`.

        :param project_id: ID of the project.
        :param changes: Changes to the settings, in the same format as the settings, at the top level or in `data`.
            They are merged into the stored settings (RFC 7396): null resets a setting to its default.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        return self._client._call(
            ops.UPDATE_SETTINGS,
            (project_id,),
            body=changes,
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )


class SyncRejections(Resource):
    """The operations in `sync_rejections`."""

    def list(
        self,
        project_id: str,
        *,
        page_size: int = 100,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> Pages[m.SyncRejection]:
        """List rejected changes.

        Returns the changes of the users' devices that did not fit, newest first. A page holds 100 changes by
        default. The
        newest 1,000 of a project are kept for 30 days, and at most 20 of each message.

        Requires the permission `db:read`.

        :param project_id: ID of the project.
        :param page_size: Entries per page: 1 to 1,000.
        :param cursor: Start at the cursor of an earlier page.
        """
        return self._client._list(ops.LIST_SYNC_REJECTIONS, (project_id,), {}, page_size, cursor, timeout)


class Tables(Resource):
    """The operations in `tables`."""

    def list(self, project_id: str, *, timeout: float | None = None) -> m.ProjectTables:
        """List the tables of a project.

        Returns the tables of the newest schema, and others that still have items, with the number and the size of
        the items of
        all users. At most 10,000 items are counted.

        Requires the permission `db:read`.

        :param project_id: ID of the project.
        """
        return self._client._call(ops.LIST_PROJECT_TABLES, (project_id,), timeout=timeout)

    def items(
        self,
        project_id: str,
        table: str,
        where: Where | None = None,
        *,
        conditions: Mapping[str, str | Sequence[str]] | None = None,
        conforms: bool | None = None,
        order: str | None = None,
        select: str | None = None,
        page_size: int = 100,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> Pages[m.ProjectItem]:
        """List the items of all users.

        Returns the items of all users of a project in a table, by user and ID. Conditions and another order search
        among at
        most 100,000 items of the project; the response states where the search stopped. A page holds 100 items by
        default.

        Requires the permission `db:read`.

        :param where: Conditions, by field: a value, or operators such as `{"gte": 2}`. An item must meet all of
            them, and those of `conditions`, which can also be negated.
        :param project_id: ID of the project.
        :param table: Name of the table in the project's schema.
        :param conditions: Conditions, as in a list of the items of one user: any number of parameters, each with
            the name of a field, `id`, `created_at`, `updated_at` or `user_id`, and a value of the form
            `operator.value`.
        :param conforms: `false`: return only items that do not conform to the newest schema; `true`: only others.
        :param order: Sort order, such as `rank.desc,title.asc`. By default, the order is that of the users' IDs,
            and then of the IDs of their items.
        :param select: Comma-separated members of the items to return besides `id`, such as `title,rank`.
        :param page_size: Entries per page: 1 to 1,000.
        :param cursor: Start at the cursor of an earlier page.
        """
        return self._client._list(
            ops.LIST_PROJECT_ITEMS,
            (project_id, table),
            {"conditions": conditions_of(where, conditions), "conforms": conforms, "order": order, "select": select},
            page_size,
            cursor,
            timeout,
        )


class TeamAuditLog(Resource):
    """The operations in `team_audit_log`."""

    def list(
        self,
        team_id: str,
        *,
        actor: str | None = None,
        action: str | None = None,
        target: str | None = None,
        from_: str | None = None,
        to: str | None = None,
        item_changes: Literal["include", "exclude", "only"] | None = None,
        page_size: int = 100,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> Pages[m.AuditEvent]:
        """List audit events.

        Returns the audit log of the project, or of the team and its projects, newest first. A page holds 100 events
        by
        default. With `Accept: application/x-ndjson` or `text/csv`, the response is the complete log as a stream
        instead. In
        CSV, text that a spreadsheet program would evaluate as a formula has an apostrophe before it.

        Requires the permission `audit:read`.

        :param team_id: ID of the team.
        :param actor: Return only events caused by the account, API key, client or personal access token with this
            ID.
        :param action: Return only events with this action, such as `team.updated`.
        :param target: Return only events about the resource with this ID.
        :param from_: Return only events at or after this timestamp.
        :param to: Return only events before this timestamp.
        :param item_changes: Whether to return changes of items: `include` (the default), `exclude`, or `only`.
        :param page_size: Entries per page: 1 to 1,000.
        :param cursor: Start at the cursor of an earlier page.
        """
        return self._client._list(
            ops.LIST_TEAM_AUDIT,
            (team_id,),
            {"actor": actor, "action": action, "target": target, "from": from_, "to": to, "item_changes": item_changes},
            page_size,
            cursor,
            timeout,
        )

    def events(
        self,
        team_id: str,
        *,
        after: int | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> m.Events:
        """Follow events.

        Returns the events of the project, or of the team and its projects, oldest first, starting after a position.
        To
        receive each event once, poll with `after` set to the `next` of the previous response.

        Requires the permission `audit:read`.

        :param team_id: ID of the team.
        :param after: Return only events after this position: `next` of the previous response. Without it, the log
            is read from its start.
        :param limit: Maximum number of events to return; 100 by default.
        """
        return self._client._call(
            ops.LIST_TEAM_EVENTS,
            (team_id,),
            query={"after": after, "limit": limit},
            timeout=timeout,
        )


class TeamWebhooks(Resource):
    """The operations in `team_webhooks`."""

    def list(
        self,
        team_id: str,
        *,
        page_size: int = 100,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> Pages[m.Webhook]:
        """List webhooks.

        Returns the webhooks of the team or project, newest first, without their secrets.

        Requires the permission `webhook:read`.

        :param team_id: ID of the team.
        :param page_size: Entries per page: 1 to 1,000.
        :param cursor: Start at the cursor of an earlier page.
        """
        return self._client._list(ops.LIST_TEAM_WEBHOOKS, (team_id,), {}, page_size, cursor, timeout)

    def create(
        self,
        team_id: str,
        *,
        url: str,
        events: Sequence[Literal["*", "team.created", "team.updated", "team.deleted", "team.access_denied", "member.created", "member.updated", "member.deleted", "invite.created", "invite.updated", "invite.deleted", "project.created", "project.updated", "project.deleted", "project.access_denied", "project.client_request_refused", "api_key.created", "api_key.updated", "api_key.deleted", "client.created", "client.updated", "client.deleted", "identity_provider.created", "identity_provider.updated", "identity_provider.deleted", "identity_provider.sign_in_failed", "schema.created", "project_user.created", "project_user.updated", "project_user.deleted", "item.created", "item.updated", "item.deleted", "grant.created", "grant.updated", "grant.deleted", "webhook.created", "webhook.updated", "webhook.deleted"]],
        ordering: Literal["project", "none"] | None | Omitted = OMITTED,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> m.WebhookWithSecret:
        """Create a webhook.

        The webhook receives the events of the team or project from now on. The response holds its signing secret,
        which is
        not shown again.

        Requires the permission `webhook:write`.

        Requires a recent sign-in, unless the credential is a personal token or an API key.

        :param team_id: ID of the team.
        :param url: URL to send events to: a public https URL of at most 2,048 characters, without credentials and
            fragment.
        :param events: Names of the events to send, such as `team.updated`: at most 100. `["*"]` for all events.
        :param ordering: `project` sends the events of each project, and those of the team itself, in order, and
            those of different projects at the same time. `none` sends events in any order. The default is
            `project`.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        """
        return self._client._call(
            ops.CREATE_TEAM_WEBHOOK,
            (team_id,),
            body={"url": url, "events": events, "ordering": ordering},
            headers={"Idempotency-Key": idempotency_key},
            timeout=timeout,
        )

    def get(
        self,
        team_id: str,
        webhook_id: str,
        *,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> m.Webhook:
        """Get a webhook.

        Returns a webhook without its secret.

        Requires the permission `webhook:read`.

        :param team_id: ID of the team.
        :param webhook_id: ID of the webhook.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        return self._client._call(
            ops.GET_TEAM_WEBHOOK,
            (team_id, webhook_id),
            headers={"If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )

    def delete(
        self,
        team_id: str,
        webhook_id: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> m.Success:
        """Delete a webhook.

        No further events are sent.

        Requires the permission `webhook:write`.

        Requires a recent sign-in, unless the credential is a personal token or an API key.

        :param team_id: ID of the team.
        :param webhook_id: ID of the webhook.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        return self._client._call(
            ops.DELETE_TEAM_WEBHOOK,
            (team_id, webhook_id),
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )

    def update(
        self,
        team_id: str,
        webhook_id: str,
        *,
        url: str | None | Omitted = OMITTED,
        events: Sequence[Literal["*", "team.created", "team.updated", "team.deleted", "team.access_denied", "member.created", "member.updated", "member.deleted", "invite.created", "invite.updated", "invite.deleted", "project.created", "project.updated", "project.deleted", "project.access_denied", "project.client_request_refused", "api_key.created", "api_key.updated", "api_key.deleted", "client.created", "client.updated", "client.deleted", "identity_provider.created", "identity_provider.updated", "identity_provider.deleted", "identity_provider.sign_in_failed", "schema.created", "project_user.created", "project_user.updated", "project_user.deleted", "item.created", "item.updated", "item.deleted", "grant.created", "grant.updated", "grant.deleted", "webhook.created", "webhook.updated", "webhook.deleted"]] | None | Omitted = OMITTED,
        ordering: Literal["project", "none"] | None | Omitted = OMITTED,
        status: Literal["active", "paused"] | None | Omitted = OMITTED,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> m.Webhook:
        """Update a webhook.

        Changes the URL, the events or the ordering of a webhook, pauses it or resumes it.

        Requires the permission `webhook:write`.

        :param team_id: ID of the team.
        :param webhook_id: ID of the webhook.
        :param url: New URL to send events to: a public https URL of at most 2,048 characters, without credentials
            and fragment.
        :param events: Names of the events to send, such as `team.updated`: at most 100. `["*"]` for all events.
        :param ordering: `project` sends the events of each project, and those of the team itself, in order, and
            those of different projects at the same time. `none` sends events in any order. The change takes effect
            within 10 seconds.
        :param status: `paused` pauses the webhook: no further events are sent, but they are kept. `active` resumes
            it: delivery continues with the first event that was not delivered.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        return self._client._call(
            ops.UPDATE_TEAM_WEBHOOK,
            (team_id, webhook_id),
            body={"url": url, "events": events, "ordering": ordering, "status": status},
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )

    def deliveries(
        self,
        team_id: str,
        webhook_id: str,
        *,
        page_size: int = 100,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> Pages[m.WebhookDelivery]:
        """List the deliveries of a webhook.

        Returns the attempts to deliver events to the webhook, newest first.

        Requires the permission `webhook:read`.

        :param team_id: ID of the team.
        :param webhook_id: ID of the webhook.
        :param page_size: Entries per page: 1 to 1,000.
        :param cursor: Start at the cursor of an earlier page.
        """
        return self._client._list(
            ops.LIST_TEAM_WEBHOOK_DELIVERIES,
            (team_id, webhook_id),
            {},
            page_size,
            cursor,
            timeout,
        )

    def delivery(
        self,
        team_id: str,
        webhook_id: str,
        delivery_id: str,
        *,
        timeout: float | None = None,
    ) -> m.WebhookDeliveryDetails:
        """Get a delivery of a webhook.

        Returns an attempt with the message that was sent, the beginning of the response, and when the event is sent
        again.

        Requires the permission `webhook:read`.

        :param team_id: ID of the team.
        :param webhook_id: ID of the webhook.
        :param delivery_id: ID of the delivery.
        """
        return self._client._call(
            ops.GET_TEAM_WEBHOOK_DELIVERY,
            (team_id, webhook_id, delivery_id),
            timeout=timeout,
        )

    def redeliver(
        self,
        team_id: str,
        webhook_id: str,
        delivery_id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> m.WebhookDelivery:
        """Redeliver a webhook event.

        Sends the event of an earlier delivery again, now, and returns the outcome. A test event cannot be
        redelivered.

        Requires the permission `webhook:write`.

        :param team_id: ID of the team.
        :param webhook_id: ID of the webhook.
        :param delivery_id: ID of the delivery.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        """
        return self._client._call(
            ops.REDELIVER_TEAM_WEBHOOK,
            (team_id, webhook_id, delivery_id),
            headers={"Idempotency-Key": idempotency_key},
            timeout=timeout,
        )

    def rotate_secret(
        self,
        team_id: str,
        webhook_id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> m.WebhookWithSecret:
        """Rotate the secret of a webhook.

        For 24 hours, messages are signed with both the new and the previous secret, and after another rotation with
        the one
        before it as long as they were to.

        Requires the permission `webhook:write`.

        Requires a recent sign-in, unless the credential is a personal token or an API key.

        :param team_id: ID of the team.
        :param webhook_id: ID of the webhook.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        """
        return self._client._call(
            ops.ROTATE_TEAM_WEBHOOK_SECRET,
            (team_id, webhook_id),
            headers={"Idempotency-Key": idempotency_key},
            timeout=timeout,
        )

    def test(
        self,
        team_id: str,
        webhook_id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> m.WebhookDelivery:
        """Test a webhook.

        Sends a signed message of the type `webhook.test`, now, and returns the outcome. A paused webhook can be
        tested as
        well. The message has the form of an event with the position 0, and does not depend on the selected events.
        Each test
        has a `webhook-id` of its own.

        Requires the permission `webhook:write`.

        :param team_id: ID of the team.
        :param webhook_id: ID of the webhook.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        """
        return self._client._call(
            ops.TEST_TEAM_WEBHOOK,
            (team_id, webhook_id),
            headers={"Idempotency-Key": idempotency_key},
            timeout=timeout,
        )


class Teams(Resource):
    """The operations in `teams`."""

    def list(
        self,
        *,
        page_size: int = 100,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> Pages[m.ListedTeam]:
        """List teams.

        Returns all teams that the caller is a member of, oldest first, with the caller's own roles. A team that
        requires a second factor is missing until the caller uses one.

        :param page_size: Entries per page: 1 to 1,000.
        :param cursor: Start at the cursor of an earlier page.
        """
        return self._client._list(ops.LIST_TEAMS, (), {}, page_size, cursor, timeout)

    def create(
        self,
        *,
        name: str,
        slug: str,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> m.CreatedTeam:
        """Create a team.

        The caller becomes the owner of the team.

        :param name: Display name of the team: 1 to 100 characters.
        :param slug: URL-friendly name, unique in the service: 1 to 63 lowercase letters, digits and single hyphens.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        """
        return self._client._call(
            ops.CREATE_TEAM,
            (),
            body={"name": name, "slug": slug},
            headers={"Idempotency-Key": idempotency_key},
            timeout=timeout,
        )

    def check_slug(self, *, slug: str, timeout: float | None = None) -> m.Availability:
        """Check whether a team slug is available.

        A slug is available if it is neither taken nor reserved. Requires no credential.

        :param slug: Slug to check.
        """
        return self._client._call(ops.CHECK_TEAM_SLUG, (), query={"slug": slug}, timeout=timeout)

    def get(
        self,
        team_id: str,
        *,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> m.TeamDetails:
        """Get a team.

        Returns a team with its members, projects and pending invites. Lists that the caller may not read are empty.
        An API
        key receives only its own project.

        Requires the permission `team:read`.

        :param team_id: ID of the team.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        return self._client._call(
            ops.GET_TEAM,
            (team_id,),
            headers={"If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )

    def delete(
        self,
        team_id: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> m.Message:
        """Delete a team.

        Deletes a team with its memberships and invites. A team that still owns a project cannot be deleted.

        Requires the permission `team:delete`.

        Requires a recent sign-in, unless the credential is a personal token or an API key.

        :param team_id: ID of the team.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        return self._client._call(
            ops.DELETE_TEAM,
            (team_id,),
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )

    def update(
        self,
        team_id: str,
        *,
        name: str | None | Omitted = OMITTED,
        slug: str | None | Omitted = OMITTED,
        second_factor_from: str | None | Omitted = OMITTED,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> m.Team:
        """Update a team.

        Changes the name or the slug of a team, or the time from which its members have to use a second factor.

        Requires the permission `team:write`.

        :param team_id: ID of the team.
        :param name: New display name: 1 to 100 characters.
        :param slug: New URL-friendly name, unique in the service: 1 to 63 lowercase letters, digits and single
            hyphens.
        :param second_factor_from: The time from which the members of the team have to use a second factor: a date,
            or an RFC 3339 timestamp; null if they need not. Only someone who uses one may require it.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        return self._client._call(
            ops.UPDATE_TEAM,
            (team_id,),
            body={"name": name, "slug": slug, "second_factor_from": second_factor_from},
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )


class Tokens(Resource):
    """The operations in `tokens`."""

    def introspect(
        self,
        *,
        token: str,
        token_type_hint: str | None | Omitted = OMITTED,
        client_id: str | None | Omitted = OMITTED,
        client_secret: str | None | Omitted = OMITTED,
        client_assertion_type: Literal["urn:ietf:params:oauth:client-assertion-type:jwt-bearer"] | None | Omitted = OMITTED,
        client_assertion: str | None | Omitted = OMITTED,
        timeout: float | None = None,
    ) -> m.Introspection:
        """Introspect a token.

        Returns the metadata of a token (RFC 7662). A private API key and a confidential client can introspect the
        tokens for
        their project, a signed-in person their own tokens, and a client that names itself with HTTP Basic the
        tokens that
        were issued to it. Every other token is reported as not active.

        :param token: Access token or refresh token.
        :param token_type_hint: `access_token` or `refresh_token`. Ignored: the type is detected.
        :param client_id: ID of the client, or UUID or DID of the project, if it is not sent with HTTP Basic. A
            revocation request must match the token's client if it is sent.
        :param client_secret: Secret of a confidential client, if it is not sent with HTTP Basic.
        :param client_assertion_type: Must be `urn:ietf:params:oauth:client-assertion-type:jwt-bearer` if
            `client_assertion` is sent.
        :param client_assertion: JWT that a client with keys signs instead of sending a secret (RFC 7523 §2.2).
        """
        return self._client._call(
            ops.INTROSPECT_TOKEN,
            (),
            body={"token": token, "token_type_hint": token_type_hint, "client_id": client_id, "client_secret": client_secret, "client_assertion_type": client_assertion_type, "client_assertion": client_assertion},
            timeout=timeout,
        )

    def list(
        self,
        *,
        page_size: int = 100,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> Pages[m.PersonalToken]:
        """List personal access tokens.

        Returns the caller's tokens, newest first, without their values.

        :param page_size: Entries per page: 1 to 1,000.
        :param cursor: Start at the cursor of an earlier page.
        """
        return self._client._list(ops.LIST_PERSONAL_TOKENS, (), {}, page_size, cursor, timeout)

    def create(
        self,
        *,
        label: str,
        roles: str,
        expires_at: str,
        teams: Sequence[str] | None | Omitted = OMITTED,
        projects: Sequence[str] | None | Omitted = OMITTED,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> m.CreatedPersonalToken:
        """Create a personal access token.

        The response contains the value of the token, which is not shown again. A personal access token cannot
        create
        another one.

        Requires a recent sign-in, unless the credential is a personal token or an API key.

        :param label: Display name of the token: 1 to 100 characters.
        :param roles: Comma-separated role names (`owner`, `admin`, `developer`, `viewer`) and permissions (such as
            `key:read`). The token has them only if you have them too.
        :param expires_at: When the token expires: in the future and at most 366 days from now.
        :param teams: IDs of up to 100 teams. The token can access only these teams and their projects, and
            `projects`.
        :param projects: IDs of up to 100 projects. The token can access only these projects, and `teams`.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        """
        return self._client._call(
            ops.CREATE_PERSONAL_TOKEN,
            (),
            body={"label": label, "roles": roles, "teams": teams, "projects": projects, "expires_at": expires_at},
            headers={"Idempotency-Key": idempotency_key},
            timeout=timeout,
        )

    def revoke(
        self,
        token_id: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> m.Success:
        """Revoke a personal access token.

        The token stops working immediately.

        :param token_id: ID of the personal access token.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        return self._client._call(
            ops.REVOKE_PERSONAL_TOKEN,
            (token_id,),
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )


class Users(Resource):
    """The operations in `users`."""

    def list(
        self,
        project_id: str,
        *,
        status: Literal["connected", "disconnected", "blocked"] | None = None,
        q: str | None = None,
        page_size: int = 100,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> Pages[m.ProjectUser]:
        """List the users of a project.

        Returns the users that match the filter, newest first.

        Requires the permission `user:read`.

        :param project_id: ID of the project.
        :param status: Only users with this status: `connected`, `disconnected` or `blocked`.
        :param q: Only users whose name, username or DID contains this text, or who granted this email address,
            ignoring case.
        :param page_size: Entries per page: 1 to 1,000.
        :param cursor: Start at the cursor of an earlier page.
        """
        return self._client._list(
            ops.LIST_USERS,
            (project_id,),
            {"status": status, "q": q},
            page_size,
            cursor,
            timeout,
        )

    def connect(self, project_id: str, *, token: str, timeout: float | None = None) -> m.ConnectedUser:
        """Connect a user.

        Connects the person of an access token to a project. A user who left the project is connected again.
        Requires no
        credential besides the token in the body.

        :param project_id: ID of the project.
        :param token: Access token (JWT) of the person, for this project or for this service.
        """
        return self._client._call(ops.CONNECT_USER, (project_id,), body={"token": token}, timeout=timeout)

    def stats(self, project_id: str, *, days: int | None = None, timeout: float | None = None) -> m.UserStats:
        """Get user statistics.

        Returns the number of users of a project, and how many of them were active on each day up to today.

        Requires the permission `user:read`.

        :param project_id: ID of the project.
        :param days: Number of days in `series`: 1 to 365. Default: 30.
        """
        return self._client._call(ops.GET_USER_STATS, (project_id,), query={"days": days}, timeout=timeout)

    def get(
        self,
        project_id: str,
        user_id: str,
        *,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> m.ProjectUser:
        """Get a user of a project.

        Returns a user of the project with the data that the project stores about them.

        Requires the permission `user:read`.

        :param project_id: ID of the project.
        :param user_id: ID of the user in the project.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        return self._client._call(
            ops.GET_USER,
            (project_id, user_id),
            headers={"If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )

    def delete(
        self,
        project_id: str,
        user_id: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> m.Deleted:
        """Delete a user.

        Deletes a user with all data that the project stores about them, and revokes their tokens for the project.
        The deletion
        of a user with much data continues in the background: until it is complete, `deletion_started_at` of the
        user is set,
        their data is not found, and they cannot connect.

        Requires the permission `user:write` and `db:write`.

        Requires a recent sign-in, unless the credential is a personal token or an API key.

        :param project_id: ID of the project.
        :param user_id: ID of the user in the project.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        return self._client._call(
            ops.DELETE_USER,
            (project_id, user_id),
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )

    def update(
        self,
        project_id: str,
        user_id: str,
        *,
        meta: Mapping[str, Any] | None | Omitted = OMITTED,
        status: Literal["connected", "blocked"] | None | Omitted = OMITTED,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> m.ProjectUser:
        """Update a user.

        Merges changes into the data that the project stores about a user, or blocks or unblocks the user.

        Requires the permission `user:write`.

        :param project_id: ID of the project.
        :param user_id: ID of the user in the project.
        :param meta: Merged into the stored data about the user (RFC 7396): null removes a member. At most 64 KiB as
            JSON.
        :param status: `blocked` blocks the user; `connected` unblocks them.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        return self._client._call(
            ops.UPDATE_USER,
            (project_id, user_id),
            body={"meta": meta, "status": status},
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )

    def export(self, project_id: str, user_id: str, *, timeout: float | None = None) -> m.UserExport:
        """Export a user's data.

        Returns all data that a project stores about a user. The response is streamed; if it is interrupted, the
        body is not
        valid JSON. Requires the permissions `user:read` and `db:read`.

        Requires the permission `user:read` and `db:read`.

        :param project_id: ID of the project.
        :param user_id: ID of the user in the project.
        """
        return self._client._call(ops.EXPORT_USER, (project_id, user_id), timeout=timeout)

    def sessions(self, project_id: str, user_id: str, *, timeout: float | None = None) -> List[m.UserSession]:
        """List a user's sessions.

        Returns the active sign-ins of a user to the project, newest first: at most 1,000. A sign-in is active until
        it is
        revoked or its refresh token expires.

        Requires the permission `user:read`.

        :param project_id: ID of the project.
        :param user_id: ID of the user in the project.
        """
        return self._client._call(ops.LIST_USER_SESSIONS, (project_id, user_id), timeout=timeout)

    def sign_out(
        self,
        project_id: str,
        user_id: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
        timeout: float | None = None,
    ) -> m.Success:
        """Sign out a user.

        Ends all sign-ins of a user to the project. Their refresh tokens are revoked, and this service no longer
        accepts
        their access tokens. A service that only verifies the signature of an access token accepts it until it
        expires. The
        person stays signed in to this service and to other projects, and can sign in to the project again: block
        the user
        to prevent that.

        Requires the permission `user:write`.

        Requires a recent sign-in, unless the credential is a personal token or an API key.

        :param project_id: ID of the project.
        :param user_id: ID of the user in the project.
        :param idempotency_key: 1 to 255 printable ASCII characters. By default, each call has a random one.
        :param if_match: Only if the resource still has this `ETag`.
        :param if_none_match: Only if the resource does not have this `ETag`; `*` if it does not exist.
        """
        return self._client._call(
            ops.SIGN_OUT_USER,
            (project_id, user_id),
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match, "If-None-Match": if_none_match},
            timeout=timeout,
        )


class Operations(Client):
    """All groups of operations."""

    def _add_groups(self) -> None:
        self.account = Account(self)
        self.apps = Apps(self)
        self.auth = Auth(self)
        self.identity_providers = IdentityProviders(self)
        self.images = Images(self)
        self.invites = Invites(self)
        self.keys = Keys(self)
        self.members = Members(self)
        self.oauth_clients = OauthClients(self)
        self.own_invites = OwnInvites(self)
        self.project_audit_log = ProjectAuditLog(self)
        self.project_webhooks = ProjectWebhooks(self)
        self.projects = Projects(self)
        self.schemas = Schemas(self)
        self.service = Service(self)
        self.sessions = Sessions(self)
        self.settings = Settings(self)
        self.sync_rejections = SyncRejections(self)
        self.tables = Tables(self)
        self.team_audit_log = TeamAuditLog(self)
        self.team_webhooks = TeamWebhooks(self)
        self.teams = Teams(self)
        self.tokens = Tokens(self)
        self.users = Users(self)

    @overload
    def items(
        self,
        project_id: str,
        user_id: str,
        table: Table[Fields, Entry, Changes, Where],
    ) -> Items[Fields, Entry, Changes, Where]: ...

    @overload
    def items(
        self,
        project_id: str,
        user_id: str,
        table: str,
    ) -> Items[Dict[str, Any], Dict[str, Any], Dict[str, Any], Dict[str, Any]]: ...

    def items(
        self,
        project_id: str,
        user_id: str,
        table: str | Table[Any, Any, Any, Any],
    ) -> Items[Any, Any, Any, Any]:
        """Return the operations of the items in a table: `items`.

        :param project_id: ID of the project.
        :param user_id: ID of the user in the project.
        :param table: Name of the table in the project's schema.
        """
        return Items(self, project_id, user_id, str(table))

    @overload
    def own_items(
        self,
        project_id: str,
        table: Table[Fields, Entry, Changes, Where],
    ) -> OwnItems[Fields, Entry, Changes, Where]: ...

    @overload
    def own_items(
        self,
        project_id: str,
        table: str,
    ) -> OwnItems[Dict[str, Any], Dict[str, Any], Dict[str, Any], Dict[str, Any]]: ...

    def own_items(self, project_id: str, table: str | Table[Any, Any, Any, Any]) -> OwnItems[Any, Any, Any, Any]:
        """Return the operations of the items in a table: `own_items`.

        :param project_id: ID or DID of the project.
        :param table: Name of the table in the project's schema.
        """
        return OwnItems(self, project_id, str(table))
