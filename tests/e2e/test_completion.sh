#!/usr/bin/env bash
# Completion in each shell: the words that driftd itself has, and names of the running driftd, whatever a tenant called an object.
. "$(dirname "$0")/lib.sh"
completion=$source_dir/daemon/completion
shells=(bash)
for shell in fish zsh; do
	if command -v $shell >/dev/null; then shells+=("$shell"); else echo "no $shell here: not tried"; fi
done

# What is completed is run by a stand-in, which notes its arguments. On a busy machine driftd may have no time to answer, and prints
# nothing, not even an end: it is asked again.
mkdir "$work/bin" "$work/ground"
cat >"$work/bin/driftd" <<S
#!/bin/sh
tries=0 rows=
while [ "\$1" = complete ] && [ -z "\$rows" ] && [ "\$((tries += 1))" -le 100 ]; do rows=\$('$bin/driftd' "\$@"); done
[ "\$1" != complete ] || { printf '%s\n' "\$rows"; exit; }
for word; do printf '%s\n' "\$word"; done >>'$work/ran'
S
chmod +x "$work/bin/driftd"
PATH=$work/bin:$PATH
unset DRIFTD_SOCKET
export HOME=$work/ground

offers() { grep -qxF -e "$1" "$work/words"; }
asked() {
	driftd complete -- driftd "$@" >"$work/rows" 2>"$work/err.log" && cut -f 1 "$work/rows" >"$work/words" && [ ! -s "$work/err.log" ]
}
asks() { check "asking for ${*: -1}" asked "$@"; }
is_answer() { diff - "$work/words"; } # the words on standard input, and nothing else
# types SHELL TEXT...: each with Tab and Enter behind it; what is run is in $work/ran
types() {
	rm -f "$work/ran"
	(cd "$work/ground" && python3 "$here/completion_shell.py" "$1" "$completion/$(script_of "$1")" "${@:2}") >"$work/terminal.$1.log" 2>&1 ||
		fail "$*"
	[ -e "$work/ran" ] || : >"$work/ran"
}
script_of() { case $1 in zsh) echo _driftd ;; *) echo "driftd.$1" ;; esac; }
runs() { printf '%s\n' "$@" | diff - "$work/ran"; }

# ---- without a daemon: what driftd itself has ----

export DRIFTD_SOCKET=$work/none.sock
asks drift --name
check "an option" is_answer <<<$'--namespace\n:end'
asks drift -
check "a letter" offers -n
asks drift l
check "a second word" is_answer <<<$'list\n:end'
asks inspection rule cr
check "a third word" is_answer <<<$'create\n:end'
asks inspection ''
check "each once" is_answer <<<$'rule\n:end'
asks reference im
check "one of several" is_answer <<<$'import\n:end'
asks help chec
check "a command to be helped with" is_answer <<<$'check-config\n:end'
asks reference pin --
check "an option of the verb" offers --timeout
check "none of another verb" test "$(grep -c wait "$work/words")" = 0
asks unaccept --
check "nor of another command" is_answer <<<$'--socket\n--help\n:end'
asks drift list --severity=cr
check "a value in the word" is_answer <<<$'--severity=critical\n:end'
asks drift list -oj
check "and behind a letter" is_answer <<<$'-ojson\n:end'
asks drift list --sort-by fi
check "an order" is_answer <<<$'field\n:end'
asks drift list --type g
check "a type" is_answer <<<$'gap\n:end'
asks drift list -l ''
check "neither known nor a file" is_answer <<<:end
asks check-config -c so
check "a file behind an option" is_answer <<<:files
asks mask so
check "a file" is_answer <<<:files
asks drift list ''
check "nobody is asked in vain" is_answer <<<:end
asks nonsense --x
asks
asks ''
"$bin/driftd" help | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p' >"$work/commands"
check "all commands" diff <(grep -v '^:' "$work/words" | sort) <(sort "$work/commands")
check "are some" test "$(wc -l <"$work/commands")" -gt 10
while read -r command; do
	[[ $command != version && $command != help ]] || continue
	"$bin/driftd" help "$command" >"$work/help"
	asks "$command" --
	grep -oE -e '--[a-z][a-z.-]*' "$work/help" | sort -u >"$work/named"
	check "$command: options that it has" test "$(comm -23 <(sort -u "$work/words") "$work/named")" = :end
	sed -nE 's/^  (-[A-Za-z], |    )(--[a-z.-]+).*/\2/p' "$work/help" | sort -u >"$work/options"
	[ "$command" = unaccept ] || check "$command: all of them" test -z "$(comm -13 <(sort -u "$work/words") "$work/options")"
