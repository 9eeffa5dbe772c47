//! The caller, sign-ins, tokens, and what people sign in with and to.

use std::time::Duration;

use steward_api::{
    ClientSecretRotation, IdentityProviderChanges, NewIdentityProvider, NewOAuthClient, NewPersonalToken,
    OAuthClientChanges, TokenParameters,
};

use super::group::groups;

/// Exports contain all items of a person and are read in one response.
const EXPORT_TIMEOUT: Duration = Duration::from_mins(30);

groups! {
    Account: account() of "the caller's own account and credential" {
        /// Returns the identity and the permissions of the credential. It works with every kind of credential.
        credential() => GetOwnCredential;
        /// Returns the person who signed in. Only for access tokens.
        user_info() => GetUserInfo;
    }

    Sessions: sessions() of "sign-ins" {
        /// Returns the sign-in that issued the access token. [`Error::Unauthorized`](crate::Error::Unauthorized) if the
        /// token is not valid, or the sign-in has ended. In the second case, the member `reauth_required` of
        /// [`ApiError::details`](crate::ApiError::details) is `true`.
        current() => GetSession;
    }

    Tokens: tokens() of "personal access tokens, and the introspection of tokens" {
        /// Lists the personal access tokens of the caller, newest first.
        list() => list ListPersonalTokens;
        /// Creates a personal access token.
        create(token: &NewPersonalToken) => CreatePersonalToken.body(token);
        /// Revokes a personal access token. It stops working immediately.
        revoke(token_id) => RevokePersonalToken;
        /// Returns the metadata of an access token or refresh token (RFC 7662).
        introspect(token: &str) => IntrospectToken
            .body(&TokenParameters { token: token.into(), ..TokenParameters::default() });
    }

    /// They require an access token that the project received.
    Apps: apps() of "projects that the caller granted access to" {
        /// Returns the project, and the caller as its user.
        get(project_id) => GetOwnApp;
        /// Disconnects the caller from the project and revokes the caller's tokens for it. With `erase`, the caller's
        /// items in the project are deleted first.
        leave(project_id; erase: bool) => LeaveOwnApp.optional_query("erase", erase.then_some(true));
        /// Returns all data that the project stores about the caller.
        export(project_id) => ExportOwnData.timeout(EXPORT_TIMEOUT);
    }

    IdentityProviders: identity_providers(project_id) of "the identity providers of a project" {
        /// Lists the providers, oldest first.
        list() => ListIdentityProviders;
        /// Returns a provider.
        get(provider_id) => GetIdentityProvider;
        /// Adds a provider.
        create(provider: &NewIdentityProvider) => CreateIdentityProvider.body(provider);
        /// Updates a provider.
        update(provider_id; changes: &IdentityProviderChanges) => UpdateIdentityProvider.body(changes);
        /// Deletes a provider.
        delete(provider_id) => DeleteIdentityProvider;
    }

    OAuthClients: oauth_clients(project_id) of "the OAuth clients that a project registers" {
        /// Lists the clients without their secrets, oldest first.
        list() => ListClients;
        /// Returns a client without its secret.
        get(client_id) => GetClient;
        /// Registers a client. The secret of a confidential client is never returned again.
        create(client: &NewOAuthClient) => CreateClient.body(client);
        /// Updates a client. Its type and its secret stay the same.
        update(client_id; changes: &OAuthClientChanges) => UpdateClient.body(changes);
        /// Deletes a client. Its tokens stop working immediately.
        delete(client_id) => DeleteClient;
        /// Replaces the secret of a confidential client. The old secret continues to work for `grace_seconds`: 0 to
        /// 86,400.
        rotate_secret(client_id; grace_seconds: u32) => RotateClientSecret
            .body(&ClientSecretRotation { grace_seconds: Some(grace_seconds) });
        /// Replaces the logo of a client by a PNG, JPEG, WebP or GIF image: at most 2 MiB, and 16 to 4,096 pixels per
        /// side.
        upload_logo(client_id; image: &[u8]) => UploadClientLogo.form(image);
        /// Deletes the logo of a client.
        delete_logo(client_id) => DeleteClientLogo;
    }
}
