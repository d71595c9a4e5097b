#!/usr/bin/env python3
"""bench_turns.py [BIN-FOLDER...]: how long turns of driftd's loop are while OBJECTS (50000) findings are open, and RATE (1000 and 5000) changes a
second are told, each of which changes, ends or begins a finding; alone, and while CLIENTS (10) ask all the time for pages or lists, or dry runs are
made one after the other. Of pods, of ConfigMaps of 60 keys of which one differs ("wide"), and of which all do ("all60").

For each: turns, the median, the 99th hundredth and the longest in ms by the clock on the wall, the same by the processor time of the loop's thread
(which other work on the machine does not lengthen), answers a second, their median in ms, and how many of the changes that were sent had been told
when the last was sent. SETS, RATES, PHASES: what to measure; DURATION (6): seconds of each phase."""
import http.client
import json
import mmap
import os
import statistics
import struct
import subprocess
import sys
import threading
import time

import bench_watch as bench
import workloads

DURATION = float(os.environ.get("DURATION", 6))
CLIENTS = int(os.environ.get("CLIENTS", 10))
RATES = [int(r) for r in os.environ.get("RATES", "1000 5000").split()]
PHASES = {
    "changes alone": None,
    "pages": ["/"],
    "pages, filtered": ["/?severity=warning&name=%2A-0%2A", "/?kind=pods,cm&namespace=team-7", "/?field=data"],
    "pages, sorted": ["/?sort=name", "/?sort=field&page=100", "/?sort=manager", "/?page=1000000"],
    "pages, by cause": ["/?group=cause"],
    "pages of a finding": ["/findings/%s"],
    "lists": ["/api/v1/findings", "/api/v1/findings?sort=name"],
    "lists, by cause": ["/api/v1/findings?group=cause"],
    "scrapes": ["/metrics", "/api/v1/status", "/-/ready"],
    "dry runs": ["POST /api/v1/reload?dryRun=All"],
}
POD = workloads.POD + "  terminationGracePeriodSeconds: 31\n"
MAP = workloads.metadata("ConfigMap", "v1") + "data:\n  mode: calm\n"
KEYS = ["setting-%02d" % k for k in range(59)]
FILES = {
    "pods": ("pods", {"pod.yaml": POD}),
    "wide": ("wide", {"map.yaml": MAP + "".join("  %s: '{{ index (.data | default dict) \"%s\" | default \"x\" }}'\n" % (k, k) for k in KEYS)}),
    "all60": ("wide", {"map.yaml": MAP + "".join("  %s: other\n" % k for k in KEYS)}),
}


class Turns:
    """What turn_clock.c writes."""

    def __init__(self, path):
        self.file = open(path, "rb")
        self.map = mmap.mmap(self.file.fileno(), 0, prot=mmap.PROT_READ)

    def count(self):
        return struct.unpack_from("I", self.map, 0)[0]

    def since(self, n):
        pairs = struct.iter_unpack("II", self.map[8 + 8 * n:8 + 8 * self.count()])
        return [sorted(x / 1e4 for x in one) for one in zip(*pairs)]


def three(times):
    return "%7.2f %7.2f %7.2f" % (times[len(times) // 2], times[min(len(times) - 1, len(times) * 99 // 100)], times[-1])


class Connection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost")
        self.path = path

    def connect(self):
        import socket
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.path)


ASK = """
import http.client, sys, threading, time
sys.path.insert(0, %r)
import bench_turns
web, control, clients, seconds, paths = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4]), sys.argv[5:]
end, times = time.monotonic() + seconds, []
def ask(i):
    while time.monotonic() < end:
        path = paths[i %% len(paths)]
        begun = time.monotonic()
        method, _, target = path.rpartition(" ")
        c = bench_turns.Connection(control) if method else http.client.HTTPConnection(web)
        c.request(method or "GET", target)
        answer = c.getresponse()
        answer.read()
        c.close()
        if answer.status not in (200, 503):
            sys.exit("%%s: %%d" %% (path, answer.status))
        times.append(time.monotonic() - begun)
threads = [threading.Thread(target=ask, args=(i,)) for i in range(clients)]
for t in threads: t.start()
for t in threads: t.join()
print(*times)
""" % bench.HERE


def ask(d, control, paths):
    clients = 1 if paths[0].startswith("POST") else CLIENTS
    shown = subprocess.run([sys.executable, "-c", ASK, d.web[7:], control, str(clients), str(DURATION), *paths], stdout=subprocess.PIPE, text=True, check=True)
    times = sorted(float(x) for x in shown.stdout.split())
    return "%7.1f %8.1f" % (len(times) / DURATION, 1000 * statistics.median(times)) if times else ""


def told(d):
    return os.path.getsize(d.work + "/records")


def transitions(d):
    return d.sum(d.metrics(), "driftd_drift_transitions_total")


def phase(d, server, turns, control, rate, paths, first):
    count = int(rate * (DURATION + 1))
    sender = threading.Thread(target=bench.get, args=(server + "/_replay?what=drift&count=%d&rate=%d" % (count, rate), b""))
    sender.start()
    time.sleep(1)
    n, begun = turns.count(), time.monotonic()
    answers = ""
    if paths:
        answers = ask(d, control, [p % first if "%s" in p else p for p in paths])
    else:
        time.sleep(DURATION)
    took = time.monotonic() - begun
    wall, cpu = turns.since(n)
    sender.join()
    d.quiet()
    return "%7d  %s  %s  %s" % (len(wall) / took, three(wall), three(cpu), answers)


def change_back(folder, name):
    """The dry run is of a configuration that changes what all objects are held against."""
    path = folder + "/reference/" + name
    with open(path, "a") as out:
        out.write("# changed\n")


def measure(folder, which):
    made, files = FILES[which]
    replayer, server = bench.serve(what=made)
    turn_file = "/tmp/turn-clock-%d" % os.getpid()
    os.environ["TURN_CLOCK"], os.environ["LD_PRELOAD"] = turn_file, folder + "/libturn_clock.so"
    control = "/tmp/turns-%d.sock" % os.getpid()
    work = workloads.Workload(which, made, bench.OBJECTS, workloads.templates(files), (), settings="control_socket: %s\n" % control)
    d = bench.Daemon(folder, server, workload=work)
    del os.environ["LD_PRELOAD"]
    d.wait(d.ready)
    d.quiet()
    turns = Turns(turn_file)
    first = json.loads(bench.get(d.web + "/api/v1/findings?name=%2A1"))["items"][0]["id"]
    print("%s, %d open: turns a second; ms by the wall: median, 99 %%, longest; by processor time; answers a second, ms of each" % (
        which, d.sum(d.metrics(), "driftd_objects_drifted")))
    chosen = os.environ.get("PHASES", ";".join(PHASES)).split(";")
    for rate in RATES:
        for name in chosen:
            if name == "dry runs":
                change_back(d.work, next(iter(files)))
            print("  %5d/s, %-18s %s" % (rate, name, phase(d, server, turns, control, rate, PHASES[name], first)), flush=True)
    d.end()
    replayer.kill()
    replayer.wait()
    os.unlink(turn_file)


def main():
    for folder in sys.argv[1:] or [bench.HERE + "/../../build/release/bin"]:
        for which in os.environ.get("SETS", " ".join(FILES)).split():
            measure(os.path.abspath(folder), which)


if __name__ == "__main__":
    main()
