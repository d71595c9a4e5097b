#!/usr/bin/env python3
"""bench_workloads.py [--compare] [BIN-FOLDER...]: every workload of workloads.py as one table, with a column for each folder of programs
(build/release/bin); each figure is the median of ROUNDS (3), in which the folders take turns.

  list CPU / floor     CPU time until all is listed and judged, over that of curl, which transfers the same bytes, and of bench_json, which decodes them:
                       of the first folder's for all of them, in the same round
  settled / compact    VmRSS five seconds later, over the objects' JSON without managedFields
  unseen per CPU s     updates that change nothing that is looked at (status, times in managedFields); evaluated: how many of them were, %
  judged per CPU s     updates each of which is evaluated, and is as it should be
  longest turn, ms     the bound of the histogram that no turn of the loop passed in all of that, by the clock on the wall
  a drift begins, ms   CPU time of a drift until it is told, where twenty templates are candidates
  drifts told, s       time from the first of 40,000 drifts in 200 namespaces until the record of the last
  jq / floor           what jq takes to read the same list, as a peer; once, and only where there is a jq

CPU time is user and system, of all threads of driftd. What is found open that was not made fails the run. Beside each row stand the goal, how far the
rounds are apart and the load average of the machine meanwhile. OBJECTS: as many in each workload, instead of its own number; EVENTS (30000): updates of
each sort, at most one for each object; WORKLOADS: names of those to run. --compare: the last folder against the first; names what got worse by more
than WORSE (10) %, and ends with status 1 then."""
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import bench_watch as bench
import workloads

ROUNDS = int(os.environ.get("ROUNDS", 3))
EVENTS = int(os.environ.get("EVENTS", 30000))
WORSE = float(os.environ.get("WORSE", 10)) / 100
BEGUN = 2000    # drifts whose CPU time is taken
TOLD = 40000    # drifts that are told
LIST, SETTLED, UNSEEN, EVALUATED, JUDGED = "list CPU / floor", "settled / compact", "unseen per CPU s", "  evaluated, %", "judged per CPU s"
TURN = "longest turn, ms"
BEGINS, TELLS, PEER = "a drift begins, ms", "%d drifts told, s" % TOLD, "jq / floor"
MORE = (UNSEEN, JUDGED)                # of these more is better
OPEN = ("objects_drifted", "components_unsatisfied", "validation_failures_current", "inspection_failures_current", "evaluation_errors_current",
        "rule_errors_current", "validation_rules_invalid", "kinds_missing", "watch_gaps_current")


def total_of(workload):
    return int(os.environ.get("OBJECTS", workload.total))


class Table:
    """Values of each round by workload, figure and column."""

    def __init__(self, columns):
        self.columns, self.rows, self.loads = columns, {}, {}

    def add(self, workload, figure, column, value):
        self.rows.setdefault((workload, figure), [[] for _ in range(self.columns)])[column].append(value)
        self.loads.setdefault((workload, figure), []).append(os.getloadavg()[0])

    def medians(self, key):
        return [statistics.median(values) if values else None for values in self.rows[key]]

    def spread(self, key):
        return max((max(v) - min(v)) / (statistics.median(v) or 1) for v in self.rows[key] if v)


def check(ok, d, why):
    if not ok:
        sys.exit("%s\n%s" % (why, (open(d.work + "/log").read() + open(d.work + "/records").read())[:3000]))


def nothing_open(d, name):
    shown = d.metrics()
    found = {family: d.sum(shown, "driftd_" + family) for family in OPEN}
    check(not any(found.values()), d, "%s: findings that nobody made: %s" % (name, {k: v for k, v in found.items() if v}))
    return shown


def listed(folder, server, w, name):
    """A daemon that has listed and judged all of it: itself, the CPU seconds."""
    d = bench.Daemon(folder, server, workload=w, clusters=1)
    d.wait(d.ready)
    used = d.cpu()
    d.quiet()
    shown = nothing_open(d, name)
    others = d.sum(shown, "driftd_objects") - total_of(w)  # that are looked up, definitions
    check(others >= 0, d, "%s: not all objects are known" % name)
    if w.files:
        check(d.sum(shown, "driftd_objects_unmatched") <= others, d, "%s: objects without a template" % name)
    if w.set == "routes":
        check(d.sum(shown, "driftd_validation_rules") >= 20, d, "%s: the rules of the definition are not in force" % name)
    if w.name == "inspect":
        check(d.sum(shown, "driftd_inspections_total") >= total_of(w), d, "%s: not all objects were inspected" % name)
    return d, used


def updates(d, server, w, what):
    """Updates for each second of CPU time, evaluations of each update."""
    count = min(EVENTS, total_of(w))
    get = bench.get
    before, cpu = d.quiet(), d.cpu()
    get(server + "/_replay?what=%s&count=%d&again=1" % (what, count), b"")
    after = d.quiet()
    cpu = d.cpu() - cpu
    n, evaluated = (d.sum(after, family) - d.sum(before, family) for family in ("driftd_watch_events_total", w.evaluated))
    check(n == count, d, "%s: %d of %d updates arrived" % (w.name, n, count))
    return n / cpu, evaluated / n


def measure(table, column, folder, server, w, floor, compact):
    d, used = listed(folder, server, w, w.name)
    table.add(w.name, LIST, column, used / floor)
    time.sleep(5)
    table.add(w.name, SETTLED, column, bench.memory_of(d.process.pid, "VmRSS") / compact)
    rate, evaluated = updates(d, server, w, w.unseen)
    table.add(w.name, UNSEEN, column, rate)
    table.add(w.name, EVALUATED, column, 100 * evaluated)
    rate, evaluated = updates(d, server, w, w.judged)
    table.add(w.name, JUDGED, column, rate)
    check(evaluated >= 0.99, d, "%s: of the updates that should be only %.1f %% were evaluated" % (w.name, 100 * evaluated))
    table.add(w.name, TURN, column, float(bench.turns("", nothing_open(d, w.name))))
    d.end()


