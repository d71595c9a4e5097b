#!/usr/bin/env python3
"""blame.py SERVER CA TOKEN RECORDS EDITS SEED: edits of custom resources by several managers, in every way in which the API lets them write, and whom
driftd's records (JSON lines) name for each.

Each edit begins at objects that are as the reference wants them, changes one field of one of them, and waits for its record; then somebody puts
it right. Beside it other managers write what is no drift: status, and annotations that the reference leaves alone. The manager that is named
must be the one who wrote. Nobody need be named for a removal that leaves no trace (an update that only removes; an apply in the second of
the one before), and for one in a hundred of the others.

Applying removes what the same manager applied before and nobody else owns: some objects are made so, by one manager each, who
leaves out fields of which that is so and applies them again, while others update the same objects."""
import collections
import copy
import json
import random
import ssl
import sys
import time
import urllib.error
import urllib.request

server, ca, token, records, edits, seed = sys.argv[1:]
rng = random.Random(int(seed))
context = ssl.create_default_context(cafile=ca)
MANAGERS = ("kubectl-edit", "helm", "argocd", "vpa-updater", "terraform")
NAMES = [f"d{i}" for i in range(12)]
APPLIED = {f"applied{i}": MANAGERS[i % len(MANAGERS)] for i in range(6)}  # made by whom
ALL = NAMES + list(APPLIED)
PATIENCE_S = 60
UPDATE, APPLY = "Update", "Apply"


def request(method, path, body, content="application/json"):
    headers = {"Authorization": "Bearer " + token, "Content-Type": content}
    call = urllib.request.Request(server + path, json.dumps(body).encode() if body is not None else None, headers, method=method)
    for _ in range(20):
        try:
            with urllib.request.urlopen(call, context=context) as answer:
                return json.loads(answer.read())
        except urllib.error.HTTPError as e:
            if e.code not in (409, 500, 503):
                raise SystemExit(f"{method} {path}: {e.code} {e.read()[:400]!r}") from None
            time.sleep(0.1)
    raise SystemExit(f"{method} {path}: no success")


def wanted(name):
    spec = {"replicas": 2, "image": "web:1", "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}],
            "ports": [{"port": 80, "protocol": "TCP"}], "limits": {"memory": "128Mi"}}
    return {"apiVersion": "e2e.example.com/v1", "kind": "Job", "metadata": {"name": name, "namespace": "default",
                                                                            "labels": {"team": "a", "tier": "b"}}, "spec": spec}


def spec(obj):
    return obj["spec"]


def path(name, subresource=""):
    return f"/apis/e2e.example.com/v1/namespaces/default/jobs/{name}{subresource}"


# What an edit does to an object: name, whether it removes something, and the change.
def set_at(get, key, value):
    return lambda o: get(o).__setitem__(key, value)


def drop_at(get, key):
    return lambda o: get(o).pop(key)


ENV_B = ("f:spec", "f:env", 'k:{"name":"B"}')
LIMITS = ("f:spec", "f:limits")
TIER = ("f:metadata", "f:labels", "f:tier")

EDITS = (
    ("replicas", False, set_at(spec, "replicas", 7)),
    ("image", False, set_at(spec, "image", "web:2")),
    ("env modified", False, set_at(lambda o: spec(o)["env"][1], "value", "9")),
    ("env added", False, lambda o: spec(o)["env"].append({"name": "C", "value": "3"})),
    ("port added", False, lambda o: spec(o)["ports"].append({"port": 80, "protocol": "UDP"})),
    ("limit added", False, set_at(lambda o: spec(o)["limits"], "cpu", "1")),
    ("label", False, set_at(lambda o: o["metadata"]["labels"], "team", "z")),
    ("paused", False, set_at(spec, "paused", True)),
    ("env removed", True, lambda o: spec(o)["env"].pop()),
    ("limits removed", True, drop_at(spec, "limits")),
    ("label removed", True, drop_at(lambda o: o["metadata"]["labels"], "tier")),
)
OWNED = {"env removed": ENV_B, "limits removed": LIMITS, "label removed": TIER}  # what a removal is of


def write(obj, manager, how):
    """The whole of @obj: as an update, as a patch of one member, or applied by force."""
    name = obj["metadata"]["name"]
    query = f"?fieldManager={manager}"
    if how == "put":
        current = request("GET", path(name), None)
        for member in ("resourceVersion", "uid", "managedFields"):
            obj["metadata"][member] = current["metadata"][member]
        obj["metadata"]["annotations"] = current["metadata"].get("annotations", {})
        request("PUT", path(name) + query, obj)
    elif how == "merge":
        limits = {"cpu": None, **obj["spec"]["limits"]} if "limits" in obj["spec"] else None
        patch = {"metadata": {"labels": {"tier": None, **obj["metadata"]["labels"]}}, "spec": {"paused": None, **obj["spec"], "limits": limits}}
        request("PATCH", path(name) + query, patch, "application/merge-patch+json")
    else:
        request("PATCH", path(name) + query + "&force=true", obj, "application/apply-patch+yaml")


