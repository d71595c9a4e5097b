#!/usr/bin/env python3
"""bounds.py WORK-FOLDER: what a driftd with one healthy cluster does while the others are attacked; prints one line of JSON.

Reads WORK-FOLDER/bounds.json: web (its address), pid, records (its file), server, ca and token (of the healthy cluster's simulator),
hostile (folders of server.py), patience (seconds for each thing that is awaited), gap_patience (for a gap of each cluster "hostile-N", 0:
none is awaited), told ("record", or "metric": where a change is looked for), provoke (the path of an object whose change makes driftd ask
the hostile server, or empty), changes (of the healthy cluster that are awaited), scrapes.
Prints: attacked, drift_ms (the slowest change to be told, null: not within the patience), scrape_ms (the slowest scrape; null), term_ms
(from SIGTERM to the end; null), gaps (the reasons, of each hostile cluster), gap_s (seconds from the attack until all were),
connections_per_second and megabytes (of each hostile server, while it lasted)."""
import json
import os
import signal
import ssl
import sys
import time
import urllib.request

work = sys.argv[1]
with open(os.path.join(work, "bounds.json"), encoding="utf-8") as f:
    plan = json.load(f)
patience = plan["patience"]
context = ssl.create_default_context(cafile=plan["ca"]) if plan["server"].startswith("https") else None


def stats(folder):
    with open(os.path.join(folder, "stats"), encoding="utf-8") as f:
        return json.load(f)


class Records:
    """What is told, line by line as it comes."""

    def __init__(self):
        self.at, self.seen = os.path.getsize(plan["records"]), []

    def read(self):
        with open(plan["records"], "rb") as f:
            f.seek(self.at)
            data = f.read()
        whole = data[:data.rfind(b"\n") + 1]
        self.at += len(whole)
        self.seen += [json.loads(line) for line in whole.splitlines()]
        return self.seen


def wait_for(condition, seconds, pause=0.005):
    """Seconds that it took, None: it did not come."""
    began = time.monotonic()
    while not condition():
        if time.monotonic() - began > seconds:
            return None
        time.sleep(pause)
    return time.monotonic() - began


def milliseconds(seconds):
    return None if seconds is None else round(seconds * 1000, 1)


def change(path, metadata):
    """Of an object of the healthy cluster."""
    body = json.dumps({"metadata": metadata}).encode()
    request = urllib.request.Request(plan["server"] + path, body, method="PATCH", headers={
        "Content-Type": "application/merge-patch+json", "Authorization": "Bearer " + plan["token"]})
    with urllib.request.urlopen(request, context=context, timeout=60) as answer:
        answer.read()


def drifted():
    """How many objects of the healthy cluster drift, as the metrics say."""
    with urllib.request.urlopen(plan["web"] + "/metrics", timeout=patience) as answer:
        lines = answer.read().decode().splitlines()
    return sum(float(line.rpartition(" ")[2]) for line in lines
               if line.startswith('driftd_objects_drifted{kube_cluster="healthy"'))


def told(records, event):
    if plan["told"] == "metric":
        return (drifted() > 0) == (event == "begin")
    return any(r.get("DRIFTD_CLUSTER") == "healthy" and r.get("DRIFTD_EVENT") == event and r.get("DRIFTD_KIND") == "Namespace"
               for r in records.read())


def drift(records):
    """The slowest of the changes, each a drift or its end."""
    worst = 0.0
    for i in range(plan["changes"]):
        records.read()
        records.seen.clear()
        began = time.monotonic()
        change("/api/v1/namespaces/shop", {"labels": {"team": "storefront" if i % 2 else "team-%d" % i}})
        if wait_for(lambda: told(records, "end" if i % 2 else "begin"), patience) is None:
            return None
        worst = max(worst, time.monotonic() - began)
    return worst


def scrape():
    """The slowest, /metrics and /-/healthy in turn."""
    worst, began = 0.0, time.monotonic()
    for i in range(plan["scrapes"]):
        start = time.monotonic()
        if start - began > patience:
            break
        try:
            with urllib.request.urlopen(plan["web"] + ("/-/healthy" if i % 2 else "/metrics"), timeout=patience) as answer:
                answer.read()
        except OSError:
            return None
        worst = max(worst, time.monotonic() - start)
    return worst


def tell_missing(reasons):
    """What is known of clusters that should be gaps and are none."""
    with urllib.request.urlopen(plan["web"] + "/metrics", timeout=patience) as answer:
        lines = answer.read().decode().splitlines()
    for name in (os.path.basename(folder) for folder in plan["hostile"]):
        if name not in reasons:
            print("\n".join(line for line in lines if 'kube_cluster="%s"' % name in line and not line.endswith(" 0")), file=sys.stderr)


def ended(pid):
    """Whether it is gone, or was not waited for yet."""
    try:
        with open("/proc/%d/stat" % pid, encoding="utf-8") as f:
            return f.read().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def gap_reasons(records):
    reasons = {}
    for r in records:
        name = r.get("DRIFTD_CLUSTER", "")
        if name.startswith("hostile") and r["MESSAGE"].startswith("gap") and r.get("DRIFTD_EVENT") in ("begin", "change"):
            reasons[name] = r["MESSAGE"]
    return reasons


def main():
    before = [stats(folder) for folder in plan["hostile"]]
    gaps, every = Records(), Records()
    for folder in plan["hostile"]:
        open(os.path.join(folder, "attack"), "w", encoding="utf-8").close()
    began = time.monotonic()
    if plan["provoke"]:
        time.sleep(0.5)  # it is honest to who is connected until it has looked
        change(plan["provoke"], {"annotations": {"provoked": str(time.time_ns())}})
    attacked = wait_for(lambda: all(stats(folder)["attacks"] for folder in plan["hostile"]), patience)
    time.sleep(plan.get("settle", 1))
    result = {"attacked": attacked is not None, "drift_ms": milliseconds(drift(every)), "scrape_ms": milliseconds(scrape())}
    if plan["gap_patience"]:
        wait_for(lambda: len(gap_reasons(gaps.read())) == len(plan["hostile"]), plan["gap_patience"], 0.2)
        result["gap_s"] = round(time.monotonic() - began, 1)
    result["gaps"] = gap_reasons(gaps.read())
    if plan["gap_patience"] and len(result["gaps"]) < len(plan["hostile"]):
        tell_missing(result["gaps"])
    seconds = time.monotonic() - began
    after = [stats(folder) for folder in plan["hostile"]]
    result["connections_per_second"] = [round((a["connections"] - b["connections"]) / seconds, 1) for a, b in zip(after, before)]
    result["megabytes"] = [round((a["bytes"] - b["bytes"]) / 1e6, 1) for a, b in zip(after, before)]
    start = time.monotonic()
    os.kill(plan["pid"], signal.SIGTERM)
    took = wait_for(lambda: ended(plan["pid"]), patience)
    result["term_ms"] = milliseconds(took)
    print(json.dumps(result))


main()