def drifts(folder, server, w, name, count):
    """CPU and wall seconds of @count drifts until the last is told."""
    d, _ = listed(folder, server, w, name)
    begin, cpu = time.monotonic(), d.cpu()
    bench.get(server + "/_replay?what=drift&count=%d&again=1" % count, b"")

    def told():
        shown = d.metrics()
        return (d.sum(shown, 'driftd_drift_transitions_total') >= count and d.sum(shown, "driftd_records_waiting") == 0 and
                d.sum(shown, "driftd_records_deferred_current") == 0)
    while not told():
        check(d.process.poll() is None and time.monotonic() - begin < 300, d, "%s: not all drifts are told" % name)
        time.sleep(0.5)  # a scrape takes CPU time too
    wall, cpu = time.monotonic() - begin, d.cpu() - cpu
    records = open(d.work + "/records").read().count('"DRIFTD_EVENT":"begin"')
    check(records == count and d.sum(d.metrics(), "driftd_objects_drifted") == count, d, "%s: %d records of %d drifts" % (name, records, count))
    d.end()
    return cpu, wall


def peer(server, work):
    """CPU seconds that jq takes, or None."""
    if not shutil.which("jq"):
        return None
    subprocess.run(["curl", "-s", "-o", work + "/list", server + "/_list"], check=True)
    return bench.children(["jq", "empty", work + "/list"])[1]


def rounds(table, folders, server, several):
    compact = json.loads(bench.get(server + "/_bytes"))["compact"]
    work = tempfile.mkdtemp()
    for n in range(ROUNDS):
        _, transfer, decode = bench.floor(server, folders[0], work)
        order = list(enumerate(folders))[::-1 if n % 2 else 1]
        for w in several:
            for column, folder in order:
                measure(table, column, folder, server, w, transfer + decode, compact)
                if w.name == "twenty":
                    count = min(BEGUN, total_of(w))
                    table.add(w.name, BEGINS, column, 1000 * drifts(folder, server, w, w.name, count)[0] / count)
                if w.name == "small" and total_of(w) >= TOLD:
                    table.add(w.name, TELLS, column, drifts(folder, server, w, w.name, TOLD)[1])
        if n == 0:
            jq = peer(server, work)
            if jq:
                table.add(several[0].name, PEER, 0, jq / (transfer + decode))
    shutil.rmtree(work)


def goal(workload, figure):
    w = workloads.named(workload)
    goals = {LIST: w.goals[0], SETTLED: w.goals[1], UNSEEN: w.goals[2], EVALUATED: 0, JUDGED: w.goals[3], TURN: 50, BEGINS: 0.2, TELLS: 30}
    return goals.get(figure)


def shown(value):
    return "-" if value is None else "%.0f" % value if value >= 100 else "%.2f" % value


def worse(figure, a, b):
    if figure in MORE:
        return b < a / (1 + WORSE)
    return b > a * (1 + WORSE) + (0.1 if figure == EVALUATED else 0)


def show(table, folders, compare):
    """Prints the table: what got worse."""
    found = []
    print("%-9s%-22s" % ("", "") + "".join("%10s" % name for name in "ABCDEFGH"[:len(folders)]) + ("%8s" % "ratio" if compare else "") +
          "%10s%6s%9s%7s" % ("goal", "met", "spread", "load"))
    for w in workloads.WORKLOADS:
        for key in (k for k in table.rows if k[0] == w.name):
            values, wanted, ratio = table.medians(key), goal(*key), ""
            last = values[-1]
            met = "" if wanted is None or last is None else "yes" if (last >= wanted if key[1] in MORE else last <= wanted) else "no"
            if compare:
                ratio = "%8s" % ("%.2f" % (last / values[0]) if last is not None and values[0] else "-")
                if last is not None and worse(key[1], values[0], last):
                    found.append("%s: %s: %s, was %s" % (*(part.strip() for part in key), shown(last), shown(values[0])))
            print("%-9s%-22s" % key + "".join("%10s" % shown(v) for v in values) + ratio +
                  "%10s%6s%8.0f%%%7.1f" % (shown(wanted), met, 100 * table.spread(key), statistics.mean(table.loads[key])))
    return found


def main():
    compare = "--compare" in sys.argv
    folders = [f for f in sys.argv[1:] if f != "--compare"] or [bench.HERE + "/../../build/release/bin"]
    names = os.environ.get("WORKLOADS", " ".join(w.name for w in workloads.WORKLOADS)).split()
    chosen = [workloads.named(name) for name in names]
    table, began, load = Table(len(folders)), time.monotonic(), os.getloadavg()
    for what in dict.fromkeys((w.set, total_of(w)) for w in chosen):
        several = [w for w in chosen if (w.set, total_of(w)) == what]
        print("%4.0f s: %s" % (time.monotonic() - began, ", ".join(w.name for w in several)), file=sys.stderr, flush=True)
        replayer, server = bench.serve(what[1], what[0])
        rounds(table, folders, server, several)
        replayer.kill()
        replayer.wait()
    for name, folder in zip("ABCDEFGH", folders):
        print("%s: %s" % (name, subprocess.check_output([folder + "/driftd", "--version"], text=True).strip()))
    found = show(table, folders, compare)
    print("%d rounds, %.0f s, %d processors; load average before %.1f %.1f %.1f, after %.1f %.1f %.1f" %
          (ROUNDS, time.monotonic() - began, os.cpu_count(), *load, *os.getloadavg()))
    for line in found:
        print("worse by more than %.0f %%: %s" % (100 * WORSE, line))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
