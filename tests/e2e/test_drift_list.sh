#!/usr/bin/env bash
# The list as somebody asks it who knows kubectl: what is wrong in each row, names and filters, rows by their cause, words that nobody
# knows. Thirty objects that somebody changed alike, one otherwise, one that a reference wants and one that cannot be judged.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"
export DRIFTD_SOCKET=$work/control.sock
maps=/api/v1/namespaces/shop/configmaps

ask() { # ask STATUS ARGUMENTS: driftd ends with STATUS; output in $work/out and $work/err
	local wanted=$1 status=0
	shift
	"$bin/driftd" "$@" >"$work/out" 2>"$work/err" || status=$?
	[ "$status" -eq "$wanted" ] || { cat "$work/out" "$work/err" >&2; return 1; }
}
list() { ask "$1" drift list "${@:2}"; }
rows() { [ "$(grep -c . "$work/out")" -eq $(($1 + 1)) ] || { cat "$work/out" >&2; return 1; }; } # rows N: and the headings
says() { grep -qF -- "$1" "$work/out"; }                # says TEXT
complains() { grep -qF -- "$1" "$work/err"; }           # complains TEXT
names() { jq -r '.items[].name' "$work/out" | paste -sd' '; }

sized_reference '{size: "3", mode: "on"}'
start_shop
configure "$work/reference" "control_socket: $DRIFTD_SOCKET"
for ((n = 10; n < 40; n++)); do api POST $maps "$(configmap sized-$n shop '{"size":"5","mode":"on"}')" helm; done
api POST $maps "$(configmap sized-odd shop '{"size":"7","mode":"off"}')" kubectl-edit
api DELETE /api/v1/namespaces/shop/services/web
start_driftd_ready
set_team one
test_count() { [ "$("$bin/driftd" drift list -o name | wc -l)" -eq "$1" ]; }
wait_until 60 "33 findings" test_count 33

# ---- a row says what is wrong ----
check "the list" list 1
for text in 'data.size "3" -> "5"' 'data.mode "on" -> "off" and 1 more' 'metadata.labels.team "storefront" -> "one"' \
	"Missing CRs: Service shop/web (web-service.yaml)"; do
	check "it says: $text" says "$text"
done
check "as JSON" list 1 -o json
check "each finding" jq -e '[.items[] | select(.summary == null or .summary == "." or (.summary | length) > 240)] == []' "$work/out"
curl -sf "$web/api/v1/findings" >"$work/out"
check "values are for who is trusted" jq -e '[.items[] | select(.type == "drift") | .summary] | all(. == null)' "$work/out"
check "names are not secret" jq -e 'any(.items[]; .type == "component" and (.summary | startswith("Missing CRs: ")))' "$work/out"
curl -sf "$web/" >"$work/page.html"
check "nor in the page" test "$(grep -c '&quot;5&quot;\|"5"' "$work/page.html")" -eq 0

# ---- names ----
check "a short name" list 1 cm
check "its objects" rows 31
check "kinds" list 1 cm,ns
check "of both" rows 32
check "with what nobody watches" list 1 cm,pods
check "which is said" complains "no reference and no rule is about 'pods': it is not watched"
check "one object" list 1 cm/sized-odd
check "alone" rows 1
check "as two words" list 1 configmaps sized-odd
check "alike" rows 1
check "a pattern" list 1 cm 'sized-1*'
check "of ten" rows 10
check "a pattern behind a kind" list 1 'cm/sized-*'
check "of all" rows 31
check "all namespaces" list 1 -A
check "are listed anyway" rows 33

# ---- filters ----
check "a field" list 1 --field data.mode
check "in one" rows 1
check "a field above" list 1 --field data
check "in all" rows 31
check "no part of a word" list 0 --field dat
check "a writer" list 1 --by kubectl-edit
check "wrote one" rows 1
check "writers" list 1 --by 'kubectl*'
check "wrote two" rows 2
check "since" list 1 --since -1h
check "all" rows 33
check "from now on" list 0 --since now
check "an order" list 1 --sort-by name -o json cm
check "by name" test "$(names)" = "$(names | tr ' ' '\n' | sort | paste -sd' ')"

