#!/usr/bin/env bash
# A small answer that unpacks to a very large one costs no memory: the kind is a gap that says so, whichever answer it is, and an honest one
# is read though it compresses very well.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"

cat >"$work/server.py" <<'P'
"""server.py WHAT PORT-FILE: a server of one kind. Its answers of the sort WHAT (list, error, discovery) are 250 MB in 250 KB; "honest":
its list has 12 MB of the same letter."""
import gzip, http.server, json, sys, zlib

what = sys.argv[1]

def bomb():
    z = zlib.compressobj(9, zlib.DEFLATED, 31)
    head = b'{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[],"x":"'
    return z.compress(head) + b"".join(z.compress(b"a" * 1000000) for _ in range(250)) + z.flush()

BOMB = bomb()
kinds = {"kind": "APIResourceList", "groupVersion": "v1", "resources": [
    {"name": n, "singularName": "", "namespaced": n != "namespaces", "kind": k, "verbs": ["list", "watch", "get"]}
    for n, k in (("configmaps", "ConfigMap"), ("namespaces", "Namespace"))]}
item = {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "big", "namespace": "default", "resourceVersion": "1", "uid": "u"},
        "data": {"a": "a" * 1000000}}

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, body, status=200):
        body = body if isinstance(body, bytes) else gzip.compress(json.dumps(body).encode())
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        path, _, query = self.path.partition("?")
        if path == "/api":
            self.answer({"kind": "APIVersions", "versions": ["v1"]})
        elif path == "/apis":
            self.answer({"kind": "APIGroupList", "groups": []})
        elif path == "/api/v1":
            self.answer(BOMB if what == "discovery" else kinds)
        elif "watch=" in query:
            self.answer({"kind": "Status", "status": "Failure", "code": 405}, 405)
        elif what == "error":
            self.answer(BOMB, 500)
        elif what == "list" and "configmaps" in path:
            self.answer(BOMB)
        else:
            items = [dict(item, metadata=dict(item["metadata"], name="n%d" % i)) for i in range(12)]
            self.answer({"kind": "List", "apiVersion": "v1", "metadata": {"resourceVersion": "1"},
                         "items": items if "configmaps" in path else []})

    def do_POST(self):
        self.answer({"kind": "Status", "status": "Failure", "code": 403}, 403)

    def log_message(self, *args):
        pass

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
with open(sys.argv[2], "w") as f:
    print(server.server_port, file=f)
server.serve_forever()
P
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}quarantine_size_mb=1 # it would keep what was freed
mkdir "$work/reference"
cat >"$work/reference/metadata.yaml" <<'Y'
apiVersion: v2
parts:
  - name: p
    components:
      - name: c
        allOf: [{path: cm.yaml}]
Y
printf 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: n1, namespace: default}\ndata: {a: b}\n' >"$work/reference/cm.yaml"

begin() { # begin WHAT
	rm -f "$work/port" "$work/records"
	start server python3 "$work/server.py" "$1" "$work/port"
	wait_until 10 "the server" test -s "$work/port"
	cat >"$work/kubeconfig" <<Y
apiVersion: v1
kind: Config
current-context: e
clusters: [{name: e, cluster: {server: "http://127.0.0.1:$(cat "$work/port")"}}]
users: [{name: e, user: {}}]
contexts: [{name: e, context: {cluster: e, user: e}}]
Y
	rm -rf "$work/state"
	configure "$work/reference"
	start_driftd
}
peak_kb() { awk '/^VmHWM/ { print $2 }' "/proc/${pid[driftd]}/status"; }
end() { stop driftd || fail "driftd did not end cleanly"; stop server || true; }
said() { grep -qF "$1" "$work/records"; }

begin honest
wait_until 60 "the honest list" all_synced
idle=$(peak_kb)
end
for what in list error discovery; do
	begin $what
	case $what in
	error) wait_until 60 "the gap ($what)" said "500 Internal Server Error" ;;
	*) wait_until 60 "the gap ($what)" said "unpacks to more than 100 times its size" ;;
	esac
	sleep 3 # it tries again
	peak=$(peak_kb)
	check "$what: $peak KB, not much more than $idle KB" test "$peak" -lt $((idle + 100000))
	end
done
