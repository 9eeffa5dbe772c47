"""The classes with a method for each operation."""

from __future__ import annotations

import re

from document import Body, Entry, Parameter
from names import pascal
from types_of_schemas import WIDTH, docstring, quoted

HEADERS = {
    "If-Match": ("if_match", "Only if the resource still has this `ETag`."),
    "If-None-Match": ("if_none_match", "Only if the resource does not have this `ETag`; `*` if it does not exist."),
    "Idempotency-Key": (
        "idempotency_key",
        "1 to 255 printable ASCII characters. By default, each call has a random one.",
    ),
}
WHERE = (
    "Conditions, by field: a value, or operators such as `{\"gte\": 2}`. An item must meet all of them, and those of "
    "`conditions`, which can also be negated."
)
HEAD = "# Generated from docs/openapi.json by scripts/generate.py. Do not edit.\n"


def rows(entries: list[Entry]) -> str:
    """Return the module with a row for each operation."""
    lines = [HEAD, '"""A row for each operation of the API."""\n\n', "from __future__ import annotations\n\n"]
    lines.append(
        "from typing import Any, Dict, List, Tuple\n\nfrom .._operation import Operation\nfrom . import models as m\n\n"
    )
    for entry in entries:
        # The types of a table are known only where a method is called.
        kind = "Any" if entry.item else re.sub(r"\b(Entry|Fields|Changes|Where)\b", "Any", entry.type)
        arguments = [quoted(entry.id), quoted(entry.verb), quoted(entry.path), quoted(entry.response)]
        if entry.body:
            arguments.append(f"body={quoted(entry.body.kind)}")
        if "Idempotency-Key" in entry.headers:
            arguments.append("is_keyed=True")
        if entry.exploded:
            arguments.append(f"exploded={quoted(entry.exploded)}")
        lines.append(wrapped(f"{entry.row}: Operation[{kind}] = Operation(", arguments, ")"))
    names = "".join(f"    {entry.row},\n" for entry in entries)
    lines.append(f"\nOPERATIONS: Tuple[Operation[Any], ...] = (\n{names})\n")
    return "".join(lines)


def resources(entries: list[Entry], is_async: bool) -> str:
    """Return the module with the classes of one client."""
    prefix = "Async" if is_async else ""
    title = "asynchronous" if is_async else "synchronous"
    pages = f"{prefix}Pages"
    groups = sorted({entry.group for entry in entries})
    lines = [
        HEAD,
        f'"""The operations of the {title} client, by resource."""\n\n',
        "from __future__ import annotations\n\n",
    ]
    lines.append("from typing import Any, Dict, Generic, List, Literal, Mapping, Sequence, overload\n\n")
    lines.append(
        f"from .._client import {prefix}Resource\nfrom .._operation import OMITTED, Omitted\nfrom .._pages import {pages}\nfrom .._query import conditions_of\n"
    )
    lines.append(
        "from .._tables import Changes, Entry, Fields, Table, Where\nfrom . import models as m\nfrom . import operations as ops\n"
    )
    attributes, bound = "", ""
    for group in groups:
        members = [entry for entry in entries if entry.group == group]
        methods = [text for entry in members for text in methods_of(entry, is_async)]
        name, shared = f"{prefix}{pascal(group)}", members[0].shared_ids
        start = f'    """The operations in `{group}`."""\n\n'
        if shared:
            lines.append(
                f"\n\nclass {name}({prefix}Resource, Generic[Fields, Entry, Changes, Where]):\n{start}{constructor(prefix, shared)}\n"
            )
            bound += binding(group, name, shared)
        else:
            lines.append(f"\n\nclass {name}({prefix}Resource):\n{start}")
            attributes += f"        self.{group} = {name}(self)\n"
        lines.append("\n".join(methods))
    base = f"{prefix}Client"
    head = f'class {prefix}Operations({base}):\n    """All groups of operations."""\n\n    def _add_groups(self) -> None:\n'
    lines.append(f"\n\n{head}{attributes}{bound}")
    text = "".join(lines)
    return text.replace(f"from .._client import {prefix}Resource", f"from .._client import {base}, {prefix}Resource")


