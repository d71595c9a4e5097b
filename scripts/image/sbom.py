#!/usr/bin/env python3
"""sbom.py PACKAGES.json ROOT NAME VERSION DIGEST EPOCH: what an image is made of, as SPDX 2.3 (JSON), on standard output: driftd and the
Debian packages that root.py found, their licences as far as debian/copyright says them in a form that programs read.
"""
import datetime
import json
import re
import sys

# Debian's short names that mean a licence of SPDX's list. What is not here is told as Debian calls it.
SPDX = {
    "apache-2.0": "Apache-2.0", "expat": "MIT", "mit": "MIT", "isc": "ISC", "zlib": "Zlib", "curl": "curl",
    "bsd-2-clause": "BSD-2-Clause", "bsd-3-clause": "BSD-3-Clause", "mpl-2.0": "MPL-2.0", "cc0-1.0": "CC0-1.0",
    "artistic": "Artistic-1.0-Perl", "openssl": "OpenSSL", "unicode-dfs-2016": "Unicode-DFS-2016",
}
for family, versions in (("GPL", "2 3"), ("LGPL", "2 2.1 3"), ("GFDL", "1.2 1.3")):
    for v in versions.split():
        number = v if "." in v else v + ".0"
        SPDX[f"{family}-{v}".lower()] = SPDX[f"{family}-{number}".lower()] = f"{family}-{number}-only"
        SPDX[f"{family}-{v}+".lower()] = SPDX[f"{family}-{number}+".lower()] = f"{family}-{number}-or-later"


def licences(text):
    """The short names of a copyright file in Debian's format; none of another one."""
    if not re.match(r"\s*format(-specification)?:", text, re.IGNORECASE):
        return []
    names = set()
    for line in re.findall(r"^License:[ \t]*(\S.*)$", text, re.MULTILINE | re.IGNORECASE):
        names.update(n.strip(" ,") for n in re.split(r"\s+(?:and|or)\s+|,", line) if n.strip(" ,"))
    return sorted(names)


def declared(names):
    known = [SPDX.get(n.lower()) for n in names]
    return " AND ".join(sorted(set(known))) if known and all(known) else "NOASSERTION"


def of_package(about, root):
    with open(f"{root}/usr/share/doc/{about['Package']}/copyright", encoding="utf-8", errors="replace") as f:
        names = licences(f.read())
    return {
        "SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", about["Package"]),
        "name": about["Package"],
        "versionInfo": about["Version"],
        "supplier": "Organization: Debian",
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "sourceInfo": f"built from the source package {about['source:Package']} {about['source:Version']}",
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": declared(names),
        **({"licenseComments": "debian/copyright: " + ", ".join(names)} if names else {}),
        "copyrightText": "NOASSERTION",
        **({"homepage": about["Homepage"]} if about["Homepage"] else {}),
        "externalRefs": [{
            "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
            "referenceLocator": f"pkg:deb/debian/{about['Package']}@{about['Version'].replace('+', '%2B').replace(':', '%3A')}"
                                f"?arch={about['Architecture']}&distro=debian-12",
        }],
    }


def main(listing, root, name, version, digest, epoch):
    with open(listing, encoding="utf-8") as f:
        packages = [of_package(p, root) for p in json.load(f)]
    image = {
        "SPDXID": "SPDXRef-image", "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
        "primaryPackagePurpose": "CONTAINER", "licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION",
        "copyrightText": "NOASSERTION",
        "checksums": [{"algorithm": "SHA256", "checksumValue": digest.removeprefix("sha256:")}],
    }
    driftd = {
        "SPDXID": "SPDXRef-program-driftd", "name": "driftd", "versionInfo": version, "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False, "licenseConcluded": "NOASSERTION", "licenseDeclared": "Apache-2.0", "copyrightText": "NOASSERTION",
    }
    made = datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc)
    json.dump({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"{name}-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/{name}-{version}-{digest.removeprefix('sha256:')}",
        "creationInfo": {"created": made.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: driftd-build-image"]},
        "packages": [image, driftd] + packages,
        "relationships": [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-image"}] +
                         [{"spdxElementId": "SPDXRef-image", "relationshipType": "CONTAINS", "relatedSpdxElement": p["SPDXID"]}
                          for p in [driftd] + packages],
    }, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main(*sys.argv[1:])
