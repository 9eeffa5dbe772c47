"""Writes several items at once and regenerates a key with a client that OpenAPI Generator generates from the OpenAPI document.
Argument: the URL of the service. Prints a JSON object with the results."""

import json
import sys
from typing import Any

from openapi_client import ApiClient, ApiException, Configuration
from openapi_client.api import AuthApi, ProjectKeysApi, ProjectSchemaApi, ProjectsApi, ProjectUsersApi, TeamsApi
from openapi_client.models import (
    BatchOwnItems200Response,
    CreateAccountBody,
    CreateKeyBody,
    CreateProjectBody,
    CreateTeamBody,
    ItemBatch,
    ItemDelete,
    ItemOperation,
    ItemPatch,
    ItemPut,
    KeyRegeneration,
    PasswordLogin,
    SchemaDocument,
    UserConnection,
)

PASSWORD = "correct horse battery"

base_url = sys.argv[1]


def client_with(token: str | None) -> ApiClient:
    return ApiClient(Configuration(host=base_url, access_token=token))


def refusal(error: ApiException) -> Any:
    return json.loads(error.body or "")


def sign_up_and_log_in(username: str) -> str:
    auth = AuthApi(client_with(None))
    email = f"{username}@example.com"
    auth.sign_up(CreateAccountBody(email=email, password=PASSWORD, username=username, name=username))
    return auth.log_in(PasswordLogin(username=username, password=PASSWORD)).access_token


def put(item_id: str, title: str, if_none_match: str | None = None) -> ItemOperation:
    return ItemOperation(ItemPut(id=item_id, value={"title": title}, op="put", if_none_match=if_none_match))


def complete(item_id: str) -> ItemOperation:
    return ItemOperation(ItemPatch(id=item_id, value={"done": True}, op="patch"))


def credential_of(value: str) -> str:
    """The project that a key belongs to, or the code of the error."""
    try:
        return ProjectsApi(client_with(value)).get_project(project).data.name
    except ApiException as error:
        return refusal(error)["error"]


olga = client_with(sign_up_and_log_in("olga"))
ann = sign_up_and_log_in("ann")

team = TeamsApi(olga).create_team(CreateTeamBody(name="Acme", slug="acme")).data.id
project = ProjectsApi(olga).create_project(CreateProjectBody(name="Rocket", team_id=team)).data.id
keys = ProjectKeysApi(olga)
key = keys.create_key(project, CreateKeyBody(label="Server", roles="admin")).key
users = ProjectUsersApi(client_with(key.value))

fields = {"title": {"type": "string", "required": True}, "done": {"type": "boolean"}}
schema = SchemaDocument(schema={"tables": {"notes": {"fields": fields}}})
ProjectSchemaApi(olga).publish_schema(project, schema)
users.connect_user(project, UserConnection(token=ann))
[user] = users.list_users(project).data


def batch(*operations: ItemOperation) -> BatchOwnItems200Response:
    return users.batch_items(project, user.id, "notes", ItemBatch(operations=list(operations)))


batch(put("first", "Buy milk", if_none_match="*"), put("second", "Buy bread"))
items = batch(put("third", "Buy eggs"), complete("first"), ItemOperation(ItemDelete(id="second", op="delete"))).data
try:
    batch(complete("third"), put("first", "Buy tea", if_none_match="*"))
    conflict = None
except ApiException as error:
    conflict = refusal(error)

second = keys.regenerate_key(project, key.id).key
third = keys.regenerate_key(project, key.id, key_regeneration=KeyRegeneration(grace_seconds=600)).key

results = {
    "batch": [[item["id"], item["title"], item.get("done")] for item in items],
    "conflict": conflict and [conflict["error"], conflict["index"]],
    "ids": [second.id == key.id, third.id == key.id],
    "first": credential_of(key.value),
    "second": credential_of(second.value),
    "third": credential_of(third.value),
}
print(json.dumps(results))
