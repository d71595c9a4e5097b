#!/usr/bin/env bash
# What somebody has to agree to never comes into force without that: not by a restart, not by a file of driftd or of driftd-fetch that is
# lost, damaged or no file, not by an edit of the configuration, not while nothing can be written. driftd-fetch is played by published.py.
. "$(dirname "$0")/lib.sh"
for tool in jq curl python3; do command -v $tool >/dev/null || skip "no $tool"; done
export DRIFTD_SOCKET=$work/control.sock

publish() { # publish NAME REVISION [FOLDER] [OPTIONS...]
	"$here/published.py" --request "$work/state/sources.json" --revision "$2" "${@:4}" "$work/store" "$1" ${3:+"$3"} >"$work/published" ||
		fail "publish $1"
}
of() { "$bin/driftd" reference show "$1" -o json >"$work/$1.json" 2>"$work/$1.log" || [ -s "$work/$1.json" ]; }
is() { of "$1" && jq -e "$2" "$work/$1.json"; } # is NAME JQ-FILTER
stands() { is "$1" ".standing == \"$2\" and (.inForce.revision // \"\") == \"$3\""; } # stands NAME STANDING REVISION-IN-FORCE
reference() { "$bin/driftd" reference "$@" >"$work/answer.txt" 2>&1; }
reload() { "$bin/driftd" reload >"$work/reload.txt" 2>&1; }
held() { # held WHAT: the second revision of base waits, and the first one is in force
	wait_until 20 "it to be held: $1" stands base held "$first"
	sleep 1.5 # the next look at what was fetched
	check "it stays so: $1" stands base held "$first"
}
first=$(printf 1%.0s {1..40}) second=$(printf 2%.0s {1..40}) third=$(printf 3%.0s {1..40})
choice=$work/state/references/base.json

start_apisim --load "$source_dir/examples/demo/cluster.json"
mkdir "$work/state" "$work/store"
cp -r "$source_dir/examples/demo/reference" "$work/one"
cp -r "$work/one" "$work/two"
sed -i 's/team: storefront/team: other/' "$work/two/namespace.yaml"
cat >"$work/driftd.yaml" <<Y
clusters: [{name: shop, kubeconfig: $work/kubeconfig}]
references:
  - name: base
    path: metadata.yaml
    source: {git: "https://git.example.com/base.git", branch: main, hold_above: 0}
  - name: loose
    path: metadata.yaml
    source: {git: "https://git.example.com/loose.git", branch: main}
sources_dir: $work/store
state_dir: $work/state
control_socket: $DRIFTD_SOCKET
flapping: {changes: 0}
Y

# ---- the first one counts when that is kept ----

mkdir -p "$choice.new/in" # nothing can be written
start_driftd
wait_until 20 "driftd to ask" test -s "$work/state/sources.json"
publish base "$first" "$work/one"
publish loose "$first" "$work/one"
wait_until 20 "that it cannot be kept" has_record '.MESSAGE | contains("reference base: which revision is in force cannot be kept")'
stop driftd
start_driftd
wait_until 20 "that it still cannot be" record_count '.MESSAGE | contains("reference base: which revision is in force cannot be kept")' 2
check "nothing is in force that would be forgotten" is base '.inForce == null'
rm -r "$choice.new"
wait_until 60 "the first one" stands base current "$first"
wait_until 60 "the first one of the other" stands loose current "$first"
check "it is kept" test -s "$choice"
check "it is told once" record_count ".DRIFTD_REFERENCE == \"base\" and .DRIFTD_REFERENCE_STANDING == \"current\" and
	.DRIFTD_REFERENCE_REVISION == \"$first\"" 1
wait_until 60 "all to be judged" all_synced

# ---- held, and so after a restart, whatever it would change by then ----

publish base "$second" "$work/two"
held "it brings too much"
set_team other
wait_until 20 "the drift" begins '.DRIFTD_KIND == "Namespace"'
stop driftd
start_driftd
held "a restart, after which nothing begins by it"
check "it is told once" record_count '.DRIFTD_REFERENCE_STANDING == "held"' 1
check "what is in force counts" record_count '.DRIFTD_KIND == "Namespace" and .DRIFTD_EVENT == "end"' 0

# ---- the file that says what is in force, lost or damaged ----

