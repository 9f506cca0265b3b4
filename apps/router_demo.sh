#!/bin/sh
# A simulated SMSC, the router, and a few ESMEs: messages, receipts and a message to a short code,
# then some load, then an orderly end.
#
#     apps/router_demo.sh [DIRECTORY OF THE PROGRAMS]
#
# Exit 0 only if every answer and every receipt was right and all ended cleanly.
set -eu

bin=${1:-build/bin}
config=$(dirname "$0")/../docs/router.toml
for program in sms-router smpp-bench; do
    [ -x "$bin/$program" ] || { echo "router-demo: there is no $bin/$program" >&2; exit 1; }
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
    echo "router-demo: $1" >&2
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

echo "\$ smpp-bench smsc --receipt-delay 200ms --mo 2 --mo-to 12345"
: >"$scratch/smsc"
"$bin/smpp-bench" smsc --port 0 --receipt-delay 200ms --mo 2 --mo-to 12345 >"$scratch/smsc" &
smsc=$!
waitFor "$smsc" "$scratch/smsc" '^smsc listening on 127\.0\.0\.1:\([0-9]*\)$'
smscPort=$found
cat "$scratch/smsc"

echo
echo "\$ sms-router --config docs/router.toml --set ..."
: >"$scratch/router"
"$bin/sms-router" --config "$config" --set listener.esme.port=0 --set admin.port=0 \
    --set connector.smsc.port="$smscPort" --set store.path="$scratch/router.db" \
    --set records.path="$scratch/records" --set account.esme1.max_binds=100 \
    --set account.esme2.max_binds=100 >"$scratch/router" 2>"$scratch/router.errors" &
router=$!
waitFor "$router" "$scratch/router" '^sms-router listening on 127\.0\.0\.1:\([0-9]*\).*'
port=$found
waitFor "$router" "$scratch/router" '^sms-router status page at \(http.*\)'
cat "$scratch/router"

# What the SMSC has counted, until the router is bound there.
tries=0
until grep -q '"binds":[1-9]' "$scratch/smsc"; do
    [ "$tries" -lt 200 ] || fail "the router does not bind to the SMSC"
    kill -USR1 "$smsc"
    sleep 0.05
    tries=$((tries + 1))
done
binds=$(wc -l <"$scratch/smsc")

esme() {
    echo
    echo "\$ smpp-bench esme $*"
    "$bin/smpp-bench" esme --port "$port" "$@" || fail "an ESME ended with $?"
}

esme --system-id esme1 --password secret1 --messages 3 --window 1 --rate 4 --registered --show
esme --accounts esme1:secret1,esme2:secret2 --binds 20 --window 10 --duration 3 --registered

echo
echo "\$ tail -n 2 sms-router.jsonl"
tail -n 2 "$scratch/records"

stop() {
    echo
    echo "\$ kill -TERM $1  # $2"
    kill -TERM "$1" || fail "$2 is gone"
    status=0
    wait "$1" || status=$?
    [ "$status" -eq 0 ] || fail "$2 ended with $status"
}
stop "$router" sms-router
router=
sed -n '3,$p' "$scratch/router"
stop "$smsc" smpp-bench
smsc=
tail -n "+$((binds + 1))" "$scratch/smsc"
