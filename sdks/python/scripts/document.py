"""The operations of the OpenAPI document, as the generator needs them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from names import SINGLE_REQUESTS, id_name, identifier, name_of, pascal, snake
from types_of_schemas import REPLACED, Schema, Types, reference, sent

BODY_KINDS = {
    "application/json": "json",
    "application/x-www-form-urlencoded": "form",
    "multipart/form-data": "multipart",
}


@dataclass
class Parameter:
    """A parameter of a method."""

    name: str
    """Name in the request."""
    variable: str
    type: str
    is_required: bool
    about: str
    is_nullable: bool = False


@dataclass
class Body:
    """The body of a request: its members are parameters of the method, or it is one parameter itself."""

    kind: str
    members: list[Parameter]
    whole: Parameter | None
    is_required: bool


@dataclass
class Entry:
    """An operation."""

    id: str
    group: str
    method: str
    verb: str
    path: str
    operation: Schema
    ids: list[Parameter]
    query: list[Parameter]
    exploded: str | None
    headers: list[str]
    body: Body | None
    response: str
    """What the SDK returns of the response."""
    type: str
    item: str | None
    """Type of the entries if the response is a page of a list."""
    schema: Schema
    """Schema of what the method returns: of the entries if it is a list that is read in pages."""
    optional_members: set[str]
    """Members that it need not have."""

    @property
    def row(self) -> str:
        return snake(self.id).upper()

    @property
    def shared_ids(self) -> list[Parameter]:
        """The parameters that all operations of a table have in common. They are those of the group, so that its methods
        know the types of the items."""
        names = [each.name for each in self.ids]
        return self.ids[: names.index("table_id") + 1] if "table_id" in names and self.group != "tables" else []

    @property
    def single(self) -> tuple[str, dict[str, str]] | None:
        """Method of a list that sends one request, and what the list itself sends."""
        return SINGLE_REQUESTS.get(self.id)


def read(document: Schema) -> list[Entry]:
    """Return the operations of a document."""
    entries = [
        entry_of(document, path, method, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    names = [
        (entry.group, name)
        for entry in entries
        for name in [entry.method, *([entry.single[0]] if entry.single else [])]
    ]
    for name in names:
        if names.count(name) > 1:
            raise SystemExit(f"Two operations are named {'.'.join(name)}. Name one of them in scripts/names.py.")
    return entries


def entry_of(document: Schema, path: str, method: str, operation: Schema) -> Entry:
    group, name = name_of(path, operation["operationId"])
    parameters = operation.get("parameters", [])
    inside = {place: [each for each in parameters if each["in"] == place] for place in ("path", "query", "header")}
    body = body_of(document, operation)
    response, kind, item, schema = response_of(document, operation)
    entry = Entry(
        id=operation["operationId"],
        group=group,
        method=name,
        verb=method.upper(),
        path=path,
        operation=operation,
        ids=[parameter_of(each, id_name(each["name"], path)) for each in inside["path"]],
        query=[parameter_of(each, identifier(each["name"])) for each in inside["query"]],
        exploded=next((each["name"] for each in inside["query"] if is_exploded(each)), None),
        headers=[each["name"] for each in inside["header"]],
        body=body,
        response=response,
        type=kind,
        item=item,
        schema=schema,
        optional_members=optional_members(document, schema),
    )
    members = [
        *entry.ids,
        *entry.query,
        *(body.members if body else []),
        *([body.whole] if body and body.whole else []),
    ]
    variables = [each.variable for each in members]
    if len(set(variables)) < len(variables):
        raise SystemExit(f"{entry.id} has two parameters with the same name: {', '.join(variables)}.")
    return entry


def is_exploded(parameter: Schema) -> bool:
    """Return whether the members of a parameter are parameters of the query, such as the conditions of an item query."""
    return bool(parameter["schema"].get("type") == "object" and parameter.get("explode", True))


def parameter_of(parameter: Schema, variable: str) -> Parameter:
    kind = Types("m.").type_of(parameter["schema"], pascal(parameter["name"]))
    if kind.startswith("List["):
        kind = kind.replace("List[", "Sequence[", 1)
    required = bool(parameter.get("required")) and not is_exploded(parameter)
    if is_exploded(parameter):
        kind = "Mapping[str, str | Sequence[str]]"
    return Parameter(parameter["name"], variable, kind, required, parameter.get("description", ""))


def body_of(document: Schema, operation: Schema) -> Body | None:
    request = operation.get("requestBody")
    if not request:
        return None
    found = next((media for media in BODY_KINDS if media in request["content"]), None)
    if found is None:
        raise SystemExit(f"{operation['operationId']} has a body of an unknown type: {', '.join(request['content'])}.")
    schema = request["content"][found]["schema"]
    is_required = bool(request.get("required"))
    properties, required = members_of(document, schema)
    if not properties:
        target = reference(schema) if "$ref" in schema else pascal(operation["operationId"])
        about = resolve(document, schema).get("description", "")
        whole = Parameter("body", "changes", Types("m.").type_of(schema, target), is_required, about)
        return Body(BODY_KINDS[found], [], whole, is_required)
    owner = reference(schema) if "$ref" in schema else pascal(operation["operationId"])
    members = [
        member_of(owner, name, value, name in required, operation["operationId"]) for name, value in properties.items()
    ]
    return Body(BODY_KINDS[found], members, None, is_required)


def member_of(owner: str, name: str, schema: Schema, is_required: bool, operation_id: str) -> Parameter:
    kind = Types("m.").type_of(schema, f"{owner}{pascal(name)}")
    if owner == "ItemValue":
        kind = "Changes" if operation_id.startswith("patch") else "Fields"
    if kind.startswith("List["):
        kind = kind.replace("List[", "Sequence[", 1)
    elif kind.startswith("Dict[str, Any]"):
        kind = kind.replace("Dict[", "Mapping[", 1)
    return Parameter(
        name, identifier(name), kind, is_required, schema.get("description", ""), "None" in kind.split(" | ")
    )


def members_of(document: Schema, schema: Schema) -> tuple[dict[str, Schema], set[str]]:
    """Return the members of an object with those that it inherits, and which are required."""
    schema = resolve(document, schema)
    properties = sent(schema.get("properties", {}))
    required = set(schema.get("required", []))
    for part in schema.get("allOf", []):
        inherited, more = members_of(document, part)
        properties |= inherited
        required |= more
    return properties, required


def optional_members(document: Schema, schema: Schema) -> set[str]:
    """Return the members of an object, or of the entries of an array, that can be absent."""
    if schema.get("type") == "array":
        schema = schema["items"]
    properties, required = members_of(document, schema)
    return properties.keys() - required


def response_of(document: Schema, operation: Schema) -> tuple[str, str, str | None, Schema]:
    """Return what the SDK returns of the response, its type, the type of a list's entries, and the schema."""
    status, response = next((code, each) for code, each in operation["responses"].items() if code < "400")
    response = resolve(document, response)
    if status.startswith("3"):
        return "location", "str", None, {}
    content = response.get("content", {})
    if not content:
        return "empty", "None", None, {}
    media = next(iter(content))
    if media == "text/html":
        return "text", "str", None, {}
    if media.startswith("image/"):
        return "bytes", "bytes", None, {}
    schema = content[media]["schema"]
    shape = resolve(document, schema)
    properties = dict(shape.get("properties", {}))
    data = properties.pop("data", None)
    parameters = {each["name"] for each in operation.get("parameters", [])}
    types = Types("m.")
    name = pascal(operation["operationId"]) + "Response"
    item = None
    if data and data.get("type") == "array" and {"limit", "cursor"} <= parameters:
        item = types.type_of(data["items"], name)
    entries = data["items"] if item else None
    if data and not properties:
        return "data", types.type_of(data, name), item, entries or data
    if entries and "$ref" not in schema:
        return "json", "Dict[str, Any]", item, entries
    kind = (
        "Dict[str, Any]" if REPLACED.get(reference(schema) if "$ref" in schema else "") else types.type_of(schema, name)
    )
    if types.classes:
        raise SystemExit(f"The response of {operation['operationId']} needs a name in the document.")
    return "json", kind, item, entries or schema


def resolve(document: Schema, value: Schema) -> Schema:
    """Return what a reference refers to."""
    if "$ref" not in value:
        return value
    part: Any = document
    for key in value["$ref"][2:].split("/"):
        part = part[key]
    return dict(part)
