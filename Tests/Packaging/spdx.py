#!/usr/bin/env python3
"""spdx.py FILE VERSION: whether FILE is a document of SPDX 2.3 with what its specification requires, and whether it says
what memento is made of."""
import json
import re
import sys

path, version = sys.argv[1:]
document = json.load(open(path, encoding="utf-8"))
problems = []


def must(condition, text):
    if not condition:
        problems.append(text)


# Clause 6: the document.
must(document.get("spdxVersion") == "SPDX-2.3", "spdxVersion")
must(document.get("dataLicense") == "CC0-1.0", "dataLicense")
must(document.get("SPDXID") == "SPDXRef-DOCUMENT", "SPDXID")
must(document.get("name"), "name")
must(re.fullmatch(r"[a-z][a-z0-9+.-]*:[^\s#]+", document.get("documentNamespace", "")), "documentNamespace")
creation = document.get("creationInfo", {})
must(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", creation.get("created", "")), "created")
must(creation.get("creators") and all(re.match("(Tool|Person|Organization): .", one) for one in creation["creators"]),
     "creators")

# Clause 7: packages.
packages = document.get("packages", [])
identifiers = [package.get("SPDXID", "") for package in packages]
must(len(set(identifiers)) == len(identifiers), "an identifier twice")
for package in packages:
    name = package.get("name")
    must(name, "a package without a name")
    must(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", package.get("SPDXID", "")), f"SPDXID of {name}")
    must(package.get("downloadLocation"), f"downloadLocation of {name}")
    must(package.get("versionInfo"), f"versionInfo of {name}")
    must(package.get("filesAnalyzed") is False, f"filesAnalyzed of {name}")
    must(package.get("licenseDeclared"), f"licenseDeclared of {name}")
    for reference in package.get("externalRefs", []):
        must(reference.get("referenceCategory") == "PACKAGE-MANAGER", f"referenceCategory of {name}")
        must(re.fullmatch(r"pkg:[a-z]+/[^\s@]+@[^\s@]+", reference.get("referenceLocator", "")), f"purl of {name}")

# Clause 11: relationships.
known = set(identifiers) | {"SPDXRef-DOCUMENT"}
relations = document.get("relationships", [])
for relation in relations:
    must({relation["spdxElementId"], relation["relatedSpdxElement"]} <= known, f"unknown element: {relation}")
    must(relation["relationshipType"] in ("DESCRIBES", "STATIC_LINK", "DYNAMIC_LINK", "CONTAINS"), f"type: {relation}")
must([one["relatedSpdxElement"] for one in relations if one["relationshipType"] == "DESCRIBES"] == identifiers[:1],
     "what the document describes")
must({one["relatedSpdxElement"] for one in relations} == set(identifiers), "a package that nothing refers to")

# What is in the programs, by another way than the list of objects: the imports of the sources.
versions = {package["name"]: package["versionInfo"] for package in packages}
product = packages[0]["name"]
must(versions[product] == version, "the version of the program")
pins = {pin["identity"]: pin["state"].get("version") for pin in json.load(open("Package.resolved"))["pins"]}
expected = {"memento": ["swift-argument-parser", "swift-crypto"],
            "memento-remote-s3": ["async-http-client", "swift-crypto", "swift-log", "swift-nio", "swift-nio-ssl",
                                  "swift-service-context", "swift-system"]}[product]
for name in expected:
    must(versions.get(name) == pins.get(name), f"{name}: {versions.get(name)}, resolved is {pins.get(name)}")
for name in ("swift-runtime", "zlib", "glibc") + (("zstd",) if product == "memento" else ()):
    must(name in versions, f"{name} is missing")
must("swift-docc-plugin" not in versions, "the plugin for documentation is in no program")

for problem in problems:
    print(f"{path}: {problem}")
sys.exit(1 if problems else 0)
