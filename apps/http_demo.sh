#!/bin/sh
# A simulated SMSC, the router, and curl as the application: a message, several at once, a long
# text; then the state of a message and the account's counters.
#
#     apps/http_demo.sh [DIRECTORY OF THE PROGRAMS]
#
# Exit 0 only if every answer was right and all ended cleanly.
. "$(dirname "$0")/demo_programs.sh"

echo "A simulated SMSC, which accepts every message:"
startSmsc --receipt-delay 1m

echo
echo "An API key, and a configuration whose account has its digest:"
echo "\$ sms-router --make-api-key"
"$bin/sms-router" --make-api-key | tee "$scratch/key"
key=$(sed -n 's/^key: *//p' "$scratch/key")
digest=$(sed -n 's/^api_keys: *//p' "$scratch/key")
echo "\$ cat router.toml"
tee "$scratch/router.toml" <<END
[listener.esme]
port = 0

[connector.smsc]
host = "127.0.0.1"
port = $smscPort
system_id = "router"
password = "secret"

[account.shop]
password = "secret"
api_keys = [$digest]

[store]
path = "$scratch/router.db"

[http]
port = 0
END

echo
echo "\$ sms-router --config router.toml"
startRouter --config "$scratch/router.toml"
waitFor "$router" "$scratch/router" '^sms-router takes HTTP at \(http.*\)/v1/messages$'
url=$found
cat "$scratch/router"
waitForBind

# ask TITLE STATUS ARGUMENTS OF CURL: the answer is $answer.
ask() {
    echo
    echo "$1"
    expected=$2
    shift 2
    line="\$ curl -H \"Authorization: Bearer \$key\""
    for word; do
        case $word in
            *[!a-zA-Z0-9:/.-]*) line="$line '$word'" ;;
            *) line="$line $word" ;;
        esac
    done
    echo "$line"
    status=$(curl -sS --max-time 30 -o "$scratch/answer" -w '%{http_code}' \
        -H "Authorization: Bearer $key" "$@") || fail "curl failed"
    answer=$(cat "$scratch/answer")
    echo "$status $answer"
    [ "$status" = "$expected" ] || fail "the status is not $expected"
}

send() {
    ask "$1" "$2" "$url/v1/messages" -H 'Content-Type: application/json' -d "$3"
}

send "A message. 202: the SMSC has accepted it, and the router has stored its id." 202 \
    '{"from": "Shop", "to": "+41791234567", "text": "Your code is 1234", "receipt": true}'
id=$(echo "$answer" | sed 's/.*"id":"\([^"]*\)".*/\1/')

send "Two messages, one of them without a destination. 207: the results, in their order." 207 \
    '{"messages": [{"to": "+41791234567", "text": "Hello"}, {"text": "Hello"}]}'

long="A text of more than 160 characters is sent in parts, each of which has an id of its own."
send "A long text. The telephone joins its parts." 202 \
    "{\"from\": \"Shop\", \"to\": \"+41791234567\", \"text\": \"$long $long\"}"

ask "The state of the first message, which the router asks of the SMSC:" 200 \
    "$url/v1/messages/$id?from=Shop"

ask "The account's counters, of parts:" 200 "$url/v1/account"
case $answer in
    *'"submitted":4,"accepted":4,'*) ;;
    *) fail "these are not the counters of four parts" ;;
esac

stop "$router" sms-router
router=
tail -n 1 "$scratch/router"
stop "$smsc" smpp-bench
smsc=
