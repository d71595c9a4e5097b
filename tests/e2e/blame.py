#!/usr/bin/env python3
"""blame.py SERVER CA TOKEN WORK SEED watched EDITS|away|back: edits of custom resources by several managers, in every way in which the API
lets them write, and whom driftd's records name for each.

Each edit begins at objects that are as the reference wants them, changes one field of one of them, and waits for its record; then somebody
puts it right. Beside it other managers write what is no drift: status, and annotations that the reference leaves alone. The manager that is
named must be the one who wrote. Nobody need be named for a removal that leaves no trace (an update that only removes; an apply in the
second of the one before), and for one in a hundred of the others.

Applying removes what the same manager applied before and nobody else owns: some objects are made so, by one manager each, who
leaves out fields of which that is so and applies them again, while others update the same objects.

Where two write what drifts, one after the other, in another second, the later one is named: what the first one added is changed by the
second, or each changes a field of its own. (Applying what is there already is no write: it moves no time.)

away makes such edits of all objects while driftd does not run, so that it meets them all at once, and back looks whom it names then. For
a removal nobody else than the one who made it may be named, however many wrote meanwhile, whoever was the last, and whether or not the one
who removed left a trace."""
import collections
import copy
import json
import os
import random
import ssl
import sys
import time
import urllib.error
import urllib.request

from records import Open

server, ca, token, work, seed, what_to_do, *edits = sys.argv[1:]
rng = random.Random(f"{seed} {what_to_do}")
context = ssl.create_default_context(cafile=ca)
MANAGERS = ("kubectl-edit", "helm", "argocd", "vpa-updater", "terraform")
NAMES = [f"d{i}" for i in range(12)]
APPLIED = {f"applied{i}": MANAGERS[i % len(MANAGERS)] for i in range(6)}  # made by whom
ALL = NAMES + list(APPLIED)
ANOTHER_SECOND_S = 1.1
AWAY_S = 11  # what driftd missed for less is told as if it had not
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


def touched(manager):
    """An annotation of its own: one that another writes too would be that one's alone."""
    return {"of-" + manager: str(rng.random())}


def write(obj, manager, how, touch=False):
    """The whole of @obj: as an update, as a patch of one member, or applied by force. @touch: beside an annotation."""
    name = obj["metadata"]["name"]
    query = f"?fieldManager={manager}"
    if how == "put":
        current = request("GET", path(name), None)
        for member in ("resourceVersion", "uid", "managedFields"):
            obj["metadata"][member] = current["metadata"][member]
        obj["metadata"]["annotations"] = current["metadata"].get("annotations", {}) | (touched(manager) if touch else {})
        request("PUT", path(name) + query, obj)
    elif how == "merge":
        limits = {"cpu": None, **obj["spec"]["limits"]} if "limits" in obj["spec"] else None
        labels = {"tier": None, **obj["metadata"]["labels"]}
        metadata = {"labels": labels, "annotations": touched(manager) if touch else {}}
        patch = {"metadata": metadata, "spec": {"paused": None, **obj["spec"], "limits": limits}}
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


def records():
    return Open(os.path.join(work, "records"), lambda r: r["DRIFTD_NAME"] if r.get("DRIFTD_KIND") == "Job" else None)


def noise(name):
    """What is no drift, by others."""
    if rng.random() < 0.5:
        request("PATCH", path(name, "/status") + "?fieldManager=kubelet", {"status": {"seen": rng.randint(1, 1 << 30)}},
                "application/merge-patch+json")
    if rng.random() < 0.3:
        request("PATCH", path(name) + "?fieldManager=annotator", {"metadata": {"annotations": {"n": str(rng.random())}}},
                "application/merge-patch+json")


def annotate(name, manager):
    patch = {"metadata": {"annotations": touched(manager)}}
    request("PATCH", path(name) + "?fieldManager=" + manager, patch, "application/merge-patch+json")


class Tally:
    """Whom the records named, beside those who wrote."""

    def __init__(self):
        self.counts, self.wrong = collections.Counter(), []

    def add(self, kind, what, manager, record):
        named = record.get("DRIFTD_MANAGER")
        self.counts[kind] += 1
        self.counts[kind + " named"] += named == manager
        if named not in (manager, None):
            self.wrong.append(f"{record['DRIFTD_NAME']}: {what} by {manager} is said to be by {named}")

    def end(self, must, may):
        """Print all; true: nobody wrong was named, of @must nearly all, and of each of @may some."""
        each = ", ".join(f"{self.counts[k + ' named']} of {self.counts[k]} {k}" for k in must + may)
        print(f"{sum(self.counts[k] for k in must + may)} edits: {each} named, {len(self.wrong)} wrong")
        print(*self.wrong[:20], sep="\n")
        named, made = (sum(self.counts[k + end] for k in must) for end in (" named", ""))
        return not self.wrong and named >= 0.99 * made and all(self.counts[k + " named"] for k in may)


def edit_of(what):
    return next(e for e in EDITS if e[0] == what)


def changed(obj, *edits_made):
    obj = copy.deepcopy(obj)
    for _, _, change in edits_made:
        change(obj)
    return obj


def two():
    return rng.sample(MANAGERS, 2)


# ---- one after the other ----
# Each draws what is written, as a pair of functions of which the second comes in another second, and says what it is and who is to be
# named.

def added_then_modified(name):
    first, second = two()
    obj = changed(wanted(name), edit_of("env added"))
    after = copy.deepcopy(obj)
    after["spec"]["env"][2]["value"] = "4"
    return (lambda: write(obj, first, "merge")), (lambda: write(after, second, rng.choice(("put", "merge")))), \
        "env added, and modified", second