# ---- by their cause ----
check "groups" list 1 --group
check "four" rows 4
check "with a count" grep -qE 'warning +drift +30 +configmaps +shop/sized-[0-9]+ +data.size "3" -> "5" +helm' "$work/out"
biggest() { "$bin/driftd" drift list --group -o json | jq -r '.items | max_by(.count) | .cause' || true; }
cause=$(biggest)
check "one of them" list 1 --cause "${cause:0:8}"
check "opened" rows 30
check "as JSON" list 1 --group -o json
check "of its kind" jq -e '.kind == "FindingGroupList" and .count == 33 and ([.items[].count] | add) == 33' "$work/out"
check "with filters" list 1 --group --by helm
check "one" rows 1
curl -sf "$web/api/v1/findings?group=cause" >"$work/out"
check "over TCP without values" jq -e '(.items | length) == 4 and all(.items[]; .type == "component" or .summary == null)' "$work/out"

# ---- labels, as the objects have them now ----
for name in sized-11 sized-12 sized-odd; do
	api PATCH $maps/$name '{"metadata":{"labels":{"tier":"'"${name#sized-}"'","secret":"canary-label"}}}' kubectl-label
done
labelled() { [ "$("$bin/driftd" drift list -l tier -o name | wc -l)" -eq 3 ]; }
wait_until 30 "three labels" labelled
check "one of some" list 1 -l "tier in (11, odd)" --sort-by name -o json
check "these" test "$(names)" = "sized-11 sized-odd"
check "which are counted" jq -e '.count == 2 and .unknownLabels == 0' "$work/out"
check "not one" list 1 --selector 'tier,tier!=odd'
check "two" rows 2
check "without one" list 1 -l '!tier' cm
check "all others" rows 28
check "in groups" list 1 -l tier --group -o json
check "of those only" jq -e '.count == 3 and ([.items[].count] | add) == 3' "$work/out"
check "a label that none has" list 0 -l tier=none
check "in groups too" list 0 -l tier=none --group
check "of a component nobody has labels" list 0 --type component -l '!tier'
check "no selector" list 2 -l 'a=(b'
check "is told" complains "is no label selector"
check "not by trial" test "$(curl -s -o "$work/out" -w '%{http_code}' "$web/api/v1/findings?labels=secret%3Dcanary-label")" = 403
check "nor on the page" test "$(curl -s -o "$work/out" -w '%{http_code}' "$web/?labels=tier")" = 400

# ---- what becomes of it ----
generation=$(curl -sf "$web/api/v1/findings" | jq .generation)
check "nothing has changed" test "$(curl -sf "$web/api/v1/findings?after=$generation" | jq -r .kind)" = Unchanged
check "no generation" test "$(curl -s -o "$work/out" -w '%{http_code}' "$web/api/v1/findings?after=x")" = 400
start watched "$bin/driftd" drift list cm --watch -n shop
start watched_json "$bin/driftd" drift list cm -w -n shop -o json
start watched_groups "$bin/driftd" drift list cm -w -l '!tier' --group
start watched_names "$bin/driftd" drift list cm -w -o name
start watched_labels "$bin/driftd" drift list cm -w -l tier -o name
open_rows() { [ "$(grep -c "$1" "$work/$2.log")" -eq "$3" ]; }
begun() { open_rows '^open ' watched 31 && open_rows '"event":"open"' watched_json 31 && open_rows '^open ' watched_groups 1 &&
	open_rows '^open ' watched_names 31 && open_rows '^open ' watched_labels 3; }
