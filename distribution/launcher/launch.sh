#!/usr/bin/env bash
# Launches the Portcullis program with the name of this file. To start fast, it avoids other processes than the JVM.
set -euo pipefail
program=${0##*/}
self=${BASH_SOURCE[0]}
while [ -L "$self" ]; do
  target=$(readlink "$self")
  case $target in /*) self=$target ;; *) self=${self%/*}/$target ;; esac
done
case $self in */*) ;; *) self=./$self ;; esac
lib=$(cd "${self%/*}/../lib" && pwd)
# shellcheck source=distribution/launcher/find-jdk.sh
. "$lib/find-jdk.sh"
if ! find_jdk 25; then
  echo "$program: no JDK 25 or newer found; set JAVA_HOME to one" >&2
  exit 1
fi

# Sorts the jars, so that the class path equals the one of the AOT cache. An empty entry would mean the working directory.
join_jars() {
  local LC_ALL=C IFS=:
  local jars=("$lib"/*.jar)
  classpath="${jars[*]}"
}
join_jars
read -r main <"$lib/$program.main" || true
options=("@$lib/jvm.options" "-Dportcullis.native.dir=$lib/native" "-Dportcullis.home=${lib%/lib}")
[ -f "$lib/$program.options" ] && options+=("@$lib/$program.options")
# A memory limit by flag or variable also limits the heap: the JVM treats it as the memory of the machine.
if [ "$program" = policy-server ]; then
  memory_limit=${KUBEWARDEN_MEMORY_LIMIT:-} previous=
  for argument in "$@"; do
    case $argument in --memory-limit=*) memory_limit=${argument#*=} ;; esac
    [ "$previous" = --memory-limit ] && memory_limit=$argument
    previous=$argument
  done
  case $memory_limit in
    *[0-9]Mi) options+=("-XX:MaxRAM=${memory_limit%i}") ;;
    *[0-9]Gi) options+=("-XX:MaxRAM=${memory_limit%i}") ;;
    *[0-9]) options+=("-XX:MaxRAM=$memory_limit") ;;
  esac
fi
# Java cannot detect which streams are terminals. Colours and progress bars need this information.
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
  main=${PORTCULLIS_AOT_MAIN:-$main}
elif [ -f "$lib/$program.aot" ]; then
  options+=("-XX:AOTCache=$lib/$program.aot")
fi
# shellcheck disable=SC2086 # JAVA_OPTS is a list of words by convention
exec "$JAVA_HOME/bin/java" "${options[@]}" ${JAVA_OPTS:-} -cp "$classpath" "$main" "$@"
