#!/usr/bin/env bash
# Compiles the Rego guests of this directory; the tests add the metadata. Run it after editing a .rego.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
opa="$(command -v opa || ../../../../../../testkit/tools/tools.sh path opa)"
build() {
  "$opa" build -t wasm -e "$2" -o "$1.tar.gz" "$1.rego"
  tar -xzf "$1.tar.gz" --transform="s|.*|$1.wasm|" /policy.wasm
  rm "$1.tar.gz"
}
build number-message policy/violation
build unsupported-builtin policy/main
