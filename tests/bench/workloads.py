"""What bench_watch.py, bench_workloads.py and replayer.py measure: sets of objects, as an API server has them, and workloads, which are what driftd
is told of a set: a reference, rules, settings. All names, values and rules are made up here; objects comply with what they are held against, so that
whatever is found is a mistake of the benchmark, or of driftd."""
import json
import os
import random
import re

VARIANTS = 20    # templates for the same kind
NAMESPACES = 200
IGNORES = os.environ.get("IGNORES", "true")  # ignore-unspecified-fields
WRITTEN = "2026-01-01T00:00:00Z"             # what changes when nothing else does


def text(value):
    return json.dumps(value, separators=(",", ":"))


# ---- pods ----


def hexadecimal(bits):
    return "%0*x" % (bits // 4, random.getrandbits(bits))


def uid():
    h = hexadecimal(128)
    return "-".join((h[:8], h[8:12], h[12:16], h[16:20], h[20:]))


APPS = ["%s-%s" % (a, b) for a in ("checkout", "catalog", "search", "ledger", "profile", "gateway", "mailer", "indexer")
        for b in ("api", "worker", "cache", "web", "cron", "stream", "batch")]


def own(*names):
    return {n if n == "." else "f:" + n: {} for n in names}


def managed(app):
    container = {**own(".", "args", "command", "image", "imagePullPolicy", "name", "terminationMessagePath", "terminationMessagePolicy"),
                 "f:env": {".": {}, **{'k:{"name":"%s"}' % e: own(".", "name", "value") for e in ("LOG_LEVEL", "REGION", "QUEUE", "TRACE", "CACHE_TTL", "PEERS")}},
                 "f:livenessProbe": {**own(".", "failureThreshold", "periodSeconds", "successThreshold", "timeoutSeconds"), "f:httpGet": own(".", "path", "port", "scheme")},
                 "f:ports": {".": {}, 'k:{"containerPort":8080,"protocol":"TCP"}': own(".", "containerPort", "name", "protocol")},
                 "f:resources": {**own("."), "f:limits": own(".", "cpu", "memory"), "f:requests": own(".", "cpu", "memory")},
                 "f:securityContext": own(".", "allowPrivilegeEscalation", "readOnlyRootFilesystem", "runAsNonRoot"),
                 "f:volumeMounts": {".": {}, 'k:{"mountPath":"/etc/app"}': own(".", "mountPath", "name", "readOnly")}}
    condition = own(".", "lastProbeTime", "lastTransitionTime", "status", "type")
    return [
        {"manager": "kube-controller-manager", "operation": "Update", "apiVersion": "v1", "time": "2026-01-01T00:00:00Z", "fieldsType": "FieldsV1",
         "fieldsV1": {"f:metadata": {"f:annotations": own(".", "checksum/config", "prometheus.io/scrape"), "f:generateName": {},
                                     "f:labels": own(".", "app", "pod-template-hash", "team", "tier"),
                                     "f:ownerReferences": {".": {}, 'k:{"uid":"%s"}' % uid(): {}}},
                      "f:spec": {"f:containers": {'k:{"name":"%s"}' % app: container}, "f:securityContext": own(".", "fsGroup"),
                                 **own("dnsPolicy", "enableServiceLinks", "restartPolicy", "schedulerName", "serviceAccount", "serviceAccountName",
                                       "terminationGracePeriodSeconds"),
                                 "f:volumes": {".": {}, 'k:{"name":"config"}': {".": {}, "f:configMap": own(".", "defaultMode", "name"), "f:name": {}}}}}},
        {"manager": "kubelet", "operation": "Update", "apiVersion": "v1", "time": "2026-01-01T00:05:00Z", "fieldsType": "FieldsV1", "subresource": "status",
         "fieldsV1": {"f:status": {"f:conditions": {'k:{"type":"%s"}' % t: condition for t in ("ContainersReady", "Initialized", "Ready", "PodReadyToStartContainers")},
                                   **own("containerStatuses", "hostIP", "hostIPs", "phase", "podIP", "podIPs", "startTime")}}},
    ]


def pod(i):
    app = APPS[i % len(APPS)]
    node, second = "node-%03d" % random.randrange(400), "2026-01-%02dT%02d:%02d:%02dZ" % (1 + i % 28, i % 24, i % 60, random.randrange(60))
    name = "%s-%s-%s" % (app, hexadecimal(40), "%05x" % i)
    return {
        "metadata": {
            "name": name, "generateName": name[:-5], "namespace": "team-%d" % (i % 90), "uid": uid(), "resourceVersion": str(1000000 + i), "creationTimestamp": second,
            "labels": {"app": app, "pod-template-hash": hexadecimal(40), "team": "platform", "tier": ("front", "back")[i % 2],
                       "variant": "v%d" % (i % VARIANTS)},
            "annotations": {"checksum/config": hexadecimal(256), "prometheus.io/scrape": "true"},
            "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": name[:-6], "uid": uid(), "controller": True, "blockOwnerDeletion": True}],
            "managedFields": managed(app),
        },
        "spec": {
            "containers": [{
                "name": app, "image": "registry.example.com/%s:1.%d.%d" % (app, i % 30, i % 7), "command": ["/usr/bin/" + app], "imagePullPolicy": "IfNotPresent",
                "args": ["--listen=:8080", "--config=/etc/app/config.yaml", "--log-format=json"],
                "env": [{"name": n, "value": v} for n, v in (("LOG_LEVEL", "info"), ("REGION", "eu-west-%d" % (i % 3)), ("QUEUE", "amqp://queue.%s.svc:5672" % app),
                                                             ("TRACE", "http://otel-collector.observability.svc:4317"), ("CACHE_TTL", "%ds" % (i % 600)),
                                                             ("PEERS", "%s-headless.team-%d.svc.cluster.local" % (app, i % 90)))],
                "ports": [{"name": "http", "containerPort": 8080, "protocol": "TCP"}],
                "livenessProbe": {"httpGet": {"path": "/healthz", "port": 8080, "scheme": "HTTP"}, "periodSeconds": 10, "timeoutSeconds": 1, "successThreshold": 1,
                                  "failureThreshold": 3},
                "resources": {"limits": {"cpu": "500m", "memory": "512Mi"}, "requests": {"cpu": "100m", "memory": "%dMi" % (64 + i % 64)}},
                "securityContext": {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "runAsNonRoot": True},
                "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
                "volumeMounts": [{"name": "config", "mountPath": "/etc/app", "readOnly": True},
                                 {"name": "kube-api-access-" + hexadecimal(20), "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount", "readOnly": True}],
            }],
            "volumes": [{"name": "config", "configMap": {"name": app + "-config", "defaultMode": 420}}],
            "restartPolicy": "Always", "terminationGracePeriodSeconds": 30, "dnsPolicy": "ClusterFirst", "serviceAccountName": app, "serviceAccount": app,
            "nodeName": node, "schedulerName": "default-scheduler", "enableServiceLinks": True, "priority": 0, "preemptionPolicy": "PreemptLowerPriority",
            "securityContext": {"fsGroup": 2000},
            "tolerations": [{"key": "node.kubernetes.io/" + k, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300} for k in ("not-ready", "unreachable")],
        },
        "status": {
            "phase": "Running", "qosClass": "Burstable", "hostIP": "10.0.%d.%d" % (i % 4, i % 250), "podIP": "10.%d.%d.%d" % (1 + i % 60, i % 250, i // 7 % 250), "startTime": second,
            "conditions": [{"type": t, "status": "True", "lastProbeTime": None, "lastTransitionTime": second} for t in
                           ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")],
            "containerStatuses": [{"name": app, "ready": True, "restartCount": 0, "started": True, "image": "registry.example.com/%s:1.%d.%d" % (app, i % 30, i % 7),
                                   "imageID": "registry.example.com/%s@sha256:%s" % (app, hexadecimal(256)), "containerID": "containerd://" + hexadecimal(256),
                                   "state": {"running": {"startedAt": second}}, "lastState": {}}],
        },
    }


# ---- other kinds ----


def owned(value):
    """The fields of @value as managedFields name them; lists as a whole."""
    return {"f:" + k: owned(v) if isinstance(v, dict) else {} for k, v in value.items()}


def base(i, name, labels, content):
    """Metadata of object @i, whose other fields are @content."""
    meta = {"name": name, "namespace": "team-%d" % (i % NAMESPACES), "uid": uid(), "resourceVersion": str(1000000 + i), "creationTimestamp": WRITTEN}
    if labels:
        meta["labels"] = labels
    fields = owned({**content, "metadata": {"labels": labels}})
    meta["managedFields"] = [{"manager": "argocd-controller", "operation": "Apply", "apiVersion": "v1", "time": WRITTEN, "fieldsType": "FieldsV1",
                              "fieldsV1": fields}]
    return meta


def small(i):
    """A ConfigMap of 299 bytes without managedFields and the kind."""
    data = {"mode": "steady", "v": "%06d" % i, "url": "https://settings.example.com/"}
    return {"metadata": base(i, "settings-%05x" % i, {"app": APPS[i % len(APPS)], "tier": ("front", "back")[i % 2]}, {"data": data}), "data": data}


def wide(i):
    """A ConfigMap of 60 keys."""
    data = {"mode": "steady", **{"setting-%02d" % k: "value %d of %d" % (k, i) for k in range(59)}}
    return {"metadata": base(i, "wide-%05x" % i, {"tier": ("front", "back")[i % 2]}, {"data": data}), "data": data}


def encoded(i):
    """A ConfigMap with 1.5 KB that no compression makes much of."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    data = {"mode": "steady", "bundle": "".join(random.choices(letters, k=1500)) + "=="}
    return {"metadata": base(i, "bundle-%05x" % i, {"tier": ("front", "back")[i % 2]}, {"data": data}), "data": data}


def workload(i, app):
    """The pod template of a controller."""
    return {"metadata": {"labels": {"app": app}},
            "spec": {"serviceAccountName": app, "restartPolicy": "Always", "dnsPolicy": "ClusterFirst", "terminationGracePeriodSeconds": 30,
                     "securityContext": {"runAsNonRoot": True},
                     "containers": [{"name": app, "image": "registry.example.com/%s:1.%d.%d" % (app, i % 30, i % 7), "imagePullPolicy": "IfNotPresent",
                                     "args": ["--listen=:8080", "--region=eu-west-%d" % (i % 3)],
                                     "env": [{"name": "LOG_LEVEL", "value": "info"}, {"name": "CACHE_TTL", "value": "%ds" % (i % 600)}],
                                     "ports": [{"name": "http", "containerPort": 8080, "protocol": "TCP"}],
                                     "resources": {"limits": {"memory": "512Mi"}, "requests": {"cpu": "100m", "memory": "%dMi" % (64 + i % 64)}}}]}}


def selected(app):
    return {"matchLabels": {"app": app}}


def job(i, app):
    pods = workload(i, app)
    pods["spec"]["restartPolicy"] = "Never"
    return {"backoffLimit": 3, "completions": 1, "parallelism": 1, "template": pods}


ROLE = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader"}
# Kind: path, plural, what object i of an app has besides metadata, whether it has a status, and what a template wants.
KINDS = {
    "Pod": ("/api/v1", "pods", None, True, "spec: {restartPolicy: Always, dnsPolicy: ClusterFirst, serviceAccountName: '{{ .metadata.labels.app }}'}\n"),
    "Deployment": ("/apis/apps/v1", "deployments", lambda i, a: {"spec": {"replicas": 2, "selector": selected(a), "template": workload(i, a), "strategy": {
        "type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": 0}}, "revisionHistoryLimit": 10}}, True,
        "spec:\n  replicas: 2\n  strategy: {type: RollingUpdate, rollingUpdate: {maxUnavailable: 0}}\n"
        "  template:\n    spec: {securityContext: {runAsNonRoot: true}, serviceAccountName: '{{ .metadata.labels.app }}'}\n"),
    "ReplicaSet": ("/apis/apps/v1", "replicasets", lambda i, a: {"spec": {"replicas": 2, "selector": selected(a), "template": workload(i, a)}}, True,
                   "spec: {replicas: 2}\n"),
    "StatefulSet": ("/apis/apps/v1", "statefulsets", lambda i, a: {"spec": {"replicas": 3, "serviceName": a, "podManagementPolicy": "Parallel",
                    "selector": selected(a), "template": workload(i, a)}}, True, "spec: {podManagementPolicy: Parallel, serviceName: '{{ .metadata.labels.app }}'}\n"),
    "DaemonSet": ("/apis/apps/v1", "daemonsets", lambda i, a: {"spec": {"selector": selected(a), "template": workload(i, a), "updateStrategy": {
                  "type": "OnDelete"}}}, True, "spec: {updateStrategy: {type: OnDelete}}\n"),
    "Job": ("/apis/batch/v1", "jobs", lambda i, a: {"spec": job(i, a)}, True, "spec: {backoffLimit: 3, completions: 1}\n"),
    "CronJob": ("/apis/batch/v1", "cronjobs", lambda i, a: {"spec": {"schedule": "%d 3 * * *" % (i % 60), "concurrencyPolicy": "Forbid", "suspend": False,
                "jobTemplate": {"spec": job(i, a)}}}, True, "spec: {concurrencyPolicy: Forbid, suspend: false}\n"),
    "Service": ("/api/v1", "services", lambda i, a: {"spec": {"type": "ClusterIP", "clusterIP": "10.96.%d.%d" % (i // 250 % 250, i % 250), "selector": {"app": a},
                "ports": [{"name": "http", "port": 80, "targetPort": 8080, "protocol": "TCP"}], "sessionAffinity": "None"}}, True,
                "spec: {type: ClusterIP, sessionAffinity: None, selector: {app: '{{ .metadata.labels.app }}'}}\n"),
    "ConfigMap": ("/api/v1", "configmaps", lambda i, a: {"data": {"mode": "steady", "config.yaml": "listen: :8080\nregion: eu-west-%d\nttl: %ds\n" % (i % 3, i % 600)}},
                  False, "data: {mode: steady}\n"),
    "ServiceAccount": ("/api/v1", "serviceaccounts", lambda i, a: {"automountServiceAccountToken": False}, False, "automountServiceAccountToken: false\n"),
    "PersistentVolumeClaim": ("/api/v1", "persistentvolumeclaims", lambda i, a: {"spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "fast",
                              "volumeName": "pv-%d" % i, "resources": {"requests": {"storage": "%dGi" % (1 + i % 50)}}}}, True,
                              "spec: {storageClassName: fast, accessModes: [ReadWriteOnce]}\n"),
    "Role": ("/apis/rbac.authorization.k8s.io/v1", "roles", lambda i, a: {"rules": [{"apiGroups": [""], "resources": ["configmaps"], "resourceNames": [a + "-config"],
             "verbs": ["get", "list", "watch"]}]}, False, "rules:\n  - {apiGroups: [''], resources: [configmaps], verbs: [get, list, watch],\n"
             "     resourceNames: ['{{ .metadata.labels.app }}-config']}\n"),
    "RoleBinding": ("/apis/rbac.authorization.k8s.io/v1", "rolebindings", lambda i, a: {"roleRef": ROLE, "subjects": [{"kind": "ServiceAccount", "name": a}]}, False,
                    "roleRef: {kind: Role, name: reader}\nsubjects: [{kind: ServiceAccount, name: '{{ .metadata.labels.app }}'}]\n"),
    "Ingress": ("/apis/networking.k8s.io/v1", "ingresses", lambda i, a: {"spec": {"ingressClassName": "public", "rules": [{"host": "%s-%d.example.com" % (a, i),
                "http": {"paths": [{"path": "/", "pathType": "Prefix", "backend": {"service": {"name": a, "port": {"number": 80}}}}]}}]}}, True,
                "spec: {ingressClassName: public}\n"),
    "NetworkPolicy": ("/apis/networking.k8s.io/v1", "networkpolicies", lambda i, a: {"spec": {"podSelector": selected(a), "policyTypes": ["Ingress"],
                      "ingress": [{"from": [{"podSelector": {"matchLabels": {"role": "client"}}}], "ports": [{"port": 8080 + i % 9, "protocol": "TCP"}]}]}}, False,
                      "spec: {policyTypes: [Ingress]}\n"),
    "PodDisruptionBudget": ("/apis/policy/v1", "poddisruptionbudgets", lambda i, a: {"spec": {"minAvailable": 1, "selector": selected(a)}}, True,
                            "spec: {minAvailable: 1}\n"),
    "HorizontalPodAutoscaler": ("/apis/autoscaling/v2", "horizontalpodautoscalers", lambda i, a: {"spec": {"minReplicas": 2, "maxReplicas": 4 + i % 9, "scaleTargetRef": {
                                "apiVersion": "apps/v1", "kind": "Deployment", "name": a}}}, True, "spec: {minReplicas: 2}\n"),
}


def of_kind(kind, i, n, fixed):
    """Object @i of all, the @n-th of its kind: of a name that a template can give when fixed."""
    name = "core-%s-%d" % (kind.lower(), n) if fixed else None
    if kind == "Pod":
        p = pod(i)
        p["metadata"]["name"] = name or p["metadata"]["name"]
        return p
    app = APPS[i % len(APPS)]
    content = KINDS[kind][2](i, app)
    labels = {"app": app, "team": "platform", "tier": ("front", "back")[i % 2]}
    meta = base(i, name or "%s-%05x" % (app, i), labels, content)
    status = {"status": {"observedGeneration": 1, "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": WRITTEN}]}} if KINDS[kind][3] else {}
    return {"metadata": meta, **content, **status}


FIXED = 2                         # objects of each kind that a template names, in the set "core"


def mixed(i):
    kind = list(KINDS)[i % len(KINDS)]
    return kind, of_kind(kind, i, i // len(KINDS), False)


def core(i):
    kind, n = list(KINDS)[i % len(KINDS)], i // len(KINDS)
    return kind, of_kind(kind, i, n, n < FIXED)


# ---- a custom resource ----


def unique(what):
    return {"rule": "self.all(a, self.exists_one(b, b.name == a.name%s))" % what, "message": "each is named once"}


def rule(expression, message):
    return {"rule": expression, "message": message}


NAME = {"type": "string", "minLength": 1, "maxLength": 63, "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"}
PORT = {"type": "integer", "format": "int32", "minimum": 1, "maximum": 65535}
PATH = {"type": "object", "properties": {"type": {"type": "string", "enum": ["Exact", "Prefix", "Expression"]}, "value": {"type": "string", "maxLength": 1024}},
        "x-kubernetes-validations": [
            rule("self.type == 'Expression' || self.value.startsWith('/')", "a path begins with a slash"),
            rule("self.type == 'Expression' || !self.value.contains('//')", "no empty segment"),
            rule("self.type == 'Expression' || !self.value.contains('/./')", "no segment of one dot"),
            rule("self.type == 'Expression' || !self.value.contains('/../')", "no segment of two dots"),
            rule("self.type == 'Expression' || !self.value.contains('%2f')", "no escaped slash"),
            rule("self.type == 'Expression' || !self.value.contains('#')", "no fragment"),
            rule("self.type == 'Expression' || !self.value.endsWith('/..')", "does not end above itself"),
            rule("self.type in ['Exact', 'Prefix', 'Expression']", "of a known type"),
            rule("self.type != 'Prefix' || self.value.matches('^[-A-Za-z0-9/._~%]+$')", "of valid characters")]}
FILTER = {"type": "object", "properties": {"type": {"type": "string", "maxLength": 20},
                                           "header": {"type": "object", "properties": {"set": {"type": "string", "maxLength": 64}}},
                                           "redirect": {"type": "object", "properties": {"port": PORT}}},
          "x-kubernetes-validations": [
              rule("!(has(self.header) && self.type != 'Header')", "header is for Header"),
              rule("!(!has(self.header) && self.type == 'Header')", "Header needs header"),
              rule("!(has(self.redirect) && self.type != 'Redirect')", "redirect is for Redirect"),
              rule("!(!has(self.redirect) && self.type == 'Redirect')", "Redirect needs redirect")]}
BACKEND = {"type": "object", "properties": {"name": NAME, "port": PORT, "weight": {"type": "integer", "minimum": 0, "maximum": 1000000},
                                            "kind": {"type": "string", "maxLength": 63}},
           "x-kubernetes-validations": [rule("has(self.kind) && self.kind != 'Service' || has(self.port)", "a Service needs a port")]}
WAY = {"type": "object", "required": ["name"], "properties": {
    "name": NAME,
    "matches": {"type": "array", "maxItems": 16, "items": {"type": "object", "properties": {"path": PATH, "method": {"type": "string", "maxLength": 10}}}},
    "filters": {"type": "array", "maxItems": 16, "items": FILTER, "x-kubernetes-validations": [
        rule("!(self.exists(f, f.type == 'Redirect') && self.exists(f, f.type == 'Rewrite'))", "either redirected or rewritten"),
        rule("self.filter(f, f.type == 'Header').size() <= 1", "one Header at most")]},
    "backends": {"type": "array", "maxItems": 16, "items": BACKEND},
    "timeouts": {"type": "object", "properties": {"request": {"type": "string", "maxLength": 10}, "backend": {"type": "string", "maxLength": 10}},
                 "x-kubernetes-validations": [rule("!(has(self.request) && has(self.backend) && duration(self.request) != duration('0s') && "
                                                   "duration(self.backend) > duration(self.request))", "a backend has no more time than the request")]}},
    "x-kubernetes-validations": [
        rule("!(has(self.backends) && self.backends.size() > 0 && has(self.filters) && self.filters.exists(f, f.type == 'Redirect'))",
             "what is redirected needs no backend")]}
ROUTE = {"type": "object", "properties": {"status": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}, "spec": {"type": "object", "properties": {
    "hosts": {"type": "array", "maxItems": 16, "items": {"type": "string", "maxLength": 253}},
    "gateways": {"type": "array", "maxItems": 32, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
                 "items": {"type": "object", "required": ["name"], "properties": {"name": NAME, "section": NAME, "port": PORT}},
                 "x-kubernetes-validations": [unique(" && (!has(a.section) || !has(b.section) || a.section == b.section)"),
                                              rule("self.all(a, !has(a.port) || a.port != 22)", "not the port of others")]},
    "ways": {"type": "array", "maxItems": 16, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"], "items": WAY,
             "x-kubernetes-validations": [unique("")]}}}}}
DEFINITION = {"metadata": {"name": "routes.bench.example.com", "uid": "5f0c3f4e-0000-4000-8000-000000000000", "resourceVersion": "1", "creationTimestamp": WRITTEN},
              "spec": {"group": "bench.example.com", "scope": "Namespaced", "names": {"kind": "Route", "listKind": "RouteList", "plural": "routes", "singular": "route"},
                       "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": ROUTE}}]},
              "status": {"conditions": [{"type": "Established", "status": "True"}, {"type": "NamesAccepted", "status": "True"}],
                         "acceptedNames": {"kind": "Route", "plural": "routes"}, "storedVersions": ["v1"]}}


def route(i):
    app = APPS[i % len(APPS)]
    spec = {"hosts": ["%s-%d.example.com" % (app, i)], "gateways": [{"name": "public", "section": "https", "port": 443}, {"name": "internal", "port": 80}],
            "ways": [{"name": "way-%d" % k, "matches": [{"path": {"type": "Prefix", "value": "/%s/v%d" % (app, k)}, "method": "GET"}],
                      "filters": [{"type": "Header", "header": {"set": "x-region=eu-west-%d" % (i % 3)}}],
                      "backends": [{"name": app, "port": 8080, "weight": 90}, {"name": app + "-canary", "port": 8081, "weight": 10}],
                      "timeouts": {"request": "10s", "backend": "%ds" % (1 + i % 9)}} for k in range(1 + i % 3)]}
    return {"metadata": base(i, "%s-%05x" % (app, i), {"app": app, "tier": ("front", "back")[i % 2]}, {"spec": spec}), "spec": spec,
            "status": {"observedGeneration": 1, "parents": [{"name": "public", "conditions": [{"type": "Accepted", "status": "True", "lastTransitionTime": WRITTEN}]}]}}


# ---- sets ----


def settings(namespace):
    return {"metadata": {"name": "settings", "namespace": namespace, "uid": uid(), "resourceVersion": "1", "creationTimestamp": WRITTEN},
            "data": {"team": "platform", "grace": "30"}}


class Resource:
    """A kind of an API server: where it is served, its objects as JSON without kind and version."""

    def __init__(self, path, plural, kind):
        self.path, self.plural, self.kind, self.texts = path, plural, kind, []
        self.version = path.split("/", 2)[2]
        self.url = path + "/" + plural


class Set:
    """What an API server has: @total objects, and @others that are not counted."""

    def __init__(self, name, total):
        make, others = SETS[name]
        self.resources, self.compact = {}, 0
        for i in range(total):
            kind, o = make(i)
            t = text(o)
            self.add(kind, t)
            managed = o["metadata"].pop("managedFields", None)
            self.compact += len(text(o)) if managed is not None else len(t)
        self.counted = list(self.resources.values())
        for kind, o in others:
            self.add(kind, text(o))

    def add(self, kind, t):
        if kind not in self.resources:
            self.resources[kind] = Resource(*OWN.get(kind, KINDS.get(kind, ())[:2]), kind)
        self.resources[kind].texts.append(t)


OWN = {"Route": ("/apis/bench.example.com/v1", "routes"), "CustomResourceDefinition": ("/apis/apiextensions.k8s.io/v1", "customresourcedefinitions")}
SETS = {
    "pods": (lambda i: ("Pod", pod(i)), [("ConfigMap", settings("team-%d" % i)) for i in range(90)]),
    "small": (lambda i: ("ConfigMap", small(i)), []),
    "encoded": (lambda i: ("ConfigMap", encoded(i)), []),
    "wide": (lambda i: ("ConfigMap", wide(i)), []),
    "mixed": (mixed, []),
    "core": (core, []),
    "routes": (lambda i: ("Route", route(i)), [("CustomResourceDefinition", DEFINITION)]),
}


# ---- changes ----


def later(t, n):
    """The object was written again, and its status said once more."""
    written = '"time":"2026-01-02T%02d:%02d:%02dZ"' % (n // 3600 % 24, n // 60 % 60, n % 60)
    return re.sub(r'"time":"[^"]+"', written, t).replace('"observedGeneration":1', '"observedGeneration":%d' % n)


def tier(t, n):
    return re.sub(r'"tier":"(?:front|back)"', '"tier":"t%d"' % n, t)


CHANGES = {
    "unseen": lambda t, n: t.replace('"phase":"Running","qosClass":"Burstable"',
                                     '"phase":"Running","qosClass":"%s"' % ("Guaranteed", "BestEffort")[n % 2]),
    "touched": later,
    "unnamed": lambda t, n: t.replace('"nodeName":"node-', '"nodeName":"host-%d-' % (n % 1000)),
    "judged": tier,
    "ruled": lambda t, n: t.replace('"weight":90', '"weight":%d' % (1000 + n % 900000)),
    "drift": lambda t, n: t.replace('"restartPolicy":"Always"', '"restartPolicy":"OnFailure"').replace('"mode":"steady"', '"mode":"hasty"'),
}


# ---- what driftd is told ----


def metadata(kind, version, name="'{{ .metadata.name }}'", namespace="'{{ .metadata.namespace }}'", labels="tier: '{{ .metadata.labels.tier }}'"):
    return ("apiVersion: %s\nkind: %s\nmetadata:\n  name: %s\n  namespace: %s\n  labels: {%s}\n") % (version, kind, name, namespace, labels)


def reference(components):
    """metadata.yaml of components: how many of its templates are wanted, and their files."""
    out = "apiVersion: v2\nparts:\n  - name: p\n    components:\n"
    for i, (wanted, files) in enumerate(components):
        out += "      - name: c%d\n        %s:\n" % (i, wanted)
        out += "".join("          - {path: %s, config: {ignore-unspecified-fields: %s}}\n" % (f, IGNORES) for f in files)
    return out


def templates(files):
    return {"metadata.yaml": reference([("anyOf", list(files))]), **files}


TIER = "tier: '{{ .metadata.labels.tier }}', team: platform"
POD = metadata("Pod", "v1", labels=TIER) + """spec:
  restartPolicy: Always
  dnsPolicy: ClusterFirst
  serviceAccountName: '{{ .metadata.labels.app }}'
"""
RICH = """{{- define "port" }}
        - {name: {{ .name }}, containerPort: {{ .containerPort }}, protocol: TCP}
{{- end }}
{{- $settings := lookupCR "v1" "ConfigMap" (.metadata.namespace | default "team-0") "settings" | default dict }}
""" + metadata("Pod", "v1", labels="tier: '{{ .metadata.labels.tier }}', team: {{ dig \"data\" \"team\" \"none\" $settings }}") + """spec:
  restartPolicy: Always
  terminationGracePeriodSeconds: {{ dig "data" "grace" "0" $settings }}
  tolerations:
    {{- .spec.tolerations | toYaml | nindent 4 }}
  containers:
    {{- range .spec.containers }}
    - imagePullPolicy: IfNotPresent
      {{- omit . "imagePullPolicy" "ports" | toYaml | nindent 6 }}
      ports:
      {{- range .ports }}{{ template "port" . }}{{ end }}
    {{- end }}
"""


def of_each_kind():
    return {"%s.yaml" % k.lower(): metadata(k, v[0].split("/", 2)[2], labels=TIER) + v[4] for k, v in KINDS.items()}


def telco():
    """A component for each group of kinds, as references of a distribution have: all of what is named, any of what is not."""
    files, components = {}, []
    for kind, v in KINDS.items():
        version, fixed = v[0].split("/", 2)[2], []
        for n in range(FIXED):
            fixed.append("%s-%d.yaml" % (kind.lower(), n))
            files[fixed[-1]] = metadata(kind, version, "core-%s-%d" % (kind.lower(), n), labels=TIER) + v[4]
        components.append(("allOf", fixed))
        files["%s.yaml" % kind.lower()] = metadata(kind, version, labels=TIER) + v[4]
        components.append(("anyOf", ["%s.yaml" % kind.lower()]))
    return {"metadata.yaml": reference(components), **files}


EVENT_RULES = """rules:
  - {type: ignore, path: spec.nodeName, manager: kube-scheduler}
  - {type: ignore, path: spec.tolerations, manager: kube-*}
  - {type: allow, path: spec.containers.*.resources.requests, manager: vpa-*}
  - {type: warn, path: metadata.labels, manager: kubectl-*}
  - {type: error, path: 'spec.{restartPolicy, dnsPolicy}', severity: critical}
  - {type: warn, path: spec.serviceAccountName, manager: [helm, argocd-*]}
"""
INSPECTIONS = """- description: every pod has an app
  conditions: [{op: eq, args: ["{node.kind}", Pod]}, {op: is-empty, args: ["{node.metadata.labels.app}"]}]
  actions: [{op: fail, args: ["{node.metadata.name} has no app"]}]
- description: no image of today
  conditions: [{op: matches, args: ["{item.image}", ".*:latest"], loop: "{node.spec.containers}"}]
  actions: [{op: fail, args: ["an image has no version"]}]
- description: no root
  conditions: [{op: eq, args: ["{item.securityContext.runAsNonRoot}", false], loop: "{node.spec.containers}"}]
  actions: [{op: fail, args: ["runs as root"]}]
- description: where it may be sent
  conditions: [{op: "!one-of", args: ["{node.spec.dnsPolicy}", [ClusterFirst, Default]]}]
  actions: [{op: fail, args: ["resolves names elsewhere"]}]
- description: not for long
  conditions: [{op: gt, args: ["{node.spec.terminationGracePeriodSeconds}", 600]}]
  actions: [{op: fail, args: ["takes its time"]}]
"""


class Workload:
    """@goals: list CPU / floor, settled memory / compact JSON, unseen and judged updates per second of CPU (None: no goal)."""

    def __init__(self, name, objects, total, files, goals, unseen="touched", judged="judged", entry="", settings="", rules=None, evaluated="driftd_evaluations_total"):
        self.name, self.set, self.total, self.files, self.goals, self.unseen, self.judged = name, objects, total, files, goals, unseen, judged
        self.entry, self.settings, self.rules, self.evaluated = entry, settings, rules or {}, evaluated


WORKLOADS = [
    Workload("pods", "pods", 50000, templates({"pod.yaml": POD}), (1.6, 0.35, None, 42000), unseen="unseen"),
    Workload("small", "small", 50000, templates({"map.yaml": metadata("ConfigMap", "v1") + "data: {mode: steady}\n"}), (3, 1.5, None, 101000)),
    Workload("base64", "encoded", 20000, templates({"map.yaml": metadata("ConfigMap", "v1") + "data: {mode: steady}\n"}), (2.5, 0.8, None, 44000)),
    Workload("mixed", "mixed", 30000, templates(of_each_kind()), (2, 0.5, None, 30000)),
    Workload("twenty", "pods", 50000, templates({"t%d.yaml" % k: POD.replace("team: platform", "team: platform, variant: v%d" % k) for k in range(VARIANTS)}),
             (3, 0.36, None, 20000)),
    Workload("rich", "pods", 50000, templates({"pod.yaml": RICH}), (2.5, 0.58, 60000, 30000)),
    Workload("telco", "core", 10000, telco(), (4, None, None, 56000)),
    Workload("crd", "routes", 20000, None, (3, 0.6, 60000, 40000), judged="ruled", settings="watch:\n  - {apiVersion: bench.example.com/v1, kind: Route}\n",
             evaluated="driftd_validation_evaluations_total"),
    Workload("manager", "pods", 50000, templates({"pod.yaml": POD}), (2.5, 0.39, 60000, 30000), entry=", event_rules: r",
             settings="event_rules:\n  - {name: r, path: events.yaml}\n", rules={"events.yaml": EVENT_RULES}),
    Workload("inspect", "pods", 50000, templates({"pod.yaml": POD}), (2.5, 0.39, 60000, 30000),
             settings="inspection_rules: {built_in: inspections.yaml}\n", rules={"inspections.yaml": INSPECTIONS}),
]
PODS = WORKLOADS[0]


def named(name):
    return next(w for w in WORKLOADS if w.name == name)