done <"$work/commands"
for shell in "${shells[@]}"; do
	: >"$work/ground/some file.yaml"
	types "$shell" "driftd rel" "driftd drift --name" "driftd drift list --severity=cr" "driftd drift list -n " "driftd mask so" \
		"driftd check-config --config=so"
	check "$shell: what driftd itself has, and files" runs reload drift --namespace drift list --severity=critical drift list -n \
		mask "some file.yaml" check-config "--config=some file.yaml"
	check "$shell: no word of trouble" test "$(grep -ciE 'error|not found|driftd:' "$work/terminal.$shell.log")" = 0
done

# ---- names ----

made=$work/ground/made
# A name for each thing that a shell may do with it.
hostile=("a1\$(touch made)x" "a2\`touch made\`x" "a3;touch made;x" "a4'x\"y" "a5 b  c" "a6:b:c" "a7=b" "a8|touch made"
	"a9>made" "b1\\n\\x41" "b2*" "b3{x,y}" "b4!!" "b5#x" "b6~" "b7&touch made&" "b8%s%n" "b9\${HOME}x"
	"c1@b" "c2-- x" "c3é" "c4[x]" "c5^x^" "c6(x)" "c7,x")
# None of these may reach a terminal, or be an argument.
never=($'z1\nx' $'z2\tx' $'z3\ex' $'z4\rx' $'z5\u202ex' -rf --output=x)
mkdir "$work/reference"
template "$work/reference/map.yaml" v1 ConfigMap '{{ .metadata.name | quote }}' "$any_namespace" <<<'data: {wanted: "yes"}'
reference "$work/reference" anyOf map.yaml+
{ configmap web other '{"wanted":"no"}'; configmap well other '{"wanted":"yes"}'; configmap stand-in shop '{"wanted":"yes"}'
	for n in {000..249}; do configmap "n-$n" many '{"wanted":"yes"}'; done; } | jq -sc . >"$work/objects.json"
start_apisim --no-watch-list --load "$work/objects.json"
# They take the place of the last map. No API server has such names of this kind; of others, such as roles, it may.
printf '%s\0' "${hostile[@]}" "${never[@]}" | jq -Rsc '{action: "item", resource: "configmaps", verb: "list", at: 252, count: -1,
	text: (split("\u0000")[:-1] | map({data: {wanted: "no"}, metadata: {name: ., namespace: "shop", uid: ("uid-" + .), resourceVersion: "2",
		managedFields: [{manager: ("m" + .), operation: "Update", apiVersion: "v1", time: "2026-01-01T00:00:00Z", fieldsType: "FieldsV1",
			fieldsV1: {"f:data": {"f:wanted": {}}}}]}} | tojson) | join(","))}' >"$work/fault.json"
