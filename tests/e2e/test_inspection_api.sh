#!/usr/bin/env bash
# The REST API of inspection rules: each verb and status over the socket, who may use it over the network, restarts, a full disk, abuse.
# What a sensitive rule holds is seen nowhere.
# In a mount namespace of its own, where that can be made: there /media is a small disk.
if [ -z "${API_INSIDE:-}" ]; then
	export API_INSIDE=none
	[ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null && API_INSIDE=yes exec unshare -m --propagation private "$0" "$@"
fi
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"
socket=$work/control.sock
rules=/v1/inspection_rules
action='{"op":"set-plugin-data","args":{"path":"a","value":1}}'
: "${web_port:=$(free_port)}"
client() { python3 "$here/inspection_api.py" "$socket" "$@" >"$work/client.log" 2>&1; }

start_shop
sed -i '/^state_dir/d' "$work/driftd.yaml"
state=$work/state
if [ "$API_INSIDE" = yes ]; then
	state=/media
	mount -t tmpfs -o size=96M tmpfs $state
fi
cat >>"$work/driftd.yaml" <<Y
state_dir: $state
control_socket: $socket
inspection_rules: {built_in: built-in.yaml}
Y
cat >"$work/built-in.yaml" <<'Y'
- {uuid: first-built-in, phase: early, actions: [{op: log, args: [m], level: debug}], conditions: [{op: is-true, args: [false]}]}
- {sensitive: true, scope: lab, actions: [{op: fail, args: {msg: HIDDEN-IN-FILE}}], conditions: [{op: eq, args: [HIDDEN-IN-FILE, 1]}]}
Y
run() { # run [OPTIONS...]
	"$bin/driftd" run -c "$work/driftd.yaml" -o json --web.listen-address "127.0.0.1:$web_port" "$@" >>"$work/records" \
		2>>"$work/driftd.err.log" &
	pid[driftd]=$!
	web=http://127.0.0.1:$web_port
	wait_until 20 "the socket" curl -sf --unix-socket "$socket" http://localhost/-/healthy
}
run

over_socket() { curl -s -m 20 --path-as-is --unix-socket "$socket" -D "$work/headers" -o "$work/answer" -w '%{http_code}' "$@"; }
ask() { # ask STATUS METHOD PATH [JSON [TYPE]]: over the socket; the answer in $work/answer, all answers in $work/answers
	local status
	: >"$work/answer"
	status=$(over_socket -X "$2" "http://localhost$3" ${4:+-H "Content-Type: ${5:-application/json}" -d "$4"})
	cat "$work/answer" "$work/headers" >>"$work/answers"
	[ "$status" = "$1" ] || fail "$2 $3 $(cut -c1-200 <<<"${4:-}"): $status, not $1: $(cat "$work/answer")"
	[ "$status" -lt 400 ] || jq -e '.error | type == "string"' "$work/answer" >/dev/null || fail "$2 $3: $status says $(cat "$work/answer")"
	checks=$((checks + 1))
}
says() { jq -e "$1" "$work/answer"; }
header() { grep -qix "$1" < <(tr -d '\r' <"$work/headers"); }

# ---- each verb and status ----

a=7f2b1c9e-1111-4222-8333-444455556666
ask 200 GET $rules
check "built-in rules only" says '[.inspection_rules[] | .built_in] == [true, true]'
ask 201 POST $rules "{\"actions\":[$action]}"
made=$(jq -r .uuid "$work/answer")
check "where it is" header "Location: $rules/$made"
check "with its defaults" says '.priority == 0 and .phase == "main" and .conditions == [] and .scope == null and .description == null and
	.sensitive == false and .built_in == false and .updated_at == null and (.created_at | endswith("Z"))'
ask 201 POST $rules "{\"uuid\":\"$a\",\"scope\":\"lab\",\"phase\":\"early\",\"actions\":[$action],\"description\":\"d\"}" \
	"Application/JSON; charset=utf-8"
ask 409 POST $rules "{\"uuid\":\"${a^^}\",\"actions\":[$action]}"
ask 400 POST $rules "{\"uuid\":\"first-built-in\",\"actions\":[$action]}"
ask 409 POST $rules "{\"uuid\":\"00000000-0000-0000-0000-000000000000\",\"actions\":[$action]}"
ask 400 POST $rules '{'
ask 400 POST $rules "{\"actions\":[$action]} {}"
ask 400 POST $rules "{\"actions\":[$action],\"actions\":[]}"
ask 400 POST $rules '{"actions":[]}'
ask 400 POST $rules "{\"actions\":[$action],\"built_in\":true}"
ask 400 POST $rules "{\"actions\":[$action],\"priority\":10000}"
ask 400 POST $rules '{"actions":[{"op":"fall","args":[]}]}'
check "what is wrong is said" says '.error | contains("unsupported action")'
ask 400 POST "$rules?detail=1" "{\"actions\":[$action]}"
ask 415 POST $rules "{\"actions\":[$action]}" text/plain
ask 415 POST $rules "a=b" application/x-www-form-urlencoded
ask 415 POST $rules "[]" application/json-patch+json
ask 415 POST $rules
ask 200 GET $rules
check "user rules first, in order" says "[.inspection_rules[].uuid] ==
	[\"$made\", \"$a\", \"first-built-in\", \"00000000-0000-0000-0000-000000000000\"]"
check "without conditions and actions" says 'all(.inspection_rules[]; has("actions") or has("conditions") | not)'
for yes in 1 t TRUE on y yes; do
	ask 200 GET "$rules?detail=$yes"
	check "with them ($yes)" says '[.inspection_rules[] | has("actions") and has("conditions")] == [true, true, true, true]'
done
for no in 0 f false OFF n no; do
	ask 200 GET "$rules?detail=$no"
	check "without ($no)" says 'all(.inspection_rules[]; has("actions") | not)'
done
for wrong in detail= detail detail=2 detail=%zz 'detail=%74rue&phase=late' x=1 phase= 'scope=lab&limit=1' '%00=1'; do
	ask 400 GET "$rules?$wrong"
done
ask 200 GET "$rules?"
ask 200 GET "$rules?&&detail=%74rue&"
ask 200 GET "$rules?scope=lab"
check "by scope" says '[.inspection_rules[].scope] == ["lab", "lab"]'
ask 200 GET "$rules?scope=lab&phase=early"
check "and phase" says "[.inspection_rules[].uuid] == [\"$a\"]"
ask 200 GET "$rules?scope=none"
check "none" says '.inspection_rules == []'
ask 200 GET "$rules/${a^^}"
check "one" says ".uuid == \"$a\" and (.actions | length) == 1"
ask 200 GET "$rules/%37${a#7}"
ask 200 GET "$rules/first-built-in"
for odd in / /x "/$a/" "/$a/x" "//$a" /%2F "/$a%2F" /.. "/$(printf 'x%.0s' {1..300})"; do ask 404 GET "$rules$odd"; done
ask 400 GET "$rules/%zz"
ask 400 GET "$rules/%ff"
ask 400 GET "$rules/%00"
ask 414 GET "$rules/$(printf 'x%.0s' {1..9000})"
for method in PUT PATCH OPTIONS BREW get; do
	ask 405 $method $rules '{}'
	check "what there is" header "Allow: GET, POST, DELETE, HEAD"
done
for method in PUT POST; do
	ask 405 $method "$rules/$a" '{}'
	check "what there is" header "Allow: GET, PATCH, DELETE, HEAD"
done
patch() { ask "$1" PATCH "$rules/$2" "$3" "${4:-application/json-patch+json}"; }
patch 200 $a '[]'
check "nothing has changed" says '.updated_at == null'
patch 200 $a '[{"op":"replace","path":"/priority","value":7},{"op":"remove","path":"/scope"}]' application/json
check "it is changed" says '.priority == 7 and .scope == null and (.updated_at | endswith("Z"))'
for wrong in '{}' '[{"op":"test","path":"/priority","value":7}]' '[{"op":"move","from":"/scope","path":"/description"}]' '[' \
	'[{"op":"replace","path":"/uuid","value":"'$a'"}]' '[{"op":"remove","path":"/actions"}]' '[{"op":"add","path":"/x","value":1}]' \
	'[{"op":"replace","path":"/priority","value":1},{"op":"replace","path":"/phase","value":"late"}]'; do
	patch 400 $a "$wrong"
done
ask 200 GET "$rules/$a"
check "all or nothing" says '.priority == 7'
patch 400 first-built-in '[]'
patch 404 "${a/7/8}" '[]'
patch 415 $a '[]' text/plain
ask 400 DELETE "$rules/first-built-in"
ask 404 DELETE "$rules/${a/7/8}"
ask 400 DELETE "$rules/$a?x=1"
head_of() { over_socket --head "http://localhost$1"; }
check "HEAD of the list" test "$(head_of $rules)" = 200
check "of a rule" test "$(head_of "$rules/$a")" = 200
check "of none" test "$(head_of "$rules/x")" = 404
ask 204 DELETE "$rules/$made"
check "without a body" test ! -s "$work/answer"

# ---- sensitive ----

s=11111111-1111-4111-8111-111111111111
secret='HIDDEN-BY-USER'
hidden='.conditions == null and .actions == null and .sensitive'
body="{\"uuid\":\"$s\",\"sensitive\":true,\"conditions\":[{\"op\":\"eq\",\"args\":[\"{node.kind}\",\"Namespace\"]},
	{\"op\":\"!eq\",\"args\":[\"$secret\",1]}],\"actions\":[{\"op\":\"fail\",\"args\":{\"msg\":\"$secret\"}}]}"
ask 201 POST $rules "$body"
check "nothing is shown" says "$hidden"
ask 409 POST $rules "$body"
ask 200 GET "$rules/$s"
check "nothing is shown alone" says "$hidden"
ask 200 GET "$rules?detail=true"
check "nor in the list" says "[.inspection_rules[] | select(.sensitive) | .actions, .conditions] == [null, null, null, null]"
patch 200 $s '[{"op":"replace","path":"/priority","value":5}]'
check "nor in the answer to a patch" says "$hidden and .priority == 5"
for wrong in '{"op":"replace","path":"/sensitive","value":false}' '{"op":"remove","path":"/sensitive"}' \
	'{"op":"add","path":"/sensitive","value":null}' '{"op":"copy","from":"/actions/0/args/msg","path":"/description"}' \
	'{"op":"add","path":"/actions/0/op","value":"fall"}' '{"op":"add","path":"/conditions/0/args/0/x","value":1}' \
	'{"op":"remove","path":"/conditions/0/args/7"}'; do
	patch 400 $s "[$wrong]"
done
wait_until 20 "its failure" has_record '(.MESSAGE | startswith("inspection failure")) and .DRIFTD_KIND == "Namespace"'
listed() { grep -q inspection < <(curl -s --unix-socket "$socket" http://localhost/api/v1/findings); }
wait_until 20 "in the list of findings" listed
id=$(jq -rn 'first(inputs | select(.MESSAGE | startswith("inspection failure")) | .DRIFTD_DRIFT_ID)' "$work/records")
for page in api/v1/findings "api/v1/findings/$id" api/v1/status metrics ""; do
	curl -sf --unix-socket "$socket" "http://localhost/$page" >>"$work/shown" || fail "$page"
done
no_secret HIDDEN -- "$work/answers" "$work/records" "$work/shown" -- "$work/driftd.err.log"

# ---- over the network, restarts ----

status_of() { curl -s -m 10 -o "$work/answer" -w '%{http_code}' "$@"; }
for request in "GET $rules" "GET $rules/$a" "DELETE $rules" "PUT $rules" "GET $rules/x"; do
	check "nobody over the network ($request)" test "$(status_of -X "${request% *}" "$web${request#* }")" = 403
	check "and why" says '.error | type == "string"'
done
check "another host name" test "$(status_of -H 'Host: evil.example' "$web$rules")" = 421
check "says why" says '.error | type == "string"'
all() { curl -s --unix-socket "$socket" "http://localhost$rules?detail=true" | jq -c '[.inspection_rules[] | select(.built_in | not)]'; }
sleep 1.1
for i in 1 2 3; do ask 201 POST $rules "{\"actions\":[$action],\"description\":\"$i\"}"; done
patch 200 $a '[{"op":"replace","path":"/description","value":"changed"}]'
all >"$work/before"
check "there are five" test "$(jq length "$work/before")" = 5
stop driftd || fail "driftd did not end cleanly"
bcrypt() { python3 -W ignore -c 'import crypt, sys; print(crypt.crypt(sys.argv[1], "$2b$04$abcdefghijklmnopqrstuu"))' "$1"; }
printf 'basic_auth_users: {alice: %s}\n' "$(bcrypt right)" >"$work/web.yaml"
run --web.config.file "$work/web.yaml"
all >"$work/after"
check "rules, order and times are as they were" cmp "$work/before" "$work/after"
check "a user may" test "$(status_of -u alice:right "$web$rules")" = 200
by_user() { status_of -u alice:right -X POST -H 'Content-Type: application/json' -d "{\"actions\":[$action]}" "$web$rules"; }
check "and write" test "$(by_user)" = 201
for who in "" "-u alice:wrong" "-u bob:right"; do
	check "others may not ($who)" test "$(status_of $who "$web$rules")" = 401
	check "which is said" says '.error == "unauthorized"'
done
stop driftd || fail "driftd did not end cleanly"
run
ask 204 DELETE $rules
ask 200 GET $rules
check "only built-in rules are left" says 'all(.inspection_rules[]; .built_in)'

# ---- as no client should be ----

h='HTTP/1.1\r\nHost: x\r\nConnection: close\r\n'
j="${h}Content-Type: application/json\r\n"
p="POST $rules"
{
	printf '%s\t%s\t%s\n' "a good list" 200 "GET $rules $h\r\n"
	printf '%s\t%s\t%s\n' "the absolute form" 200 "GET http://localhost$rules $h\r\n"
	printf '%s\t%s\t%s\n' "2 MiB" 413 "$p ${j}Content-Length: 2097152\r\n\r\n"
	printf '%s\t%s\t%s\n' "a length beyond all" 413 "$p ${j}Content-Length: 99999999999999999\r\n\r\n"
	printf '%s\t%s\t%s\n' "2 MiB in chunks" 413 "$p ${j}Transfer-Encoding: chunked\r\n\r\n200000\r\n{2097152}\r\n0\r\n\r\n"
	printf '%s\t%s\t%s\n' "chunks" 400 "$p ${j}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n0\r\n\r\n"
	printf '%s\t%s\t%s\n' "one more slash" 404 "GET $rules/ $h\r\n"
	printf '%s\t%s\t%s\n' "many segments" 414 "GET $rules/$(printf 'a/%.0s' {1..40}) $h\r\n"
	printf '%s\t%s\t%s\n' "many parameters" 414 "GET $rules?$(printf 'a&%.0s' {1..70}) $h\r\n"
	printf '%s\t%s\t%s\n' "a body of GET" 200 "GET $rules ${j}Content-Length: 2\r\n\r\n{}"
	printf '%s\t%s\t%s\n' "a body of DELETE" 404 "DELETE $rules/x ${j}Content-Length: 2\r\n\r\n{}"
	printf '%s\t%s\t%s\n' "no type" 415 "$p ${h}Content-Length: 2\r\n\r\n{}"
	printf '%s\t%s\t%s\n' "no body" 400 "$p ${j}Content-Length: 0\r\n\r\n"
	printf '%s\t%s\t%s\n' "bytes" 400 "$p ${j}Content-Length: 4\r\n\r\n\xff\x00\x01\x80"
} >"$work/table"
check "raw requests" client raw <"$work/table"

healthy() { curl -sf -m 3 -o /dev/null --unix-socket "$socket" "http://localhost$rules" && curl -sf -m 3 -o /dev/null "$web/metrics"; }
slow_clients() { # slow_clients HOW: of a driftd of their own, because one drops connections when there are too many
	local longest
	socket=$work/control.sock
	web_port=$(free_port)
	cp "$outer/kubeconfig" "$work"
	configure "$source_dir/examples/demo/reference" "control_socket: $socket"
	run
	start clients python3 "$here/inspection_api.py" "$socket" slow "$1" 14
	for _ in 1 2 3 4 5; do
		check "others are answered beside slow clients ($1)" healthy
		check "and may write" ask 201 POST $rules "{\"actions\":[$action]}"
		sleep 0.3
	done
	wait "${pid[clients]}" || fail "the clients ($1)"
	unset "pid[clients]"
	longest=$(tail -n 1 "$work/clients.log")
	check "a request ($1) has 10 s, not $longest" test "$longest" -le 13
	stop driftd || fail "driftd did not end cleanly"
	check "no 5xx but 503" test -z "$(grep -E '^HTTP/1.1 5' "$work/answers" | grep -v ' 503')"
	check "nothing on standard error" test ! -s "$work/driftd.err.log"
}
for how in headers body chunks; do aside "slow-$how" slow_clients $how; done

check "200 at once" client many 200
cat "$work/client.log"
check "3,000 rules" client fill 3000
check "a list of them while some are deleted" client stream
cat "$work/client.log"
check "3,000 rules are not in the way" ask 200 GET "$rules?detail=1"
ask 204 DELETE $rules
join_parts

resident() { awk '/^VmRSS/ {print $2}' "/proc/${pid[driftd]}/status"; }
for round in $(seq "${ABUSE_ROUNDS:-20}"); do
	check "round $round of abuse" client abuse 1
	ask 204 DELETE $rules
	[ "$round" != 6 ] || early=$(resident)
done
late=$(resident)
echo "$early kB after 6 rounds, $late kB after all"
check "memory does not grow: $early, then $late kB" test "$late" -lt $((early * 5 / 4 + 8192))
check "no 5xx but 503" test -z "$(grep -E '^HTTP/1.1 5' "$work/answers" | grep -v ' 503')"

# ---- the disk is full ----

if [ "$API_INSIDE" = yes ]; then
	# The database and its log have no room left of what went before.
	stop driftd || fail "driftd did not end cleanly"
	rm -f $state/driftd.db*
	run
	ask 201 POST $rules "{\"uuid\":\"$a\",\"actions\":[$action]}"
	all >"$work/before"
	dd if=/dev/zero of=$state/filler bs=64k 2>/dev/null || true
	dd if=/dev/zero of=$state/filler bs=1 count=65536 oflag=append conv=notrunc 2>/dev/null || true
	large="{\"description\":\"large\",\"actions\":[{\"op\":\"log\",\"args\":{\"msg\":\"$(head -c 100000 /dev/zero | tr '\0' m)\"}}]}"
	for _ in $(seq 60); do
		over_socket -X POST -H 'Content-Type: application/json' -d "$large" "http://localhost$rules" >"$work/status"
		[ "$(cat "$work/status")" = 201 ] || break
	done
	check "what cannot be kept is refused" test "$(cat "$work/status")" = 503
	check "with a time" header "Retry-After: [0-9]*"
	check "and why" says '.error | type == "string"'
	all >"$work/full"
	rm $state/filler
	wait_until 20 "rules to be kept again" ask 201 POST $rules "{\"actions\":[$action]}"
	ask 204 DELETE "$rules/$(jq -r .uuid "$work/answer")"
	stop driftd || fail "driftd did not end cleanly"
	run
	all >"$work/after"
	check "what is there is what was said" cmp "$work/full" "$work/after"
fi

# It ends while requests wait.
start abuse python3 "$here/inspection_api.py" "$socket" abuse 100
sleep 1
stop driftd || fail "driftd did not end cleanly under load"
wait "${pid[abuse]}" || true
unset "pid[abuse]"
no_secret HIDDEN -- "$work/answers" "$work/records" -- "$work/driftd.err.log"
check "nothing on standard error" test ! -s "$work/driftd.err.log"
