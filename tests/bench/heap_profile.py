#!/usr/bin/env python3
"""heap_profile.py [BIN-FOLDER]: what the memory of a daemon that has judged OBJECTS (50000) pods is used for, in bytes and in bytes for each of
them. Live bytes are massif's (valgrind), by who asked for them; the pages that they take are those of a second run, without it. UPDATES: as many
changes of each kind that bench_watch.py measures come before."""
import os
import re
import subprocess
import sys
import tempfile
import time

import bench_watch

UPDATES = int(os.environ.get("UPDATES", 0))
# The first that is found in the chain of calls, innermost first, from malloc to main.
KINDS = (
    ("objects: texts, packed", r"make_packed"),
    ("objects: texts of those that are open", r"body_new"),
    ("objects: documents of those that are open", r"object_decode|json_decode"),
    ("objects: the snapshot's table", r"index_put.*snapshot_add"),
    ("objects: struct object with its names", r"snapshot_add"),
    ("objects: verdicts", r"need_object|keep_speculated|views_take|reference_judge"),
    ("dictionaries and work space of packing", r"libzstd|packer_|pack_dict|doc_cache_"),
    ("findings and records", r"finding|record"),
    ("HTTP and TLS, both ways", r"libcurl|libmicrohttpd|libgnutls|libcrypto|libssl|libtasn1|libp11|kc_|http"),
    ("SQLite", r"libsqlite3"),
)


class Profiled(bench_watch.Daemon):
    """Under massif when @out is given."""
    def __init__(self, folder, server, out=None):
        self.out = out
        self.wrapper = tempfile.mkdtemp()
        if out:
            with open(self.wrapper + "/driftd", "w") as f:
                f.write("#!/bin/sh\nexec valgrind -q --tool=massif --massif-out-file=%s.end --threshold=0.01 --depth=30 %s/driftd \"$@\"\n" % (out, folder))
            os.chmod(self.wrapper + "/driftd", 0o755)
        super().__init__(self.wrapper if out else folder, server)
        self.wait(self.ready, 1200)
        for what in ("unseen", "unnamed", "judged") if UPDATES else ():
            bench_watch.get(server + "/_replay?what=%s&count=%d" % (what, UPDATES), b"")
        self.quiet()
        time.sleep(5)

    def snapshot(self):
        subprocess.run(["vgdb", "--pid=%d" % self.process.pid, "detailed_snapshot", self.out], check=True, stderr=subprocess.DEVNULL)

    def pages(self):
        """Bytes of resident pages: of files, and others."""
        files = others = 0
        for mapping in re.split(r"^(?=[0-9a-f]+-[0-9a-f]+ )", open("/proc/%d/smaps" % self.process.pid).read(), flags=re.M)[1:]:
            name = mapping.split("\n", 1)[0].split(None, 5)[5:]
            resident = int(re.search(r"^Rss:\s+(\d+) kB", mapping, re.M).group(1)) * 1024
            if name and name[0].startswith("/"):
                files += resident
            else:
                others += resident
        return files, others


def by_kind(text):
    """Live bytes by kind, and what malloc adds to them, of a detailed snapshot."""
    found = dict.fromkeys([name for name, _ in KINDS] + ["other"], 0)
    calls = []
    for depth, children, size, call in re.findall(r"^( *)n(\d+): (\d+) (.*)$", text, re.M):
        del calls[len(depth):]
        calls.append(call)
        if children == "0":
            chain = " ".join(calls)
            found[next((name for name, pattern in KINDS if re.search(pattern, chain)), "other")] += int(size)
    return found, int(re.search(r"^mem_heap_extra_B=(\d+)", text, re.M).group(1))


def main():
    folder = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else bench_watch.HERE + "/../../build/release/bin")
    replayer, server = bench_watch.serve()
    with tempfile.TemporaryDirectory() as work:
        d = Profiled(folder, server, work + "/massif")
        d.snapshot()
        d.end()
        found, extra = by_kind(open(work + "/massif").read())
    d = Profiled(folder, server)
    files, others = d.pages()
    d.end()
    replayer.kill()
    replayer.wait()
    live = sum(found.values()) + extra
    found["malloc: headers, rounding"] = extra
    found["malloc: free; stacks; less what is untouched"] = others - live
    found["the program and its libraries"] = files
    found["resident in all"] = files + others
    for name, size in found.items():
        print("%-46s%8.2f MB%8.0f" % (name, size / 1e6, size / bench_watch.OBJECTS))


main()
