#!/usr/bin/env bash
# An object that ends the process costs an error finding, and no circle of restarts. No object of ours does: the page says that one did,
# as it is left behind (daemon/watch/process/crash_marker.c).
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"

reference "$work/reference" allOf map.yaml
template "$work/reference/map.yaml" v1 ConfigMap "$any_name" d <<<'data: {v: "1"}'
cat >"$work/rules.yaml" <<-EOF
	apiVersion: v1
	kind: Secret
	rules:
	- rule: "!('v' in self.data)"
	EOF
start_apisim
api POST /api/v1/namespaces "$(object v1 Namespace d "")" setup
api POST /api/v1/namespaces/d/configmaps "$(configmap bad d '{"v":"2"}')" setup
api POST /api/v1/namespaces/d/configmaps "$(configmap good d '{"v":"2"}')" setup
api POST /api/v1/namespaces/d/secrets "$(secret bad d '{"v":"Mg=="}')" setup
uid() { get "/api/v1/namespaces/d/$1/bad" | jq -r .metadata.uid; }

version() { get "/api/v1/namespaces/d/$1/bad" | jq -r .metadata.resourceVersion; }

# leave SIGNAL SECONDS KIND PLURAL: what a driftd leaves that ended with the object "bad" of this kind in hand, as it is now; the page must
# be there
leave() {
	python3 - "$work/state/in-hand" "$cluster" "$1" "$2" "$3" "$(uid "$4")" "$(version "$4")" <<-'EOF'
		import struct, sys
		path, cluster, number, seconds, kind, uid, version = sys.argv[1:]
		with open(path, "r+b") as f:
		    assert f.read(8) == b"driftd3\0"
		    f.write(struct.pack("<IiII", 1, int(number), int(seconds), 0))
		    for text in (cluster, "v1", kind, "d", "bad", uid, version):
		        f.write(text.encode().ljust(256, b"\0"))
	EOF
}
error='.DRIFTD_NAME == "bad" and (.MESSAGE | contains("ended driftd"))'
next_life() { # next_life SIGNAL SECONDS KIND PLURAL
	: >"$work/records"
	leave "$@"
	start_driftd_ready
}

configure "$work/reference" "validation_rules: [$work/rules.yaml]"
start_driftd_ready
wait_until 20 "the drift of both" record_count '.MESSAGE | startswith("drift begins")' 2
wait_until 20 "the rule violation" begins '.DRIFTD_KIND == "Secret"'
check "turns of the loop are measured" test "$(metric driftd_loop_turn_seconds_count)" -gt 0
stop driftd || fail "driftd did not end cleanly"

next_life 6 0 ConfigMap configmaps
wait_until 20 "an error in place of a verdict" begins "$error and .DRIFTD_KIND == \"ConfigMap\" and .DRIFTD_REFERENCE != null"
api PATCH /api/v1/namespaces/d/configmaps/good '{"data":{"v":"3"}}' kubectl-edit
wait_until 20 "the others are judged" changes '.DRIFTD_NAME == "good"'
check "this one is not" record_count '.DRIFTD_NAME == "bad"' 1
check "one error" metric_is "$(of_cluster driftd_evaluation_errors_current)" 1
stop driftd KILL || true

: >"$work/records" # the page is kept, and so is what was told
start_driftd_ready
check "nothing is told again" record_count '.DRIFTD_NAME == "bad"' 0
api PATCH /api/v1/namespaces/d/configmaps/bad '{"data":{"v":"3"}}' kubectl-edit
wait_until 20 "a newer version is judged again" changes '.DRIFTD_NAME == "bad" and (.MESSAGE | contains("-> \"3\""))'
wait_until 20 "the end of the error" ends '.DRIFTD_NAME == "bad" and (.MESSAGE | startswith("error ends"))'
api DELETE /api/v1/namespaces/d/configmaps/bad
wait_until 20 "the end of the drift" ends '.DRIFTD_NAME == "bad" and (.MESSAGE | startswith("drift ends"))'
stop driftd || fail "driftd did not end cleanly"

next_life 0 20 Secret secrets # no template is for it; whoever ended it did so because it took so long
wait_until 20 "an error under its own name" begins "$error and .DRIFTD_KIND == \"Secret\""
api PATCH /api/v1/namespaces/d/configmaps/good '{"data":{"v":"4"}}' kubectl-edit
wait_until 20 "the others are judged" changes '.DRIFTD_NAME == "good"'
check "what was said of it stays" record_count '.DRIFTD_KIND == "Secret"' 1
stop driftd || fail "driftd did not end cleanly"

: >"$work/records" # it was stopped in good order: it is tried again
start_driftd_ready
wait_until 20 "the end of the error" ends '.DRIFTD_KIND == "Secret" and (.MESSAGE | startswith("error ends"))'
check "the rule violation is still the same" record_count '.DRIFTD_KIND == "Secret"' 1
stop driftd KILL || true

# kill -9 by hand meets an object by chance, even twice the same; only who sees that memory ran out knows that it was no hand.
for life in 1 2; do
	next_life 0 0 Secret secrets
	check "no object is blamed for kill -9, life $life" record_count '.MESSAGE | startswith("error")' 0
	stop driftd KILL || true
done
mkdir "$work/manager"
export STATE_DIRECTORY=$work/manager
stop_post=$(sed -n 's/^ExecStopPost=-//p' "$source_dir/systemd/driftd.service" | sed 's/\$\$/$/g') # as systemd reads it
says() { # says RESULT: what the unit has its manager write
	SERVICE_RESULT=$1 bash -c "$stop_post" || fail "the unit's ExecStopPost"
	check "what the manager says is written down" grep -qx "$1" "$work/manager/ended"
}
for result in signal oom-kill; do
	: >"$work/records"
	leave 0 0 Secret secrets
	says $result
	kill -STOP "${pid[apisim]}" # nothing is judged in this life
	start_driftd
	check "what the manager says is about one end" test ! -e "$work/manager/ended"
	check "nobody is blamed after one end by $result" record_count '.MESSAGE | startswith("error")' 0
	stop driftd KILL || true
	kill -CONT "${pid[apisim]}"
done
says oom-kill
next_life 0 0 Secret secrets
error_of_memory="$error and .DRIFTD_KIND == \"Secret\" and (.MESSAGE | contains(\"no memory\"))"
wait_until 20 "who is in hand twice when memory runs out is blamed" begins "$error_of_memory"
api PATCH /api/v1/namespaces/d/secrets/bad '{"data":{"v":null}}' kubectl-edit
wait_until 20 "until it changes" ends '.DRIFTD_KIND == "Secret" and (.MESSAGE | startswith("error ends"))'
wait_until 20 "and is judged" ends '.DRIFTD_KIND == "Secret" and (.MESSAGE | startswith("rule violation ends"))'
stop driftd || fail "driftd did not end cleanly"
