#!/usr/bin/env python3
"""bench_tell.py [BIN-FOLDER...]: how soon and how many transitions are told, what a scrape and what idling costs, as one table with a
column for each folder of programs (bin/driftd, bin/feeder; build/release/bin). The journal is a stand-in: a datagram socket as journald has,
read at once, in a mount namespace of its own (which needs root). CPU time is user and system, of driftd alone."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

SOCKET = "/run/systemd/journal/socket"
RATE = int(os.environ.get("RATE", 1000))          # changes a second for the latency
DURATION = int(os.environ.get("DURATION", 15))
TOLD = int(os.environ.get("TOLD", 60000))         # transitions told as fast as it goes
OPEN = int(os.environ.get("OPEN", 50000))         # findings of the big scrape, and of idling
CLUSTERS = 10
TICKS = os.sysconf("SC_CLK_TCK")
# Each change is told at once: each namespace may have 10 a second.
NAMESPACES = 2000


def histogram(text, family):
    rows = re.findall(r"^%s_bucket\{le=\"([^\"]+)\"\} (\S+)" % family, text, re.M)
    return [(float(le), int(float(n))) for le, n in rows]


def quantile(before, after, q):
    """The bound of the bucket with the quantile of what came between."""
    counts = [(le, n - m) for (le, n), (_, m) in zip(after, before)]
    for le, n in counts:
        if n >= q * counts[-1][1]:
            return le
    return float("inf")


def longest(before, after):
    return quantile(before, after, 1)


class Daemon:
    def __init__(self, folder, clusters, objects, value):
        self.work = tempfile.mkdtemp()
        self.feeders = [subprocess.Popen([feeder, str(objects), str(NAMESPACES), value] + ([SOCKET] if i == 0 else []), stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, text=True) for i in range(clusters)]
        entries = ""
        for i, f in enumerate(self.feeders):
            path = "%s/kubeconfig-%d" % (self.work, i)
            server = "http://127.0.0.1:" + f.stdout.readline().strip()
            with open(path, "w") as out:
                out.write('{"apiVersion":"v1","kind":"Config","current-context":"c","contexts":[{"name":"c","context":{"cluster":"c","user":"u"}}],'
                          '"clusters":[{"name":"c","cluster":{"server":"%s"}}],"users":[{"name":"u","user":{}}]}' % server)
            entries += "  - {name: c%d, kubeconfig: %s}\n" % (i, path)
        os.mkdir(self.work + "/reference")
        with open(self.work + "/reference/metadata.yaml", "w") as out:
            out.write("apiVersion: v2\nparts:\n  - name: p\n    components:\n      - name: c\n        anyOf:\n"
                      "          - {path: map.yaml, config: {ignore-unspecified-fields: true}}\n")
        with open(self.work + "/reference/map.yaml", "w") as out:
            out.write("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: '{{ .metadata.name }}'\n  namespace: '{{ .metadata.namespace }}'\n"
                      "data: {v: \"1\", mode: steady}\n")
        os.mkdir(self.work + "/state")
        with open(self.work + "/driftd.yaml", "w") as out:
            out.write("clusters:\n%sreferences:\n  - {name: ref, path: %s/reference/metadata.yaml}\nstate_dir: %s/state\n"
                      "flapping: {changes: 0}\nmetrics: {listen: '127.0.0.1:0'}\n" % (entries, self.work, self.work))
        port = subprocess.check_output([sys.executable, "-c", "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); print(s.getsockname()[1])"],
                                       text=True).strip()
        self.log = open(self.work + "/log", "w")
        self.process = subprocess.Popen([folder + "/driftd", "run", "-c", self.work + "/driftd.yaml", "-o", "journal", "--web.listen-address",
                                         "127.0.0.1:" + port], stdout=self.log, stderr=self.log)
        self.web = "http://127.0.0.1:" + port
        self.wait(lambda: self.get("/-/ready"), 120)

    def wait(self, ready, seconds):
        end = time.monotonic() + seconds
        while True:
            try:
                if ready():
                    return
            except OSError:
                pass
            if time.monotonic() > end or self.process.poll() is not None:
                sys.exit("waited in vain; " + open(self.work + "/log").read()[-2000:])
            time.sleep(0.1)

    def get(self, path):
        with urllib.request.urlopen(self.web + path) as answer:
            return answer.read().decode()

    def metric(self, name):
        return float(re.search(r"^%s (\S+)" % re.escape(name), self.get("/metrics"), re.M).group(1))

    def settle(self, records):
        """All of the beginning is told, and nothing is left to do."""
        self.wait(lambda: sum(float(n) for n in re.findall(r"^driftd_journal_records_total\S+ (\S+)", self.get("/metrics"), re.M)) >= records, 300)
        self.wait(lambda: self.metric("driftd_records_waiting") == 0 and self.metric("driftd_queue_length") == 0, 60)
        time.sleep(2)

    def cpu(self):
        fields = open("/proc/%d/stat" % self.process.pid).read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def cpu_ns(self):
        """Of all threads: finer than clock ticks."""
        folder = "/proc/%d/task" % self.process.pid
        return sum(int(open("%s/%s/schedstat" % (folder, t)).read().split()[0]) for t in os.listdir(folder))

    def feed(self, rate, count, window):
        self.feeders[0].stdin.write("%g %d %d\n" % (rate, count, window))
        self.feeders[0].stdin.flush()
        return [float(x) for x in self.feeders[0].stdout.readline().split()]

    def end(self):
        self.process.terminate()
        if self.process.wait(30) != 0:
            print("driftd did not end cleanly: " + open(self.work + "/log").read()[-500:])
        for f in self.feeders:
            f.kill()
            f.wait()
        shutil.rmtree(self.work)


def tell(folder, rows):
    d = Daemon(folder, 1, 20000, "1")
    d.settle(1)
    before, cpu = d.get("/metrics"), d.cpu_ns()
    sent, received, _, p50, p99, worst = d.feed(RATE, RATE * DURATION, 1000000)
    cpu, after = d.cpu_ns() - cpu, d.get("/metrics")
    inside = [histogram(m, "driftd_detection_latency_seconds") for m in (before, after)]
    rows["%d changes/s: records of changes, %%" % RATE] = "%.2f" % (100 * received / sent)
    rows["  outside, p50 ms"] = "%.2f" % (p50 / 1000)
    rows["  outside, p99 ms"] = "%.2f" % (p99 / 1000)
    rows["  outside, longest ms"] = "%.2f" % (worst / 1000)
    rows["  inside, p50 below ms"] = "%g" % (1000 * quantile(*inside, 0.5))
    rows["  inside, p99 below ms"] = "%g" % (1000 * quantile(*inside, 0.99))
    rows["  CPU per transition, us"] = "%.0f" % (cpu / 1000 / max(received, 1))
    cpu = d.cpu_ns()
    sent, received, seconds, *_ = d.feed(0, TOLD, 4000)
    cpu = d.cpu_ns() - cpu
    rows["as fast as it goes: records of changes, %"] = "%.2f" % (100 * received / sent)
    rows["  transitions told per second"] = "%.0f" % (received / seconds)
    rows["  CPU per transition, us "] = "%.0f" % (cpu / 1000 / max(received, 1))
    after = d.get("/metrics")
    rows["longest turn below ms"] = "%g" % (1000 * longest(histogram(before, "driftd_loop_turn_seconds"), histogram(after, "driftd_loop_turn_seconds")))
    d.end()


def rest(folder, rows, value, name):
    d = Daemon(folder, CLUSTERS, OPEN // CLUSTERS, value)
    d.settle(OPEN if value == "2" else 1)
    before = d.get("/metrics")
    times, cpu = [], d.cpu_ns()
    for _ in range(50):
        begin = time.monotonic()
        d.get("/metrics")
        times.append(time.monotonic() - begin)
    cpu = d.cpu_ns() - cpu
    rows["%d clusters, %s: scrape, median ms" % (CLUSTERS, name)] = "%.2f" % (1000 * sorted(times)[25])
    rows["  %s, CPU ms" % name] = "%.2f" % (cpu / 1e6 / 50)
    # What a witness in the journal needs to be looked up; then what was told is forgotten, bit by bit.
    for what, wait in ("while records are forgotten", 12), ("idle", 30):
        time.sleep(wait)
        cpu, begin = d.cpu_ns(), time.monotonic()
        time.sleep(20)
        rows["  %s: CPU, %s, %%" % (name, what)] = "%.3f" % (100 * (d.cpu_ns() - cpu) / 1e9 / (time.monotonic() - begin))
    after = d.get("/metrics")
    rows["  %s: longest turn below ms" % name] = "%g" % (1000 * longest(histogram(before, "driftd_loop_turn_seconds"),
                                                                     histogram(after, "driftd_loop_turn_seconds")))
    d.end()


if os.environ.get("BENCH_INSIDE") != "1":
    os.environ["BENCH_INSIDE"] = "1"
    os.execvp("unshare", ["unshare", "-m", "--propagation", "private", sys.executable, *sys.argv])
os.makedirs("/run/systemd/journal", exist_ok=True)
subprocess.check_call(["mount", "-t", "tmpfs", "tmpfs", "/run/systemd/journal"])
folders = sys.argv[1:] or [os.path.dirname(os.path.abspath(__file__)) + "/../../build/release/bin"]
feeder = folders[0] + "/feeder"
parts = os.environ.get("PARTS", "tell idle open").split()
columns = [{} for _ in folders]
for folder, rows in zip(folders, columns):
    if "tell" in parts:
        tell(folder, rows)
    if "idle" in parts:
        rest(folder, rows, "1", "nothing open")
    if "open" in parts:
        rest(folder, rows, "2", "%d open" % OPEN)
for name in columns[0]:
    print("%-52s" % name + "".join("%12s" % rows[name] for rows in columns))
