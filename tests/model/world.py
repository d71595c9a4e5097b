"""The modelled world: kinds, references, objects in one of a few states each, and what driftd must find in them.

Nothing here judges as driftd does. Objects are flat: a template wants a value of each of two fields, and the finding of a state
follows by looking at these fields one by one.
"""
import collections
import itertools
import json

# How bad the findings of a component are, and what reference 1 and reference 2 (the changed one) want, stand in COMPONENTS and TEMPLATES.
DRIFT, COMPONENT, ERROR, GAP, VALIDATION = "drift", "component", "error", "gap", "validation"

# root: where the fields are; rules: where a violation of the rule for this kind comes from
Kind = collections.namedtuple("Kind", "name api plural namespaced root rules")
KINDS = {k.name: k for k in (
    Kind("ConfigMap", "v1", "configmaps", True, "data", None),
    Kind("Secret", "v1", "secrets", True, "data", None),
    Kind("ServiceAccount", "v1", "serviceaccounts", True, "spec", None),
    Kind("Namespace", "v1", "namespaces", False, "spec", None),
    Kind("Service", "v1", "services", True, "spec", "file"),
    Kind("ResourceQuota", "v1", "resourcequotas", True, "spec", None),
    Kind("LimitRange", "v1", "limitranges", True, "spec", None),
    Kind("Deployment", "apps/v1", "deployments", True, "spec", None),
    Kind("DaemonSet", "apps/v1", "daemonsets", True, "spec", None),
    Kind("StatefulSet", "apps/v1", "statefulsets", True, "spec", None),
    Kind("CronJob", "batch/v1", "cronjobs", True, "spec", None),
    Kind("NetworkPolicy", "networking.k8s.io/v1", "networkpolicies", True, "spec", None),
    Kind("Role", "rbac.authorization.k8s.io/v1", "roles", True, "spec", None),
    Kind("RoleBinding", "rbac.authorization.k8s.io/v1", "rolebindings", True, "spec", None),
    Kind("ClusterRoleBinding", "rbac.authorization.k8s.io/v1", "clusterrolebindings", False, "spec", None),
    Kind("PriorityClass", "scheduling.k8s.io/v1", "priorityclasses", False, "spec", None),
    Kind("Widget", "model.example.com/v1", "widgets", True, "spec", "crd"),
)}
CUSTOM = "Widget"
LOOKED_UP = ("ConfigMap", "app", "settings")  # its data.replicas is how many replicas a Deployment should have; without it 1

RULE = "self.r != 'bad'"
RULE_SEVERITY = {"file": "critical", "crd": "warning"}
RULE_FOR = "2s"  # of the file: how long a violation lasts before it is told


def resource(kind):
    """The name of a kind's resource as the simulator and the metrics write it."""
    group = kind.api.rpartition("/")[0]
    return kind.plural + ("." + group if group else "")


def collection(kind, namespace=None):
    """The path of a collection on an API server."""
    base = "/api/v1" if kind.api == "v1" else "/apis/" + kind.api
    return base + (f"/namespaces/{namespace}" if namespace else "") + "/" + kind.plural


# severity: with reference 1 and 2; None: the component is not in reference 2
Component = collections.namedtuple("Component", "reference part name group severity")
COMPONENTS = [Component(*row) for row in (
    ("main", "base", "identity", "allOf", ("error", "error")),
    ("main", "base", "workloads", "anyOf", ("warning", "warning")),
    ("main", "base", "store", "oneOf", ("critical", "critical")),
    ("main", "base", "access", "anyOneOf", ("warning", None)),
    ("main", "base", "limits", "allOrNoneOf", ("notice", "notice")),
    ("main", "guard", "forbidden", "noneOf", ("critical", "critical")),
    ("main", "guard", "network", "anyOf", ("error", "notice")),
    ("main", "guard", "jobs", "allOf", ("warning", "warning")),
    ("main", "guard", "keys", "anyOf", ("info", "info")),
    ("main", "custom", "widgets", "allOf", ("error", "error")),
    ("extra", "only-b", "services", "allOf", ("warning", "warning")),
    ("extra", "only-b", "agents", "oneOf", ("notice", "notice")),
    ("extra", "only-b", "classes", "allOf", ("error", "error")),
)]
DEFAULT_SEVERITY = "info"  # of the references: none may show it, for every component has one of its own

