#!/bin/sh
# The compiler of tests/cargo.sh: clippy, with warnings as errors.
exec clippy-driver "$@" -D warnings
