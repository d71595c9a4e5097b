#!/usr/bin/env python3
"""scale_sim.py [FILE]: what driftd needs for CLUSTERS x OBJECTS, a model of the costs that scale_measure.py wrote to FILE (scale_constants.json beside
this), first held against runs that are not in it. One thread judges and reads, so that a processor is the ceiling of a process.

  UPDATES  changes of an object a second in each cluster (20), of which JUDGED (0.1) change what a verdict saw and TOLD (0.001) begin or end a drift
  SHARE    of a processor that a process may be busy with (0.5): what is left is for storms and for listing again
  MEMORY   bytes of a process (16e9)"""
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FILE = sys.argv[1] if len(sys.argv) > 1 else HERE + "/scale_constants.json"
UPDATES = float(os.environ.get("UPDATES", 20))
JUDGED = float(os.environ.get("JUDGED", 0.1))
TOLD = float(os.environ.get("TOLD", 0.001))
SHARE = float(os.environ.get("SHARE", 0.5))
MEMORY = float(os.environ.get("MEMORY", 16e9))
measured = json.load(open(FILE))
C = measured["constants"]


def model(clusters, objects, kind):
    n = clusters * objects
    o, c, p = C[kind], C["cluster"], C["process"]
    return {"rss": p["rss"] + clusters * c["rss"] + n * o["rss"], "cpu_list": p["cpu_list"] + clusters * c["cpu_list"] + n * o["cpu_list"],
            "idle": p["idle"] + clusters * c["idle"], "sockets": p["sockets"] + clusters * c["sockets"]}


def updates_cpu(clusters):
    u = C["update"]
    each = (1 - JUDGED - TOLD) * u["unnamed"] + JUDGED * u["judged"] + TOLD * u["drift"]
    return clusters * UPDATES * each


def processes(clusters, objects):
    """How many, by memory and by processor, and what decides: whole clusters in each, as kubeconfigs are shared out."""
    one = model(clusters, objects, "pod")
    by_memory = one["rss"] / MEMORY
    by_cpu = (updates_cpu(clusters) + one["idle"]) / SHARE
    need = max(by_memory, by_cpu)
    return max(1, int(-(-need // 1))), "memory" if by_memory > by_cpu else "processor"


def check():
    print("model against runs that it does not know (%s, %d processors, load %s):" % (measured["version"], measured["processors"], measured["load"]))
    print("%9s %9s" % ("clusters", "objects") + "".join("%26s" % h for h in ("MB, model / run", "list CPU s, model / run", "idle CPU %, model / run")))
    for run in measured["checks"]:
        m = model(run["clusters"], run["objects"], "map")
        cells = [(m["rss"] / 1e6, run["rss"] / 1e6), (m["cpu_list"], run["cpu_list"]), (100 * m["idle"], 100 * run["idle"])]
        print("%9d %9d" % (run["clusters"], run["objects"]) + "".join("%26s" % ("%.2f / %.2f = %.2f" % (a, b, a / b if b else 0)) for a, b in cells))


def table():
    print("\n%g updates a second in each cluster, %g %% judged, %g %% told; pods of %.0f bytes on the wire:" % (
        UPDATES, 100 * JUDGED, 100 * TOLD, C["pod"]["bytes"]))
    print("%9s %9s %10s %12s %10s %10s %12s %12s %12s" % ("clusters", "objects", "GB", "list CPU s", "busy CPU", "sockets", "list GB", "MB/s of upd.",
                                                          "processes"))
    for clusters in (1, 10, 40, 100, 250, 500, 1000):
        for objects in (5000, 50000):
            m, n = model(clusters, objects, "pod"), clusters * objects
            count, why = processes(clusters, objects)
            print("%9d %9d %10.2f %12.0f %10.2f %10.0f %12.1f %12.2f %12s" % (
                clusters, objects, m["rss"] / 1e9, m["cpu_list"], m["idle"] + updates_cpu(clusters), m["sockets"], n * C["pod"]["bytes"] / 1e9,
                clusters * UPDATES * C["pod"]["bytes"] / 1e6, "%d (%s)" % (count, why)))


def ceilings():
    u, o, c = C["update"], C["pod"], C["cluster"]
    print("\nof one process of %.0f GB that is busy for %g %% of a processor:" % (MEMORY / 1e9, 100 * SHARE))
    print("  pods in memory              %12.0f" % ((MEMORY - C["process"]["rss"]) / o["rss"]))
    print("  updates a second: unseen %.0f, unnamed %.0f, judged %.0f, told as drift %.0f" % tuple(
        SHARE / u[w] for w in ("unseen", "unnamed", "judged", "drift")))
    if c["idle"] > 0:
        print("  clusters that say nothing   %12.0f" % (SHARE / c["idle"]))


def sharding():
    """Every shard receives all of a cluster; what it does not own it has to receive and cut into lines, no less than curl does to throw it away."""
    o = C["pod"]
    print("\nM shards over one cluster of 50,000 pods: each receives %.0f MB; receiving it alone (curl) takes %.2f CPU s, judging all of it %.2f CPU s"
          % (50000 * o["bytes"] / 1e6, 50000 * o["cpu_transfer"], 50000 * o["cpu_list"]))
    print("%6s %18s %22s %26s" % ("M", "GB received", "list CPU s each, >=", "all of them / one, >="))
    for m in (1, 2, 3, 4, 8, 16):
        own = 50000 * o["cpu_list"] / m + 50000 * o["cpu_transfer"] * (m - 1) / m
        print("%6d %18.2f %22.2f %26.2f" % (m, m * 50000 * o["bytes"] / 1e9, own, m * own / (50000 * o["cpu_list"])))


check()
table()
ceilings()
sharding()
