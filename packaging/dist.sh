#!/bin/sh
# Builds all packages of a binary, and their checksums: packaging/dist.sh BINARY DIRECTORY.
set -eu

# Only tests may change where AWS-LC takes its randomness from (docs/decisions/0066-quick-tests.md).
if [ -n "${AWS_LC_SYS_NO_JITTER_ENTROPY:-}" ]; then
    echo "$0: Unset AWS_LC_SYS_NO_JITTER_ENTROPY, which is for tests only, and compile again." >&2
    exit 1
fi
binary=$1
output=$2
packaging=$(dirname "$0")
version=$("$binary" --version | cut -d ' ' -f 2)
name=steward-$version-linux-$(uname -m)

rm -rf "$output"
mkdir -p "$output"
tar --create --file - --directory "$(dirname "$binary")" --mtime "@${SOURCE_DATE_EPOCH:-0}" --owner 0 --group 0 --numeric-owner \
    "$(basename "$binary")" | gzip -9n >"$output/$name.tar.gz"
"$packaging/debian/build.sh" "$binary" "$output"
"$packaging/container/build.py" "$binary" "$output/$name-image.tar" --revision "${STEWARD_REVISION:-}"
# What the other ways to install need besides the image.
tar --create --file - --directory "$packaging" --mtime "@${SOURCE_DATE_EPOCH:-0}" --owner 0 --group 0 --numeric-owner \
    --sort name compose kubernetes patroni pgbouncer proxies systemd | gzip -9n >"$output/steward-$version-manifests.tar.gz"
cd "$output"
sha256sum -- * >SHA256SUMS
cat SHA256SUMS