control fault "@$work/fault.json"
cluster=alpha
configure "$work/reference" "control_socket: $work/driftd.sock"
start_driftd_ready
export DRIFTD_SOCKET=$work/driftd.sock
asks drift list ''
check "a resource" is_answer <<<$'configmaps\n:end'
asks drift list -n ''
check "namespaces" is_answer <<<$'other\nshop\n:end'
asks drift list -n other ConfigMap ''
check "names, of the namespace that was typed" is_answer <<<$'web\n:end'
asks drift list configmaps --namespace=other --by ''
check "no manager there" is_answer <<<:end
asks drift list --cluster beta -n ''
check "no such cluster, no namespace" is_answer <<<:end
asks drift list --cluster ''
check "clusters" is_answer <<<$'alpha\n:end'
asks drift list --reference ''
check "references" is_answer <<<$'ref\n:end'
asks drift list --component ''
check "components" is_answer <<<$'c\n:end'
asks drift list --field ''
check "fields" is_answer <<<$'data.wanted\n:end'
asks explain ConfigMap wel
check "names of all that is watched" is_answer <<<$'well\n:end'
asks explain ConfigMap n
check "of many the first ones, and the last one" is_answer < <(printf 'n-%s\n' {000..198} 249 && echo :end)
answers() { [ "$(curl -s -o /dev/null -w '%{http_code}' "${@:2}")" = "$1" ]; } # answers STATUS CURL-ARGUMENTS...
check "no such words" answers 400 --unix-socket "$DRIFTD_SOCKET" "http://localhost/api/v1/words?of=x"
check "nor are there any by labels" answers 400 --unix-socket "$DRIFTD_SOCKET" "http://localhost/api/v1/words?of=name&labels=a"
check "not for whoever finds the port" answers 403 "$web/api/v1/words?of=name"
asks explain ConfigMap other/w
check "with their namespace" is_answer <<<$'other/web\nother/well\n:end'
asks explain ConfigMap/we
check "behind the kind" is_answer <<<$'ConfigMap/web\nConfigMap/well\n:end'
asks accept Con
check "a kind" is_answer <<<$'ConfigMap\n:end'
find_id() { id=$("$bin/driftd" drift list -n other --type drift -o name || true) && [ -n "$id" ]; }
find_id
asks drift show "${id:0:6}"
check "a finding" is_answer <<<"$id"$'\n:end'
check "and what it is" grep -qxF "$id"$'\twarning drift ConfigMap other/web' "$work/rows"
cause=$("$bin/driftd" drift list -n other --group -o name || true)
asks drift list --cause "${cause:0:6}"
check "a cause" is_answer <<<"$cause"$'\n:end'
acceptance=$("$bin/driftd" accept ConfigMap other/web --reason "it \$(touch made)" --owner me)
asks unaccept ''
check "an acceptance" is_answer <<<"$acceptance"$'\n:end'
"$bin/driftd" unaccept "$acceptance"
wait_until 30 "the drift to be told again" find_id
DRIFTD_SOCKET=$work/none.sock asks drift list --socket "$work/driftd.sock" -n o
check "the socket on the line" is_answer <<<$'other\n:end'
asks drift list -n o --socket "$work/none.sock" --cluster ''
check "also where nobody is" is_answer <<<:end

asks drift list configmaps ''
check "each name, and none that a terminal acts on" is_answer <<<"$(printf '%s\n' "${hostile[@]}" web)"$'\n:end'
for shell in "${shells[@]}"; do
	texts=() wanted=()
	for name in "${hostile[@]}"; do
		texts+=("driftd drift list configmaps ${name:0:2}" "driftd drift list configmaps/${name:0:2}" "driftd drift list --by m${name:0:2}"
			"driftd drift list --by=m${name:0:2}" "driftd accept ConfigMap shop/${name:0:2}")
		wanted+=(drift list configmaps "$name" drift list "configmaps/$name" drift list --by "m$name" drift list "--by=m$name"
			accept ConfigMap "shop/$name")
	done
	types "$shell" "${texts[@]}"
	check "$shell: each name as it is" runs "${wanted[@]}"
	types "$shell" "driftd drift list configmaps 'we" 'driftd drift list configmaps "we' 'driftd drift list -n other config' \
		'driftd explain ConfigMap other/wel' "driftd drift show ${id:0:8}" "driftd drift list --cluster=al"
	check "$shell: within quotes, and behind options" runs drift list configmaps web drift list configmaps web \
		drift list -n other configmaps explain ConfigMap other/well drift show "$id" drift list --cluster=alpha
	again=''
	[ "$shell" != bash ] || again=$'\t'
	types "$shell" "driftd drift list configmaps a$again" "driftd drift list --cause=$again" "driftd drift list --by mz$again"
	check "$shell: nothing of a name reaches the terminal" test "$(grep -ac $'z3\ex\|z5\u202ex' "$work/terminal.$shell.log")" = 0
	check "$shell: nothing was run" test ! -e "$made"
done

# ---- kubectl ----

