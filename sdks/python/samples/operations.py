# Generated from docs/openapi.json by scripts/generate.py. Do not edit.
# mypy: allow-redefinition-new, local-partial-types

# sample: preamble
import os
from pathlib import Path  # to read and store images

from steward_sdk import Steward

steward = Steward("http://localhost:3003", os.environ["STEWARD_TOKEN"])
# end

client_id: str
delivery_id: str
invite_id: str
item_id: str
key_id: str
member_id: str
project_id: str
provider_id: str
team_id: str
token_id: str
user_id: str
webhook_id: str

# sample: getRoot
service = steward.service.get_root()
print(service["version"])
# end

# sample: getOAuthMetadata
metadata = steward.service.get_oauth_metadata()
print(metadata["issuer"])
# end

# sample: getOpenIdMetadata
metadata = steward.service.get_openid_metadata()
print(metadata["issuer"])
# end

# sample: getOwnApp
app = steward.apps.get(project_id)
print(app["name"])
# end

# sample: leaveOwnApp
steward.apps.leave(project_id, erase=True)
# end

# sample: exportOwnData
data = steward.apps.export(project_id)
print(data["exported_at"])
# end

# sample: listOwnItems
entries = steward.own_items(project_id, "notes").list(
    conditions={"done": "eq.false"},
    order="created_at.desc",
)
for item in entries:
    print(item["title"])
# end

# sample: createOwnItem
item = steward.own_items(project_id, "notes").create({"title": "Buy milk", "done": False})
print(item["id"])
# end

# sample: batchOwnItems
items = steward.own_items(project_id, "notes").batch(
    operations=[
        {"op": "put", "id": "milk", "value": {"title": "Buy milk", "done": False}},
        {"op": "patch", "id": "bread", "value": {"done": True}},
        {"op": "delete", "id": "tea"},
    ],
)
for item in items:
    print(item["id"])
# end

# sample: getOwnItem
item = steward.own_items(project_id, "notes").get(item_id)
print(item["title"])
# end

# sample: putOwnItem
item = steward.own_items(project_id, "notes").put(item_id, {"title": "Buy milk", "done": False})
print(item["updated_at"])
# end

# sample: deleteOwnItem
steward.own_items(project_id, "notes").delete(item_id)
# end

# sample: patchOwnItem
item = steward.own_items(project_id, "notes").patch(item_id, {"done": True})
print(item["updated_at"])
# end

# sample: getAuthStatus
status = steward.auth.get_auth_status()["status"]
print(status)
# end

# sample: getKeySet
keys = steward.service.get_key_set()
print(keys)
# end

# sample: getAuthMetadata
metadata = steward.service.get_auth_metadata()
print(metadata["issuer"])
# end

# sample: authorize
url = steward.auth.authorize(
    client_id=project_id,
    redirect_uri="https://example.com/callback",
    response_type="code",
    scope="openid profile app:db:read",
    state="af0ifjsldkj",
    code_challenge="E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    code_challenge_method="S256",
)
print(url)
# end

# sample: authorizeByForm
url = steward.auth.authorize_by_form(
    client_id=project_id,
    redirect_uri="https://example.com/callback",
    response_type="code",
    scope="openid profile app:db:read",
    state="af0ifjsldkj",
    code_challenge="E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    code_challenge_method="S256",
)
print(url)
# end

# sample: authorizeDevice
device = steward.auth.authorize_device(client_id=project_id, scope="openid profile app:db:read")
print(device["verification_uri_complete"])
# end

# sample: introspectToken
active = steward.tokens.introspect(
    token="eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJleGFtcGxlIn0.ZXhhbXBsZQ",
)["active"]
print(active)
# end

# sample: logIn
tokens = steward.auth.log_in(email="ann@example.com", password="correct horse battery staple")
print(tokens["expires_in"])
# end

# sample: pushAuthorizationRequest
request_uri = steward.auth.push_authorization_request(
    client_id=project_id,
    redirect_uri="https://example.com/callback",
    response_type="code",
    scope="openid profile app:db:read",
    state="af0ifjsldkj",
    code_challenge="E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    code_challenge_method="S256",
)["request_uri"]
print(request_uri)
# end

# sample: listPersonalTokens
for token in steward.tokens.list():
    print(token["label"])
# end

