#!/usr/bin/env bash
# driftd reference, and whatever else shows references that are published elsewhere: one that is not there yet, comes, is held back,
# accepted, broken, rolled back, pinned, let go, and whose source fails. driftd-fetch is played by published.py.
. "$(dirname "$0")/lib.sh"
for tool in jq curl python3; do command -v $tool >/dev/null || skip "no $tool"; done
export DRIFTD_SOCKET=$work/control.sock

driftd() { # driftd STATUS ARGUMENTS...: of driftd, into $work/out and $work/err.txt
	local status=0
	"$bin/driftd" "${@:2}" >"$work/out" 2>"$work/err.txt" || status=$?
	check "driftd ${*:2} ends with $1: $status, $(cat "$work/out" "$work/err.txt")" [ "$status" = "$1" ]
}
says() { check "it says $1: $(cat "$work/out" "$work/err.txt")" grep -Eq -e "$1" "$work/out" "$work/err.txt"; }
silent() { check "it does not say $1: $(cat "$work/out")" test "$(grep -Ec -e "$1" "$work/out")" = 0; }
publish() { "$here/published.py" --request "$work/state/sources.json" "${options[@]}" "$work/store" base "$@" >"$work/published"; }
stands() { [ "$("$bin/driftd" reference show base -o json | jq -r .standing)" = "$1" ]; }
held_is() { [ "$("$bin/driftd" reference show base -o json | jq -r 'select(.standing == "held") | .next.revision')" = "$1" ]; }
in_force() { [ "$("$bin/driftd" reference show base -o json | jq -r '.inForce.revision // ""')" = "$1" ]; }
first=$(printf 1%.0s {1..40}) second=$(printf 2%.0s {1..40}) third=$(printf 3%.0s {1..40}) fourth=$(printf 4%.0s {1..40})
commit() { jq -nc --arg id "$1" --arg author "$2" --arg subject "$3" '{id: $id, author: $author, subject: $subject, time: 1700000000}'; }

start_apisim --load "$source_dir/examples/demo/cluster.json"
mkdir "$work/state" "$work/store"
cp -r "$source_dir/examples/demo/reference" "$work/reference"
cat >"$work/driftd.yaml" <<Y
clusters: [{name: shop, kubeconfig: $work/kubeconfig}]
references:
  - name: base
    path: metadata.yaml
    source: {git: "https://git.example.com/base.git?token=canary-of-a-password", branch: main, hold_above: 0}
sources_dir: $work/store
state_dir: $work/state
control_socket: $DRIFTD_SOCKET
flapping: {changes: 0}
Y
start_driftd

# ---- nothing is there yet ----

driftd 1 reference list
says '^base +absent +git https://git\.example\.com/base\.git\?\*\*\*$'
driftd 1 reference list -o wide
says 'no object is compared with it$'
driftd 0 reference show base
says '^Fetched: +never'
driftd 1 status
says '^reference base, absent: no revision of it is in force yet'
wait_until 20 "that to be a gap" gap_record begin 'no object is compared with reference base, which is not there'
driftd 1 drift list
says 'nothing of reference base is in force yet'
driftd 1 reference accept base
says 'driftd says: .*\(409\)'
driftd 1 reference rollback base
driftd 1 reference update base --wait --timeout 1s
says 'base: it was not fetched in time; does driftd-fetch run\?'

# ---- it comes, and a later one is held back ----

options=(--revision "$first" --title v1 --signer ada@example.com --log "[$(commit "$first" Ada Begin)]")
publish "$work/reference"
wait_until 30 "the first revision" stands current
wait_until 60 "the cluster to be judged" all_synced
driftd 0 reference list --no-headers
says '^base +current +111111111111 '
driftd 0 reference update
says '^base: is to be fetched$'
publish
driftd 0 reference update base &
updating=$!
while kill -0 "$updating" 2>/dev/null; do publish; done # whenever it is that driftd asks for it
wait "$updating"
driftd 0 status

sed -i 's/team: storefront/team: other/' "$work/reference/namespace.yaml"
hostile=$'<script>\e[2J'
log=$(commit "$third" "$hostile" "set password=correct-horse-battery"),$(commit "$second" Grace "Another team"),$(commit "$first" Ada Begin)
options=(--revision "$third" --log "[$log]")
publish "$work/reference"
wait_until 60 "it to be held back" stands held
check "what was in force stays so" in_force "$first"
driftd 1 reference list -o wide
says '^base +held +111111111111 .* 333333333333 +revision 333333333333 waits for driftd reference accept base 333333333333: more than 0'
driftd 0 reference show base
says '^Changes: +1 '
says '^  333333333333 .*<script> '
says '^  222222222222 .* Grace +Another team$'
silent '^  111111111111'
silent 'correct-horse'
check "nothing moves the cursor" test "$(grep -c $'\e' "$work/out")" = 0
driftd 0 status
says '^reference base, held: revision 333333333333 waits'
check "it is counted as held" metric_is 'driftd_reference_held{reference="base"}' 1
check "which is in force" metric_is "driftd_reference_revision_info{reference=\"base\",revision=\"$first\",kind=\"git\"}" 1
curl -sf "$web/" >"$work/page.html"
check "the page has it" grep -q 'a new revision waits for driftd reference accept' "$work/page.html"
curl -sf "$web/api/v1/references/base" >"$work/anybody.json"
check "authors are not for everybody" jq -e '[.. | .author?, .subject?, .signer? | values] == []' "$work/anybody.json"
check "all else is" jq -e '.standing == "held" and .inForce.title == "v1" and (.next.commits | length) == 2 and .next.leadsOn' \
	"$work/anybody.json"

