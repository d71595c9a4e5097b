#!/usr/bin/env python3
"""pods.py N: a PodList of N pods as an API server sends it, managedFields included; 0: one pod alone."""
import json
import random
import sys

random.seed(1)


def fields(*names):
    return {"." if n == "." else "f:" + n: {} for n in names}


def hexadecimal(bits):
    return "%x" % random.getrandbits(bits)


def container(name, i):
    return {
        "name": name,
        "image": "registry.example.com/app/%s:1.%d" % (name, i % 30),
        "args": ["--port=8080", "--verbose", "--config=/etc/%s/config.yaml" % name],
        "env": [{"name": "SETTING_%d" % k, "value": "value %d" % k} for k in range(8)],
        "ports": [{"containerPort": 8080, "protocol": "TCP"}],
        "resources": {"limits": {"cpu": "500m", "memory": "512Mi"}, "requests": {"cpu": "100m", "memory": "128Mi"}},
        "volumeMounts": [{"name": "config", "mountPath": "/etc/" + name}],
        "imagePullPolicy": "IfNotPresent",
    }


def pod(i):
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": "web-%d" % i,
            "namespace": "prod",
            "uid": hexadecimal(128),
            "resourceVersion": str(10000 + i),
            "creationTimestamp": "2026-01-01T00:00:00Z",
            "labels": {"app": "web", "pod-template-hash": hexadecimal(40), "tier": "frontend"},
            "annotations": {"checksum/config": hexadecimal(256)},
            "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": hexadecimal(128), "controller": True}],
            "managedFields": [{
                "manager": "kube-controller-manager",
                "operation": "Update",
                "apiVersion": "v1",
                "time": "2026-01-01T00:00:00Z",
                "fieldsType": "FieldsV1",
                "fieldsV1": {
                    "f:metadata": {"f:labels": fields(".", "app", "tier"), "f:ownerReferences": fields(".")},
                    "f:spec": {"f:containers": {'k:{"name":"web"}': fields(".", "image", "imagePullPolicy", "name")},
                               **fields("dnsPolicy", "restartPolicy", "schedulerName")},
                },
            }],
        },
        "spec": {
            "containers": [container("web", i), container("proxy", i)],
            "volumes": [{"name": "config", "configMap": {"name": "config", "defaultMode": 420}}],
            "restartPolicy": "Always",
            "terminationGracePeriodSeconds": 30,
            "nodeName": "node-%d" % (i % 100),
            "tolerations": [{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "tolerationSeconds": 300}],
        },
        "status": {
            "phase": "Running",
            "conditions": [{"type": t, "status": "True", "lastProbeTime": None} for t in ("Initialized", "Ready", "PodScheduled")],
            "podIP": "10.1.0.%d" % (i % 250),
        },
    }


n = int(sys.argv[1])
whole = pod(0) if n == 0 else {"kind": "PodList", "apiVersion": "v1", "metadata": {"resourceVersion": "1"}, "items": [pod(i) for i in range(n)]}
json.dump(whole, sys.stdout, separators=(",", ":"))
