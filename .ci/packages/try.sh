#!/bin/sh
# Installs, upgrades, removes and purges the packages of a folder, in a clean system that is thrown
# away: try.sh [FOLDER]. Needs mmdebstrap, and root or user namespaces.
set -eu

folder=${1:-build/deb}
here=$(cd "$(dirname "$0")" && pwd)
codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
chmod 0755 "$scratch"

# The same package as a later version.
make_later() {
    dpkg-deb --raw-extract "$1" "$scratch/tree"
    version=$(dpkg-deb --field "$1" Version)
    sed -i "s/^Version: .*/Version: $version+later/; s/(= $version)/(= $version+later)/g" \
        "$scratch/tree/DEBIAN/control"
    dpkg-deb -Zgzip -z1 --root-owner-group --build "$scratch/tree" "$scratch/packages/later" \
        >/dev/null
    rm -rf "$scratch/tree"
}

mkdir -p "$scratch/packages/made" "$scratch/packages/later"
for package in "$folder"/*.deb; do
    case $package in *-dbgsym_*) continue ;; esac
    [ -e "$package" ] || { echo "try.sh: no packages in $folder: make deb" >&2; exit 1; }
    cp "$package" "$scratch/packages/made"
    make_later "$package"
done
cp "$here/try_inside.sh" "$scratch/packages"

mmdebstrap --quiet --variant=apt --format=null \
    --customize-hook="copy-in $scratch/packages /" \
    --customize-hook='chroot "$1" sh -eu /packages/try_inside.sh' \
    "$codename" /dev/null