# An empty namespace or name is not fixed. open: the object may have more fields. wants: of "a", with reference 1 and 2.
Template = collections.namedtuple("Template", "component file kind namespace name open wants looks_up")
TEMPLATES = [Template(*row) for row in (
    ("identity", "settings.yaml", "ConfigMap", "app", "settings", False, "11", False),
    ("identity", "robot.yaml", "ServiceAccount", "app", "robot", True, "11", False),
    ("identity", "namespace.yaml", "Namespace", "", "app", True, "11", False),
    ("workloads", "web.yaml", "Deployment", "app", "", True, "11", True),
    ("workloads", "agent.yaml", "DaemonSet", "system", "", False, "11", False),
    ("store", "postgres.yaml", "StatefulSet", "app", "postgres", False, "11", False),
    ("store", "mysql.yaml", "StatefulSet", "app", "mysql", True, "11", False),
    ("access", "reader.yaml", "Role", "app", "reader", False, "11", False),
    ("access", "writer.yaml", "RoleBinding", "app", "writer", False, "11", False),
    ("limits", "quota.yaml", "ResourceQuota", "", "quota", False, "11", False),
    ("limits", "range.yaml", "LimitRange", "", "limits", True, "11", False),
    ("forbidden", "everyone.yaml", "ClusterRoleBinding", "", "everyone", True, "11", False),
    ("network", "policy.yaml", "NetworkPolicy", "", "", False, "12", False),
    ("jobs", "job.yaml", "CronJob", "", "", True, "12", False),
    ("keys", "key.yaml", "Secret", "app", "key", False, "11", False),
    ("widgets", "widget.yaml", "Widget", "", "", True, "11", False),
    ("services", "service.yaml", "Service", "app", "", True, "11", False),
    ("agents", "agent.yaml", "DaemonSet", "", "", True, "22", False),
    ("classes", "class.yaml", "PriorityClass", "", "high", False, "11", False),
)]
COMPONENT_OF = {c.name: c for c in COMPONENTS}
REFERENCES = {"a": ("main",), "b": ("main", "extra")}  # of each cluster
REFERENCE_FOR = {"main": "0s", "extra": "1s"}  # how long something lasts before it is told

Slot = collections.namedtuple("Slot", "kind namespace name")


def _slots():
    places = {
        "ConfigMap": [("app", "settings"), ("app", "other")],
        "Secret": [("app", "key"), ("system", "key")],
        "ServiceAccount": [("app", "robot"), ("app", "default")],
        "Namespace": [("", "app")],
        "Service": [("app", "s1"), ("app", "s2"), ("app", "s3"), ("system", "s1")],
        "ResourceQuota": [("app", "quota"), ("system", "quota"), ("app", "other")],
        "LimitRange": [("app", "limits"), ("system", "limits")],
        "Deployment": [("app", f"d{i}") for i in range(5)] + [("system", "d0")],
        "DaemonSet": [("system", "n1"), ("system", "n2"), ("app", "n1")],
        "StatefulSet": [("app", "postgres"), ("app", "mysql"), ("app", "other")],
        "CronJob": [("app", "j1"), ("app", "j2"), ("system", "j1")],
        "NetworkPolicy": [("app", "p1"), ("app", "p2"), ("system", "p1"), ("system", "p2")],
        "Role": [("app", "reader"), ("app", "other")],
        "RoleBinding": [("app", "writer")],
        "ClusterRoleBinding": [("", "everyone"), ("", "admins")],
        "PriorityClass": [("", "high"), ("", "low")],
        "Widget": [("app", "w1"), ("app", "w2"), ("system", "w1")],
    }
    return [Slot(kind, *place) for kind, at in places.items() for place in at]


SLOTS = _slots()

