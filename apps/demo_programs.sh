# shellcheck shell=sh
# What router_demo.sh and http_demo.sh share: the simulated SMSC and the router as child processes.
# They are killed, and $scratch is removed, when the script ends. Sourced with $1, the directory of
# the programs.
set -eu

name=$(basename "$0" .sh)
bin=${1:-build/bin}
for program in sms-router smpp-bench; do
    [ -x "$bin/$program" ] || { echo "$name: there is no $bin/$program" >&2; exit 1; }
done

scratch=$(mktemp -d)
smsc=
router=
cleanUp() {
    for child in $router $smsc; do kill -KILL "$child" 2>/dev/null || true; done
    rm -rf "$scratch"
}
trap cleanUp EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

fail() {
    echo "$name: $1" >&2
    cat "$scratch/router.errors" >&2 2>/dev/null || true
    exit 1
}

# waitFor PID FILE PATTERN: until a line of the file matches; what the parentheses took is $found.
waitFor() {
    tries=0
    while [ "$tries" -lt 400 ]; do
        found=$(sed -n "s|$3|\\1|p" "$2" | head -n 1)
        [ -z "$found" ] || return 0
        kill -0 "$1" 2>/dev/null || fail "process $1 has ended"
        sleep 0.05
        tries=$((tries + 1))
    done
    fail "there is no '$3'"
}

# startSmsc OPTIONS: its port is $smscPort.
startSmsc() {
    echo "\$ smpp-bench smsc $*"
    : >"$scratch/smsc"
    "$bin/smpp-bench" smsc --port 0 "$@" >"$scratch/smsc" &
    smsc=$!
    waitFor "$smsc" "$scratch/smsc" '^smsc listening on 127\.0\.0\.1:\([0-9]*\)$'
    smscPort=$found
    cat "$scratch/smsc"
}

# startRouter OPTIONS
startRouter() {
    : >"$scratch/router"
    "$bin/sms-router" "$@" >"$scratch/router" 2>"$scratch/router.errors" &
    router=$!
    waitFor "$router" "$scratch/router" '^sms-router listening on \(.*\)'
}

# What the SMSC has counted, until the router is bound there.
waitForBind() {
    tries=0
    until grep -q '"binds":[1-9]' "$scratch/smsc"; do
        [ "$tries" -lt 200 ] || fail "the router does not bind to the SMSC"
        kill -USR1 "$smsc"
        sleep 0.05
        tries=$((tries + 1))
    done
}

# stop PID PROGRAM
stop() {
    echo
    echo "\$ kill -TERM $1  # $2"
    kill -TERM "$1" || fail "$2 is gone"
    status=0
    wait "$1" || status=$?
    [ "$status" -eq 0 ] || fail "$2 ended with $status"
}
