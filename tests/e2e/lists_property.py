#!/usr/bin/env python3
"""lists_property.py SERVER CA TOKEN WORK EDITS SEED prepare|run: what an API server takes, and is another thing than the reference wants, is told.

prepare makes random objects, Deployments and custom resources, and a reference that wants each as the server keeps it. run writes other
random ones in their places, most of them a small change of what is wanted, and asks the server what it made of them. Three references
judge each: without rules, with rules that keep all, and with an error for env.FOO beside a rule that ignores everything. By the first two
an object has drifted when it differs in anything; by the third when the elements called FOO, in their order, do.

Objects of a kind are judged in the order in which they were written: each round writes one more of each kind behind all others, that
differs in one round and does not in the next. When that is told all has been judged."""
import copy
import json
import os
import random
import ssl
import sys
import urllib.error
import urllib.request

from records import Open

server, ca, token, work, edits, seed, what = sys.argv[1:]
rng = random.Random(f"{seed} {what}")
context = ssl.create_default_context(cafile=ca)
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
THINGS = "/apis/e2e.example.com/v1/namespaces/default/things"
NAMES = [(DEPLOYMENTS, f"web{i}") for i in range(8)] + [(THINGS, f"thing{i}") for i in range(8)]
LAST = [(DEPLOYMENTS, "web-last"), (THINGS, "thing-last")]
REFUSED = (400, 422)


def request(method, path, body=None):
    headers = {"Authorization": "Bearer " + token, "Content-Type": "application/json"}
    call = urllib.request.Request(server + path, json.dumps(body).encode() if body is not None else None, headers, method=method)
    try:
        with urllib.request.urlopen(call, context=context, timeout=60) as answer:
            return json.loads(answer.read())
    except urllib.error.HTTPError as e:
        if e.code in REFUSED:
            return None
        raise SystemExit(f"{method} {path}: {e.code} {e.read()[:400]!r}") from None


# ---- what is drawn ----

def some(most, draw):
    return [draw() for _ in range(rng.randint(0, most))]


def word():
    return rng.choice(("a", "b", "c", ""))


def words():
    return {k: word() for k in rng.sample(("x", "y", "z"), rng.randint(0, 3))}


def env():
    return {"name": rng.choice(("FOO", "FOO", "BAR")), "value": word()}


def port():
    return {"containerPort": rng.choice((80, 81, 53)), **({"protocol": rng.choice(("TCP", "UDP"))} if rng.random() < 0.5 else {})}


def toleration():
    return {"key": rng.choice(("k", "l")), "operator": "Exists", **({"effect": "NoSchedule"} if rng.random() < 0.5 else {})}


def pair():
    return {"id": rng.choice("pqr"), **({"side": rng.choice(("left", "right"))} if rng.random() < 0.5 else {}),
            **({"n": rng.randint(0, 2)} if rng.random() < 0.7 else {})}


def anything(depth=2):
    kind = rng.randint(0, 4 if depth else 2)
    if kind == 3:
        return some(3, lambda: anything(depth - 1))
    if kind == 4:
        return {k: anything(depth - 1) for k in rng.sample(("name", "id", "v"), rng.randint(0, 3))}
    return rng.choice((0, 1, "a", "", True, False, 1.5))


# The places of an object that hold lists and maps, and what may be there.
PLACES = {
    DEPLOYMENTS: {
        ("template", "spec", "containers", 0, "env"): lambda: some(5, env),
        ("template", "spec", "containers", 0, "ports"): lambda: some(3, port),
        ("template", "spec", "containers", 0, "args"): lambda: some(3, word),
        ("template", "spec", "tolerations"): lambda: some(3, toleration),
        ("template", "spec", "nodeSelector"): words,
        ("template", "spec", "imagePullSecrets"): lambda: some(3, lambda: {"name": rng.choice(("s", "t"))}),
        ("template", "metadata", "annotations"): words,
    },
    THINGS: {
        ("set",): lambda: some(3, word),
        ("atomic",): lambda: some(3, pair),
        ("plain",): lambda: some(3, pair),
        ("keyed",): lambda: some(3, pair),
        ("maps",): lambda: {k: words() for k in rng.sample(("m", "n"), rng.randint(0, 2))},
        ("whole",): words,
        ("lists",): lambda: some(3, lambda: some(2, word)),
        ("any",): lambda: {"of": anything()},
    },
}


def put(spec, place, value):
    for step in place[:-1]:
        spec = spec[step] if isinstance(step, int) else spec.setdefault(step, {})
    spec[place[-1]] = value


def at(spec, place):
    for step in place:
        spec = spec.get(step) if isinstance(spec, dict) else spec[step] if spec is not None else None
    return spec


def draw(path, name):
    spec = {}
    if path == DEPLOYMENTS:
        spec = {"selector": {"matchLabels": {"app": name}}, "template": {"metadata": {"labels": {"app": name}}, "spec": {
            "containers": [{"name": "main", "image": "i:1"}]}}}
    for place, value in PLACES[path].items():
        put(spec, place, value())
    api, kind = ("apps/v1", "Deployment") if path == DEPLOYMENTS else ("e2e.example.com/v1", "Thing")
    return {"apiVersion": api, "kind": kind, "metadata": {"name": name, "namespace": "default"}, "spec": spec}


