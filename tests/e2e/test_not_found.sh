#!/usr/bin/env bash
# A 404 that does not come from the API: of a load balancer, of a server that starts. No object and no kind has gone because of it.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"

plain='"status":404,"body":"404 page not found\n"'
page='"status":404,"contentType":"text/html","body":"<html>No such host</html>"'
real='"status":404,"reason":"NotFound","message":"the server could not find the requested resource"'

nothing_false() {
	[ -z "$(records '(.DRIFTD_EVENT | IN("begin", "change", "end")) and (.MESSAGE | startswith("gap") | not)')" ]
}
settled() { # every watch is open again
	[ "$(curl -sf --cacert "$ca" "$server/_apisim/stats" | jq .openWatches)" -ge "$watches" ]
}

# once WHAT FAULT: every kind gets it, once, in place of its watch
once() {
	control fault "{$2,\"verb\":\"watch\",\"count\":$watches}"
	control fault '{"action":"close-watches"}'
	wait_until 90 "$1: all watches" settled
	sleep 1
	check "$1: nothing is said" nothing_false
}
in_place_of_watches() {
	once "a plain 404" "$plain"
	once "a 404 with a page" "$page"
	once "a Status of a server that starts" "$real"
}
in_place_of_a_list() { # after an expired version
	control fault "{$plain,\"resource\":\"deployments.apps\",\"count\":3}"
	control fault '{"action":"expire"}'
	control fault '{"action":"close-watches"}'
	wait_until 90 "a 404 in place of a list: all watches" settled
	sleep 1
	check "a 404 in place of a list: nothing is said" nothing_false
}
for_long() { # for as long as it lasts it is a gap of that kind
	control fault "{$plain,\"resource\":\"deployments.apps\",\"count\":-1}"
	control fault '{"action":"close-watches","resource":"deployments.apps"}'
	wait_until 120 "the gap" has_record '.DRIFTD_KIND == "Deployment" and (.MESSAGE | startswith("gap begins") and contains("404"))'
	check "nothing is called missing" nothing_false
	control fault '{"action":"recover"}'
	wait_until 120 "its end" has_record '.DRIFTD_KIND == "Deployment" and (.MESSAGE | startswith("gap ends"))'
}

beside() { # beside COMMAND: with a server and a driftd of its own, which sees drift after all that
	start_shop
	start_driftd_ready
	watches=$(curl -sf --cacert "$ca" "$server/_apisim/stats" | jq .openWatches)
	check "there are watches" test "$watches" -gt 3
	"$1"
	set_team nobody
	wait_until 20 "drift after all that" begins '.DRIFTD_KIND == "Namespace"'
	check "and nothing else" record_count '.DRIFTD_EVENT == "begin" and (.MESSAGE | startswith("gap") | not)' 1
	stop driftd || fail "driftd did not end cleanly"
}
for what in in_place_of_watches in_place_of_a_list for_long; do aside "$what" beside "$what"; done
join_parts
