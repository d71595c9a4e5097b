#!/usr/bin/env bash
# An object that ends the process costs an error finding, and no circle of restarts. No object of ours does: the page says that one did,
# as it is left behind (daemon/watch/in_hand.c).
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

# leave SIGNAL KIND UID: what a driftd leaves that ended with this object in hand; the page must be there
leave() {
	python3 - "$work/state/in-hand" "$cluster" "$@" <<-'EOF'
		import struct, sys
		path, cluster, number, kind, uid = sys.argv[1:]
		with open(path, "r+b") as f:
		    assert f.read(8) == b"driftd2\0"
		    f.write(struct.pack("<Ii", 1, int(number)))
		    for text in (cluster, "v1", kind, "d", "bad", uid, "1"):
		        f.write(text.encode().ljust(256, b"\0"))
	EOF
}
error='.DRIFTD_NAME == "bad" and (.MESSAGE | contains("ended driftd"))'
next_life() { # next_life SIGNAL KIND UID
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

next_life 6 ConfigMap "$(uid configmaps)"
wait_until 20 "an error in place of a verdict" begins "$error and .DRIFTD_KIND == \"ConfigMap\" and .DRIFTD_REFERENCE != null"
api PATCH /api/v1/namespaces/d/configmaps/bad '{"data":{"v":"3"}}' kubectl-edit
api PATCH /api/v1/namespaces/d/configmaps/good '{"data":{"v":"3"}}' kubectl-edit
wait_until 20 "the others are judged" changes '.DRIFTD_NAME == "good"'
check "this one is not, whatever becomes of it" record_count '.DRIFTD_NAME == "bad"' 1
check "one error" metric_is "$(of_cluster driftd_evaluation_errors_current)" 1
stop driftd KILL || true

: >"$work/records" # the page is kept, and so is what was told
start_driftd_ready
check "nothing is told again" record_count '.DRIFTD_NAME == "bad"' 0
api DELETE /api/v1/namespaces/d/configmaps/bad
wait_until 20 "the end of the error" ends '.DRIFTD_NAME == "bad" and (.MESSAGE | startswith("error ends"))'
wait_until 20 "the end of the drift" ends '.DRIFTD_NAME == "bad" and (.MESSAGE | startswith("drift ends"))'
stop driftd || fail "driftd did not end cleanly"

next_life 11 Secret "$(uid secrets)" # no template is for it
wait_until 20 "an error under its own name" begins "$error and .DRIFTD_KIND == \"Secret\""
api PATCH /api/v1/namespaces/d/configmaps/good '{"data":{"v":"4"}}' kubectl-edit
wait_until 20 "the others are judged" changes '.DRIFTD_NAME == "good"'
check "what was said of it stays" record_count '.DRIFTD_KIND == "Secret"' 1
stop driftd || fail "driftd did not end cleanly"

: >"$work/records" # it was stopped in good order: it is tried again
start_driftd_ready
wait_until 20 "the end of the error" ends '.DRIFTD_KIND == "Secret" and (.MESSAGE | startswith("error ends"))'
check "the rule violation is still the same" record_count '.DRIFTD_KIND == "Secret"' 1
api DELETE /api/v1/namespaces/d/secrets/bad
wait_until 20 "its end" ends '.DRIFTD_KIND == "Secret" and (.MESSAGE | startswith("rule violation ends"))'
stop driftd || fail "driftd did not end cleanly"

next_life 0 Secret x # kill -9, by chance
check "no object is blamed for it" record_count '.MESSAGE | startswith("error")' 0
stop driftd || fail "driftd did not end cleanly"
