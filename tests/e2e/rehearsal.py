#!/usr/bin/env python3
"""rehearsal.py SERVER CA TOKEN FOLDER SHARDS EDITS SEED: a driftd that runs over FOLDER/driftd.yaml, records (JSON lines) in FOLDER/records, its
socket FOLDER/control.sock; its configuration is edited at random, and each edit rehearsed before it is in force. What was foretold must be what the
reload then tells. With more SHARDS than one they are FOLDER/records.N and FOLDER/N.sock, and what all foretell must be what all tell.

An edit changes references, event rules, CEL rules, acceptances, severities, how long a finding must last, kinds and clusters. Between edits
objects change, so that drift, violations (of transition rules too), errors, acceptances and failed inspections are open. One object of each kind
always drifts and is written last: when its record has come, everything before it was told."""
import collections
import http.client
import json
import os
import random
import re
import socket
import ssl
import sys
import urllib.request

from records import PATIENCE_S, Records, wait

server, ca, token, folder, shards, edits, seed = sys.argv[1:]
rng = random.Random(int(seed))
context = ssl.create_default_context(cafile=ca)
MANAGERS = ("kubectl-edit", "helm", "vpa-updater")
KINDS = {
    "ConfigMap": ("v1", "/api/v1/namespaces/{}/configmaps"),
    "Deployment": ("apps/v1", "/apis/apps/v1/namespaces/{}/deployments"),
    "Widget": ("e2e.example.com/v1", "/apis/e2e.example.com/v1/namespaces/{}/widgets"),
    "Secret": ("v1", "/api/v1/namespaces/{}/secrets"),
}
SENTINELS = ("ConfigMap", "Deployment", "Widget")  # watched always
NAMESPACES = ("shop", "lab")
SEVERITIES = ("critical", "error", "warning", "notice", "info")
SUBJECT = ("type", "cluster", "apiVersion", "kind", "namespace", "name", "reference", "part", "component", "rule", "rulePath", "ruleSource",
           "acceptance", "phase")


# ---- the server ----

def request(method, path, body=None, content="application/json"):
    headers = {"Authorization": "Bearer " + token, "Content-Type": content}
    call = urllib.request.Request(server + path, json.dumps(body).encode() if body is not None else None, headers, method=method)
    with urllib.request.urlopen(call, context=context) as answer:
        return json.loads(answer.read())


def some(values, n):
    return rng.sample(values, min(n, len(values)))


def small():
    return rng.choice(("1", "2", "3", "12345", "off"))


def content(kind):
    if kind == "ConfigMap":
        return {"data": {key: small() for key in some(["a", "b", "c"], rng.randint(1, 3))}}
    if kind == "Secret":
        return {"data": {"key": rng.choice(("MQ==", "Mg=="))}}
    if kind == "Deployment":
        names = some(["web", "side", "db"], rng.randint(1, 3))
        return {"spec": {"replicas": rng.randint(1, 4), "template": {"spec": {"containers": [
            {"name": n, "image": f"{n}:{rng.randint(1, 2)}", "env": [{"name": k, "value": small()} for k in some(["A", "B"], 2)]} for n in names]}}}}
    return {"spec": {"size": rng.randint(1, 5), "max": rng.randint(2, 4), "color": rng.choice(("red", "grey", "blue"))}}


OBJECTS = [(kind, namespace, f"{kind[0].lower()}{i}") for kind, n in (("ConfigMap", 8), ("Deployment", 4), ("Widget", 6), ("Secret", 2))
           for namespace in NAMESPACES for i in range(n)]
there = {}


def write(kind, namespace, name, members):
    """Made, or changed: members that it has besides go."""
    api_version, path = KINDS[kind]
    path = path.format(namespace)
    manager = f"?fieldManager={rng.choice(MANAGERS)}"
    if (kind, namespace, name) in there:
        made = request("PATCH", f"{path}/{name}{manager}", [{"op": "replace", "path": f"/{k}", "value": v} for k, v in members.items()],
                "application/json-patch+json")
    else:
        made = request("POST", path + manager, {"apiVersion": api_version, "kind": kind,
                                         "metadata": {"name": name, "namespace": namespace, "labels": {"tier": rng.choice("xy")}}, **members})
    there[kind, namespace, name] = members
    return made


