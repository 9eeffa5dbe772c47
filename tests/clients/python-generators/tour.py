"""Writes several items at once and regenerates a key with a client that openapi-python-client generates from the OpenAPI
document. Argument: the URL of the service. Prints a JSON object with the results."""

import json
import sys
from typing import TypeVar

from steward_client import AuthenticatedClient, Client
from steward_client.api.auth import log_in, sign_up
from steward_client.api.project_keys import create_key, regenerate_key
from steward_client.api.project_schema import publish_schema
from steward_client.api.project_users import batch_items, connect_user, list_users
from steward_client.api.projects import create_project, get_project
from steward_client.api.teams import create_team
from steward_client.models import (
    BatchItemsResponse200,
    BatchItemsResponse412,
    CreateAccountBody,
    CreateKeyBody,
    CreateProjectBody,
    CreateProjectResponse201,
    CreateTeamBody,
    CreateTeamResponse201,
    GetProjectResponse200,
    GetProjectResponse401,
    IssuedKey,
    ItemBatch,
    ItemDelete,
    ItemDeleteOp,
    ItemPatch,
    ItemPatchOp,
    ItemPatchValue,
    ItemPut,
    ItemPutOp,
    ItemPutValue,
    KeyRegeneration,
    ListUsersResponse200,
    PasswordLogin,
    SchemaDocument,
    SchemaDocumentSchema,
    TokenResponse,
    UserConnection,
)
from steward_client.types import UNSET, Unset

T = TypeVar("T")
PASSWORD = "correct horse battery"

base_url = sys.argv[1]


def expect(kind: type[T], response: object) -> T:
    if not isinstance(response, kind):
        raise TypeError(f"not a {kind.__name__}: {response}")
    return response


def client_with(token: str) -> AuthenticatedClient:
    return AuthenticatedClient(base_url=base_url, token=token)


def sign_up_and_log_in(username: str) -> str:
    anonymous = Client(base_url=base_url)
    account = CreateAccountBody(email=f"{username}@example.com", password=PASSWORD, username=username, name=username)
    sign_up.sync(client=anonymous, body=account)
    login = PasswordLogin(username=username, password=PASSWORD)
    return expect(TokenResponse, log_in.sync(client=anonymous, body=login)).access_token


def put(item_id: str, title: str, if_none_match: str | Unset = UNSET) -> ItemPut:
    value = ItemPutValue.from_dict({"title": title})
    return ItemPut(id=item_id, value=value, op=ItemPutOp.PUT, if_none_match=if_none_match)


def complete(item_id: str) -> ItemPatch:
    return ItemPatch(id=item_id, value=ItemPatchValue.from_dict({"done": True}), op=ItemPatchOp.PATCH)


def credential_of(value: str) -> str:
    """The project that a key belongs to, or the code of the error."""
    response = get_project.sync(project, client=client_with(value))
    if isinstance(response, GetProjectResponse401):
        return response.error
    return expect(GetProjectResponse200, response).data.name


olga = client_with(sign_up_and_log_in("olga"))
ann = sign_up_and_log_in("ann")

team_response = create_team.sync(client=olga, body=CreateTeamBody(name="Acme", slug="acme"))
team = expect(CreateTeamResponse201, team_response).data.id
project_response = create_project.sync(client=olga, body=CreateProjectBody(name="Rocket", team_id=team))
project = expect(CreateProjectResponse201, project_response).data.id
key = expect(IssuedKey, create_key.sync(project, client=olga, body=CreateKeyBody(label="Server", roles="admin"))).key
server = client_with(key.value)

fields = {"title": {"type": "string", "required": True}, "done": {"type": "boolean"}}
schema = SchemaDocumentSchema.from_dict({"tables": {"notes": {"fields": fields}}})
publish_schema.sync(project, client=olga, body=SchemaDocument(schema=schema))
connect_user.sync(project, client=server, body=UserConnection(token=ann))
[user] = expect(ListUsersResponse200, list_users.sync(project, client=server)).data


def batch(*operations: ItemPut | ItemPatch | ItemDelete) -> object:
    return batch_items.sync(project, user.id, "notes", client=server, body=ItemBatch(operations=list(operations)))


expect(BatchItemsResponse200, batch(put("first", "Buy milk", if_none_match="*"), put("second", "Buy bread")))
delete = ItemDelete(id="second", op=ItemDeleteOp.DELETE)
items = expect(BatchItemsResponse200, batch(put("third", "Buy eggs"), complete("first"), delete)).data
conflict = expect(BatchItemsResponse412, batch(complete("third"), put("first", "Buy tea", if_none_match="*")))

second = expect(IssuedKey, regenerate_key.sync(project, key.id, client=olga)).key
body = KeyRegeneration(grace_seconds=600)
third = expect(IssuedKey, regenerate_key.sync(project, key.id, client=olga, body=body)).key

results = {
    "batch": [[item["id"], item["title"], item.additional_properties.get("done")] for item in items],
    "conflict": [conflict.error, conflict.index],
    "ids": [second.id == key.id, third.id == key.id],
    "first": credential_of(key.value),
    "second": credential_of(second.value),
    "third": credential_of(third.value),
}
print(json.dumps(results))
