#!/usr/bin/env python3
"""pod.py OBJECTS.json WORKLOAD ORDINAL FOLDER ACCOUNT: what a kubelet makes of the pod of a Deployment or StatefulSet, as far as a program
outside of a cluster sees it. OBJECTS.json is a List that has the workload and the ConfigMaps and Secrets of its volumes; ACCOUNT is the
folder of the service account. FOLDER gets the volumes (claims stay what they are from one start to the next) and "start", a script that is
called with the path of the program and further arguments, in mount and UTS namespaces of its own. Prints, as JSON, the paths of the probes
and how long the pod has to end.
"""
import base64
import json
import os
import shlex
import shutil
import sys

ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"


class Pod:
    def __init__(self, objects, workload, ordinal, folder):
        self.objects, self.folder = objects, folder
        self.workload = next(o for o in objects if o["kind"] in ("Deployment", "StatefulSet") and o["metadata"]["name"] == workload)
        self.name = f"{workload}-{ordinal}"
        self.spec = self.workload["spec"]["template"]["spec"]
        (self.container,) = self.spec["containers"]
        self.volumes = {v["name"]: v for v in self.spec["volumes"]}
        for claim in self.workload["spec"].get("volumeClaimTemplates", []):
            name = claim["metadata"]["name"]
            self.volumes[name] = {"name": name, "persistentVolumeClaim": {"claimName": f"{name}-{self.name}"}}

    def data(self, kind, name):
        found = next(o for o in self.objects if o["kind"] == kind and o["metadata"]["name"] == name)
        if kind == "Secret":
            return {k: base64.b64decode(v) for k, v in found["data"].items()}
        return {k: v.encode() for k, v in found["data"].items()}

    def put(self, path, source, kind):
        items = source.get("items")
        for key, value in self.data(kind, source["name"]).items():
            for target in [i["path"] for i in items if i["key"] == key] if items else [key]:
                os.makedirs(os.path.dirname(f"{path}/{target}"), exist_ok=True)
                with open(f"{path}/{target}", "wb") as f:
                    f.write(value)

    def make(self, volume):
        claim = volume.get("persistentVolumeClaim")
        if claim:
            path = f"{self.folder}/claims/{claim['claimName']}"
            os.makedirs(path, exist_ok=True)
            return path
        path = f"{self.folder}/{self.name}/{volume['name']}"
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(path)
        for source in volume.get("projected", {}).get("sources", []):
            for kind, field in (("ConfigMap", "configMap"), ("Secret", "secret")):
                if field in source:
                    self.put(path, source[field], kind)
        return path

    def script(self, account):
        mounts = {m["mountPath"]: self.make(self.volumes[m["name"]]) for m in self.container["volumeMounts"]}
        mounts[ACCOUNT] = account
        parents = sorted({os.path.dirname(os.path.realpath(p)) if p != ACCOUNT else os.path.realpath("/var/run") for p in mounts})
        lines = ["#!/bin/sh", "# start PROGRAM [ARGUMENTS]", "set -e", f"hostname {self.name}"]
        lines += [f"mount -t tmpfs none {p}" for p in parents]
        for path, source in sorted(mounts.items()):
            lines += [f"mkdir -p {path}", f"mount --bind {shlex.quote(source)} {path}"]
        environment = [f"{e['name']}={shlex.quote(e['value'])}" for e in self.container.get("env", [])]
        words = self.container.get("command", [])[1:] + self.container["args"]
        lines += ["program=$1", "shift", f"exec env -u KUBECONFIG HOME=/nonexistent {' '.join(environment)} \"$program\" " +
                  " ".join(map(shlex.quote, words)) + ' "$@"']
        return "\n".join(lines) + "\n"


def main(path, workload, ordinal, folder, account):
    with open(path, encoding="utf-8") as f:
        pod = Pod(json.load(f)["items"], workload, ordinal, folder)
    text = pod.script(account)
    start = f"{folder}/{pod.name}/start"
    with open(start, "w", encoding="utf-8") as f:
        f.write(text)
    os.chmod(start, 0o755)
    print(json.dumps({"start": start, "grace": pod.spec["terminationGracePeriodSeconds"],
                      **{p: pod.container[p + "Probe"]["httpGet"]["path"] for p in ("startup", "liveness", "readiness")}}))


if __name__ == "__main__":
    main(*sys.argv[1:])
