#!/bin/sh
# The rustdoc of tests/cargo.sh. `cargo doc` would check all dependencies again. So after the tests in the documentation of a crate,
# this renders it from the dependencies that they are linked with.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)

case " $* " in
*' --test '*) ;;
*) exec rustdoc "$@" ;;
esac
rustdoc "$@"

# The same arguments without those of the tests.
skip=
for argument in "$@"; do
    shift
    if [ -n "$skip" ]; then
        skip=
        continue
    fi
    case $argument in
    --test | --no-run | --nocapture | --no-capture) ;;
    --test-run-directory | --test-args | --runtool | --test-runtool | --doctest-build-arg) skip=1 ;;
    --test-run-directory=* | --test-args=*) ;;
    *) set -- "$@" "$argument" ;;
    esac
done
# The items of the binary are private.
case " $* " in
*' --crate-name steward '*) set -- "$@" --document-private-items ;;
esac
exec rustdoc "$@" --out-dir "${CARGO_TARGET_DIR:-$root/target}/doc"
