"""The world of a run with releases of Helm: objects, what their releases want of them, and what must be found.

Nothing here judges as driftd does. An object is a table of fields, each with a value and who wrote it; what a manifest wants is another,
and a difference is a field that is not as it is wanted. What must be found follows from spec/manifests.md, "Manifests that the cluster
holds".
"""
import base64
import collections
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
import helm_release
import world as w

CLUSTER, REFERENCE, PART = "prod", "helm", "helm"
NAMESPACES = ("shop", "pay", "evil", "platform")
TRUSTED = ("platform",)
CANARY = "CanaryOfSecret"
ABSENT, HIDDEN = "(absent)", "(hidden)"

PENDING = ("pending-install", "pending-upgrade", "pending-rollback")

# path: as it is printed; steps: the way to it, in which a pair chooses the element of a list; element: the element of a list comes and goes
# with it; added: where no manifest wants it, it is drift that it is there; removable: a server does not fill it in, and it is not what
# keeps a map or a list from being empty; values: None: any text
Field = collections.namedtuple("Field", "path steps element added removable values")


def field(path, *steps, element=False, added=False, removable=True, values=None):
    return Field(path, steps, element, added, removable, values)


POD = ("spec", "template", "spec", "containers")
POD_PATH = "spec.template.spec.containers"


def variable(name, removable=True):
    path = f'{POD_PATH}[name="main"].env[name="{name}"].value'
    return field(path, *POD, ("name", "main"), "env", ("name", name), "value", element=True, added=True, removable=removable)


KINDS = ("ConfigMap", "Deployment", "Service", "Secret")
FIELDS = {
    "ConfigMap": [field("data.k0", "data", "k0", removable=False)] + [field(f"data.k{i}", "data", f"k{i}") for i in range(1, 4)] + [
        field("metadata.labels.tier", "metadata", "labels", "tier")],
    "Deployment": [
        field(f'{POD_PATH}[name="main"].image', *POD, ("name", "main"), "image", removable=False), variable("A", False),
        field("spec.replicas", "spec", "replicas", removable=False, values=(1, 2, 3, 5)), variable("X0"), variable("X1"),
        field(f'{POD_PATH}[name="side"].image', *POD, ("name", "side"), "image", element=True, added=True),
    ],
    "Service": [
        field("spec.selector.app", "spec", "selector", "app", removable=False),
        field('spec.ports[port=80,protocol="TCP"].targetPort', "spec", "ports", ("port", 80), "targetPort", removable=False,
              values=(80, 81, 8080)),
        field("spec.sessionAffinity", "spec", "sessionAffinity", removable=False, values=("None", "ClientIP")),
        field("spec.selector.tier", "spec", "selector", "tier", added=True),
    ],
    "Secret": [field("data.password", "data", "password", removable=False), field("data.k0", "data", "k0")],
}
ALWAYS = {"ConfigMap": 1, "Deployment": 3, "Service": 3, "Secret": 1}  # so many of its fields, from the first, a manifest always has


# ---- documents ----

def place(doc, steps, value):
    """Put a value where the steps lead, and on the way what is not there yet."""
    for step, following in zip(steps, steps[1:]):
        if isinstance(step, tuple):
            found = [e for e in doc if e[step[0]] == step[1]]
            if not found:
                doc.append({step[0]: step[1]})
            doc = found[0] if found else doc[-1]
        else:
            doc = doc.setdefault(step, [] if isinstance(following, tuple) else {})
    doc[steps[-1]] = value


def in_object(kind, value):
    return base64.b64encode(value.encode()).decode() if kind == "Secret" else value


def document(key, values, text=False):
    """The object of @key with these values; as a manifest has it (@text), or as a client creates it."""
    kind, namespace, name = key
    doc = {"apiVersion": w.KINDS[kind].api, "kind": kind, "metadata": {"name": name, "namespace": namespace}}
    place(doc, ("metadata", "labels", "of"), "model")
    if kind == "Deployment":
        place(doc, ("spec", "selector", "matchLabels", "app"), name)
        place(doc, ("spec", "template", "metadata", "labels", "app"), name)
    for f, value in values.items():
        if text and kind == "Secret":
            place(doc, ("stringData", *f.steps[1:]), value)
        else:
            place(doc, f.steps, in_object(kind, value))
    return doc


def patch(key, values):
    """A strategic merge patch; None: the field goes."""
    doc = {}
    for f, value in values.items():
        if value is None and f.element:
            place(doc, f.steps[:-1] + ("$patch",), "delete")
        else:
            place(doc, f.steps, value if value is None else in_object(key[0], value))
        if value == "None":  # a server has put in how long clients stay, and wants it out again
            place(doc, ("spec", "sessionAffinityConfig"), None)
    return doc


def path_of(key):
    kind, namespace, name = key
    return f"{w.collection(w.KINDS[kind], namespace)}/{name}"


# ---- what must be found ----

# differences: (path, expected, actual); managers: those who may be named
Drift = collections.namedtuple("Drift", "component revision differences managers")
Missing = collections.namedtuple("Missing", "objects revision")
Problem = collections.namedtuple("Problem", "texts")  # what is wrong with a release, a text each


def json_text(value):
    return json.dumps(value, separators=(",", ":"), sort_keys=True)


def element_of(f, value):
    chosen, member = f.steps[-2], f.steps[-1]
    return {chosen[0]: chosen[1], member: value}


def difference(kind, f, wanted, found):
    """How a field is not as it is wanted, None: it is."""
    if wanted == found or (wanted is None and not f.added):
        return None
    path = f.path
    if f.element and None in (wanted, found):
        path = path.rpartition(".")[0]
        wanted, found = (v if v is None else element_of(f, v) for v in (wanted, found))
    show = lambda v: ABSENT if v is None else HIDDEN if kind == "Secret" else json_text(v)
    return path, show(wanted), show(found)


