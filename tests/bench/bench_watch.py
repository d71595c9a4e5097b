#!/usr/bin/env python3
"""bench_watch.py [BIN-FOLDER...]: what it takes to keep and judge OBJECTS (50000) pods, as one table with a column for each folder of programs
(build/release/bin). The server is replayer.py, one for each folder, with prepared bytes. The floor that lists are held against is measured beside
each: curl transfers the same bytes and discards them, and bench_json decodes them. CPU time is user and system, of all threads. PAGES=1: the list
comes in pages of 500 and not as initial events. CLUSTERS (1): as many clusters list at once, all from that server, which sends each of them all."""
import atexit
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

import workloads

HERE = os.path.dirname(os.path.abspath(__file__))
OBJECTS = int(os.environ.get("OBJECTS", 50000))
EVENTS = int(os.environ.get("EVENTS", 100000))
CLUSTERS = int(os.environ.get("CLUSTERS", 1))


started = []


@atexit.register
def leave_nothing():
    """Whatever ends a benchmark, its programs end too."""
    for process in started:
        if process.poll() is None:
            process.kill()


def cpu_of(pid):
    folder = "/proc/%d/task" % pid
    return sum(int(open("%s/%s/schedstat" % (folder, t)).read().split()[0]) for t in os.listdir(folder)) / 1e9


def memory_of(pid, what):
    return int(re.search(what + r":\s+(\d+) kB", open("/proc/%d/status" % pid).read()).group(1)) * 1024


def get(url, data=None):
    with urllib.request.urlopen(urllib.request.Request(url, data=data), timeout=600) as answer:
        return answer.read().decode()


class Daemon:
    def __init__(self, folder, server, *options, workload=workloads.PODS, clusters=CLUSTERS):
        self.work = tempfile.mkdtemp()
        with open(self.work + "/kubeconfig", "w") as out:
            out.write('{"apiVersion":"v1","kind":"Config","current-context":"c","contexts":[{"name":"c","context":{"cluster":"c","user":"u"}}],'
                      '"clusters":[{"name":"c","cluster":{"server":"%s"}}],"users":[{"name":"u","user":{}}]}' % server)
        os.mkdir(self.work + "/reference")
        files = {"reference/" + name: body for name, body in (workload.files or {}).items()}
        files["driftd.yaml"] = ("clusters:\n" + "".join("  - {name: c%d, kubeconfig: %s/kubeconfig}\n" % (i, self.work) for i in range(clusters)) +
                                ("references:\n  - {name: ref, path: reference/metadata.yaml%s}\n" % workload.entry if files else "") +
                                "state_dir: %s/state\nflapping: {changes: 0}\n" % self.work + workload.settings)
        for name, body in {**files, **workload.rules}.items():
            with open(self.work + "/" + name, "w") as out:
                out.write(body)
        os.mkdir(self.work + "/state")
        port = subprocess.check_output([sys.executable, "-c", "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); print(s.getsockname()[1])"],
                                       text=True).strip()
        self.log, self.records = open(self.work + "/log", "w"), open(self.work + "/records", "w")
        self.web = "http://127.0.0.1:" + port
        self.began = time.monotonic()
        self.process = subprocess.Popen([folder + "/driftd", "run", "-c", self.work + "/driftd.yaml", "-o", "json", "--web.listen-address",
                                         "127.0.0.1:" + port, *options], stdout=self.records, stderr=self.log)
        started.append(self.process)

    def wait(self, ready, seconds=300):
        end = time.monotonic() + seconds
        while not ready():
            if time.monotonic() > end or self.process.poll() is not None:
                sys.exit("waited in vain; " + open(self.work + "/log").read()[-2000:])
            time.sleep(0.02)

    def ready(self):
        try:
            return get(self.web + "/-/ready")
        except OSError:
            return None

    def metrics(self):
        return get(self.web + "/metrics")

    def sum(self, text, family):
        return sum(float(n) for n in re.findall(r"^%s(?:\{[^\n]*\})? (\S+)$" % family, text, re.M))

    def quiet(self):
        """All that was sent is read and judged."""
        before = -1
        while True:
            text = self.metrics()
            now = self.sum(text, "driftd_watch_events_total")
            if now == before and self.sum(text, "driftd_queue_length") == 0:
                return text
            before = now
            time.sleep(0.3)

    def cpu(self):
        return cpu_of(self.process.pid)

    def end(self):
        self.process.terminate()
        if self.process.wait(60) != 0:
            print("driftd did not end cleanly: " + open(self.work + "/log").read()[-500:])
        shutil.rmtree(self.work)


