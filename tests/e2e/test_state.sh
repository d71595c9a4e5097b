#!/usr/bin/env bash
# driftd state: what is open and what waits to be told goes into two folders, which together have exactly that, and back into one; whoever
# goes on there repeats nothing and loses nothing. An import ends whole or not at all, also by kill -9 and on a full disk.
. "$(dirname "$0")/journal.sh"
maps=/api/v1/namespaces/shop/configmaps
many=60

cat >"$work/rules.yaml" <<'Y'
apiVersion: v1
kind: ConfigMap
namespace: shop
rules:
  - rule: "!('bad' in self.data)"
    message: bad
---
apiVersion: v1
kind: ConfigMap
namespace: shop
for: 1h
rules:
  - rule: "!('late' in self.data)"
    message: late
Y
exported() { # exported DIR [ARGUMENT...]: to DIR.export
	"$bin/driftd" state export --state-dir "$@" -o "$1.export" 2>"$work/state.err.log" || fail "export of $1: $(cat "$work/state.err.log")"
}
imported() { # imported DIR ARGUMENT...
	mkdir -p "$1"
	"$bin/driftd" state import --state-dir "$@" 2>"$work/state.err.log" || fail "import into $1: $(cat "$work/state.err.log")"
}
refused() { # refused STATUS TEXT ARGUMENT...: of "driftd state"
	local status=0
	"$bin/driftd" state "${@:3}" >/dev/null 2>"$work/state.err.log" || status=$?
	[ $status = "$1" ] && grep -qF "$2" "$work/state.err.log" || { echo "status $status: $(cat "$work/state.err.log")" >&2; return 1; }
}
# content FILE: its lines, but for the first and the last; and for what is about the process itself, which is the shard's from then on: that
# the journal is away, after a while
content() { grep -vE '^\{"(driftdState|end)":|"kind":"\(driftd\)"|\\u001f\(driftd\)\\u001f' "$@" | LC_ALL=C sort; }
of_each() { content "$1" | grep -vE '^\{"(seen|acceptance|rule)":'; } # of_each FILE: what is not every shard's
same() { diff <(content "$1") <(content "$2"); }
transitions() { journal DRIFTD_EVENT="$1" | jq -r '.DRIFTD_DRIFT_ID' | sort; } # transitions EVENT: the ids

# ---- an outbox that is not empty: the journal is away ----

start_journald
start_shop
configure "$source_dir/examples/demo/reference" "validation_rules: [rules.yaml]"
start_driftd_ready journal
stop_journald KILL
for ((i = 0; i < many; i++)); do api POST $maps "$(configmap "bad-$i" shop '{"bad":"1"}')" setup; done
api POST $maps "$(configmap late shop '{"late":"1"}')" setup
set_team away
is_waiting() { [ "$(metric driftd_records_waiting)" -ge $many ]; }
wait_until 30 "records to wait" is_waiting
check "the folder is in use" refused 1 'in use by another driftd; stop it first' export --state-dir "$work/state"
sleep 1 # all is committed
stop driftd KILL || true

exported "$work/state"
check "it is the owner's only" test "$(stat -c %a "$work/state.export")" = 600
check "what is open is in it" test "$(grep -c '^{"finding":' "$work/state.export")" -ge $((many + 2))
check "what waits is in it" test "$(grep -c '^{"record":' "$work/state.export")" -ge $((many + 2))
check "what is held is in it" grep -q '"deferred":true,"dueUsec":[1-9]' "$work/state.export"

# ---- in two, and back ----

for shard in 0 1; do
	imported "$work/shard-$shard" --shard $shard --total-shards 2 "$work/state.export"
	exported "$work/shard-$shard"
	check "shard $shard has something" test "$(grep -c '^{"finding":' "$work/shard-$shard.export")" -gt 5
	check "the key goes with it" cmp "$work/state/hash.key" "$work/shard-$shard/hash.key"
done
check "the two are what there was" diff <(of_each "$work/state.export") \
	<(cat <(of_each "$work/shard-0.export") <(of_each "$work/shard-1.export") | LC_ALL=C sort)
imported "$work/one" "$work/shard-0.export" "$work/shard-1.export"
exported "$work/one"
check "and so is one again" same "$work/state.export" "$work/one.export"
imported "$work/one" "$work/shard-1.export" "$work/state.export" "$work/shard-0.export"
exported "$work/one"
check "whatever comes again" same "$work/state.export" "$work/one.export"
"$bin/driftd" state export --state-dir "$work/one" 2>/dev/null |
	"$bin/driftd" state import --state-dir "$state" - 2>"$work/state.err.log" ||
	fail "through a pipe: $(cat "$work/state.err.log")"
exported "$state"
check "also through a pipe" same "$work/state.export" "$state.export"
"$bin/driftd" state export --state-dir "$work/one" -o - >"$work/through.export" 2>/dev/null || fail "export to standard output"
check "which - is too" same "$work/one.export" "$work/through.export"
check "but not of an import" refused 2 'of no use to an import' import --state-dir "$work/one" -o - "$work/one.export"
mkfifo "$work/pipe"
cat "$work/pipe" >"$work/through.export" &
timeout 20 "$bin/driftd" state export --state-dir "$work/one" -o "$work/pipe" 2>"$work/state.err.log" ||
	fail "export to a pipe: $(cat "$work/state.err.log")"
wait $!
check "one with a name stays a pipe" test -p "$work/pipe"
check "and has all of it" same "$work/one.export" "$work/through.export"

# ---- whoever goes on there ----

