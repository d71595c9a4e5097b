#!/usr/bin/env bash
# A reference in a repository of git: a commit is fetched, rehearsed, told and in force; findings name it; a broken one, one that would
# bring too much and a history that was rewritten leave what is in force; what an administrator says about it; kill -9 at any moment.
# KILLS: how many.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/published.sh"
kills=${KILLS:-12}

make_repository
first=$head
start_git_server
start_apisim --load "$source_dir/examples/demo/cluster.json"
configure_source "git: $git_url/shop.git
branch: main
path: shop
interval: 10s
ca_file: $work/cert.pem
hold_above: 3"

# ---- before anything was fetched ----

start_driftd
wait_until 20 "a gap while nothing is there" gap_record begin "no object is compared with reference shop"
check "it is absent" stands absent
check "the cluster waits for it" test "$(curl -s "$web/-/ready" | grep -c 'waits for its references')" = 1
check "nothing is told of objects" drift_count begin 0
start_fetch
wait_until 60 "the first revision" in_force "$first"
wait_until 30 "the end of the gap" has_record \
	'.DRIFTD_EVENT == "end" and .DRIFTD_REFERENCE == "shop" and (.MESSAGE | startswith("gap ends"))'
wait_until 60 "driftd to be ready" ready
check "it is told" told_of current ".DRIFTD_REFERENCE_REVISION == \"$first\""
wait_until 60 "all to be synced" all_synced

# ---- a commit ----

