#!/bin/sh
# Runs a command with TEST_DATABASE_URL: the one that is set, or that of a throw-away PostgreSQL cluster on a private
# port, which ends with the command. Installs Debian's postgresql when it is absent.
set -eu

if [ -n "${TEST_DATABASE_URL:-}" ]; then
    exec "$@"
fi
if ! command -v pg_virtualenv >/dev/null || ! ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then
    sudo=$([ "$(id -u)" = 0 ] || echo sudo)
    $sudo apt-get update -q
    # The package would start a cluster of its own; the tests want none but theirs.
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends postgresql postgresql-common
fi
# Durability is not what the tests are about on PostgreSQL, only what is measured of it; many connections are. Tests provoke
# what PostgreSQL logs; printed after them it would hide what failed.
durable=$([ -n "${DURABLE:-}" ] && echo on || echo off)
exec pg_virtualenv -t -o "fsync=$durable" -o "full_page_writes=$durable" -o "synchronous_commit=$durable" -o max_connections=300 -o log_min_messages=panic \
    sh -c 'TEST_DATABASE_URL="postgres://$PGUSER:$PGPASSWORD@$PGHOST:$PGPORT/postgres?sslmode=disable" exec "$@"' sh "$@"