# ---- who may say so ----

code() { curl -s -o "$work/answer.json" -w '%{http_code}' "$@"; }
json='Content-Type: application/json'
check "not over the network" test "$(code -X POST -H "$json" "$web/api/v1/references/base/accept")" = 403
check "not by a form" test "$(code --unix-socket "$DRIFTD_SOCKET" -X POST -d a=b "http://localhost/api/v1/references/base/accept")" = 415
check "no such reference" test "$(code "$web/api/v1/references/other")" = 404
check "not by looking" test "$(code "$web/api/v1/references/base/accept")" = 405
check "none of these has changed anything" stands held

# ---- only what was looked at ----

driftd 1 reference accept base 33333333333
says '12 digits are needed\.? *\(400\)'
driftd 1 reference accept base v1
says '\(400\)'
driftd 1 reference accept base 222222222222
says 'another revision is held by now, 333333333333: look at that first \(409\)'
cp -r "$work/reference" "$work/later"
sed -i 's/team: other/team: third/' "$work/later/namespace.yaml"
options=(--revision "$fourth" --title v1)
publish "$work/later"
wait_until 60 "what was pushed meanwhile to be held" held_is "$fourth"
driftd 1 reference accept base "$third"
says 'another revision is held by now, 444444444444: .*\(409\)'
check "nothing that was not looked at is accepted" in_force "$first"
driftd 1 reference accept base "sha256:$third"
options=(--revision "$third" --log "[$log]")
publish "$work/reference"
wait_until 60 "it to be held again" held_is "$third"
driftd 0 reference accept base 333333333333
says '^base: current, in force is 333333333333$'
driftd 1 reference accept base 333333333333
says 'no revision of it is held \(409\)'
wait_until 20 "what it finds" begins '.DRIFTD_KIND == "Namespace"'

# ---- one that cannot be loaded ----

cp -r "$work/reference" "$work/broken"
echo 'part: []' >>"$work/broken/metadata.yaml"
sed -i 's/^parts:/partz:/' "$work/broken/metadata.yaml"
options=(--revision "$fourth")
publish "$work/broken"
wait_until 60 "it to be refused" stands broken
driftd 1 reference list -o wide
says ' 444444444444 +revision 444444444444 cannot be loaded'
driftd 0 reference show base
says 'metadata\.yaml:[0-9]+:1: .*unknown field "part"'
driftd 0 status
says '^reference base, broken: '
check "what was in force stays so" in_force "$third"

# ---- back, and on ----

driftd 0 reference rollback base
says '^base: pinned, in force is 111111111111$'
driftd 0 reference list
wait_until 20 "the end of what the other found" ends '.DRIFTD_KIND == "Namespace"'
driftd 1 reference pin base 5555
says '\(404\)'
driftd 0 reference pin base 3333
says '^base: pinned, in force is 333333333333$'
driftd 1 reference pin base 4444
says 'cannot be loaded'
check "a pin to what cannot be loaded changes nothing" in_force "$third"
sleep 1.5 # of what is pinned only the request failed, and that stays known
check "which stays known" test "$(curl -sf "$web/api/v1/references/base" | jq -r '.standing, (.notDone | length > 0)')" = $'pinned\ntrue'
driftd 0 reference pin base
options=(--revision "$first" --title v1 --signer ada@example.com --log "[$(commit "$first" Ada Begin)]")
publish "$source_dir/examples/demo/reference"
driftd 0 reference list
check "what is published under a pin is not taken" in_force "$third"
driftd 0 reference unpin base
wait_until 60 "what is published to be in force again" in_force "$first"
driftd 1 reference unpin base

# ---- what is in force is loaded once ----

mv "$work/store/revisions" "$work/store/away"
loaded=$(metric driftd_config_last_reload_success_timestamp_seconds)
reloaded() { ! metric_is driftd_config_last_reload_success_timestamp_seconds "$loaded"; }
driftd 0 reload
wait_until 60 "the reload" reloaded
check "it is not read again" in_force "$first"
mv "$work/store/away" "$work/store/revisions"

# ---- a source that fails ----

options=(--failure verification --message 'no good signature' --age 7200)
publish
wait_until 20 "the failure to be known" metric_is 'driftd_reference_fetch_failures_total{reference="base",reason="verification"}' 1
driftd 1 reference list -o wide
says 'the last try to fetch it failed \(verification\): no good signature; nothing was fetched for 120 minutes'
driftd 0 status
says '^reference base, current: nothing was fetched for 120 minutes'
options=()
publish
wait_until 20 "that to be over" "$bin/driftd" reference list

# ---- mistakes ----

driftd 1 reference show other
driftd 1 reference update base other
for words in '' frob show 'show a b' accept 'accept a b c' 'pin a b c' "unpin ''" 'list x' 'list --wait' 'show base --timeout 1s' \
	'update --wait --timeout soon' 'list -o xml'; do
	eval "set -- $words"
	driftd 2 reference "$@"
done
driftd 2 reference list --socket "$work/nothing.sock"

curl -sf "$web/metrics" >"$work/metrics.txt"
curl -sf --unix-socket "$DRIFTD_SOCKET" http://localhost/api/v1/references >"$work/references.json"
curl -sf --unix-socket "$DRIFTD_SOCKET" http://localhost/api/v1/status >"$work/status.json"
no_secret canary-of-a-password -- "$work"/{metrics.txt,references.json,status.json,page.html,records}
stop driftd || fail "driftd did not end cleanly"
