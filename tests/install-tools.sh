#!/bin/sh
# Installs from Debian what the tests need beside a Rust toolchain, where it is absent: Node.js and npm for a client
# that others wrote, Chromium and its driver for the pages, HAProxy in front of replicas. Does nothing where all of it is there.
set -eu

# Each command, and the package that has it.
TOOLS='node:nodejs npm:npm chromium:chromium chromedriver:chromium-driver haproxy:haproxy'
# Where administrators' programs are.
PATH="$PATH:/usr/sbin"

absent() {
    for tool in $TOOLS; do
        command -v "${tool%%:*}" >/dev/null || echo "${tool##*:}"
    done
}

give_up() {
    echo "$0: $1; install by hand:" $(absent) >&2
    exit 1
}

packages=$(absent)
if [ -z "$packages" ]; then
    exit 0
fi
command -v apt-get >/dev/null || give_up 'there is no apt-get here'
sudo=$([ "$(id -u)" = 0 ] || echo sudo)
[ -z "$sudo" ] || command -v sudo >/dev/null || give_up 'apt-get needs root, and there is no sudo here'
$sudo apt-get update -q || give_up 'apt-get update failed'
# The list is split into words on purpose: each is a package.
$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends $packages ||
    give_up 'apt-get install failed'
# Elsewhere than on Debian a package may be there and not bring the command.
[ -z "$(absent)" ] || give_up 'the packages are installed, but not all commands are there'
