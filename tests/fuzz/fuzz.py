"""Starts a service, and lets schemathesis call every operation of its document as each kind of caller."""

import json
import os
import random
import subprocess
import sys

import world

CALLERS = ["nobody", "viewer", "key", "owner"]
# The checks that `hooks.py` replaces by ones without the remarks that `refusals.py` lists.
REPLACED = [
    "not_a_server_error",
    "positive_data_acceptance",
    "negative_data_rejection",
    "missing_required_header",
    "ignored_auth",
]
HERE = os.path.dirname(os.path.abspath(__file__))
WORKSHOP = os.path.abspath("target/fuzz")


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else random.getrandbits(32)
    wanted = int(os.environ.get("CALLS", "10000"))
    print(f"seed {seed}", flush=True)
    with world.Service("target/debug/steward") as service:
        made = [fuzz(service.base, caller, seed, wanted // len(CALLERS)) for caller in CALLERS]
        errors = service.errors()
    for line in errors:
        print(line)
    calls = sum(count for _, count in made)
    print(f"{calls} calls, seed {seed}")
    failed = errors or calls < wanted or any(status for status, _ in made)
    sys.exit(1 if failed else 0)


def fuzz(base, caller, seed, wanted):
    """The exit status of schemathesis, and how many requests it made."""
    its_world = world.make(base, f"w-{caller}")
    credential = its_world["credentials"][caller]
    report = os.path.join(WORKSHOP, f"{caller}.ndjson")
    operations = sum(len(item) for item in world.send(base, None, "GET", "/docs/json")["paths"].values())
    command = [
        os.path.join(os.path.dirname(sys.executable), "schemathesis"),
        f"--config-file={HERE}/schemathesis.toml",
        "run",
        f"{base}/docs/json",
        "--checks=all",
        "--exclude-checks=" + ",".join(REPLACED),
        "--phases=examples,coverage,fuzzing",
        f"--max-examples={wanted // operations + 1}",
        f"--seed={seed}",
        "--continue-on-failure",
        "--suppress-health-check=all",
        "--warnings=off",
        f"--report-ndjson-path={report}",
        "--report=ndjson",
    ]
    if credential:
        command.append(f"--header=Authorization: Bearer {credential}")
    if caller == "key":
        # It would replace the very key that calls.
        command.append("--exclude-operation-id=regenerateKey")
    print(f"\n== as {caller}", flush=True)
    environment = {
        **os.environ,
        "PYTHONPATH": HERE,
        "SCHEMATHESIS_HOOKS": "hooks",
        "STEWARD_FUZZ_WORLD": json.dumps(its_world),
    }
    status = subprocess.run(command, env=environment, cwd=WORKSHOP).returncode
    with open(report) as lines:
        calls = sum(line.count('"status_code"') for line in lines)
    return status, calls


if __name__ == "__main__":
    main()
