#!/bin/sh
# Compiles and runs all tests of the workspace. The arguments are those of the test runner, such as names of tests. These variables
# select and change what runs:
#   SUITES, SKIP_SUITES   names of suites, such as `http`: only these, or all but these (the list is in tests/suites.py)
#   STEWARD_TEST_SHORT    leaves out what is repeated with another database
#   LOADED                runs the tests at the lowest priority, beside programs that keep all cores busy
set -eu
cd "$(dirname "$0")/.."

exec python3 tests/suites.py "$@"