wait_until 20 "what is open" begun
watched() { grep -Eq -- "$1" "$work/watched.log"; }
api PATCH $maps/sized-20 '{"data":{"size":"3"}}' helm
api PATCH $maps/sized-odd '{"data":{"size":"8"}}' kubectl-edit
wait_until 20 "the end of one" watched '^end .* sized-20 '
wait_until 20 "the change of another" watched '^change .* sized-odd '
wait_until 20 "one less of a cause" grep -Eq '^change .* 27 ' "$work/watched_groups.log"
kill -STOP "${pid[apisim]}" # no label is known until the objects are listed again
stop driftd || fail "driftd did not end cleanly"
start_driftd
not_known() { [ "$("$bin/driftd" drift list configmaps -l tier -o json | jq .unknownLabels || true)" -gt 0 ]; }
wait_until 20 "labels that are not known" not_known
sleep 3
kill -CONT "${pid[apisim]}"
wait_until 60 "driftd to be ready" ready
api PATCH $maps/sized-20 '{"data":{"size":"5"}}' helm
wait_until 30 "the same again after a restart" watched '^begin .* sized-20 '
check "that is all" test "$(grep -Ec '^(begin|change|end) ' "$work/watched.log")" -eq 3
check "under one heading" test "$(grep -c '^EVENT ' "$work/watched.log")" -eq 1
wait_until 20 "JSON to have it" grep -q '"event":"begin"' "$work/watched_json.log"
told() { grep '^{' "$work/watched_json.log" | jq -r 'select(.event != "open") | .event + " " + .finding.name' | sort; }
check "as JSON" test "$(told)" = $'begin sized-20\nchange sized-odd\nend sized-20'
wait_until 20 "the other forms to have it" grep -q '^begin ' "$work/watched_names.log"
check "each with an id" test "$(grep -Ec '^(end|change|begin) [0-9a-f]{32}$' "$work/watched_names.log")" -eq 3
check "no label is lost by a restart" test "$(grep -Ec '^(begin|end) ' "$work/watched_labels.log")" -eq 0
check "nor a cause" test "$(grep -Ec '^(begin|end) ' "$work/watched_groups.log")" -eq 0
for name in watched watched_json watched_groups watched_names watched_labels; do
	check "$name goes on" kill -0 "${pid[$name]}"
	stop $name || true
done
check "not of journals" list 2 -w -D "$work"

# ---- what nobody knows ----
check "a short name of what nobody watches" list 3 ing
check "is no mistake" complains "no reference and no rule is about 'ing': it is not watched"
check "a kind" list 2 engines
check "is a mistake" complains "no watched kind 'engines' is known"
check "and nothing else" test "$(grep -c 'nothing is open' "$work/err")" -eq 0
check "a kind that is near" list 2 configmpas
check "is told" complains "did you mean 'configmaps'?"
check "a kind of a server" list 3 pods
check "which nobody watches" complains "it is not watched"
check "a cluster" list 2 --cluster nowhere
check "is a mistake" complains "no cluster 'nowhere' is known"
check "a reference" list 2 --reference raf
check "is told" complains "did you mean 'ref'?"
check "a type" list 2 --type drfit
check "a namespace" list 3 -n shpo
check "is a note" complains "did you mean 'shop'?"
check "orders" list 2 --sort-by age
check "two names" list 2 cm/sized-odd more
check "an id" ask 2 drift show 00000000

# ---- from an id ----
id=$("$bin/driftd" drift list cm/sized-odd -o name || true)
check "explain it" ask 0 explain "${id:0:8}"
check "its object" says "configmaps shop/sized-odd in cluster"
check "explain as kubectl names it" ask 0 explain cm/sized-odd
check "and by a short name" ask 0 explain cm shop/sized-odd
check "explain nothing" ask 2 explain 00000000
component=$("$bin/driftd" drift list --type component -o name || true)
service=$("$bin/driftd" drift list ns/shop -o name || true)
check "accept one for a time" ask 0 accept "${service:0:8}" --reason "a test" --owner kim --for 30d
accepted() { [ "$("$bin/driftd" drift list ns/shop --type accepted -o name | wc -l)" -eq 1 ]; }
wait_until 30 "the acceptance" accepted
check "its list" ask 0 accept list -o json
check "has the field" jq -e '.items[0].accepted | .path == "metadata.labels.team" and .kind == "Namespace" and .name == "shop"' "$work/out"
check "and an end" jq -e '.items[0].accepted.until | fromdate | . > now + 29 * 86400 and . < now + 31 * 86400' "$work/out"
check "accept a component" ask 0 accept "$component" --reason "a test" --owner kim
test_open() { [ "$("$bin/driftd" drift list -o json | jq '[.items[] | select(.type != "accepted")] | length')" -eq "$1" ]; }
wait_until 30 "31 findings that are not accepted" test_open 31
check "no span" ask 2 accept "$id" --reason x --owner y --for soon
check "of nothing" ask 2 accept 00000000 --reason x --owner y

# ---- what it says outlives a restart ----
"$bin/driftd" drift list -o json | jq -S '[.items[] | {id, summary}] | sort' >"$work/before.json" || true
stop driftd || fail "driftd did not end cleanly"
start_driftd_ready
"$bin/driftd" drift list -o json | jq -S '[.items[] | {id, summary}] | sort' >"$work/after.json" || true
check "a restart" cmp "$work/before.json" "$work/after.json"
same() { [ "$(biggest)" = "$cause" ]; }
check "nor has the cause another name" same
