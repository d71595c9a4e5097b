#!/usr/bin/env bash
# Hosts without a hash_key_file agree over etcd on the key by which they recognise values: what one has told, with hidden values too, no
# other tells again, whatever key it had before; an etcd that has lost all gets the key again, and one that has no key of theirs stops them.
shares_key=1
. "$(dirname "$0")/leader.sh"
password=pw-$RANDOM-$RANDOM
objects=8 namespaces=1
template "$work/reference/map.yaml" v1 ConfigMap "$any_name" "$any_namespace" <<<'data: {v: "1", password: right}'
set_passwords() { # set_passwords VALUE COUNT: of the first objects
	jq -nc --argjson n "$2" --arg v "$1" '{apiVersion: "v1", kind: "List", items: [range($n) |
		{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "m-\(.)", namespace: "n-0"}, data: {v: "1", password: $v}}]}' >"$work/objects.json"
	request -X POST "$server/_apisim/load" --data-binary "@$work/objects.json" -o /dev/null || fail "load"
}
tells() { [ "$(of "$1" 'driftd_leader_phase{phase="telling"}')" = 1 ]; }
one_tells() { one_leads && tells "$leader"; }
key_of() { od -An -vtx1 "$work/state-$1/hash.key" | tr -d ' \n'; } # key_of HOST: in hexadecimal digits
base64_of() { base64 -w0; }
etcd_key() { # of PREFIX/hash_key; nothing: there is none
	etcd_curl "$etcd_url/v3/kv/range" -d "{\"key\":\"$(printf /test/hash_key | base64_of)\"}" | jq -r '.kvs[0].value // "" | @base64d'
}
put() { # put: PREFIX/hash_key from standard input
	{
		printf '{"key":"%s","value":"' "$(printf /test/hash_key | base64_of)"
		base64_of
		printf '"}'
	} >"$work/put.json"
	etcd_curl "$etcd_url/v3/kv/put" --data-binary "@$work/put.json" -o /dev/null
}
same_keys() { # same_keys HOST HOST: and etcd has the same
	cmp -s "$work/state-$1/hash.key" "$work/state-$2/hash.key" && [ "$(key_of "$1")" = "$(etcd_key)" ]
}
events() { cat "$work"/records-* | jq -r 'select(.DRIFTD_DRIFT_ID and .DRIFTD_EVENT == "'"$1"'") | .DRIFTD_DRIFT_ID'; }
nothing_again() { # nothing_again WHAT: each drift was told once, and none as changed
	right "$1"
	[ -z "$(events begin | sort | uniq -d)$(events change)" ] || fail "$1: something was told again"
}
swap() { old=$leader leader=$follower follower=$old; }
settled() { [ "$(of "$1" 'driftd_config_state{state="settled"}')" = 1 ]; }
change_leader() { # killed: the other tells, has judged again what it knew otherwise, and tells of something new behind all that
	stop "$leader" KILL || true
	swap
	wait_until $((2 * lease + 15)) "the other to tell" tells "$leader"
	wait_until 20 "it to be settled" settled "$leader"
	more=$((more + 1))
	set_passwords "$password" $more
	wait_until 20 "another drift" open $more
}

# ---- both at once, on an empty etcd: the first claim decides ----

set_passwords right $objects
host a
host b
wait_until 120 "both to be ready" eval 'is_ready a && is_ready b'
wait_until 30 "one to tell" one_tells
wait_until 20 "both to have one key" same_keys a b
more=3
set_passwords "$password" $more
wait_until 20 "drifts" open $more
check "their values are hidden" eval '! grep -q "$password" "$work"/records-*'
change_leader
nothing_again "a takeover"
causes() {
	cat "$work"/records-* | jq -r 'select(.DRIFTD_EVENT == "begin" and .DRIFTD_KIND == "ConfigMap") | .DRIFTD_CAUSE' | sort -u | wc -l
}
check "both call a cause the same" [ "$(causes)" = 1 ]

# ---- a host that has told by a key of its own, alone, of a cluster of the same name ----

