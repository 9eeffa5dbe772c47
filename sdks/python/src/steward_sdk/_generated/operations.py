# Generated from docs/openapi.json by scripts/generate.py. Do not edit.
"""A row for each operation of the API."""

from __future__ import annotations

from typing import Any, Dict, List, Tuple

from .._operation import Operation
from . import models as m

GET_ROOT: Operation[m.ServiceInfo] = Operation("getRoot", "GET", "/", "json")
GET_OAUTH_METADATA: Operation[m.ProviderMetadata] = Operation(
    "getOAuthMetadata",
    "GET",
    "/.well-known/oauth-authorization-server",
    "json",
)
GET_OPENID_METADATA: Operation[m.ProviderMetadata] = Operation(
    "getOpenIdMetadata",
    "GET",
    "/.well-known/openid-configuration",
    "json",
)
GET_OWN_APP: Operation[m.ConnectedApp] = Operation("getOwnApp", "GET", "/account/apps/{project_id}", "data")
LEAVE_OWN_APP: Operation[m.Success] = Operation("leaveOwnApp", "DELETE", "/account/apps/{project_id}", "json")
EXPORT_OWN_DATA: Operation[m.UserExport] = Operation(
    "exportOwnData",
    "GET",
    "/account/apps/{project_id}/export",
    "json",
)
LIST_OWN_ITEMS: Operation[Any] = Operation(
    "listOwnItems",
    "GET",
    "/account/{project_id}/db/{table_id}",
    "json",
    exploded="conditions",
)
CREATE_OWN_ITEM: Operation[Any] = Operation(
    "createOwnItem",
    "POST",
    "/account/{project_id}/db/{table_id}",
    "data",
    body="json",
    is_keyed=True,
)
BATCH_OWN_ITEMS: Operation[List[Any]] = Operation(
    "batchOwnItems",
    "POST",
    "/account/{project_id}/db/{table_id}/batch",
    "data",
    body="json",
    is_keyed=True,
)
GET_OWN_ITEM: Operation[Any] = Operation(
    "getOwnItem",
    "GET",
    "/account/{project_id}/db/{table_id}/{item_id}",
    "data",
)
PUT_OWN_ITEM: Operation[Any] = Operation(
    "putOwnItem",
    "PUT",
    "/account/{project_id}/db/{table_id}/{item_id}",
    "data",
    body="json",
    is_keyed=True,
)
DELETE_OWN_ITEM: Operation[Any] = Operation(
    "deleteOwnItem",
    "DELETE",
    "/account/{project_id}/db/{table_id}/{item_id}",
    "data",
    is_keyed=True,
)
PATCH_OWN_ITEM: Operation[Any] = Operation(
    "patchOwnItem",
    "PATCH",
    "/account/{project_id}/db/{table_id}/{item_id}",
    "data",
    body="json",
    is_keyed=True,
)
GET_AUTH_STATUS: Operation[m.Status] = Operation("getAuthStatus", "GET", "/auth", "json")
GET_KEY_SET: Operation[Dict[str, Any]] = Operation("getKeySet", "GET", "/auth/.well-known/jwks.json", "json")
GET_AUTH_METADATA: Operation[m.ProviderMetadata] = Operation(
    "getAuthMetadata",
    "GET",
    "/auth/.well-known/openid-configuration",
    "json",
)
AUTHORIZE: Operation[str] = Operation("authorize", "GET", "/auth/authorize", "location")
AUTHORIZE_BY_FORM: Operation[str] = Operation("authorizeByForm", "POST", "/auth/authorize", "location", body="form")
AUTHORIZE_DEVICE: Operation[m.DeviceAuthorization] = Operation(
    "authorizeDevice",
    "POST",
    "/auth/device/code",
    "json",
    body="form",
)
INTROSPECT_TOKEN: Operation[m.Introspection] = Operation(
    "introspectToken",
    "POST",
    "/auth/introspect",
    "json",
    body="json",
)
LOG_IN: Operation[m.TokenResponse] = Operation("logIn", "POST", "/auth/login", "json", body="json")
PUSH_AUTHORIZATION_REQUEST: Operation[m.PushedAuthorization] = Operation(
    "pushAuthorizationRequest",
    "POST",
    "/auth/par",
    "json",
    body="form",
)
LIST_PERSONAL_TOKENS: Operation[Any] = Operation("listPersonalTokens", "GET", "/auth/pat", "json")
CREATE_PERSONAL_TOKEN: Operation[m.CreatedPersonalToken] = Operation(
    "createPersonalToken",
    "POST",
    "/auth/pat",
    "data",
    body="json",
    is_keyed=True,
)
REVOKE_PERSONAL_TOKEN: Operation[m.Success] = Operation(
    "revokePersonalToken",
    "DELETE",
    "/auth/pat/{token_id}",
    "json",
    is_keyed=True,
)
REGISTER_CLIENT: Operation[m.ClientInformation] = Operation(
    "registerClient",
    "POST",
    "/auth/register",
    "json",
    body="json",
)
REVOKE_TOKEN: Operation[None] = Operation("revokeToken", "POST", "/auth/revoke", "empty", body="json")
GET_SESSION: Operation[m.Session] = Operation("getSession", "GET", "/auth/session", "json")
SIGN_UP: Operation[m.CreatedAccount] = Operation("signUp", "POST", "/auth/signup", "data", body="json")
GET_OWN_CREDENTIAL: Operation[m.CurrentCredential] = Operation("getOwnCredential", "GET", "/auth/token", "data")
EXCHANGE_TOKEN: Operation[m.TokenResponse] = Operation("exchangeToken", "POST", "/auth/token", "json", body="json")
GET_USER_INFO_MOVED: Operation[str] = Operation("getUserInfoMoved", "GET", "/auth/userInfo", "location")
GET_USER_INFO: Operation[m.UserInfo] = Operation("getUserInfo", "GET", "/auth/userinfo", "json")
POST_USER_INFO: Operation[m.UserInfo] = Operation("postUserInfo", "POST", "/auth/userinfo", "json", body="form")
GET_DOCS: Operation[str] = Operation("getDocs", "GET", "/docs", "text")
GET_OPENAPI: Operation[Dict[str, Any]] = Operation("getOpenApi", "GET", "/docs/json", "json")
GET_LIVENESS: Operation[m.Status] = Operation("getLiveness", "GET", "/health/live", "json")
GET_READINESS: Operation[m.Status] = Operation("getReadiness", "GET", "/health/ready", "json")
GET_IMAGE: Operation[bytes] = Operation("getImage", "GET", "/images/{id}/{file}", "bytes")
LIST_OWN_INVITES: Operation[Any] = Operation("listOwnInvites", "GET", "/invite", "json")
LIST_PROJECTS: Operation[Any] = Operation("listProjects", "GET", "/project", "json")
CREATE_PROJECT: Operation[m.CreatedProject] = Operation(
    "createProject",
    "POST",
    "/project",
    "data",
    body="json",
    is_keyed=True,
)
CHECK_PROJECT_SLUG: Operation[m.Availability] = Operation("checkProjectSlug", "GET", "/project/slug", "json")
GET_PROJECT: Operation[m.ProjectDetails] = Operation("getProject", "GET", "/project/{id}", "data")
DELETE_PROJECT: Operation[m.Message] = Operation("deleteProject", "DELETE", "/project/{id}", "json", is_keyed=True)
UPDATE_PROJECT: Operation[m.Project] = Operation(
    "updateProject",
    "PATCH",
    "/project/{id}",
    "data",
    body="json",
    is_keyed=True,
)
LIST_PROJECT_AUDIT: Operation[Any] = Operation("listProjectAudit", "GET", "/project/{id}/audit", "json")
LIST_CLIENTS: Operation[List[m.OAuthClient]] = Operation("listClients", "GET", "/project/{id}/client", "data")
CREATE_CLIENT: Operation[m.OAuthClientWithSecret] = Operation(
    "createClient",
    "POST",
    "/project/{id}/client",
    "data",
    body="json",
    is_keyed=True,
)
GET_CLIENT: Operation[m.OAuthClient] = Operation("getClient", "GET", "/project/{id}/client/{client_id}", "data")
DELETE_CLIENT: Operation[m.Success] = Operation(
    "deleteClient",
    "DELETE",
    "/project/{id}/client/{client_id}",
    "json",
    is_keyed=True,
)
UPDATE_CLIENT: Operation[m.OAuthClient] = Operation(
    "updateClient",
    "PATCH",
    "/project/{id}/client/{client_id}",
    "data",
    body="json",
    is_keyed=True,
)
UPLOAD_CLIENT_LOGO: Operation[m.OAuthClient] = Operation(
    "uploadClientLogo",
    "POST",
    "/project/{id}/client/{client_id}/logo",
    "data",
    body="multipart",
    is_keyed=True,
)
DELETE_CLIENT_LOGO: Operation[m.Success] = Operation(
    "deleteClientLogo",
    "DELETE",
    "/project/{id}/client/{client_id}/logo",
    "json",
    is_keyed=True,
)
ROTATE_CLIENT_SECRET: Operation[m.OAuthClientWithSecret] = Operation(
    "rotateClientSecret",
    "POST",
    "/project/{id}/client/{client_id}/rotate-secret",
    "data",
    body="json",
    is_keyed=True,
)
LIST_PROJECT_TABLES: Operation[m.ProjectTables] = Operation("listProjectTables", "GET", "/project/{id}/db", "json")
LIST_PROJECT_ITEMS: Operation[Any] = Operation(
    "listProjectItems",
    "GET",
    "/project/{id}/db/{table_id}",
    "json",
    exploded="conditions",
)
LIST_PROJECT_EVENTS: Operation[m.Events] = Operation("listProjectEvents", "GET", "/project/{id}/event", "json")
LIST_IDENTITY_PROVIDERS: Operation[List[m.IdentityProvider]] = Operation(
    "listIdentityProviders",
    "GET",
    "/project/{id}/identity-provider",
    "data",
)
CREATE_IDENTITY_PROVIDER: Operation[m.IdentityProvider] = Operation(
    "createIdentityProvider",
    "POST",
    "/project/{id}/identity-provider",
    "data",
    body="json",
    is_keyed=True,
)
GET_IDENTITY_PROVIDER: Operation[m.IdentityProvider] = Operation(
    "getIdentityProvider",
    "GET",
    "/project/{id}/identity-provider/{provider_id}",
    "data",
)
DELETE_IDENTITY_PROVIDER: Operation[m.Success] = Operation(
    "deleteIdentityProvider",
    "DELETE",
    "/project/{id}/identity-provider/{provider_id}",
    "json",
    is_keyed=True,
)
UPDATE_IDENTITY_PROVIDER: Operation[m.IdentityProvider] = Operation(
    "updateIdentityProvider",
    "PATCH",
    "/project/{id}/identity-provider/{provider_id}",
    "data",
    body="json",
    is_keyed=True,
)
LIST_KEYS: Operation[Any] = Operation("listKeys", "GET", "/project/{id}/key", "json")
CREATE_KEY: Operation[m.IssuedKey] = Operation(
    "createKey",
    "POST",
    "/project/{id}/key",
    "json",
    body="json",
    is_keyed=True,
)
VERIFY_KEY: Operation[m.KeyVerification] = Operation(
    "verifyKey",
    "POST",
    "/project/{id}/key/verify",
    "json",
    body="json",
)
GET_KEY: Operation[m.ShownKey] = Operation("getKey", "GET", "/project/{id}/key/{key_id}", "json")
DELETE_KEY: Operation[m.Message] = Operation(
    "deleteKey",
    "DELETE",
    "/project/{id}/key/{key_id}",
    "json",
    is_keyed=True,
)
UPDATE_KEY: Operation[m.ChangedKey] = Operation(
    "updateKey",
    "PATCH",
    "/project/{id}/key/{key_id}",
    "json",
    body="json",
    is_keyed=True,
)
REVOKE_PREVIOUS_KEY_VALUES: Operation[m.ShownKey] = Operation(
    "revokePreviousKeyValues",
    "DELETE",
    "/project/{id}/key/{key_id}/previous",
    "json",
    is_keyed=True,
)
REGENERATE_KEY: Operation[m.IssuedKey] = Operation(
    "regenerateKey",
    "POST",
    "/project/{id}/key/{key_id}/regenerate",
    "json",
    body="json",
    is_keyed=True,
)
GET_PROJECT_PROFILE: Operation[m.PublicProject] = Operation(
    "getProjectProfile",
    "GET",
    "/project/{id}/profile",
    "data",
)
LIST_REQUESTS: Operation[m.RequestList] = Operation("listRequests", "GET", "/project/{id}/request", "json")
GET_REQUEST_STATS: Operation[m.RequestStats] = Operation(
    "getRequestStats",
    "GET",
    "/project/{id}/request/stats",
    "json",
)
GET_SCHEMA: Operation[Any] = Operation("getSchema", "GET", "/project/{id}/schema", "json")
PUBLISH_SCHEMA: Operation[m.Publication] = Operation(
    "publishSchema",
    "POST",
    "/project/{id}/schema",
    "json",
    body="json",
    is_keyed=True,
)
PATCH_SCHEMA: Operation[m.Publication] = Operation(
    "patchSchema",
    "PATCH",
    "/project/{id}/schema",
    "json",
    body="json",
    is_keyed=True,
)
ROLLBACK_SCHEMA: Operation[m.Publication] = Operation(
    "rollbackSchema",
    "POST",
    "/project/{id}/schema/rollback",
    "json",
    body="json",
    is_keyed=True,
)
GET_SETTINGS: Operation[m.ProjectSettings] = Operation("getSettings", "GET", "/project/{id}/settings", "data")
RESET_SETTINGS: Operation[m.ProjectSettings] = Operation(
    "resetSettings",
    "DELETE",
    "/project/{id}/settings",
    "data",
    is_keyed=True,
)
UPDATE_SETTINGS: Operation[m.ProjectSettings] = Operation(
    "updateSettings",
    "PATCH",
    "/project/{id}/settings",
    "data",
    body="json",
    is_keyed=True,
)
LIST_SYNC_REJECTIONS: Operation[Any] = Operation(
    "listSyncRejections",
    "GET",
    "/project/{id}/sync/rejections",
    "json",
)
LIST_IMAGES: Operation[m.ProjectImages] = Operation("listImages", "GET", "/project/{id}/upload", "json")
UPLOAD_BACKGROUND: Operation[m.BackgroundUploaded] = Operation(
    "uploadBackground",
    "POST",
    "/project/{id}/upload/background",
    "json",
    body="multipart",
    is_keyed=True,
)
DELETE_BACKGROUND: Operation[m.Deleted] = Operation(
    "deleteBackground",
    "DELETE",
    "/project/{id}/upload/background",
    "json",
    is_keyed=True,
)
UPLOAD_ICON: Operation[m.IconUploaded] = Operation(
    "uploadIcon",
    "POST",
    "/project/{id}/upload/icon",
    "json",
    body="multipart",
    is_keyed=True,
)
DELETE_ICON: Operation[m.Deleted] = Operation(
    "deleteIcon",
    "DELETE",
    "/project/{id}/upload/icon",
    "json",
    is_keyed=True,
)
LIST_USERS: Operation[Any] = Operation("listUsers", "GET", "/project/{id}/user", "json")
CONNECT_USER: Operation[m.ConnectedUser] = Operation(
    "connectUser",
    "POST",
    "/project/{id}/user/connect",
    "json",
    body="json",
)
GET_USER_STATS: Operation[m.UserStats] = Operation("getUserStats", "GET", "/project/{id}/user/stats", "json")
GET_USER: Operation[m.ProjectUser] = Operation("getUser", "GET", "/project/{id}/user/{user_id}", "data")
DELETE_USER: Operation[m.Deleted] = Operation(
    "deleteUser",
    "DELETE",
    "/project/{id}/user/{user_id}",
    "json",
    is_keyed=True,
)
UPDATE_USER: Operation[m.ProjectUser] = Operation(
    "updateUser",
    "PATCH",
    "/project/{id}/user/{user_id}",
    "data",
    body="json",
    is_keyed=True,
)
BATCH_ITEMS: Operation[List[Any]] = Operation(
    "batchItems",
    "POST",
    "/project/{id}/user/{user_id}/db/{table_id}/batch",
    "data",
    body="json",
    is_keyed=True,
)
GET_ITEM: Operation[Any] = Operation(
    "getItem",
    "GET",
    "/project/{id}/user/{user_id}/db/{table_id}/{item_id}",
    "data",
)
PUT_ITEM: Operation[Any] = Operation(
    "putItem",
    "PUT",
    "/project/{id}/user/{user_id}/db/{table_id}/{item_id}",
    "data",
    body="json",
    is_keyed=True,
)
DELETE_ITEM: Operation[Any] = Operation(
    "deleteItem",
    "DELETE",
    "/project/{id}/user/{user_id}/db/{table_id}/{item_id}",
    "data",
    is_keyed=True,
)
PATCH_ITEM: Operation[Any] = Operation(
    "patchItem",
    "PATCH",
    "/project/{id}/user/{user_id}/db/{table_id}/{item_id}",
    "data",
    body="json",
    is_keyed=True,
)
EXPORT_USER: Operation[m.UserExport] = Operation("exportUser", "GET", "/project/{id}/user/{user_id}/export", "json")
LIST_USER_SESSIONS: Operation[List[m.UserSession]] = Operation(
    "listUserSessions",
    "GET",
    "/project/{id}/user/{user_id}/session",
    "data",
)
SIGN_OUT_USER: Operation[m.Success] = Operation(
    "signOutUser",
    "DELETE",
    "/project/{id}/user/{user_id}/session",
    "json",
    is_keyed=True,
)
LIST_PROJECT_WEBHOOKS: Operation[Any] = Operation("listProjectWebhooks", "GET", "/project/{id}/webhook", "json")
CREATE_PROJECT_WEBHOOK: Operation[m.WebhookWithSecret] = Operation(
    "createProjectWebhook",
    "POST",
    "/project/{id}/webhook",
    "data",
    body="json",
    is_keyed=True,
)
GET_PROJECT_WEBHOOK: Operation[m.Webhook] = Operation(
    "getProjectWebhook",
    "GET",
    "/project/{id}/webhook/{webhook_id}",
    "data",
)
DELETE_PROJECT_WEBHOOK: Operation[m.Success] = Operation(
    "deleteProjectWebhook",
    "DELETE",
    "/project/{id}/webhook/{webhook_id}",
    "json",
    is_keyed=True,
)
UPDATE_PROJECT_WEBHOOK: Operation[m.Webhook] = Operation(
    "updateProjectWebhook",
    "PATCH",
    "/project/{id}/webhook/{webhook_id}",
    "data",
    body="json",
    is_keyed=True,
)
LIST_PROJECT_WEBHOOK_DELIVERIES: Operation[Any] = Operation(
    "listProjectWebhookDeliveries",
    "GET",
    "/project/{id}/webhook/{webhook_id}/delivery",
    "json",
)
GET_PROJECT_WEBHOOK_DELIVERY: Operation[m.WebhookDeliveryDetails] = Operation(
    "getProjectWebhookDelivery",
    "GET",
    "/project/{id}/webhook/{webhook_id}/delivery/{delivery_id}",
    "data",
)
REDELIVER_PROJECT_WEBHOOK: Operation[m.WebhookDelivery] = Operation(
    "redeliverProjectWebhook",
    "POST",
    "/project/{id}/webhook/{webhook_id}/delivery/{delivery_id}/redeliver",
    "data",
    is_keyed=True,
)
ROTATE_PROJECT_WEBHOOK_SECRET: Operation[m.WebhookWithSecret] = Operation(
    "rotateProjectWebhookSecret",
    "POST",
    "/project/{id}/webhook/{webhook_id}/rotate-secret",
    "data",
    is_keyed=True,
)
TEST_PROJECT_WEBHOOK: Operation[m.WebhookDelivery] = Operation(
    "testProjectWebhook",
    "POST",
    "/project/{id}/webhook/{webhook_id}/test",
    "data",
    is_keyed=True,
)
LIST_ITEMS: Operation[Any] = Operation(
    "listItems",
    "GET",
    "/project/{project_id}/user/{user_id}/db/{table_id}",
    "json",
    exploded="conditions",
)
CREATE_ITEM: Operation[Any] = Operation(
    "createItem",
    "POST",
    "/project/{project_id}/user/{user_id}/db/{table_id}",
    "data",
    body="json",
    is_keyed=True,
)
GET_PROJECT_DID: Operation[m.DidDocument] = Operation("getProjectDid", "GET", "/projects/{hex}/did.json", "json")
GET_CLIENT_METADATA: Operation[m.ClientMetadata] = Operation(
    "getClientMetadata",
    "GET",
    "/projects/{id}/client-metadata.json",
    "json",
)
GET_JSON_SCHEMA: Operation[Dict[str, Any]] = Operation(
    "getJsonSchema",
    "GET",
    "/schemas/schema-document.json",
    "json",
)
LIST_TEAMS: Operation[Any] = Operation("listTeams", "GET", "/team", "json")
CREATE_TEAM: Operation[m.CreatedTeam] = Operation("createTeam", "POST", "/team", "data", body="json", is_keyed=True)
ACCEPT_INVITE: Operation[m.Membership] = Operation(
    "acceptInvite",
    "POST",
    "/team/accept-invite",
    "data",
    body="json",
    is_keyed=True,
)
DECLINE_INVITE: Operation[m.Success] = Operation(
    "declineInvite",
    "POST",
    "/team/decline-invite",
    "json",
    body="json",
    is_keyed=True,
)
CHECK_TEAM_SLUG: Operation[m.Availability] = Operation("checkTeamSlug", "GET", "/team/slug", "json")
GET_TEAM: Operation[m.TeamDetails] = Operation("getTeam", "GET", "/team/{team_id}", "data")
DELETE_TEAM: Operation[m.Message] = Operation("deleteTeam", "DELETE", "/team/{team_id}", "json", is_keyed=True)
UPDATE_TEAM: Operation[m.Team] = Operation(
    "updateTeam",
    "PATCH",
    "/team/{team_id}",
    "data",
    body="json",
    is_keyed=True,
)
LIST_TEAM_AUDIT: Operation[Any] = Operation("listTeamAudit", "GET", "/team/{team_id}/audit", "json")
LIST_TEAM_EVENTS: Operation[m.Events] = Operation("listTeamEvents", "GET", "/team/{team_id}/event", "json")
LIST_INVITES: Operation[Any] = Operation("listInvites", "GET", "/team/{team_id}/invite", "json")
CREATE_INVITE: Operation[m.CreatedInvite] = Operation(
    "createInvite",
    "POST",
    "/team/{team_id}/invite",
    "data",
    body="json",
    is_keyed=True,
)
DELETE_INVITE: Operation[m.Success] = Operation(
    "deleteInvite",
    "DELETE",
    "/team/{team_id}/invite/{invite_id}",
    "json",
    is_keyed=True,
)
LIST_MEMBERS: Operation[Any] = Operation("listMembers", "GET", "/team/{team_id}/member", "json")
REMOVE_MEMBER: Operation[m.RemovedMember] = Operation(
    "removeMember",
    "DELETE",
    "/team/{team_id}/member/{member_id}",
    "json",
    is_keyed=True,
)
UPDATE_MEMBER: Operation[m.UpdatedMember] = Operation(
    "updateMember",
    "PATCH",
    "/team/{team_id}/member/{member_id}",
    "json",
    body="json",
    is_keyed=True,
)
LIST_TEAM_WEBHOOKS: Operation[Any] = Operation("listTeamWebhooks", "GET", "/team/{team_id}/webhook", "json")
CREATE_TEAM_WEBHOOK: Operation[m.WebhookWithSecret] = Operation(
    "createTeamWebhook",
    "POST",
    "/team/{team_id}/webhook",
    "data",
    body="json",
    is_keyed=True,
)
GET_TEAM_WEBHOOK: Operation[m.Webhook] = Operation(
    "getTeamWebhook",
    "GET",
    "/team/{team_id}/webhook/{webhook_id}",
    "data",
)
DELETE_TEAM_WEBHOOK: Operation[m.Success] = Operation(
    "deleteTeamWebhook",
    "DELETE",
    "/team/{team_id}/webhook/{webhook_id}",
    "json",
    is_keyed=True,
)
UPDATE_TEAM_WEBHOOK: Operation[m.Webhook] = Operation(
    "updateTeamWebhook",
    "PATCH",
    "/team/{team_id}/webhook/{webhook_id}",
    "data",
    body="json",
    is_keyed=True,
)
LIST_TEAM_WEBHOOK_DELIVERIES: Operation[Any] = Operation(
    "listTeamWebhookDeliveries",
    "GET",
    "/team/{team_id}/webhook/{webhook_id}/delivery",
    "json",
)
GET_TEAM_WEBHOOK_DELIVERY: Operation[m.WebhookDeliveryDetails] = Operation(
    "getTeamWebhookDelivery",
    "GET",
    "/team/{team_id}/webhook/{webhook_id}/delivery/{delivery_id}",
    "data",
)
REDELIVER_TEAM_WEBHOOK: Operation[m.WebhookDelivery] = Operation(
    "redeliverTeamWebhook",
    "POST",
    "/team/{team_id}/webhook/{webhook_id}/delivery/{delivery_id}/redeliver",
    "data",
    is_keyed=True,
)
ROTATE_TEAM_WEBHOOK_SECRET: Operation[m.WebhookWithSecret] = Operation(
    "rotateTeamWebhookSecret",
    "POST",
    "/team/{team_id}/webhook/{webhook_id}/rotate-secret",
    "data",
    is_keyed=True,
)
TEST_TEAM_WEBHOOK: Operation[m.WebhookDelivery] = Operation(
    "testTeamWebhook",
    "POST",
    "/team/{team_id}/webhook/{webhook_id}/test",
    "data",
    is_keyed=True,
)
GET_ACCOUNT_DID: Operation[m.DidDocument] = Operation("getAccountDid", "GET", "/u/{hex}/did.json", "json")
GET_UTILS_STATUS: Operation[m.Status] = Operation("getUtilsStatus", "GET", "/utils", "json")
COMPARE_SCHEMA: Operation[m.SchemaComparison] = Operation(
    "compareSchema",
    "POST",
    "/utils/schema/compareSchema",
    "json",
    body="json",
)
VERIFY_UPDATE_SCHEMA: Operation[m.SchemaCheck] = Operation(
    "verifyUpdateSchema",
    "POST",
    "/utils/schema/verifyUpdateSchema",
    "json",
    body="json",
)
SLUGIFY: Operation[m.SlugText] = Operation("slugify", "GET", "/utils/slugify", "json")

