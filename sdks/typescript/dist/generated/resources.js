// Generated from docs/openapi.json by scripts/generate.mjs. Do not edit.
import { Resource } from "../admin/resource.js";
import { operations } from "./operations.js";
/** The operations in `account`. */
export class Account extends Resource {
    /**
     * Get the current credential.
     *
     * Returns the identity and permissions of the credential that authenticates this request.
     */
    credential(options) {
        return this._call(operations.getOwnCredential, [], undefined, undefined, options);
    }
    /**
     * Get user info.
     *
     * Returns the claims about the caller's account that the scopes of the access token give access to.
     */
    userInfo(options) {
        return this._call(operations.getUserInfo, [], undefined, undefined, options);
    }
    /**
     * Get user info with POST.
     *
     * Same as `GET /auth/userinfo`. OpenID Connect Core §5.3 requires both methods. The access token can be sent in the body
     * instead of the header (RFC 6750 §2.2).
     *
     * @param body The body of the request.
     */
    userInfoOf(body, options) {
        return this._call(operations.postUserInfo, [], body, undefined, options);
    }
}
/** The operations in `apps`. */
export class Apps extends Resource {
    /**
     * Get a connected project.
     *
     * Returns the project of the token, and the caller as its user.
     *
     * @param projectId ID or DID of the project.
     */
    get(projectId, options) {
        return this._call(operations.getOwnApp, [projectId], undefined, undefined, options);
    }
    /**
     * Leave a project.
     *
     * Disconnects the caller from the project and revokes all of the caller's tokens for it. With `erase=true`, the
     * caller's items in the project are deleted first.
     *
     * @param projectId ID or DID of the project.
     * @param query Parameters of the query.
     */
    leave(projectId, query, options) {
        return this._call(operations.leaveOwnApp, [projectId], undefined, query, options);
    }
    /**
     * Export your data.
     *
     * Returns all data that a project stores about the caller. The response is streamed; if it is interrupted, the body is
     * not valid JSON.
     *
     * @param projectId ID or DID of the project.
     */
    export(projectId, options) {
        return this._call(operations.exportOwnData, [projectId], undefined, undefined, options);
    }
}
/** The operations in `auth`. */
export class Auth extends Resource {
    /**
     * Get the status of authentication.
     *
     * Responds with 503 if the database cannot be reached or written to.
     */
    getAuthStatus(options) {
        return this._call(operations.getAuthStatus, [], undefined, undefined, options);
    }
    /**
     * Authorize a client.
     *
     * Starts the sign-in of a person to a project (RFC 6749 §4.1.1, OpenID Connect Core §3.1.2.1). Redirects to a sign-in
     * page, or back to the client with a code if a session and a grant exist. An invalid `client_id` or `redirect_uri`
     * returns an error without a redirect; other errors are returned to `redirect_uri`, unless the client registered itself.
     *
     * @param query Parameters of the query.
     */
    authorize(query, options) {
        return this._call(operations.authorize, [], undefined, query, options);
    }
    /**
     * Authorize a client with a form.
     *
     * The same as `GET /auth/authorize`, with the parameters in the body. OpenID Connect Core §3.1.2.1 requires both
     * methods.
     *
     * @param body The body of the request.
     */
    authorizeByForm(body, options) {
        return this._call(operations.authorizeByForm, [], body, undefined, options);
    }
    /**
     * Authorize a device.
     *
     * Begins the sign-in of a person to a device without a browser (RFC 8628). The device shows `user_code` and
     * `verification_uri`, and sends `device_code` to the token endpoint until the person has decided, which takes at most 10
     * minutes. Only registered clients with the grant type of devices, and this service's command line, can use it. A
     * confidential client authenticates as at the token endpoint.
     *
     * @param body The body of the request.
     */
    authorizeDevice(body, options) {
        return this._call(operations.authorizeDevice, [], body, undefined, options);
    }
    /**
     * Log in.
     *
     * Checks the password of an account and returns the tokens of a first-party session. They have the scope `admin` and
     * can administer teams and projects. Applications of projects use `GET /auth/authorize` instead. An account with a
     * second factor is refused with `second_factor_required`: only the sign-in in a browser asks for it.
     *
     * @param body The body of the request.
     */
    logIn(body, options) {
        return this._call(operations.logIn, [], body, undefined, options);
    }
    /**
     * Push an authorization request.
     *
     * Stores the parameters of an authorization request (RFC 9126), so that the browser only carries the `request_uri` of the
     * response and the `client_id` to `/auth/authorize`. It can be used once, within 90 seconds. A confidential client
     * authenticates as at the token endpoint. With a proof in the header `DPoP`, the code is bound to its key (RFC 9449 §10.1).
     *
     * @param body The body of the request.
     */
    pushAuthorizationRequest(body, options) {
        return this._call(operations.pushAuthorizationRequest, [], body, undefined, options);
    }
    /**
     * Register a client.
     *
     * Registers an OAuth client with its own metadata (RFC 7591). The initial access token is a private API key of the project
     * with the permission `client:register`; it is not needed in a project that the operator has opened. The response has
     * what the client was given, which can be less than it asked for. Members that are not listed are ignored.
     *
     * Requires the permission `client:register`.
     *
     * @param body The body of the request.
     */
    registerClient(body, options) {
        return this._call(operations.registerClient, [], body, undefined, options);
    }
    /**
     * Revoke a token.
     *
     * Revokes all tokens of the sign-in that issued the token (RFC 7009). Succeeds if the token is unknown (RFC 7009
     * §2.2).
     *
     * @param body The body of the request.
     */
    revokeToken(body, options) {
        return this._call(operations.revokeToken, [], body, undefined, options);
    }
    /**
     * Sign up.
     *
     * Creates an account, if the sign-up policy of the service allows it. Until the first account of a new service is
     * created with the link in its log, `not_set_up` is returned. The email address is unverified at first; the
     * service sends a verification link to it.
     *
     * @param body The body of the request.
     */
    signUp(body, options) {
        return this._call(operations.signUp, [], body, undefined, options);
    }
    /**
     * Exchange a code or a refresh token for tokens.
     *
     * A code is valid for 10 minutes and can be used once; using it again revokes the tokens that it was exchanged for.
     * Each exchange of a refresh token returns a new one. A confidential client authenticates with HTTP Basic, or with
     * `client_id` and `client_secret`, and can exchange its secret alone for a token with its roles (`client_credentials`). A
     * device exchanges its device code, and gets `authorization_pending` until the person has decided (RFC 8628 §3.5).
     * A client with keys sends an assertion instead of a secret (RFC 7523). Other clients have no secret: any value is accepted.
     * With a proof in the header `DPoP`, the tokens are bound to its key (RFC 9449).
     *
     * @param body The body of the request.
     */
    exchangeToken(body, options) {
        return this._call(operations.exchangeToken, [], body, undefined, options);
    }
}
/** The operations in `identityProviders`. */
export class IdentityProviders extends Resource {
    /**
     * List identity providers.
     *
     * Returns the identity providers of the project, including disabled ones, oldest first, without their secrets.
     *
     * Requires the permission `project:read`.
     *
     * @param projectId ID of the project.
     */
    list(projectId, options) {
        return this._call(operations.listIdentityProviders, [projectId], undefined, undefined, options);
    }
    /**
     * Add an identity provider.
     *
     * From now on, people can sign in there. People who sign in there are signed in to this project only. Register the
     * `redirect_uri` of the response at the provider. The metadata of the provider is read first, so the provider has to
     * respond; not that of the public services of the kinds with a default, nor of GitHub, which has none. If `issuer` differs
     * from that of the metadata only by a slash at the end, the latter is stored and returned. Another one is refused, and the
     * error names it.
     *
     * Requires the permission `project:write`.
     *
     * Requires a recent sign-in, unless the credential is a personal token or an API key.
     *
     * @param projectId ID of the project.
     * @param body The body of the request.
     */
    create(projectId, body, options) {
        return this._call(operations.createIdentityProvider, [projectId], body, undefined, options);
    }
    /**
     * Get an identity provider.
     *
     * Returns a provider without its secret.
     *
     * Requires the permission `project:read`.
     *
     * @param projectId ID of the project.
     * @param providerId ID of the identity provider.
     */
    get(projectId, providerId, options) {
        return this._call(operations.getIdentityProvider, [projectId, providerId], undefined, undefined, options);
    }
    /**
     * Delete an identity provider.
     *
     * People can no longer sign in there, and the identities that are linked to it are deleted in the background. Sessions
     * that began there go on.
     *
     * Requires the permission `project:write`.
     *
     * Requires a recent sign-in, unless the credential is a personal token or an API key.
     *
     * @param projectId ID of the project.
     * @param providerId ID of the identity provider.
     */
    delete(projectId, providerId, options) {
        return this._call(operations.deleteIdentityProvider, [projectId, providerId], undefined, undefined, options);
    }
    /**
     * Update an identity provider.
     *
     * Changes the name or the client of a provider, or disables it. The kind and the issuer do not change, because the
     * linked identities are those of this issuer.
     *
     * Requires the permission `project:write`.
     *
     * Requires a recent sign-in, unless the credential is a personal token or an API key.
     *
     * @param projectId ID of the project.
     * @param providerId ID of the identity provider.
     * @param body The body of the request.
     */
    update(projectId, providerId, body, options) {
        return this._call(operations.updateIdentityProvider, [projectId, providerId], body, undefined, options);
    }
}
/** The operations in `images`. */
export class Images extends Resource {
    /**
     * Get an image.
     *
     * Returns an uploaded icon or background of a project, or a logo of a client. The content at this URL never changes, so clients may cache it
     * without revalidation.
     *
     * @param id ID of the project.
     * @param file File name of the image: its ID and its extension.
     */
    get(id, file, options) {
        return this._call(operations.getImage, [id, file], undefined, undefined, options);
    }
    /**
     * List uploaded images.
     *
     * Returns the uploaded icon and background of the project.
     *
     * Requires the permission `project:read`.
     *
     * @param projectId ID of the project.
     */
    list(projectId, options) {
        return this._call(operations.listImages, [projectId], undefined, undefined, options);
    }
    /**
     * Upload a background.
     *
     * Replaces the background image of the project. Anyone who knows its URL can read it.
     *
     * Requires the permission `project:write`.
     *
     * @param projectId ID of the project.
     * @param body The body of the request.
     */
    uploadBackground(projectId, body, options) {
        return this._call(operations.uploadBackground, [projectId], body, undefined, options);
    }
    /**
     * Delete the background.
     *
     * Deletes the uploaded background image of the project.
     *
     * Requires the permission `project:write`.
     *
     * @param projectId ID of the project.
     */
    deleteBackground(projectId, options) {
        return this._call(operations.deleteBackground, [projectId], undefined, undefined, options);
    }
    /**
     * Upload an icon.
     *
     * Replaces the icon of the project. Anyone who knows its URL can read it.
     *
     * Requires the permission `project:write`.
     *
     * @param projectId ID of the project.
     * @param body The body of the request.
     */
    uploadIcon(projectId, body, options) {
        return this._call(operations.uploadIcon, [projectId], body, undefined, options);
    }
    /**
     * Delete the icon.
     *
     * Deletes the uploaded icon of the project.
     *
     * Requires the permission `project:write`.
     *
     * @param projectId ID of the project.
     */
    deleteIcon(projectId, options) {
        return this._call(operations.deleteIcon, [projectId], undefined, undefined, options);
    }
}
/** The operations in `invites`. */
export class Invites extends Resource {
    /**
     * List invites.
     *
     * Returns the pending invites of the team, newest first.
     *
     * Requires the permission `invite:read`.
     *
     * @param teamId ID of the team.
     * @param query Parameters of the query.
     */
    list(teamId, query, options) {
        return this._list(operations.listInvites, [teamId], undefined, query, options);
    }
    /**
     * Create an invite.
     *
     * Invites a person to become a member of the team. A pending invite to the same person is renewed. If email is
     * configured, an invite to an email address is sent by email.
     *
     * Requires the permission `invite:write`.
     *
     * @param teamId ID of the team.
     * @param body The body of the request.
     */
    create(teamId, body, options) {
        return this._call(operations.createInvite, [teamId], body, undefined, options);
    }
    /**
     * Revoke an invite.
     *
     * The invite can no longer be accepted.
     *
     * Requires the permission `invite:write`.
     *
     * @param teamId ID of the team.
     * @param inviteId ID of the invite.
     */
    delete(teamId, inviteId, options) {
        return this._call(operations.deleteInvite, [teamId, inviteId], undefined, undefined, options);
    }
}
/** The operations in `items`. */
export class Items extends Resource {
    /**
     * Write several items.
     *
     * Performs up to 100 operations, each on a different item. Either all of them take effect, or none. Returns the items
     * in the order of the operations; a deleted item is returned as it was before. Each operation can have its own
     * `if_match` and `if_none_match`.
     *
     * Requires the permission `db:write`.
     *
     * @param projectId ID of the project.
     * @param userId ID of the user in the project.
     * @param tableId Name of the table in the project's schema.
     * @param body The body of the request.
     */
    batch(projectId, userId, tableId, body, options) {
        return this._call(operations.batchItems, [projectId, userId, tableId], body, undefined, options);
    }
    /**
     * Get an item.
     *
     * The response has an `ETag`. `If-None-Match` and `If-Match` are supported.
     *
     * Requires the permission `db:read`.
     *
     * @param projectId ID of the project.
     * @param userId ID of the user in the project.
     * @param tableId Name of the table in the project's schema.
     * @param itemId ID of the item in its table.
     */
    get(projectId, userId, tableId, itemId, options) {
        return this._call(operations.getItem, [projectId, userId, tableId, itemId], undefined, undefined, options);
    }
    /**
     * Create or replace an item.
     *
     * Stores the complete item under the ID in the path. Fields that are absent are removed. `If-Match` and
     * `If-None-Match` are supported.
     *
     * Requires the permission `db:write`.
     *
     * @param projectId ID of the project.
     * @param userId ID of the user in the project.
     * @param tableId Name of the table in the project's schema.
     * @param itemId ID of the item in its table.
     * @param body The body of the request.
     */
    put(projectId, userId, tableId, itemId, body, options) {
        return this._call(operations.putItem, [projectId, userId, tableId, itemId], body, undefined, options);
    }
    /**
     * Delete an item.
     *
     * Returns the item as it was before. `If-Match` and `If-None-Match` are supported.
     *
     * Requires the permission `db:write`.
     *
     * @param projectId ID of the project.
     * @param userId ID of the user in the project.
     * @param tableId Name of the table in the project's schema.
     * @param itemId ID of the item in its table.
     */
    delete(projectId, userId, tableId, itemId, options) {
        return this._call(operations.deleteItem, [projectId, userId, tableId, itemId], undefined, undefined, options);
    }
    /**
     * Update fields of an item.
     *
     * Fields that are absent stay as they are. `null` removes a field. `If-Match` and `If-None-Match` are supported.
     *
     * Requires the permission `db:write`.
     *
     * @param projectId ID of the project.
     * @param userId ID of the user in the project.
     * @param tableId Name of the table in the project's schema.
     * @param itemId ID of the item in its table.
     * @param body The body of the request.
     */
    patch(projectId, userId, tableId, itemId, body, options) {
        return this._call(operations.patchItem, [projectId, userId, tableId, itemId], body, undefined, options);
    }
    /**
     * List items.
     *
     * Returns the items of a user in a table that meet all conditions. Without `limit`, all items are streamed.
     *
     * Requires the permission `db:read`.
     *
     * @param projectId ID of the project.
     * @param userId ID of the user in the project.
     * @param tableId Name of the table in the project's schema.
     * @param query Parameters of the query.
     */
    list(projectId, userId, tableId, query, options) {
        return this._list(operations.listItems, [projectId, userId, tableId], undefined, query, options);
    }
    /**
     * Create an item.
     *
     * The service generates the ID of the item.
     *
     * Requires the permission `db:write`.
     *
     * @param projectId ID of the project.
     * @param userId ID of the user in the project.
     * @param tableId Name of the table in the project's schema.
     * @param body The body of the request.
     */
    create(projectId, userId, tableId, body, options) {
        return this._call(operations.createItem, [projectId, userId, tableId], body, undefined, options);
    }
}
/** The operations in `keys`. */
export class Keys extends Resource {
    /**
     * List API keys.
     *
     * Returns the API keys of the project without their values, newest first.
     *
     * Requires the permission `key:read`.
     *
     * @param projectId ID of the project.
     * @param query Parameters of the query.
     */
    list(projectId, query, options) {
        return this._list(operations.listKeys, [projectId], undefined, query, options);
    }
    /**
     * Create an API key.
     *
     * The response contains the value of the key, which is never returned again. You can grant only permissions that you
     * have.
     *
     * Requires the permission `key:write`.
     *
     * Requires a recent sign-in, unless the credential is a personal token or an API key.
     *
     * @param projectId ID of the project.
     * @param body The body of the request.
     */
    create(projectId, body, options) {
        return this._call(operations.createKey, [projectId], body, undefined, options);
    }
    /**
     * Verify an API key.
     *
     * Returns whether a value belongs to a key of this project that has not expired. The previous value of a rotated key
     * is valid during its grace period. The status is 200 even if the value is not valid.
     *
     * Requires the permission `key:read`.
     *
     * @param projectId ID of the project.
     * @param body The body of the request.
     */
    verify(projectId, body, options) {
        return this._call(operations.verifyKey, [projectId], body, undefined, options);
    }
    /**
     * Get an API key.
     *
     * Returns a key without its value.
     *
     * Requires the permission `key:read`.
     *
     * @param projectId ID of the project.
     * @param keyId ID of the API key.
     */
    get(projectId, keyId, options) {
        return this._call(operations.getKey, [projectId, keyId], undefined, undefined, options);
    }
    /**
     * Delete an API key.
     *
     * The value of the key stops working immediately.
     *
     * Requires the permission `key:write`.
     *
     * Requires a recent sign-in, unless the credential is a personal token or an API key.
     *
     * @param projectId ID of the project.
     * @param keyId ID of the API key.
     */
    delete(projectId, keyId, options) {
        return this._call(operations.deleteKey, [projectId, keyId], undefined, undefined, options);
    }
    /**
     * Update an API key.
     *
     * Changes the label or the roles of a key; its value stays the same. You can grant only permissions that you have.
     *
     * Requires the permission `key:write`.
     *
     * @param projectId ID of the project.
     * @param keyId ID of the API key.
     * @param body The body of the request.
     */
    update(projectId, keyId, body, options) {
        return this._call(operations.updateKey, [projectId, keyId], body, undefined, options);
    }
    /**
     * Revoke the previous values of an API key.
     *
     * The values that the key had before it was rotated stop working immediately, also within their grace period. The
     * current value stays valid. A key without previous values is returned as it is.
     *
     * Requires the permission `key:write`.
     *
     * Requires a recent sign-in, unless the credential is a personal token or an API key.
     *
     * @param projectId ID of the project.
     * @param keyId ID of the API key.
     */
    revokePreviousValues(projectId, keyId, options) {
        return this._call(operations.revokePreviousKeyValues, [projectId, keyId], undefined, undefined, options);
    }
    /**
     * Rotate an API key.
     *
     * Replaces the value of a key; its ID, label and roles stay the same. The old value, and those before it, stop working
     * immediately, unless `grace_seconds` is set: then the two newest old values work until their times. The response contains the new value, which is never returned again. A private key can rotate
     * itself with its current value.
     *
     * Requires the permission `key:write`.
     *
     * Requires a recent sign-in, unless the credential is a personal token or an API key.
     *
     * @param projectId ID of the project.
     * @param keyId ID of the API key.
     * @param body The body of the request.
     */
    rotate(projectId, keyId, body, options) {
        return this._call(operations.regenerateKey, [projectId, keyId], body, undefined, options);
    }
}
/** The operations in `members`. */
export class Members extends Resource {
    /**
     * List members.
     *
     * Returns the members of the team, oldest first.
     *
     * Requires the permission `member:read`.
     *
     * @param teamId ID of the team.
     * @param query Parameters of the query.
     */
    list(teamId, query, options) {
        return this._list(operations.listMembers, [teamId], undefined, query, options);
    }
    /**
     * Remove a member.
     *
     * Removes a member from the team. Members can remove themselves to leave the team. The response lists the API
     * keys, OAuth clients, identity providers, invites and webhooks that depend on permissions which the member no
     * longer has, and what ended.
     *
     * Requires the permission `member:write`.
     *
     * @param teamId ID of the team.
     * @param memberId Account ID of the member.
     * @param query Parameters of the query.
     */
    remove(teamId, memberId, query, options) {
        return this._call(operations.removeMember, [teamId, memberId], undefined, query, options);
    }
    /**
     * Update a member.
     *
     * Changes the roles or the role label of a member. The response lists the API keys, OAuth clients, identity
     * providers, invites and webhooks that depend on permissions which the member no longer has, and what ended.
     *
     * Requires the permission `member:write`.
     *
     * @param teamId ID of the team.
     * @param memberId Account ID of the member.
     * @param body The body of the request.
     * @param query Parameters of the query.
     */
    update(teamId, memberId, body, query, options) {
        return this._call(operations.updateMember, [teamId, memberId], body, query, options);
    }
}
/** The operations in `oauthClients`. */
export class OauthClients extends Resource {
    /**
     * List OAuth clients.
     *
     * Returns the clients that the project registered, oldest first, without their secrets. The project itself, whose ID is
     * that of a public client, is not one of them.
     *
     * Requires the permission `project:read`.
     *
     * @param projectId ID of the project.
     */
    list(projectId, options) {
        return this._call(operations.listClients, [projectId], undefined, undefined, options);
    }
    /**
     * Register an OAuth client.
     *
     * The response contains the secret of a confidential client, which is never returned again. You can grant only roles
     * whose permissions you have.
     *
     * Requires the permission `project:write` and `key:write`.
     *
     * Requires a recent sign-in, unless the credential is a personal token or an API key.
     *
     * @param projectId ID of the project.
     * @param body The body of the request.
     */
    create(projectId, body, options) {
        return this._call(operations.createClient, [projectId], body, undefined, options);
    }
    /**
     * Get an OAuth client.
     *
     * Returns a client without its secret.
     *
     * Requires the permission `project:read`.
     *
     * @param projectId ID of the project.
     * @param clientId ID of the OAuth client.
     */
    get(projectId, clientId, options) {
        return this._call(operations.getClient, [projectId, clientId], undefined, undefined, options);
    }
    /**
     * Delete an OAuth client.
     *
     * The tokens of the client stop working immediately.
     *
     * Requires the permission `project:write` and `key:write`.
     *
     * Requires a recent sign-in, unless the credential is a personal token or an API key.
     *
     * @param projectId ID of the project.
     * @param clientId ID of the OAuth client.
     */
    delete(projectId, clientId, options) {
        return this._call(operations.deleteClient, [projectId, clientId], undefined, undefined, options);
    }
    /**
     * Update an OAuth client.
     *
     * Changes the settings of a client. Its type does not change, and its secret only if it gets keys: it has none then. Tokens that were issued keep their scopes
     * and their lifetime until they are renewed; the roles of a client that acts on its own behalf change at once. If the
     * client has roles, you must have their permissions.
     *
     * Requires the permission `project:write` and `key:write`.
     *
     * Requires a recent sign-in, unless the credential is a personal token or an API key.
     *
     * @param projectId ID of the project.
     * @param clientId ID of the OAuth client.
     * @param body The body of the request.
     */
    update(projectId, clientId, body, options) {
        return this._call(operations.updateClient, [projectId, clientId], body, undefined, options);
    }
    /**
     * Upload the logo of an OAuth client.
     *
     * Replaces the logo of a client. Pages on which people sign in to the client show it in place of the icon of the project,
     * except for a client that registered itself. Anyone who knows its URL can read it.
     *
     * Requires the permission `project:write` and `key:write`.
     *
     * @param projectId ID of the project.
     * @param clientId ID of the OAuth client.
     * @param body The body of the request.
     */
    uploadLogo(projectId, clientId, body, options) {
        return this._call(operations.uploadClientLogo, [projectId, clientId], body, undefined, options);
    }
    /**
     * Delete the logo of an OAuth client.
     *
     * Deletes the uploaded logo of a client.
     *
     * Requires the permission `project:write` and `key:write`.
     *
     * @param projectId ID of the project.
     * @param clientId ID of the OAuth client.
     */
    deleteLogo(projectId, clientId, options) {
        return this._call(operations.deleteClientLogo, [projectId, clientId], undefined, undefined, options);
    }
    /**
     * Rotate the secret of an OAuth client.
     *
     * Replaces the secret of a confidential client. The old secret, and those before it, stop working immediately, unless
     * `grace_seconds` is set: then the two newest old secrets work until their times. The response contains the new secret,
     * which is never returned again. Tokens that were issued stay valid.
     *
     * Requires the permission `project:write` and `key:write`.
     *
     * Requires a recent sign-in, unless the credential is a personal token or an API key.
     *
     * @param projectId ID of the project.
     * @param clientId ID of the OAuth client.
     * @param body The body of the request.
     */
    rotateSecret(projectId, clientId, body, options) {
        return this._call(operations.rotateClientSecret, [projectId, clientId], body, undefined, options);
    }
}
/** The operations in `ownInvites`. */
export class OwnInvites extends Resource {
    /**
     * List your invites.
     *
     * Returns the pending invites to the caller's username and, if it is verified, to the caller's email address, newest
     * first.
     *
     * @param query Parameters of the query.
     */
    list(query, options) {
        return this._list(operations.listOwnInvites, [], undefined, query, options);
    }
    /**
     * Accept an invite.
     *
     * The caller becomes a member of the team. An invite that is missing, expired, revoked or for another person is not
     * found.
     *
     * @param body The body of the request.
     */
    accept(body, options) {
        return this._call(operations.acceptInvite, [], body, undefined, options);
    }
    /**
     * Decline an invite.
     *
     * The invite cannot be accepted afterwards. An invite that is missing, expired, revoked or for another person is not
     * found.
     *
     * @param body The body of the request.
     */
    decline(body, options) {
        return this._call(operations.declineInvite, [], body, undefined, options);
    }
}
/** The operations in `ownItems`. */
export class OwnItems extends Resource {
    /**
     * List items.
     *
     * Returns the items of a user in a table that meet all conditions. Without `limit`, all items are streamed.
     *
     * @param projectId ID or DID of the project.
     * @param tableId Name of the table in the project's schema.
     * @param query Parameters of the query.
     */
    list(projectId, tableId, query, options) {
        return this._list(operations.listOwnItems, [projectId, tableId], undefined, query, options);
    }
    /**
     * Create an item.
     *
     * The service generates the ID of the item.
     *
     * @param projectId ID or DID of the project.
     * @param tableId Name of the table in the project's schema.
     * @param body The body of the request.
     */
    create(projectId, tableId, body, options) {
        return this._call(operations.createOwnItem, [projectId, tableId], body, undefined, options);
    }
    /**
     * Write several items.
     *
     * Performs up to 100 operations, each on a different item. Either all of them take effect, or none. Returns the items
     * in the order of the operations; a deleted item is returned as it was before. Each operation can have its own
     * `if_match` and `if_none_match`.
     *
     * @param projectId ID or DID of the project.
     * @param tableId Name of the table in the project's schema.
     * @param body The body of the request.
     */
    batch(projectId, tableId, body, options) {
        return this._call(operations.batchOwnItems, [projectId, tableId], body, undefined, options);
    }
    /**
     * Get an item.
     *
     * The response has an `ETag`. `If-None-Match` and `If-Match` are supported.
     *
     * @param projectId ID or DID of the project.
     * @param tableId Name of the table in the project's schema.
     * @param itemId ID of the item in its table.
     */
    get(projectId, tableId, itemId, options) {
        return this._call(operations.getOwnItem, [projectId, tableId, itemId], undefined, undefined, options);
    }
    /**
     * Create or replace an item.
     *
     * Stores the complete item under the ID in the path. Fields that are absent are removed. `If-Match` and
     * `If-None-Match` are supported.
     *
     * @param projectId ID or DID of the project.
     * @param tableId Name of the table in the project's schema.
     * @param itemId ID of the item in its table.
     * @param body The body of the request.
     */
    put(projectId, tableId, itemId, body, options) {
        return this._call(operations.putOwnItem, [projectId, tableId, itemId], body, undefined, options);
    }
    /**
     * Delete an item.
     *
     * Returns the item as it was before. `If-Match` and `If-None-Match` are supported.
     *
     * @param projectId ID or DID of the project.
     * @param tableId Name of the table in the project's schema.
     * @param itemId ID of the item in its table.
     */
    delete(projectId, tableId, itemId, options) {
        return this._call(operations.deleteOwnItem, [projectId, tableId, itemId], undefined, undefined, options);
    }
    /**
     * Update fields of an item.
     *
     * Fields that are absent stay as they are. `null` removes a field. `If-Match` and `If-None-Match` are supported.
     *
     * @param projectId ID or DID of the project.
     * @param tableId Name of the table in the project's schema.
     * @param itemId ID of the item in its table.
     * @param body The body of the request.
     */
    patch(projectId, tableId, itemId, body, options) {
        return this._call(operations.patchOwnItem, [projectId, tableId, itemId], body, undefined, options);
    }
}
/** The operations in `projectAuditLog`. */
export class ProjectAuditLog extends Resource {
    /**
     * List audit events.
     *
     * Returns the audit log of the project, or of the team and its projects, newest first. A page holds 100 events by
     * default. With `Accept: application/x-ndjson` or `text/csv`, the response is the complete log as a stream instead. In
     * CSV, text that a spreadsheet program would evaluate as a formula has an apostrophe before it.
     *
     * Requires the permission `audit:read`.
     *
     * @param projectId ID of the project.
     * @param query Parameters of the query.
     */
    list(projectId, query, options) {
        return this._list(operations.listProjectAudit, [projectId], undefined, query, options);
    }
    /**
     * Follow events.
     *
     * Returns the events of the project, or of the team and its projects, oldest first, starting after a position. To
     * receive each event once, poll with `after` set to the `next` of the previous response.
     *
     * Requires the permission `audit:read`.
     *
     * @param projectId ID of the project.
     * @param query Parameters of the query.
     */
    events(projectId, query, options) {
        return this._call(operations.listProjectEvents, [projectId], undefined, query, options);
    }
}
/** The operations in `projectWebhooks`. */
export class ProjectWebhooks extends Resource {
    /**
     * List webhooks.
     *
     * Returns the webhooks of the team or project, newest first, without their secrets.
     *
     * Requires the permission `webhook:read`.
     *
     * @param projectId ID of the project.
     * @param query Parameters of the query.
     */
    list(projectId, query, options) {
        return this._list(operations.listProjectWebhooks, [projectId], undefined, query, options);
    }
    /**
     * Create a webhook.
     *
     * The webhook receives the events of the team or project from now on. The response holds its signing secret, which is
     * not shown again.
     *
     * Requires the permission `webhook:write`.
     *
     * Requires a recent sign-in, unless the credential is a personal token or an API key.
     *
     * @param projectId ID of the project.
     * @param body The body of the request.
     */
    create(projectId, body, options) {
        return this._call(operations.createProjectWebhook, [projectId], body, undefined, options);
    }
    /**
     * Get a webhook.
     *
     * Returns a webhook without its secret.
     *
     * Requires the permission `webhook:read`.
     *
     * @param projectId ID of the project.
     * @param webhookId ID of the webhook.
     */
    get(projectId, webhookId, options) {
        return this._call(operations.getProjectWebhook, [projectId, webhookId], undefined, undefined, options);
    }
    /**
     * Delete a webhook.
     *
     * No further events are sent.
     *
     * Requires the permission `webhook:write`.
     *
     * Requires a recent sign-in, unless the credential is a personal token or an API key.
     *
     * @param projectId ID of the project.
     * @param webhookId ID of the webhook.
     */
    delete(projectId, webhookId, options) {
        return this._call(operations.deleteProjectWebhook, [projectId, webhookId], undefined, undefined, options);
    }
    /**
     * Update a webhook.
     *
     * Changes the URL, the events or the ordering of a webhook, pauses it or resumes it.
     *
     * Requires the permission `webhook:write`.
     *
     * @param projectId ID of the project.
     * @param webhookId ID of the webhook.
     * @param body The body of the request.
     */
    update(projectId, webhookId, body, options) {
        return this._call(operations.updateProjectWebhook, [projectId, webhookId], body, undefined, options);
    }
    /**
     * List the deliveries of a webhook.
     *
     * Returns the attempts to deliver events to the webhook, newest first.
     *
     * Requires the permission `webhook:read`.
     *
     * @param projectId ID of the project.
     * @param webhookId ID of the webhook.
     * @param query Parameters of the query.
     */
    deliveries(projectId, webhookId, query, options) {
        return this._list(operations.listProjectWebhookDeliveries, [projectId, webhookId], undefined, query, options);
    }
    /**
     * Get a delivery of a webhook.
     *
     * Returns an attempt with the message that was sent, the beginning of the response, and when the event is sent again.
     *
     * Requires the permission `webhook:read`.
     *
     * @param projectId ID of the project.
     * @param webhookId ID of the webhook.
     * @param deliveryId ID of the delivery.
     */
    delivery(projectId, webhookId, deliveryId, options) {
        return this._call(operations.getProjectWebhookDelivery, [projectId, webhookId, deliveryId], undefined, undefined, options);
    }
    /**
     * Redeliver a webhook event.
     *
     * Sends the event of an earlier delivery again, now, and returns the outcome. A test event cannot be redelivered.
     *
     * Requires the permission `webhook:write`.
     *
     * @param projectId ID of the project.
     * @param webhookId ID of the webhook.
     * @param deliveryId ID of the delivery.
     */
    redeliver(projectId, webhookId, deliveryId, options) {
        return this._call(operations.redeliverProjectWebhook, [projectId, webhookId, deliveryId], undefined, undefined, options);
    }
    /**
     * Rotate the secret of a webhook.
     *
     * For 24 hours, messages are signed with both the new and the previous secret, and after another rotation with the one
     * before it as long as they were to.
     *
     * Requires the permission `webhook:write`.
     *
     * Requires a recent sign-in, unless the credential is a personal token or an API key.
     *
     * @param projectId ID of the project.
     * @param webhookId ID of the webhook.
     */
    rotateSecret(projectId, webhookId, options) {
        return this._call(operations.rotateProjectWebhookSecret, [projectId, webhookId], undefined, undefined, options);
    }
    /**
     * Test a webhook.
     *
     * Sends a signed message of the type `webhook.test`, now, and returns the outcome. A paused webhook can be tested as
     * well. The message has the form of an event with the position 0, and does not depend on the selected events. Each test
     * has a `webhook-id` of its own.
     *
     * Requires the permission `webhook:write`.
     *
     * @param projectId ID of the project.
     * @param webhookId ID of the webhook.
     */
    test(projectId, webhookId, options) {
        return this._call(operations.testProjectWebhook, [projectId, webhookId], undefined, undefined, options);
    }
}
/** The operations in `projects`. */
export class Projects extends Resource {
    /**
     * List projects.
     *
     * Returns the projects of all of the caller's teams, newest first. With an API key, returns only the key's own
     * project. Those of a team that requires a second factor are missing until the caller uses one.
     *
     * @param query Parameters of the query.
     */
    list(query, options) {
        return this._list(operations.listProjects, [], undefined, query, options);
    }
    /**
     * Create a project.
     *
     * Creates a project in one of the caller's teams.
     *
     * Requires the permission `project:create`.
     *
     * @param body The body of the request.
     */
    create(body, options) {
        return this._call(operations.createProject, [], body, undefined, options);
    }
    /**
     * Check whether a project slug is available.
     *
     * A slug is available if it is neither taken nor reserved. Requires no credential.
     *
     * @param query Parameters of the query.
     */
    checkSlug(query, options) {
        return this._call(operations.checkProjectSlug, [], undefined, query, options);
    }
    /**
     * Get a project.
     *
     * Returns a project with the usage and limits of its quotas.
     *
     * Requires the permission `project:read`.
     *
     * @param projectId ID of the project.
     */
    get(projectId, options) {
        return this._call(operations.getProject, [projectId], undefined, undefined, options);
    }
    /**
     * Delete a project.
     *
     * Deletes a project and all its data. The project becomes inaccessible immediately, and its slug becomes available.
     * Its team can be deleted after the data is removed, which takes seconds, or minutes for large projects.
     *
     * Requires the permission `project:delete`.
     *
     * Requires a recent sign-in, unless the credential is a personal token or an API key.
     *
     * @param projectId ID of the project.
     */
    delete(projectId, options) {
        return this._call(operations.deleteProject, [projectId], undefined, undefined, options);
    }
    /**
     * Update a project.
     *
     * Changes the name, slug, website or profile of a project.
     *
     * Requires the permission `project:write`.
     *
     * @param projectId ID of the project.
     * @param body The body of the request.
     */
    update(projectId, body, options) {
        return this._call(operations.updateProject, [projectId], body, undefined, options);
    }
    /**
     * Get the public profile of a project.
     *
     * Returns the information about a project that everyone may read. Requires no credential.
     *
     * @param projectId ID of the project.
     */
    profile(projectId, options) {
        return this._call(operations.getProjectProfile, [projectId], undefined, undefined, options);
    }
    /**
     * List requests.
     *
     * Returns the newest requests to a project, oldest first. To follow them, poll with `after` set to the `next` of the
     * previous response. Requests are in the memory of the instance of the service that served them: some 600 for each project,
     * none before its start. A response has those of one instance, which it names. All requests of callers with access to the
     * project are listed, whatever their result, except those of this operation.
     *
     * Requires the permission `audit:read`.
     *
     * @param projectId ID of the project.
     * @param query Parameters of the query.
     */
    requests(projectId, query, options) {
        return this._call(operations.listRequests, [projectId], undefined, query, options);
    }
    /**
     * Get request statistics.
     *
     * Returns the number of requests to a project on each day up to today. All requests of callers with access to the
     * project count, whatever their result. Requests of the last seconds may be missing.
     *
     * Requires the permission `project:read`.
     *
     * @param projectId ID of the project.
     * @param query Parameters of the query.
     */
    requestStats(projectId, query, options) {
        return this._call(operations.getRequestStats, [projectId], undefined, query, options);
    }
}
/** The operations in `schemas`. */
export class Schemas extends Resource {
    /**
     * List schema versions.
     *
     * Returns the newest version of a project's schema, the version with a number, or all versions, newest first. Requires
     * no credential.
     *
     * @param projectId ID of the project.
     * @param query Parameters of the query.
     */
    list(projectId, query, options) {
        return this._list(operations.getSchema, [projectId], undefined, query, options);
    }
    /**
     * List schema versions.
     *
     * Returns the newest version of a project's schema, the version with a number, or all versions, newest first. Requires
     * no credential.
     *
     * @param projectId ID of the project.
     * @param query Parameters of the query.
     */
    get(projectId, query, options) {
        return this._call(operations.getSchema, [projectId], undefined, query, options);
    }
    /**
     * Publish a schema.
     *
     * Publishes a document as the next version of a project's schema. An absent `project_id` or `version` is filled in.
     *
     * Requires the permission `schema:write`.
     *
     * @param projectId ID of the project.
     * @param body The body of the request.
     * @param query Parameters of the query.
     */
    publish(projectId, body, query, options) {
        return this._call(operations.publishSchema, [projectId], body, query, options);
    }
    /**
     * Patch a schema.
     *
     * Merges changes into the newest version of a project's schema (RFC 7396) and publishes the result as the next
     * version.
     *
     * Requires the permission `schema:write`.
     *
     * @param projectId ID of the project.
     * @param body The body of the request.
     * @param query Parameters of the query.
     */
    patch(projectId, body, query, options) {
        return this._call(operations.patchSchema, [projectId], body, query, options);
    }
    /**
     * Roll back a schema.
     *
     * Publishes the document of an earlier version of a project's schema as the next version.
     *
     * Requires the permission `schema:write`.
     *
     * @param projectId ID of the project.
     * @param body The body of the request.
     * @param query Parameters of the query.
     */
    rollBack(projectId, body, query, options) {
        return this._call(operations.rollbackSchema, [projectId], body, query, options);
    }
    /**
     * Get the JSON Schema of schema documents.
     *
     * Returns the rules of schema documents as a JSON Schema (draft-07). Editors complete and check a document whose
     * `$schema` is the URL of this operation.
     */
    jsonSchema(options) {
        return this._call(operations.getJsonSchema, [], undefined, undefined, options);
    }
    /**
     * Compare a schema.
     *
     * Returns the changes from the published schema of the document's `project_id` to the document. Requires no
     * credential.
     *
     * @param body The body of the request.
     */
    compare(body, options) {
        return this._call(operations.compareSchema, [], body, undefined, options);
    }
    /**
     * Check a schema update.
     *
     * Returns whether the document can be published as the next version of the schema of its `project_id`, and the
     * changes. Nothing is stored. Requires no credential.
     *
     * @param body The body of the request.
     */
    checkUpdate(body, options) {
        return this._call(operations.verifyUpdateSchema, [], body, undefined, options);
    }
}
/** The operations in `service`. */
export class Service extends Resource {
    /**
     * Get service information.
     *
     * Returns the name of the deployment, the version and the state of the database. With `Accept: text/html`, as browsers
     * send it, the response is the landing page instead.
     */
    getRoot(options) {
        return this._call(operations.getRoot, [], undefined, undefined, options);
    }
    /**
     * Get authorization server metadata.
     *
     * Returns the endpoints and features of this service as an OAuth 2.0 authorization server (RFC 8414 §2).
     */
    getOAuthMetadata(options) {
        return this._call(operations.getOAuthMetadata, [], undefined, undefined, options);
    }
    /**
     * Get OpenID Provider metadata.
     *
     * Returns the endpoints and features of this service as an OpenID Provider (OpenID Connect Discovery §3).
     */
    getOpenIdMetadata(options) {
        return this._call(operations.getOpenIdMetadata, [], undefined, undefined, options);
    }
    /**
     * Get the JSON Web Key Set.
     *
     * Returns the active and retiring public keys for verifying tokens (RFC 7517 §5). Clients may cache them for an hour.
     */
    getKeySet(options) {
        return this._call(operations.getKeySet, [], undefined, undefined, options);
    }
    /**
     * Get provider metadata below /auth.
     *
     * Same as `GET /.well-known/openid-configuration`.
     */
    getAuthMetadata(options) {
        return this._call(operations.getAuthMetadata, [], undefined, undefined, options);
    }
    /**
     * Redirect to user info.
     *
     * The user info moved permanently to `/auth/userinfo`.
     */
    getUserInfoMoved(options) {
        return this._call(operations.getUserInfoMoved, [], undefined, undefined, options);
    }
    /**
     * Get the API reference page.
     *
     * Returns an interactive page for browsers that displays the OpenAPI document.
     */
    getDocs(options) {
        return this._call(operations.getDocs, [], undefined, undefined, options);
    }
    /**
     * Get the OpenAPI document.
     *
     * Returns the OpenAPI 3.1 document that describes this API.
     */
    getOpenApi(options) {
        return this._call(operations.getOpenApi, [], undefined, undefined, options);
    }
    /**
     * Check liveness.
     *
     * Reports that the process runs. It checks neither the database nor a credential.
     */
    getLiveness(options) {
        return this._call(operations.getLiveness, [], undefined, undefined, options);
    }
    /**
     * Check readiness.
     *
     * Reports whether the service can process requests. Responds with 503 and the failing part if the database cannot be
     * reached or written to, or if the service is shutting down.
     */
    getReadiness(options) {
        return this._call(operations.getReadiness, [], undefined, undefined, options);
    }
    /**
     * Get the DID document of a project.
     *
     * Resolves the `did:web` identifier of the project. Its service `BasicAppMetadata` refers to the client metadata.
     *
     * @param hex The ID as 32 hexadecimal digits, without hyphens.
     */
    getProjectDid(hex, options) {
        return this._call(operations.getProjectDid, [hex], undefined, undefined, options);
    }
    /**
     * Get the client metadata of a project.
     *
     * Returns the metadata of the project as an OAuth client (RFC 7591 §2).
     *
     * @param projectId ID of the project.
     */
    getClientMetadata(projectId, options) {
        return this._call(operations.getClientMetadata, [projectId], undefined, undefined, options);
    }
    /**
     * Get the DID document of an account.
     *
     * Resolves the `did:web` identifier of the account. Its service `PersonalDataServer` refers to this service.
     *
     * @param hex The ID as 32 hexadecimal digits, without hyphens.
     */
    getAccountDid(hex, options) {
        return this._call(operations.getAccountDid, [hex], undefined, undefined, options);
    }
    /**
     * Get the status of the utilities.
     *
     * Responds with 503 if the database cannot be reached or written to.
     */
    getUtilsStatus(options) {
        return this._call(operations.getUtilsStatus, [], undefined, undefined, options);
    }
    /**
     * Convert text to a slug.
     *
     * Removes special characters, transliterates letters of other scripts, and replaces white space, `_` and `-` with
     * single hyphens. Requires no credential.
     *
     * @param query Parameters of the query.
     */
    slugify(query, options) {
        return this._call(operations.slugify, [], undefined, query, options);
    }
}
/** The operations in `sessions`. */
export class Sessions extends Resource {
    /**
     * Get the current sign-in.
     *
     * Returns the sign-in that issued the access token. If it has ended, so that the person must sign in again, the
     * response is 401 with `active: false` and `reauth_required: true`. A 401 without them means that the access token is
     * not valid, or has expired and can be refreshed.
     */
    current(options) {
        return this._call(operations.getSession, [], undefined, undefined, options);
    }
}
/** The operations in `settings`. */
export class Settings extends Resource {
    /**
     * Get project settings.
     *
     * Returns the settings of the project, with the default for each setting that was never changed.
     *
     * Requires the permission `project:read`.
     *
     * @param projectId ID of the project.
     */
    get(projectId, options) {
        return this._call(operations.getSettings, [projectId], undefined, undefined, options);
    }
    /**
     * Reset project settings.
     *
     * Resets settings of a project to their defaults and returns all settings.
     *
     * Requires the permission `project:write`.
     *
     * @param projectId ID of the project.
     * @param query Parameters of the query.
     */
    reset(projectId, query, options) {
        return this._call(operations.resetSettings, [projectId], undefined, query, options);
    }
    /**
     * Update project settings.
     *
     * Merges changes into the settings of a project (RFC 7396) and returns all settings.
     *
     * Requires the permission `project:write`.
     *
     * @param projectId ID of the project.
     * @param body The body of the request.
     */
    update(projectId, body, options) {
        return this._call(operations.updateSettings, [projectId], body, undefined, options);
    }
}
/** The operations in `syncRejections`. */
export class SyncRejections extends Resource {
    /**
     * List rejected changes.
     *
     * Returns the changes of the users' devices that did not fit, newest first. A page holds 100 changes by default. The
     * newest 1,000 of a project are kept for 30 days, and at most 20 of each message.
     *
     * Requires the permission `db:read`.
     *
     * @param projectId ID of the project.
     * @param query Parameters of the query.
     */
    list(projectId, query, options) {
        return this._list(operations.listSyncRejections, [projectId], undefined, query, options);
    }
}
/** The operations in `tables`. */
export class Tables extends Resource {
    /**
     * List the tables of a project.
     *
     * Returns the tables of the newest schema, and others that still have items, with the number and the size of the items of
     * all users. At most 10,000 items are counted.
     *
     * Requires the permission `db:read`.
     *
     * @param projectId ID of the project.
     */
    list(projectId, options) {
        return this._call(operations.listProjectTables, [projectId], undefined, undefined, options);
    }
    /**
     * List the items of all users.
     *
     * Returns the items of all users of a project in a table, by user and ID. Conditions and another order search among at
     * most 100,000 items of the project; the response states where the search stopped. A page holds 100 items by default.
     *
     * Requires the permission `db:read`.
     *
     * @param projectId ID of the project.
     * @param tableId Name of the table in the project's schema.
     * @param query Parameters of the query.
     */
    items(projectId, tableId, query, options) {
        return this._list(operations.listProjectItems, [projectId, tableId], undefined, query, options);
    }
}
/** The operations in `teamAuditLog`. */
export class TeamAuditLog extends Resource {
    /**
     * List audit events.
     *
     * Returns the audit log of the project, or of the team and its projects, newest first. A page holds 100 events by
     * default. With `Accept: application/x-ndjson` or `text/csv`, the response is the complete log as a stream instead. In
     * CSV, text that a spreadsheet program would evaluate as a formula has an apostrophe before it.
     *
     * Requires the permission `audit:read`.
     *
     * @param teamId ID of the team.
     * @param query Parameters of the query.
     */
    list(teamId, query, options) {
        return this._list(operations.listTeamAudit, [teamId], undefined, query, options);
    }
    /**
     * Follow events.
     *
     * Returns the events of the project, or of the team and its projects, oldest first, starting after a position. To
     * receive each event once, poll with `after` set to the `next` of the previous response.
     *
     * Requires the permission `audit:read`.
     *
     * @param teamId ID of the team.
     * @param query Parameters of the query.
     */
    events(teamId, query, options) {
        return this._call(operations.listTeamEvents, [teamId], undefined, query, options);
    }
}
/** The operations in `teamWebhooks`. */
export class TeamWebhooks extends Resource {
    /**
     * List webhooks.
     *
     * Returns the webhooks of the team or project, newest first, without their secrets.
     *
     * Requires the permission `webhook:read`.
     *
     * @param teamId ID of the team.
     * @param query Parameters of the query.
     */
    list(teamId, query, options) {
        return this._list(operations.listTeamWebhooks, [teamId], undefined, query, options);
    }
    /**
     * Create a webhook.
     *
     * The webhook receives the events of the team or project from now on. The response holds its signing secret, which is
     * not shown again.
     *
     * Requires the permission `webhook:write`.
     *
     * Requires a recent sign-in, unless the credential is a personal token or an API key.
     *
     * @param teamId ID of the team.
     * @param body The body of the request.
     */
    create(teamId, body, options) {
        return this._call(operations.createTeamWebhook, [teamId], body, undefined, options);
    }
    /**
     * Get a webhook.
     *
     * Returns a webhook without its secret.
     *
     * Requires the permission `webhook:read`.
     *
     * @param teamId ID of the team.
     * @param webhookId ID of the webhook.
     */
    get(teamId, webhookId, options) {
        return this._call(operations.getTeamWebhook, [teamId, webhookId], undefined, undefined, options);
    }
    /**
     * Delete a webhook.
     *
     * No further events are sent.
     *
     * Requires the permission `webhook:write`.
     *
     * Requires a recent sign-in, unless the credential is a personal token or an API key.
     *
     * @param teamId ID of the team.
     * @param webhookId ID of the webhook.
     */
    delete(teamId, webhookId, options) {
        return this._call(operations.deleteTeamWebhook, [teamId, webhookId], undefined, undefined, options);
    }
    /**
     * Update a webhook.
     *
     * Changes the URL, the events or the ordering of a webhook, pauses it or resumes it.
     *
     * Requires the permission `webhook:write`.
     *
     * @param teamId ID of the team.
     * @param webhookId ID of the webhook.
     * @param body The body of the request.
     */
    update(teamId, webhookId, body, options) {
        return this._call(operations.updateTeamWebhook, [teamId, webhookId], body, undefined, options);
    }
    /**
     * List the deliveries of a webhook.
     *
     * Returns the attempts to deliver events to the webhook, newest first.
     *
     * Requires the permission `webhook:read`.
     *
     * @param teamId ID of the team.
     * @param webhookId ID of the webhook.
     * @param query Parameters of the query.
     */
    deliveries(teamId, webhookId, query, options) {
        return this._list(operations.listTeamWebhookDeliveries, [teamId, webhookId], undefined, query, options);
    }
    /**
     * Get a delivery of a webhook.
     *
     * Returns an attempt with the message that was sent, the beginning of the response, and when the event is sent again.
     *
     * Requires the permission `webhook:read`.
     *
     * @param teamId ID of the team.
     * @param webhookId ID of the webhook.
     * @param deliveryId ID of the delivery.
     */
    delivery(teamId, webhookId, deliveryId, options) {
        return this._call(operations.getTeamWebhookDelivery, [teamId, webhookId, deliveryId], undefined, undefined, options);
    }
    /**
     * Redeliver a webhook event.
     *
     * Sends the event of an earlier delivery again, now, and returns the outcome. A test event cannot be redelivered.
     *
     * Requires the permission `webhook:write`.
     *
     * @param teamId ID of the team.
     * @param webhookId ID of the webhook.
     * @param deliveryId ID of the delivery.
     */
    redeliver(teamId, webhookId, deliveryId, options) {
        return this._call(operations.redeliverTeamWebhook, [teamId, webhookId, deliveryId], undefined, undefined, options);
    }
    /**
     * Rotate the secret of a webhook.
     *
     * For 24 hours, messages are signed with both the new and the previous secret, and after another rotation with the one
     * before it as long as they were to.
     *
     * Requires the permission `webhook:write`.
     *
     * Requires a recent sign-in, unless the credential is a personal token or an API key.
     *
     * @param teamId ID of the team.
     * @param webhookId ID of the webhook.
     */
    rotateSecret(teamId, webhookId, options) {
        return this._call(operations.rotateTeamWebhookSecret, [teamId, webhookId], undefined, undefined, options);
    }
    /**
     * Test a webhook.
     *
     * Sends a signed message of the type `webhook.test`, now, and returns the outcome. A paused webhook can be tested as
     * well. The message has the form of an event with the position 0, and does not depend on the selected events. Each test
     * has a `webhook-id` of its own.
     *
     * Requires the permission `webhook:write`.
     *
     * @param teamId ID of the team.
     * @param webhookId ID of the webhook.
     */
    test(teamId, webhookId, options) {
        return this._call(operations.testTeamWebhook, [teamId, webhookId], undefined, undefined, options);
    }
}
/** The operations in `teams`. */
export class Teams extends Resource {
    /**
     * List teams.
     *
     * Returns all teams that the caller is a member of, oldest first, with the caller's own roles. A team that
     * requires a second factor is missing until the caller uses one.
     *
     * @param query Parameters of the query.
     */
    list(query, options) {
        return this._list(operations.listTeams, [], undefined, query, options);
    }
    /**
     * Create a team.
     *
     * The caller becomes the owner of the team.
     *
     * @param body The body of the request.
     */
    create(body, options) {
        return this._call(operations.createTeam, [], body, undefined, options);
    }
    /**
     * Check whether a team slug is available.
     *
     * A slug is available if it is neither taken nor reserved. Requires no credential.
     *
     * @param query Parameters of the query.
     */
    checkSlug(query, options) {
        return this._call(operations.checkTeamSlug, [], undefined, query, options);
    }
    /**
     * Get a team.
     *
     * Returns a team with its members, projects and pending invites. Lists that the caller may not read are empty. An API
     * key receives only its own project.
     *
     * Requires the permission `team:read`.
     *
     * @param teamId ID of the team.
     */
    get(teamId, options) {
        return this._call(operations.getTeam, [teamId], undefined, undefined, options);
    }
    /**
     * Delete a team.
     *
     * Deletes a team with its memberships and invites. A team that still owns a project cannot be deleted.
     *
     * Requires the permission `team:delete`.
     *
     * Requires a recent sign-in, unless the credential is a personal token or an API key.
     *
     * @param teamId ID of the team.
     */
    delete(teamId, options) {
        return this._call(operations.deleteTeam, [teamId], undefined, undefined, options);
    }
    /**
     * Update a team.
     *
     * Changes the name or the slug of a team, or the time from which its members have to use a second factor.
     *
     * Requires the permission `team:write`.
     *
     * @param teamId ID of the team.
     * @param body The body of the request.
     */
    update(teamId, body, options) {
        return this._call(operations.updateTeam, [teamId], body, undefined, options);
    }
}
/** The operations in `tokens`. */
export class Tokens extends Resource {
    /**
     * Introspect a token.
     *
     * Returns the metadata of a token (RFC 7662). A private API key and a confidential client can introspect the tokens for
     * their project, a signed-in person their own tokens, and a client that names itself with HTTP Basic the tokens that
     * were issued to it. Every other token is reported as not active.
     *
     * @param body The body of the request.
     */
    introspect(body, options) {
        return this._call(operations.introspectToken, [], body, undefined, options);
    }
    /**
     * List personal access tokens.
     *
     * Returns the caller's tokens, newest first, without their values.
     *
     * @param query Parameters of the query.
     */
    list(query, options) {
        return this._list(operations.listPersonalTokens, [], undefined, query, options);
    }
    /**
     * Create a personal access token.
     *
     * The response contains the value of the token, which is not shown again. A personal access token cannot create
     * another one.
     *
     * Requires a recent sign-in, unless the credential is a personal token or an API key.
     *
     * @param body The body of the request.
     */
    create(body, options) {
        return this._call(operations.createPersonalToken, [], body, undefined, options);
    }
    /**
     * Revoke a personal access token.
     *
     * The token stops working immediately.
     *
     * @param tokenId ID of the personal access token.
     */
    revoke(tokenId, options) {
        return this._call(operations.revokePersonalToken, [tokenId], undefined, undefined, options);
    }
}
/** The operations in `users`. */
export class Users extends Resource {
    /**
     * List the users of a project.
     *
     * Returns the users that match the filter, newest first.
     *
     * Requires the permission `user:read`.
     *
     * @param projectId ID of the project.
     * @param query Parameters of the query.
     */
    list(projectId, query, options) {
        return this._list(operations.listUsers, [projectId], undefined, query, options);
    }
    /**
     * Connect a user.
     *
     * Connects the person of an access token to a project. A user who left the project is connected again. Requires no
     * credential besides the token in the body.
     *
     * @param projectId ID of the project.
     * @param body The body of the request.
     */
    connect(projectId, body, options) {
        return this._call(operations.connectUser, [projectId], body, undefined, options);
    }
    /**
     * Get user statistics.
     *
     * Returns the number of users of a project, and how many of them were active on each day up to today.
     *
     * Requires the permission `user:read`.
     *
     * @param projectId ID of the project.
     * @param query Parameters of the query.
     */
    stats(projectId, query, options) {
        return this._call(operations.getUserStats, [projectId], undefined, query, options);
    }
    /**
     * Get a user of a project.
     *
     * Returns a user of the project with the data that the project stores about them.
     *
     * Requires the permission `user:read`.
     *
     * @param projectId ID of the project.
     * @param userId ID of the user in the project.
     */
    get(projectId, userId, options) {
        return this._call(operations.getUser, [projectId, userId], undefined, undefined, options);
    }
    /**
     * Delete a user.
     *
     * Deletes a user with all data that the project stores about them, and revokes their tokens for the project. The deletion
     * of a user with much data continues in the background: until it is complete, `deletion_started_at` of the user is set,
     * their data is not found, and they cannot connect.
     *
     * Requires the permission `user:write` and `db:write`.
     *
     * Requires a recent sign-in, unless the credential is a personal token or an API key.
     *
     * @param projectId ID of the project.
     * @param userId ID of the user in the project.
     */
    delete(projectId, userId, options) {
        return this._call(operations.deleteUser, [projectId, userId], undefined, undefined, options);
    }
    /**
     * Update a user.
     *
     * Merges changes into the data that the project stores about a user, or blocks or unblocks the user.
     *
     * Requires the permission `user:write`.
     *
     * @param projectId ID of the project.
     * @param userId ID of the user in the project.
     * @param body The body of the request.
     */
    update(projectId, userId, body, options) {
        return this._call(operations.updateUser, [projectId, userId], body, undefined, options);
    }
    /**
     * Export a user's data.
     *
     * Returns all data that a project stores about a user. The response is streamed; if it is interrupted, the body is not
     * valid JSON. Requires the permissions `user:read` and `db:read`.
     *
     * Requires the permission `user:read` and `db:read`.
     *
     * @param projectId ID of the project.
     * @param userId ID of the user in the project.
     */
    export(projectId, userId, options) {
        return this._call(operations.exportUser, [projectId, userId], undefined, undefined, options);
    }
    /**
     * List a user's sessions.
     *
     * Returns the active sign-ins of a user to the project, newest first: at most 1,000. A sign-in is active until it is
     * revoked or its refresh token expires.
     *
     * Requires the permission `user:read`.
     *
     * @param projectId ID of the project.
     * @param userId ID of the user in the project.
     */
    sessions(projectId, userId, options) {
        return this._call(operations.listUserSessions, [projectId, userId], undefined, undefined, options);
    }
    /**
     * Sign out a user.
     *
     * Ends all sign-ins of a user to the project. Their refresh tokens are revoked, and this service no longer accepts
     * their access tokens. A service that only verifies the signature of an access token accepts it until it expires. The
     * person stays signed in to this service and to other projects, and can sign in to the project again: block the user
     * to prevent that.
     *
     * Requires the permission `user:write`.
     *
     * Requires a recent sign-in, unless the credential is a personal token or an API key.
     *
     * @param projectId ID of the project.
     * @param userId ID of the user in the project.
     */
    signOut(projectId, userId, options) {
        return this._call(operations.signOutUser, [projectId, userId], undefined, undefined, options);
    }
}
/** All groups of operations. */
export class Operations {
    account;
    apps;
    auth;
    identityProviders;
    images;
    invites;
    items;
    keys;
    members;
    oauthClients;
    ownInvites;
    ownItems;
    projectAuditLog;
    projectWebhooks;
    projects;
    schemas;
    service;
    sessions;
    settings;
    syncRejections;
    tables;
    teamAuditLog;
    teamWebhooks;
    teams;
    tokens;
    users;
    /** @internal */
    constructor(transport) {
        this.account = new Account(transport);
        this.apps = new Apps(transport);
        this.auth = new Auth(transport);
        this.identityProviders = new IdentityProviders(transport);
        this.images = new Images(transport);
        this.invites = new Invites(transport);
        this.items = new Items(transport);
        this.keys = new Keys(transport);
        this.members = new Members(transport);
        this.oauthClients = new OauthClients(transport);
        this.ownInvites = new OwnInvites(transport);
        this.ownItems = new OwnItems(transport);
        this.projectAuditLog = new ProjectAuditLog(transport);
        this.projectWebhooks = new ProjectWebhooks(transport);
        this.projects = new Projects(transport);
        this.schemas = new Schemas(transport);
        this.service = new Service(transport);
        this.sessions = new Sessions(transport);
        this.settings = new Settings(transport);
        this.syncRejections = new SyncRejections(transport);
        this.tables = new Tables(transport);
        this.teamAuditLog = new TeamAuditLog(transport);
        this.teamWebhooks = new TeamWebhooks(transport);
        this.teams = new Teams(transport);
        this.tokens = new Tokens(transport);
        this.users = new Users(transport);
    }
}
//# sourceMappingURL=resources.js.map