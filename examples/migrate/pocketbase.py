"""Reads the database of PocketBase (pb_data/data.db), and writes a migration for load.py."""

import argparse
import json
import sqlite3
from pathlib import Path

from migration import Migration

# PocketBase stores an empty text if there is no value.
EMPTY_IS_ABSENT = {"date", "autodate", "email", "url", "select", "relation", "file"}


def decode(type, value):
    """Returns a value of the database as the API of PocketBase does."""
    if value == "" and type in EMPTY_IS_ABSENT:
        return None
    if type == "bool":
        return bool(value)
    if type in ("json", "geoPoint") or type in ("select", "relation", "file") and str(value).startswith("["):
        return json.loads(value) if value else None
    return value


def rows(database, table):
    return database.execute('SELECT * FROM "{}" ORDER BY rowid DESC'.format(table.replace('"', '""')))


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("database", type=Path, help="a copy of pb_data/data.db")
    arguments.add_argument("directory")
    arguments.add_argument("--owner", default="user", help="relation to the person [user]")
    arguments.add_argument("--users", default="users", help="collection with the people [users]")
    arguments.add_argument("--unverified", action="store_true", help="move people with unconfirmed addresses too")
    arguments = arguments.parse_args()

    database = sqlite3.connect(f"{arguments.database.resolve().as_uri()}?mode=ro", uri=True)
    database.row_factory = sqlite3.Row
    migration = Migration(arguments.directory, arguments.unverified)
    for user in rows(database, arguments.users):
        name = user["name"] if "name" in user.keys() else None
        migration.add_person(user["id"], user["email"], name=name, is_verified=bool(user["verified"]))
    for collection in database.execute("SELECT * FROM _collections WHERE type = 'base' ORDER BY name"):
        if collection["name"].startswith("_"):
            continue
        # Versions before 0.23 have the column `schema`.
        fields = collection["fields" if "fields" in collection.keys() else "schema"]
        types = {field["name"]: field["type"] for field in json.loads(fields)}
        for row in rows(database, collection["name"]):
            value = {name: decode(types.get(name, "autodate"), row[name]) for name in row.keys()}
            owner = value.pop(arguments.owner, None)
            migration.add_item(collection["name"], owner, row["id"], value)
    migration.finish()


if __name__ == "__main__":
    main()