def constructor(prefix: str, shared: list[Parameter]) -> str:
    """Return the constructor of a group whose operations have the first parameters of their paths in common."""
    head = ["self", f"client: {prefix}Client", *(f"{each.variable}: str" for each in shared)]
    body = f"        super().__init__(client)\n        self._ids = ({', '.join(each.variable for each in shared)},)\n"
    return wrapped("    def __init__(", head, ") -> None:") + body


def binding(group: str, name: str, shared: list[Parameter]) -> str:
    """Return the method that returns such a group, with the types of the table."""
    about = docs_of(f"Return the operations of the items in a table: `{group}`.", shared)
    others = [f"{each.variable}: str" for each in shared if each.name != "table_id"]
    untyped = ", ".join(["Dict[str, Any]"] * 4)
    kinds = {"Table[Fields, Entry, Changes, Where]": "Fields, Entry, Changes, Where", "str": untyped}
    overloads = [
        "\n    @overload\n"
        + wrapped(f"    def {group}(", ["self", *others, f"table: {kind}"], f") -> {name}[{types}]: ...")
        for kind, types in kinds.items()
    ]
    head = wrapped(
        f"    def {group}(", ["self", *others, "table: str | Table[Any, Any, Any, Any]"], f") -> {name}[Any, Any, Any, Any]:"
    )
    return (
        "".join(overloads)
        + f"\n{head}{about}        return {name}(self, {', '.join(each.split(':')[0] for each in others)}, str(table))\n"
    )


def methods_of(entry: Entry, is_async: bool) -> list[str]:
    if not entry.item:
        return [method(entry, entry.method, is_async)]
    found = [list_method(entry, is_async)]
    if entry.single:
        found.append(method(entry, entry.single[0], is_async))
    return found


def annotation(each: Parameter, is_json: bool) -> str:
    """Return a parameter with its type and default. In JSON, null and an absent member differ."""
    if each.is_required:
        return f"{each.variable}: {each.type}"
    if is_json:
        return f"{each.variable}: {each.type} | Omitted = OMITTED"
    return f"{each.variable}: {each.type}{'' if each.is_nullable else ' | None'} = None"


def signature(entry: Entry, query: list[Parameter]) -> tuple[list[str], list[Parameter]]:
    """Return the parameters of a method, in Python, and those that the docstring describes."""
    positional = entry.ids[len(entry.shared_ids) :]
    named: list[str] = []
    described = [*positional]
    body = entry.body
    if body and (body.whole or is_value(body)):
        positional.append(body.whole or body.members[0])
        described.append(positional[-1])
    elif body:
        ordered = sorted(body.members, key=lambda each: not each.is_required)
        named += [annotation(each, body.kind == "json") for each in ordered]
        described += ordered
    named += [annotation(each, False) for each in sorted(query, key=lambda each: not each.is_required)]
    described += query
    return [
        "self",
        *(f"{each.variable}: {each.type}" for each in positional),
        *(["*", *named] if named else ["*"]),
    ], described


def is_value(body: Body) -> bool:
    """Return whether the body has only the fields of an item."""
    return len(body.members) == 1 and body.members[0].type in ("Fields", "Changes")


def method(entry: Entry, name: str, is_async: bool) -> str:
    """Return a method that sends one request."""
    parameters, described = signature(entry, entry.query)
    headers = [(header, *HEADERS[header]) for header in entry.headers if header in HEADERS]
    parameters += [f"{variable}: str | None = None" for _, variable, _ in headers]
    parameters.append("timeout: float | None = None")
    arguments = [f"ops.{entry.row}", ids_argument(entry)]
    arguments += body_argument(entry) + query_argument(entry.query)
    if headers:
        arguments.append(f"headers={{{', '.join(f'{quoted(header)}: {variable}' for header, variable, _ in headers)}}}")
    arguments.append("timeout=timeout")
    returned = entry.type
    about = docs(
        entry,
        [*((each.variable, each.about) for each in described), *((variable, text) for _, variable, text in headers)],
    )
    # The rows of these operations do not know the type.
    is_any = bool(entry.item) or returned == "Entry"
    prefix = {True: f"returned: {returned} = ", False: "" if returned == "None" else "return "}[is_any]
    prefix += "await " if is_async else ""
    head = wrapped(f"    {'async ' if is_async else ''}def {name}(", parameters, f") -> {returned}:")
    call = wrapped(f"        {prefix}self._client._call(", arguments, ")")
    return head + about + call + ("        return returned\n" if is_any else "")


