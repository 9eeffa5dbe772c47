#!/bin/sh
# Fuzzes a running service with all checks of schemathesis, by its OpenAPI document: as an owner, a viewer, a key and
# nobody, each with a team and project of their own. Fails on an answer that is not as the document says, a valid request
# that is refused, and one that is accepted although it is not valid, except for what refusals.py lists.
#
#     tests/fuzz/run.sh [seed]
#
# DATABASE_URL chooses PostgreSQL; CALLS (10000) says how many requests are made at least.
set -eu
cd "$(dirname "$0")/../.."

python=target/fuzz/venv/bin/python
if [ ! -x "$python" ]; then
    mkdir -p target/fuzz
    python3 -m venv target/fuzz/venv
    "$python" -m pip install --quiet schemathesis==4.32.5
fi
tests/cargo.sh build --workspace --all-features --bins
# Nothing is left outside the target directory.
export PYTHONDONTWRITEBYTECODE=1
exec "$python" tests/fuzz/fuzz.py "$@"
