#!/usr/bin/env bash
# Builds every .wat of a directory (default: this one) into a committed .wasm. Guests that speak waPC get the metadata
# section that lets a policy server load them. Needs wat2wasm (Debian: wabt) and python3; run it after editing a .wat.
set -euo pipefail
cd "${1:-$(dirname "${BASH_SOURCE[0]}")}"
for source in *.wat; do
  wat2wasm --debug-names --enable-tail-call "$source" -o "${source%.wat}.wasm"
  if grep -q '"__guest_call"\|"wapc"' "$source"; then
    python3 - "${source%.wat}" <<'PYTHON'
import json, sys

def leb128(number):
    encoded = bytearray()
    while True:
        number, low = number >> 7, number & 0x7F
        encoded.append(low | (0x80 if number else 0))
        if not number:
            return bytes(encoded)

name = sys.argv[1]
metadata = {
    "protocolVersion": "v1",
    "rules": [],
    "mutating": False,
    "annotations": {"io.kubewarden.policy.title": name},
}
section = b"io.kubewarden.metadata"
body = leb128(len(section)) + section + json.dumps(metadata).encode()
with open(name + ".wasm", "ab") as module:
    module.write(b"\0" + leb128(len(body)) + body)
PYTHON
  fi
done
