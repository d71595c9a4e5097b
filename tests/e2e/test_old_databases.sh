#!/usr/bin/env bash
# A database of every earlier version, as a driftd of that time left it when it was killed: what was open goes on under its id, is reported
# once only, and ends when it is repaired. tests/data/databases/README.md says how they were made.
. "$(dirname "$0")/lib.sh"
databases=$source_dir/tests/data/databases
maps=/api/v1/namespaces/shop/configmaps
command -v xz >/dev/null || skip "no xz"

# What was open when that driftd ended, by its records: one line each, KIND/NAME and the id.
open_by_records() {
	jq -rs 'map(select(.DRIFTD_DRIFT_ID)) | group_by(.DRIFTD_DRIFT_ID)[] | select(all(.DRIFTD_EVENT != "end")) | .[0] |
		"\(.DRIFTD_KIND)/\(.DRIFTD_NAME) \(.DRIFTD_DRIFT_ID)"' "$1" | sort
}
open_now() { # by the list of findings; its status says that there are some
	"$bin/driftd" drift list --socket "$work/socket" -o json 2>"$work/list.err.log" >"$work/list.json" || [ $? = 1 ]
	jq -r '.items[] | "\(.kind)/\(.name) \(.id)"' "$work/list.json" | sort
}
schema() { python3 -c 'import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute("PRAGMA user_version").fetchone()[0])' "$1"; }

begin_with() { # begin_with VERSION: its state and its objects; driftd is not started yet
	then=$work/then
	mkdir "$then"
	tar -xJf "$databases/v$1.tar.xz" -C "$then"
	check "the database is of version $1" test "$(schema "$then/state/driftd.db")" = "$1"
	cat >"$work/rules.yaml" <<-'Y'
		apiVersion: v1
		kind: ConfigMap
		namespace: shop
		rules:
		  - rule: "!('bad' in self.data)"
		    message: bad
	Y
	cluster=shop
	start_apisim --load "$then/objects.json"
	configure "$source_dir/examples/demo/reference" $'validation_rules: [rules.yaml]\ncontrol_socket: '$work/socket
	rm -r "$work/state" && mv "$then/state" "$work/state"
}
goes_on() { # goes_on VERSION: a part of its own
	begin_with "$1"
	start_driftd_ready
	open_by_records "$then/records" >"$work/expected"
	check "some were open" test "$(wc -l <"$work/expected")" -ge 5
	wait_until 20 "what was open to be open" eval 'open_now >"$work/now" && cmp "$work/expected" "$work/now"'
	check "nothing is reported a second time" record_count '.DRIFTD_EVENT == "begin" or .DRIFTD_EVENT == "end"' 0
	api DELETE $maps/bad-1
	set_team storefront
	wait_until 20 "the ends" record_count '.DRIFTD_EVENT == "end"' 2
	check "they end under their ids" diff <(grep -E '/(bad-1|shop) ' "$work/expected") \
		<(records '.DRIFTD_EVENT == "end"' | jq -r '"\(.DRIFTD_KIND)/\(.DRIFTD_NAME) \(.DRIFTD_DRIFT_ID)"' | sort)
	api POST $maps "$(configmap bad-9 shop '{"bad":"1"}')" setup
	wait_until 20 "a new one" begins '.DRIFTD_NAME == "bad-9"'
	stop driftd || fail "driftd did not end cleanly"
	check "the database is of today's version" test "$(schema "$work/state/driftd.db")" = "$now"
}

# What was accepted then, before there were acceptances of rules, holds under its id; and so do those of today beside it.
keeps_accepted() { # keeps_accepted VERSION: a part of its own
	local id
	begin_with "$1"
	id=$(python3 - "$work/state/driftd.db" <<-'P'
		import hashlib, json, sqlite3, sys
		says = {"kind": "ConfigMap", "namespace": "shop", "name": "any-*", "reason": "of then", "owner": "kim"}
		about = ["cluster", "reference", "apiVersion", "kind", "namespace", "name", "component", "template", "path", "value"]
		text = "".join(("+" + says[name] if name in says else "-") + "\n" for name in about)
		number = hashlib.sha256(text.encode()).hexdigest()[:16]
		with sqlite3.connect(sys.argv[1]) as database:
		    database.execute("INSERT INTO acceptance VALUES (?, ?)", (number, json.dumps(says)))
		print(number)
	P
	)
	start_driftd_ready
	accepted() { "$bin/driftd" accept list --socket "$work/socket" -o json | jq -r '.items[] | "\(.id) \(.accepted.reason)"' | sort; }
	violations() { # violations COUNT
		[ "$({ "$bin/driftd" drift list --socket "$work/socket" --type validation -o json || true; } | jq '.items | length')" = "$1" ]
	}
	check "it is accepted: $(accepted)" test "$(accepted)" = "$id of then"
	wait_until 20 "the violations of then" violations 5
	check "a violation is" "$bin/driftd" accept configmap shop/bad-2 --rule '*bad*' --reason "of today" --owner kim --socket "$work/socket"
	wait_until 20 "which ends" violations 4
	accepted >"$work/before"
	stop driftd KILL || true
	start_driftd_ready
	check "both are after kill -9" diff "$work/before" <(accepted)
	wait_until 20 "as before" violations 4
	check "that of then is taken back by its id" "$bin/driftd" unaccept "$id" --socket "$work/socket"
	check "and that of today stays" test "$(accepted | cut -d' ' -f2-)" = "of today"
	stop driftd || fail "driftd did not end cleanly"
}

now=$(sed -n 's/.*PRAGMA user_version = \([0-9]*\).*/\1/p' "$source_dir/daemon/store/database/database.c" | sort -n | tail -n 1)
for ((version = 1; version < now; version++)); do
	check "there is a database of version $version" test -s "$databases/v$version.tar.xz"
	aside "v$version" goes_on "$version"
done
for version in 4 $((now - 1)); do aside "accepted-v$version" keeps_accepted "$version"; done
join_parts