def delete(kind, namespace, name):
    request("DELETE", KINDS[kind][1].format(namespace) + "/" + name)
    del there[kind, namespace, name]


def live(n):
    """Something happens to @n objects."""
    for kind, namespace, name in some(OBJECTS, n):
        if (kind, namespace, name) in there and rng.random() < 0.12:
            delete(kind, namespace, name)
        else:
            write(kind, namespace, name, content(kind))


# ---- driftd ----

class Unix(http.client.HTTPConnection):
    def __init__(self, control):
        super().__init__("localhost", timeout=PATIENCE_S)
        self.control = control

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(PATIENCE_S)
        self.sock.connect(self.control)


class Told(Records):
    """One process, and what it has told."""

    def __init__(self, control, records):
        super().__init__(os.path.join(folder, records))
        self.control = os.path.join(folder, control)
        self.reloads, self.refused, self.sentinels, self.told, self.heard = [], [], {}, [], set()

    def see(self, record):
        message = record["MESSAGE"]
        if message.startswith("configuration reloaded"):
            self.reloads.append(message)
        elif message.startswith("configuration refused"):
            self.refused.append(message)
        elif record.get("DRIFTD_REFERENCE") == "sentinel" and "DRIFTD_ACTUAL" in record:
            self.sentinels[record["DRIFTD_CLUSTER"], record["DRIFTD_KIND"]] = json.loads(record["DRIFTD_ACTUAL"])
        elif "DRIFTD_DRIFT_ID" in record and not message.startswith("gap "):
            self.heard.add(record["DRIFTD_DRIFT_ID"])
            self.told.append(record)

    def ask(self, method, path, ok=(200, 202)):
        c = Unix(self.control)
        c.request(method, path, headers={"Connection": "close"})
        answer = c.getresponse()
        text = answer.read()
        c.close()
        if answer.status not in ok:
            raise SystemExit(f"{method} {path}: {answer.status} {text[:2000].decode()}")
        return json.loads(text) if text else {}


names = [(f"{n}.sock", f"records.{n}") for n in range(int(shards))] if int(shards) > 1 else [("control.sock", "records")]
processes = [Told(*name) for name in names]
turn = 0


def is_synced():
    return all(s["complete"] and all(c["synced"] for c in s["clusters"]) for s in (p.ask("GET", "/api/v1/status") for p in processes))


def findings():
    return {f["id"]: f for p in processes for f in p.ask("GET", "/api/v1/findings")["items"]
            if f["type"] != "gap" and f.get("reference") != "sentinel"}


def shard_of(uid):
    """Its owner (engine/base/shard.c)."""
    key = 0xcbf29ce484222325
    for byte in uid.encode():
        key = (key ^ byte) * 0x100000001b3 % 2**64
    owner, after = -1, 0
    while after < len(processes):
        owner = after
        key = (key * 2862933555777941757 + 1) % 2**64
        after = int((owner + 1) * (2**31 / ((key >> 33) + 1)))
    return owner


sentinels = {}  # by kind and process, the name of one that this process reports


def make_sentinels():
    """One for each process and kind."""
    for kind in SENTINELS:
        n = 0
        while any((kind, p) not in sentinels for p in range(len(processes))):
            name = f"sentinel{n}"
            made = write(kind, "sentinel", name, {"data" if kind == "ConfigMap" else "spec": {"turn": "turn 0"}})
            sentinels.setdefault((kind, shard_of(made["metadata"]["uid"])), name)
            n += 1


def read_all():
    for p in processes:
        p.read()


def settle():
    """Until everything that has happened was told; what is open then."""
    global turn
    wait("all to be judged", is_synced)
    turn += 1
    for kind in SENTINELS:
        value = f"turn {turn}"
        members = {"ConfigMap": {"data": {"turn": value}}, "Widget": {"spec": {"turn": value}},
                   "Deployment": {"spec": {"turn": value}}}[kind]
        for p in range(len(processes)):
            write(kind, "sentinel", sentinels[kind, p], members)

    def passed():
        read_all()
        return all(p.sentinels.get((c, kind)) == f"turn {turn}" for p in processes for c in config.clusters for kind in SENTINELS)
    wait(f"the records of {config.clusters.keys()} after turn {turn}", passed)

    def nothing_waits():  # beyond what is written at once
        return all(r["waiting"] == 0 and r["deferred"] == 0 for r in (p.ask("GET", "/api/v1/status")["records"] for p in processes))
    wait("records that were deferred", nothing_waits)
    is_open = {}

    def heard():
        read_all()
        is_open.clear()
        is_open.update(findings())
        return all(any(i in p.heard for p in processes) for i in is_open)
    wait("what is open to have been told", heard)
    return is_open


