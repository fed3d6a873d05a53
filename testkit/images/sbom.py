#!/usr/bin/env python3
"""Writes the SBOM of an image as CycloneDX JSON: jars, native libraries, the Java runtime and its linked libraries.

Equal content gives an equal document: it contains no time and no random number. A jar that Maven did not list is an error.
"""

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import uuid
import xml.etree.ElementTree
import zipfile

SPDX = {
    "apache": "Apache-2.0", "mit": "MIT", "bsd 3": "BSD-3-Clause", "bsd-3": "BSD-3-Clause", "bsd 2": "BSD-2-Clause",
    "eclipse public license v2": "EPL-2.0", "eclipse public license 2": "EPL-2.0", "epl 2": "EPL-2.0",
    "bouncy castle": "MIT", "0bsd": "0BSD", "epl-v20": "EPL-2.0", "antlr.org/license": "BSD-3-Clause",
    "threeten-extra": "BSD-3-Clause", "go license": "BSD-3-Clause",
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", help="the document to write")
    parser.add_argument("name", help="NAME:TAG of the image")
    parser.add_argument("--root", action="append", required=True, metavar="DIRECTORY", help="content of / of a layer")
    parser.add_argument("--dependencies", required=True, help="output of dependency:list: group:artifact:type[:classifier]:version:scope")
    parser.add_argument("--wasmtime", required=True, help="version of libwasmtime")
    parser.add_argument("--repository", default=os.path.expanduser("~/.m2/repository"),
                        help="local Maven repository with the POMs of the jars (default: %(default)s)")
    arguments = parser.parse_args()

    coordinates = read_coordinates(arguments.dependencies)
    components = []
    packages = {}
    for root in arguments.root:
        for path in files(root):
            inside = "/" + os.path.relpath(path, root)
            if inside.startswith("/opt/java/"):
                if inside == "/opt/java/release":
                    components.append(java_runtime(path, inside))
            elif inside.endswith(".jar"):
                components.append(jar(path, inside, coordinates, arguments.repository))
            elif "wasmtime" in inside and re.search(r"\.(so|dylib)$", inside):
                components.append(wasmtime(path, inside, arguments.wasmtime))
            elif re.search(r"\.so(\.[0-9]|$)", inside):
                add_to_package(packages, path, inside)
    components += packages.values()
    components.sort(key=lambda component: component["bom-ref"])
    document = {
        "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
        "serialNumber": "urn:uuid:" + str(uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(components, sort_keys=True))),
        "metadata": {"component": {"type": "container", "bom-ref": arguments.name, "name": arguments.name.rsplit(":", 1)[0],
                                   "version": arguments.name.rsplit(":", 1)[1]}},
        "components": components,
    }
    with open(arguments.out, "w", encoding="utf-8") as out:
        json.dump(document, out, indent=1, sort_keys=True)
        out.write("\n")


def files(root):
    for directory, names, leaves in os.walk(root):
        names.sort()
        for name in sorted(leaves):
            yield os.path.join(directory, name)


def read_coordinates(path):
    """Reads the output of dependency:list: file name of a jar -> (group, artifact, version)."""
    found = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            words = line.strip().split(" ")[0].split(":")
            if len(words) == 5:
                group, artifact, _, version, _ = words
                found[f"{artifact}-{version}.jar"] = (group, artifact, version)
            elif len(words) == 6:
                group, artifact, _, classifier, version, _ = words
                found[f"{artifact}-{version}-{classifier}.jar"] = (group, artifact, version)
    return found


def component(kind, reference, name, version, path, inside):
    return {"type": kind, "bom-ref": reference, "name": name, "version": version, "purl": reference,
            "hashes": [{"alg": "SHA-256", "content": sha256(path)}],
            "properties": [{"name": "portcullis:path", "value": inside}]}


