#!/bin/sh
# Runs cargo for the tests, for example `tests/cargo.sh test --workspace --test http`. What it sets is for tests only:
# - clippy compiles the crates of the workspace, and its warnings are errors. So nothing is compiled once more for lints.
# - OpenSSL is the static library of the system, if it has one. Compiling it takes four minutes of CPU time.
# - AWS-LC takes its randomness from the operating system alone (docs/decisions/0066-quick-tests.md).
# - The documentation is rendered with its tests.
# Builds with and without this script share the dependencies, except for AWS-LC, OpenSSL and what depends on them.
set -eu
tests=$(cd "$(dirname "$0")" && pwd)

for argument in "$@"; do
    case $argument in
    --release | --profile | --profile=*)
        echo "$0: What is not for tests is compiled with cargo itself." >&2
        exit 2
        ;;
    esac
done

libraries=/usr/lib/$(cc -print-multiarch 2>/dev/null || true)
if [ -e "$libraries/libcrypto.a" ]; then
    # Without the directory, it would be linked dynamically.
    export OPENSSL_NO_VENDOR=1 OPENSSL_STATIC=1 OPENSSL_LIB_DIR="$libraries" OPENSSL_INCLUDE_DIR=/usr/include
fi
export AWS_LC_SYS_NO_JITTER_ENTROPY=1
export RUSTC_WORKSPACE_WRAPPER="$tests/lint.sh" RUSTDOC="$tests/rustdoc.sh" RUSTDOCFLAGS='-D warnings'
exec cargo "$@"
