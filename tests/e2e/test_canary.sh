#!/usr/bin/env bash
# Markers in every place of every kind of object that may not be shown, and in credentials: none comes out in any channel, in any form.
if [ "${JOURNAL_INSIDE:-}" ] || { [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null && [ -x /lib/systemd/systemd-journald ]; }; then
	. "$(dirname "$0")/journal.sh"
else # without a journal of its own: that channel is left out
	. "$(dirname "$0")/lib.sh"
fi
command -v jq >/dev/null || skip "no jq"
mark=QzCanary shown=QzShowngreeting

hidden() { # hidden WHAT FILE...: no marker in them, and they are there; without_fields=1: sensitive_fields were not known
	python3 "$here/canary.py" look "$work" "${@:2}" >"$work/leaks.log" || fail "$1"
	checks=$((checks + 1))
}
shows() { check "the control is not in $1: nobody looked" grep -raqF "$shown" "$1"; } # shows FILE: what may be shown is

python3 "$here/canary.py" make "$work"
start_apisim --load "$work/objects.json"
start echo python3 "$here/canary.py" echo "$work/tls/server.crt" "$work/tls/server.key" "$work/echo.port"
wait_until 20 "the server that answers with what it was sent" test -s "$work/echo.port"

# ---- clusters that cannot be watched: their credentials are in no message ----

cat >"$work/plugin" <<Y
#!/bin/sh
echo "${mark}100x is what this plugin says"
echo "error: token ${mark}101x was refused" >&2
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
	env: [{name: X, value: ${mark}102x}]}"
other echo "https://127.0.0.1:$(cat "$work/echo.port")" "token: ${mark}103x"
spellings=8
for ((i = 0; i < spellings; i++)); do
	for how in status text; do other "$how$i" "https://127.0.0.1:$(cat "$work/echo.port")/$how/$i" "token: ${mark}12$((i))x"; done
done
other basic "https://127.0.0.1:$(cat "$work/echo.port")" "username: u, password: ${mark}104x"
other plugin "$server" "$exec"
other proxy "$server" "token: e2e-token" "proxy-url: 'http://u:${mark}105x@127.0.0.1:1'"
other userinfo "https://u:${mark}106x@127.0.0.1:1" "token: ${mark}107x"
other query "https://127.0.0.1:1/?token=${mark}108x" "token: ${mark}109x"
bad=0
for proxy in "http://u:${mark}112x@127.0.0.1:99999" "ftp://u:${mark}113x@127.0.0.1:1" "http://u:${mark}114x@[::1" \
	"u:${mark}115x@127.0.0.1:1" \
	"http://u:${mark}116x%zz@127.0.0.1:1" "http://u:${mark}117x@127.0.0.1:1/?${mark}118x" "http://u:${mark}119x@"; do
	other "proxy$((++bad))" "$server" "token: e2e-token" "proxy-url: '$proxy'"
done

configure "$work/reference" "sensitive_fields: [pin, vault]
control_socket: $work/control.sock
validation_rules: [$work/rules.yaml]"
for name in echo basic plugin proxy userinfo query $(seq -f proxy%g $bad) $(seq -f status%g 0 $((spellings - 1))) \
	$(seq -f text%g 0 $((spellings - 1))); do
	if "$bin/driftd" check-config -c <(printf 'clusters: [{name: %s, kubeconfig: %s}]\nreferences: [{name: ref, path: %s}]\n' \
		"$name" "$work/$name.kubeconfig" "$work/reference/metadata.yaml") >>"$work/check-config.txt" 2>&1; then
		sed -i "s|^references:|  - name: $name\n    kubeconfig: $work/$name.kubeconfig\nreferences:|" "$work/driftd.yaml"
	fi
	echo "checked $name" >>"$work/check-config.txt"
done
hidden "check-config shows a credential" "$work/check-config.txt"
check "some of them are watched all the same" grep -q 'name: echo' "$work/driftd.yaml"

# ---- the daemon ----

