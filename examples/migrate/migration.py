"""Writes what load.py reads: people, and the items of each person as files for `steward item import`."""

import json
import re
import sys
from collections import Counter
from pathlib import Path

ITEM_ID = re.compile(r"(?!\.{1,2}\Z)[A-Za-z0-9._~-]{1,128}")
FIELD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_]{0,49}")
OLD_ID = re.compile(r"[A-Za-z0-9_-]{1,128}")

# Items have members with these names, which the service sets. The values of fields would be ignored.
RENAMED = {"created_at": "created", "updated_at": "updated"}

# Numbers are doubles, which have no larger integers.
MAX_INTEGER = 2**53

TYPES = {bool: "boolean", int: "number", float: "number", str: "string", dict: "json", list: "json"}


class Migration:
    """A new directory with people.ndjson, schema.json, problems.txt and items/<person>/<table>.ndjson."""

    def __init__(self, directory, accept_unverified=False):
        self.directory = Path(directory)
        try:
            self.directory.mkdir(parents=True, mode=0o700)
        except FileExistsError:
            sys.exit(f"{directory} exists. Name a new directory.")
        self.accept_unverified = accept_unverified
        self.emails = {}
        self.people = {}
        self.tables = {}
        self.counts = Counter()
        self.problems = []

    def add_person(self, id, email, name=None, is_verified=True, is_disabled=False):
        """Adds a person, unless nobody could sign in as them."""
        if not OLD_ID.fullmatch(id):
            return self.report(f"person {id}", "the ID has characters that a file name should not have")
        if not email:
            return self.report(f"person {id}", "has no email address")
        if is_disabled:
            return self.report(f"person {id}", f"{email} is disabled")
        if not is_verified and not self.accept_unverified:
            return self.report(f"person {id}", f"{email} is not verified: add --unverified to move the person too")
        if email.lower() in self.emails:
            return self.report(f"person {id}", f"{email} is also the address of {self.emails[email.lower()]}")
        self.emails[email.lower()] = id
        self.people[id] = {"id": id, "email": email, "name": name or None}

    def add_item(self, table, owner, id, value):
        """Adds an item of a person. Add those with the newest one first: an import keeps the order."""
        where = f"{table}/{id}"
        if owner not in self.people:
            return self.report(where, f"belongs to {owner}, who is not moved" if owner else "belongs to nobody")
        if not ITEM_ID.fullmatch(id):
            return self.report(where, "the ID is not valid: use 1 to 128 characters of A-Z a-z 0-9 . _ ~ -")
        fields = self.tables.setdefault(table, {})
        item = {"id": id}
        for name, field in value.items():
            name = RENAMED.get(name, name)
            if field is None or name == "id":
                continue
            if not FIELD.fullmatch(name):
                self.report(where, f"{name} is not a valid name of a field, and is left out")
                continue
            if field.__class__ is int and abs(field) > MAX_INTEGER:
                self.report(where, f"{name} is left out: {field} is too large for a number, so export it as text")
                continue
            type = TYPES[field.__class__]
            if fields.setdefault(name, type) != type:
                self.report(where, f"{name} is left out: it is a {type}, and was a {fields[name]} before")
                continue
            item[name] = field
        file = self.directory / "items" / owner / f"{table}.ndjson"
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(item, ensure_ascii=False) + "\n")
        self.counts[table] += 1

    def report(self, where, problem):
        self.problems.append(f"{where}: {problem}\n")

    def finish(self):
        """Writes the files that describe the others, and prints what there is."""
        tables = {
            table: {"fields": {name: {"type": type} for name, type in fields.items()}}
            for table, fields in self.tables.items()
        }
        self.write("schema.json", json.dumps({"tables": tables}, indent=2) + "\n")
        self.write("people.ndjson", "".join(json.dumps(person) + "\n" for person in self.people.values()))
        self.write("problems.txt", "".join(self.problems))
        print(f"{len(self.people)} people")
        for table, count in sorted(self.counts.items()):
            print(f"{count} items in {table}")
        print(f"{len(self.problems)} problems in {self.directory / 'problems.txt'}")

    def write(self, name, text):
        (self.directory / name).write_text(text, encoding="utf-8")
