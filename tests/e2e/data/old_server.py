"""old_server.py LOG: an API server without aggregated discovery, over HTTP, with one deployment.

It says "port N" and writes each request into LOG as a line of JSON.
"""
import http.server, json, sys
log = open(sys.argv[1], "a", buffering=1)


def resources(version, name, kind, verbs):
    return {"kind": "APIResourceList", "groupVersion": version,
            "resources": [{"name": name, "kind": kind, "namespaced": True, "verbs": verbs}]}


answers = {
    "/api": {"kind": "APIVersions", "versions": ["v1"]},
    "/api/v1": resources("v1", "pods", "Pod", ["list"]),
    "/apis": {"kind": "APIGroupList",
              "groups": [{"name": "apps", "versions": [{"groupVersion": "apps/v1"}, {"groupVersion": "apps/v1beta1"}]}]},
    "/apis/apps/v1": resources("apps/v1", "deployments", "Deployment", ["list", "watch"]),
    "/apis/apps/v1beta1": resources("apps/v1beta1", "deployments", "Deployment", ["create"]),
    "/apis/apps/v1/deployments": {"kind": "DeploymentList", "apiVersion": "apps/v1", "metadata": {"resourceVersion": "7"},
                                  "items": [{"metadata": {"name": "web", "namespace": "d"}, "spec": {"replicas": 3}}]},
}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        path = self.path.split("?")[0]
        print(json.dumps({"path": self.path, "headers": dict(self.headers)}), file=log)
        body = json.dumps(answers.get(path, {"kind": "Status", "status": "Failure", "message": "no"})).encode()
        self.send_response(200 if path in answers else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *a):
        pass


s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print("port", s.server_port, flush=True)
s.serve_forever()
