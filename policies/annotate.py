"""Appends the custom section `io.kubewarden.metadata` to a module: annotate.py IN.wasm METADATA.yml OUT.wasm

Does for our samples what `kwctl annotate` does for everyone: YAML in, JSON in the section, protocol version filled in.
"""

import json
import sys

import yaml

SECTION = b"io.kubewarden.metadata"


def leb128(value):
    out = bytearray()
    while True:
        byte, value = value & 0x7F, value >> 7
        out.append(byte | (0x80 if value else 0))
        if not value:
            return bytes(out)


def main(module, metadata, output):
    with open(metadata, encoding="utf-8") as file:
        document = {"protocolVersion": "v1", **yaml.safe_load(file)}
    payload = leb128(len(SECTION)) + SECTION + json.dumps(document, separators=(",", ":")).encode()
    with open(module, "rb") as file:
        wasm = file.read()
    with open(output, "wb") as file:
        file.write(wasm + b"\x00" + leb128(len(payload)) + payload)
    print(f"{output}: {len(wasm) + len(payload)} bytes")


if __name__ == "__main__":
    main(*sys.argv[1:])
