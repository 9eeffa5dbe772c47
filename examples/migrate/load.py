"""Creates an account for each person of a migration, connects it to a project, and imports the items.

Run it on the host of the service, with its settings, and with STEWARD_SERVER and the STEWARD_TOKEN of an API key with
the role `write`. It can be interrupted and started again: loaded.csv lists the people who are complete.
"""

import argparse
import csv
import json
import os
import subprocess
import sys
from pathlib import Path

# Then something else is wrong than single items.
MAX_FAILURES = 20


class Failure(Exception):
    """A command failed."""


def steward(*arguments):
    command = ["steward", *map(str, arguments)]
    # Only errors, without the log of commands that open the database.
    environment = {**os.environ, "STEWARD_LOG": "error"}
    result = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8")
    if result.returncode != 0:
        raise Failure(result.stderr.strip())
    return result.stdout


def create_account(person, accounts):
    """Creates an account with a random password, which nobody knows."""
    account = accounts.get(person["email"].lower())
    if account is None:
        name = ["--name", person["name"]] if person["name"] else []
        steward("account", "create", "--email", person["email"], *name)
    elif not account["email_verified"]:
        raise Failure("There is an account with this address, which may be that of another person: it is not confirmed.")


def load(person, accounts, arguments):
    create_account(person, accounts)
    user = steward("user", "connect", "--project", arguments.project, "--email", person["email"]).strip()
    for file in sorted((arguments.directory / "items" / person["id"]).glob("*.ndjson")):
        options = ["--project", arguments.project, "--user", user, "--table", file.stem]
        steward("item", "import", file, *options, "--on-conflict", arguments.on_conflict)
    return user


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("directory", type=Path)
    arguments.add_argument("--project", required=True, help="ID of the project")
    arguments.add_argument("--on-conflict", choices=["skip", "replace"], default="skip", help="for existing items [skip]")
    arguments = arguments.parse_args()

    accounts = {each["email"].lower(): each for each in map(json.loads, steward("account", "list").splitlines())}
    loaded_file = arguments.directory / "loaded.csv"
    loaded_file.touch(mode=0o600)
    with loaded_file.open(newline="") as lines:
        loaded = {row[0] for row in csv.reader(lines)}
    failures = 0
    with (arguments.directory / "people.ndjson").open(encoding="utf-8") as people, loaded_file.open("a") as lines:
        for person in map(json.loads, people):
            if person["id"] in loaded:
                continue
            try:
                user = load(person, accounts, arguments)
            except Failure as failure:
                print(f"{person['email']}: {failure}", file=sys.stderr)
                failures += 1
                if failures == MAX_FAILURES:
                    sys.exit(f"{failures} people could not be loaded. Find the cause, and start the command again.")
                continue
            csv.writer(lines, lineterminator="\n").writerow([person["id"], user])
            lines.flush()
            loaded.add(person["id"])
    print(f"{len(loaded)} people loaded, {failures} failed")
    if failures:
        sys.exit(1)


if __name__ == "__main__":
    main()
