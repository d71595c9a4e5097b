"""Objects that are hard to write down as templates, as a list of JSON on standard output."""
import json


def configmap(name, namespace, data, **meta):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": namespace, **meta}, "data": data}


HARD = {
    "action": "{{ .Values.x }} and {{- if }}, {{{ braces }}} {{/* no comment */}}", "half": "{", "quote": "it's \"quoted\" `so`",
    "yes": "yes",
    "number": "012", "float": "1e3", "null": "null", "empty": "", "tilde": "~", "date": "2001-01-01",
    "lines": "a\n\n  b: c\n# d\n", "no-newline": "a\nb",
    "tabs": "\ta\tb ", "trailing": "x  \ny\n\n\n", "unicode": "grün \u2028 \U0001f600 \u00a0",
    "control": "bell \u0007 esc \u001b[31m", "long": "word " * 60,
    "colon": "a: b #c", "dashes": "--- \n...\n", "percent": "%d %s", "backslash": "C:\\x \\n {{ \"\\n\" }}",
}
OBJECTS = [
    configmap("hard", "a", HARD, labels={"app": "x", "noise": "1"}, annotations={
        "kubectl.kubernetes.io/last-applied-configuration": "{}", "noisy.example.com/at": "now", "kept": "{{ kept }}"}),
    configmap("plain", "a", {"a": "b"}, annotations={"noisy.example.com/at": "later"}),
    configmap("plain", "b", {"a": "c"}, finalizers=["x/y"], ownerReferences=[
        {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "1"}]),
    configmap("not-named", "a", {"a": "d"}),
    {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "a"}, "spec": {
        "replicas": 3, "big": 9007199254740993, "ratio": 0.25, "on": True, "none": None, "list": [], "map": {},
        "nested": [[1, "2"], [{"a": []}]]},
     "status": {"readyReplicas": 3}},
    {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "system:odd:name_with.all"}, "rules": [
        {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]},
]
print(json.dumps(OBJECTS))