start_driftd
wait_until 60 "the objects to be judged" metric_is "$(of_cluster driftd_cluster_synced)" 1
for name in $(sed -n 's/^  - name: //p' "$work/driftd.yaml" | grep -vx -e "$cluster" -e ref); do
	wait_until 60 "the gap of $name" has_record ".DRIFTD_CLUSTER == \"$name\" and .DRIFTD_EVENT == \"begin\""
done
begun() { # begun COUNT WHAT: of objects
	[ "$(records ".DRIFTD_EVENT == \"begin\" and (.MESSAGE | startswith(\"$2\")) and .DRIFTD_NAME" | wc -l)" -ge "$1" ]
}
wait_until 20 "every object that differs" begun 140 drift
wait_until 20 "every template that fails" begun 30 error
check "with the place in the template" \
	begins '.DRIFTD_NAME == "error-fail" and .DRIFTD_KIND == "Widget" and (.MESSAGE | contains("error-fail.yaml:"))'
for name in rules rules-parent rules-key; do
	check "a rule that fails on $name" begins "(.MESSAGE | startswith(\"rule violation\")) and .DRIFTD_NAME == \"$name\""
done
check "what differs is told by its place" \
	begins '.DRIFTD_KIND == "Widget" and .DRIFTD_NAME == "password-modify" and (.DRIFTD_PATH | contains(["spec.password"])) and
		(.DRIFTD_ACTUAL | contains(["(hidden)"]))'
check "and by a diff around it" begins '.DRIFTD_NAME == "password-context" and (.DRIFTD_DIFF | contains("***"))'
sleep 1.5 # so that the state is on disk
curl -sf "$web/metrics" >"$work/metrics.txt"
curl -sf "$web/" >"$work/page.txt"
for what in status findings; do curl -sf --unix-socket "$work/control.sock" "http://localhost/api/v1/$what" >"$work/api.$what"; done
for id in $("$bin/driftd" drift list -o name --socket "$work/control.sock" || test $? = 1); do
	curl -sf --unix-socket "$work/control.sock" "http://localhost/api/v1/findings/$id" >>"$work/api.details"
done
"$bin/driftd" drift list -o wide --socket "$work/control.sock" >"$work/api.list" || test $? = 1
"$bin/driftd" status -o wide --socket "$work/control.sock" >"$work/api.wide" || test $? = 1
for id in $(jq -r '.items[].id' "$work/api.findings"); do
	echo "url = http://localhost/findings/$id"
done | curl -sf --unix-socket "$work/control.sock" -K - >"$work/api.pages"
api PATCH /api/v1/namespaces/canary/configmaps/password-modify "{\"data\":{\"db.password\":\"${mark}110x\"}}" kubectl-edit
wait_until 10 "a change of one hidden value to another" changes '.DRIFTD_NAME == "password-modify" and .DRIFTD_KIND == "ConfigMap"'
api PATCH /apis/e2e.example.com/v1/widgets/rules "{\"spec\":{\"texts\":[\"token=${mark}111x\"]}}" kubectl-edit
wait_until 10 "a change of what a rule is about" changes '.DRIFTD_NAME == "rules" and .DRIFTD_KIND == "Widget"'
sleep 1.5
hidden "a marker in the records" "$work/records"
hidden "a marker in the metrics" "$work/metrics.txt" "$work/page.txt"
hidden "a marker in what the control socket says" "$work"/api.*
check "it speaks of the findings" test "$(grep -c '"type":"drift"' "$work/api.findings")" -ge 100
check "so do the pages" test "$(grep -c '<h1>' "$work/api.pages")" -eq "$(jq .count "$work/api.findings")"
check "with values" grep -qF "(hidden)" "$work/api.pages"
hidden "a marker in the state" "$work/state"
shows "$work/records"
shows "$work/state"
check "the key of the hashes is for the owner only" test "$(stat -c %a "$work/state/hash.key")" = 600
lines=$(wc -l <"$work/records")
stop driftd || fail "driftd did not end cleanly"
start_driftd_ready
sleep 1
changed='.DRIFTD_EVENT == "change" and (.MESSAGE | startswith("gap") | not)'
check "a restart says nothing of objects that are the same" \
	test "$(tail -n +$((lines + 1)) "$work/records" | jq -c "select($changed)" | wc -l)" = 0
