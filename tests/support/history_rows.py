#!/usr/bin/env python3
"""history_rows.py DATABASE CLUSTER[,CLUSTER...] [--days N] [--findings N] [--megabytes N] [--hostile]: a past for a driftd that does not run.

Adds lines of findings that began, changed and ended within the last days to the history of a state database, and times in which nobody watched.
The same each time, but for the clock.
"""
import argparse
import pathlib
import random
import sqlite3
import time

KINDS = [("Deployment", "deployments.apps"), ("ConfigMap", "configmaps"), ("Service", "services"), ("Namespace", "namespaces")]
WRITERS = ["kubectl-edit", "helm", "argocd-controller", "kubectl-patch"]
SEVERITIES = ["critical", "error", "warning", "notice", "info"]
HOSTILE = "<script>alert(1)</script>"
DAY = 86400 * 10**6


class Past:
    def __init__(self, db, clusters, days):
        self.db, self.clusters, self.days = db, clusters, days
        self.random = random.Random(46)
        self.now = int(time.time() * 1e6)
        self.rows = []

    def line(self, usec, finding, event, severity, cluster, what, message, **more):
        kind, resource, namespace, name = what
        self.rows.append((usec, finding, f"{self.random.getrandbits(128):032x}", event, severity, cluster, kind, namespace, name, message,
                          more.get("type", "drift"), resource, "shop", more.get("manager"), more.get("cause"), more.get("reason"), more.get("lasted")))

    def finding(self, i, hostile):
        draw = self.random
        begin = self.now - int(draw.random() ** 1.5 * self.days * DAY) - 60 * 10**6
        lasted = int(draw.expovariate(1 / (5 * 3600e6)))
        kind, resource = draw.choice(KINDS)
        what = (kind, resource, HOSTILE if hostile else draw.choice(["shop", "billing", "search"]), f"web-{i % 500}")
        cluster, severity = draw.choice(self.clusters), draw.choices(SEVERITIES, [1, 4, 8, 3, 2])[0]
        finding, writer = f"{draw.getrandbits(128):032x}", draw.choice(WRITERS)
        message = f"drift begins: {resource} shop/web-{i % 500} spec.replicas 3 -> {draw.randrange(9)} ({severity}, by {writer})"
        self.line(begin, finding, "begin", severity, cluster, what, message, manager=writer, cause=finding[::-1])
        if begin + lasted < self.now:
            self.line(begin + lasted, finding, "end", severity, cluster, what, f"drift ends: {resource} shop/web-{i % 500}", manager=draw.choice(WRITERS),
                      lasted=lasted, reason=draw.choice([None, None, "object deleted"]))

    def gap(self, begin, lasted, cluster):
        finding = f"{self.random.getrandbits(128):032x}"
        what = ("", "", "", "")
        self.line(begin, finding, "begin", "error", cluster, what, "gap begins: the server cannot be reached", type="gap")
        self.line(begin + lasted, finding, "end", "error", cluster, what, "gap ends", type="gap", lasted=lasted)

    def store(self):
        self.rows.sort(key=lambda row: row[0])
        self.db.executemany("INSERT INTO history(usec, finding, record, event, severity, cluster, kind, namespace, name, message, type, resource,"
                            " reference, manager, cause, reason, lasted_usec) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", self.rows)
        self.rows = []
        self.db.commit()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("database")
    parser.add_argument("clusters")
    parser.add_argument("--days", type=int, default=89)
    parser.add_argument("--findings", type=int, default=600)
    parser.add_argument("--megabytes", type=int, default=0)
    parser.add_argument("--hostile", action="store_true")
    args = parser.parse_args()
    db = sqlite3.connect(args.database)
    past = Past(db, args.clusters.split(","), args.days)
    for i in range(args.findings):
        past.finding(i, args.hostile and i == 0)
    for cluster in past.clusters:
        for hours, minutes in ((5, 40), (60, 180), (700, 600), (1500, 1440)):
            past.gap(past.now - hours * 3600 * 10**6, minutes * 60 * 10**6, cluster)
        for hours, minutes in ((14, 70), (100, 300), (1000, 2000)):
            begin = past.now - hours * 3600 * 10**6
            db.execute("INSERT OR IGNORE INTO unwatched VALUES(?,?,?)", (cluster, begin, begin + minutes * 60 * 10**6))
    past.store()
    while pathlib.Path(args.database).stat().st_size < args.megabytes * 10**6:
        for i in range(20000):
            past.finding(i, False)
        past.store()
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()


main()
