"""A sample of each operation, with the arguments of the examples in the document."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from document import Entry
from resources import HEAD, is_value
from types_of_schemas import quoted, reference

WIDTH = 100
HINTS = json.loads((Path(__file__).resolve().parent.parent.parent / "samples.json").read_text("utf-8"))
# What a sample prints: the variable, whether it is a list, and the member.
HINT = re.compile(r"^(\{.*\}|\w+)(\[\])?\.?(.*)$")

# The samples use the same names for values of different types.
PREAMBLE = """# mypy: allow-redefinition-new, local-partial-types

# sample: preamble
import os
from pathlib import Path  # to read and store images

from steward_sdk import Steward

steward = Steward("http://localhost:3003", os.environ["STEWARD_TOKEN"])
# end
"""


@dataclass(frozen=True)
class Source:
    """Source that is not a value, such as the name of a variable."""

    text: str


def with_variables(value: Any, name: str = "") -> Any:
    """Replace the IDs of an example with variables."""
    if isinstance(value, list):
        return [with_variables(entry, name) for entry in value]
    if isinstance(value, dict):
        return {key: with_variables(member, key) for key, member in value.items()}
    if name in HINTS["members"]:
        return Source(name)
    if name != "id" and isinstance(value, str) and value in HINTS["ids"]:
        return Source(HINTS["ids"][value])
    return value


def on_line(value: Any) -> str:
    if isinstance(value, Source):
        return value.text
    if isinstance(value, list):
        return f"[{', '.join(map(on_line, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{quoted(key)}: {on_line(member)}' for key, member in value.items())}}}"
    return quoted(value) if isinstance(value, str) else repr(value)


def literal(value: Any, indent: str, column: int) -> str:
    """Return the source of a value that starts at a column: on one line if it fits."""
    line = on_line(value)
    if column + len(line) < WIDTH or not isinstance(value, (dict, list)):
        return line
    more = f"{indent}    "
    if isinstance(value, list):
        entries = [literal(member, more, len(more)) for member in value]
    else:
        entries = [
            f"{quoted(key)}: {literal(member, more, len(more) + len(key) + 4)}" for key, member in value.items()
        ]
    opening, closing = "[]" if isinstance(value, list) else "{}"
    inner = "".join(f"{more}{entry},\n" for entry in entries)
    return f"{opening}\n{inner}{indent}{closing}"


def body_of(entry: Entry) -> dict[str, Any]:
    """Return the members of the body, without those that have no example."""
    if not entry.body:
        return {}
    if entry.body.kind == "multipart":
        return {"file": Source(f"Path({quoted(HINTS['files'].get(entry.id, 'image.png'))}).read_bytes()")}
    content = next(iter(entry.operation["requestBody"]["content"].values()))
    examples = [each["value"] for each in content.get("examples", {}).values()]
    example = {name: value for name, value in (examples or [{}])[0].items() if value != "text"}
    return dict(with_variables(HINTS["bodies"].get(entry.id, example)))


def query_of(entry: Entry) -> dict[str, Any]:
    parameters = [each for each in entry.operation.get("parameters", []) if each["in"] == "query"]
    fixed = ("limit", "cursor", *(entry.single[1] if entry.single else ()))
    examples = {each["name"]: each["example"] for each in parameters if "example" in each and each["name"] not in fixed}
    return dict(with_variables(HINTS["query"].get(entry.id, examples)))


def arguments_of(entry: Entry) -> tuple[list[Any], dict[str, Any]]:
    """Return the values of the parameters of the path and those of others, by their variables."""
    names = {each.name: "project_id" if each.name == "id" else each.variable for each in entry.ids}
    positional = [HINTS["arguments"].get(name, Source(variable)) for name, variable in names.items()]
    variables = {each.name: each.variable for each in [*entry.query, *(entry.body.members if entry.body else [])]}
    body = body_of(entry)
    if entry.body and entry.body.whole:
        return [*positional, body], {}
    if entry.body and is_value(entry.body):
        return [*positional, body["value"]], {}
    return positional, {variables[name]: value for name, value in {**body, **query_of(entry)}.items()}


def call(entry: Entry, start: str, end: str = "") -> str:
    """Return the call, with one argument on each line if they do not fit on one."""
    positional, named = arguments_of(entry)
    group = entry.group
    if entry.shared_ids:
        shared, positional = positional[: len(entry.shared_ids)], positional[len(entry.shared_ids) :]
        group += f"({', '.join(map(on_line, shared))})"
    arguments = [*(("", value) for value in positional), *((f"{name}=", value) for name, value in named.items())]
    head = f"{start}steward.{group}.{entry.method}("
    line = f"{head}{', '.join(name + on_line(value) for name, value in arguments)}){end}"
    if len(line) <= WIDTH:
        return line
    indent = "    "
    lines = "".join(f"{indent}{name}{literal(value, indent, len(indent) + len(name))},\n" for name, value in arguments)
    return f"{head}\n{lines}){end}"


def returned(entry: Entry) -> tuple[str | None, bool]:
    """Return the name of the schema that the SDK returns, and whether it returns a list of them."""
    schema = entry.schema
    is_list = schema.get("type") == "array"
    if is_list:
        schema = schema["items"]
    return reference(schema) if "$ref" in schema else None, is_list


def member(path: str, entry: Entry) -> str:
    """Return an expression for a path: `key.value` is `key["value"]`. A member that can be absent is read with `get`."""
    variable, *names = path.split(".")
    if len(names) == 1 and names[0] in entry.optional_members:
        return f"{variable}.get({quoted(names[0])})"
    return variable + "".join(f"[{quoted(name)}]" for name in names)


def statements(entry: Entry) -> str:
    """Return the statements of a sample."""
    if entry.response == "bytes":
        return f"{call(entry, 'image = ')}\nPath({quoted(HINTS['files'][entry.id])}).write_bytes(image)"
    schema, is_list = returned(entry)
    hint = HINTS["results"].get(entry.id, HINTS["results"].get(schema))
    if hint is None or entry.response == "empty":
        return call(entry, "")
    if (entry.item or is_list) and "[]." not in hint:
        return loop(entry, hint)
    declared, each, rest = HINT.findall(hint)[0]
    name, _, variable = declared.strip("{}").rpartition(":")
    first = call(entry, f"{variable} = ", f"[{quoted(name or variable)}]" if declared.startswith("{") else "")
    if each:
        single = variable.removesuffix("s")
        return f"{first}\nfor {single} in {variable}:\n    print({member(f'{single}.{rest}', entry)})"
    return f"{first}\nprint({member(f'{variable}.{rest}' if rest else variable, entry)})"


def loop(entry: Entry, hint: str) -> str:
    """Return a loop that prints a member of each entry."""
    variable = hint.split(".", 1)[0]
    line = call(entry, f"for {variable} in ", ":")
    before = ""
    if "\n" in line:
        before, line = f"{call(entry, 'entries = ')}\n", f"for {variable} in entries:"
    return f"{before}{line}\n    print({member(hint, entry)})"


def samples(entries: list[Entry]) -> str:
    """Return the file with all samples."""
    names = {each.name for entry in entries for each in entry.ids} - {"id", *HINTS["arguments"]} | set(HINTS["members"])
    names.add("project_id")
    declared = "".join(f"{name}: str\n" for name in sorted(names))
    blocks = [f"# sample: {entry.id}\n{statements(entry)}\n# end\n" for entry in entries]
    return f"{HEAD}{PREAMBLE}\n{declared}\n" + "\n".join(blocks)
