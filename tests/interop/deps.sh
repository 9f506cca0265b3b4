#!/bin/sh
# Finds what the interoperability tests need, and installs what is missing: Kannel, tshark, node,
# npm, curl and requests (Python) with apt-get, node-smpp (at the version in package-lock.json) with npm.
#
#     tests/interop/deps.sh [DIRECTORY FOR NODE'S PACKAGES]
#
# Silent and quick when nothing is missing. Exit 1 where it cannot install.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
target=${1:-build/interop}

have() { command -v "$1" >/dev/null 2>&1 || [ -x "/usr/sbin/$1" ]; }

fail() {
    echo "interop: $1" >&2
    exit 1
}

asRoot() {
    if [ "$(id -u)" = 0 ]; then
        env DEBIAN_FRONTEND=noninteractive "$@"
    else
        sudo -n env DEBIAN_FRONTEND=noninteractive "$@"
    fi
}

missing=
have bearerbox || missing="$missing kannel"
have tshark || missing="$missing tshark"
have node || missing="$missing nodejs"
have npm || missing="$missing npm"
have curl || missing="$missing curl"
python3 -c 'import requests' 2>/dev/null || missing="$missing python3-requests"
if [ -n "$missing" ]; then
    have apt-get || fail "missing:$missing; install them"
    echo "interop: missing:$missing; installing ..." >&2
    asRoot apt-get update >/dev/null 2>&1 || true
    # shellcheck disable=SC2086  # words are meant
    asRoot apt-get install -y --no-install-recommends $missing </dev/null >/dev/null 2>&1 ||
        fail "could not install:$missing"
fi

if ! cmp -s "$here/package-lock.json" "$target/package-lock.json" ||
    [ ! -d "$target/node_modules/smpp" ]; then
    echo "interop: installing node-smpp into $target ..." >&2
    mkdir -p "$target"
    rm -f "$target/package-lock.json"
    cp "$here/package.json" "$target/package.json"
    cp "$here/package-lock.json" "$target/package-lock.json"
    (cd "$target" && npm ci --no-audit --no-fund --ignore-scripts >/dev/null 2>&1) || {
        rm -f "$target/package-lock.json"
        fail "npm could not install node-smpp"
    }
fi