def turns(before, after):
    """The bound that no turn of the loop passed between the two, in ms."""
    def read(text):
        return [(le, int(float(n))) for le, n in re.findall(r'^driftd_loop_turn_seconds_bucket\{le="([^"]+)"\} (\S+)', text, re.M)]
    counts = [(le, n - m) for (le, n), (_, m) in zip(read(after), read(before) or [(0, 0)] * 99)]
    return next(le if le == "+Inf" else "%g" % (float(le) * 1000) for le, n in counts if n == counts[-1][1])


def children(command, **kw):
    """Wall and CPU seconds of a command."""
    begin, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, **kw)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.monotonic() - begin, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def floor(server, folder, work):
    """Seconds and CPU seconds of transferring, and of decoding, the list."""
    wall, cpu = min(children(["curl", "-s", "-o", "/dev/null", server + "/_list"]) for _ in range(3))
    subprocess.run(["curl", "-s", "-o", work + "/list", server + "/_list"], check=True)
    shown = subprocess.run([folder + "/bench_json", "--decode", work + "/list"], check=True, stdout=subprocess.PIPE, text=True).stdout
    return wall, cpu, float(shown)


def events(d, server, rows, what, label):
    before, cpu = d.quiet(), d.cpu()
    get(server + "/_replay?what=%s&count=%d" % (what, EVENTS), b"")
    after = d.quiet()
    cpu = d.cpu() - cpu
    n = d.sum(after, "driftd_watch_events_total") - d.sum(before, "driftd_watch_events_total")
    rows["%s: updates per CPU second" % label] = "%.0f" % (n / cpu)
    rows["  %s: evaluated, %%" % label] = "%.2f" % (100 * (d.sum(after, "driftd_evaluations_total") - d.sum(before, "driftd_evaluations_total")) / n)
    rows["  %s: longest turn below ms" % label] = turns(before, after)


def serve(objects=OBJECTS, what="pods"):
    """An API server of objects of a set: its process, its URL."""
    replayer = subprocess.Popen([sys.executable, HERE + "/replayer.py", str(objects), "1", what], stdout=subprocess.PIPE, text=True)
    started.append(replayer)
    return replayer, replayer.stdout.readline().split()[-1]


def measure(folder, rows):
    replayer, server = serve()
    compact = json.loads(get(server + "/_bytes"))["compact"] * CLUSTERS
    work = tempfile.mkdtemp()
    wall, cpu, decode = floor(server, folder, work)
    shutil.rmtree(work)
    wall, cpu, decode = (x * CLUSTERS for x in (wall, cpu, decode))
    rows["transfer by curl: wall, CPU s; decoding s"] = "%.2f %.2f %.2f" % (wall, cpu, decode)
    warm = Daemon(folder, server)  # as the floor is the best of several
    warm.wait(warm.ready)
    warm.end()
    d = Daemon(folder, server)
    d.wait(d.ready)
    text = d.quiet() if os.environ.get("QUIET") else d.metrics()
    took, used = time.monotonic() - d.began, d.cpu()
    rows["list to all verdicts: wall s"] = "%.2f" % took
    rows["  / (transfer + decoding)"] = "%.2f x" % (took / (wall + decode))
    rows["  CPU s"] = "%.2f" % used
    rows["  CPU / (transfer + decoding)"] = "%.2f x" % (used / (cpu + decode))
    rows["  longest turn below ms"] = turns("", text)
    rows["  peak / compact JSON"] = "%.2f x" % (memory_of(d.process.pid, "VmHWM") / compact)
    time.sleep(5)
    rows["settled / compact JSON"] = "%.2f x" % (memory_of(d.process.pid, "VmRSS") / compact)
    rows["  MB"] = "%.1f of %.1f" % (memory_of(d.process.pid, "VmRSS") / 1e6, compact / 1e6)
    events(d, server, rows, "unseen", "omitted")
    events(d, server, rows, "unnamed", "unspecified")
    events(d, server, rows, "judged", "judged")
    rows["after updates / compact JSON"] = "%.2f x" % (memory_of(d.process.pid, "VmRSS") / compact)
    d.end()
    replayer.kill()
    replayer.wait()


def main():
    folders = sys.argv[1:] or [HERE + "/../../build/release/bin"]
    columns = [{} for _ in folders]
    for folder, rows in zip(folders, columns):
        measure(folder, rows)
    for name in columns[0]:
        print("%-46s" % name + "".join("%18s" % rows[name] for rows in columns))


if __name__ == "__main__":
    main()
