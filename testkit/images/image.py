#!/usr/bin/env python3
"""Writes an image tar from directories, without a container engine.

The tar is both an OCI image layout and a Docker archive, so that containerd, podman, skopeo, kind and docker can load it.
Equal directories give an equal tar: names are sorted, and owners and times are fixed.
"""

import argparse
import hashlib
import io
import json
import os
import tarfile
import tempfile


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", help="the tar to write")
    parser.add_argument("name", help="NAME:TAG of the image")
    parser.add_argument("--layer", action="append", required=True, metavar="DIRECTORY",
                        help="content of / of one layer; later layers are above earlier ones")
    parser.add_argument("--entrypoint", action="append", default=[], metavar="WORD")
    parser.add_argument("--env", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--user", default="0:0")
    parser.add_argument("--workdir", default="/")
    arguments = parser.parse_args()

    temporary = arguments.out + ".tmp"
    with tarfile.open(temporary, "w") as archive, tempfile.TemporaryDirectory() as scratch:
        layers = [add_file(archive, write_layer(directory, scratch)) for directory in arguments.layer]
        digests = [layer["digest"] for layer in layers]
        config = add_json(archive, "application/vnd.oci.image.config.v1+json", {
            "architecture": {"x86_64": "amd64", "aarch64": "arm64"}[os.uname().machine],
            "os": "linux",
            "config": {"Entrypoint": arguments.entrypoint, "Env": arguments.env, "User": arguments.user,
                       "WorkingDir": arguments.workdir},
            "rootfs": {"type": "layers", "diff_ids": digests},
            "history": [{"created_by": "portcullis image"} for _ in layers],
        })
        manifest = add_json(archive, "application/vnd.oci.image.manifest.v1+json", {
            "schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
            "config": config, "layers": layers,
        })
        manifest["annotations"] = {"io.containerd.image.name": arguments.name,
                                   "org.opencontainers.image.ref.name": arguments.name.rsplit(":", 1)[1]}
        add(archive, "index.json", encode({"schemaVersion": 2, "manifests": [manifest]}))
        add(archive, "oci-layout", encode({"imageLayoutVersion": "1.0.0"}))
        add(archive, "manifest.json", encode([{
            "Config": blob(config["digest"]), "RepoTags": [arguments.name], "Layers": [blob(d) for d in digests],
        }]))
    os.replace(temporary, arguments.out)


def write_layer(directory, scratch):
    """Packs a directory as a layer; returns the path of the tar."""
    path = os.path.join(scratch, hashlib.sha256(directory.encode()).hexdigest())
    with tarfile.open(path, "w") as tar:
        for name in sorted(os.listdir(directory)):
            tar.add(os.path.join(directory, name), name, filter=anonymous)
    return path


def anonymous(member):
    member.uid = member.gid = member.mtime = 0
    member.uname = member.gname = ""
    return member


def add_file(archive, path):
    """Adds a layer as a blob; returns its descriptor."""
    with open(path, "rb") as file:
        digest = "sha256:" + hashlib.file_digest(file, "sha256").hexdigest()
        size = file.tell()
        file.seek(0)
        if blob(digest) not in archive.getnames():
            archive.addfile(entry(blob(digest), size), file)
    os.remove(path)
    return {"mediaType": "application/vnd.oci.image.layer.v1.tar", "digest": digest, "size": size}


def add_json(archive, media_type, value):
    """Adds a document as a blob; returns its descriptor."""
    data = encode(value)
    digest = "sha256:" + hashlib.sha256(data).hexdigest()
    add(archive, blob(digest), data)
    return {"mediaType": media_type, "digest": digest, "size": len(data)}


def add(archive, name, data):
    archive.addfile(entry(name, len(data)), io.BytesIO(data))


def entry(name, size):
    member = tarfile.TarInfo(name)
    member.size = size
    return member


def encode(value):
    return json.dumps(value, sort_keys=True).encode()


def blob(digest):
    return "blobs/" + digest.replace(":", "/")


if __name__ == "__main__":
    main()
