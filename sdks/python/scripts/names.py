"""Names of the groups and methods of the SDK.

They follow the Rust client. An operation that no rule names gets the group of the longest matching path, and its operation
ID without the noun of the group as the name of its method.
"""

from __future__ import annotations

import keyword
import re

# Path prefix: group, and the noun that is removed from operation IDs.
GROUPS = {
    "/": ("service", ""),
    "/account/apps": ("apps", "Own(App)?"),
    "/account/{project_id}/db": ("own_items", "OwnItems?"),
    "/auth/": ("auth", ""),
    "/auth/.well-known": ("service", ""),
    "/auth/introspect": ("tokens", "Token"),
    "/auth/pat": ("tokens", "PersonalTokens?"),
    "/auth/session": ("sessions", "Session"),
    "/auth/userInfo": ("service", ""),
    "/auth/userinfo": ("account", ""),
    "/invite": ("own_invites", "OwnInvites?"),
    "/project": ("projects", "Projects?"),
    "/project/{id}/audit": ("project_audit_log", "ProjectAudit"),
    "/project/{id}/client": ("oauth_clients", "Clients?"),
    "/project/{id}/event": ("project_audit_log", "ProjectEvents"),
    "/project/{id}/db": ("tables", "ProjectTables"),
    "/project/{id}/identity-provider": ("identity_providers", "IdentityProviders?"),
    "/project/{id}/key": ("keys", "Keys?"),
    "/project/{id}/schema": ("schemas", "Schema"),
    "/project/{id}/settings": ("settings", "Settings"),
    "/project/{id}/sync/rejections": ("sync_rejections", "SyncRejections"),
    "/project/{id}/upload": ("images", "Images"),
    "/project/{id}/user": ("users", "Users?"),
    "/project/{id}/user/{user_id}/db": ("items", "Items?"),
    "/project/{id}/webhook": ("project_webhooks", "ProjectWebhooks?"),
    "/projects/": ("service", ""),
    "/schemas/": ("schemas", "Schema"),
    "/team": ("teams", "Teams?"),
    "/team/accept-invite": ("own_invites", "Invite"),
    "/team/decline-invite": ("own_invites", "Invite"),
    "/team/{team_id}/audit": ("team_audit_log", "TeamAudit"),
    "/team/{team_id}/event": ("team_audit_log", "TeamEvents"),
    "/team/{team_id}/invite": ("invites", "Invites?"),
    "/team/{team_id}/member": ("members", "Members?"),
    "/team/{team_id}/webhook": ("team_webhooks", "TeamWebhooks?"),
    "/utils/schema": ("schemas", "Schema"),
}

# Better names than the derived ones: group, or None for the one of the path, and method.
METHODS = {
    "exportOwnData": ("apps", "export"),
    "getImage": ("images", "get"),
    "getJsonSchema": (None, "json_schema"),
    "getOwnCredential": ("account", "credential"),
    "getProjectProfile": (None, "profile"),
    "getProjectWebhookDelivery": (None, "delivery"),
    "getRequestStats": (None, "request_stats"),
    "getSchema": (None, "list"),
    "getSession": (None, "current"),
    "getTeamWebhookDelivery": (None, "delivery"),
    "getUserInfo": ("account", "user_info"),
    "getUserStats": (None, "stats"),
    "listProjectEvents": (None, "events"),
    "listProjectItems": (None, "items"),
    "listProjectWebhookDeliveries": (None, "deliveries"),
    "listRequests": (None, "requests"),
    "listTeamEvents": (None, "events"),
    "listTeamWebhookDeliveries": (None, "deliveries"),
    "listUserSessions": (None, "sessions"),
    "postUserInfo": ("account", "user_info_of"),
    "regenerateKey": (None, "rotate"),
    "rollbackSchema": (None, "roll_back"),
    "signOutUser": (None, "sign_out"),
    "updateMember": (None, "update"),
    "verifyUpdateSchema": (None, "check_update"),
}

# Lists that also have a method which sends one request and returns its whole body: the name of that method, and the
# parameters that the list sets instead of the caller.
SINGLE_REQUESTS = {"getSchema": ("get", {"version": "all"})}


def former_name(name: str) -> str | None:
    """Return the name that the schema of a body had in the version before; nothing if it had the same."""
    found = re.fullmatch(r"(Create|Update)(\w+)Body", name)
    if not found:
        return None
    if name == "UpdateProjectBody":
        return "ProjectUpdate"
    return f"New{found[2]}" if found[1] == "Create" else f"{found[2]}Changes"


def name_of(path: str, operation_id: str) -> tuple[str, str]:
    """Return the group and the method of an operation."""
    known = re.sub(r"^/project/\{project_id\}", "/project/{id}", path)
    prefix = max((prefix for prefix in GROUPS if f"{known}/".startswith(prefix)), key=len)
    group, noun = GROUPS[prefix]
    named_group, named = METHODS.get(operation_id, (None, None))
    derived = re.sub(f"(?:{noun})(?![a-z])", "", operation_id, count=1) if noun else operation_id
    return named_group or group, named or snake(derived or operation_id)


def snake(name: str) -> str:
    """Return the name of a function or variable: `getUserInfo` becomes `get_user_info`."""
    spaced = name.replace("OAuth", "Oauth").replace("OpenId", "Openid").replace("OpenApi", "Openapi")
    return identifier(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", spaced).lower())


def pascal(name: str) -> str:
    """Return the name of a class: `own_items` becomes `OwnItems`."""
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"\W|_", name) if part)


def identifier(name: str) -> str:
    """Return a name that is not reserved and has only letters, digits and underscores."""
    name = re.sub(r"\W", "_", name)
    return f"{name}_" if keyword.iskeyword(name) else name


def id_name(name: str, path: str) -> str:
    """Return the name of a parameter of a path."""
    if name != "id":
        return {"table_id": "table"}.get(name, identifier(name))
    return "project_id" if path.startswith("/project") else "image_id"