# ---- configurations ----

def maybe(p, **members):
    return {k: v() if callable(v) else v for k, v in members.items() if rng.random() < p}


def hold():
    return rng.choice(("0s", "0s", "1s"))


def some_template():
    """A template file: for objects of one kind, all of them or those called so."""
    kind = rng.choice(("ConfigMap", "ConfigMap", "Deployment", "Widget"))
    name, namespace = rng.choice((("{{ .metadata.name }}", "{{ .metadata.namespace }}"), ("{{ .metadata.name }}", rng.choice(NAMESPACES)),
                                  (f"{kind[0].lower()}{rng.randint(0, 9)}", rng.choice(NAMESPACES))))
    body = content(kind)
    if kind == "ConfigMap" and rng.random() < 0.2:
        body["data"]["a"] = "{{ $o := lookupCR `v1` `ConfigMap` `shop` `c1` }}{{ if $o }}{{ index ($o.data | default dict) `a` }}{{ end }}"
    head = ""
    if rng.random() < 0.2:
        head = '{{ if eq (index (.metadata | default dict) "name") "%s3" }}{{ doNotMatch "not this one" }}{{ end }}\n' % kind[0].lower()
    return {"text": head + json.dumps({"apiVersion": KINDS[kind][0], "kind": kind, "metadata": {"name": name, "namespace": namespace}, **body}),
            "more": rng.random() < 0.7}


def some_component():
    group = rng.choice(("allOf", "anyOf", "anyOf", "oneOf", "noneOf", "anyOneOf", "allOrNoneOf"))
    return {"group": group, "templates": [some_template() for _ in range(rng.randint(1, 3))]}


def some_reference():
    return {"parts": {p: {c: some_component() for c in some(["x", "y", "z"], rng.randint(1, 2))} for p in some(["p", "q"], rng.randint(1, 2))},
            **reference_settings()}


def reference_settings():
    return maybe(0.4, severity=lambda: rng.choice(SEVERITIES), component_severity=lambda: {rng.choice("xyz"): rng.choice(SEVERITIES)},
                 event_rules=lambda: some(["one", "two"], rng.randint(1, 2)), exclude_names=lambda: [rng.choice(("*1", "d*", "w2"))],
                 exclude_namespaces=lambda: [rng.choice(("lab", "nowhere"))], inspection_scope=lambda: rng.choice(("maps", "other")),
                 **{"for": hold})


def some_event_rule():
    rule = {"type": rng.choice(("allow", "warn", "error", "ignore")),
            "path": rng.choice(("data", "data.a", "data.*", "data.{b, c}", "spec", "spec.replicas", "spec.size", "metadata.labels",
                                "spec.template.spec.containers.@", "spec.template.spec.containers.*.image",
                                "spec.template.spec.containers.web.env.A.value"))}
    rule.update(maybe(0.25, change=lambda: rng.choice(("create", "delete", "modify")), severity=lambda: rng.choice(SEVERITIES),
                      message=lambda: "said " + small(), action=lambda: rng.choice(("page", "mail")), namespaces=lambda: [rng.choice(NAMESPACES)],
                      kinds=lambda: [rng.choice(("ConfigMap", "Deployment.apps", "Widget"))], labels=lambda: "tier=x",
                      manager=lambda: [rng.choice(MANAGERS)], names=lambda: ["*2"], **{"for": hold}))
    if rule["path"].startswith("data") and rng.random() < 0.2:
        rule["equal"] = rng.choice(("number", "quantity"))
    return rule


