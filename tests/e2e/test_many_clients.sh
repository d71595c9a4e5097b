#!/usr/bin/env bash
# Pages, lists, groups and single findings, asked for by many at once while findings begin and end: what each gets is whole, in order and
# the same for all, whatever part of it is made on which turn of the loop; and what happens is told meanwhile.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"
many=${1:-1200}

reference "$work/reference" anyOf map.yaml+
template "$work/reference/map.yaml" v1 ConfigMap "$any_name" many <<<'data: {v: "1"}'
start_apisim
control generate "{\"resource\":\"configmaps\",\"namespace\":\"many\",\"prefix\":\"x-\",\"count\":$many,
	\"object\":{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"data\":{\"v\":\"2\"}}}"
configure "$work/reference" "control_socket: $work/control.sock"
start_driftd_ready
all_open() { [ "$(metric "$(of_cluster driftd_objects_drifted 'severity="warning"')")" = "$many" ]; }
wait_until 60 "all findings" all_open

ask() { # ask NAME PATH: ten times at once, into NAME-1, …
	local i asked=()
	for i in $(seq 10); do
		curl -sf -o "$work/$1-$i" "$web$2" &
		asked+=($!)
	done
	for i in "${asked[@]}"; do wait "$i" || fail "$1: an answer"; done
}
same() { # same NAME: the ten answers, but for what they say of the time
	local i
	for i in $(seq 2 10); do cmp "$work/$1-1" "$work/$1-$i" || return 1; done
}
listed() { jq -r '.items[].name' "$1"; } # listed FILE

# ---- nothing changes ----

ask list /api/v1/findings
ask named "/api/v1/findings?sort=name"
ask filtered "/api/v1/findings?name=x-1*&sort=field"
ask grouped "/api/v1/findings?group=cause"
ask page "/?sort=name&page=2&refresh=0"
for name in list named filtered grouped; do check "all get the same: $name" same $name; done
sizes=$(jq '[.count, (.items | length), ([.items[].id] | unique | length)] | unique | .[]' "$work/list-1")
check "the list has all" [ "$sizes" = "$many" ]
check "the oldest first" jq -e '[.items[].since] | . == sort' "$work/list-1"
check "by name" [ "$(listed "$work/named-1")" = "$(listed "$work/list-1" | LC_ALL=C sort)" ]
check "what is filtered" [ "$(listed "$work/filtered-1" | LC_ALL=C sort)" = "$(listed "$work/named-1" | grep '^x-1')" ]
check "one cause of all" [ "$(jq -c '[.count, (.items | length), .items[0].count]' "$work/grouped-1")" = "[$many,1,$many]" ]
rows() { grep -o '/findings/[0-9a-f]*' "$1" | sort -u; } # rows FILE
second=$(jq -r '.items[500:1000][] | "/findings/" + .id' "$work/named-1" | sort -u)
for i in $(seq 10); do check "the second page, $i" [ "$(rows "$work/page-$i")" = "$second" ]; done
ask last "/?sort=name&page=1000000&refresh=0"
last=$(jq -r --argjson from $(((many - 1) / 500 * 500)) '.items[$from:][] | "/findings/" + .id' "$work/named-1" | sort -u)
for i in $(seq 10); do check "the last page, $i" [ "$(rows "$work/last-$i")" = "$last" ]; done
id=$(jq -r '.items[7].id' "$work/list-1")
ask one "/api/v1/findings/${id:0:20}"
check "all get the finding" same one
check "it is the one" [ "$(jq -r .id "$work/one-1")" = "$id" ]
ask shown "/findings/$id"
check "its page" grep -qF "driftd drift show ${id:0:8}" "$work/shown-1"
status() { curl -s -o /dev/null -w '%{http_code}' "$web$1"; } # status PATH
check "no such id" [ "$(status /api/v1/findings/zzzz)" = 404 ]
check "an id that is too short" [ "$(status /api/v1/findings/abc)" = 400 ]
over_socket() { curl -sf --unix-socket "$work/control.sock" "http://localhost$1"; } # over_socket PATH
words() { over_socket "/api/v1/words?$1" | jq -c "$2"; }                           # words QUERY FILTER
check "words of findings" [ "$(words "of=name&beginning=x-1" '[.more, (.items | length)]')" = "$(
	n=$(listed "$work/list-1" | grep -c '^x-1'); [ "$n" -gt 200 ] && echo '[true,200]' || echo "[null,$n]")" ]
check "words of causes" [ "$(words of=cause '[.items[].word] | length')" = 1 ]
readarray -t names < <(listed "$work/named-1")
on_object() { over_socket "/api/v1/objects?kind=cm&name=${names[0]}" | jq -c '.items[0].findings'; }
check "what is open on an object" [ "$(on_object)" = "$(jq -c '[.items[0].id]' "$work/named-1")" ]

# ---- and while findings end and begin ----

going=("${names[@]:0:40}")
churn() { # they are as they should be, and again not
	local name v
	for name in "${going[@]}"; do
		for v in 1 2; do api PATCH "/api/v1/namespaces/many/configmaps/$name" "{\"data\":{\"v\":\"$v\"}}"; done
	done
}
stays=$(printf '%s\n' "${names[@]:40}")
churn &
churning=$!
for round in 1 2 3; do
	ask "moving-$round" "/api/v1/findings?sort=name"
	for i in $(seq 10); do
		file=$work/moving-$round-$i
		check "what stays is in each list" [ "$(listed "$file" | grep -vxF -f <(printf '%s\n' "${going[@]}"))" = "$stays" ]
		check "in order, each once" [ "$(listed "$file")" = "$(listed "$file" | LC_ALL=C sort -u)" ]
	done
done
wait $churning || fail "the changes"
wait_until 60 "all to be open again" all_open
told() { [ "$(records '.DRIFTD_EVENT == "end" and .DRIFTD_KIND == "ConfigMap"' | jq -r .DRIFTD_NAME | sort -u | wc -l)" -ge 1 ]; }
check "it is told meanwhile" told

# ---- a dry run, while lists are asked for ----

sed -i 's/v: "1"/v: "2"/' "$work/reference/map.yaml"
curl -sf --unix-socket "$work/control.sock" -X POST "http://localhost/api/v1/reload?dryRun=All" -o "$work/rehearsal" &
rehearsing=$!
ask beside "/api/v1/findings?sort=name"
wait $rehearsing || fail "the dry run"
check "the lists are as they were" [ "$(listed "$work/beside-3")" = "$(listed "$work/named-1")" ]
check "all would end" [ "$(jq -c '[.begin, .change, .end, .complete]' "$work/rehearsal")" = "[0,0,$many,true]" ]
stop driftd || fail "driftd did not end cleanly"
