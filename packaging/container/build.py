#!/usr/bin/env python3
"""Builds the container image of a binary as an OCI archive: build.py BINARY FILE [--revision COMMIT].

The image contains the binary, the C library of this machine, the certificates of the public authorities, and nothing else:
no shell and no package manager. It needs no daemon. The same files give the same image: all timestamps are
SOURCE_DATE_EPOCH (default 0), and the entries have a fixed order.
"""

import argparse
import datetime
import gzip
import hashlib
import io
import json
import os
import platform
import re
import subprocess
import tarfile

# The user of the service. Its number is that of common images without a shell, and is not root.
USER = 65532
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
DATA = "/data"
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
SECOND = 10**9  # Times of health checks are in nanoseconds.


def libraries(binary):
    """Returns the loader and the shared libraries that the binary needs, by their path in the image."""
    output = subprocess.run(["ldd", binary], check=True, capture_output=True, text=True).stdout
    return re.findall(r"(/\S+) \(0x", output)


def root(binary):
    """Returns the files of the image: path, mode, owner, and content. A directory has no content."""
    passwd = f"root:x:0:0:root:/:/nonexistent\nsteward:x:{USER}:{USER}:Steward:{DATA}:/nonexistent\n"
    files = {
        "/usr/bin/steward": (0o755, read(binary)),
        CERTIFICATES: (0o644, read(CERTIFICATES)),
        "/etc/passwd": (0o644, passwd.encode()),
        "/etc/group": (0o644, f"root:x:0:\nsteward:x:{USER}:\n".encode()),
        # Names are looked up in /etc/hosts, then with DNS.
        "/etc/nsswitch.conf": (0o644, b"hosts: files dns\n"),
    }
    files.update({path: (0o755, read(path)) for path in libraries(binary)})
    directories = {parent for path in files for parent in parents(path)}
    entries = [(path, 0o755, 0, None) for path in directories]
    entries += [(path, mode, 0, content) for path, (mode, content) in files.items()]
    entries.append((DATA, 0o700, USER, None))
    return sorted(entries)


def parents(path):
    while (path := os.path.dirname(path)) != "/":
        yield path


def read(path):
    with open(path, "rb") as file:
        return file.read()


def tar(entries, timestamp):
    """Returns a tar archive of entries as `root` returns them."""
    output = io.BytesIO()
    with tarfile.open(fileobj=output, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path, mode, owner, content in entries:
            entry = tarfile.TarInfo(path.lstrip("/"))
            entry.mode, entry.uid, entry.gid, entry.mtime = mode, owner, owner, timestamp
            entry.type = tarfile.DIRTYPE if content is None else tarfile.REGTYPE
            entry.size = len(content or b"")
            archive.addfile(entry, io.BytesIO(content or b""))
    return output.getvalue()


def configuration(version, revision, timestamp, layer):
    """Returns the configuration of the image. `Healthcheck` is Docker's extension, which other programs ignore."""
    created = datetime.datetime.fromtimestamp(timestamp, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    labels = {"title": "Steward", "licenses": "Apache-2.0", "version": version, "revision": revision}
    return {
        "architecture": ARCHITECTURES[platform.machine()],
        "os": "linux",
        "created": created,
        "config": {
            "User": f"{USER}:{USER}",
            "Env": ["PATH=/usr/bin", f"STEWARD_DATA_DIR={DATA}", "STEWARD_BIND=0.0.0.0:3003"],
            "Entrypoint": ["/usr/bin/steward"],
            "Cmd": ["serve"],
            "WorkingDir": DATA,
            "Volumes": {DATA: {}},
            "ExposedPorts": {"3003/tcp": {}},
            "StopSignal": "SIGTERM",
            "Labels": {f"org.opencontainers.image.{name}": value for name, value in labels.items() if value},
            "Healthcheck": {
                "Test": ["CMD", "/usr/bin/steward", "health"],
                "Interval": 10 * SECOND,
                "Timeout": 6 * SECOND,
                "StartPeriod": 30 * SECOND,
                "Retries": 3,
            },
        },
        "rootfs": {"type": "layers", "diff_ids": [digest(layer)]},
        "history": [{"created": created, "created_by": "packaging/container/build.py"}],
    }


def digest(content):
    return "sha256:" + hashlib.sha256(content).hexdigest()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("file")
    parser.add_argument("--revision", default="", help="the commit that the binary was built from")
    arguments = parser.parse_args()
    timestamp = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
    version = subprocess.run([arguments.binary, "--version"], check=True, capture_output=True, text=True).stdout.split()[1]
    name = f"steward:{version}"

    layer = tar(root(arguments.binary), timestamp)
    blobs = {}

    def blob(kind, content):
        """Adds a blob and returns its descriptor."""
        blobs[digest(content)] = content
        return {"mediaType": f"application/vnd.oci.image.{kind}", "digest": digest(content), "size": len(content)}

    def encode(value):
        return json.dumps(value, indent=1).encode()

    packed = blob("layer.v1.tar+gzip", gzip.compress(layer, 6, mtime=0))
    config = blob("config.v1+json", encode(configuration(version, arguments.revision, timestamp, layer)))
    kind = "application/vnd.oci.image.manifest.v1+json"
    manifest = blob("manifest.v1+json", encode({"schemaVersion": 2, "mediaType": kind, "config": config, "layers": [packed]}))
    manifest["annotations"] = {"org.opencontainers.image.ref.name": version, "io.containerd.image.name": f"docker.io/library/{name}"}
    kind = "application/vnd.oci.image.index.v1+json"
    path = {sha: "blobs/" + sha.replace(":", "/") for sha in blobs}
    files = {
        "oci-layout": encode({"imageLayoutVersion": "1.0.0"}),
        "index.json": encode({"schemaVersion": 2, "mediaType": kind, "manifests": [manifest]}),
        # For versions of Docker that do not load OCI archives.
        "manifest.json": encode([{"Config": path[config["digest"]], "RepoTags": [name], "Layers": [path[packed["digest"]]]}]),
        **{path[sha]: content for sha, content in blobs.items()},
    }
    with open(arguments.file, "wb") as file:
        file.write(tar([(path, 0o644, 0, files[path]) for path in sorted(files)], timestamp))


if __name__ == "__main__":
    main()
