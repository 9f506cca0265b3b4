#!/bin/sh
# Four dispatchers serve a hundred connections for three seconds, then drain.
#
#     apps/demo.sh [DIRECTORY OF THE PROGRAMS]
#
# Exit 0 only if every answer was right and the server drained cleanly.
set -eu

bin=${1:-build/bin}
for program in echo-server echo-client; do
    [ -x "$bin/$program" ] || { echo "demo: there is no $bin/$program" >&2; exit 1; }
done

scratch=$(mktemp -d)
server=
cleanUp() {
    [ -z "$server" ] || kill -KILL "$server" 2>/dev/null || true
    rm -rf "$scratch"
}
trap cleanUp EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

fail() {
    echo "demo: $1" >&2
    exit 1
}

# The server says once that it is ready, and where.
waitForPort() {
    tries=0
    while [ "$tries" -lt 200 ]; do
        port=$(sed -n 's/^echo-server listening on 127\.0\.0\.1:\([0-9]*\) .*/\1/p' "$scratch/out")
        [ -z "$port" ] || return 0
        kill -0 "$server" 2>/dev/null || fail "echo-server ended before it listened"
        sleep 0.05
        tries=$((tries + 1))
    done
    fail "echo-server did not say that it listens"
}

echo "\$ echo-server --port 0 --threads 4"
: >"$scratch/out"
"$bin/echo-server" --port 0 --threads 4 >"$scratch/out" &
server=$!
waitForPort
cat "$scratch/out"

echo
echo "\$ echo-client --port $port --connections 100 --duration 3"
clientStatus=0
"$bin/echo-client" --port "$port" --connections 100 --duration 3 || clientStatus=$?

echo
echo "\$ kill -TERM $server  # echo-server"
ready=$(wc -l <"$scratch/out")
kill -TERM "$server" || fail "echo-server is gone"
serverStatus=0
wait "$server" || serverStatus=$?
server=
tail -n "+$((ready + 1))" "$scratch/out"

[ "$clientStatus" -eq 0 ] || fail "echo-client ended with $clientStatus"
[ "$serverStatus" -eq 0 ] || fail "echo-server ended with $serverStatus"