want_team warehouse
commit "Another team has the shop"
push
wait_until 60 "a commit to be in force by itself" in_force "$head"
wait_until 30 "what it changes to be told" has_record ".DRIFTD_REFERENCE_REVISION == \"$head\" and .DRIFTD_KIND == \"Namespace\""
check "it is told with its commit" told_of current ".DRIFTD_REFERENCE_REVISION_BEFORE == \"$first\" and
	(.DRIFTD_COMMIT | tostring | contains(\"Ada Lovelace: Another team has the shop\")) and (.MESSAGE | contains(\"1 begin\"))"
second=$head

# ---- one that cannot be loaded ----

echo '{{ if }}' >"$repository/shop/web-config.yaml"
commit "A slip of the pen"
push
update
wait_until 60 "the mistake" stands broken
check "what was in force stays so" reference_is ".inForce.revision == \"$second\""
check "it is told with its place" told_of broken '.MESSAGE | contains("shop/web-config.yaml:1") or contains("web-config.yaml:1")'
check "nothing ends by it" drift_count end 0
g revert --no-edit HEAD
head=$(git -C "$repository" rev-parse HEAD)
push
update
wait_until 60 "it to be mended" in_force "$head"

# ---- one that would bring too much ----

for file in web-deployment web-service web-config default-deny; do
	sed -i 's/^metadata:$/&\n  annotations: {wanted: "yes"}/' "$repository/shop/$file.yaml"
done
before=$head
commit "Annotations that nobody has"
push
update
wait_until 60 "it to be held" stands held
check "what was in force stays so" reference_is ".inForce.revision == \"$before\" and .next.revision == \"$head\""
check "it says how much it would bring" reference_is '.begins >= 4'
check "the metric says so" metric_is 'driftd_reference_held{reference="shop"}' 1
check "it is told once" record_count '.DRIFTD_REFERENCE_STANDING == "held"' 1
stop driftd
ended=$(date +%s)
start_driftd
wait_until 60 "it to be held after a restart" stands held
check "since before it" reference_is "(.since | fromdateiso8601) <= $ended"
check "by what was in force" reference_is ".inForce.revision == \"$before\""
check "it is not told again" record_count '.DRIFTD_REFERENCE_STANDING == "held"' 1
check "somebody accepts it" "$bin/driftd" reference accept shop
wait_until 60 "it to be in force" in_force "$head"
wait_until 60 "what it brings" has_record '.DRIFTD_KIND == "Service" and .DRIFTD_EVENT == "begin"'

# ---- back, pinned, and on ----

check "back to the one before" "$bin/driftd" reference rollback shop
wait_until 60 "the one before, pinned" reference_is ".standing == \"pinned\" and .inForce.revision == \"$before\""
wait_until 60 "what it brought to end" has_record '.DRIFTD_KIND == "Service" and .DRIFTD_EVENT == "end"'
stop driftd
start_driftd
wait_until 60 "it to be pinned after a restart" reference_is ".standing == \"pinned\" and .inForce.revision == \"$before\""
check "by its name" "$bin/driftd" reference pin shop "${head:0:10}"
wait_until 60 "the other one, pinned" reference_is ".standing == \"pinned\" and .inForce.revision == \"$head\""
check "let go" "$bin/driftd" reference unpin shop
wait_until 60 "it to be current" in_force "$head"

# ---- a history that is rewritten ----

before=$head
g reset -q --hard "$second"
commit "Something else"
push --force
update
wait_until 60 "a rewritten history to be held" stands held
check "it says why" reference_is '.why | tostring | contains("rewritten")'
check "what was in force stays so" reference_is ".inForce.revision == \"$before\""
commit "One more on top, which does not make it right"
push
update
wait_until 60 "what follows to be held, too" reference_is ".standing == \"held\" and .next.revision == \"$head\""
check "and what was in force stays so" reference_is ".inForce.revision == \"$before\""
check "somebody accepts it" "$bin/driftd" reference accept shop
wait_until 60 "it to be in force" in_force "$head"

# ---- a source that is away ----

stop gitd || true
update
wait_until 60 "the failure" reference_is '.failure.reason == "unreachable"'
check "what is in force stays so" reference_is ".inForce.revision == \"$head\" and .standing == \"current\""
check "it is counted" reference_is '.failures.unreachable >= 1'
: >"$work/gitd.log"
start_git_server
sed -i "s|git: .*|git: $git_url/shop.git|" "$work/driftd.yaml"
check "another address" "$bin/driftd" reload
want_team packing
commit "One more team"
push
wait_until 60 "it to be fetched from there" in_force "$head"

# ---- a store that is lost ----

begins_before=$(jq -s '[.[] | select(.DRIFTD_EVENT == "end" and .DRIFTD_KIND == "Namespace")] | length' "$work/records")
stop driftd
stop fetch || true
rm -r "$work/store"
start_driftd
wait_until 60 "it to be absent" stands absent
wait_until 60 "a gap that says so" reference_is '.inForce == null'
check "what is open of it does not end" test "$begins_before" = \
	"$(jq -s '[.[] | select(.DRIFTD_EVENT == "end" and .DRIFTD_KIND == "Namespace")] | length' "$work/records")"
start_fetch
wait_until 60 "it to be there again" in_force "$head"

# ---- kill -9 ----

whole() { # the state has a revision that is whole, and is one that was committed
	local id
	id=$(jq -r .inForce "$work/state/references/shop.json")
	[ -s "$work/store/revisions/$id/revision.json" ] &&
		grep -qxF "$(jq -r .revision "$work/store/revisions/$id/revision.json")" "$work/commits"
}
git -C "$repository" log --all --format=%H >"$work/commits"
for i in $(seq "$kills"); do
	want_team "team-$i"
	commit "Team $i"
	echo "$head" >>"$work/commits"
	push
	update || true
	sleep "$((SRANDOM % 2)).$((SRANDOM % 10))"
	victim=fetch
	[ $((SRANDOM % 2)) = 0 ] || victim=driftd
	stop $victim KILL || true
	check "a whole one is in force after kill -9 of $victim" whole
	if [ $victim = fetch ]; then start_fetch; else start_driftd; fi
done
wait_until 120 "the last commit to be in force after all that" in_force "$head"
wait_until 60 "the finding to name it" has_record ".DRIFTD_REFERENCE_REVISION == \"$head\" and .DRIFTD_KIND == \"Namespace\""
swept() { test -z "$(ls -A "$work/store/tmp")"; } # what is being fetched is there for a moment
wait_until 60 "nothing to be left in the store's tmp" swept

# ---- what has to be signed from now on ----

command -v ssh-keygen >/dev/null || { echo "skipped: signatures, there is no ssh-keygen"; exit 0; }
carry() { "$bin/driftd" reference "$1" shop "$work/unsigned.tar.zst" --store "$work/store"; }
check "what nobody has signed is exported" carry export
want_team nobody
commit "Nobody has the shop"
push
update
wait_until 60 "one more" in_force "$head"
ssh-keygen -q -t ed25519 -N '' -f "$work/signing"
echo "ada@example.com $(cut -d' ' -f1-2 "$work/signing.pub")" >"$work/signers"
sed -i "s|^      interval: 10s|&\n      verify: {allowed_signers: $work/signers}|" "$work/driftd.yaml"
check "signatures are asked for" "$bin/driftd" reload
wait_until 60 "the verification to fail" reference_is '.failure.reason == "verification"'
check "what is in force stays so" reference_is ".inForce.revision == \"$head\""
stop fetch || true
check "an unsigned one is carried in" carry import
start_fetch
wait_until 60 "that to be seen" reference_is '.next.id != null'
sleep 3
reference_json || fail "how it stands"
check "what is in force stays so" reference_is ".inForce.revision == \"$head\""
g config gpg.format ssh
g config user.signingkey "$work/signing"
g commit -q --allow-empty -S -m "Signed"
head=$(git -C "$repository" rev-parse HEAD)
push
update
wait_until 60 "a signed one" in_force "$head"
check "it says by whom" reference_is '.inForce.signer == "ada@example.com"'
