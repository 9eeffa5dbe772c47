#!/bin/sh
# Runs a command with TEST_DATABASE_URL, the coordinator of a temporary Citus cluster, and TEST_CITUS_WORKERS, its two
# workers. Stops the cluster after the command. Citus must be installed in the newest PostgreSQL of this system.
set -eu

programs=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
version=$(basename "$(dirname "${programs:-/none/bin}")")
if [ ! -e "/usr/share/postgresql/$version/extension/citus.control" ]; then
    echo "Citus is not installed. Install PostgreSQL and the package postgresql-VERSION-citus-13 of Citus Data, or build Citus 13 from source." >&2
    exit 1
fi
directory=$(mktemp -d)
as_postgres=
if [ "$(id -u)" = 0 ]; then
    # PostgreSQL does not run as root.
    as_postgres='setpriv --reuid=postgres --regid=postgres --init-groups'
    chown postgres "$directory"
fi
first_port=${CITUS_PORT:-9700}
durable=$([ -n "${DURABLE:-}" ] && echo on || echo off)
stop() {
    for node in 0 1 2; do
        $as_postgres "$programs/pg_ctl" -D "$directory/$node" -s -w -m immediate stop 2>/dev/null || true
    done
    rm -rf "$directory"
}
trap stop EXIT INT TERM
cd "$directory"
for node in 0 1 2; do
    port=$((first_port + node))
    $as_postgres "$programs/initdb" -D "$directory/$node" -A trust -U steward -E UTF8 --locale C --no-sync >/dev/null
    $as_postgres "$programs/pg_ctl" -D "$directory/$node" -s -w -l "$directory/$node.log" start -o "-p $port \
        -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c shared_preload_libraries=citus -c wal_level=logical \
        -c citus.node_conninfo=sslmode=disable -c max_connections=400 -c max_prepared_transactions=400 -c max_worker_processes=200 \
        -c dynamic_shared_memory_type=mmap -c fsync=$durable -c full_page_writes=$durable -c synchronous_commit=$durable -c log_min_messages=panic"
done
cd "$OLDPWD"
TEST_DATABASE_URL="postgres://steward@127.0.0.1:$first_port/postgres?sslmode=disable" \
    TEST_CITUS_WORKERS="127.0.0.1:$((first_port + 1)),127.0.0.1:$((first_port + 2))" "$@"
