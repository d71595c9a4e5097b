"""must_gather.py OBJECTS FOLDER: the objects of hard_objects.py as the files of a must-gather folder.

They have what a server adds, and stand among things that are no objects.
"""
import json
import os
import sys

with open(sys.argv[1], encoding="utf-8") as f:
    objects = json.load(f)
for o in objects:
    o["metadata"].update(uid="u", resourceVersion="9", creationTimestamp="2024-01-01T00:00:00Z", generation=2,
                         managedFields=[{"manager": "m"}])


def write(path, text):
    with open(os.path.join(sys.argv[2], path), "w", encoding="utf-8") as out:
        out.write(text)


def dump(path, value):
    write(path, json.dumps(value))


def configmaps(items):
    return {"apiVersion": "v1", "kind": "ConfigMapList", "items": items}


dump("namespaces/a/core/configmaps.yaml",
     configmaps([o for o in objects if o["kind"] == "ConfigMap" and o["metadata"]["namespace"] == "a"]))
dump("namespaces/b/core/configmaps.yaml", configmaps([objects[2], objects[2]]))
dump("namespaces/a/apps/web.yaml", objects[4])
dump("cluster-scoped-resources/rbac/role.yaml", objects[5])
dump("elsewhere/ignored.yaml", dict(objects[4], metadata=dict(objects[4]["metadata"], name="ignored")))
write("namespaces/a/broken.yaml", "a: [\n")
write("namespaces/a/pod.log", "kind: Deployment\n")