for damage in 'rm FILE' ': >FILE' 'echo {} >FILE' 'echo "{\"inForce\":\"x\"}" >FILE' 'rm FILE && mkdir FILE' 'rm FILE && mkfifo FILE'; do
	stop driftd || fail "driftd did not end cleanly"
	cp "$choice" "$work/choice"
	(cd "$work/state/references" && eval "${damage//FILE/base.json}")
	start_driftd
	held "$damage"
	check "it is said: $damage" has_record '.MESSAGE | contains("reference base: ") and contains("lost")'
	[ ! -d "$choice" ] || rmdir "$choice"
	wait_until 20 "it to be kept again: $damage" jq -e '.inForce != "" and .held' "$choice"
done
stop driftd
start_driftd
held "one more restart"

# ---- the same while driftd runs ----

mkdir -p "$choice.new/in" # nothing can be written
rm "$choice"
sleep 1.5
echo "# edited" >>"$work/driftd.yaml"
check "a reload while nothing can be kept" reload
held "a reload while nothing can be kept"
rm -r "$choice.new"
wait_until 20 "it to be kept again" test -s "$choice"
for obstacle in mkdir mkfifo; do
	$obstacle "$choice.new" "$work/state/sources.json.new"
	check "pinned, with an obstacle of $obstacle" reference pin base
	reference unpin base || true # it is held
	check "it is kept" jq -e '.pinned | not' "$choice"
	check "driftd-fetch is asked" reference update base
	check "in a file that is replaced whole" test ! -e "$work/state/sources.json.new"
	held "an obstacle of $obstacle"
done

# ---- an edit by which its signature does not count ----

cp "$work/driftd.yaml" "$work/unsigned.yaml"
sed -i '/base.git/s|hold_above|verify: {allowed_signers: /etc/driftd/nobody}, &|' "$work/driftd.yaml"
check "signatures are asked for" reload
check "what nobody has signed is not accepted" test "$(reference accept base && echo taken)" = ""
check "it says why" grep "not signed" "$work/answer.txt"
check "nor pinned" test "$(reference pin base "$second" && echo taken)" = ""
check "what is in force stays so" is base ".inForce.revision == \"$first\""
rm "$work/store/sources/base/status.json" # nobody knows as what it was fetched
publish base "$third" "$work/two" --signer ada@example.com --unsaid
sleep 2.5
check "what is in force stays so without a status" is base ".inForce.revision == \"$first\" and .standing != \"held\""
cp "$work/unsigned.yaml" "$work/driftd.yaml"
check "signatures are not asked for" reload
wait_until 20 "one by which nothing begins" stands base current "$third"

# ---- the store is lost, and something else comes ----

wait_until 20 "the other one" stands loose current "$first"
stop driftd
rm -r "$work/store"
mkdir "$work/store"
start_driftd
publish loose "$second" "$work/two"
wait_until 20 "it to be held, because nobody knows what it comes after" is loose '.standing == "held" and .inForce == null'
check "it says why" is loose '.why | tostring | contains("lost")'
check "somebody accepts it" reference accept loose
check "it is in force" stands loose current "$second"
publish base "$third" "$work/two" --signer ada@example.com
wait_until 20 "what was in force is there again" is base ".inForce.revision == \"$third\""

# ---- damaged, and mended ----

file=$(readlink -f "$work/store/sources/base/current")/files/namespace.yaml
stop driftd
cp "$file" "$work/whole"
echo "# more" >>"$file"
start_driftd
wait_until 20 "what was damaged not to count" is base '.inForce == null and .standing == "broken"'
cp "$work/whole" "$file"
publish base "$third"
wait_until 20 "it to count when it is mended" stands base current "$third"

# ---- broken by what the entry says ----

mkdir "$work/moved"
cp -r "$work/one" "$work/moved/sub"
publish base "$second" "$work/moved"
wait_until 20 "it to be broken" stands base broken "$third"
sed -i 's|path: metadata.yaml|path: sub/metadata.yaml|' "$work/driftd.yaml"
check "the entries are edited" reload
reloaded='(.MESSAGE | startswith("configuration reloaded") and contains("references that are absent"))'
wait_until 20 "the reload, by which nothing is there" has_record "$reloaded"
check "it waits for nothing that does not come" record_count "$reloaded and (.MESSAGE | contains(\"takes long\"))" 0
wait_until 20 "it to be tried again" is base '.standing == "held"'
check "somebody accepts it" reference accept base
check "it is in force" stands base current "$second"
stop driftd || fail "driftd did not end cleanly"