# sample: createPersonalToken
token = steward.tokens.create(
    label="Server",
    roles="developer",
    teams=[team_id],
    projects=[project_id],
    expires_at="2027-01-31T12:00:00.000Z",
)
print(token["value"])
# end

# sample: revokePersonalToken
steward.tokens.revoke(token_id)
# end

# sample: registerClient
client = steward.auth.register_client(
    client_name="Notes",
    redirect_uris=["http://127.0.0.1/callback"],
    token_endpoint_auth_method="none",
    grant_types=["authorization_code", "refresh_token"],
)
print(client["client_id"])
# end

# sample: revokeToken
steward.auth.revoke_token(
    token="stw_rt_ExampleExampleExampleExampleExampleExampleE",
    client_id=project_id,
)
# end

# sample: getSession
session = steward.sessions.current()
print(session["session_id"])
# end

# sample: signUp
account = steward.auth.sign_up(
    email="ann@example.com",
    password="correct horse battery staple",
    name="Ann Example",
    username="ann",
)
print(account["id"])
# end

# sample: getOwnCredential
credential = steward.account.credential()
print(credential["type"])
# end

# sample: exchangeToken
tokens = steward.auth.exchange_token(
    grant_type="authorization_code",
    code="stw_ac_ExampleExampleExampleExampleExampleExampleE",
    redirect_uri="https://example.com/callback",
    client_id=project_id,
    code_verifier="dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
)
print(tokens["expires_in"])
# end

# sample: getUserInfoMoved
url = steward.service.get_user_info_moved()
print(url)
# end

# sample: getUserInfo
person = steward.account.user_info()
print(person["sub"])
# end

# sample: postUserInfo
person = steward.account.user_info_of(
    access_token="eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJleGFtcGxlIn0.ZXhhbXBsZQ",
)
print(person["sub"])
# end

# sample: getDocs
page = steward.service.get_docs()
print(page)
# end

# sample: getOpenApi
document = steward.service.get_openapi()
print(document)
# end

# sample: getLiveness
status = steward.service.get_liveness()["status"]
print(status)
# end

# sample: getReadiness
status = steward.service.get_readiness()["status"]
print(status)
# end

# sample: getImage
image = steward.images.get(project_id, "018f2a3d-0a1b-7c2d-8e3f-405162738495.png")
Path("icon.png").write_bytes(image)
# end

# sample: listOwnInvites
for invite in steward.own_invites.list():
    print(invite["team_name"])
# end

# sample: listProjects
for project in steward.projects.list():
    print(project["name"])
# end

# sample: createProject
project = steward.projects.create(name="Acme", team_id=team_id, slug="acme")
print(project["id"])
# end

# sample: checkProjectSlug
available = steward.projects.check_slug(slug="acme")["available"]
print(available)
# end

# sample: getProject
project = steward.projects.get(project_id)
print(project["name"])
# end

# sample: deleteProject
steward.projects.delete(project_id)
# end

# sample: updateProject
project = steward.projects.update(project_id, name="Acme", website="https://example.com")
print(project["updated_at"])
# end

# sample: listProjectAudit
for event in steward.project_audit_log.list(project_id, action="project.updated"):
    print(event["action"])
# end

# sample: listClients
for client in steward.oauth_clients.list(project_id):
    print(client["name"])
# end

# sample: createClient
client = steward.oauth_clients.create(
    project_id,
    name="Web shop",
    type="confidential",
    redirect_uris=["https://shop.example.com/callback"],
)
print(client.get("client_secret"))
# end

# sample: getClient
client = steward.oauth_clients.get(project_id, client_id)
print(client["name"])
# end

# sample: deleteClient
steward.oauth_clients.delete(project_id, client_id)
# end

# sample: updateClient
client = steward.oauth_clients.update(project_id, client_id, name="Web shop", skip_consent=True)
print(client["name"])
# end

# sample: uploadClientLogo
client = steward.oauth_clients.upload_logo(
    project_id,
    client_id,
    file=Path("logo.png").read_bytes(),
)
print(client["name"])
# end

# sample: deleteClientLogo
steward.oauth_clients.delete_logo(project_id, client_id)
# end

# sample: rotateClientSecret
client = steward.oauth_clients.rotate_secret(project_id, client_id, grace_seconds=3600)
print(client.get("client_secret"))
# end

