#!/usr/bin/env python3
"""bench_shards.py [BIN-FOLDER]: what each of M shards costs (SHARDS, 1 2 4 8) beside one process that does it all: the first list of OBJECTS
(50000) pods, memory, and EVENTS (100000) updates of all pods, of which a shard owns its share. The server and the reference are those of
bench_watch.py; each shard runs alone. One component counts every pod, the worst there is: the shard that tells of it has a row of its own, by its
CPU time; the others are shown as their mean. CPU time is user and system, of all threads."""
import os
import sys
import time

import bench_watch as bench

SHARDS = [int(n) for n in os.environ.get("SHARDS", "1 2 4 8").split()]


def updates(daemon, server, what):
    """CPU microseconds of an update."""
    daemon.quiet()
    before = daemon.cpu()
    bench.get(server + "/_replay?what=%s&count=%d" % (what, bench.EVENTS), b"")
    daemon.quiet()
    return 1e6 * (daemon.cpu() - before) / bench.EVENTS


def one(folder, server, shard, total):
    """CPU and wall seconds of the first list, MB, CPU microseconds of an update that no verdict sees and of one that is judged."""
    d = bench.Daemon(folder, server, "--shard", str(shard), "--total-shards", str(total))
    d.wait(d.ready)
    wall, listing = time.monotonic() - d.began, d.cpu()
    d.quiet()
    time.sleep(5)
    memory = bench.memory_of(d.process.pid, "VmRSS") / 1e6
    omitted, judged = updates(d, server, "unseen"), updates(d, server, "judged")
    d.end()
    return listing, wall, memory, omitted, judged


def row(total, what, n, figures):
    print("%6d  %-7s %3d %8.2f %8.2f %8.1f %12.1f %12.1f" % (total, what, n, *figures), flush=True)


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else bench.HERE + "/../../build/release/bin"
    replayer, server = bench.serve()
    one(folder, server, 0, 1)  # the first is slower: pages of the server's
    print("%6s  %-7s %3s %8s %8s %8s %12s %12s" % ("shards", "which", "n", "CPU s", "wall s", "MB", "us, omitted", "us, judged"))
    for total in SHARDS:
        runs = sorted(one(folder, server, shard, total) for shard in range(total))
        counts = runs.pop()
        row(total, "counts", 1, counts)
        if runs:
            row(total, "others", len(runs), [sum(column) / len(runs) for column in zip(*runs)])
    replayer.kill()
    replayer.wait()


if __name__ == "__main__":
    main()
