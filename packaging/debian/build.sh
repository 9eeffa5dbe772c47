#!/bin/sh
# Builds the Debian package of a binary: packaging/debian/build.sh BINARY DIRECTORY. Prints the path of the package. Requires
# only dpkg-deb and readelf. The same files give the same package: its timestamps are SOURCE_DATE_EPOCH (default 0).
set -eu
umask 022

binary=$1
output=$2
packaging=$(cd "$(dirname "$0")/.." && pwd)
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-0}"

version=$("$binary" --version | cut -d " " -f 2 | tr - "~")
architecture=$(dpkg --print-architecture)
# The newest version of the C library of which the binary uses a symbol.
libc=$(readelf --version-info "$binary" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -n 1 | cut -d _ -f 2)

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
chmod 0755 "$root"
install -D "$binary" "$root/usr/bin/steward"
for unit in steward.service steward-backup.service steward-backup.timer; do
    install -D -m 0644 "$packaging/systemd/$unit" "$root/lib/systemd/system/$unit"
done
install -D -m 0644 "$packaging/debian/sysusers.conf" "$root/usr/lib/sysusers.d/steward.conf"
install -D -m 0640 "$packaging/debian/steward.env" "$root/etc/steward/steward.env"
install -d -m 0700 "$root/var/backups/steward"
install -d "$root/usr/share/man/man1" "$root/usr/share/doc/steward"
install -m 0644 "$packaging/../LICENSE" "$root/usr/share/doc/steward/copyright"

"$binary" man "$root/usr/share/man/man1"
chmod 0644 "$root"/usr/share/man/man1/*
gzip -9n "$root"/usr/share/man/man1/*
completions() {
    install -d "$root/$(dirname "$2")"
    "$binary" completions "$1" >"$root/$2"
}
completions bash usr/share/bash-completion/completions/steward
completions zsh usr/share/zsh/vendor-completions/_steward
completions fish usr/share/fish/vendor_completions.d/steward.fish

install -d "$root/DEBIAN"
for script in postinst prerm postrm; do
    install "$packaging/debian/$script" "$root/DEBIAN/$script"
done
echo /etc/steward/steward.env >"$root/DEBIAN/conffiles"
cat >"$root/DEBIAN/control" <<CONTROL
Package: steward
Version: $version
Architecture: $architecture
Maintainer: The Steward authors
Section: net
Priority: optional
Installed-Size: $(du -sk "$root" | cut -f 1)
Depends: libc6 (>= $libc), libgcc-s1, ca-certificates, systemd | systemd-standalone-sysusers
Suggests: postgresql
Description: Administration service for developer projects
 Developers sign up, create teams, own projects, issue API keys, publish
 versioned schemas, and manage the users of each project and their data.
CONTROL

mkdir -p "$output"
package="$output/steward_${version}_$architecture.deb"
dpkg-deb --root-owner-group --build "$root" "$package" >&2
echo "$package"