stop driftd || fail "driftd did not end cleanly"
mv "$work/records" "$work/records.json"
rm -rf "$work/state"
start_driftd text
wait_until 60 "the objects to be judged" metric_is "$(of_cluster driftd_cluster_synced)" 1
wait_until 20 "the control" grep -qF "$shown" "$work/records"
sleep 2
stop driftd || fail "driftd did not end cleanly"
hidden "a marker in the text for people" "$work/records"
echo "and this" >>"$work/driftd.err.log"
hidden "a marker on standard error" "$work/driftd.err.log"

# ---- the journal ----

if [ "${JOURNAL_INSIDE:-}" ]; then
	rm -rf "$work/state"
	mv "$work/records" "$work/records.text"
	start_journald
	start_driftd journal
	wait_until 60 "the objects to be judged" metric_is "$(of_cluster driftd_cluster_synced)" 1
	in_journal() { journal -n all >"$work/journal.json" && grep -qF "$shown" "$work/journal.json"; }
	wait_until 20 "the control" in_journal
	sleep 2
	stop driftd || fail "driftd did not end cleanly"
	in_journal
	hidden "a marker in the journal" "$work/journal.json" /run/log/journal
	stop_journald
	cp "$work/records.text" "$work/records"
fi

# ---- the commands ----

run() { status=0; "$@" || status=$?; }
for form in text json yaml junit; do
	run "$bin/driftd" compare --mask -v -r "$work/reference/metadata.yaml" -f "$work/files" -R -o "$form" \
		>"$work/compare.$form" 2>"$work/compare.err"
	check "compare -o $form ran: $(tail -n 3 "$work/compare.err")" test -s "$work/compare.$form"
	without_fields=1 hidden "a marker in compare --mask -o $form" "$work/compare.$form" "$work/compare.err"
done
shows "$work/compare.text"
for url in "https://u:${mark}130x@127.0.0.1:1/metadata.yaml" "https://${mark}131x@127.0.0.1:$(cat "$work/echo.port")/a/metadata.yaml"; do
	run "$bin/driftd" compare -v -r "$url" -f "$work/files" -R >>"$work/compare.url" 2>&1
done
check "it says what is wrong with a URL: $(cat "$work/compare.url")" grep -q 'fetch https://\*\*\*@127' "$work/compare.url"
hidden "a password of a URL" "$work/compare.url"
run "$bin/driftd" compare -r "$work/reference/metadata.yaml" -f "$work/files" -R >"$work/compare.raw" 2>&1
check "the original shows it" grep -qF "$mark" "$work/compare.raw"
check "--mask with overrides is refused" test "$(run "$bin/driftd" compare --mask -r "$work/reference/metadata.yaml" -f "$work/files" \
	-o generate-patches --generate-override-for x --override-reason r >/dev/null 2>&1; echo $status)" -gt 1
validated=()
for file in "$work"/files/*-rules*.json "$work/files/ConfigMap-control.json"; do validated+=(-f "$file"); done
for form in text json; do
	run "$bin/driftd" validate -f "$work/crd.json" -f "$work/rules.yaml" "${validated[@]}" -o "$form" \
		>"$work/validate.$form" 2>"$work/validate.err"
	check "validate -o $form judged: $(cat "$work/validate.err")" test "$status" = 1
	hidden "a marker in validate -o $form" "$work/validate.$form"
	shows "$work/validate.$form"
done
run "$bin/driftd" validate --no-mask -f "$work/crd.json" -f "$work/rules.yaml" -f "$work/files/Widget-rules.json" >"$work/validate.raw" 2>&1
check "which is the mask's work" grep -qF "$mark" "$work/validate.raw"

# ---- the test itself ----

cp "$work/records" "$work/spoiled"
printf '%s\n' "$(printf 'x%s042x' "$mark" | base64)" >>"$work/spoiled"
! python3 "$here/canary.py" look "$work" "$work/spoiled" >/dev/null || fail "a marker in base64 is not seen"
