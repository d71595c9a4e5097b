#!/usr/bin/env python3
"""scale_measure.py [BIN-FOLDER [FILE]]: what a process, a cluster, a watch, an object and an update cost driftd, measured and written to FILE
(scale_constants.json beside this) for scale_sim.py, with the runs that the model is held against. Clusters are served by feeder (small ConfigMaps),
pods by replayer.py. Each run is a process of its own; CPU time is user and system of all threads, which others on the machine do not take; memory
is VmRSS after SETTLE seconds (5). CHECK: clusters of the runs that are only compared with the model (10 40)."""
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = sys.argv[1] if len(sys.argv) > 1 else HERE + "/../../build/release/bin"
FILE = sys.argv[2] if len(sys.argv) > 2 else HERE + "/scale_constants.json"
SETTLE = float(os.environ.get("SETTLE", 5))
CHECK = [int(n) for n in os.environ.get("CHECK", "10 40").split()]
IDLE = 10  # seconds
MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: '{{ .metadata.name }}'\n  namespace: '{{ .metadata.namespace }}'\ndata: {v: \"1\", mode: steady}\n"
POD = ("apiVersion: v1\nkind: Pod\nmetadata:\n  name: '{{ .metadata.name }}'\n  namespace: '{{ .metadata.namespace }}'\n"
       "  labels: {tier: '{{ .metadata.labels.tier }}', team: platform}\nspec:\n  restartPolicy: Always\n  dnsPolicy: ClusterFirst\n"
       "  serviceAccountName: '{{ .metadata.labels.app }}'\n")


def free_port():
    s = socket.socket()
    s.bind(("127.0.0.1", 0))
    return s.getsockname()[1]


def get(url, data=None):
    with urllib.request.urlopen(urllib.request.Request(url, data=data), timeout=600) as answer:
        return answer.read().decode()


class Run:
    """driftd over these servers."""

    def __init__(self, servers, template):
        self.work = tempfile.mkdtemp()
        entries = ""
        for i, server in enumerate(servers):
            path = "%s/kubeconfig-%d" % (self.work, i)
            with open(path, "w") as out:
                out.write('{"apiVersion":"v1","kind":"Config","current-context":"c","contexts":[{"name":"c","context":{"cluster":"c","user":"u"}}],'
                          '"clusters":[{"name":"c","cluster":{"server":"%s"}}],"users":[{"name":"u","user":{}}]}' % server)
            entries += "  - {name: c%d, kubeconfig: %s}\n" % (i, path)
        os.mkdir(self.work + "/reference")
        with open(self.work + "/reference/metadata.yaml", "w") as out:
            out.write("apiVersion: v2\nparts:\n  - name: p\n    components:\n      - name: c\n        anyOf:\n"
                      "          - {path: t.yaml, config: {ignore-unspecified-fields: true}}\n")
        with open(self.work + "/reference/t.yaml", "w") as out:
            out.write(template)
        os.mkdir(self.work + "/state")
        with open(self.work + "/driftd.yaml", "w") as out:
            out.write("clusters:\n%sreferences:\n  - {name: ref, path: %s/reference/metadata.yaml}\nstate_dir: %s/state\nflapping: {changes: 0}\n"
                      % (entries, self.work, self.work))
        port = free_port()
        self.web = "http://127.0.0.1:%d" % port
        self.log = open(self.work + "/log", "w")
        self.began = time.monotonic()
        self.process = subprocess.Popen([FOLDER + "/driftd", "run", "-c", self.work + "/driftd.yaml", "-o", "json", "--web.listen-address",
                                         "127.0.0.1:%d" % port], stdout=subprocess.DEVNULL, stderr=self.log)
        while not self.ready():
            if self.process.poll() is not None or time.monotonic() - self.began > 600:
                sys.exit("waited in vain: " + open(self.work + "/log").read()[-1000:])
            time.sleep(0.05)
        self.quiet()
        self.wall, self.listed_cpu = time.monotonic() - self.began, self.cpu()
        time.sleep(SETTLE)

    def ready(self):
        try:
            return get(self.web + "/-/ready")
        except OSError:
            return None

    def sum(self, family):
        return sum(float(n) for n in re.findall(r"^%s(?:\{[^\n]*\})? (\S+)$" % family, get(self.web + "/metrics"), re.M))

    def quiet(self):
        before = -1
        while True:
            now = self.sum("driftd_watch_events_total")
            if now == before and self.sum("driftd_queue_length") == 0:
                return
            before = now
            time.sleep(0.3)

    def cpu(self):
        folder = "/proc/%d/task" % self.process.pid
        return sum(int(open("%s/%s/schedstat" % (folder, t)).read().split()[0]) for t in os.listdir(folder)) / 1e9

    def memory(self):
        return int(re.search(r"VmRSS:\s+(\d+)", open("/proc/%d/status" % self.process.pid).read()).group(1)) * 1024

    def connections(self):
        links = [os.readlink("/proc/%d/fd/%s" % (self.process.pid, f)) for f in os.listdir("/proc/%d/fd" % self.process.pid)]
        return len([link for link in links if link.startswith("socket:")])

    def idle(self):
        before, began = self.cpu(), time.monotonic()
        time.sleep(IDLE)
        return (self.cpu() - before) / (time.monotonic() - began)

    def end(self):
        self.process.terminate()
        self.process.wait(60)
        shutil.rmtree(self.work)


def maps(clusters, objects):
    """Clusters of ConfigMaps."""
    feeders = [subprocess.Popen([FOLDER + "/feeder", str(objects), "2000", "1"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
               for _ in range(clusters)]
    d = Run(["http://127.0.0.1:" + f.stdout.readline().strip() for f in feeders], MAP)
    row = {"clusters": clusters, "objects": objects, "rss": d.memory(), "cpu_list": d.listed_cpu, "wall_list": d.wall, "idle": d.idle(),
           "sockets": d.connections()}
    d.end()
    for f in feeders:
        f.kill()
        f.wait()
    print(row, file=sys.stderr)
    return row


def pods(objects, what=()):
    """One cluster of pods; what an update of each kind costs, and its bytes on the wire."""
    server = subprocess.Popen([sys.executable, HERE + "/replayer.py", str(objects)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    url = server.stdout.readline().split()[-1]
    began = os.times()
    listed = subprocess.run(["curl", "-s", url + "/_list"], check=True, stdout=subprocess.PIPE).stdout
    after = os.times()
    transfer = after.children_user + after.children_system - began.children_user - began.children_system
    d = Run([url], POD)
    row = {"objects": objects, "rss": d.memory(), "cpu_list": d.listed_cpu, "wall_list": d.wall, "bytes": len(listed), "cpu_transfer": transfer}
    for w in what:
        n0, cpu, count = d.sum("driftd_watch_events_total"), d.cpu(), 60000
        get(url + "/_replay?what=%s&count=%d" % (w, count), b"")
        d.quiet()
        row[w] = (d.cpu() - cpu) / (d.sum("driftd_watch_events_total") - n0)
    d.end()
    server.kill()
    server.wait()
    print(row, file=sys.stderr)
    return row


def slope(a, b, of, by):
    return (b[of] - a[of]) / (b[by] - a[by])


def fit(runs, of):
    """What a process, a cluster and an object cost, so that the relative errors over the runs are the least; nothing costs less than 0."""
    rows = [(1, r["clusters"], r["clusters"] * r["objects"], r[of]) for r in runs]
    use = [0, 1, 2]
    while True:
        m = [[sum(row[i] * row[k] / row[3] ** 2 for row in rows) for k in use] + [sum(row[i] / row[3] for row in rows)] for i in use]
        for i in range(len(use)):  # Gauss and Jordan
            m[i] = [x / m[i][i] for x in m[i]]
            m = [row if k == i else [x - row[i] * y for x, y in zip(row, m[i])] for k, row in enumerate(m)]
        found = {u: m[i][-1] for i, u in enumerate(use)}
        worst = min(found, key=found.get)
        if found[worst] >= 0:
            return [found.get(i, 0) for i in range(3)]
        use.remove(worst)


runs = [maps(c, o) for c, o in ((1, 1000), (1, 20000), (4, 5000), (8, 1000), (8, 4000), (16, 1000))]
small, large = pods(2000), pods(20000, ("unseen", "unnamed", "judged", "drift"))
costs = {of: fit(runs, of) for of in ("rss", "cpu_list", "idle", "sockets")}
constants = {
    "process": {of: c[0] for of, c in costs.items()},
    "cluster": {of: c[1] for of, c in costs.items()},
    "map": {of: costs[of][2] for of in ("rss", "cpu_list")},
    "pod": {"rss": slope(small, large, "rss", "objects"), "cpu_list": slope(small, large, "cpu_list", "objects"),
            "bytes": slope(small, large, "bytes", "objects"), "cpu_transfer": large["cpu_transfer"] / large["objects"]},
    "update": {w: large[w] for w in ("unseen", "unnamed", "judged", "drift")},
}
version = subprocess.check_output([FOLDER + "/driftd", "--version"], text=True).strip()
with open(FILE, "w") as out:
    json.dump({"version": version, "processors": os.cpu_count(), "load": "%.1f %.1f %.1f" % os.getloadavg(), "constants": constants,
               "runs": runs + [small, large], "checks": [maps(n, 5000) for n in CHECK]}, out, indent=1)
    out.write("\n")
