#!/bin/sh
# Runs a command with TEST_DATABASE_URL. If it is not set, starts a temporary PostgreSQL cluster on an unused port and
# stops it after the command. Installs Debian's postgresql package if it is missing.
set -eu

if [ -n "${TEST_DATABASE_URL:-}" ]; then
    exec "$@"
fi
if ! command -v pg_virtualenv >/dev/null || ! ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then
    sudo=$([ "$(id -u)" = 0 ] || echo sudo)
    $sudo apt-get update -q
    # The tests do not use the cluster that the package creates.
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends postgresql postgresql-common
fi
# The tests need many connections but no durability, which only measurements require (DURABLE). Tests cause errors in
# the PostgreSQL log on purpose. If it were printed after the tests, it would hide their failures.
durable=$([ -n "${DURABLE:-}" ] && echo on || echo off)
# What is not durable is in memory, if there is enough: half of the time of many tests passes with files.
memory=$(df --output=avail --block-size=G /dev/shm 2>/dev/null | tail -n 1 | tr -dc 0-9)
if [ "$durable" = off ] && [ "${memory:-0}" -ge 8 ] && [ -w /dev/shm ]; then
    TMPDIR=$(mktemp -d /dev/shm/steward-tests.XXXXXX)
    export TMPDIR
    # PostgreSQL has another user.
    chmod 755 "$TMPDIR"
    trap 'rm -rf "$TMPDIR"' EXIT INT TERM
fi
# A killed server leaves its shared memory: with `mmap`, in its directory.
# Several servers that start at the same time would choose the same port.
port=${PGPORT_OF_TESTS:+--port=$PGPORT_OF_TESTS}
pg_virtualenv -t ${port:+-c "$port"} -o "fsync=$durable" -o "full_page_writes=$durable" -o "synchronous_commit=$durable" -o max_connections=300 \
    -o dynamic_shared_memory_type=mmap -o log_min_messages=panic \
    sh -c 'TEST_DATABASE_URL="postgres://$PGUSER:$PGPASSWORD@$PGHOST:$PGPORT/postgres?sslmode=disable" exec "$@"' sh "$@"
