#!/usr/bin/env bash
# driftd check-config --connect with a server that lies and with files that lie elsewhere: what is said of the others stays true.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"

cat >"$work/server.py" <<'P'
"""server.py PORT-FILE: a server whose names are as long as names may be; its answers hold what a terminal would obey."""
import http.server, json, sys

GROUP, PLURAL = "g" * 253, "p" * 253
VERBS = ["list", "watch", "get"]

def resources(group_version, *names):
    return {"kind": "APIResourceList", "groupVersion": group_version, "resources": [
        {"name": n, "singularName": "", "namespaced": True, "kind": k, "verbs": VERBS} for n, k in names]}

ANSWERS = {
    "/api": {"kind": "APIVersions", "versions": ["v1"]},
    "/apis": {"kind": "APIGroupList", "groups": [{"name": GROUP, "versions": [{"groupVersion": GROUP + "/v1", "version": "v1"}]}]},
    "/api/v1": resources("v1", ("configmaps", "ConfigMap"), ("evil\x1b[2J\n", "Evil\nzz server ok")),
    "/apis/" + GROUP + "/v1": resources(GROUP + "/v1", (PLURAL, "Long")),
    "/version": {"gitVersion": "v1.29.3-gke.1282001\x1b[2J\nzz  server  ok"},
}
DENIED = {"kind": "SelfSubjectAccessReview", "status": {"allowed": False, "reason": "\x1b[2J\nforged"}}

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, what, status=200):
        body = json.dumps(what).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        path = self.path.partition("?")[0]
        self.answer(ANSWERS.get(path, {"kind": "Status", "code": 404}), 200 if path in ANSWERS else 404)

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(DENIED, 201)

    def log_message(self, *_):
        pass

class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

server = Server(("127.0.0.1", 0), Handler)
with open(sys.argv[1], "w") as f:
    f.write(str(server.server_address[1]) + "\n")
server.serve_forever()
P
start server python3 "$work/server.py" "$work/port"
wait_until 10 "the server's port" test -s "$work/port"

kubeconfig() { # kubeconfig USER-FIELDS
	cat <<Y
apiVersion: v1
kind: Config
current-context: x
clusters: [{name: x, cluster: {server: "http://127.0.0.1:$(cat "$work/port")"}}]
contexts: [{name: x, context: {cluster: x, user: x}}]
users: [{name: x, user: {$1}}]
Y
}
preflight() { # preflight STATUS [OPTIONS...]: its table in $work/table, its rows as JSON in $work/rows
	local status=0 wanted=$1
	shift
	"$bin/driftd" check-config -c driftd.yaml --connect "$@" >"$work/table" 2>"$work/said" || status=$?
	check "check-config --connect $* ends with $wanted, and not $status: $(cat "$work/said" "$work/table")" test $status = "$wanted"
	"$bin/driftd" check-config -c driftd.yaml --connect -o json "$@" 2>/dev/null >"$work/rows" || true
	check "one JSON document: $(cat "$work/rows")" jq -se 'length == 1 and (.[0].checks | length > 0)' "$work/rows"
}
row() { # row CLUSTER CHECK RESULT DETAIL: there is one, its check beginning so, with this in its detail
	check "$1: $2 is $3: $4; and not: $(cat "$work/rows")" jq -e --arg c "$1" --arg w "$2" --arg r "$3" --arg d "$4" \
		'any(.checks[]; .cluster == $c and (.check | startswith($w)) and .result == $r and (.detail | contains($d)))' "$work/rows"
}

# ---- a server that lies ----

mkdir "$work/etc" "$work/away" "$work/etc/folder"
cd "$work/etc"
mkdir ref
template ref/one.yaml v1 ConfigMap one shop <<<'data: {a: b}'
reference ref allOf one.yaml
cat >rules.yaml <<'Y'
apiVersion: "*"
kind: "*"
namespace: a-namespace-with-a-name
rules: [{rule: "true"}]
Y
kubeconfig 'token: not-to-be-seen' >kubeconfig
kubeconfig 'exec: {apiVersion: client.authentication.k8s.io/v1, command: ./folder, interactiveMode: Never}' |
	sed 's|http://|https://|' >by-folder
chmod 600 kubeconfig by-folder
cat >driftd.yaml <<'Y'
clusters: [{name: liar, kubeconfig: kubeconfig}, {name: zz, kubeconfig: by-folder}]
references: [{name: shop, path: ref/metadata.yaml}]
validation_rules: [rules.yaml]
Y
preflight 1
row liar server ok "version v1.29.3-gke.1282001"
row liar pppppppp failed " may not be listed and watched"
row zz "credential plugin" failed "./folder: "
check "a plugin that gave nothing is not well" jq -e 'all(.checks[]; .check != "credential plugin" or .result != "ok")' "$work/rows"
check "nothing that a terminal obeys" test -z "$(tr -d '\n\40-\176' <"$work/table")"
check "no forged line: $(cat "$work/table")" test "$(grep -c . "$work/table")" = $(($(jq '.checks | length' "$work/rows") + 2))
check "no token" test "$(grep -c not-to-be-seen "$work/table" "$work/rows" "$work/said" | grep -c ':0$')" = 3

# ---- files that lie elsewhere than where they are named ----

[ "$(id -u)" = 0 ] || exit 0
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 # it cannot trace a process that gave up root
chmod 755 "$work"
printf 'clusters: [{name: liar, kubeconfig: kubeconfig}]\nreferences: [{name: shop, path: ref/metadata.yaml}]\n' >driftd.yaml
chmod -R a+rX "$work/etc"
case $(realpath "$work") in /tmp/* | /var/tmp/* | /home/* | /root/*) ;; *) exit 0 ;; esac
preflight 1 --user nobody
row "" configuration warning "driftd.yaml: driftd.service does not see it: "
row liar kubeconfig warning "kubeconfig: driftd.service does not see it: "
