#!/bin/sh
# Runs all tests of the workspace except those in the documentation. Suites that wait for browsers, other programs and
# time limits more than they compute run at the same time as the others, so that neither leaves the cores idle. Their
# output follows that of the others. The arguments are those of the test runner, such as names of tests; SKIP_SUITES names
# suites to leave out.
set -eu
cd "$(dirname "$0")/.."

# The suites of each line run one after another, at the same time as those of the other lines.
waiting='browser clients model
faults hostile'

tests=$(cargo metadata --no-deps --format-version 1 | tr '{' '\n' | sed -n 's/^"kind":\["test"\].*"name":"\([^"]*\)".*/\1/p')
others=
for test in $tests; do
    case " $(echo $waiting) ${SKIP_SUITES:-} " in
    *" $test "*) ;;
    *) others="$others --test $test" ;;
    esac
done

cargo test --workspace --tests --no-run
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
echo "$waiting" | {
    while read -r suites; do
        (
            failed=0
            for suite in $suites; do
                case " ${SKIP_SUITES:-} " in
                *" $suite "*) ;;
                *) RUST_TEST_THREADS=2 cargo test --workspace --test "$suite" -- "$@" || failed=1 ;;
                esac
            done
            exit "$failed"
        ) >"$logs/${suites%% *}" 2>&1 &
        waited="${waited:-} $!"
    done
    failed=0
    # The lists are intentionally split into words: each is an argument.
    cargo test --workspace --lib --bins --no-fail-fast $others -- "$@" </dev/null || failed=1
    for process in $waited; do
        wait "$process" || failed=1
    done
    cat "$logs"/*
    exit "$failed"
}