# sample: listProjectTables
steward.tables.list(project_id)
# end

# sample: listProjectItems
steward.tables.items(project_id, "notes")
# end

# sample: listProjectEvents
events = steward.project_audit_log.events(project_id, after=128)["data"]
for event in events:
    print(event["action"])
# end

# sample: listIdentityProviders
for provider in steward.identity_providers.list(project_id):
    print(provider["name"])
# end

# sample: createIdentityProvider
provider = steward.identity_providers.create(
    project_id,
    kind="openid_connect",
    name="Example ID",
    issuer="https://accounts.example.com",
    client_id="steward",
    client_secret="s3cret",
)
print(provider["redirect_uri"])
# end

# sample: getIdentityProvider
provider = steward.identity_providers.get(project_id, provider_id)
print(provider["name"])
# end

# sample: deleteIdentityProvider
steward.identity_providers.delete(project_id, provider_id)
# end

# sample: updateIdentityProvider
provider = steward.identity_providers.update(
    project_id,
    provider_id,
    name="Example ID",
    is_enabled=True,
)
print(provider["name"])
# end

# sample: listKeys
for key in steward.keys.list(project_id):
    print(key["label"])
# end

# sample: createKey
key = steward.keys.create(
    project_id,
    label="Server",
    roles="read",
    is_private=True,
    expires_at="2027-01-31T12:00:00.000Z",
)["key"]
print(key["value"])
# end

# sample: verifyKey
is_valid = steward.keys.verify(
    project_id,
    key="stw_sk_ExampleExampleExampleExampleExampleExampleE000000",
    key_id=key_id,
)["is_valid"]
print(is_valid)
# end

# sample: getKey
key = steward.keys.get(project_id, key_id)["key"]
print(key["label"])
# end

# sample: deleteKey
steward.keys.delete(project_id, key_id)
# end

# sample: updateKey
key = steward.keys.update(project_id, key_id, label="Server", roles="read")["key"]
print(key["label"])
# end

# sample: revokePreviousKeyValues
key = steward.keys.revoke_previous_values(project_id, key_id)["key"]
print(key["label"])
# end

# sample: regenerateKey
key = steward.keys.rotate(project_id, key_id, grace_seconds=3600)["key"]
print(key["value"])
# end

# sample: getProjectProfile
profile = steward.projects.profile(project_id)
print(profile["name"])
# end

# sample: listRequests
steward.projects.requests(project_id, status="4xx")
# end

# sample: getRequestStats
stats = steward.projects.request_stats(project_id, days=7)
print(stats["total"])
# end

# sample: getSchema
for version in steward.schemas.list(project_id):
    print(version["updated_at"])
# end

# sample: publishSchema
version = steward.schemas.publish(
    project_id,
    schema={
        "tables": {
            "notes": {
                "fields": {
                    "title": {"type": "string", "required": True},
                    "done": {"type": "boolean"},
                },
            },
        },
    },
)["data"]
print(version["schema"])
# end

# sample: patchSchema
version = steward.schemas.patch(
    project_id,
    schema={"tables": {"notes": {"fields": {"rank": {"type": "number"}}}}},
)["data"]
print(version["schema"])
# end

# sample: rollbackSchema
version = steward.schemas.roll_back(project_id, version=1)["data"]
print(version["schema"])
# end

# sample: getSettings
settings = steward.settings.get(project_id)
print(settings["auth"]["redirect_uris"])
# end

# sample: resetSettings
steward.settings.reset(project_id, key=["auth.redirect_uris"])
# end

# sample: updateSettings
steward.settings.update(project_id, {"auth": {"redirect_uris": ["https://example.com/callback"]}})
# end

# sample: listSyncRejections
for rejection in steward.sync_rejections.list(project_id):
    print(rejection["message"])
# end

# sample: listImages
images = steward.images.list(project_id)["images"]
print(images)
# end

# sample: uploadBackground
background_url = steward.images.upload_background(
    project_id,
    file=Path("background.jpg").read_bytes(),
)["background_url"]
print(background_url)
# end

# sample: deleteBackground
steward.images.delete_background(project_id)
# end

# sample: uploadIcon
icon_url = steward.images.upload_icon(project_id, file=Path("icon.png").read_bytes())["icon_url"]
print(icon_url)
# end

# sample: deleteIcon
steward.images.delete_icon(project_id)
# end

