#!/usr/bin/env python3
"""replayer.py OBJECTS [SEED [SET]]: an API server of prepared bytes, for measuring a client and not a server.

The objects of a set of workloads.py in one list for each kind, whole, in pages or as initial events; by default pods of about 6.5 KB (3.4 KB without
managedFields). Then events as fast as they are read, or at a rate. Everything is text before it is asked for. On standard output: "listening on URL".
With PAGES=1 in the environment it refuses initial events, as a server without the feature does.

  POST /_replay?what=CHANGE&count=N&rate=R   send N events on the watches (R a second; 0: as fast as they are read); answers when they are sent.
                                             again=1: the bytes that were sent when the same was asked for before, for a client that has just listed
    unseen   what every reference leaves out changes (in the status); touched: the time in managedFields too
    unnamed  what a template may leave unspecified changes (the node's name)
    judged   a label changes that a template may read (metadata.labels.tier); ruled: what validation rules read, in the set "routes"
    drift    what templates want changes, and with the next round of events comes back
  GET /_list    the lists as one answer, for measuring their transfer
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

from workloads import CHANGES, Set, text

total = int(sys.argv[1])
random.seed(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
PAGE = 500
pages_only = os.environ.get("PAGES") == "1"


class Served:
    """A kind with its bytes."""

    def __init__(self, resource):
        self.kind, self.version, self.texts, self.watches = resource.kind, resource.version, resource.texts, []
        self.head = text({"kind": self.kind, "apiVersion": self.version})[:-1] + ","
        n = len(self.texts)
        self.pages = [self.listed(self.texts[i:i + PAGE], str(i + PAGE) if i + PAGE < n else "") for i in range(0, max(n, 1), PAGE)]
        self.initial = list(self.events())

    def item(self, t):
        return self.head + t[1:] if ".example.com/" in self.version else t  # as servers do: custom resources say what they are

    def listed(self, items, more):
        meta = '"resourceVersion":"2000000"' + (',"continue":"%s"' % more if more else "")
        return ('{"kind":"%sList","apiVersion":"%s","metadata":{%s},"items":[' % (self.kind, self.version, meta) + ",".join(map(self.item, items)) + "]}\n").encode()

    def events(self):
        for i in range(0, len(self.texts), PAGE):
            yield "".join('{"type":"ADDED","object":%s%s}\n' % (self.head, t[1:]) for t in self.texts[i:i + PAGE]).encode()
        yield text({"type": "BOOKMARK", "object": {"kind": self.kind, "apiVersion": self.version, "metadata": {
            "resourceVersion": "2000000", "annotations": {"k8s.io/initial-events-end": "true"}}}}).encode() + b"\n"


objects = Set(sys.argv[3] if len(sys.argv) > 3 else "pods", total)
served = {r.url: Served(r) for r in objects.resources.values()}
counted = [served[r.url] for r in objects.counted]
every = [(s, t) for s in counted for t in s.texts]
version = 2000000
drifted = False
prepared = {}


def changed(what, t, back):
    out = t if back else CHANGES[what](t, version)
    if out == t and not back:
        raise ValueError("%s changes nothing of %s" % (what, t[:300]))
    at = out.index('"resourceVersion":"') + 19
    return out[:at] + str(version) + out[out.index('"', at):]


def prepare(what, count):
    """@count events in chunks of about 1,000, each for the watches of a kind."""
    global version, drifted
    if what == "drift" and count:
        drifted = not drifted
    chunks, lines = [], {}
    for k in range(count):
        s, t = every[k * 7919 % len(every)]
        version += 1
        back = what == "drift" and (k // len(every)) % 2 != (0 if drifted else 1)
        lines.setdefault(s, []).append('{"type":"MODIFIED","object":%s%s}\n' % (s.head, changed(what, t, back)[1:]))
        if len(lines[s]) == 1000:
            chunks.append((s, "".join(lines.pop(s)).encode()))
    return chunks + [(s, "".join(some).encode()) for s, some in lines.items()]


def again(what, count):
    """As prepare(); versions are those of this change, in whatever order changes are asked for, later ones of CHANGES above earlier ones."""
    global version, drifted
    if (what, count) not in prepared:
        version, drifted = 10000000 * (1 + list(CHANGES).index(what)), False
        prepared[what, count] = prepare(what, count)
    return prepared[what, count]


lock = threading.Lock()


def discovery():
    """Path: what is told of the groups, versions and kinds there are."""
    versions, groups = {}, {}
    for r in objects.resources.values():
        versions.setdefault(r.path, []).append({"name": r.plural, "singularName": r.kind.lower(), "namespaced": r.kind != "CustomResourceDefinition",
                                                "kind": r.kind, "verbs": ["get", "list", "watch"]})
        if r.path != "/api/v1":
            groups[r.version.split("/")[0]] = r.version
    out = {path: {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": path.split("/", 2)[2], "resources": kinds} for path, kinds in versions.items()}
    out.setdefault("/api/v1", {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "v1", "resources": []})
    out["/apis"] = {"kind": "APIGroupList", "apiVersion": "v1", "groups": [
        {"name": g, "versions": [{"groupVersion": v, "version": v.split("/")[1]}], "preferredVersion": {"groupVersion": v, "version": v.split("/")[1]}}
        for g, v in groups.items()]}
    out["/api"] = {"kind": "APIVersions", "versions": ["v1"]}
    out["/version"] = {"major": "1", "minor": "36", "gitVersion": "v1.36.0"}
    return {path: text(answer).encode() for path, answer in out.items()}


DISCOVERY = discovery()


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

    def stream(self, one, initial_events):
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        for chunk in one.initial if initial_events else ():
            self.connection.sendall(chunk)
        over = threading.Event()
        with lock:
            one.watches.append((self.connection, over))
        over.wait()

    def send_watches(self, one, data):
        for connection, over in list(one.watches):
            try:
                connection.sendall(data)
            except OSError:
                one.watches.remove((connection, over))
                over.set()

    def refuse(self, status, reason, message):
        self.answer(text({"kind": "Status", "status": "Failure", "code": status, "reason": reason, "message": message}).encode(), status)

    def do_GET(self):
        url = urllib.parse.urlparse(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        one = served.get(url.path)
        if url.path == "/_list":
            pages = [page for s in counted for page in s.pages]
            self.send_response(200)
            self.send_header("Content-Length", str(sum(map(len, pages))))
            self.end_headers()
            for page in pages:
                self.connection.sendall(page)
        elif url.path == "/_bytes":
            self.answer(text({"objects": total, "listed": sum(len(page) for s in counted for page in s.pages), "compact": objects.compact}).encode())
        elif url.path in DISCOVERY:
            self.answer(DISCOVERY[url.path])
        elif not one:
            self.refuse(404, "NotFound", "not found")
        elif query.get("sendInitialEvents") and pages_only:
            self.refuse(422, "Invalid", "sendInitialEvents: Forbidden: forbidden for watch unless the WatchList feature gate is enabled")
        elif query.get("watch") in ("1", "true"):
            self.stream(one, query.get("sendInitialEvents") == "true")
        else:
            self.answer(one.pages[int(query.get("continue") or 0) // PAGE])

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
        chunks = again(query["what"], count) if query.get("again") else prepare(query["what"], count)
        begun = time.time()
        with lock:
            for n, (one, data) in enumerate([(one, line) for one, chunk in chunks for line in chunk.splitlines(True)] if rate else chunks):
                if rate:
                    time.sleep(max(0, begun + n / rate - time.time()))
                self.send_watches(one, data)
        self.answer(text({"seconds": time.time() - begun}).encode())


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True


server = Server(("127.0.0.1", 0), Handler)
print("listening on http://127.0.0.1:%d" % server.server_address[1], flush=True)
server.serve_forever()
