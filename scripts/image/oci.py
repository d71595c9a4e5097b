#!/usr/bin/env python3
"""oci.py LAYOUT CONFIG.json EPOCH LAYER-FOLDER...: an OCI image layout of the folders, each a layer, with the configuration in CONFIG.json;
prints the digest of its manifest. The same files give the same bytes: sorted, of the time EPOCH, owned by root but for what stands in
"owners" of CONFIG.json (path: uid), which the image does not have, as it does not have "name", its name for whoever loads it.
"""
import datetime
import gzip
import hashlib
import io
import json
import os
import sys
import tarfile

IMAGE = "application/vnd.oci.image."


class Layout:
    def __init__(self, folder):
        self.folder = folder
        os.makedirs(f"{folder}/blobs/sha256")

    def blob(self, data):
        digest = hashlib.sha256(data).hexdigest()
        with open(f"{self.folder}/blobs/sha256/{digest}", "wb") as f:
            f.write(data)
        return "sha256:" + digest

    def document(self, kind, value):
        data = json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
        return {"mediaType": IMAGE + kind, "digest": self.blob(data), "size": len(data)}

    def file(self, name, value):
        with open(f"{self.folder}/{name}", "w", encoding="utf-8") as f:
            json.dump(value, f, sort_keys=True, separators=(",", ":"))


def entries(folder):
    for path, folders, files in os.walk(folder):
        folders.sort()
        links = [d for d in folders if os.path.islink(f"{path}/{d}")]
        for name in sorted(files + folders):
            yield f"{path}/{name}"
        folders[:] = [d for d in folders if d not in links]


def layer(folder, owners, epoch):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path in sorted(entries(folder)):
            name = os.path.relpath(path, folder)
            info = tar.gettarinfo(path, name)
            info.uid = info.gid = owners.get("/" + name, 0)
            info.uname = info.gname = ""
            info.mtime = epoch
            if info.isreg():
                info.type, info.linkname = tarfile.REGTYPE, ""
                with open(path, "rb") as f:
                    info.size = os.fstat(f.fileno()).st_size
                    tar.addfile(info, f)
            else:
                tar.addfile(info)
    return out.getvalue()


def main(folder, config_path, epoch, layers):
    with open(config_path, encoding="utf-8") as f:
        config = json.load(f)
    owners, name = config.pop("owners"), config.pop("name")
    layout = Layout(folder)
    described, plain = [], []
    for source in layers:
        data = layer(source, owners, epoch)
        packed = gzip.compress(data, compresslevel=9, mtime=0)
        plain.append("sha256:" + hashlib.sha256(data).hexdigest())
        described.append({"mediaType": IMAGE + "layer.v1.tar+gzip", "digest": layout.blob(packed), "size": len(packed)})
    made = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    config.update(created=made, os="linux", rootfs={"type": "layers", "diff_ids": plain},
                  history=[{"created": made, "created_by": "scripts/build-image"} for _ in plain])
    manifest = layout.document("manifest.v1+json", {
        "schemaVersion": 2, "mediaType": IMAGE + "manifest.v1+json", "config": layout.document("config.v1+json", config),
        "layers": described, "annotations": config["config"]["Labels"]})
    layout.file("index.json", {"schemaVersion": 2, "mediaType": IMAGE + "index.v1+json", "manifests": [
        {**manifest, "annotations": {"org.opencontainers.image.ref.name": name}}]})
    layout.file("oci-layout", {"imageLayoutVersion": "1.0.0"})
    print(manifest["digest"])


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:])