# The fields of an object; x is one that no template knows (None: absent), replicas matters where a template looks it up.
State = collections.namedtuple("State", "a b c r x replicas")
COMPLIANT = State("1", "1", "c", "good", None, "1")
# What an event can make of an object: how often, and which fields get another value; VALUE stands for one of the event's own.
VALUE = object()
CHANGES = (
    (18, "compliant", {}),
    (10, "a", {"a": VALUE}),
    (4, "a of reference 2", {"a": "2"}),
    (8, "a and b", {"a": VALUE, "b": VALUE}),
    (5, "an unknown field", {"x": VALUE}),
    (5, "unreadable", {"c": "bad"}),
    (5, "violating", {"r": "bad"}),
    (4, "violating, and a", {"r": "bad", "a": VALUE}),
    (3, "c, which may vary", {"c": VALUE}),
)


def changed(fields, value, replicas):
    """The compliant state with some fields changed."""
    return COMPLIANT._replace(replicas=replicas, **{k: value if v is VALUE else v for k, v in fields.items()})


# ---- what is expected ----

# paths: (path, expected, actual) of each field, or the path alone where a finding has no values
Finding = collections.namedtuple("Finding", "severity paths")
AS_IT_WAS = "as it was"  # of an object that cannot be read: whether its drift is repaired cannot be said


def fits(template, slot):
    """Whether a template is for the object, by the names that it fixes."""
    return (template.kind == slot.kind and template.namespace in ("", slot.namespace) and template.name in ("", slot.name))


def in_force(reference, variant):
    """The templates of a reference as it stands."""
    return [t for t in TEMPLATES if COMPONENT_OF[t.component].reference == reference and COMPONENT_OF[t.component].severity[variant]]


def template_for(slot, reference, variant):
    return next((t for t in in_force(reference, variant) if fits(t, slot)), None)


def drift_of(slot, state, template, variant, replicas):
    """The finding about an object of this state; AS_IT_WAS; or None."""
    if state is None or template is None:
        return None
    if state.c == "bad":
        return AS_IT_WAS
    root = KINDS[slot.kind].root
    wanted = {"a": template.wants[variant], "b": "1"}
    if template.looks_up:
        wanted["replicas"] = replicas
    paths = [(f"{root}.{f}", json.dumps(v), json.dumps(getattr(state, f))) for f, v in wanted.items() if getattr(state, f) != v]
    if state.x is not None and not template.open:
        paths.append((f"{root}.x", "(absent)", json.dumps(state.x)))
    if slot.kind == "Secret":
        paths = [(p, e if e == "(absent)" else "(hidden)", "(hidden)") for p, e, _ in paths]
    return Finding(COMPONENT_OF[template.component].severity[variant], tuple(sorted(paths))) if paths else None


def error_of(state, template, variant):
    unreadable = state and template and state.c == "bad"
    return Finding(COMPONENT_OF[template.component].severity[variant], ()) if unreadable else None


def violation_of(slot, state):
    source = KINDS[slot.kind].rules
    return Finding(RULE_SEVERITY[source], ("spec",)) if state and source and state.r == "bad" else None


def matches(state):
    """Whether an object of this state counts for the component of its template: in whatever state, it is there."""
    return state is not None


def component_of(component, variant, matched):
    """The finding about a component, given which of its templates (by file) have an object."""
    severity = component.severity[variant]
    there = tuple(f for f, m in matched.items() if m)
    missing = tuple(f for f, m in matched.items() if not m)
    about = {
        "allOf": missing,
        "anyOf": (),
        "oneOf": missing if not there else there if len(there) > 1 else (),
        "anyOneOf": there if len(there) > 1 else (),
        "allOrNoneOf": missing if there else (),
        "noneOf": there,
    }[component.group]
    return Finding(severity, tuple(sorted(about))) if severity and about else None


def as_in_journal(finding):
    """A finding as the journal keeps it, which stores the values of a field once each, and in an order of its own."""
    if not isinstance(finding, Finding):
        return finding
    columns = zip(*finding.paths) if finding.paths and isinstance(finding.paths[0], tuple) else [finding.paths]
    return Finding(finding.severity, tuple(tuple(sorted(set(c))) for c in columns))


# ---- keys: what tells findings apart ----

def object_key(what, cluster, reference, slot):
    return (what, cluster, reference, KINDS[slot.kind].api, slot.kind, slot.namespace, slot.name)


