"""Reads an export of Firebase Authentication and documents of Firestore, and writes a migration for load.py.

The directory has users.json from `firebase auth:export`, and a file for each collection: notes.json is a response of
`documents:runQuery` for the collection notes.
"""

import argparse
import json
import math
from pathlib import Path

from migration import Migration


def decode(value):
    """Returns a value of the REST API of Firestore as JSON."""
    (kind, content), = value.items()
    match kind:
        case "nullValue":
            return None
        case "integerValue":
            return int(content)
        case "doubleValue":
            # JSON has no NaN and no infinity.
            return float(content) if math.isfinite(float(content)) else None
        case "mapValue":
            return decode_fields(content)
        case "arrayValue":
            return [decode(each) for each in content.get("values", [])]
        case "referenceValue":
            return content.split("/documents/", 1)[1]
        case _:
            # Texts, booleans, timestamps, bytes as Base64, and points as an object.
            return content


def decode_fields(content):
    return {name: decode(each) for name, each in content.get("fields", {}).items()}


def add_document(migration, document, owner_field):
    """Adds a document below users/<person>, or one that names the person in a field."""
    value = decode_fields(document)
    path = document["name"].split("/documents/", 1)[1].split("/")
    if path[0] == "users":
        owner = path[1]
    else:
        owner = value.pop(owner_field, None)
    # The IDs of parents between the person and the document, such as lists_id.
    for collection, id in zip(path[0:-2:2], path[1:-2:2]):
        if collection != "users":
            value[f"{collection}_id"] = id
    migration.add_item(path[-2], owner, path[-1], value)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("export", type=Path)
    arguments.add_argument("directory")
    arguments.add_argument("--owner", default="uid", help="field with the ID of the person [uid]")
    arguments.add_argument("--unverified", action="store_true", help="move people with unconfirmed addresses too")
    arguments = arguments.parse_args()

    migration = Migration(arguments.directory, arguments.unverified)
    for user in json.loads((arguments.export / "users.json").read_text(encoding="utf-8"))["users"]:
        migration.add_person(
            user["localId"],
            user.get("email"),
            name=user.get("displayName"),
            is_verified=user.get("emailVerified", False),
            is_disabled=user.get("disabled", False),
        )
    for file in sorted(arguments.export.glob("*.json")):
        if file.name == "users.json":
            continue
        results = json.loads(file.read_text(encoding="utf-8"))
        documents = [result["document"] for result in results if "document" in result]
        for document in sorted(documents, key=lambda each: each["createTime"], reverse=True):
            add_document(migration, document, arguments.owner)
    migration.finish()


if __name__ == "__main__":
    main()
