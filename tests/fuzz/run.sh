#!/bin/sh
# Fuzzes a running service with schemathesis, by its OpenAPI document: as an owner, a viewer, a key and nobody, each with a
# team and project of their own. Fails on an answer of 500, a status or media type that the document does not name, or a
# body or header that is not as it says.
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