def owners(obj, at):
    """Who owns something at or below @at: pairs of manager and operation."""
    found = set()
    for entry in obj["metadata"]["managedFields"]:
        fields = entry.get("fieldsV1", {})
        for step in at:
            fields = None if fields is None else fields.get(step)
        if fields is not None:
            found.add((entry["manager"], entry["operation"]))
    return found


def draw_applied_removal(name):
    """A removal that the manager of an applied object can make by applying; None: there is none now."""
    manager = APPLIED[name]
    obj = request("GET", path(name), None)
    alone = [e for e in EDITS if e[0] in OWNED and owners(obj, OWNED[e[0]]) == {(manager, APPLY)}]
    return (rng.choice(alone), "apply", manager) if alone else None


def draw(name):
    """An edit, how, and by whom."""
    drawn = draw_applied_removal(name) if name in APPLIED and rng.random() < 0.6 else None
    if drawn:
        return drawn
    edit = rng.choice(EDITS)
    how = rng.choice(("put", "merge") if edit[1] or name in APPLIED else ("put", "merge", "apply"))  # what others own too stays
    return edit, how, rng.choice(MANAGERS)


def repair(name):
    """An applied object belongs to its manager again where it was changed; what was added to it others take away."""
    if name in APPLIED:
        write(wanted(name), APPLIED[name], "apply")
    write(wanted(name), rng.choice(MANAGERS), rng.choice(("put", "merge")))


class Records:
    def __init__(self, file):
        self.file, self.open = open(file, encoding="utf-8"), {}
        self.rest = ""

    def read(self):
        self.rest += self.file.read()
        lines = self.rest.split("\n")
        self.rest = lines.pop()
        for line in lines:
            r = json.loads(line)
            if r.get("DRIFTD_KIND") != "Job" or "DRIFTD_DRIFT_ID" not in r:
                continue
            if r["DRIFTD_EVENT"] == "end":
                self.open.pop(r["DRIFTD_NAME"], None)
            else:
                self.open[r["DRIFTD_NAME"]] = r

    def wait(self, what, ready):
        end = time.monotonic() + PATIENCE_S
        while not ready():
            if time.monotonic() > end:
                raise SystemExit(f"waited in vain for {what}")
            time.sleep(0.02)
            self.read()


def noise(name):
    """What is no drift, by others."""
    if rng.random() < 0.5:
        request("PATCH", path(name, "/status") + "?fieldManager=kubelet", {"status": {"seen": rng.randint(1, 1 << 30)}},
                "application/merge-patch+json")
    if rng.random() < 0.3:
        request("PATCH", path(name) + "?fieldManager=annotator", {"metadata": {"annotations": {"n": str(rng.random())}}},
                "application/merge-patch+json")


def main():
    counts, wrong = collections.Counter(), []
    told = Records(records)
    n = 0
    for name, manager in APPLIED.items():
        write(wanted(name), manager, "apply")
    while n < int(edits):
        batch = {}
        for name in rng.sample(ALL, rng.randint(1, len(ALL))):
            (what, removes, change), how, manager = draw(name)
            obj = wanted(name)
            change(obj)
            noise(name)
            write(copy.deepcopy(obj), manager, how)
            batch[name] = (what, removes, how, manager)
            if rng.random() < 0.3:
                noise(name)
        told.wait(f"the drift of {batch}", lambda batch=batch: all(name in told.open for name in batch))
        for name, (what, removes, how, manager) in batch.items():
            named = told.open[name].get("DRIFTD_MANAGER")
            kind = "others" if not removes else "applied removals" if how == "apply" else "removals"
            counts[kind] += 1
            counts[kind + " named"] += named == manager
            if named not in (manager, None):
                wrong.append(f"{name}: {what} by {manager} ({how}) is said to be by {named}")
        for name in batch:
            repair(name)
        told.wait("all to be as it should", lambda: not told.open)
        n += len(batch)
    print(f"{n} edits: {counts['others named']} of {counts['others']} additions and modifications named, "
          f"{counts['removals named']} of {counts['removals']} removals, "
          f"{counts['applied removals named']} of {counts['applied removals']} by applying, {len(wrong)} wrong")
    print(*wrong[:20], sep="\n")
    return bool(wrong or counts["others named"] < 0.99 * counts["others"] or not counts["applied removals named"])


sys.exit(main())