def violation_key(cluster, slot):
    return (VALIDATION, cluster, "", KINDS[slot.kind].api, slot.kind, slot.namespace, slot.name, RULE)


def component_key(cluster, component):
    return (COMPONENT, cluster, component.reference, component.part, component.name)


# ---- the history of one world ----

class Track:
    """The values that something has had, in order; and where each of the last spans (from one checkpoint to the next) began."""

    def __init__(self, value):
        self.values = [value]
        self.first = 0  # of those that an observer may still be about to see
        self.at_mark = 0

    @property
    def now(self):
        return self.values[-1]

    def set(self, value):
        self.values.append(value)

    def mark(self):
        """A checkpoint: what was over at the one before is over for everybody."""
        self.first, self.at_mark = self.at_mark, len(self.values) - 1

    def recent(self):
        return self.values[self.first:]


class World:
    """The objects of all clusters now and lately; what must be open now, and what may have been."""

    def __init__(self, clusters, told_as=lambda finding: finding):
        self.clusters, self.told_as = clusters, told_as
        self.objects = {(c, s): Track(None) for c in clusters for s in SLOTS}
        self.variant = Track(0)
        self.served = {c: Track(True) for c in clusters}  # the custom kind, and its rule

    def set(self, cluster, slot, state):
        self.objects[cluster, slot].set(state)

    def mark(self):
        for track in (self.variant, *self.served.values(), *self.objects.values()):
            track.mark()

    def replicas(self, state):
        return state.replicas if state else "1"

    def truth(self):
        """Every finding that must be open now, by key; AS_IT_WAS where one may be."""
        out, variant = {}, self.variant.now
        for (cluster, slot), track in self.objects.items():
            out[violation_key(cluster, slot)] = violation_of(slot, track.now)
            replicas = self.replicas(self.objects[cluster, Slot(*LOOKED_UP)].now)
            for reference in REFERENCES[cluster]:
                template = template_for(slot, reference, variant)
                out[object_key(DRIFT, cluster, reference, slot)] = drift_of(slot, track.now, template, variant, replicas)
                out[object_key(ERROR, cluster, reference, slot)] = error_of(track.now, template, variant)
        for cluster, component in self.components():
            matched = {t.file: any(matches(self.objects[cluster, s].now) for s in SLOTS if fits(t, s))
                       for t in TEMPLATES if t.component == component.name}
            out[component_key(cluster, component)] = component_of(component, variant, matched)
        return {k: self.told_as(v) for k, v in out.items() if v is not None}

    def components(self):
        return [(cluster, c) for cluster in self.clusters for c in COMPONENTS if c.reference in REFERENCES[cluster]]

    def find(self, key, finding, start):
        """The place in the history of what @key is about, from @start on, where @finding (None: none) was so; None: nowhere.

        Of an object it is the place of a state; what others contribute (the reference, a looked-up object, the definition with its rule)
        may be any of late, for driftd sees each of them in order, but not all of them in the order in which they happened.
        """
        if key[0] == COMPONENT:
            return start if finding in map(self.told_as, self._components_of_late(key)) else None
        slot = Slot(*key[4:7])
        track = self.objects[key[1], slot]
        for at in range(max(start, track.first), len(track.values)):
            if finding in map(self.told_as, self._possible(key, slot, track.values[at])):
                return at
        return None

    def _possible(self, key, slot, state):
        if key[0] == VALIDATION:
            gone = KINDS[slot.kind].rules == "crd" and not all(self.served[key[1]].recent())
            return [violation_of(slot, state), *([None] if gone else [])]
        out = []
        for variant in set(self.variant.recent()):
            template = template_for(slot, key[2], variant)
            if key[0] == ERROR:
                out.append(error_of(state, template, variant))
                continue
            looked_up = {self.replicas(s) for s in self.objects[key[1], Slot(*LOOKED_UP)].recent()}
            out += [drift_of(slot, state, template, variant, r) for r in looked_up]
        return out

    def _components_of_late(self, key):
        component = COMPONENT_OF[key[4]]
        could = {}
        for template in (t for t in TEMPLATES if t.component == component.name):
            states = [[matches(s) for s in self.objects[key[1], slot].recent()] for slot in SLOTS if fits(template, slot)]
            could[template.file] = ([True] if any(map(any, states)) else []) + ([False] if not any(map(all, states)) else [])
        return [component_of(component, variant, dict(zip(could, matched)))
                for variant in set(self.variant.recent()) for matched in itertools.product(*could.values())]