# sample: listUsers
for user in steward.users.list(project_id, status="connected", q="ann"):
    print(user.get("email"))
# end

# sample: connectUser
user = steward.users.connect(project_id, token="eyJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl")
print(user["user_did"])
# end

# sample: getUserStats
stats = steward.users.stats(project_id, days=7)
print(stats["total"])
# end

# sample: getUser
user = steward.users.get(project_id, user_id)
print(user.get("email"))
# end

# sample: deleteUser
steward.users.delete(project_id, user_id)
# end

# sample: updateUser
user = steward.users.update(project_id, user_id, meta={"plan": "pro"})
print(user.get("email"))
# end

# sample: batchItems
items = steward.items(project_id, user_id, "notes").batch(
    operations=[
        {"op": "put", "id": "milk", "value": {"title": "Buy milk", "done": False}},
        {"op": "patch", "id": "bread", "value": {"done": True}},
        {"op": "delete", "id": "tea"},
    ],
)
for item in items:
    print(item["id"])
# end

# sample: getItem
item = steward.items(project_id, user_id, "notes").get(item_id)
print(item["title"])
# end

# sample: putItem
item = steward.items(project_id, user_id, "notes").put(
    item_id,
    {"title": "Buy milk", "done": False},
)
print(item["updated_at"])
# end

# sample: deleteItem
steward.items(project_id, user_id, "notes").delete(item_id)
# end

# sample: patchItem
item = steward.items(project_id, user_id, "notes").patch(item_id, {"done": True})
print(item["updated_at"])
# end

# sample: exportUser
data = steward.users.export(project_id, user_id)
print(data["exported_at"])
# end

# sample: listUserSessions
for session in steward.users.sessions(project_id, user_id):
    print(session["signed_in_at"])
# end

# sample: signOutUser
steward.users.sign_out(project_id, user_id)
# end

# sample: listProjectWebhooks
for webhook in steward.project_webhooks.list(project_id):
    print(webhook["url"])
# end

# sample: createProjectWebhook
webhook = steward.project_webhooks.create(
    project_id,
    url="https://example.com/hooks",
    events=["*"],
    ordering="project",
)
print(webhook["secret"])
# end

# sample: getProjectWebhook
webhook = steward.project_webhooks.get(project_id, webhook_id)
print(webhook["url"])
# end

# sample: deleteProjectWebhook
steward.project_webhooks.delete(project_id, webhook_id)
# end

# sample: updateProjectWebhook
webhook = steward.project_webhooks.update(
    project_id,
    webhook_id,
    url="https://example.com/hooks",
    events=["*"],
    ordering="project",
    status="active",
)
print(webhook["url"])
# end

# sample: listProjectWebhookDeliveries
for delivery in steward.project_webhooks.deliveries(project_id, webhook_id):
    print(delivery["event"])
# end

# sample: getProjectWebhookDelivery
steward.project_webhooks.delivery(project_id, webhook_id, delivery_id)
# end

# sample: redeliverProjectWebhook
delivery = steward.project_webhooks.redeliver(project_id, webhook_id, delivery_id)
print(delivery.get("status"))
# end

# sample: rotateProjectWebhookSecret
webhook = steward.project_webhooks.rotate_secret(project_id, webhook_id)
print(webhook["secret"])
# end

# sample: testProjectWebhook
delivery = steward.project_webhooks.test(project_id, webhook_id)
print(delivery.get("status"))
# end

# sample: listItems
entries = steward.items(project_id, user_id, "notes").list(
    conditions={"done": "eq.false"},
    order="created_at.desc",
)
for item in entries:
    print(item["title"])
# end

# sample: createItem
item = steward.items(project_id, user_id, "notes").create({"title": "Buy milk", "done": False})
print(item["id"])
# end

# sample: getProjectDid
document = steward.service.get_project_did("018f2a3c7d1e7cc49b3a2f6d1c0e8a55")
print(document["id"])
# end

# sample: getClientMetadata
metadata = steward.service.get_client_metadata(project_id)
print(metadata["client_name"])
# end

# sample: getJsonSchema
schema = steward.schemas.json_schema()
print(schema)
# end

# sample: listTeams
for team in steward.teams.list():
    print(team["name"])
# end