def wrapped(start: str, parts: list[str], end: str) -> str:
    """Return a list in parentheses, on one line or with one part on each line."""
    single = f"{start}{', '.join(parts)}{end}\n"
    if len(single) <= WIDTH + 1:
        return single
    indent = " " * (len(start) - len(start.lstrip()))
    return f"{start}\n" + "".join(f"{indent}    {part},\n" for part in parts) + f"{indent}{end}\n"


def list_method(entry: Entry, is_async: bool) -> str:
    """Return a method that returns a list, which is read in pages."""
    fixed = entry.single[1] if entry.single else {}
    query = [each for each in entry.query if each.name not in ("limit", "cursor", *fixed)]
    parameters, described = signature(entry, query)
    if entry.exploded:
        parameters.insert(parameters.index("*"), "where: Where | None = None")
    parameters += ["page_size: int = 100", "cursor: str | None = None", "timeout: float | None = None"]
    pages = f"{'Async' if is_async else ''}Pages"
    items = [f"{quoted(each.name)}: {value_of(each, entry)}" for each in query] + [
        f"{quoted(name)}: {quoted(value)}" for name, value in fixed.items()
    ]
    arguments = [f"ops.{entry.row}", ids_argument(entry), f"{{{', '.join(items)}}}"]
    more = [("page_size", "Entries per page: 1 to 1,000."), ("cursor", "Start at the cursor of an earlier page.")]
    conditions = [("where", WHERE)] if entry.exploded else []
    about = docs(entry, [*conditions, *((each.variable, each.about) for each in described), *more])
    head = wrapped(f"    def {entry.method}(", parameters, f") -> {pages}[{entry.item}]:")
    return (
        head
        + about
        + wrapped("        return self._client._list(", [*arguments, "page_size", "cursor", "timeout"], ")")
    )


def value_of(each: Parameter, entry: Entry) -> str:
    return f"conditions_of(where, {each.variable})" if each.name == entry.exploded else each.variable


def ids_argument(entry: Entry) -> str:
    names = [
        *(["*self._ids"] if entry.shared_ids else []),
        *(each.variable for each in entry.ids[len(entry.shared_ids) :]),
    ]
    if names == ["*self._ids"]:
        return "self._ids"
    return f"({names[0]},)" if len(names) == 1 else f"({', '.join(names)})"


def body_argument(entry: Entry) -> list[str]:
    if not entry.body:
        return []
    if entry.body.whole:
        return [f"body={entry.body.whole.variable}"]
    members = ", ".join(f"{quoted(each.name)}: {each.variable}" for each in entry.body.members)
    return [f"body={{{members}}}"]


def query_argument(query: list[Parameter]) -> list[str]:
    return [f"query={{{', '.join(f'{quoted(each.name)}: {each.variable}' for each in query)}}}"] if query else []


def docs(entry: Entry, parameters: list[tuple[str, str]]) -> str:
    """Return the docstring of a method."""
    operation = entry.operation
    parts = [f"{operation['summary'].rstrip('.')}."]
    if operation.get("description"):
        parts.append(operation["description"])
    if operation.get("x-permission"):
        parts.append(f"Requires the permission `{'` and `'.join(operation['x-permission'].split())}`.")
    if operation.get("x-confirmation") == "always":
        parts.append("Requires a recent sign-in, unless the credential is a personal token or an API key.")
    if entry.body and not entry.body.is_required and entry.body.members:
        parts.append("Without members, the request has no body.")
    described = [f":param {name}: {' '.join(text.split())}" for name, text in parameters if text]
    if described:
        parts.append("\n".join(described))
    return docstring("\n\n".join(parts), "        ")


def docs_of(summary: str, parameters: list[Parameter]) -> str:
    described = [f":param {each.variable}: {' '.join(each.about.split())}" for each in parameters]
    return docstring("\n\n".join([summary, "\n".join(described)]), "        ")
