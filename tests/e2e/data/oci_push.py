#!/usr/bin/env python3
"""oci_push.py HOST:PORT NAME TAG FOLDER [KEY]: the files of FOLDER as an artifact in a registry that is asked without TLS, a layer for each
file, as ORAS does it. With KEY, a private key in PEM, it is signed as cosign does: an image beside it, whose tag names the digest. Prints the
digest."""
import base64
import hashlib
import http.client
import json
import pathlib
import subprocess
import sys

host, name, tag, folder = sys.argv[1:5]
key = sys.argv[5] if len(sys.argv) > 5 else None
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
PAYLOAD = "application/vnd.dev.cosign.simplesigning.v1+json"


def ask(method, path, body=b"", content="application/octet-stream"):
    connection = http.client.HTTPConnection(host)
    connection.request(method, path, body, {"Content-Type": content, "Content-Length": str(len(body))})
    answer = connection.getresponse()
    text = answer.read()
    if answer.status not in (201, 202):
        sys.exit(f"{method} {path}: {answer.status} {text[:200]}")
    return answer


def put_blob(body, content, annotations=None):
    digest = "sha256:" + hashlib.sha256(body).hexdigest()
    where = ask("POST", f"/v2/{name}/blobs/uploads/").getheader("Location")
    where = where.partition(host)[2] or where
    ask("PUT", f"{where}{'&' if '?' in where else '?'}digest={digest}", body)
    return {"mediaType": content, "digest": digest, "size": len(body), "annotations": annotations or {}}


def put_image(layers, as_tag=None):
    config = put_blob(b"{}", "application/vnd.oci.empty.v1+json")
    body = json.dumps({"schemaVersion": 2, "mediaType": MANIFEST, "config": config, "layers": layers}).encode()
    digest = "sha256:" + hashlib.sha256(body).hexdigest()
    ask("PUT", f"/v2/{name}/manifests/{as_tag or digest}", body, MANIFEST)
    return digest


def sign(digest):
    payload = json.dumps({"critical": {"identity": {"docker-reference": ""}, "image": {"docker-manifest-digest": digest},
                                       "type": "cosign container image signature"}, "optional": None}).encode()
    command = ["openssl", "dgst", "-sha256", "-sign", key]
    signature = subprocess.run(command, input=payload, stdout=subprocess.PIPE, check=True).stdout
    annotations = {"dev.cosignproject.cosign/signature": base64.b64encode(signature).decode()}
    put_image([put_blob(payload, PAYLOAD, annotations)], digest.replace(":", "-") + ".sig")


def main():
    root = pathlib.Path(folder)
    files = sorted(p for p in root.rglob("*") if p.is_file())
    titled = [(p, {"org.opencontainers.image.title": str(p.relative_to(root))}) for p in files]
    # What is signed is there before the tag names it: whoever asks in between finds the signature.
    layers = [put_blob(p.read_bytes(), "application/vnd.driftd.reference.file", title) for p, title in titled]
    if key:
        sign(put_image(layers))
    print(put_image(layers, tag))


main()
