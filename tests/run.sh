#!/bin/sh
# Runs all tests of the workspace except those in the documentation. Suites that wait for browsers, other programs and
# time limits more than they compute run at the same time as the others, so that neither leaves the cores idle. Their
# output follows that of the others. The arguments are those of the test runner, such as names of tests; SKIP_SUITES names
# suites to leave out.
set -eu
cd "$(dirname "$0")/.."

waiting='browser citus clients faults hostile model'

# A short run leaves out what is repeated with another database.
if [ -n "${STEWARD_TEST_SHORT:-}" ]; then
    set -- "$@" --skip ::full::
fi

tests=$(cargo metadata --no-deps --format-version 1 | tr '{' '\n' | sed -n 's/^"kind":\["test"\].*"name":"\([^"]*\)".*/\1/p')
others=
for test in $tests; do
    case " $waiting ${SKIP_SUITES:-} " in
    *" $test "*) ;;
    *) others="$others --test $test" ;;
    esac
done

cargo test --workspace --tests --no-run
log=$(mktemp)
trap 'rm -f "$log"' EXIT
(
    failed=0
    for suite in $waiting; do
        case " ${SKIP_SUITES:-} " in
        *" $suite "*) ;;
        *) RUST_TEST_THREADS=2 cargo test --workspace --test "$suite" -- "$@" || failed=1 ;;
        esac
    done
    exit "$failed"
) >"$log" 2>&1 &
failed=0
# The list is intentionally split into words: each is an argument.
cargo test --workspace --lib --bins --no-fail-fast $others -- "$@" || failed=1
wait "$!" || failed=1
cat "$log"
exit "$failed"