def differences(key, wanted, live):
    """What is different, and who wrote it."""
    out, writers = [], set()
    for f in FIELDS[key[0]]:
        value, by = live.get(f, (None, (None,)))
        d = difference(key[0], f, wanted.get(f), value)
        if d:
            out.append(d)
            writers.update(by)
    return tuple(sorted(out)), frozenset(writers)


def drift_key(key):
    kind, namespace, name = key
    return (w.DRIFT, CLUSTER, REFERENCE, w.KINDS[kind].api, kind, namespace, name)


def component_key(release):
    return (w.COMPONENT, CLUSTER, REFERENCE, PART, release.full)


def problem_key(release):
    return (w.ERROR, CLUSTER, REFERENCE, PART, release.full)


# ---- releases ----

class Revision:
    """One revision: @manifest is key of object -> field -> value; None: it cannot be read."""

    def __init__(self, number, status, manifest):
        self.number, self.status, self.manifest = number, status, manifest


class Release:
    def __init__(self, namespace, name):
        self.namespace, self.name = namespace, name
        self.full = f"{namespace}/{name}"
        self.trusted = namespace in TRUSTED
        self.revisions = {}
        self.in_force = None  # the revision that counts
        self.since = 0.0  # it is stuck

    def newest(self):
        return self.revisions[max(self.revisions)] if self.revisions else None

    def next_number(self):
        return max(self.revisions, default=0) + 1

    def deployed(self):
        return [r for r in self.revisions.values() if r.status == "deployed"]

    def is_changing(self):
        newest = self.newest()
        return newest is not None and (newest.status in PENDING or newest.status == "uninstalling")

    def settle(self):
        """What is in force, when it is not being changed: the newest that is deployed, and nothing once the release was uninstalled."""
        if not self.is_changing():
            over = max((r.number for r in self.revisions.values() if r.status == "uninstalled"), default=0)
            self.in_force = max((r for r in self.deployed() if r.number > over), key=lambda r: r.number, default=None)

    def speaks_for(self, key):
        return self.trusted or key[1] == self.namespace

    def objects(self):
        """What it is held against: objects of its own."""
        if not self.in_force or self.in_force.manifest is None:
            return {}
        return {key: wanted for key, wanted in self.in_force.manifest.items() if self.speaks_for(key)}

    def has_had(self):
        """Objects of any of its revisions."""
        return {key for r in self.revisions.values() for key in r.manifest or () if self.speaks_for(key)}

    def secret(self, number):
        return f"/api/v1/namespaces/{self.namespace}/secrets/{helm_release.PREFIX}.{self.name}.v{number}"


def manifest_text(namespace, manifest):
    parts = []
    for key, values in manifest.items():
        doc = document(key, values, text=True)
        if key[1] == namespace:
            del doc["metadata"]["namespace"]
        parts.append("---\n" + json.dumps(doc) + "\n")
    return "".join(parts)


class World:
    """Objects and releases as they are now."""

    def __init__(self, kinds):
        self.kinds = kinds  # that are watched
        self.objects = {}  # key -> field -> (value, who may be named for it)
        self.releases = {}  # NAMESPACE/NAME -> Release
        self.open = {}  # what was to be found when all was quiet last
        self.deleted = set()  # objects that were, since then

    def mark(self):
        """Part of what a ledger asks of a world."""

    def release(self, namespace, name):
        return self.releases.setdefault(f"{namespace}/{name}", Release(namespace, name))

    def owners(self):
        """Which release each object is held against, and for the others which of their objects are not held against them."""
        owners, claims = {}, collections.defaultdict(list)
        for r in sorted(self.releases.values(), key=lambda r: (not r.trusted, r.full.encode())):
            for key in r.objects():
                if key[0] not in self.kinds:
                    continue
                if key in owners:
                    claims[r.full].append((key, owners[key]))
                else:
                    owners[key] = r
        return owners, claims

    def truth(self):
        """What must be found now: key of a finding -> Drift, Missing or Problem."""
        for r in self.releases.values():
            r.settle()
        owners, claims = self.owners()
        out, missing = {}, collections.defaultdict(set)
        for key, r in owners.items():
            if r.is_changing():  # it stands as it stood; what is deleted does not drift any more
                if drift_key(key) in self.open and key not in self.deleted:
                    out[drift_key(key)] = self.open[drift_key(key)]
                continue
            live = self.objects.get(key)
            if live is None:
                missing[r.full].add(f"{key[0]} {key[1]}/{key[2]}")
                continue
            found, writers = differences(key, r.objects()[key], live)
            if found:
                old = self.open.get(drift_key(key))
                if old and (old.component, old.differences) == (r.full, found):
                    writers |= old.managers  # nothing had to be told since
                out[drift_key(key)] = Drift(r.full, r.in_force.number, found, writers)
        for r in self.releases.values():
            if r.is_changing():
                out |= {k: f for k, f in self.open.items() if k == component_key(r)}
            elif missing[r.full]:
                out[component_key(r)] = Missing(frozenset(missing[r.full]), r.in_force.number)
            texts = self.problems(r, claims[r.full])
            if texts:
                out[problem_key(r)] = Problem(texts)
        return out

    def problems(self, r, claimed):
        newest, texts = r.newest(), set()
        if newest and newest.status == "failed":
            texts.add(f"revision, {newest.number}, has failed")
        if r.in_force and r.in_force.manifest is None:
            texts.add(f"revision {r.in_force.number} cannot be read")
        if claimed:
            texts.add(f"{len(claimed)} of its objects")
        return frozenset(texts)
