"""Reads rows that psql has exported from Supabase as JSON lines, and writes a migration for load.py.

The directory has users.ndjson with the rows of auth.users, and a file for each table: notes.ndjson has the table notes.
"""

import argparse
import json
from datetime import datetime, timezone
from pathlib import Path

from migration import Migration


def rows(file):
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def is_in_the_future(time):
    return time is not None and datetime.fromisoformat(time) > datetime.now(timezone.utc)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("export", type=Path)
    arguments.add_argument("directory")
    arguments.add_argument("--owner", default="user_id", help="column with the ID of the person [user_id]")
    arguments.add_argument("--unverified", action="store_true", help="move people with unconfirmed addresses too")
    arguments = arguments.parse_args()

    migration = Migration(arguments.directory, arguments.unverified)
    for user in rows(arguments.export / "users.ndjson"):
        about = user.get("raw_user_meta_data") or {}
        migration.add_person(
            user["id"],
            user.get("email"),
            name=about.get("full_name") or about.get("name"),
            is_verified=user.get("email_confirmed_at") is not None,
            is_disabled=is_in_the_future(user.get("banned_until")) or user.get("deleted_at") is not None,
        )
    for file in sorted(arguments.export.glob("*.ndjson")):
        if file.name == "users.ndjson":
            continue
        for row in rows(file):
            owner = row.pop(arguments.owner, None)
            # Numbers are IDs in Supabase, and texts in Steward.
            migration.add_item(file.stem, owner, str(row.get("id")), row)
    migration.finish()


if __name__ == "__main__":
    main()
