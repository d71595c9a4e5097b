#!/usr/bin/env bash
# What was: what begins and ends is listed with who wrote it and how long it lasted, also after a restart, and what nobody watched is
# known as that; the picture of it is drawn without a script; who looked before is told what is new.
. "$(dirname "$0")/lib.sh"

history() { XDG_STATE_HOME=$work/look "$bin/driftd" history --socket "$work/driftd.sock" "$@"; }
items() { curl -sfg "$web/api/v1/history?$1" | jq -c ".items[] | select($2)"; }
has_item() { [ -n "$(items "$1" "$2")" ]; }
says() { # says TEXT ARGUMENT...: of driftd history
	history "${@:2}" >"$work/said.txt" 2>&1 || true
	grep -qF -- "$1" "$work/said.txt" || { cat "$work/said.txt" >&2; return 1; }
}
status_of() { # status_of STATUS ARGUMENT...
	local status=0
	history "${@:2}" >/dev/null 2>"$work/history.err.log" || status=$?
	[ $status = "$1" ] || { echo "status $status: $(cat "$work/history.err.log")" >&2; return 1; }
}
namespace='.kind == "Namespace" and .name == "shop"'

# ---- a life ----

start_shop
configure "$source_dir/examples/demo/reference" "control_socket: $work/driftd.sock"
start_driftd_ready
status_of 2 --since tomorrow --until yesterday
check "times exclude each other" status_of 2 --since -1h --last-night
check "a story is of one object" status_of 2 --story
set_team away
wait_until 30 "drift of the namespace" begins "$(printf '.DRIFTD_KIND == "Namespace"')"
wait_until 30 "its begin in the history" has_item "range=day" "$namespace and .began and (.ended | not) and .manager == \"kubectl-label\""
set_team storefront
wait_until 30 "its end in the history" has_item "range=day" "$namespace and .ended and (.lastedSeconds != null)"
check "it is one item" test "$(items range=day "$namespace" | wc -l)" = 1
check "others have written other things" test -z "$(items 'range=day&manager=helm' "$namespace")"
check "of who wrote it" test -n "$(items 'range=day&manager=kubectl-*' "$namespace")"
check "a kind by its short name" test -n "$(items 'range=day&kind=ns' "$namespace")"
check "no message for who is not known" test -z "$(items range=day '.message != null')"
check "by time" test -z "$(items 'until=2020-01-01T00:00:00Z' true)"
check "of one object, each thing that was told" test "$(items 'range=day&story=true&kind=Namespace&name=shop' true | wc -l)" = 2
for bad in range=year since=x before=1 limit=100000 buckets=100000 field=x story=true; do
	check "$bad is refused" test "$(curl -s -o /dev/null -w '%{http_code}' "$web/api/v1/history?$bad")" = 400
done
page_of() { curl -sfg "$web/api/v1/history?range=day&story=true&kind=Namespace&name=shop&limit=1${1:+&before=$1}"; }
next=$(page_of '' | jq -r '.next // empty')
first=$(page_of '' | jq -c '.items[0].event')
check "there is more than one page" test -n "$next"
check "the next page goes on" test "$(page_of "$next" | jq -c '.items[0].event')" != "$first"

# ---- the command ----

check "the object, with who wrote it" says 'namespaces shop' ns/shop
check "sums" says ' began, '
check "of whom" says kubectl-label --by 'kubectl-*'
check "nothing is 1" status_of 1 --by nobody
check "something is 0" status_of 0 ns shop
check "the story" says 'drift begins' ns/shop --story
check "as JSON" test "$(history -o json ns/shop | jq -r '.items[0].manager')" = kubectl-label
check "nobody looked yet" status_of 0 --since-last-look
check "nothing since then" status_of 1 --since-last-look
set_team else
wait_until 30 "something since then" status_of 0 --since-last-look
check "the file of the last look" grep -qE '^[0-9]{16}$' "$work/look/driftd/last-look"
check "last night" says ' 22:00:00 to ' --last-night

# ---- since a deployment ----

check "a deployment has a kind" status_of 2 --since-deploy web
check "of nothing" status_of 2 --since-deploy ns/nothing
deployed() { says '"else"' --since-deploy ns/shop ns/shop --story; }
wait_until 30 "what came with the last write" deployed

# ---- nobody watches ----

stop driftd || true
check "without driftd" says "'driftd events' reads" ns/shop
sleep 2
set_team storefront
start_driftd_ready
timeline() { curl -sf "$web/api/v1/history/timeline?range=day&buckets=10"; }
away() { timeline | jq -e '[.clusters[].blind[] | select(.why == "away")] | length > 0'; }
wait_until 30 "the time in which nobody watched" away
counted() { [ "$(timeline | jq '[.clusters[0].most[][9]] | add')" -ge 1 ]; }
check "the most that were open, in the last part" counted