# sample: createTeam
team = steward.teams.create(name="Acme", slug="acme")
print(team["id"])
# end

# sample: acceptInvite
membership = steward.own_invites.accept(invite_id=invite_id)
print(membership["role_name"])
# end

# sample: declineInvite
steward.own_invites.decline(invite_id=invite_id)
# end

# sample: checkTeamSlug
available = steward.teams.check_slug(slug="acme")["available"]
print(available)
# end

# sample: getTeam
team = steward.teams.get(team_id)
print(team["name"])
# end

# sample: deleteTeam
steward.teams.delete(team_id)
# end

# sample: updateTeam
team = steward.teams.update(team_id, name="Acme", slug="acme")
print(team["name"])
# end

# sample: listTeamAudit
for event in steward.team_audit_log.list(team_id, action="team.updated"):
    print(event["action"])
# end

# sample: listTeamEvents
events = steward.team_audit_log.events(team_id, after=128)["data"]
for event in events:
    print(event["action"])
# end

# sample: listInvites
for invite in steward.invites.list(team_id):
    print(invite["email_or_username"])
# end

# sample: createInvite
invite = steward.invites.create(
    team_id,
    email="ann@example.com",
    roles="developer",
    role_name="Developer",
)
print(invite["id"])
# end

# sample: deleteInvite
steward.invites.delete(team_id, invite_id)
# end

# sample: listMembers
for member in steward.members.list(team_id):
    print(member.get("email"))
# end

# sample: removeMember
steward.members.remove(team_id, member_id, end="keys,clients,identity_providers")
# end

# sample: updateMember
membership = steward.members.update(
    team_id,
    member_id,
    roles="developer",
    role_name="Developer",
)["data"]
print(membership["role_name"])
# end

# sample: listTeamWebhooks
for webhook in steward.team_webhooks.list(team_id):
    print(webhook["url"])
# end

# sample: createTeamWebhook
webhook = steward.team_webhooks.create(
    team_id,
    url="https://example.com/hooks",
    events=["*"],
    ordering="project",
)
print(webhook["secret"])
# end

# sample: getTeamWebhook
webhook = steward.team_webhooks.get(team_id, webhook_id)
print(webhook["url"])
# end

# sample: deleteTeamWebhook
steward.team_webhooks.delete(team_id, webhook_id)
# end

# sample: updateTeamWebhook
webhook = steward.team_webhooks.update(
    team_id,
    webhook_id,
    url="https://example.com/hooks",
    events=["*"],
    ordering="project",
    status="active",
)
print(webhook["url"])
# end

# sample: listTeamWebhookDeliveries
for delivery in steward.team_webhooks.deliveries(team_id, webhook_id):
    print(delivery["event"])
# end

# sample: getTeamWebhookDelivery
steward.team_webhooks.delivery(team_id, webhook_id, delivery_id)
# end

# sample: redeliverTeamWebhook
delivery = steward.team_webhooks.redeliver(team_id, webhook_id, delivery_id)
print(delivery.get("status"))
# end

# sample: rotateTeamWebhookSecret
webhook = steward.team_webhooks.rotate_secret(team_id, webhook_id)
print(webhook["secret"])
# end

# sample: testTeamWebhook
delivery = steward.team_webhooks.test(team_id, webhook_id)
print(delivery.get("status"))
# end

# sample: getAccountDid
document = steward.service.get_account_did("018f2a3c7d1e7cc49b3a2f6d1c0e8a55")
print(document["id"])
# end

# sample: getUtilsStatus
status = steward.service.get_utils_status()["status"]
print(status)
# end

# sample: compareSchema
changes = steward.schemas.compare(
    schema={
        "project_id": project_id,
        "version": 2,
        "tables": {
            "notes": {
                "fields": {
                    "title": {"type": "string", "required": True},
                    "done": {"type": "boolean"},
                },
            },
        },
    },
)["changes"]
print(changes)
# end

# sample: verifyUpdateSchema
check = steward.schemas.check_update(
    schema={
        "project_id": project_id,
        "version": 2,
        "tables": {
            "notes": {
                "fields": {
                    "title": {"type": "string", "required": True},
                    "done": {"type": "boolean"},
                },
            },
        },
    },
)
print(check["valid"])
# end

# sample: slugify
slug = steward.service.slugify(slug="Rock & Roll")["slug"]
print(slug)
# end
