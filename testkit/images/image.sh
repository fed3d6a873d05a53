#!/usr/bin/env bash
# Builds images without a container engine and without pulling: see --help.
# shellcheck source-path=SCRIPTDIR
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
readonly here
readonly root=$here/../..
readonly tools_script=$here/../tools/tools.sh
readonly cache=${PORTCULLIS_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/portcullis/tools}/images

# The JDK modules that our programs and their libraries use.
readonly jdk_modules=java.base,java.instrument,java.logging,java.management,java.naming,java.net.http,java.security.jgss,java.sql,java.xml,jdk.crypto.ec,jdk.httpserver,jdk.jfr,jdk.management,jdk.net,jdk.unsupported,jdk.zipfs
readonly user=65532

usage() {
  cat <<HELP
Usage: image.sh COMMAND

  build NAME [OUT.tar [TAG]]
                         the image localhost/portcullis/NAME:TAG (default: dev) of a program in dist/ (built by
                         ./portcullis build); prints the path of the tar (default: dist/images/NAME.tar). The SBOM (CycloneDX)
                         is beside it as OUT.cdx.json, and in the image as /app/sbom.cdx.json
  run-jar NAME JAR MAIN OUT.tar
                         the image localhost/NAME:dev of any jar, on the same base
  system pause|coredns|busybox
                         an image that the test cluster uses; prints the path of its tar

An image of ours is a minimal root file system with the C library, a Java runtime made by jlink, and the program's jars.
It runs as user $user, needs no writable root file system, and has no shell.
HELP
}

fail() {
  printf 'image: %s\n' "$*" >&2
  exit 1
}

# --- base layers --------------------------------------------------------------------------------

need_jdk() {
  # shellcheck source=../../distribution/launcher/find-jdk.sh
  . "$root/distribution/launcher/find-jdk.sh"
  find_jdk 25 || fail "no JDK 25 or newer; set JAVA_HOME"
  [[ -x $JAVA_HOME/bin/jlink ]] || fail "$JAVA_HOME has no jlink: a full JDK is needed"
}

# once KEY FUNCTION: creates a directory in the cache by FUNCTION DIRECTORY, once for each key and each version of these
# scripts, and prints its path. Safe when several processes need it at once.
once() {
  local key work
  key=$1-$(cat "$here/image.sh" "$here/image.py" | sha256sum | cut -c1-8)
  if [[ ! -d $cache/$key ]]; then
    mkdir -p "$cache"
    work=$(mktemp -d "$cache/.tmp.XXXXXX")
    chmod 755 "$work"
    "$2" "$work" >&2
    mv -T "$work" "$cache/$key" 2>/dev/null || rm -rf "$work" # another process was faster
  fi
  echo "$cache/$key"
}

# The Java runtime, the libraries that the runtime and libwasmtime load, and the few files that the C library reads.
base_layer() {
  need_jdk
  once "java-$(sha256sum <"$JAVA_HOME/release" | cut -c1-8)" make_base
}

make_base() {
  local rootfs=$1 library
  mkdir -p "$rootfs/etc" "$rootfs/opt"
  mkdir -m 1777 "$rootfs/tmp"
  echo "portcullis:x:$user:$user::/:/nologin" >"$rootfs/etc/passwd"
  echo "portcullis:x:$user:" >"$rootfs/etc/group"
  echo 'hosts: files dns' >"$rootfs/etc/nsswitch.conf"
  "$JAVA_HOME/bin/jlink" --add-modules "$jdk_modules" --no-man-pages --no-header-files --output "$rootfs/opt/java"
  find "$rootfs/opt/java" -type f \( -name '*.so' -o -name java \) -print0 | copy_libraries "$rootfs"
  # libwasmtime needs this library to unwind its frames.
  library=$(ldconfig -p | sed -nE 's/.*libgcc_s\.so\.1 .* => (\/\S+)$/\1/p' | head -n 1)
  install -D "$library" "$rootfs$library"
}

# copy_libraries ROOTFS: copies the linked libraries of the files whose NUL-terminated names are on standard input
copy_libraries() {
  local rootfs=$1 library
  xargs -0 ldd 2>/dev/null |
    sed -nE 's/.* => (\/\S+) .*/\1/p; s/^\t(\/\S+) \(.*/\1/p' | grep -v "^$rootfs" | sort -u |
    while read -r library; do install -D "$library" "$rootfs$library"; done
}

# --- images -------------------------------------------------------------------------------------

