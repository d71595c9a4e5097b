#!/usr/bin/env python3
"""replayer.py OBJECTS [SEED]: an API server of prepared bytes, for measuring a client and not a server.

Pods of about 6.5 KB (3.4 KB without managedFields) in one list, whole, in pages or as initial events; then events as fast as they are read, or at a
rate. Everything is text before it is asked for. On standard output: "listening on URL". With PAGES=1 in the environment it refuses initial events, as
a server without the feature does.

  POST /_replay?what=unseen|unnamed|judged|drift&count=N&rate=R   send N events on the watch (R a second; 0: as fast as they are read); answers when they are sent
    unseen   what every reference leaves out changes (in the status)
    unnamed  what a template may leave unspecified changes (the node's name)
    judged   a label changes that a template may read (metadata.labels.tier)
    drift    the restart policy changes, and with the next round of events comes back
  GET /_list    the list as one answer, for measuring its transfer
"""
import http.server
import json
import os
import random
import socket
import sys
import threading
import time
import urllib.parse

total = int(sys.argv[1])
random.seed(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
PAGE = 500
pages_only = os.environ.get("PAGES") == "1"


def hexadecimal(bits):
    return "%0*x" % (bits // 4, random.getrandbits(bits))


def uid():
    h = hexadecimal(128)
    return "-".join((h[:8], h[8:12], h[12:16], h[16:20], h[20:]))


APPS = ["%s-%s" % (a, b) for a in ("checkout", "catalog", "search", "ledger", "profile", "gateway", "mailer", "indexer")
        for b in ("api", "worker", "cache", "web", "cron", "stream", "batch")]


def own(*names):
    return {n if n == "." else "f:" + n: {} for n in names}


def managed(app):
    container = {**own(".", "args", "command", "image", "imagePullPolicy", "name", "terminationMessagePath", "terminationMessagePolicy"),
                 "f:env": {".": {}, **{'k:{"name":"%s"}' % e: own(".", "name", "value") for e in ("LOG_LEVEL", "REGION", "QUEUE", "TRACE", "CACHE_TTL", "PEERS")}},
                 "f:livenessProbe": {**own(".", "failureThreshold", "periodSeconds", "successThreshold", "timeoutSeconds"), "f:httpGet": own(".", "path", "port", "scheme")},
                 "f:ports": {".": {}, 'k:{"containerPort":8080,"protocol":"TCP"}': own(".", "containerPort", "name", "protocol")},
                 "f:resources": {**own("."), "f:limits": own(".", "cpu", "memory"), "f:requests": own(".", "cpu", "memory")},
                 "f:securityContext": own(".", "allowPrivilegeEscalation", "readOnlyRootFilesystem", "runAsNonRoot"),
                 "f:volumeMounts": {".": {}, 'k:{"mountPath":"/etc/app"}': own(".", "mountPath", "name", "readOnly")}}
    condition = own(".", "lastProbeTime", "lastTransitionTime", "status", "type")
    return [
        {"manager": "kube-controller-manager", "operation": "Update", "apiVersion": "v1", "time": "2026-01-01T00:00:00Z", "fieldsType": "FieldsV1",
         "fieldsV1": {"f:metadata": {"f:annotations": own(".", "checksum/config", "prometheus.io/scrape"), "f:generateName": {},
                                     "f:labels": own(".", "app", "pod-template-hash", "team", "tier"),
                                     "f:ownerReferences": {".": {}, 'k:{"uid":"%s"}' % uid(): {}}},
                      "f:spec": {"f:containers": {'k:{"name":"%s"}' % app: container}, "f:securityContext": own(".", "fsGroup"),
                                 **own("dnsPolicy", "enableServiceLinks", "restartPolicy", "schedulerName", "serviceAccount", "serviceAccountName",
                                       "terminationGracePeriodSeconds"),
                                 "f:volumes": {".": {}, 'k:{"name":"config"}': {".": {}, "f:configMap": own(".", "defaultMode", "name"), "f:name": {}}}}}},
        {"manager": "kubelet", "operation": "Update", "apiVersion": "v1", "time": "2026-01-01T00:05:00Z", "fieldsType": "FieldsV1", "subresource": "status",
         "fieldsV1": {"f:status": {"f:conditions": {'k:{"type":"%s"}' % t: condition for t in ("ContainersReady", "Initialized", "Ready", "PodReadyToStartContainers")},
                                   **own("containerStatuses", "hostIP", "hostIPs", "phase", "podIP", "podIPs", "startTime")}}},
    ]


def pod(i):
    app = APPS[i % len(APPS)]
    node, second = "node-%03d" % random.randrange(400), "2026-01-%02dT%02d:%02d:%02dZ" % (1 + i % 28, i % 24, i % 60, random.randrange(60))
    name = "%s-%s-%s" % (app, hexadecimal(40), "%05x" % i)
    return {
        "metadata": {
            "name": name, "generateName": name[:-5], "namespace": "team-%d" % (i % 90), "uid": uid(), "resourceVersion": str(1000000 + i), "creationTimestamp": second,
            "labels": {"app": app, "pod-template-hash": hexadecimal(40), "team": "platform", "tier": ("front", "back")[i % 2]},
            "annotations": {"checksum/config": hexadecimal(256), "prometheus.io/scrape": "true"},
            "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": name[:-6], "uid": uid(), "controller": True, "blockOwnerDeletion": True}],
            "managedFields": managed(app),
        },
        "spec": {
            "containers": [{
                "name": app, "image": "registry.example.com/%s:1.%d.%d" % (app, i % 30, i % 7), "command": ["/usr/bin/" + app], "imagePullPolicy": "IfNotPresent",
                "args": ["--listen=:8080", "--config=/etc/app/config.yaml", "--log-format=json"],
                "env": [{"name": n, "value": v} for n, v in (("LOG_LEVEL", "info"), ("REGION", "eu-west-%d" % (i % 3)), ("QUEUE", "amqp://queue.%s.svc:5672" % app),
                                                             ("TRACE", "http://otel-collector.observability.svc:4317"), ("CACHE_TTL", "%ds" % (i % 600)),
                                                             ("PEERS", "%s-headless.team-%d.svc.cluster.local" % (app, i % 90)))],
                "ports": [{"name": "http", "containerPort": 8080, "protocol": "TCP"}],
                "livenessProbe": {"httpGet": {"path": "/healthz", "port": 8080, "scheme": "HTTP"}, "periodSeconds": 10, "timeoutSeconds": 1, "successThreshold": 1,
                                  "failureThreshold": 3},
                "resources": {"limits": {"cpu": "500m", "memory": "512Mi"}, "requests": {"cpu": "100m", "memory": "%dMi" % (64 + i % 64)}},
                "securityContext": {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "runAsNonRoot": True},
                "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
                "volumeMounts": [{"name": "config", "mountPath": "/etc/app", "readOnly": True},
                                 {"name": "kube-api-access-" + hexadecimal(20), "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount", "readOnly": True}],
            }],
            "volumes": [{"name": "config", "configMap": {"name": app + "-config", "defaultMode": 420}}],
            "restartPolicy": "Always", "terminationGracePeriodSeconds": 30, "dnsPolicy": "ClusterFirst", "serviceAccountName": app, "serviceAccount": app,
            "nodeName": node, "schedulerName": "default-scheduler", "enableServiceLinks": True, "priority": 0, "preemptionPolicy": "PreemptLowerPriority",
            "securityContext": {"fsGroup": 2000},
            "tolerations": [{"key": "node.kubernetes.io/" + k, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300} for k in ("not-ready", "unreachable")],
        },
        "status": {
            "phase": "Running", "qosClass": "Burstable", "hostIP": "10.0.%d.%d" % (i % 4, i % 250), "podIP": "10.%d.%d.%d" % (1 + i % 60, i % 250, i // 7 % 250), "startTime": second,
            "conditions": [{"type": t, "status": "True", "lastProbeTime": None, "lastTransitionTime": second} for t in
                           ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")],
            "containerStatuses": [{"name": app, "ready": True, "restartCount": 0, "started": True, "image": "registry.example.com/%s:1.%d.%d" % (app, i % 30, i % 7),
                                   "imageID": "registry.example.com/%s@sha256:%s" % (app, hexadecimal(256)), "containerID": "containerd://" + hexadecimal(256),
                                   "state": {"running": {"startedAt": second}}, "lastState": {}}],
        },
    }


def text(value):
    return json.dumps(value, separators=(",", ":"))


def listed(items, version="2000000", more=""):
    meta = '"resourceVersion":"%s"' % version + (',"continue":"%s"' % more if more else "")
    return ('{"kind":"PodList","apiVersion":"v1","metadata":{%s},"items":[' % meta + ",".join(items) + "]}\n").encode()


print("preparing %d pods" % total, file=sys.stderr, flush=True)
pods = []
compact = 0
for i in range(total):
    p = pod(i)
    pods.append(text(p))
    del p["metadata"]["managedFields"]
    compact += len(text(p))
pages = [listed(pods[i:i + PAGE], more=str(i + PAGE) if i + PAGE < total else "") for i in range(0, max(total, 1), PAGE)]
END = b'{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"2000000","annotations":{"k8s.io/initial-events-end":"true"}}}}\n'
HEAD = '{"kind":"Pod","apiVersion":"v1",'


def initial():
    for i in range(0, total, PAGE):
        yield "".join('{"type":"ADDED","object":%s%s}\n' % (HEAD, p[1:]) for p in pods[i:i + PAGE]).encode()
    yield END


INITIAL = list(initial())
version = 2000000
drifted = False


def prepare(what, count):
    """@count events in chunks of about 1,000."""
    global version, drifted
    if what == "drift" and count:
        drifted = not drifted
    chunks, lines = [], []
    for k in range(count):
        p = pods[k * 7919 % total]
        version += 1
        at = p.index('"resourceVersion":"') + 19
        p = p[:at] + str(version) + p[p.index('"', at):]
        if what == "unseen":
            p = p.replace('"phase":"Running","qosClass":"Burstable"', '"phase":"Running","qosClass":"%s"' % ("Burstable", "Guaranteed", "BestEffort")[version % 3])
        elif what == "unnamed":
            p = p.replace('"nodeName":"node-', '"nodeName":"host-%d-' % (version % 1000))
        elif what == "judged":
            p = p.replace('"tier":"front"', '"tier":"t%d"' % version).replace('"tier":"back"', '"tier":"t%d"' % version)
        elif (k // total) % 2 == (0 if drifted else 1):
            p = p.replace('"restartPolicy":"Always"', '"restartPolicy":"OnFailure"')
        lines.append('{"type":"MODIFIED","object":%s%s}\n' % (HEAD, p[1:]))
        if len(lines) == 1000:
            chunks.append("".join(lines).encode())
            lines = []
    if lines:
        chunks.append("".join(lines).encode())
    return chunks


watches = []
lock = threading.Lock()
RESOURCES = {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "v1",
             "resources": [{"name": "pods", "singularName": "pod", "namespaced": True, "kind": "Pod", "verbs": ["get", "list", "watch"]}]}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def setup(self):
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def log_message(self, *args):
        pass

    def answer(self, body, status=200):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def stream(self, initial_events):
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        for chunk in INITIAL if initial_events else ():
            self.connection.sendall(chunk)
        over = threading.Event()
        with lock:
            watches.append((self.connection, over))
        over.wait()

    def send_watches(self, data):
        for connection, over in list(watches):
            try:
                connection.sendall(data)
            except OSError:
                watches.remove((connection, over))
                over.set()

    def do_GET(self):
        url = urllib.parse.urlparse(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        if url.path == "/_list":
            self.send_response(200)
            self.send_header("Content-Length", str(sum(map(len, pages))))
            self.end_headers()
            for page in pages:
                self.connection.sendall(page)
        elif url.path == "/_bytes":
            self.answer(text({"objects": total, "listed": sum(map(len, pages)), "compact": compact}).encode())
        elif url.path == "/version":
            self.answer(text({"major": "1", "minor": "36", "gitVersion": "v1.36.0"}).encode())
        elif url.path == "/api":
            self.answer(text({"kind": "APIVersions", "versions": ["v1"]}).encode())
        elif url.path == "/apis":
            self.answer(text({"kind": "APIGroupList", "apiVersion": "v1", "groups": []}).encode())
        elif url.path == "/api/v1":
            self.answer(text(RESOURCES).encode())
        elif url.path == "/api/v1/pods" and query.get("sendInitialEvents") and pages_only:
            self.answer(text({"kind": "Status", "status": "Failure", "code": 422, "reason": "Invalid",
                              "message": "sendInitialEvents: Forbidden: forbidden for watch unless the WatchList feature gate is enabled"}).encode(), 422)
        elif url.path == "/api/v1/pods" and query.get("watch") in ("1", "true"):
            self.stream(query.get("sendInitialEvents") == "true")
        elif url.path == "/api/v1/pods":
            self.answer(pages[int(query.get("continue") or 0) // PAGE])
        else:
            self.answer(text({"kind": "Status", "status": "Failure", "code": 404, "reason": "NotFound"}).encode(), 404)

    def do_POST(self):
        url = urllib.parse.urlparse(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if url.path != "/_replay":  # access reviews
            review = json.loads(sent or b"{}")
            review["status"] = {"allowed": True}
            self.answer(text(review).encode(), 201)
            return
        count, rate = int(query["count"]), int(query.get("rate", 0))
        chunks = prepare(query["what"], count)
        begun = time.time()
        with lock:
            for n, line in enumerate((line for chunk in chunks for line in chunk.splitlines(True)) if rate else chunks):
                if rate:
                    time.sleep(max(0, begun + n / rate - time.time()))
                self.send_watches(line)
        self.answer(text({"seconds": time.time() - begun}).encode())


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True


server = Server(("127.0.0.1", 0), Handler)
print("listening on http://127.0.0.1:%d" % server.server_address[1], flush=True)
server.serve_forever()