CEL = {
    "ConfigMap": ((".data", ("'a' in self", "!('b' in self) || self.b != '3'", "self.size() >= oldSelf.size()",
                             "!('a' in self) || !('a' in oldSelf) || self.a == oldSelf.a", "self.nonsense > 3",
                             "[1,2,3,4,5,6,7,8,9].all(i, self.all(k, self[k] != string(i)))")),
                  (".data.*", ("self.size() < 3", "self == oldSelf", "self != '1'"))),
    "Deployment": ((".spec", ("self.replicas < 3", "self.replicas >= oldSelf.replicas")),
                   (".spec.template.spec.containers[*]", ("self.image.endsWith(':1')", "self.env.exists(e, e.value == '2')"))),
    "Widget": ((".spec", ("self.size >= oldSelf.size", "self.color == 'red'", "self.size < 4")),),
}


def some_cel_entry():
    kind = rng.choice(tuple(CEL))
    at, rules = rng.choice(CEL[kind])
    entry = {"apiVersion": KINDS[kind][0], "kind": kind, "at": at,
             "rules": [{"rule": r, **maybe(0.3, severity=lambda: rng.choice(SEVERITIES), message=lambda: "text " + small(),
                                           reason=lambda: "FieldValueForbidden")}
                       for r in some(rules, rng.randint(1, 2))]}
    entry.update(maybe(0.2, namespace=lambda: rng.choice(NAMESPACES), labelSelector=lambda: "tier in (x)", name=lambda: "*1", **{"for": hold}))
    return entry


def some_acceptance():
    who = {"kind": rng.choice(("ConfigMap", "deployments", "*")), "name": rng.choice(("*", "*1", "c2")), "reason": "because " + small()}
    who.update(maybe(0.5, path=lambda: rng.choice(("data.a", "data", "spec.replicas", "spec.*", "spec.template.spec.containers.*.image"))))
    if "path" in who:
        who.update(maybe(0.3, value=small))
    if rng.random() < 0.25:
        who = {"component": rng.choice("pq") + "/" + rng.choice("xyz"), "reason": "because " + small()}
        who.update(maybe(0.3, template=lambda: "*"))
    who.update(maybe(0.3, owner=lambda: rng.choice(("kim", "sam")), until=lambda: "2099-01-01", reference=lambda: "one", cluster=lambda: "main"))
    return who


