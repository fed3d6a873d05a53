#!/usr/bin/env bash
# Builds every sample policy into policy.wasm with its metadata inside: Rust → wasm32-wasip1, Rego → OPA's wasm, Go → wasip1.
#
# rustup's targets are not needed: Debian's rustc-web compiles the standard library itself (-Zbuild-std).
# Usage: policies/build.sh    (installs the toolchain with apt-get when it is missing and we may)
set -euo pipefail
cd "$(dirname "$0")"

PACKAGES=(rustc-web cargo-web rust-web-src lld-22 wasi-libc)
if ! dpkg -s "${PACKAGES[@]}" >/dev/null 2>&1; then
  echo "installing ${PACKAGES[*]}" >&2
  apt-get install -y "${PACKAGES[@]}" >/dev/null ||
    { echo "build.sh: install these Debian packages first: ${PACKAGES[*]}" >&2; exit 1; }
fi

export RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1
export CARGO_TARGET_WASM32_WASIP1_LINKER=wasm-ld-22
export CARGO_TARGET_WASM32_WASIP1_RUSTFLAGS="-L native=/usr/lib/wasm32-wasi --remap-path-prefix $HOME=. --remap-path-prefix $PWD=."
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}"
/usr/bin/cargo build --locked -Zbuild-std=std,panic_abort --target wasm32-wasip1 --release

for metadata in */metadata.yml; do
  policy="$(dirname "$metadata")"
  [ -f "$policy/Cargo.toml" ] || continue
  built="$CARGO_TARGET_DIR/wasm32-wasip1/release/${policy//-/_}.wasm"
  python3 annotate.py "$built" "$metadata" "$policy/policy.wasm"
done

# Rego: the entry point is the rule that the mode asks for. `opa` comes from PATH or the cache that testkit fills.
OPA="$(command -v opa || ../testkit/tools/tools.sh path opa)"
bundle="$(mktemp -d)"
trap 'rm -rf "$bundle"' EXIT
for rego in */policy.rego; do
  policy="$(dirname "$rego")"
  case "$policy" in opa-*) entrypoint=policy/main ;; gatekeeper-*) entrypoint=policy/violation ;; esac
  "$OPA" build -t wasm -e "$entrypoint" -o "$bundle/bundle.tar.gz" "$rego"
  tar -xzf "$bundle/bundle.tar.gz" -C "$bundle" --transform 's|^/||' /policy.wasm
  python3 annotate.py "$bundle/policy.wasm" "$policy/metadata.yml" "$policy/policy.wasm"
done

# Go: WASI commands, without symbols and debug information.
for module in go-*/go.mod; do
  policy="$(dirname "$module")"
  (cd "$policy" && GOOS=wasip1 GOARCH=wasm go build -trimpath -ldflags="-s -w" -o "$bundle/go.wasm" .)
  python3 annotate.py "$bundle/go.wasm" "$policy/metadata.yml" "$policy/policy.wasm"
done