start_journald
mv "$work/state" "$work/before"
mv "$work/one" "$work/state"
api DELETE "$maps/bad-0"
start_driftd_ready journal
is_told() { [ "$(transitions begin | wc -l)" -ge $((many + 1)) ]; }
wait_until 60 "what waited to be told" is_told
wait_until 30 "what was over meanwhile" eval '[ "$(transitions end | wc -l)" -ge 1 ]'
set_team storefront
wait_until 30 "an end" eval '[ "$(transitions end | wc -l)" -ge 2 ]'
sleep 2
check "each once" test -z "$(transitions begin | uniq -d)" -a -z "$(transitions end | uniq -d)"
check "and no more" test "$(journal DRIFTD_EVENT=change | wc -l)" = 0
check "those that waited under the ids they had" diff <(transitions begin) \
	<(grep '^{"finding":' "$work/state.export" | grep -v '"late' | jq -r 'select(.finding.is.name != "late") | .finding.is.id' | sort)
stop driftd || fail "driftd did not end cleanly"
exported "$work/state"
check "an old file is refused" refused 1 'force imports it all the same' import --state-dir "$work/state" "$work/one.export"
imported "$work/state" --force "$work/one.export"
exported "$work/state"
check "what is over stays over, also when an old file comes" test "$(grep -c '^{"finding":.*"bad-0"' "$work/state.export")" = 0

# ---- whole or not at all ----

mkdir "$work/killed" && killed=0
for ((i = 1; i <= 12; i++)); do
	rm -rf "$work/killed" && mkdir "$work/killed"
	"$bin/driftd" state import --state-dir "$work/killed" "$work/one.export" 2>/dev/null &
	importing=$!
	sleep "0.0$((i * 7))"
	kill -KILL $importing 2>/dev/null && killed=$((killed + 1))
	wait $importing 2>/dev/null || true
	if "$bin/driftd" state export --state-dir "$work/killed" -o "$work/killed.export" 2>/dev/null; then
		[ "$(content "$work/killed.export" | wc -l)" = 0 ] || same "$work/one.export" "$work/killed.export" ||
			fail "killed after 0.0$((i * 7)) s: a part is there"
	fi
done
check "some were killed" test $killed -gt 0
imported "$work/killed" "$work/one.export"
exported "$work/killed"
check "and it can be done again" same "$work/one.export" "$work/killed.export"

check "and nothing of those that were killed is left" test -z "$(find "$work" -maxdepth 1 -name 'killed.export.*')"

mkdir "$work/cut" && status=0 # the limit of a file's size ends it in the midst of its file
(ulimit -c 0 -f 64 && exec "$bin/driftd" state export --state-dir "$work/killed" -o "$work/cut/x") 2>"$work/state.err.log" || status=$?
check "an export above the limit of a file's size fails" test $status -eq 1
check "in one line: $(cat "$work/state.err.log")" test "$(grep -c "^driftd state: write .*: File too large$" "$work/state.err.log")" = 1
check "and nothing of it is left" test -z "$(ls "$work/cut")"

mkdir -p "$work/full" && mount -t tmpfs -o size=160k tmpfs "$work/full"
check "a full disk" refused 1 'driftd state:' import --state-dir "$work/full" "$work/one.export"
check "of an export" refused 1 'No space left' export --state-dir "$work/killed" -o "$work/full/x"
check "leaves no part" test ! -e "$work/full/x" -a -z "$(find "$work/full" -name 'x.*')"
mount -o remount,size=8M "$work/full"
imported "$work/full" "$work/one.export"
exported "$work/full"
check "room helps" same "$work/one.export" "$work/full.export"
umount "$work/full"

# ---- what is not an export ----

head -n 20 "$work/one.export" >"$work/short.export"
check "one that breaks off" refused 1 "'$work/short.export': line 21: the file breaks off" \
	import --state-dir "$work/killed" "$work/short.export"
sed '0,/"announced":true/s//"announced":false/' "$work/one.export" >"$work/other.export"
check "one that somebody changed" refused 1 'what is above it is not what was exported' \
	import --state-dir "$work/killed" "$work/other.export"
head -c 40000000 /dev/zero | tr '\0' x >"$work/long.export"
check "a long line" refused 1 "line 1: larger than" import --state-dir "$work/killed" "$work/long.export"
check "a folder" refused 1 "Is a directory" import --state-dir "$work/killed" "$work"
check "nothing" refused 1 "No such file" import --state-dir "$work/killed" "$work/nothing"
exported "$work/killed"
check "none of them is imported" same "$work/one.export" "$work/killed.export"

# ---- of an older version, and for another account ----

cp -r "$work/before" "$work/older" && python3 - "$work/older/driftd.db" <<'P'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("ALTER TABLE outbox DROP COLUMN hold_usec")
db.execute("DROP INDEX outbox_urgent")
db.execute("DROP TABLE unwatched") # and the dictionaries, without which what is packed by now could not be read
for column in "type", "resource", "reference", "manager", "cause", "reason", "lasted_usec":
    db.execute(f"ALTER TABLE history DROP COLUMN {column}")
db.execute("PRAGMA user_version = 6")
db.commit()
P
exported "$work/older"
as_older() { # as_older FILE: without what that version did not keep
	content "$1" | jq -cS 'select(has("unwatched") | not) | del(.. | .holdUsec?) |
		if has("history") then .history |= del(.type, .resource, .reference, .manager, .cause, .reason, .lastedUsec) else . end' | LC_ALL=C sort
}
check "of an older version" diff <(as_older "$work/one.export") <(as_older "$work/older.export")
mkdir "$work/account" && chown 65534:65534 "$work/account"
imported "$work/account" "$work/one.export"
check "root imports for the folder's owner" test -z "$(find "$work/account" ! -uid 65534)"
