/** A row for each operation of the API. */
export declare const operations: {
    readonly getRoot: {
        readonly method: "GET";
        readonly path: "/";
        readonly response: "json";
    };
    readonly getOAuthMetadata: {
        readonly method: "GET";
        readonly path: "/.well-known/oauth-authorization-server";
        readonly response: "json";
    };
    readonly getOpenIdMetadata: {
        readonly method: "GET";
        readonly path: "/.well-known/openid-configuration";
        readonly response: "json";
    };
    readonly getOwnApp: {
        readonly method: "GET";
        readonly path: "/account/apps/{project_id}";
        readonly response: "data";
    };
    readonly leaveOwnApp: {
        readonly method: "DELETE";
        readonly path: "/account/apps/{project_id}";
        readonly response: "json";
    };
    readonly exportOwnData: {
        readonly method: "GET";
        readonly path: "/account/apps/{project_id}/export";
        readonly response: "json";
    };
    readonly listOwnItems: {
        readonly method: "GET";
        readonly path: "/account/{project_id}/db/{table_id}";
        readonly exploded: "conditions";
        readonly response: "json";
    };
    readonly createOwnItem: {
        readonly method: "POST";
        readonly path: "/account/{project_id}/db/{table_id}";
        readonly isKeyed: true;
        readonly body: "json";
        readonly response: "data";
    };
    readonly batchOwnItems: {
        readonly method: "POST";
        readonly path: "/account/{project_id}/db/{table_id}/batch";
        readonly isKeyed: true;
        readonly body: "json";
        readonly response: "data";
    };
    readonly getOwnItem: {
        readonly method: "GET";
        readonly path: "/account/{project_id}/db/{table_id}/{item_id}";
        readonly response: "data";
    };
    readonly putOwnItem: {
        readonly method: "PUT";
        readonly path: "/account/{project_id}/db/{table_id}/{item_id}";
        readonly isKeyed: true;
        readonly body: "json";
        readonly response: "data";
    };
    readonly deleteOwnItem: {
        readonly method: "DELETE";
        readonly path: "/account/{project_id}/db/{table_id}/{item_id}";
        readonly isKeyed: true;
        readonly response: "data";
    };
    readonly patchOwnItem: {
        readonly method: "PATCH";
        readonly path: "/account/{project_id}/db/{table_id}/{item_id}";
        readonly isKeyed: true;
        readonly body: "json";
        readonly response: "data";
    };
    readonly getAuthStatus: {
        readonly method: "GET";
        readonly path: "/auth";
        readonly response: "json";
    };
    readonly getKeySet: {
        readonly method: "GET";
        readonly path: "/auth/.well-known/jwks.json";
        readonly response: "json";
    };
    readonly getAuthMetadata: {
        readonly method: "GET";
        readonly path: "/auth/.well-known/openid-configuration";
        readonly response: "json";
    };
    readonly authorize: {
        readonly method: "GET";
        readonly path: "/auth/authorize";
        readonly response: "location";
    };
    readonly authorizeByForm: {
        readonly method: "POST";
        readonly path: "/auth/authorize";
        readonly body: "form";
        readonly response: "location";
    };
    readonly authorizeDevice: {
        readonly method: "POST";
        readonly path: "/auth/device/code";
        readonly body: "form";
        readonly response: "json";
    };
    readonly introspectToken: {
        readonly method: "POST";
        readonly path: "/auth/introspect";
        readonly body: "json";
        readonly response: "json";
    };
    readonly logIn: {
        readonly method: "POST";
        readonly path: "/auth/login";
        readonly body: "json";
        readonly response: "json";
    };
    readonly pushAuthorizationRequest: {
        readonly method: "POST";
        readonly path: "/auth/par";
        readonly body: "form";
        readonly response: "json";
    };
    readonly listPersonalTokens: {
        readonly method: "GET";
        readonly path: "/auth/pat";
        readonly response: "json";
    };
    readonly createPersonalToken: {
        readonly method: "POST";
        readonly path: "/auth/pat";
        readonly isKeyed: true;
        readonly body: "json";
        readonly response: "data";
    };
    readonly revokePersonalToken: {
        readonly method: "DELETE";
        readonly path: "/auth/pat/{token_id}";
        readonly isKeyed: true;
        readonly response: "json";
    };
    readonly registerClient: {
        readonly method: "POST";
        readonly path: "/auth/register";
        readonly body: "json";
        readonly response: "json";
    };
    readonly revokeToken: {
        readonly method: "POST";
        readonly path: "/auth/revoke";
        readonly body: "json";
        readonly response: "empty";
    };
    readonly getSession: {
        readonly method: "GET";
        readonly path: "/auth/session";
        readonly response: "json";
    };
    readonly signUp: {
        readonly method: "POST";
        readonly path: "/auth/signup";
        readonly body: "json";
        readonly response: "data";
    };
    readonly getOwnCredential: {
        readonly method: "GET";
        readonly path: "/auth/token";
        readonly response: "data";
    };
    readonly exchangeToken: {
        readonly method: "POST";
        readonly path: "/auth/token";
        readonly body: "json";
        readonly response: "json";
    };
    readonly getUserInfoMoved: {
        readonly method: "GET";
        readonly path: "/auth/userInfo";
        readonly response: "location";
    };
    readonly getUserInfo: {
        readonly method: "GET";
        readonly path: "/auth/userinfo";
        readonly response: "json";
    };
    readonly postUserInfo: {
        readonly method: "POST";
        readonly path: "/auth/userinfo";
        readonly body: "form";
        readonly response: "json";
    };
    readonly getDocs: {
        readonly method: "GET";
        readonly path: "/docs";
        readonly response: "text";
    };
    readonly getOpenApi: {
        readonly method: "GET";
        readonly path: "/docs/json";
        readonly response: "json";
    };
    readonly getLiveness: {
        readonly method: "GET";
        readonly path: "/health/live";
        readonly response: "json";
    };
    readonly getReadiness: {
        readonly method: "GET";
        readonly path: "/health/ready";
        readonly response: "json";
    };
    readonly getImage: {
        readonly method: "GET";
        readonly path: "/images/{id}/{file}";
        readonly response: "blob";
    };
    readonly listOwnInvites: {
        readonly method: "GET";
        readonly path: "/invite";
        readonly response: "json";
    };
    readonly listProjects: {
        readonly method: "GET";
        readonly path: "/project";
        readonly response: "json";
    };
    readonly createProject: {
        readonly method: "POST";
        readonly path: "/project";
        readonly isKeyed: true;
        readonly body: "json";
        readonly response: "data";
    };
    readonly checkProjectSlug: {
        readonly method: "GET";
        readonly path: "/project/slug";
        readonly response: "json";
    };
    readonly getProject: {
        readonly method: "GET";
        readonly path: "/project/{id}";
        readonly response: "data";
    };
    readonly deleteProject: {
        readonly method: "DELETE";
        readonly path: "/project/{id}";
        readonly isKeyed: true;
        readonly response: "json";
    };
    readonly updateProject: {
        readonly method: "PATCH";
        readonly path: "/project/{id}";
        readonly isKeyed: true;
        readonly body: "json";
        readonly response: "data";
    };
    readonly listProjectAudit: {
        readonly method: "GET";
        readonly path: "/project/{id}/audit";
        readonly response: "json";
    };
    readonly listClients: {
        readonly method: "GET";
        readonly path: "/project/{id}/client";
        readonly response: "data";
    };
    readonly createClient: {
        readonly method: "POST";
        readonly path: "/project/{id}/client";
        readonly isKeyed: true;
        readonly body: "json";
        readonly response: "data";
    };
    readonly getClient: {
        readonly method: "GET";
        readonly path: "/project/{id}/client/{client_id}";
        readonly response: "data";
    };
    readonly deleteClient: {
        readonly method: "DELETE";
        readonly path: "/project/{id}/client/{client_id}";
        readonly isKeyed: true;
        readonly response: "json";
    };
    readonly updateClient: {
        readonly method: "PATCH";
        readonly path: "/project/{id}/client/{client_id}";
        readonly isKeyed: true;
        readonly body: "json";
        readonly response: "data";
    };
    readonly uploadClientLogo: {
        readonly method: "POST";
        readonly path: "/project/{id}/client/{client_id}/logo";
        readonly isKeyed: true;
        readonly body: "multipart";
        readonly response: "data";
    };
    readonly deleteClientLogo: {
        readonly method: "DELETE";
        readonly path: "/project/{id}/client/{client_id}/logo";
        readonly isKeyed: true;
        readonly response: "json";
    };
    readonly rotateClientSecret: {
        readonly method: "POST";
        readonly path: "/project/{id}/client/{client_id}/rotate-secret";
        readonly isKeyed: true;
        readonly body: "json";
        readonly response: "data";
    };
    readonly listProjectTables: {
        readonly method: "GET";
        readonly path: "/project/{id}/db";
        readonly response: "json";
    };
    readonly listProjectItems: {
        readonly method: "GET";
        readonly path: "/project/{id}/db/{table_id}";
        readonly exploded: "conditions";
        readonly response: "json";
    };
    readonly listProjectEvents: {
        readonly method: "GET";
        readonly path: "/project/{id}/event";
        readonly response: "json";
    };
    readonly listIdentityProviders: {
        readonly method: "GET";
        readonly path: "/project/{id}/identity-provider";
        readonly response: "data";
    };
    readonly createIdentityProvider: {
        readonly method: "POST";
        readonly path: "/project/{id}/identity-provider";
        readonly isKeyed: true;
        readonly body: "json";
        readonly response: "data";
    };
    readonly getIdentityProvider: {
        readonly method: "GET";
        readonly path: "/project/{id}/identity-provider/{provider_id}";
        readonly response: "data";
    };
    readonly deleteIdentityProvider: {
        readonly method: "DELETE";
        readonly path: "/project/{id}/identity-provider/{provider_id}";
        readonly isKeyed: true;
        readonly response: "json";
    };
    readonly updateIdentityProvider: {
        readonly method: "PATCH";
        readonly path: "/project/{id}/identity-provider/{provider_id}";
        readonly isKeyed: true;
        readonly body: "json";
        readonly response: "data";
    };
    readonly listKeys: {
        readonly method: "GET";
        readonly path: "/project/{id}/key";
        readonly response: "json";
    };
    readonly createKey: {
        readonly method: "POST";
        readonly path: "/project/{id}/key";
        readonly isKeyed: true;
        readonly body: "json";
        readonly response: "json";
    };
    readonly verifyKey: {
        readonly method: "POST";
        readonly path: "/project/{id}/key/verify";
        readonly body: "json";
        readonly response: "json";
    };
    readonly getKey: {
        readonly method: "GET";
        readonly path: "/project/{id}/key/{key_id}";
        readonly response: "json";
    };
    readonly deleteKey: {
        readonly method: "DELETE";
        readonly path: "/project/{id}/key/{key_id}";
        readonly isKeyed: true;
        readonly response: "json";
    };
    readonly updateKey: {
        readonly method: "PATCH";
        readonly path: "/project/{id}/key/{key_id}";
        readonly isKeyed: true;
        readonly body: "json";
        readonly response: "json";
    };
    readonly revokePreviousKeyValues: {
        readonly method: "DELETE";
        readonly path: "/project/{id}/key/{key_id}/previous";
        readonly isKeyed: true;
        readonly response: "json";
    };
    readonly regenerateKey: {
        readonly method: "POST";
        readonly path: "/project/{id}/key/{key_id}/regenerate";
        readonly isKeyed: true;
        readonly body: "json";
        readonly response: "json";
    };
    readonly getProjectProfile: {
        readonly method: "GET";
        readonly path: "/project/{id}/profile";
        readonly response: "data";
    };
    readonly listRequests: {
        readonly method: "GET";
        readonly path: "/project/{id}/request";
        readonly response: "json";
    };
    readonly getRequestStats: {
        readonly method: "GET";
        readonly path: "/project/{id}/request/stats";
        readonly response: "json";
    };
    readonly getSchema: {
        readonly method: "GET";
        readonly path: "/project/{id}/schema";
        readonly response: "json";
    };
    readonly publishSchema: {
        readonly method: "POST";
        readonly path: "/project/{id}/schema";
        readonly isKeyed: true;
        readonly body: "json";
        readonly response: "json";
    };
    readonly patchSchema: {
        readonly method: "PATCH";
        readonly path: "/project/{id}/schema";
        readonly isKeyed: true;
        readonly body: "json";
        readonly response: "json";
    };
    readonly rollbackSchema: {
        readonly method: "POST";
        readonly path: "/project/{id}/schema/rollback";
        readonly isKeyed: true;
        readonly body: "json";
        readonly response: "json";
    };
    readonly getSettings: {
        readonly method: "GET";
        readonly path: "/project/{id}/settings";
        readonly response: "data";
    };
    readonly resetSettings: {
        readonly method: "DELETE";
        readonly path: "/project/{id}/settings";
        readonly isKeyed: true;
        readonly response: "data";
    };
    readonly updateSettings: {
        readonly method: "PATCH";
        readonly path: "/project/{id}/settings";
        readonly isKeyed: true;
        readonly body: "json";
        readonly response: "data";
    };
    readonly listSyncRejections: {
        readonly method: "GET";
        readonly path: "/project/{id}/sync/rejections";
        readonly response: "json";
    };
    readonly listImages: {
        readonly method: "GET";
        readonly path: "/project/{id}/upload";
        readonly response: "json";
    };
    readonly uploadBackground: {
        readonly method: "POST";
        readonly path: "/project/{id}/upload/background";
        readonly isKeyed: true;
        readonly body: "multipart";
        readonly response: "json";
    };
    readonly deleteBackground: {
        readonly method: "DELETE";
        readonly path: "/project/{id}/upload/background";
        readonly isKeyed: true;
        readonly response: "json";
    };
    readonly uploadIcon: {
        readonly method: "POST";
        readonly path: "/project/{id}/upload/icon";
        readonly isKeyed: true;
        readonly body: "multipart";
        readonly response: "json";
    };
    readonly deleteIcon: {
        readonly method: "DELETE";
        readonly path: "/project/{id}/upload/icon";
        readonly isKeyed: true;
        readonly response: "json";
    };
    readonly listUsers: {
        readonly method: "GET";
        readonly path: "/project/{id}/user";
        readonly response: "json";
    };
    readonly connectUser: {
        readonly method: "POST";
        readonly path: "/project/{id}/user/connect";
        readonly body: "json";
        readonly response: "json";
    };
    readonly getUserStats: {
        readonly method: "GET";
        readonly path: "/project/{id}/user/stats";
        readonly response: "json";
    };
    readonly getUser: {
        readonly method: "GET";
        readonly path: "/project/{id}/user/{user_id}";
        readonly response: "data";
    };
    readonly deleteUser: {
        readonly method: "DELETE";
        readonly path: "/project/{id}/user/{user_id}";
        readonly isKeyed: true;
        readonly response: "json";
    };
    readonly updateUser: {
        readonly method: "PATCH";
        readonly path: "/project/{id}/user/{user_id}";
        readonly isKeyed: true;
        readonly body: "json";
        readonly response: "data";
    };
    readonly batchItems: {
        readonly method: "POST";
        readonly path: "/project/{id}/user/{user_id}/db/{table_id}/batch";
        readonly isKeyed: true;
        readonly body: "json";
        readonly response: "data";
    };
    readonly getItem: {
        readonly method: "GET";
        readonly path: "/project/{id}/user/{user_id}/db/{table_id}/{item_id}";
        readonly response: "data";
    };
    readonly putItem: {
        readonly method: "PUT";
        readonly path: "/project/{id}/user/{user_id}/db/{table_id}/{item_id}";
        readonly isKeyed: true;
        readonly body: "json";
        readonly response: "data";
    };
    readonly deleteItem: {
        readonly method: "DELETE";
        readonly path: "/project/{id}/user/{user_id}/db/{table_id}/{item_id}";
        readonly isKeyed: true;
        readonly response: "data";
    };
    readonly patchItem: {
        readonly method: "PATCH";
        readonly path: "/project/{id}/user/{user_id}/db/{table_id}/{item_id}";
        readonly isKeyed: true;
        readonly body: "json";
        readonly response: "data";
    };
    readonly exportUser: {
        readonly method: "GET";
        readonly path: "/project/{id}/user/{user_id}/export";
        readonly response: "json";
    };
    readonly listUserSessions: {
        readonly method: "GET";
        readonly path: "/project/{id}/user/{user_id}/session";
        readonly response: "data";
    };
    readonly signOutUser: {
        readonly method: "DELETE";
        readonly path: "/project/{id}/user/{user_id}/session";
        readonly isKeyed: true;
        readonly response: "json";
    };
    readonly listProjectWebhooks: {
        readonly method: "GET";
        readonly path: "/project/{id}/webhook";
        readonly response: "json";
    };
    readonly createProjectWebhook: {
        readonly method: "POST";
        readonly path: "/project/{id}/webhook";
        readonly isKeyed: true;
        readonly body: "json";
        readonly response: "data";
    };
    readonly getProjectWebhook: {
        readonly method: "GET";
        readonly path: "/project/{id}/webhook/{webhook_id}";
        readonly response: "data";
    };
    readonly deleteProjectWebhook: {
        readonly method: "DELETE";
        readonly path: "/project/{id}/webhook/{webhook_id}";
        readonly isKeyed: true;
        readonly response: "json";
    };
    readonly updateProjectWebhook: {
        readonly method: "PATCH";
        readonly path: "/project/{id}/webhook/{webhook_id}";
        readonly isKeyed: true;
        readonly body: "json";
        readonly response: "data";
    };
    readonly listProjectWebhookDeliveries: {
        readonly method: "GET";
        readonly path: "/project/{id}/webhook/{webhook_id}/delivery";
        readonly response: "json";
    };
    readonly getProjectWebhookDelivery: {
        readonly method: "GET";
        readonly path: "/project/{id}/webhook/{webhook_id}/delivery/{delivery_id}";
        readonly response: "data";
    };
    readonly redeliverProjectWebhook: {
        readonly method: "POST";
        readonly path: "/project/{id}/webhook/{webhook_id}/delivery/{delivery_id}/redeliver";
        readonly isKeyed: true;
        readonly response: "data";
    };
    readonly rotateProjectWebhookSecret: {
        readonly method: "POST";
        readonly path: "/project/{id}/webhook/{webhook_id}/rotate-secret";
        readonly isKeyed: true;
        readonly response: "data";
    };
    readonly testProjectWebhook: {
        readonly method: "POST";
        readonly path: "/project/{id}/webhook/{webhook_id}/test";
        readonly isKeyed: true;
        readonly response: "data";
    };
    readonly listItems: {
        readonly method: "GET";
        readonly path: "/project/{project_id}/user/{user_id}/db/{table_id}";
        readonly exploded: "conditions";
        readonly response: "json";
    };
    readonly createItem: {
        readonly method: "POST";
        readonly path: "/project/{project_id}/user/{user_id}/db/{table_id}";
        readonly isKeyed: true;
        readonly body: "json";
        readonly response: "data";
    };
    readonly getProjectDid: {
        readonly method: "GET";
        readonly path: "/projects/{hex}/did.json";
        readonly response: "json";
    };
    readonly getClientMetadata: {
        readonly method: "GET";
        readonly path: "/projects/{id}/client-metadata.json";
        readonly response: "json";
    };
    readonly getJsonSchema: {
        readonly method: "GET";
        readonly path: "/schemas/schema-document.json";
        readonly response: "json";
    };
    readonly listTeams: {
        readonly method: "GET";
        readonly path: "/team";
        readonly response: "json";
    };
    readonly createTeam: {
        readonly method: "POST";
        readonly path: "/team";
        readonly isKeyed: true;
        readonly body: "json";
        readonly response: "data";
    };
    readonly acceptInvite: {
        readonly method: "POST";
        readonly path: "/team/accept-invite";
        readonly isKeyed: true;
        readonly body: "json";
        readonly response: "data";
    };
    readonly declineInvite: {
        readonly method: "POST";
        readonly path: "/team/decline-invite";
        readonly isKeyed: true;
        readonly body: "json";
        readonly response: "json";
    };
    readonly checkTeamSlug: {
        readonly method: "GET";
        readonly path: "/team/slug";
        readonly response: "json";
    };
    readonly getTeam: {
        readonly method: "GET";
        readonly path: "/team/{team_id}";
        readonly response: "data";
    };
    readonly deleteTeam: {
        readonly method: "DELETE";
        readonly path: "/team/{team_id}";
        readonly isKeyed: true;
        readonly response: "json";
    };
    readonly updateTeam: {
        readonly method: "PATCH";
        readonly path: "/team/{team_id}";
        readonly isKeyed: true;
        readonly body: "json";
        readonly response: "data";
    };
    readonly listTeamAudit: {
        readonly method: "GET";
        readonly path: "/team/{team_id}/audit";
        readonly response: "json";
    };
    readonly listTeamEvents: {
        readonly method: "GET";
        readonly path: "/team/{team_id}/event";
        readonly response: "json";
    };
    readonly listInvites: {
        readonly method: "GET";
        readonly path: "/team/{team_id}/invite";
        readonly response: "json";
    };
    readonly createInvite: {
        readonly method: "POST";
        readonly path: "/team/{team_id}/invite";
        readonly isKeyed: true;
        readonly body: "json";
        readonly response: "data";
    };
    readonly deleteInvite: {
        readonly method: "DELETE";
        readonly path: "/team/{team_id}/invite/{invite_id}";
        readonly isKeyed: true;
        readonly response: "json";
    };
    readonly listMembers: {
        readonly method: "GET";
        readonly path: "/team/{team_id}/member";
        readonly response: "json";
    };
    readonly removeMember: {
        readonly method: "DELETE";
        readonly path: "/team/{team_id}/member/{member_id}";
        readonly isKeyed: true;
        readonly response: "json";
    };
    readonly updateMember: {
        readonly method: "PATCH";
        readonly path: "/team/{team_id}/member/{member_id}";
        readonly isKeyed: true;
        readonly body: "json";
        readonly response: "json";
    };
    readonly listTeamWebhooks: {
        readonly method: "GET";
        readonly path: "/team/{team_id}/webhook";
        readonly response: "json";
    };
    readonly createTeamWebhook: {
        readonly method: "POST";
        readonly path: "/team/{team_id}/webhook";
        readonly isKeyed: true;
        readonly body: "json";
        readonly response: "data";
    };
    readonly getTeamWebhook: {
        readonly method: "GET";
        readonly path: "/team/{team_id}/webhook/{webhook_id}";
        readonly response: "data";
    };
    readonly deleteTeamWebhook: {
        readonly method: "DELETE";
        readonly path: "/team/{team_id}/webhook/{webhook_id}";
        readonly isKeyed: true;
        readonly response: "json";
    };
    readonly updateTeamWebhook: {
        readonly method: "PATCH";
        readonly path: "/team/{team_id}/webhook/{webhook_id}";
        readonly isKeyed: true;
        readonly body: "json";
        readonly response: "data";
    };
    readonly listTeamWebhookDeliveries: {
        readonly method: "GET";
        readonly path: "/team/{team_id}/webhook/{webhook_id}/delivery";
        readonly response: "json";
    };
    readonly getTeamWebhookDelivery: {
        readonly method: "GET";
        readonly path: "/team/{team_id}/webhook/{webhook_id}/delivery/{delivery_id}";
        readonly response: "data";
    };
    readonly redeliverTeamWebhook: {
        readonly method: "POST";
        readonly path: "/team/{team_id}/webhook/{webhook_id}/delivery/{delivery_id}/redeliver";
        readonly isKeyed: true;
        readonly response: "data";
    };
    readonly rotateTeamWebhookSecret: {
        readonly method: "POST";
        readonly path: "/team/{team_id}/webhook/{webhook_id}/rotate-secret";
        readonly isKeyed: true;
        readonly response: "data";
    };
    readonly testTeamWebhook: {
        readonly method: "POST";
        readonly path: "/team/{team_id}/webhook/{webhook_id}/test";
        readonly isKeyed: true;
        readonly response: "data";
    };
    readonly getAccountDid: {
        readonly method: "GET";
        readonly path: "/u/{hex}/did.json";
        readonly response: "json";
    };
    readonly getUtilsStatus: {
        readonly method: "GET";
        readonly path: "/utils";
        readonly response: "json";
    };
    readonly compareSchema: {
        readonly method: "POST";
        readonly path: "/utils/schema/compareSchema";
        readonly body: "json";
        readonly response: "json";
    };
    readonly verifyUpdateSchema: {
        readonly method: "POST";
        readonly path: "/utils/schema/verifyUpdateSchema";
        readonly body: "json";
        readonly response: "json";
    };
    readonly slugify: {
        readonly method: "GET";
        readonly path: "/utils/slugify";
        readonly response: "json";
    };
};