def each_a_field(name):
    first, second = two()
    one, other = rng.sample([edit_of(w) for w in ("replicas", "image", "env modified", "label", "paused")], 2)
    obj = changed(wanted(name), one)
    return (lambda: write(obj, first, "merge")), (lambda: write(changed(obj, other), second, rng.choice(("put", "merge")))), \
        f"{one[0]}, and {other[0]}", second


def alone(name, removes):
    edit, manager = rng.choice([e for e in EDITS if e[1] == removes]), rng.choice(MANAGERS)
    return changed(wanted(name), edit), edit[0], manager


def modified_alone(name):
    obj, what, manager = alone(name, False)
    return (lambda: None), (lambda: write(obj, manager, rng.choice(("put", "merge")))), what, manager


def modified_before_others(name):
    obj, what, manager = alone(name, False)
    return (lambda: write(obj, manager, "merge")), (lambda: annotate(name, "annotator")), what, manager


def removed_alone(name):
    obj, what, manager = alone(name, True)
    return (lambda: None), (lambda: write(obj, manager, rng.choice(("put", "merge")), True)), what, manager


def removed_before_others(name):
    obj, what, manager = alone(name, True)
    return (lambda: write(obj, manager, "merge", True)), (lambda: annotate(name, "annotator")), what, manager


def removed_after_others(name):
    obj, what, manager = alone(name, True)
    return (lambda: annotate(name, "annotator")), (lambda: write(obj, manager, "merge", True)), what, manager


def removed_without_a_trace(name):
    obj, what, manager = alone(name, True)
    return (lambda: write(obj, manager, "merge")), (lambda: annotate(name, "annotator")), what, manager


# What is drawn, and what it counts as.
LATER = "of the later of two"
ALONE, REMOVED, REMOVED_BESIDE = "additions and modifications", "removals by one who wrote", "removals by one of several"
IN_TURN = ((added_then_modified, LATER), (each_a_field, LATER))
AWAY = ((removed_before_others, REMOVED_BESIDE),) + IN_TURN + ((removed_alone, REMOVED), (removed_after_others, REMOVED_BESIDE),
                                                               (removed_without_a_trace, REMOVED_BESIDE),
                                                               (modified_alone, ALONE), (modified_before_others, ALONE))


# ---- what is done ----

def watch_single(told, tally):
    """One edit of each of some objects, seen as it is made."""
    batch = {}
    for name in rng.sample(ALL, rng.randint(1, len(ALL))):
        (what, removes, change), how, manager = draw(name)
        noise(name)
        write(changed(wanted(name), (what, removes, change)), manager, how)
        batch[name] = (ALONE if not removes else "removals by applying" if how == "apply" else "removals",
                       f"{what} ({how})", manager)
        if rng.random() < 0.3:
            noise(name)
    told.wait(f"the drift of {batch}", lambda: all(name in told.open for name in batch))
    for name, (kind, what, manager) in batch.items():
        tally.add(kind, what, manager, told.open[name])
    return batch


def watch_in_turn(told, tally):
    """Two of each of some objects, of which the second changes what the first one is told of."""
    batch = {name: rng.choice(IN_TURN)[0](name) for name in rng.sample(NAMES, 3)}
    for first, _, _, _ in batch.values():
        first()
    told.wait(f"the first drift of {list(batch)}", lambda: all(name in told.open for name in batch))
    before = {name: told.open[name]["DRIFTD_RECORD_ID"] for name in batch}
    time.sleep(ANOTHER_SECOND_S)
    for _, second, _, _ in batch.values():
        second()
    told.wait(f"another drift of {list(batch)}", lambda: all(told.open[name]["DRIFTD_RECORD_ID"] != before[name] for name in batch))
    for name, (_, _, what, manager) in batch.items():
        tally.add(LATER, what, manager, told.open[name])
    return batch


def settle(told, batch):
    for name in batch:
        repair(name)
    told.wait("all to be as it should", lambda: not told.open)


def watched(total):
    told, tally, n, rounds = records(), Tally(), 0, 0
    for name, manager in APPLIED.items():
        write(wanted(name), manager, "apply")
    while n < total:
        batch = (watch_in_turn if rounds % 4 == 1 else watch_single)(told, tally)
        settle(told, batch)
        n, rounds = n + len(batch), rounds + 1
    return tally.end([ALONE, LATER], ["removals by applying"])


def away():
    end = time.monotonic() + AWAY_S
    kinds = [AWAY[i % len(AWAY)] for i in range(len(NAMES))]
    rng.shuffle(kinds)
    drawn = {name: (*draw_edits(name), kind) for name, (draw_edits, kind) in zip(NAMES, kinds)}
    for at in 0, 1:
        time.sleep(ANOTHER_SECOND_S)
        for edits_of in drawn.values():
            edits_of[at]()
    with open(os.path.join(work, "away.json"), "w", encoding="utf-8") as f:
        json.dump({name: edits_of[2:] for name, edits_of in drawn.items()}, f)
    time.sleep(max(0, end - time.monotonic()))
    return True


def back():
    told, tally = records(), Tally()
    with open(os.path.join(work, "away.json"), encoding="utf-8") as f:
        batch = json.load(f)
    told.wait("the drift of all", lambda: all(name in told.open for name in batch))
    for name, (what, manager, kind) in batch.items():
        tally.add(kind, what, manager, told.open[name])
    settle(told, batch)
    named, made = (sum(tally.counts[k + end] for k in (REMOVED, REMOVED_BESIDE)) for end in (" named", ""))
    print(f"while driftd was away, {named} of {made} removals named;", end=" ")
    return tally.end([ALONE, LATER], [])


sys.exit(not {"watched": lambda: watched(int(edits[0])), "away": away, "back": back}[what_to_do]())
