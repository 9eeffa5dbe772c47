// Names of the groups and methods of the SDK. They follow the Rust client. An operation that no rule names gets the group
// of the longest matching path, and its operation ID without the noun of the group as the name of its method.

/** [path prefix, group, noun that is removed from operation IDs] */
const GROUPS = [
  ["/", "service", ""],
  ["/account/apps", "apps", "Own(App)?"],
  ["/account/{project_id}/db", "ownItems", "OwnItems?"],
  ["/auth/", "auth", ""],
  ["/auth/.well-known", "service", ""],
  ["/auth/introspect", "tokens", "Token"],
  ["/auth/pat", "tokens", "PersonalTokens?"],
  ["/auth/session", "sessions", "Session"],
  ["/auth/userInfo", "service", ""],
  ["/auth/userinfo", "account", ""],
  ["/invite", "ownInvites", "OwnInvites?"],
  ["/project", "projects", "Projects?"],
  ["/project/{id}/audit", "projectAuditLog", "ProjectAudit"],
  ["/project/{id}/client", "oauthClients", "Clients?"],
  ["/project/{id}/event", "projectAuditLog", "ProjectEvents"],
  ["/project/{id}/db", "tables", "ProjectTables"],
  ["/project/{id}/identity-provider", "identityProviders", "IdentityProviders?"],
  ["/project/{id}/key", "keys", "Keys?"],
  ["/project/{id}/schema", "schemas", "Schema"],
  ["/project/{id}/settings", "settings", "Settings"],
  ["/project/{id}/sync/rejections", "syncRejections", "SyncRejections"],
  ["/project/{id}/upload", "images", "Images"],
  ["/project/{id}/user", "users", "Users?"],
  ["/project/{id}/user/{user_id}/db", "items", "Items?"],
  ["/project/{id}/webhook", "projectWebhooks", "ProjectWebhooks?"],
  ["/projects/", "service", ""],
  ["/schemas/", "schemas", "Schema"],
  ["/team", "teams", "Teams?"],
  ["/team/accept-invite", "ownInvites", "Invite"],
  ["/team/decline-invite", "ownInvites", "Invite"],
  ["/team/{team_id}/audit", "teamAuditLog", "TeamAudit"],
  ["/team/{team_id}/event", "teamAuditLog", "TeamEvents"],
  ["/team/{team_id}/invite", "invites", "Invites?"],
  ["/team/{team_id}/member", "members", "Members?"],
  ["/team/{team_id}/webhook", "teamWebhooks", "TeamWebhooks?"],
  ["/utils/schema", "schemas", "Schema"],
];

/** Better names than the derived ones: [group or "", method]. An empty group is the one of the path. */
const METHODS = {
  exportOwnData: ["apps", "export"],
  getImage: ["images", "get"],
  getJsonSchema: ["", "jsonSchema"],
  getOwnCredential: ["account", "credential"],
  getProjectProfile: ["", "profile"],
  getProjectWebhookDelivery: ["", "delivery"],
  getRequestStats: ["", "requestStats"],
  getSession: ["", "current"],
  getTeamWebhookDelivery: ["", "delivery"],
  getUserInfo: ["account", "userInfo"],
  getUserStats: ["", "stats"],
  listProjectEvents: ["", "events"],
  listProjectItems: ["", "items"],
  listProjectWebhookDeliveries: ["", "deliveries"],
  listRequests: ["", "requests"],
  listTeamEvents: ["", "events"],
  listTeamWebhookDeliveries: ["", "deliveries"],
  listUserSessions: ["", "sessions"],
  getSchema: ["", "list"],
  postUserInfo: ["account", "userInfoOf"],
  regenerateKey: ["", "rotate"],
  rollbackSchema: ["", "rollBack"],
  signOutUser: ["", "signOut"],
  updateMember: ["", "update"],
  verifyUpdateSchema: ["", "checkUpdate"],
};

/** Lists that also have a method which sends one request and returns its whole body. */
export const SINGLE_REQUESTS = { getSchema: "get" };

/** Returns the name that the schema of a body had in the version before; nothing if it had the same. */
export function formerName(name) {
  const [, verb, what] = /^(Create|Update)(\w+)Body$/.exec(name) ?? [];
  if (name === "UpdateProjectBody") return "ProjectUpdate";
  return verb && (verb === "Create" ? `New${what}` : `${what}Changes`);
}

/** Returns the group and the method of an operation. */
export function nameOf(path, operationId) {
  const known = path.replace(/^\/project\/\{project_id\}/, "/project/{id}");
  const rules = GROUPS.filter(([prefix]) => `${known}/`.startsWith(prefix));
  const [, group, noun] = rules.sort((a, b) => b[0].length - a[0].length)[0];
  const named = METHODS[operationId];
  const derived = noun ? operationId.replace(new RegExp(`${noun}(?![a-z])`), "") : operationId;
  return { group: named?.[0] || group, method: named?.[1] ?? (derived || operationId) };
}