def changed(obj, path):
    """Another one: some places drawn anew, or a list of them in another order, with an element twice, or without one."""
    obj = copy.deepcopy(obj)
    places = list(PLACES[path])
    for place in rng.sample(places, rng.choice((0, 1, 1, 1, 2))) if rng.random() < 0.7 else places[:1]:
        old = at(obj["spec"], place)
        how = rng.randint(0, 4)
        if isinstance(old, list) and old and how:
            new = copy.deepcopy(old)
            if how == 1:
                rng.shuffle(new)
            elif how == 2:
                new.insert(rng.randint(0, len(new)), copy.deepcopy(rng.choice(new)))
            elif how == 3:
                new.pop(rng.randrange(len(new)))
            elif isinstance(new[0], dict):
                new[rng.randrange(len(new))].update(rng.choice(({"value": "z"}, {"n": 7}, {})))
            put(obj["spec"], place, new)
        else:
            put(obj["spec"], place, PLACES[path][place]())
    return obj


def plain(obj):
    """What the reference is about."""
    return {"apiVersion": obj["apiVersion"], "kind": obj["kind"],
            "metadata": {"name": obj["metadata"]["name"], "namespace": "default"}, "spec": obj["spec"]}


def differs(x, y):
    """To Python 0 and False are the same."""
    return json.dumps(x, sort_keys=True) != json.dumps(y, sort_keys=True)


def foo(obj):
    return [e for e in at(obj["spec"], ("template", "spec", "containers", 0, "env")) or [] if e["name"] == "FOO"] \
        if obj["kind"] == "Deployment" else []


# ---- the reference ----

OMITTED = ("annotations", "uid", "resourceVersion", "generation", "creationTimestamp", "managedFields")


def prepare():
    folder = os.path.join(work, "reference")
    os.makedirs(folder, exist_ok=True)
    templates, wanted = [], {}
    for path, name in NAMES + LAST:
        while True:
            made = request("POST", path, draw(path, name))
            if made:
                break
        wanted[name] = plain(made)
        templates.append({"path": f"{name}.yaml"})
        with open(os.path.join(folder, f"{name}.yaml"), "w", encoding="utf-8") as file:
            json.dump(wanted[name], file)
    metadata = {"apiVersion": "v2", "parts": [{"name": "p", "components": [{"name": "c", "anyOf": templates}]}],
                "fieldsToOmit": {"defaultOmitRef": "all", "items": {"all": [{"pathToKey": f"metadata.{m}"} for m in OMITTED] + [
                    {"pathToKey": "status"}]}}}
    with open(os.path.join(folder, "metadata.yaml"), "w", encoding="utf-8") as file:
        json.dump(metadata, file)
    with open(os.path.join(work, "wanted.json"), "w", encoding="utf-8") as file:
        json.dump(wanted, file)


# ---- the edits ----

def key_of(record):
    return (record["DRIFTD_NAME"], record["DRIFTD_REFERENCE"]) if record["MESSAGE"].startswith(("drift ", "error ")) else None


def wait_for_last(told, wanted, mark):
    for path, name in LAST:
        write(path, marked(wanted[name], mark))
    keys = {(name, reference) for _, name in LAST for reference in ("ref", "keep")} | {("web-last", "only")}
    told.wait("what was written last", lambda: all((key in told.open) == mark for key in keys))


def marked(obj, mark):
    obj = copy.deepcopy(obj)
    if mark:
        place = ("template", "spec", "containers", 0, "env") if obj["kind"] == "Deployment" else ("whole",)
        put(obj["spec"], place, [{"name": "FOO", "value": "mark"}] if obj["kind"] == "Deployment" else {"mark": "1"})
    return obj


def write(path, obj):
    current = request("GET", f"{path}/{obj['metadata']['name']}")
    obj["metadata"]["resourceVersion"] = current["metadata"]["resourceVersion"]
    return request("PUT", f"{path}/{obj['metadata']['name']}", obj)


def run():
    with open(os.path.join(work, "wanted.json"), encoding="utf-8") as file:
        wanted = json.load(file)
    told, wrong, n, refused, differ, hidden, mark = Open(os.path.join(work, "records"), key_of), [], 0, 0, 0, 0, False
    while n < int(edits):
        kept = {}
        for path, name in rng.sample(NAMES, rng.randint(1, len(NAMES))):
            made = write(path, changed(wanted[name], path))
            refused += made is None
            if made:
                kept[name] = plain(made)
        expected = {}
        for name, obj in kept.items():
            expected[name, "ref"] = expected[name, "keep"] = differs(obj, wanted[name])
            expected[name, "only"] = differs(foo(obj), foo(wanted[name]))
            differ += expected[name, "ref"]
            hidden += expected[name, "only"]
        mark = not mark
        wait_for_last(told, wanted, mark)
        for key, drifted in expected.items():
            if (key in told.open) != drifted:
                wrong.append(f"{key}: {'nothing is told of' if drifted else 'a drift is told of what is as it should be,'} "
                             f"{json.dumps(kept[key[0]]['spec'])}, where {json.dumps(wanted[key[0]]['spec'])} is wanted")
        if wrong:
            break
        n += len(kept)
    print(f"{n} edits: {differ} make a difference, {hidden} to what is called FOO; {refused} were refused; {len(wrong)} wrong")
    print(*wrong[:5], sep="\n")
    return bool(wrong or not differ or not hidden)


sys.exit(prepare() if what == "prepare" else run())
