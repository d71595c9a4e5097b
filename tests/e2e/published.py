#!/usr/bin/env python3
"""published.py [OPTIONS] STORE NAME [FOLDER]: play driftd-fetch for the reference NAME (config/source_store.h).

With a FOLDER its files become a revision, to which the link of NAME leads from then on; its id is printed. In any case the attempt is noted,
as one that succeeded unless --failure says why not, or not at all with --unsaid.
"""
import argparse
import hashlib
import json
import os
import pathlib
import shutil
import time

options = argparse.ArgumentParser()
options.add_argument("--request", help="sources.json of driftd: what it wants is served by this")
options.add_argument("--revision", default="1" * 40)
options.add_argument("--title", default="")
options.add_argument("--signer", default="")
options.add_argument("--log", default="[]", help="JSON: the commits")
options.add_argument("--rewritten", action="store_true")
options.add_argument("--failure", help="why the attempt fails")
options.add_argument("--message", default="")
options.add_argument("--unsaid", action="store_true", help="the attempt is not noted")
options.add_argument("--age", type=int, default=0, help="seconds since the last success")
options.add_argument("store", type=pathlib.Path)
options.add_argument("name")
options.add_argument("folder", type=pathlib.Path, nargs="?")
o = options.parse_args()
source = o.store / "sources" / o.name


def lengthened(data):
    return len(data).to_bytes(8, "little") + data


def put():
    files = sorted((str(p.relative_to(o.folder)).encode(), p.read_bytes()) for p in o.folder.rglob("*") if p.is_file())
    about = {"revision": o.revision, "title": o.title, "signer": o.signer, "rewritten": o.rewritten, "files": len(files),
             "bytes": sum(len(text) for _, text in files), "leftOut": 0, "log": json.loads(o.log)}
    text = (json.dumps(about) + "\n").encode()
    digest = hashlib.sha256(lengthened(text) + b"".join(lengthened(part) for file in files for part in file)).hexdigest()
    folder = o.store / "revisions" / digest
    if not folder.exists():
        made = o.store / "tmp" / digest
        shutil.copytree(o.folder, made / "files")
        (made / "revision.json").write_bytes(text)
        folder.parent.mkdir(exist_ok=True)
        made.rename(folder)
    link = o.store / "tmp" / f"{o.name}.link"
    os.symlink(f"../../revisions/{digest}", link)
    link.rename(source / "current")
    print(digest)


def note():
    path, now, wish = source / "status.json", int(time.time()), 0
    status = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"failures": {}}
    if o.request:
        wish = next(s["wish"] for s in json.loads(pathlib.Path(o.request).read_text(encoding="utf-8"))["sources"] if s["name"] == o.name)
    status |= {"served": max(wish, status.get("served", 0)), "attempted": now}
    status.pop("failure", None)
    if o.failure:
        status |= {"failure": o.failure, "message": o.message}
        status["failures"][o.failure] = status["failures"].get(o.failure, 0) + 1
    if not o.failure or o.age:
        status["succeeded"] = now - o.age
    new = o.store / "tmp" / f"{o.name}.status"
    new.write_text(json.dumps(status) + "\n", encoding="utf-8")
    new.rename(path)


source.mkdir(parents=True, exist_ok=True)
(o.store / "tmp").mkdir(exist_ok=True)
if o.folder:
    put()
if not o.unsaid:
    note()
