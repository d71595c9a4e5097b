#!/usr/bin/env bash
# Markers in every place of every kind of object that may not be shown, and in credentials: none comes out of any way out, in any form. Each
# way out shows what may be shown, and what the mask is told to show: so it was looked at (tests/data/canary, canary.py, canary_places.py).
if [ "${JOURNAL_INSIDE:-}" ] || { [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null && [ -x /lib/systemd/systemd-journald ]; }; then
	. "$(dirname "$0")/journal.sh"
else # without a journal of its own: what reads it is left out
	. "$(dirname "$0")/lib.sh"
	export LEFT_OUT="journal.json journal.export journal.files events.short events.wide events.json events.yaml events.drift"
fi
command -v jq >/dev/null || skip "no jq"
mark=QzCanary cluster=qzshown-cluster
export DRIFTD_SOCKET=$work/control.sock
ways=$work/ways notify=$work/notify.sock
mkdir -p "$ways" "$work/opened"

run() { status=0; "$@" || status=$?; }
way() { run "${@:2}" >>"$ways/$1" 2>&1; } # way NAME COMMAND...: what it prints is a way out
driftd() { "$bin/driftd" "$@"; }
shown() { # shown RUN: no marker came out, but every control
	run python3 "$here/canary.py" ways "$work" "$1" >"$work/$1.log"
	sed -n 1p "$work/$1.log"
	check "what came out" test $status = 0
}

python3 "$here/canary.py" make "$work"
start_apisim --load "$work/objects.json"
start echo python3 "$here/canary.py" echo "$work/tls/server.crt" "$work/tls/server.key" "$work/echo.port"
start notified python3 "$here/canary.py" notified "$notify"
wait_until 20 "the server that answers with what it was sent" test -s "$work/echo.port"
alertmanager_port=$(free_port) posted=$work/posted
mkdir "$posted"
start alertmanager python3 "$here/data/hostile_alertmanager.py" "$alertmanager_port" "$posted"
wait_until 20 "the service manager" test -S "$notify"
echo_server=https://127.0.0.1:$(cat "$work/echo.port")

# ---- clusters that cannot be watched: their credentials are in no message ----

cat >"$work/plugin" <<Y
#!/bin/sh
echo "${mark}9100x is what this plugin says"
echo "error: token ${mark}9101x was refused" >&2
exit 3
Y
chmod +x "$work/plugin"
other() { # other NAME SERVER USER [CLUSTER]: a kubeconfig
	cat >"$work/$1.kubeconfig" <<Y
apiVersion: v1
kind: Config
current-context: c
clusters: [{name: c, cluster: {server: "$2", certificate-authority: $ca${4:+, $4}}}]
users: [{name: u, user: {$3}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
Y
}
exec="exec: {apiVersion: client.authentication.k8s.io/v1, command: $work/plugin, interactiveMode: Never,
	env: [{name: X, value: ${mark}9102x}]}"
others=(echo basic plugin proxy userinfo query key)
other echo "$echo_server" "token: ${mark}9103x"
other basic "$echo_server" "username: u, password: ${mark}9104x"
other plugin "$server" "$exec"
other proxy "$server" "token: e2e-token" "proxy-url: 'http://u:${mark}9105x@127.0.0.1:1'"
other userinfo "https://u:${mark}9106x@127.0.0.1:1" "token: ${mark}9107x"
other query "https://127.0.0.1:1/?token=${mark}9108x" "token: ${mark}9109x"
other key "$echo_server" "client-certificate: $ca, client-key-data: $(printf %s "${mark}9110x" | base64 -w 0)"
spellings=8
for ((i = 0; i < spellings; i++)); do
	for how in status text; do
		other "$how$i" "$echo_server/$how/$i" "token: ${mark}92$((i + 10))x"
		others+=("$how$i")
	done
done
bad=0
for proxy in "http://u:${mark}9112x@127.0.0.1:99999" "ftp://u:${mark}9113x@127.0.0.1:1" "http://u:${mark}9114x@[::1" \
	"u:${mark}9115x@127.0.0.1:1" "http://u:${mark}9116x%zz@127.0.0.1:1" "http://u:${mark}9117x@127.0.0.1:1/?${mark}9118x" \
	"http://u:${mark}9119x@"; do
	other "proxy$((++bad))" "$server" "token: e2e-token" "proxy-url: '$proxy'"
	others+=("proxy$bad")
done

# ---- wrong configurations ----

wrong() { # wrong CONFIGURATION: is refused, by the check and by a start
	printf 'clusters: [{name: qzshown, kubeconfig: %s}]\n%s\n' "$work/kubeconfig" "$1" >"$work/wrong.yaml"
	way cli.check-config driftd check-config -c "$work/wrong.yaml"
	way run.stderr driftd run -c "$work/wrong.yaml" -o json --web.listen-address 127.0.0.1:0
}
wrong "references: [{name: qzshown, path: 'https://u:${mark}9130x@127.0.0.1:1/metadata.yaml'}]"
wrong "references: [{name: qzshown, path: $work/none}]
leader_election: {endpoints: ['http://u:${mark}9131x@127.0.0.1:1'], hash_key_file: $work/none, password_file: $work/plugin, user: u}"
wrong "token: ${mark}9132x"
wrong "inspection_rules: {allow_api_call: ['https://u:${mark}9133x@127.0.0.1/']}
password: {qzshown: ${mark}9134x}"
wrong "validation_rules: ['https://u:${mark}9135x@127.0.0.1/rules.yaml']
event_rules: [{name: a, path: 'https://u:${mark}9136x@127.0.0.1/events.yaml'}]
state_dir: 'https://u:${mark}9137x@127.0.0.1/'
output: 'https://u:${mark}9138x@127.0.0.1/'"

printf %s "${mark}9170x" >"$work/alertmanager.token"
configured() { # configured LINES
	configure "$work/reference" "sensitive_fields: [pin, vault]
control_socket: $DRIFTD_SOCKET
alertmanager:
  urls: [http://127.0.0.1:$alertmanager_port/kept, http://127.0.0.1:$alertmanager_port/echo]
  auth: {bearer_token_file: $work/alertmanager.token}
  min_severity: info
  values: true
metrics: {per_object: true, per_object_limit: 100000}
validation_rules: [$work/rules.yaml]
inspection_rules: {built_in: $work/built-in.yaml, supported_interfaces: '^v1/(ConfigMap|Secret)\$', allow_api_call: ['http://127.0.0.1:1/']}
event_rules: [{name: usual, path: $work/events.yaml}]
$1"
	sed -i "s|^    path: $work/reference.*|&\n    event_rules: usual|" "$work/driftd.yaml"
}
cat >"$work/events.yaml" <<'Y'
rules:
  - {type: warn, path: 'data.*', message: qzshown of data, action: look}
  - {type: error, path: 'spec.*', message: of a field}
Y
configured ""
reference "$work/small" anyOf map.yaml
template "$work/small/map.yaml" v1 ConfigMap qzshown-control canary </dev/null
for name in "${others[@]}"; do
	printf 'clusters: [{name: %s, kubeconfig: %s}]\nreferences: [{name: ref, path: %s}]\n' \
		"$name" "$work/$name.kubeconfig" "$work/small/metadata.yaml" >"$work/other.yaml"
	way cli.check-config driftd check-config -c "$work/other.yaml"
	[ $status != 0 ] ||
		sed -i "s|^references:|  - name: $name\n    kubeconfig: $work/$name.kubeconfig\nreferences:|" "$work/driftd.yaml"
done
check "some of them are watched all the same" grep -q 'name: echo' "$work/driftd.yaml"
way cli.check-config driftd check-config -c "$work/driftd.yaml"
check "the configuration: $(tail -n 3 "$ways/cli.check-config")" test $status = 0
way cli.rbac driftd rbac -c "$work/driftd.yaml" --cluster "$cluster"

# ---- what a running driftd says ----

ids() { jq -r '.items[].id' "$ways/api.findings"; }
over_socket() { curl -s --unix-socket "$DRIFTD_SOCKET" "$@"; }
some_ids() { # a finding of each name that says what it is about, and the control's
	jq -r '[.items[] | select(.name | . and test("^(qzshown-control|password-.*|rules|made-b64.*|error-.*|managed|inspected-0|texts-0-.*)$"))]
		| unique_by(.name)[].id' "$ways/api.findings"
}
each() { # each WAY CURL-OPTIONS...: the URLs of standard input, in one go
	sed 's|^|url = http://localhost/|' | over_socket -K - >>"$ways/$1" || fail "requests for $1"
}
objects() { # which objects are explained, a query each
	jq -r '.items[] | select(.kind != "CustomResourceDefinition") | "kind=\(.kind)&name=\(.metadata.name)"' "$work/objects.json" |
		grep -E 'name=(qzshown|made-|error-|lookup-|texts-[0-9]*0-|rules|cel-0|.*-modify)'
}
ask() { # all that a running driftd answers
	local form id
	curl -sf "$web/metrics" >"$ways/metrics.text"
	curl -sf -H 'Accept: application/openmetrics-text' "$web/metrics" >"$ways/metrics.open"
	curl -sf "$web/" >"$ways/web.overview"
	curl -sf "$web/status.json" >"$ways/web.status"
	over_socket http://localhost/ http://localhost/?page=2 >"$ways/socket.overview"
	over_socket http://localhost/status.json >"$ways/socket.status"
	for form in status findings accepted; do over_socket "http://localhost/api/v1/$form" >"$ways/api.$form"; done
	ids | sed 's|^|api/v1/findings/|' | each api.finding
	ids | sed 's|^|findings/|' | each socket.finding
	some_ids | sed "s|^|url = $web/findings/|" | curl -s -K - >"$ways/web.finding"
	some_ids | sed "s|^|url = $web/api/v1/findings/|" | curl -s -K - >"$ways/web.api"
	objects | sed 's|^|api/v1/objects?|' | each api.objects
	objects | sed 's|^|api/v1/explain?apiVersion=v1\&reference=ref\&cluster='"$cluster"'\&namespace=canary\&|' |
		sed -E 's/apiVersion=v1(.*kind=Deployment)/apiVersion=apps\/v1\1/
			s/apiVersion=v1(.*)namespace=canary&(kind=Widget)/apiVersion=e2e.example.com\/v1\1\2/' | each api.explain
	over_socket 'http://localhost/v1/inspection_rules?detail=true' >"$ways/api.inspection"
	for form in wide json yaml; do
		way "cli.drift.$form" driftd drift list -o "$form"
		way "cli.status.$form" driftd status -o "$form"
	done
	for form in json yaml; do
		way "cli.accept.$form" driftd accept list -o "$form"
		way "cli.inspection.$form" driftd inspection rule list --long -o "$form"
		way "cli.explain.$form" driftd explain ConfigMap canary/qzshown-control -o "$form"
		way "cli.explain.$form" driftd explain Widget password-modify -o "$form"
	done
	way cli.accept.text driftd accept list
	way cli.inspection.text driftd inspection rule list --long
	for id in canary/qzshown-control canary/made-b64enc canary/error-fail canary/lookup-print-secret canary/texts-0-modify; do
		way cli.explain.text driftd explain ConfigMap "$id"
	done
	for id in $(some_ids | tail -n 12) $(jq -r '.items[] | select(.name == "qzshown-control").id' "$ways/api.findings"); do
		way cli.show.text driftd drift show "$id"
		way cli.show.json driftd drift show "$id" -o json
	done
	way cli.show.yaml driftd drift show "$id" -o yaml
}
rehearse() { # what other severities and rules would say
	sed -i.kept 's/^validation_rules.*//; s/^    event_rules: usual/    severity: critical/' "$work/driftd.yaml"
	way cli.rehearsal.json driftd reload --dry-run -o json
	way cli.rehearsal.text driftd reload --dry-run
	mv "$work/driftd.yaml.kept" "$work/driftd.yaml"
}

# Each of them begins with no state, and ends: its records and what is kept are ways out.
judged() { wait_until 60 "the objects to be judged" metric_is "$(of_cluster driftd_cluster_synced)" 1; }
starts() { # starts OUTPUT
	rm -rf "$work/state" "$work/posted" && mkdir "$work/state" "$work/posted"
	NOTIFY_SOCKET=$notify start_driftd "$1"
	judged
}
posts() { wait_until 60 "the alerts" grep -qsF QzShowngreeting "$posted/kept.bodies"; }
ends() { stop driftd || fail "driftd did not end cleanly"; }
begun() { # begun COUNT WHAT: of objects
	[ "$(records ".DRIFTD_EVENT == \"begin\" and (.MESSAGE | startswith(\"$2\")) and .DRIFTD_NAME" | wc -l)" -ge "$1" ]
}
keeps_state() { # what is on disk, just after something is written: a log that rests is emptied
	sleep 1.5
	way cli.accepting driftd accept ConfigMap canary/qzshown-control --path data.qzshown --value qzshown \
		--reason qzshown-reason --owner qzshown-owner
	check "an acceptance is written" test $status = 0
	cp -r "$work/state" "$ways/state.database"
	check "with its log" test "$(find "$ways/state.database" -name '*-wal' -size +0)"
	check "the key of the hashes is for the owner only" test "$(stat -c %a "$work/state/hash.key")" = 600
}
exports() {
	way state.export driftd state export --state-dir "$work/state"
	mv "$work/records" "$ways/records.json"
	cp "$work/notified.log" "$ways/notify"
	cp "$posted/kept.bodies" "$ways/alerts"
}
# These run beside others, with a state of their own.
apart() { # apart FOLDER: the configuration of that folder
	cluster=qzshown-cluster
	sed "s|^state_dir: .*|state_dir: $work/state|; s|^control_socket: .*|control_socket: $work/control.sock|" "$1/driftd.yaml" \
		>"$work/driftd.yaml"
}
for_people() { # for_people FOLDER
	apart "$1"
	starts text
	wait_until 60 "the control" grep -qF QzShowngreeting "$work/records"
	ends
	mv "$work/records" "$ways/records.text"
}
in_journal() { journal -a -n all >"$ways/journal.json" && grep -qF QzShowngreeting "$ways/journal.json"; }
to_the_journal() { # to_the_journal FOLDER
	local form
	[ "${JOURNAL_INSIDE:-}" ] || return 0
	apart "$1"
	rm -rf /run/log/journal/*
	start_journald
	starts journal
	wait_until 60 "the control" in_journal
	ends
	in_journal
	journalctl -q -a -n all -o export --file '/run/log/journal/*/*.journal*' >"$ways/journal.export" 2>/dev/null
	for form in short wide json yaml; do way "events.$form" driftd events -o "$form"; done
	way events.drift driftd drift list -D /run/log/journal -o wide
	cp -r /run/log/journal "$ways/journal.files"
	stop_journald
}
recorded() { [ "$(grep -c '"e":"synced"' "$work/recording")" -ge "$1" ] && grep -q QzShowngreeting "$work/recording"; } # recorded KINDS
others_see() { # others_see FOLDER KINDS MASK-OPTIONS...: commands that follow the configuration, or are told what it says
	local form
	apart "$1"
	start recorder "$bin/driftd" record -c "$work/driftd.yaml" --cluster "$cluster" -o "$work/recording"
	wait_until 60 "the lists of $2 kinds" recorded "$2"
	stop recorder || fail "the recorder did not end cleanly"
	cat "$work/recording" "$work/recorder.log" >"$ways/recording"
	for form in text json; do way "replay.$form" driftd replay -c "$work/driftd.yaml" -o "$form" "$work/recording"; done
	for form in text yaml json; do way "mask.$form" driftd mask "${@:3}" -o "$form" "$1"/files/*.json; done
}

compare() { # compare WAY OPTIONS...
	way "compare.$1" driftd compare --mask -v -r "$outer/reference/metadata.yaml" "${@:2}"
}
etcd_answered() { driftd status -o json --socket "$work/leader.sock" >"$work/leader.status" || true; grep -q etcd "$work/leader.status"; }
etcd_sees() { # etcd_sees FOLDER: an etcd that answers with what it was sent
	printf %s "${mark}9160x" >"$work/password"
	head -c 32 /dev/zero >"$work/hash.key"
	cat >"$work/leader.yaml" <<-Y
		clusters: [{name: qzshown-cluster, kubeconfig: $1/kubeconfig}]
		references: [{name: ref, path: $1/small/metadata.yaml}]
		control_socket: $work/leader.sock
		leader_election: {endpoints: ['$echo_server'], ca_file: $ca, user: qzshown, password_file: password, hash_key_file: hash.key}
	Y
	start leader "$bin/driftd" run -c "$work/leader.yaml" -o json --web.listen-address 127.0.0.1:0
	wait_until 60 "what etcd says" etcd_answered
	stop leader || fail "driftd did not end cleanly"
	cat "$work/leader.log" "$work/leader.status" >"$ways/etcd"
}
commands_see() { # commands_see FOLDER
	local outer=$1 form url user=()
	etcd_sees "$1"
	[ "$(id -u)" != 0 ] || user=(--user root) # who is not may check as himself only
	for form in table json; do way "connect.$form" driftd check-config --connect -c "$1/driftd.yaml" "${user[@]}" -o "$form"; done
	way connect.rbac driftd rbac --connect -c "$1/driftd.yaml" --cluster qzshown-cluster
	compare live --kubeconfig "$1/kubeconfig"
	way validate.live driftd validate --rules "$1/rules.yaml" --kubeconfig "$1/kubeconfig"
	compare text -f "$1/files" -R
	for form in json yaml junit; do compare "$form" -f "$1/files" -R -o "$form"; done
	echo 'accepted: [{kind: "*", name: "*", reason: qzshown, owner: QzShown}]' >"$work/all-accepted.yaml"
	for form in text json yaml junit; do
		compare accepted -f "$1/files" -R --accepted "$work/all-accepted.yaml" -o "$form"
		compare inspected -f "$1/files" -R --inspection-rules "$1/built-in.yaml" -o "$form"
	done
	printf '#!/bin/sh\nexec cat "$1"/* "$2"/*\n' >"$work/differ"
	chmod +x "$work/differ"
	KUBECTL_EXTERNAL_DIFF=$work/differ compare external -f "$1/files/*-modify.json" -f "$1/files/ConfigMap-qzshown-control.json"
	for url in "https://u:${mark}9150x@127.0.0.1:1/metadata.yaml" "https://${mark}9151x@${echo_server#https://}/a/metadata.yaml"; do
		way compare.url driftd compare -v -r "$url" -f "$1/files" -R
	done
	for form in text json; do
		way "validate.$form" driftd validate -f "$1/crd.json" -f "$1/rules.yaml" -f "$1/files" -o "$form"
	done
}

# ---- what is hidden ----

aside journal to_the_journal "$work"
aside people for_people "$work"
aside commands commands_see "$work"
aside others others_see "$work" 5 --sensitive pin --sensitive vault
starts json
for name in $(sed -n 's/^  - name: //p' "$work/driftd.yaml" | grep -vx -e "$cluster" -e ref -e usual); do
	wait_until 60 "the gap of $name" has_record ".DRIFTD_CLUSTER == \"$name\" and .DRIFTD_EVENT == \"begin\""
done
wait_until 60 "every object that differs" begun 700 drift
wait_until 60 "every template that fails" begun 30 error
wait_until 60 "every rule that fails" begun 600 "rule violation"
wait_until 60 "every inspection that fails" begun 12 "inspection failure"
check "with the place in the template" \
	begins '.DRIFTD_NAME == "error-fail" and .DRIFTD_KIND == "Widget" and (.MESSAGE | contains("error-fail.yaml:"))'
for name in rules rules-parent rules-key; do
	check "a rule that fails on $name" begins "(.MESSAGE | startswith(\"rule violation\")) and .DRIFTD_NAME == \"$name\""
done
check "what differs is told by its place" \
	begins '.DRIFTD_KIND == "Widget" and .DRIFTD_NAME == "password-modify" and (.DRIFTD_PATH | contains(["spec.password"])) and
		(.DRIFTD_ACTUAL | contains(["(hidden)"]))'
check "and by a diff around it" begins '.DRIFTD_NAME == "password-context" and (.DRIFTD_DIFF // "" | contains("***"))'
for value in "${mark}9140x" "https://u:${mark}9141x@h"; do
	way cli.accepting driftd accept ConfigMap canary/password-modify --path 'data["db.password"]' --value "$value" \
		--reason qzshown-reason --owner qzshown-owner
done
way cli.accepting driftd accept ConfigMap canary/password-create --reason qzshown-reason --owner qzshown-owner
api PATCH /api/v1/namespaces/canary/configmaps/password-modify "{\"data\":{\"db.password\":\"${mark}9142x\"}}" \
	"ghp_${mark}9143xabcdefghijklmnopqrstuvw"
wait_until 10 "a change of one hidden value to another" changes '.DRIFTD_NAME == "password-modify" and .DRIFTD_KIND == "ConfigMap"'
api PATCH /apis/e2e.example.com/v1/widgets/rules "{\"spec\":{\"texts\":[\"token=${mark}9144x\"]}}" kubectl-edit
wait_until 10 "a change of what a rule is about" changes '.DRIFTD_NAME == "rules" and .DRIFTD_KIND == "Widget"'
curl -s -u "u:${mark}9145x" -H "X-Token: ${mark}9146x" "$web/none?token=${mark}9147x" -o "$work/none.html"
ask
rehearse
check "it speaks of the findings" test "$(grep -c '"type":"drift"' "$ways/api.findings")" -ge 700
check "so do the pages" test "$(grep -c '<h1>' "$ways/socket.finding")" -ge "$(jq .count "$ways/api.findings")"
check "with values" grep -qF "(hidden)" "$ways/socket.finding"
posts
keeps_state
lines=$(wc -l <"$work/records")
ends
start_driftd_ready
sleep 1
changed='.DRIFTD_EVENT == "change" and (.MESSAGE | startswith("gap") | not)'
check "a restart says nothing of objects that are the same" \
	test "$(tail -n +$((lines + 1)) "$work/records" | jq -c "select($changed)" | wc -l)" = 0
ends
exports
join_parts
cat "$work/driftd.err.log" >>"$ways/run.stderr"
shown ways

# ---- controls: each of them shows a key when it is told to, and what is not masked is there ----

ways=$work/opened
reference "$work/one" anyOf ConfigMap-qzshown-control.yaml
cp "$work/reference/ConfigMap-qzshown-control.yaml" "$work/one"
configured "shown_fields: [canaryToken]"
sed -i "s|$work/reference/|$work/one/|; s|^validation_rules.*||; s|^inspection_rules.*||" "$work/driftd.yaml"
starts json
ask
keeps_state
ends
exports
aside journal2 to_the_journal "$work"
aside people2 for_people "$work"
aside others2 others_see "$work" 1 --shown canaryToken --sensitive pin --sensitive vault
join_parts
shown opened

run driftd compare -r "$work/reference/metadata.yaml" -f "$work/files" -R >"$work/compare.raw" 2>&1
check "the original shows it" grep -qF "$mark" "$work/compare.raw"
check "--mask with overrides is refused" test "$(run driftd compare --mask -r "$work/reference/metadata.yaml" -f "$work/files" \
	-o generate-patches --generate-override-for x --override-reason r >/dev/null 2>&1; echo $status)" -gt 1
run driftd validate --no-mask -f "$work/crd.json" -f "$work/rules.yaml" -f "$work/files/Widget-rules.json" >"$work/validate.raw" 2>&1
check "which is the mask's work" grep -qF "$mark" "$work/validate.raw"
printf '%s\n' "$(printf 'x%s0042x' "$mark" | base64)" >"$work/spoiled"
! python3 "$here/canary.py" look "$work" "$work/spoiled" >/dev/null || fail "a marker in base64 is not seen"
