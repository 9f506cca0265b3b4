#!/bin/sh
# A simulated SMSC, the router, and a few ESMEs: messages, receipts and a message to a short code,
# then some load, then an orderly end.
#
#     apps/router_demo.sh [DIRECTORY OF THE PROGRAMS]
#
# Exit 0 only if every answer and every receipt was right and all ended cleanly.
. "$(dirname "$0")/demo_programs.sh"

startSmsc --receipt-delay 200ms --mo 2 --mo-to 12345

echo
echo "\$ sms-router --config docs/router.toml --set ..."
startRouter --config "$(dirname "$0")/../docs/router.toml" --set listener.esme.port=0 \
    --set admin.port=0 --set connector.smsc.port="$smscPort" --set store.path="$scratch/router.db" \
    --set records.path="$scratch/records" --set account.esme1.max_binds=100 \
    --set account.esme2.max_binds=100
waitFor "$router" "$scratch/router" '^sms-router listening on 127\.0\.0\.1:\([0-9]*\).*'
port=$found
waitFor "$router" "$scratch/router" '^sms-router status page at \(http.*\)'
cat "$scratch/router"
waitForBind
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

stop "$router" sms-router
router=
sed -n '3,$p' "$scratch/router"
stop "$smsc" smpp-bench
smsc=
tail -n "+$((binds + 1))" "$scratch/smsc"