OPERATIONS: Tuple[Operation[Any], ...] = (
    GET_ROOT,
    GET_OAUTH_METADATA,
    GET_OPENID_METADATA,
    GET_OWN_APP,
    LEAVE_OWN_APP,
    EXPORT_OWN_DATA,
    LIST_OWN_ITEMS,
    CREATE_OWN_ITEM,
    BATCH_OWN_ITEMS,
    GET_OWN_ITEM,
    PUT_OWN_ITEM,
    DELETE_OWN_ITEM,
    PATCH_OWN_ITEM,
    GET_AUTH_STATUS,
    GET_KEY_SET,
    GET_AUTH_METADATA,
    AUTHORIZE,
    AUTHORIZE_BY_FORM,
    AUTHORIZE_DEVICE,
    INTROSPECT_TOKEN,
    LOG_IN,
    PUSH_AUTHORIZATION_REQUEST,
    LIST_PERSONAL_TOKENS,
    CREATE_PERSONAL_TOKEN,
    REVOKE_PERSONAL_TOKEN,
    REGISTER_CLIENT,
    REVOKE_TOKEN,
    GET_SESSION,
    SIGN_UP,
    GET_OWN_CREDENTIAL,
    EXCHANGE_TOKEN,
    GET_USER_INFO_MOVED,
    GET_USER_INFO,
    POST_USER_INFO,
    GET_DOCS,
    GET_OPENAPI,
    GET_LIVENESS,
    GET_READINESS,
    GET_IMAGE,
    LIST_OWN_INVITES,
    LIST_PROJECTS,
    CREATE_PROJECT,
    CHECK_PROJECT_SLUG,
    GET_PROJECT,
    DELETE_PROJECT,
    UPDATE_PROJECT,
    LIST_PROJECT_AUDIT,
    LIST_CLIENTS,
    CREATE_CLIENT,
    GET_CLIENT,
    DELETE_CLIENT,
    UPDATE_CLIENT,
    UPLOAD_CLIENT_LOGO,
    DELETE_CLIENT_LOGO,
    ROTATE_CLIENT_SECRET,
    LIST_PROJECT_TABLES,
    LIST_PROJECT_ITEMS,
    LIST_PROJECT_EVENTS,
    LIST_IDENTITY_PROVIDERS,
    CREATE_IDENTITY_PROVIDER,
    GET_IDENTITY_PROVIDER,
    DELETE_IDENTITY_PROVIDER,
    UPDATE_IDENTITY_PROVIDER,
    LIST_KEYS,
    CREATE_KEY,
    VERIFY_KEY,
    GET_KEY,
    DELETE_KEY,
    UPDATE_KEY,
    REVOKE_PREVIOUS_KEY_VALUES,
    REGENERATE_KEY,
    GET_PROJECT_PROFILE,
    LIST_REQUESTS,
    GET_REQUEST_STATS,
    GET_SCHEMA,
    PUBLISH_SCHEMA,
    PATCH_SCHEMA,
    ROLLBACK_SCHEMA,
    GET_SETTINGS,
    RESET_SETTINGS,
    UPDATE_SETTINGS,
    LIST_SYNC_REJECTIONS,
    LIST_IMAGES,
    UPLOAD_BACKGROUND,
    DELETE_BACKGROUND,
    UPLOAD_ICON,
    DELETE_ICON,
    LIST_USERS,
    CONNECT_USER,
    GET_USER_STATS,
    GET_USER,
    DELETE_USER,
    UPDATE_USER,
    BATCH_ITEMS,
    GET_ITEM,
    PUT_ITEM,
    DELETE_ITEM,
    PATCH_ITEM,
    EXPORT_USER,
    LIST_USER_SESSIONS,
    SIGN_OUT_USER,
    LIST_PROJECT_WEBHOOKS,
    CREATE_PROJECT_WEBHOOK,
    GET_PROJECT_WEBHOOK,
    DELETE_PROJECT_WEBHOOK,
    UPDATE_PROJECT_WEBHOOK,
    LIST_PROJECT_WEBHOOK_DELIVERIES,
    GET_PROJECT_WEBHOOK_DELIVERY,
    REDELIVER_PROJECT_WEBHOOK,
    ROTATE_PROJECT_WEBHOOK_SECRET,
    TEST_PROJECT_WEBHOOK,
    LIST_ITEMS,
    CREATE_ITEM,
    GET_PROJECT_DID,
    GET_CLIENT_METADATA,
    GET_JSON_SCHEMA,
    LIST_TEAMS,
    CREATE_TEAM,
    ACCEPT_INVITE,
    DECLINE_INVITE,
    CHECK_TEAM_SLUG,
    GET_TEAM,
    DELETE_TEAM,
    UPDATE_TEAM,
    LIST_TEAM_AUDIT,
    LIST_TEAM_EVENTS,
    LIST_INVITES,
    CREATE_INVITE,
    DELETE_INVITE,
    LIST_MEMBERS,
    REMOVE_MEMBER,
    UPDATE_MEMBER,
    LIST_TEAM_WEBHOOKS,
    CREATE_TEAM_WEBHOOK,
    GET_TEAM_WEBHOOK,
    DELETE_TEAM_WEBHOOK,
    UPDATE_TEAM_WEBHOOK,
    LIST_TEAM_WEBHOOK_DELIVERIES,
    GET_TEAM_WEBHOOK_DELIVERY,
    REDELIVER_TEAM_WEBHOOK,
    ROTATE_TEAM_WEBHOOK_SECRET,
    TEST_TEAM_WEBHOOK,
    GET_ACCOUNT_DID,
    GET_UTILS_STATUS,
    COMPARE_SCHEMA,
    VERIFY_UPDATE_SCHEMA,
    SLUGIFY,
)
