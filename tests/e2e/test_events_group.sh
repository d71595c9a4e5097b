#!/usr/bin/env bash
# driftd events --group and --after-cursor, and driftd-notify: an incident of many objects is one notification, and nothing is left out when
# whoever notifies is killed.
. "$(dirname "$0")/journal.sh"
maps=/api/v1/namespaces/shop/configmaps

sized_reference '{size: "3"}'
start_journald
start_shop
configure "$work/reference"
for ((n = 10; n < 70; n++)); do api POST $maps "$(configmap sized-$n shop '{"size":"3"}')" helm; done
start_driftd_ready journal

export STATE_DIRECTORY=$work/notified GROUP=5s
mkdir "$STATE_DIRECTORY"
start_notify() { # in a process group of its own
	PATH=$bin:$PATH start notify setsid "$source_dir/examples/notify/driftd-notify" warning sh -c "cat >>$work/told.json"
}
start_notify
wait_until 20 "it to have begun" test -s "$work/notified/last"
for ((n = 10; n < 70; n++)); do api PATCH $maps/sized-$n '{"data":{"size":"5"}}' helm; done
set_team one
told() { # told EVENT KIND: of how many objects
	jq -s --arg event "$1" --arg kind "$2" '[.[] | select(.DRIFTD_EVENT == $event and .DRIFTD_KIND == $kind) |
		.DRIFTD_GROUP_COUNT | tonumber] | add // 0' "$work/told.json"
}
all_told() { [ "$(told begin ConfigMap)" -eq 60 ] && [ "$(told begin Namespace)" -eq 1 ]; }
wait_until 60 "all to be told" all_told

# ---- the journal has each, and the groups can be made of it ----

begins() { "$bin/driftd" events --event drift-begin -o json "$@"; }
begins >"$work/each.json"
check "a record for each" test "$(wc -l <"$work/each.json")" -eq 61
check "all of one cause" test "$(jq -r 'select(.DRIFTD_KIND == "ConfigMap") | .DRIFTD_CAUSE' "$work/each.json" | sort -u | wc -l)" -eq 1
check "which the list of findings has" test "$(curl -sf "$web/api/v1/findings?group=cause&kind=ConfigMap" | jq -r '.items[0].cause')" = \
	"$(jq -r 'select(.DRIFTD_KIND == "ConfigMap") | .DRIFTD_CAUSE' "$work/each.json" | head -n 1)"
begins --group 1h >"$work/groups.json"
check "two groups" test "$(wc -l <"$work/groups.json")" -eq 2
check "one of sixty" jq -se 'any(.[]; .DRIFTD_GROUP_COUNT == "60" and (.DRIFTD_GROUP_MEMBER | length) == 20 and
	(.MESSAGE | endswith("; and 59 more of the same cause")))' "$work/groups.json"
check "and one of one" jq -se 'any(.[]; .DRIFTD_GROUP_COUNT == "1" and .DRIFTD_GROUP_MEMBER != null and .DRIFTD_KIND == "Namespace")' \
	"$work/groups.json"
check "for people" grep -q 'and 59 more of the same cause' <(begins --group 1h -o short)
check "no group is behind the last" test -z "$(begins --after-cursor "$(tail -n 1 "$work/groups.json" | jq -r .__CURSOR)" 2>/dev/null)"
middle=$(sed -n 30p "$work/each.json" | jq -r .__CURSOR)
check "behind a cursor" test "$(begins --after-cursor "$middle" | wc -l)" -eq 31
check "from there on" cmp <(tail -n 31 "$work/each.json") <(begins --after-cursor "$middle")
refuses() { ! "$bin/driftd" events "$@" >/dev/null 2>"$work/err"; }
check "no cursor" refuses --after-cursor nothing
check "is said" grep -q 'is not a cursor' "$work/err"
check "no time" refuses --group soon
check "not backwards" refuses --group 5s --reverse

# ---- killed between what is gathered and what is told ----

kill -KILL -- "-${pid[notify]}"
wait "${pid[notify]}" 2>/dev/null || true
unset "pid[notify]"
for ((n = 10; n < 70; n++)); do api PATCH $maps/sized-$n '{"data":{"size":"3"}}' helm; done
ended() { [ "$("$bin/driftd" events --event drift-end -o json | grep -c ConfigMap)" -eq 60 ]; }
wait_until 60 "all to end" ended
start_notify
all_ended() { [ "$(told end ConfigMap)" -eq 60 ]; }
wait_until 60 "what came meanwhile to be told" all_ended
check "and nothing twice" all_told
kill -TERM -- "-${pid[notify]}"
wait "${pid[notify]}" || true
unset "pid[notify]"
stop driftd || fail "driftd did not end cleanly"