build() {
  local name=${1:-} out=${2:-$root/dist/images/${1:-}.tar} tag=${3:-dev} lib=$root/dist/lib work
  [[ -f $lib/$name.main ]] || fail "dist/ has no program '$name'; run ./portcullis build first"
  mkdir -p "$(dirname -- "$out")"
  work=$(mktemp -d)
  # shellcheck disable=SC2064 # expand the directory now
  trap "rm -rf '$work'" EXIT
  chmod 755 "$work"
  mkdir -p "$work/libraries/app/lib" "$work/ours/app/lib"
  # Libraries and our own jars are in separate layers, so that a change in our code replaces only one small layer.
  cp "$lib"/*.jar "$work/libraries/app/lib"
  local jar
  for jar in "$root"/*/pom.xml; do
    jar=$(basename "$(dirname "$jar")")
    find "$work/libraries/app/lib" -maxdepth 1 -name "$jar-0.*.jar" -exec mv {} "$work/ours/app/lib" \;
  done
  [[ ! -d $lib/native ]] || cp -r "$lib/native" "$work/libraries/app/lib"
  cp "$lib/jvm.options" "$work/ours/app/lib"
  cp "$lib/$name.options" "$work/ours/app/lib/program.options"
  python3 "$here/sbom.py" "$work/ours/app/sbom.cdx.json" "localhost/portcullis/$name:$tag" --root "$(base_layer)" \
    --root "$work/libraries" --root "$work/ours" --dependencies "$lib/dependencies.txt" \
    --wasmtime "$(awk '!/^#/ { print $1; exit }' "$root/wasm/wasmtime.lock")"
  install -m 644 "$work/ours/app/sbom.cdx.json" "${out%.tar}.cdx.json"
  package "$out" "localhost/portcullis/$name:$tag" "$work/libraries" "$work/ours" -- \
    @/app/lib/jvm.options @/app/lib/program.options -Dportcullis.native.dir=/app/lib/native -Dportcullis.home=/app \
    -cp '/app/lib/*' "$(cat "$lib/$name.main")"
}

run_jar() {
  (($# == 4)) || fail "run-jar NAME JAR MAIN OUT.tar"
  local work
  work=$(mktemp -d)
  # shellcheck disable=SC2064 # expand the directory now
  trap "rm -rf '$work'" EXIT
  chmod 755 "$work"
  install -D -m 644 "$2" "$work/app/app.jar"
  package "$4" "localhost/$1:dev" "$work" -- -cp /app/app.jar "$3"
}

# package OUT NAME LAYER… -- JAVA-ARGUMENT…
package() {
  local out=$1 name=$2 layers
  shift 2
  layers=(--layer "$(base_layer)")
  while [[ $1 != -- ]]; do layers+=(--layer "$1") && shift; done
  shift
  python3 "$here/image.py" "$out" "$name" "${layers[@]}" --user "$user:$user" --env PATH=/opt/java/bin --env LANG=C.UTF-8 \
    --entrypoint=/opt/java/bin/java "${@/#/--entrypoint=}"
  echo "$out"
}

system() {
  local name=${1:-} key
  case $name in
    pause | coredns) "$tools_script" build "$name" && key=$name-$(basename "$(dirname "$("$tools_script" path "$name")")") ;;
    busybox) key=busybox-$(dpkg-query -W -f '${Version}' busybox | tr -c '[:alnum:].\n' -) ;;
    *) fail "unknown system image '$name'; see image.sh --help" ;;
  esac
  echo "$(once "$key" "make_$name")/$name.tar"
}

make_pause() { one_program pause "$1"; }
make_coredns() { one_program coredns "$1"; }
one_program() {
  mkdir "$2/rootfs"
  cp "$("$tools_script" path "$1")" "$2/rootfs/$1"
  python3 "$here/image.py" "$2/$1.tar" "localhost/$1:1" --layer "$2/rootfs" "--entrypoint=/$1"
  rm -r "$2/rootfs"
}

make_busybox() {
  local rootfs=$1/rootfs applet
  mkdir -p "$rootfs/bin" "$rootfs/etc"
  mkdir -m 1777 "$rootfs/tmp"
  cp "$(command -v busybox)" "$rootfs/bin/busybox"
  # Not the static busybox, because it resolves no names without the exact C library that it was linked with.
  printf '%s\0' "$rootfs/bin/busybox" | copy_libraries "$rootfs"
  for applet in $(busybox --list); do [[ $applet == busybox ]] || ln -s busybox "$rootfs/bin/$applet"; done
  printf 'root:x:0:0::/:/bin/sh\nnobody:x:%s:%s::/:/bin/sh\n' "$user" "$user" >"$rootfs/etc/passwd"
  python3 "$here/image.py" "$1/busybox.tar" localhost/busybox:1 --layer "$rootfs" --env PATH=/bin --user "$user:$user"
  rm -r "$rootfs"
}

command=${1:---help}
(($# == 0)) || shift
case $command in
  build) build "$@" ;;
  run-jar) run_jar "$@" ;;
  system) system "$@" ;;
  -h | --help | help) usage ;;
  *) usage >&2 && exit 2 ;;
esac
