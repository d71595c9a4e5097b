#!/usr/bin/env python3
"""root.py PACKAGES.json ROOT PROGRAM... [+PATH...]: what the programs need to run, copied below ROOT out of the Debian packages that are
installed here: their shared libraries, what PATHs (files and folders) are or hold, and for all of it the licences. A file that is not as
its package brought it ends it. PACKAGES.json has the packages, for sbom.py. The programs themselves are not copied.
"""
import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys

INFO = "/var/lib/dpkg/info"
CA = "/usr/share/ca-certificates/mozilla"


def said(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, env={**os.environ, "LC_ALL": "C"}, text=True).stdout


def libraries(program):
    """The paths of the shared libraries of a program, the loader among them."""
    text = said("ldd", program)
    if "not found" in text:
        sys.exit(f"root.py: {program}: a library is missing:\n{text}")
    return re.findall(r"(?:=> |^\s+)(/\S+)", text, re.MULTILINE)


def spellings(path):
    """How packages may call a file: their paths are those from before /lib became a link to /usr/lib."""
    real = os.path.realpath(path)
    return [path, real] + [p[4:] for p in (path, real) if p.startswith("/usr/")]


class Packages:
    def __init__(self):
        self.owners, self.known, self.sums = {}, {}, {}
        for name in sorted(os.listdir(INFO)):
            if name.endswith(".list"):
                with open(f"{INFO}/{name}", encoding="utf-8") as f:
                    self.owners.update((path, name[:-5]) for path in f.read().splitlines())

    def of(self, path):
        name = next((self.owners[p] for p in spellings(path) if p in self.owners), None)
        if not name:
            sys.exit(f"root.py: {path} belongs to no package")
        self.describe(name)
        return name

    def describe(self, name):
        if name in self.known:
            return
        fields = ["Package", "Version", "Architecture", "source:Package", "source:Version", "Maintainer", "Homepage"]
        values = said("dpkg-query", "-W", "-f", "\\n".join(f"${{{f}}}" for f in fields), name).split("\n")
        self.known[name] = dict(zip(fields, values))
        with open(f"{INFO}/{name}.md5sums", encoding="utf-8") as f:
            self.sums[name] = {"/" + line[34:-1]: line[:32] for line in f}

    def check(self, path):
        """It is as the package brought it."""
        name = self.of(path)
        sums = self.sums[name]
        expected = next((sums[p] for p in spellings(path) if p in sums), None)
        with open(path, "rb") as f:
            if hashlib.md5(f.read()).hexdigest() != expected:
                sys.exit(f"root.py: {path} is not as package {name} brought it")


class Root:
    def __init__(self, folder, packages):
        self.folder, self.packages = folder, packages

    def place(self, path):
        """Where it goes: folders that are links (/lib) are followed, as they are links in the image, too."""
        target = self.folder + os.path.realpath(os.path.dirname(path)) + "/" + os.path.basename(path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        return target

    def add(self, path):
        """A file, or a link and what it leads to, or a folder with all below it."""
        if os.path.isdir(path) and not os.path.islink(path):
            for name in sorted(os.listdir(path)):
                self.add(f"{path}/{name}")
            return
        target = self.place(path)
        if os.path.lexists(target):
            return
        if os.path.islink(path):
            os.symlink(os.readlink(path), target)
            self.add(os.path.join(os.path.realpath(os.path.dirname(path)), os.readlink(path)))
            return
        self.packages.check(path)
        shutil.copyfile(path, target)
        os.chmod(target, 0o755 if os.access(path, os.X_OK) else 0o644)

    def write(self, path, data):
        """What is made here, at a path without links: the folder of one package's licences may be a link to another's here."""
        target = self.folder + path
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "wb") as f:
            f.write(data)
        os.chmod(target, 0o644)

    def add_authorities(self):
        """Debian's own, and none that this machine was given: its bundle may have such ones."""
        data = b""
        for name in sorted(os.listdir(CA)):
            self.packages.check(f"{CA}/{name}")
            with open(f"{CA}/{name}", "rb") as f:
                data += f.read()
        self.write("/etc/ssl/certs/ca-certificates.crt", data)

    def add_notes(self):
        """Licences, and what scanners look for."""
        for name, about in sorted(self.packages.known.items()):
            doc = f"/usr/share/doc/{about['Package']}/copyright"
            real = os.path.realpath(doc)
            if os.path.exists(real):
                with open(real, "rb") as f:
                    self.write(doc, f.read())
            elif os.path.exists(real + ".gz"):
                self.write(doc, gzip.open(real + ".gz").read())
            else:
                sys.exit(f"root.py: {name} has no {doc}")
            status = "".join(f"{field}: {value}\n" for field, value in (
                ("Package", about["Package"]), ("Status", "install ok installed"), ("Maintainer", about["Maintainer"]),
                ("Architecture", about["Architecture"]), ("Source", f"{about['source:Package']} ({about['source:Version']})"),
                ("Version", about["Version"])))
            self.write(f"/var/lib/dpkg/status.d/{about['Package']}", status.encode())


def main(listing, folder, arguments):
    packages = Packages()
    root = Root(folder, packages)
    programs = [a for a in arguments if not a.startswith("+")]
    for path in (a[1:] for a in arguments if a.startswith("+")):
        root.add(path)
        real = os.path.realpath(path)
        if os.path.isfile(real):
            with open(real, "rb") as f:
                if f.read(4) == b"\x7fELF":
                    programs.append(real)
    for program in programs:
        for library in libraries(program):
            root.add(library)
    root.add_authorities()
    root.add_notes()
    with open(listing, "w", encoding="utf-8") as f:
        json.dump([packages.known[name] for name in sorted(packages.known)], f, indent=1)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
