#!/usr/bin/env bash
# driftd record as a program: the file that it makes and refuses to replace, what is in it and what is not, how it ends; and replays of what
# was cut short or lacks kinds.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"

python3 "$here/canary.py" make "$work" # objects with markers where nothing may be shown, references and rules
start_apisim --load "$work/objects.json"
configure "$work/reference" "sensitive_fields: [pin, vault]
validation_rules: [$work/rules.yaml]"
out=$work/stream
lines() { grep -cF "\"e\":\"$1\"" "$out"; } # lines EVENT: how many the recording has
every_kind_listed() { [ "$(lines synced)" -gt 0 ] && [ "$(lines synced)" -eq "$(lines watch)" ]; }
exits() { # exits STATUS COMMAND...
	local status=0
	"${@:2}" >"$work/printed" 2>"$work/said.log" || status=$?
	[ $status -eq "$1" ] || fail "${*:2} ended with $status"
	checks=$((checks + 1))
}
record() { "$bin/driftd" record -c "$work/driftd.yaml" "$@"; }
record_lists() { # record_lists [OPTION...]: until every kind is listed
	[ ! -e "$out" ] || : >"$out" # it is looked at while it is made
	start recorder "$bin/driftd" record -c "$work/driftd.yaml" -o "$out" "$@"
	wait_until 30 "every kind to be listed" every_kind_listed
	stop recorder TERM || fail "the recorder did not end cleanly"
}
replay() { "$bin/driftd" replay -c "$work/driftd.yaml" -o json "$@"; }

record_lists
check "its mode is 0600" test "$(stat -c %a "$out")" = 600
check "every line is JSON" jq -e . "$out"
check "it ends with its end" grep -q '^{"e":"end"' <(tail -n 1 "$out")
check "no state is kept" test -z "$(ls "$work/state")"
python3 "$here/canary.py" look "$work" "$out" >"$work/leaks.log" || fail "secrets in the recording"
check "what may be shown is in it: else nobody looked" grep -qF QzShowngreeting "$out"
exits 0 replay "$out"
python3 "$here/canary.py" look "$work" "$work/printed" >"$work/leaks.log" || fail "secrets in what the replay prints"
check "digests of shapes are hidden as well" sh -c '! grep -F driftd-hidden- "$0"' "$work/printed"

exits 1 record -o "$out" --duration 1s
check "it says how to replace the file" grep -q -- --force "$work/said.log"
record_lists --force --raw
check "it warns" grep -q "the values of Secrets as they are" "$work/recorder.log"
check "a raw recording is raw" jq -es '.[0].raw' "$out"
check "and has the values" grep -qF QzCanary "$out"
exits 2 record --cluster nobody -o "$work/none"
exits 2 record --duration soon
exits 2 replay
exits 78 "$bin/driftd" replay -c "$work/objects.json" "$out"
exits 1 replay "$work/objects.json"

# kill -9
rm "$out"
start recorder "$bin/driftd" record -c "$work/driftd.yaml" -o "$out"
wait_until 30 "every kind to be listed" every_kind_listed
stop recorder KILL || true
printf '{"e":"obj' >>"$out"
exits 1 replay "$out"
check "a recording that was killed is told as damaged" grep -q "cut short" "$work/said.log"

# a kind of the new references that was not recorded
exits 0 record -o "$out" --duration 1s --force
record_lists --force
cat >"$work/more.yaml" <<'Y'
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
rules:
  - rule: "true"
Y
sed -i "s|^validation_rules.*|validation_rules: [$work/rules.yaml, $work/more.yaml]|" "$work/driftd.yaml"
exits 0 replay "$out"
check "the summary says so" grep -q "1 kinds were not recorded" "$work/said.log"
check "and a gap does" jq -es 'any(.[]; .DRIFTD_KIND == "ClusterRole" and (.MESSAGE | startswith("gap begins")))' "$work/printed"