def jar(path, inside, coordinates, repository):
    if os.path.basename(path) not in coordinates:
        sys.exit(f"sbom: Maven's dependency list has no entry for {inside}; run ./portcullis build")
    group, artifact, version = coordinates[os.path.basename(path)]
    result = component("library", f"pkg:maven/{group}/{artifact}@{version}?type=jar", artifact, version, path, inside)
    result["group"] = group
    licenses = ["Apache-2.0"] if group == "io.portcullis" else licenses_in(path) or described_licenses(repository, group, artifact, version)
    if licenses:
        result["licenses"] = [{"license": {"id" if name in SPDX.values() else "name": name}} for name in licenses]
    return result


def licenses_in(path):
    """Returns the licences of a jar, from its manifest or from the POM that Maven put into it."""
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        words = []
        if "META-INF/MANIFEST.MF" in names:
            manifest = archive.read("META-INF/MANIFEST.MF").decode("utf-8", "replace").replace("\r\n", "\n").replace("\n ", "")
            words = re.findall(r"^Bundle-License: *\"?([^\n;\"]+)", manifest, re.MULTILINE)
        for name in names:
            if not words and re.fullmatch(r"META-INF/maven/.*/pom\.xml", name):
                words = license_names(xml.etree.ElementTree.fromstring(archive.read(name)))
    return sorted({known_license(word.strip()) for word in words})


def described_licenses(repository, group, artifact, version):
    """Returns the licences from the POM of a jar, or from the nearest parent POM that has any."""
    for _ in range(10):
        pom = os.path.join(repository, *group.split("."), artifact, version, f"{artifact}-{version}.pom")
        if not os.path.isfile(pom):
            return []
        tree = xml.etree.ElementTree.parse(pom).getroot()
        names = license_names(tree)
        if names:
            return sorted({known_license(name) for name in names})
        parent = tree.find("{*}parent")
        if parent is None:
            return []
        group, artifact, version = (parent.findtext("{*}" + word, "").strip() for word in ("groupId", "artifactId", "version"))
    return []


def license_names(pom):
    return [name.text.strip() for name in pom.findall("{*}licenses/{*}license/{*}name") if name.text]


def known_license(text):
    for beginning, identifier in SPDX.items():
        if beginning in text.lower().replace("-", " " if " " in beginning else "-"):
            return identifier
    return text


def wasmtime(path, inside, version):
    result = component("library", f"pkg:github/bytecodealliance/wasmtime@v{version}", "wasmtime", version, path, inside)
    result["licenses"] = [{"license": {"id": "Apache-2.0"}}]
    return result


def java_runtime(path, inside):
    with open(path, encoding="utf-8") as release:
        values = dict(re.findall(r'^(\w+)="([^"]*)"', release.read(), re.MULTILINE))
    version = values.get("JAVA_RUNTIME_VERSION", values.get("JAVA_VERSION", "unknown"))
    result = component("platform", f"pkg:generic/openjdk@{version}", "openjdk", version, path, inside)
    result["licenses"] = [{"license": {"id": "GPL-2.0-with-classpath-exception"}}]
    result["properties"].append({"name": "portcullis:modules", "value": values.get("MODULES", "")})
    return result


def add_to_package(packages, path, inside):
    """Files of one Debian package form one component. Without dpkg, each file is its own component."""
    name, version = debian_package(inside)
    reference = f"pkg:deb/debian/{name}@{version}" if version else f"pkg:generic/{name}?file={inside}"
    if reference not in packages:
        packages[reference] = {"type": "library", "bom-ref": reference, "name": name, "version": version or "unknown",
                               "purl": reference, "properties": []}
    packages[reference]["properties"] += [{"name": "portcullis:path", "value": inside},
                                          {"name": "portcullis:sha256:" + inside, "value": sha256(path)}]


def debian_package(inside):
    for place in (inside, "/usr" + inside, re.sub("^/usr", "", inside), os.path.realpath(inside)):
        try:
            answer = subprocess.run(["dpkg-query", "--search", place], capture_output=True, text=True, check=False)
            if answer.returncode == 0:
                package = answer.stdout.split(": ")[0].split(",")[0]
                version = subprocess.run(["dpkg-query", "--show", "--showformat=${Version}", package],
                                         capture_output=True, text=True, check=True).stdout
                return package.split(":")[0], version
        except FileNotFoundError:
            break
    return os.path.basename(inside), ""


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


if __name__ == "__main__":
    main()
