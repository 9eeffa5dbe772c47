"""Python types of the schemas of the OpenAPI document."""

from __future__ import annotations

import keyword
import textwrap
from typing import Any

from names import former_name, pascal

Schema = dict[str, Any]

# The types of a table's items are parameters of the types that contain them: the fields, an item as it is returned, and the
# changes of a patch.
PARAMETERS = {
    "ItemPut": "Fields",
    "ItemPatch": "Changes",
    "ItemBatch": "Fields, Changes",
    "ItemOperation": "Fields, Changes",
}
# Schemas that have no type of their own.
REPLACED = {"Item": "Entry", "ItemValue": "Fields", "ItemListing": "Entry"}
WIDTH = 116


def reference(schema: Schema) -> str:
    """Return the name of the schema that a reference names."""
    return str(schema["$ref"]).rsplit("/", 1)[-1]


def docstring(text: str, indent: str) -> str:
    """Return a docstring with lines of a limited length, or nothing for an empty text."""
    text = text.replace("\\", "\\\\").replace('"""', "'''").strip()
    if not text:
        return ""
    lines = []
    for line in text.split("\n"):
        more = "    " if line.startswith(":param ") else ""
        lines += textwrap.wrap(line, WIDTH - len(indent), subsequent_indent=more) or [""]
    if lines[-1].endswith('"'):
        lines.append("")
    end = f"\n{indent}" if len(lines) > 1 else ""
    body = "\n".join([lines[0], *(f"{indent}{line}".rstrip() for line in lines[1:])]).rstrip()
    return f'{indent}"""{body}{end}"""\n'


class Types:
    """Types of schemas, and the classes that they need."""

    def __init__(self, prefix: str = "") -> None:
        self.prefix = prefix
        self.classes: list[str] = []

    def type_of(self, schema: Schema, name: str) -> str:
        """Return the type of a schema. `name` is that of the class if it needs one."""
        if "$ref" in schema:
            target = reference(schema)
            if target in REPLACED:
                return REPLACED[target]
            return f"{self.prefix}{target}" + (f"[{PARAMETERS[target]}]" if target in PARAMETERS else "")
        parts = schema.get("oneOf") or schema.get("anyOf")
        if parts:
            return union([self.type_of(part, name) for part in parts])
        if "enum" in schema:
            names = ", ".join(quoted(value) for value in schema["enum"] if value is not None)
            return f"Literal[{names}]" + (" | None" if None in schema["enum"] else "")
        kinds = schema.get("type", "object" if "properties" in schema else "any")
        return union([self.single(schema, kind, name) for kind in ([kinds] if isinstance(kinds, str) else kinds)])

    def single(self, schema: Schema, kind: str, name: str) -> str:
        if schema.get("format") == "binary":
            return "bytes"
        if kind == "array":
            return f"List[{self.type_of(schema.get('items', {}), name)}]"
        if kind == "object":
            return self.object_type(schema, name)
        simple = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
        return simple.get(kind, "Any")

    def object_type(self, schema: Schema, name: str) -> str:
        if schema.get("properties"):
            self.add_class(name, schema)
            return f"{self.prefix}{name}"
        values = schema.get("additionalProperties")
        return f"Dict[str, {self.type_of(values, name) if isinstance(values, dict) else 'Any'}]"

    def add_class(self, name: str, schema: Schema) -> None:
        """Add the class of an object."""
        bases = [reference(part) for part in schema.get("allOf", []) if "$ref" in part]
        own = [part for part in schema.get("allOf", [schema]) if "$ref" not in part]
        properties = sent({key: value for part in own for key, value in part.get("properties", {}).items()})
        required = {key for part in own for key in part.get("required", [])}
        members = {
            key: self.member(value, key in required, f"{name}{pascal(key)}", name) for key, value in properties.items()
        }
        about = {key: value.get("description", "") for key, value in properties.items()}
        description = schema.get("description", "")
        if all(key.isidentifier() and not keyword.iskeyword(key) for key in members):
            generic = f"Generic[{PARAMETERS[name]}]" if name in PARAMETERS else None
            base = ", ".join([*(bases or ["TypedDict"]), *([generic] if generic else [])])
            fields = "".join(f"    {key}: {kind}\n{docstring(about[key], '    ')}" for key, kind in members.items())
            text = (
                docstring(description, "    ")
                + ("\n" if description and fields else "")
                + (fields or ("" if description else "    pass\n"))
            )
            self.classes.append(f"class {name}({base}):\n{text}")
        else:
            if bases:
                raise SystemExit(f"{name} inherits members, and has one that is not an identifier.")
            fields = "".join(f"        {quoted(key)}: {quoted(kind)},\n" for key, kind in members.items())
            self.classes.append(
                f'{name} = TypedDict(\n    "{name}",\n    {{\n{fields}    }},\n)\n{docstring(description, "")}'
            )

    def member(self, schema: Schema, is_required: bool, name: str, parent: str) -> str:
        if parent in PARAMETERS and schema.get("additionalProperties") is True:
            kind = "Changes" if parent == "ItemPatch" else "Fields"
        else:
            kind = self.type_of(schema, name)
            # Only these types know the table of an item.
            if kind == "Entry" and parent not in PARAMETERS:
                kind = "Dict[str, Any]"
        return kind if is_required else f"NotRequired[{kind}]"


def sent(properties: dict[str, Schema]) -> dict[str, Schema]:
    """Return the members without those that the service ignores: programs need not know them."""
    return {name: schema for name, schema in properties.items() if not schema.get("readOnly")}


def quoted(value: Any) -> str:
    """Return a literal, with double quotes."""
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"' if isinstance(value, str) else repr(value)


def union(types: list[str]) -> str:
    """Return the union of types, without repetitions."""
    flat = dict.fromkeys(part for kind in types for part in ([kind] if "[" in kind else kind.split(" | ")))
    return " | ".join(sorted(flat, key=lambda part: part == "None"))


def models(schemas: dict[str, Schema]) -> str:
    """Return the declarations of all schemas."""
    types = Types()
    aliases = []
    for name, schema in schemas.items():
        if name in REPLACED:
            continue
        if schema.get("oneOf"):
            joined = ", ".join(types.type_of(part, name) for part in schema["oneOf"])
            aliases.append(f"{name} = Union[{joined}]\n{docstring(schema.get('description', ''), '')}")
        elif schema.get("properties") or schema.get("allOf"):
            types.add_class(name, schema)
        else:
            aliases.append(f"{name} = {types.type_of(schema, name)}\n{docstring(schema.get('description', ''), '')}")
    former = {name: former_name(name) for name in schemas if former_name(name)}
    aliases += [f"{old} = {new}\n{docstring(f'Deprecated: use `{new}`.', '')}" for new, old in former.items()]
    return "\n\n".join(ordered(types.classes)) + "\n\n" + "\n".join(aliases)


def ordered(classes: list[str]) -> list[str]:
    """Return the classes with each one after its bases."""
    found: dict[str, str] = {}
    for text in classes:
        name = text.removeprefix("class ").split("(")[0].split(" ")[0]
        found[name] = text
    placed: dict[str, str] = {}

    def place(name: str) -> None:
        if name in placed or name not in found:
            return
        text = found[name]
        if text.startswith("class "):
            for base in text.split("(", 1)[1].split(")", 1)[0].split(", "):
                place(base)
        placed[name] = text

    for name in found:
        place(name)
    return list(placed.values())