# ---- what is written for driftd and for the servers ----

def manifest(slot, state, uid, touch):
    """An object as an API server has it. @touch is what no template looks at."""
    kind = KINDS[slot.kind]
    fields = {"a": state.a, "b": state.b, "c": state.c, "r": state.r, "replicas": state.replicas}
    if state.x is not None:
        fields["x"] = state.x
    meta = {"name": slot.name, "uid": uid, **({"namespace": slot.namespace} if slot.namespace else {})}
    return {"apiVersion": kind.api, "kind": kind.name, "metadata": meta, kind.root: fields, "status": {"touched": touch}}


def definition():
    """The CustomResourceDefinition of the custom kind, with its rule."""
    kind = KINDS[CUSTOM]
    text = {"type": "string"}
    spec = {"type": "object", "x-kubernetes-validations": [{"rule": RULE}],
            "properties": {f: text for f in State._fields}}
    schema = {"openAPIV3Schema": {"type": "object", "properties": {
        "spec": spec, "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}}}
    group, version = kind.api.split("/")
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{kind.plural}.{group}"},
            "spec": {"group": group, "scope": "Namespaced",
                     "names": {"kind": kind.name, "plural": kind.plural, "singular": kind.name.lower(), "listKind": kind.name + "List"},
                     "versions": [{"name": version, "served": True, "storage": True, "schema": schema}]}}


def template_text(template, variant):
    kind = KINDS[template.kind]
    field = "{{ $o." + "%s | toJson }}"
    lines = [f"{{{{- $o := .{kind.root} | default dict }}}}",
             '{{- if eq (toString $o.c) "bad" }}{{ fail "c is bad" }}{{ end }}']
    if template.looks_up:
        lines.append('{{- $s := lookupCR "v1" "%s" "%s" "%s" }}' % LOOKED_UP)
    lines += [f"apiVersion: {kind.api}", f"kind: {kind.name}", "metadata:", f"  name: {template.name or '{{ .metadata.name }}'}"]
    if kind.namespaced:
        lines.append(f"  namespace: {template.namespace or '{{ .metadata.namespace }}'}")
    replicas = '{{ dig "data" "replicas" "1" (default dict $s) | toJson }}' if template.looks_up else field % "replicas"
    lines += [f"{kind.root}:", f'  a: "{template.wants[variant]}"', '  b: "1"', f"  c: {field % 'c'}", f"  r: {field % 'r'}",
              f"  replicas: {replicas}"]
    return "\n".join(lines) + "\n"


def reference_files(reference, variant):
    """The files of a reference: name and text."""
    files = {t.file: template_text(t, variant) for t in in_force(reference, variant)}
    parts = {}
    for c in COMPONENTS:
        if c.reference == reference and c.severity[variant]:
            group = [{"path": t.file, "config": {"ignore-unspecified-fields": t.open}}
                     for t in in_force(reference, variant) if t.component == c.name]
            parts.setdefault(c.part, []).append({"name": c.name, c.group: group})
    meta = {"apiVersion": "v2", "parts": [{"name": p, "components": cs} for p, cs in parts.items()]}
    files["metadata.yaml"] = json.dumps(meta, indent=1)
    return files


def rule_file():
    kinds = [k for k in KINDS.values() if k.rules == "file"]
    return "---\n".join(f"apiVersion: {k.api}\nkind: {k.name}\nfor: {RULE_FOR}\nat: .spec\nrules:\n"
                        f"  - {{rule: \"{RULE}\", severity: {RULE_SEVERITY['file']}}}\n" for k in kinds)


def severities(reference, variant):
    """component_severity of a reference in driftd.yaml."""
    return {c.name: c.severity[variant] for c in COMPONENTS if c.reference == reference and c.severity[variant]}
