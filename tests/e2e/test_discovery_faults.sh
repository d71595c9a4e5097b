#!/usr/bin/env bash
# Discovery that is stale, leaves something out or fails: nothing is called missing that only cannot be seen, and all is well when it is.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"

html='"status":200,"contentType":"text/html","body":"<html>Sign in</html>"'

# What each case does to discovery from the start (options of the simulator, a fault), and what the gap must say.
cases() {
	cat <<T
a group that is stale||"action":"stale","group":"apps"|
a group that is stale and empty||"action":"stale","group":"apps","resources":false|apps/v1
a version whose document fails|--no-aggregated-discovery|"path":"/apis/apps/v1","verb":"get","status":503|apps/v1
all groups but the core group||"path":"/apis","verb":"get","status":503,"body":"no healthy upstream"|503 Service Unavailable
a page of a proxy in place of the groups||"path":"/apis","verb":"get",$html|cannot be watched
T
}

false_record() { # anything but gaps and notices
	has_record '(.DRIFTD_EVENT | IN("begin", "change", "end")) and (.MESSAGE | startswith("gap") | not)'
}
nothing_false() { ! false_record; }
gap() { has_record "(.MESSAGE | startswith(\"gap $1\")) and (.MESSAGE | contains(\"$2\"))"; } # gap begins|ends TEXT

from_the_start() { # from_the_start WHAT OPTIONS FAULT TEXT
	start_shop ${2:+$2}
	control fault "{$3,\"count\":-1}"
	start_driftd
	if [ -n "$4" ]; then
		wait_until 40 "$1: the gap" gap begins "$4"
	else
		wait_until 40 "$1: driftd to be ready" ready
		check "$1: no gap" record_count '.MESSAGE | startswith("gap")' 0
	fi
	check "$1: nothing false" nothing_false
	control fault '{"action":"recover"}'
	wait_until 100 "$1: driftd to be ready" ready
	[ -z "$4" ] || wait_until 40 "$1: the end of the gap" gap ends ""
	check "$1: nothing false when it is over" nothing_false
	stop driftd || fail "driftd did not end cleanly"
	stop apisim || fail "the simulator did not end cleanly"
}

n=0
while IFS='|' read -r what options fault text; do
	n=$((n + 1))
	aside "case-$n" from_the_start "$what" "$options" "$fault" "$text"
done < <(cases)

# ---- in the middle: watches that work say what there is, whatever discovery says; a definition makes driftd ask it again ----

turn=0
discovered() { # discovered WHAT FAULT: discovery is asked for again and gets the fault, and nothing is said
	local before=$discoveries
	control fault "{$2,\"count\":-1}"
	turn=$((turn + 1))
	api POST $crds "$(crd Cluster "Thing$turn" "things$turn" e2e.example.com '{"type":"object"}' v1)"
	wait_until 40 "$1: discovery to be asked" asked_again "$before"
	sleep 1
	check "$1: nothing is said" nothing_false
	control fault '{"action":"recover"}'
	count_discoveries
}
count_discoveries() {
	discoveries=$(curl -sf --cacert "$ca" "$server/_apisim/stats" |
		jq '[.requests[] | select(.verb == "get" and .resource == "") | .count] | add')
}
asked_again() { count_discoveries; [ "$discoveries" -ge $(($1 + 2)) ]; }

in_the_middle() {
	cp -r "$source_dir/examples/demo/reference" "$work/reference"
	template "$work/reference/widget.yaml" e2e.example.com/v1 Widget "$any_name" "" <<<'spec: {size: 3}'
	add_part widgets anyOf widget.yaml
	start_shop
	configure "$work/reference"
	start_driftd_ready
	count_discoveries
	discovered "a group that is left out" '"action":"hide","group":"apps"'
	discovered "a group that is stale and empty" '"action":"stale","group":"apps","resources":false'
	discovered "groups that fail" '"path":"/apis","verb":"get","status":503'
	discovered "a page of a proxy" "\"path\":\"/api\",\"verb\":\"get\",$html"
	set_team nobody
	wait_until 20 "drift after all that" begins '.DRIFTD_KIND == "Namespace"'
	check "and nothing else" record_count '.DRIFTD_EVENT == "begin"' 1
	stop driftd || fail "driftd did not end cleanly"
}
aside middle in_the_middle
join_parts
