#!/usr/bin/env bash
# Fetches the Wasmtime library named in wasmtime.lock into the user's cache, once:
#   ${XDG_CACHE_HOME:-~/.cache}/portcullis/wasmtime/<version>/<platform>/
# Usage: fetch-wasmtime.sh [platform]     (default: this machine; see wasmtime.lock)
# Nothing is unpacked that does not have the pinned hash. Without pip or network it prints one warning and ends well:
# Portcullis then runs on its pure-Java engine. A wrong hash is an error.
set -euo pipefail

lock="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/wasmtime.lock"

this_platform() {
  local system machine
  case "$(uname -s)" in
    Linux) system=linux ;;
    Darwin) system=darwin ;;
    MINGW* | MSYS* | CYGWIN*) system=win32 ;;
    *) system="$(uname -s)" ;;
  esac
  case "$(uname -m)" in
    x86_64 | amd64) machine=x86_64 ;;
    aarch64 | arm64) machine=aarch64 ;;
    *) machine="$(uname -m)" ;;
  esac
  echo "$system-$machine"
}

warn() {
  echo "warning: $1; Portcullis will run on its slower pure-Java WebAssembly engine" >&2
  exit 0
}

sha256() {
  if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d' ' -f1
}

platform="${1:-$(this_platform)}"
read -r version _ pip_platform hash member < <(grep -v '^#' "$lock" | awk -v wanted="$platform" '$2 == wanted') ||
  warn "there is no Wasmtime library for $platform"

target="${XDG_CACHE_HOME:-$HOME/.cache}/portcullis/wasmtime/$version/$platform"
library="$target/${member##*/}"
# The hash of the wheel beside the library says from which pinned wheel it was unpacked.
if [[ -f "$library" && "$(cat "$library.wheel-sha256" 2>/dev/null)" == "$hash" ]]; then
  exit 0
fi

python="$(command -v python3 || command -v python)" || warn "python3 is not installed, so Wasmtime cannot be fetched"
"$python" -m pip --version >/dev/null 2>&1 || warn "pip is not installed, so Wasmtime cannot be fetched"

mkdir -p "$target"
work="$(mktemp -d "$target/.fetch.XXXXXX")"
trap 'rm -rf "$work"' EXIT

"$python" -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: \
  --platform "$pip_platform" --dest "$work" "wasmtime==$version" >"$work/pip.log" 2>&1 ||
  warn "pip could not download wasmtime $version ($(tail -n 1 "$work/pip.log"))"

wheel="$(ls "$work"/*.whl)"
actual="$(sha256 "$wheel")"
if [[ "$actual" != "$hash" ]]; then
  echo "error: ${wheel##*/} has sha256 $actual, wasmtime.lock wants $hash; not used" >&2
  exit 1
fi

"$python" - "$wheel" "$member" "$work/library" <<'PYTHON'
import shutil, sys, zipfile
wheel, member, target = sys.argv[1:]
with zipfile.ZipFile(wheel) as archive, archive.open(member) as source, open(target, "wb") as sink:
    shutil.copyfileobj(source, sink)
PYTHON
chmod 755 "$work/library"
echo "$hash" >"$work/hash"
mv -f "$work/library" "$library" # rename within one directory tree: nobody sees half a library
mv -f "$work/hash" "$library.wheel-sha256"
echo "fetched wasmtime $version for $platform"