cat >"$work/alone.yaml" <<Y
clusters: [{name: shared, kubeconfig: $work/kubeconfig}]
references: [{name: ref, path: $work/reference/metadata.yaml}]
state_dir: $work/state-c
control_socket: $work/c.sock
flapping: {changes: 0}
Y
mkdir "$work/state-c"
"$bin/driftd" run -c "$work/alone.yaml" -o json >"$work/alone.records" 2>"$work/alone.err.log" &
pid[alone]=$!
alone_has_told() { [ "$(grep -c '"DRIFTD_EVENT":"begin"' "$work/alone.records")" -ge $more ]; }
wait_until 60 "it to tell" alone_has_told
stop alone || fail "it did not end cleanly"
own=$(key_of c)
check "its key is another one" [ "$own" != "$(etcd_key)" ]
old=$leader
host c
wait_until 60 "it to be ready" is_ready c
wait_until 20 "it to have the key" same_keys "$leader" c
check "it knows its own still" grep -q "$own" <(od -An -vtx1 "$work/state-c/hash.old" | tr -d ' \n')
follower=c
change_leader
check "it leads" tells c
nothing_again "a takeover by a host that had another key"

# ---- the first host of an empty etcd keeps its key, and what it has told; the next one takes it over ----

stop c || fail "c did not end cleanly"
stop etcd || true
rm -rf "$work/etcd" "$work/state-a" "$work/state-b" "$work"/records-* "$work/state-c/leader"
start_etcd
key=$(key_of c)
host c
wait_until 60 "it to be ready" is_ready c
wait_until 40 "it to tell" tells c
check "its key is in etcd" [ "$(etcd_key)" = "$key" ]
check "it tells nothing again" [ -z "$(events begin)" ]
host a
wait_until 60 "the other to be ready" is_ready a
wait_until 20 "it to have the key" same_keys c a
leader=c follower=a
stop c KILL || true
wait_until $((2 * lease + 15)) "the other to tell" tells a
wait_until 20 "it to be settled" settled a
more=$((more + 1))
set_passwords "$password" $more
only_new() { [ "$(events begin | wc -l)" = 1 ]; }
wait_until 20 "what is new" only_new
check "and nothing else" [ -z "$(events change)$(events end)" ]

# ---- etcd loses all, while they run ----

host c
wait_until 60 "it to be ready" is_ready c
stop etcd || true
rm -rf "$work/etcd"
start_etcd
wait_until 60 "the key to be there again" eval '[ "$(etcd_key)" = "$key" ]'

# ---- what is no key of theirs: whoever leads goes on, whoever does not says why ----

wait_until 40 "one to tell" eval 'tells a && leader=a follower=c || { tells c && leader=c follower=a; }'
for value in "" 0123 "$key$key" "${key%?}" "${key%?}g" "$(printf '%s' "$key" | tr 0-9a-f 1-9a-f0)"; do
	printf '%s' "$value" | put
	wait_until 20 "'$value' to be refused" status_says "$follower" "/test/hash_key in etcd is no"
	check "the leader leads on" tells "$leader"
	printf '%s' "$key" | put
	wait_until 20 "the right one to count" eval '! status_says "$follower" "/test/hash_key"'
done
head -c 1400000 /dev/zero | put
wait_until 20 "what is too long to be refused" status_says "$follower" "/test/hash_key in etcd is no"
stop "$leader" KILL || true
sleep $((lease + 1)) # nothing may happen; the right key shows below that it could have
check "nobody leads with it" eval '! leads "$follower"'
printf '%s' "$key" | put
wait_until $((2 * lease + 15)) "the other to lead" tells "$follower"

# ---- the key is nowhere else ----

"$bin/driftd" status --socket "$work/$follower.sock" >"$work/status.txt" || true
curl -sf "http://127.0.0.1:${ports[$follower]}/metrics" -o "$work/metrics.txt"
curl -sf "http://127.0.0.1:${ports[$follower]}/status.json" -o "$work/status.json"
no_secret "$key" "$password" -- "$work"/records-* "$work/status.txt" "$work/metrics.txt" "$work/status.json" -- "$work"/*.err.log
stop "$follower" || fail "$follower did not end cleanly"
sed -i "s|https://|http://|" "$work/a.yaml"
"$bin/driftd" check-config -c "$work/a.yaml" >"$work/mistakes.log" 2>&1 && fail "a key over plain HTTP is accepted"
check "it says why" grep -q "without hash_key_file needs endpoints of https" "$work/mistakes.log"
