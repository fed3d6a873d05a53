#!/usr/bin/env python3
"""Sends requests for pods to the API server at a steady rate until SIGTERM, checks every answer, and prints the counts.

Every second pod is privileged, and a policy must reject it; the API server must accept the others. The requests are dry runs:
they pass all admission steps and create nothing. Standard input has the kubeconfig as JSON.
"""

import argparse
import base64
import collections
import http.client
import itertools
import json
import os
import signal
import ssl
import sys
import tempfile
import threading
import time
import urllib.parse


class Cluster:
    """The API server of a kubeconfig, and the credentials for it."""

    def __init__(self, kubeconfig):
        cluster = kubeconfig["clusters"][0]["cluster"]
        user = kubeconfig["users"][0]["user"]
        self.address = urllib.parse.urlsplit(cluster["server"])
        authority = base64.b64decode(cluster["certificate-authority-data"]).decode()
        self.tls = ssl.create_default_context(cadata=authority)
        with tempfile.NamedTemporaryFile() as chain, tempfile.NamedTemporaryFile() as key:  # ssl reads files only
            chain.write(base64.b64decode(user["client-certificate-data"]))
            key.write(base64.b64decode(user["client-key-data"]))
            chain.flush()
            key.flush()
            self.tls.load_cert_chain(chain.name, key.name)

    def connect(self):
        return http.client.HTTPSConnection(self.address.hostname, self.address.port, context=self.tls, timeout=30)


def pod(privileged):
    container = {"name": "main", "image": "localhost/busybox:1", "securityContext": {"privileged": privileged}}
    return json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": {"generateName": "load-"},
                       "spec": {"containers": [container]}})


def verdict(status, body):
    """What became of a request: admitted, refused (by a policy), or failed for another reason."""
    if status == 201:
        return "admitted"
    return "refused" if "denied the request" in body else "failed"


def ask(connection, namespace, privileged):
    try:
        connection.request("POST", f"/api/v1/namespaces/{namespace}/pods?dryRun=All", pod(privileged),
                           {"Content-Type": "application/json"})
        response = connection.getresponse()
        body = response.read().decode()
        return verdict(response.status, body), body
    except (OSError, http.client.HTTPException) as error:
        connection.close()
        return "failed", str(error)


class Counts:
    def __init__(self, markers):
        self.lock = threading.Lock()
        self.counts = collections.Counter({name: 0 for name in ["sent", "admitted", "refused", "failed", "wrong", *markers]})
        self.markers = markers
        self.samples = []

    def add(self, privileged, answer, body):
        with self.lock:
            self.counts.update(["sent", answer])
            self.counts.update(marker for marker in self.markers if marker in body)
            if answer == "failed" or privileged != (answer == "refused"):
                self.counts.update([] if answer == "failed" else ["wrong"])
                self.samples = self.samples[:4] + [body]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--namespace", required=True)
    parser.add_argument("--rate", type=int, default=20, help="requests a second")
    parser.add_argument("--marker", action="append", default=[], help="count answers that contain this word")
    parser.add_argument("--threads", type=int, default=4)
    arguments = parser.parse_args()

    cluster = Cluster(json.load(sys.stdin))
    counts = Counts(arguments.marker)
    ended = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    numbers = itertools.count()
    start = time.monotonic()
    parent = os.getppid()

    def work():
        connection = cluster.connect()
        while not ended.is_set():
            number = next(numbers)
            ended.wait(max(0.0, start + number / arguments.rate - time.monotonic()))
            if not ended.is_set():
                privileged = number % 2 == 0
                counts.add(privileged, *ask(connection, arguments.namespace, privileged))

    threads = [threading.Thread(target=work) for _ in range(arguments.threads)]
    for thread in threads:
        thread.start()
    while not ended.wait(1):
        if os.getppid() != parent:  # who started us was killed
            ended.set()
    for thread in threads:
        thread.join()
    for sample in counts.samples:
        print("load: an answer that should not be:", sample[:400], file=sys.stderr)
    print(" ".join(f"{name}={count}" for name, count in counts.counts.items()))


if __name__ == "__main__":
    main()