ln -s driftd "$work/bin/kubectl-driftd"
ln -s "$completion/kubectl_complete-driftd" "$work/bin/"
in_kubectl() { "$completion/kubectl_complete-driftd" "$@" >"$work/words"; }
in_kubectl --all
check "kubectl: an option of compare" is_answer <<<$'--all-resources\n:4'
in_kubectl deploy.yaml x
check "kubectl: files" is_answer <<<:0
in_kubectl
check "kubectl: no word at all" is_answer <<<:0
in_kubectl -n ''
check "kubectl: namespaces of the running driftd" is_answer <<<$'other\nshop\n:4'
in_kubectl --kinds conf
check "kubectl: kinds" is_answer <<<$'configmaps\n:4'
in_kubectl "--\$(touch $made);.*"
check "kubectl: a word is no command" test ! -e "$made"
driftd complete --plain -- driftd drift list configmaps '' | grep -v '^:' >"$work/words"
check "no name that a shell acts on" test "$(grep -c '[^A-Za-z0-9_./:@%+=,-]' "$work/words")" = 0
check "others are there" offers a6:b:c
for tool in "${KUBEBUILDER_ASSETS_MODERN:-}/kubectl" kubectl; do
	command -v "$tool" >/dev/null || continue
	"$tool" __complete driftd -n o >"$work/words" 2>"$work/kubectl.log"
	check "kubectl asks so" is_answer <<<$'other\n:4'
	break
done

# ---- a daemon that does not answer; one with references and releases ----

kill -STOP "${pid[driftd]}"
asked_in_time() { timeout 60 "$bin/driftd" complete -- driftd drift list -n '' >"$work/rows" 2>&1; }
check "who does not answer is not waited for" asked_in_time
check "nothing is said of it" test ! -s "$work/rows"
kill -CONT "${pid[driftd]}"
stop driftd || fail "driftd did not end cleanly"

cat >"$work/stub.py" <<'P'
import http.server, json, os, socketserver, sys
revision = {"id": "b" * 40, "title": "v2 $(touch made)", "subject": "a\nb\x1b[2J"}
base = {"name": "base", "standing": "held", "next": revision, "inForce": {"id": "a" * 40, "title": "v1"}, "earlier": ["0" * 40]}
answers = {"/api/v1/references": {"items": [base, {"name": "-x"}]}, "/api/v1/references/base": base,
           "/api/v1/releases?namespace=shop": {"items": [{"namespace": "shop", "name": "web", "state": "in force"}]},
           "/api/v1/releases": {"items": [{"namespace": "shop", "name": "web"}, {"namespace": "other", "name": "db"}]}}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        known = self.path in answers
        body = json.dumps(answers.get(self.path, {"message": "no"})).encode()
        self.send_response(200 if known else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def address_string(self):
        return "socket"


class Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True


Server(sys.argv[1], Handler).serve_forever()
P
export DRIFTD_SOCKET=$work/stub.sock
start stub python3 "$work/stub.py" "$DRIFTD_SOCKET"
wait_until 20 "the stand-in" test -S "$DRIFTD_SOCKET"
for verb in show update accept pin unpin rollback export import; do
	asks reference "$verb" ''
	check "reference $verb NAME" is_answer <<<$'base\n:end'
done
asks reference pin base ''
check "revisions to pin" is_answer <<<"$(printf '%040d' 0 | tr 0 b)"$'\n'"$(printf '%040d' 0 | tr 0 a)"$'\n'"$(printf '%040d' 0)"$'\n:end'
check "and what they are" grep -qF $'\tnext v2 $(touch made) a b\\x1b[2J' "$work/rows"
asks reference accept base ''
check "the revision to accept" is_answer <<<"$(printf '%040d' 0 | tr 0 b)"$'\n:end'
asks reference rollback base ''
check "a revision to go back to" is_answer <<<"$(printf '%040d' 0)"$'\n:end'
asks reference export base ''
check "a file to export to" is_answer <<<:files
asks helm show ''
check "releases" is_answer <<<$'web\ndb\n:end'
asks helm show -n shop ''
check "of a namespace" is_answer <<<$'web\n:end'
asks helm show other/
check "with the namespace" is_answer <<<$'other/db\n:end'
asks compare --helm shop/
check "of compare" is_answer <<<$'shop/web\n:end'