class Config:
    """What driftd.yaml and its files say."""

    def __init__(self):
        self.clusters = {"main": {}}
        self.references = {"one": some_reference(), "two": some_reference()}
        self.event_rules = {name: [some_event_rule() for _ in range(3)] for name in ("one", "two")}
        self.cel = [some_cel_entry() for _ in range(4)]
        self.accepted = [some_acceptance()]
        self.settings = {}
        self.inspection = {}
        self.secrets = False

    def write(self):
        def put(path, text):
            full = os.path.join(folder, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", encoding="utf-8") as f:
                f.write(text)
        for name, r in {**self.references, "sentinel": SENTINEL}.items():
            parts = []
            for p, components in r["parts"].items():
                listed = []
                for c, component in components.items():
                    paths = []
                    for i, t in enumerate(component["templates"]):
                        put(f"{name}/{p}-{c}-{i}.yaml", t["text"])
                        paths.append({"path": f"{p}-{c}-{i}.yaml", **({"config": {"ignore-unspecified-fields": True}} if t["more"] else {})})
                    listed.append({"name": c, component["group"]: paths})
                parts.append({"name": p, "components": listed})
            put(f"{name}/metadata.yaml", json.dumps({"apiVersion": "v2", "parts": parts, "fieldsToOmit": OMIT}))
        for name, rules in self.event_rules.items():
            put(f"events-{name}.yaml", json.dumps({"rules": rules}))
        put("cel.yaml", json.dumps(self.cel))
        references = [{"name": "sentinel", "path": "sentinel/metadata.yaml"}]
        for name, r in self.references.items():
            known = {c for components in r["parts"].values() for c in components}
            settings = {k: v for k, v in r.items() if k != "parts"}
            settings["exclude_namespaces"] = r.get("exclude_namespaces", []) + ["sentinel"]
            settings["component_severity"] = {c: s for c, s in r.get("component_severity", {}).items() if c in known}
            references.append({"name": name, "path": f"{name}/metadata.yaml", **settings})
        main = {
            "clusters": [{"name": n, "kubeconfig": os.path.join(folder, "kubeconfig"), **c} for n, c in self.clusters.items()],
            "references": references,
            "event_rules": [{"name": n, "path": f"events-{n}.yaml"} for n in self.event_rules],
            "validation_rules": ["cel.yaml"] if self.cel else [],
            "accepted": self.accepted,
            "inspection_rules": {"built_in": "inspection.yaml", **self.inspection},
            "watch": [{"apiVersion": KINDS[k][0], "kind": k} for k in SENTINELS + (("Secret",) if self.secrets else ())],
            **({"state_dir": os.path.join(folder, "state"), "control_socket": processes[0].control} if len(processes) == 1 else {}),
            "flapping": {"changes": 0},
            **self.settings,
        }
        put("inspection.yaml", json.dumps(INSPECTION))
        put("driftd.yaml", json.dumps(main, indent=1))


OMIT = {"defaultOmitRef": "all", "items": {"all": [{"pathToKey": "metadata." + m} for m in (
    "annotations", "uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "labels")]}}
SENTINEL = {"parts": {"s": {"s": {"group": "anyOf", "templates": [
    {"text": json.dumps({"apiVersion": KINDS[k][0], "kind": k, "metadata": {"name": "{{ .metadata.name }}", "namespace": "sentinel"},
                         "data" if k == "ConfigMap" else "spec": {"turn": "0"}}), "more": True} for k in SENTINELS]}}}}
INSPECTION = [
    {"description": "one value", "conditions": [{"op": "eq", "args": ["{node.data.a}", "2"]}], "actions": [{"op": "fail", "args": {"msg": "a is 2"}}]},
    {"description": "of a scope", "scope": "maps", "conditions": [{"op": "eq", "args": ["{node.data.b}", "2"]}],
     "actions": [{"op": "fail", "args": {"msg": "b is {node.data.b}"}}]},
    {"description": "may be off", "phase": "preprocess", "conditions": [{"op": "eq", "args": ["{node.data.c}", "off"]}],
     "actions": [{"op": "set-attribute", "args": {"path": "/data/c", "value": "3"}}]},
    {"description": "another size", "conditions": [
        {"op": "eq", "args": ["{node.kind}", "Widget"]}, {"op": "eq", "args": ["{inventory[event]}", "modified"]},
        {"op": "!is-none", "args": ["{inventory[previous]}"]}],
     "actions": [{"op": "fail", "args": {"msg": "{node.metadata.name} was another"}}]},
    {"description": "a change", "conditions": [{"op": "eq", "args": ["{inventory[event]}", "modified"]},
                                               {"op": "!eq", "args": ["{node.metadata.namespace}", "sentinel"]}],
     "actions": [{"op": "fail", "args": {"msg": "{node.metadata.name} has changed"}}]},
]
config = Config()


# ---- edits ----

def edit_component():
    r = config.references[rng.choice(tuple(config.references))]
    parts = r["parts"]
    part = parts[rng.choice(tuple(parts))]
    what = rng.random()
    if what < 0.25:
        part[rng.choice("xyz")] = some_component()
    elif what < 0.4 and len(part) > 1:
        del part[rng.choice(tuple(part))]
    elif what < 0.5:
        part[rng.choice(tuple(part))]["group"] = rng.choice(("allOf", "anyOf", "noneOf", "anyOneOf"))
    else:
        templates = part[rng.choice(tuple(part))]["templates"]
        templates[rng.randrange(len(templates))] = some_template()


def edit_reference_settings():
    name = rng.choice(tuple(config.references))
    config.references[name] = {"parts": config.references[name]["parts"], **reference_settings()}


def edit_references():
    if len(config.references) > 1 and rng.random() < 0.4:
        del config.references[rng.choice(tuple(config.references))]
    else:
        config.references[rng.choice(("one", "two", "three"))] = some_reference()
    for c in config.clusters.values():
        c.pop("references", None)


def edit_event_rules():
    edit_list(config.event_rules[rng.choice(("one", "two"))], some_event_rule, 1)


def edit_list(items, some_item, at_least):
    what = rng.random()
    if what < 0.35 and len(items) > at_least:
        del items[rng.randrange(len(items))]
    elif what < 0.65 and items:
        items[rng.randrange(len(items))] = some_item()
    else:
        items.insert(rng.randint(0, len(items)), some_item())


def edit_cel():
    if config.cel and rng.random() < 0.4:
        entry = rng.choice(config.cel)
        rule = rng.choice(entry["rules"])
        rule.update(maybe(0.5, severity=lambda: rng.choice(SEVERITIES), message=lambda: "text " + small()))
        entry.update(maybe(0.3, **{"for": hold}))
    else:
        edit_list(config.cel, some_cel_entry, 0)


def edit_accepted():
    edit_list(config.accepted, some_acceptance, 0)


def edit_settings():
    config.settings = maybe(0.5, validation_severity=lambda: rng.choice(SEVERITIES), sensitive_fields=lambda: [rng.choice("abc")],
                            auto_discovery=lambda: {"inspection_scope": rng.choice(("maps", "other"))})


def edit_inspection():
    config.inspection = maybe(0.5, severity=lambda: rng.choice(SEVERITIES), mask_secrets=lambda: rng.choice(("always", "never", "sensitive")),
                              supported_interfaces=lambda: rng.choice((".*", "ConfigMap", "Widget")),
                              default_scope=lambda: rng.choice(("maps", "other")))


def edit_clusters():
    if "second" in config.clusters and rng.random() < 0.5:
        del config.clusters["second"]
        return
    which = rng.choice(("main", "second"))
    config.clusters[which] = {"references": ["sentinel"] + some(list(config.references), rng.randint(0, 2)),
                              **maybe(0.3, crd_rules=lambda: rng.choice(("all", "referenced")))}


def edit_kinds():
    config.secrets = not config.secrets


EDITS = (edit_component, edit_component, edit_component, edit_reference_settings, edit_reference_settings, edit_references, edit_event_rules,
         edit_event_rules, edit_event_rules, edit_cel, edit_cel, edit_cel, edit_accepted, edit_accepted, edit_settings, edit_inspection,
         edit_clusters, edit_kinds)


def tidy():
    """References that are there no more are chosen by nobody; those that nobody chooses are a mistake."""
    for c in config.clusters.values():
        if "references" in c:
            c["references"] = [r for r in c["references"] if r in config.references or r == "sentinel"]
    accepted = {json.dumps({k: v for k, v in a.items() if k not in ("reason", "owner", "until")}): a for a in config.accepted
                if a.get("reference", "sentinel") in (*config.references, "sentinel")}
    config.accepted = list(accepted.values())  # the same twice is a mistake
    if all("references" in c for c in config.clusters.values()):
        chosen = {r for c in config.clusters.values() for r in c["references"]}
        config.clusters["main"]["references"] += [r for r in config.references if r not in chosen]


# ---- what was foretold, and what is told ----

def plain(message):
    message = re.sub(r"after \d[0-9.]* (s|min|h|d)( \d+ (s|min|h))?", "after a while", message)
    return re.sub(r", by [^)]*\)$", ")", message)  # who wrote is not kept where nobody asks


def subject(x):
    return tuple(x.get(k, "") for k in SUBJECT)


def of_record(r, is_open):
    event = {"accepted": "begin", "expired": "end"}.get(r["DRIFTD_EVENT"], r["DRIFTD_EVENT"])
    who = r["DRIFTD_DRIFT_ID"]
    if event == "begin":
        who = subject(is_open[who]) if who in is_open else "over already: " + who
    return event, who, r["DRIFTD_SEVERITY"], plain(r["MESSAGE"])


def of_item(x):
    return x["event"], subject(x) if x["event"] == "begin" else x["id"], x["severity"], plain(x["message"])


def unknown_of(rehearsal):
    clusters, resources = set(), set()
    for text in rehearsal["unknown"]:
        cluster, _, resource = text.removeprefix("cluster ").partition(": ")
        if resource:
            resources.add((cluster, resource.removeprefix("some of ")))
        else:
            clusters.add(cluster)
    return clusters, resources


COMPONENTS = "components of reference "  # of which a shard has not kept all that counts


def is_known(cluster, resource, namespace, of_component, reference, unknown):
    """Nothing is foretold of what nobody watches yet, nor of components that may want it. The sentinels are written meanwhile."""
    clusters, resources = unknown
    if namespace == "sentinel" or cluster in clusters or (cluster, resource) in resources:
        return False
    return not (of_component and any(c == cluster and what in (COMPONENTS + reference, what.removeprefix(COMPONENTS)) for c, what in resources))


def known_items(items, unknown):
    return [x for x in items if is_known(x.get("cluster"), x.get("resource"), x.get("namespace"),
                                         x["type"] == "component" or (x["type"] == "accepted" and "kind" not in x), x.get("reference"), unknown)]


def known_records(records, unknown):
    return [r for r in records if is_known(r.get("DRIFTD_CLUSTER"), r.get("DRIFTD_RESOURCE"), r.get("DRIFTD_NAMESPACE"),
                                           r["MESSAGE"].startswith("component") or ("DRIFTD_ACCEPTANCE" in r and "DRIFTD_KIND" not in r),
                                           r.get("DRIFTD_REFERENCE"), unknown)]


def check(number, what, before):
    rehearsals = [p.ask("POST", "/api/v1/reload?dryRun=All") for p in processes]
    if not all(r["complete"] for r in rehearsals):
        raise SystemExit("the rehearsal is not complete")
    marks = [(p, len(p.reloads), len(p.told)) for p in processes]
    for p in processes:
        p.ask("POST", "/api/v1/reload")

    def reloaded():
        read_all()
        for p in processes:
            if p.refused:
                raise SystemExit(p.refused[0])
        return all(len(p.reloads) > n for p, n, _ in marks)
    wait("the reload", reloaded)
    is_open = settle()
    unknown = [set().union(*sets) for sets in zip(*map(unknown_of, rehearsals))]
    wrong = []
    for r, p in zip(rehearsals, processes):
        announced = "findings: {begin} begin, {change} change, {end} end".format(**r)
        wrong += [] if announced in p.reloads[-1] else [f"announced otherwise than {announced}: {p.reloads[-1]}"]
    told = [r for p, _, mark in marks for r in p.told[mark:]]
    items, records = known_items([x for r in rehearsals for x in r["items"]], unknown), known_records(told, unknown)
    foretold = collections.Counter(map(of_item, items))
    is_told = collections.Counter(of_record(r, is_open) for r in records)
    total = sum(r[k] for r in rehearsals for k in ("begin", "change", "end"))
    if total > sum(len(r["items"]) for r in rehearsals):
        if not unknown[0] and not unknown[1] and total != len(told):
            wrong.append(f"{total} foretold, {len(records)} told")
    else:
        wrong += [f"foretold, and not told: {x}" for x in (foretold - is_told)] + [f"told, and not foretold: {x}" for x in (is_told - foretold)]
    if wrong:
        print(f"edit {number} ({what}), seed {seed}:", *wrong[:30], sep="\n  ")
        for x in wrong:
            for i, f in before.items():
                if i in x:
                    print("  it was", json.dumps(f))
    of_components = sum(x["type"] == "component" for x in items)
    return total, of_components, bool(wrong), any(r["unknown"] for r in rehearsals)


def begin():
    """What driftd begins with."""
    for kind, namespace, name in OBJECTS:
        if rng.random() < 0.8:
            write(kind, namespace, name, content(kind))
    make_sentinels()
    config.write()
    print("ready", flush=True)
    wait("driftd to run", lambda: all(os.path.exists(p.control) for p in processes))


def main():
    counts, failed = collections.Counter(), 0
    begin()
    is_open = settle()
    for number in range(1, int(edits) + 1):
        live(rng.choice((0, 3, 8, 20)))
        is_open = settle()
        edit = rng.choice(EDITS)
        edit()
        tidy()
        config.write()
        total, of_components, wrong, unknown = check(number, edit.__name__, is_open)
        failed += wrong
        counts["findings"] += total
        counts["components"] += of_components
        counts["without effect"] += not total
        counts["unknown"] += unknown
        counts["open"] = max(counts["open"], len(is_open))
        if failed >= int(os.environ.get("FAILURES", "1")):
            break
    print(f"{number} edits: {counts['findings']} transitions foretold, {counts['components']} of components, {counts['without effect']} edits that changed nothing, {counts['unknown']} with something unknown, "
          f"at most {counts['open']} findings open, {failed} edits foretold wrongly")
    return failed > 0


sys.exit(main())
