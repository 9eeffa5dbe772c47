#!/bin/sh
# Installs the Debian packages that the tests need in addition to a Rust toolchain: Node.js, npm, Python and Apache for
# third-party clients and linters, OpenSSL as a static library, PostgreSQL, Chromium and its driver for the
# pages, HAProxy for the replicas, and systemd for its units. Without STEWARD_TEST_SHORT also Java, Go and Ruby for
# more clients. Does nothing if all of them are installed.
set -eu

# Commands and their packages.
TOOLS='node:nodejs npm:npm chromium-headless-shell:chromium-headless-shell chromedriver:chromium-driver haproxy:haproxy apache2:apache2-bin systemd-analyze:systemd fakeroot:fakeroot'
# Those of clients that a short run leaves out, and a library of each language.
[ -n "${STEWARD_TEST_SHORT:-}" ] || TOOLS="$TOOLS java:default-jre-headless go:golang-go ruby:ruby"
GO_LIBRARIES='github.com/coreos/go-oidc:golang-github-coreos-go-oidc-dev golang.org/x/oauth2:golang-golang-x-oauth2-dev gopkg.in/validator.v2:golang-gopkg-validator.v2-dev'
RUBY_LIBRARIES='omniauth_openid_connect:ruby-omniauth-openid-connect webrick:ruby-webrick'
# A module of Apache.
OPENIDC=/usr/lib/apache2/modules/mod_auth_openidc.so
# Programs that are extracted from their packages, because the packages would start services: etcd, and programs that check
# files.
PROGRAMS='etcd:etcd-server promtool:prometheus caddy:caddy nginx:nginx'
EXTRACTED=$(dirname "$0")/../target/tools
# The Python of the tests.
python=$([ -x /usr/bin/python3 ] && echo /usr/bin/python3 || echo python3)
# Directory of system administration commands.
PATH="$PATH:/usr/sbin"

missing() {
    for tool in $TOOLS; do
        command -v "${tool%%:*}" >/dev/null || echo "${tool##*:}"
    done
    # Several suites start a server at the same time, which must not install it at the same time.
    { command -v pg_virtualenv && ls /usr/lib/postgresql/*/bin/initdb; } >/dev/null 2>&1 || echo postgresql postgresql-common
    [ -e "$OPENIDC" ] || echo libapache2-mod-auth-openidc
    [ -e "/usr/lib/$(gcc -print-multiarch)/libcrypto.a" ] || echo libssl-dev
    # Virtual environments require this Python module.
    "$python" -c 'import ensurepip' 2>/dev/null || echo python3-venv
    [ -z "${STEWARD_TEST_SHORT:-}" ] || return 0
    for library in $GO_LIBRARIES; do
        [ -e "/usr/share/gocode/src/${library%%:*}" ] || echo "${library##*:}"
    done
    for library in $RUBY_LIBRARIES; do
        ruby -e "require '${library%%:*}'" 2>/dev/null || echo "${library##*:}"
    done
}

missing_programs() {
    for tool in $PROGRAMS; do
        [ -x "$EXTRACTED/${tool%%:*}" ] || command -v "${tool%%:*}" >/dev/null || echo "${tool##*:}"
    done
}

give_up() {
    echo "$0: $1 Install these packages manually:" $(missing) $(missing_programs) >&2
    exit 1
}

packages=$(missing)
programs=$(missing_programs)
if [ -z "$packages$programs" ]; then
    exit 0
fi
command -v apt-get >/dev/null || give_up 'apt-get is not available.'
sudo=$([ "$(id -u)" = 0 ] || echo sudo)
[ -z "$sudo" ] || command -v sudo >/dev/null || give_up 'apt-get requires root, and sudo is not available.'
$sudo apt-get update -q || give_up 'apt-get update failed.'
if [ -n "$packages" ]; then
    # The list is intentionally split into words: each is a package.
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends $packages ||
        give_up 'apt-get install failed.'
    # On other distributions, a package may have other contents.
    [ -z "$(missing)" ] || give_up 'The packages are installed, but some programs are missing.'
fi
if [ -n "$programs" ]; then
    download=$(mktemp -d)
    trap 'rm -rf "$download"' EXIT
    (cd "$download" && apt-get download -q $programs && for package in *.deb; do dpkg-deb --extract "$package" .; done) ||
        give_up 'Packages could not be downloaded.'
    mkdir -p "$EXTRACTED"
    for tool in $PROGRAMS; do
        for directory in usr/bin usr/sbin; do
            [ ! -e "$download/$directory/${tool%%:*}" ] || mv "$download/$directory/${tool%%:*}" "$EXTRACTED/"
        done
    done
fi
