#!/usr/bin/env bash
# The launcher of every Portcullis program: its own file name says which one to run.
set -euo pipefail
program=$(basename "$0")
lib=$(cd "$(dirname "${BASH_SOURCE[0]}")/../lib" && pwd)
# shellcheck source=distribution/launcher/find-jdk.sh
. "$lib/find-jdk.sh"
if ! find_jdk 25; then
  echo "$program: no JDK 25 or newer found; set JAVA_HOME to one" >&2
  exit 1
fi
# Sorted, so that the class path is the one the AOT cache was made with.
classpath=$(LC_ALL=C; printf '%s:' "$lib"/*.jar)
options=("@$lib/jvm.options" "-Dportcullis.native.dir=$lib/native" "-Dportcullis.home=${lib%/lib}")
[ -f "$lib/$program.options" ] && options+=("@$lib/$program.options")
# Java cannot ask which of its streams are terminals; colours and progress bars depend on it.
terminals=
[ -t 1 ] && terminals=1
[ -t 2 ] && terminals=${terminals}2
if [ -n "$terminals" ]; then
  options+=("-Dportcullis.terminals=$terminals")
  COLUMNS=${COLUMNS:-$(stty size <&2 2>/dev/null | cut -d ' ' -f 2)}
  export COLUMNS
fi
if [ -n "${PORTCULLIS_AOT_OUTPUT:-}" ]; then
  options+=("-XX:AOTCacheOutput=$PORTCULLIS_AOT_OUTPUT")
elif [ -f "$lib/$program.aot" ]; then
  options+=("-XX:AOTCache=$lib/$program.aot")
fi
# shellcheck disable=SC2086 # JAVA_OPTS is a list of words by convention
exec "$JAVA_HOME/bin/java" "${options[@]}" ${JAVA_OPTS:-} -cp "$classpath" "$(cat "$lib/$program.main")" "$@"
