#!/usr/bin/env bash
# How long users wait for kwctl: medians of many runs of the real launcher, taken in turns so that a busy machine is equally
# unfair to all, beside a JVM that does nothing. Usage: bench-kwctl.sh ROOT [--runs N]
set -euo pipefail
root=$1
shift
runs=21
while [ $# -gt 0 ]; do
  case $1 in
    --runs) runs=${2:?--runs needs a number} && shift 2 ;;
    *) echo "bench kwctl: unknown flag $1 (there is --runs N)" >&2 && exit 2 ;;
  esac
done
[[ $runs =~ ^[1-9][0-9]*$ ]] || { echo "bench kwctl: --runs $runs is not a number" >&2; exit 2; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME=$work/cache XDG_CONFIG_HOME=$work/config
kwctl=$root/dist/bin/kwctl policy=$root/policies/privileged-pods/policy.wasm

subject() { # subject NAME: what is measured under that name
  case $1 in
    jvm) "$JAVA_HOME/bin/java" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -version ;;
    version) "$kwctl" --version ;;
    help) "$kwctl" --help ;;
    inspect) "$kwctl" inspect "$policy" ;;
    run) "$kwctl" run "$policy" -r "$root/examples/rejected-review.json" ;;
  esac
}
subjects=(jvm version help inspect run)
declare -A titles=([jvm]='java -version' [version]='kwctl --version' [help]='kwctl --help' [inspect]='kwctl inspect'
  [run]='kwctl run, policy compiled before') goals=([version]=150 [run]=600)

# The first run of each compiles the policy and fills the page cache.
for name in "${subjects[@]}"; do
  subject "$name" >"$work/out" 2>&1 || { cat "$work/out" >&2; exit 1; }
done
TIMEFORMAT='%3R %3U %3S'
for ((i = 0; i < runs; i++)); do
  for name in "${subjects[@]}"; do
    { time subject "$name" >/dev/null 2>&1; } 2>>"$work/$name.times"
  done
done

milliseconds() { # milliseconds FILE EXPRESSION: median of an awk expression over the lines "real user system"
  awk "{printf \"%d\\n\", ($2) * 1000 + 0.5}" "$1" | sort -n | awk '{value[NR] = $1} END {print value[int((NR + 1) / 2)]}'
}
printf '%d runs each, %s processors, load %s\n\n' "$runs" "$(getconf _NPROCESSORS_ONLN)" "$(cut -d ' ' -f 1 /proc/loadavg 2>/dev/null || echo '?')"
printf '%-36s %10s %10s %10s %8s\n' '' 'median ms' 'fastest ms' 'CPU ms' 'goal ms'
for name in "${subjects[@]}"; do
  # shellcheck disable=SC2016 # the fields of awk
  printf '%-36s %10d %10d %10d %8s\n' "${titles[$name]}" "$(milliseconds "$work/$name.times" '$1')" \
    "$(awk '{printf "%d\n", $1 * 1000 + 0.5}' "$work/$name.times" | sort -n | head -n 1)" \
    "$(milliseconds "$work/$name.times" '$2 + $3')" "${goals[$name]:-}"
done
