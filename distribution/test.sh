#!/usr/bin/env bash
# Runs every test in phases and sums up: unit tests, tests with real processes and a level-1 cluster, and, beside them, tests on
# a level-3 cluster with nodes; then the tests that need the machine for themselves. Called by ./portcullis test with JAVA_HOME set.
# Usage: test.sh ROOT [MODULE…]
set -uo pipefail
root=$1
shift
modules=()
[ $# -eq 0 ] || modules=(-pl "$(IFS=,; echo "$*")" -am)
cd "$root" || exit 1
rm -rf ./*/target/surefire-reports ./*/target/failsafe-reports*
broken=0
flaky_limit=2
stages=()

# What the tests run against; built once into the tools cache, some minutes each the first time.
if [ "${#modules[@]}" -eq 0 ]; then
  "$root/testkit/tools/tools.sh" build registry cosign opa helm && "$root/testkit/cluster/cluster.sh" prepare --level 3 || broken=1
fi
# The shells and the terminal that users of kwctl use, the check of our scripts, and Rust with the source of its library.
missing=()
for tool in tmux zsh fish shellcheck; do command -v "$tool" >/dev/null 2>&1 || missing+=("$tool"); done
for package in rustc-web cargo-web rust-web-src lld-22 wasi-libc; do
  dpkg --status "$package" >/dev/null 2>&1 || missing+=("$package")
done
if [ "${#missing[@]}" -gt 0 ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  # The lists first: a fresh machine has none.
  { apt-get update -qq && apt-get install -y -qq --no-install-recommends "${missing[@]}"; } >/dev/null 2>&1 \
    || echo "${missing[*]} cannot be installed; tests that need them will fail" >&2
fi
# One cluster for each of Maven's JVMs, and one for the tests with nodes. They are taken down at the end of the run.
PORTCULLIS_RUN=${PORTCULLIS_RUN:-$(mktemp -d)}
export PORTCULLIS_RUN
# Two Maven builds cannot share a tree, so the tests with nodes run in a copy of the compiled one.
copy=$(mktemp -d) && chmod 755 "$copy"
nodes_run=$PORTCULLIS_RUN-nodes
nodes_pid=''
priority=()
finish() {
  local run
  [ -z "$nodes_pid" ] || kill -- "-$nodes_pid" 2>/dev/null
  for run in "$PORTCULLIS_RUN" "$PORTCULLIS_RUN-2" "$nodes_run"; do
    [ ! -d "$run" ] || PORTCULLIS_RUN=$run "$root/testkit/cluster/cluster.sh" down >/dev/null 2>&1
    rm -rf "$run"
  done
  rm -rf "$copy"
}
trap finish EXIT

# maven FLAGS…: failures are counted from the reports, so that one broken module does not hide the results of the others.
maven() {
  "${priority[@]}" ./mvnw -B -ntp -Dmaven.test.failure.ignore=true -Dstyle.color=never "${modules[@]}" "$@" 2>&1 \
    | grep --line-buffered -avE '^\[INFO\] *$|^\[INFO\] (---|Building jar|Nothing to|Copying|Changes detected|Recompiling|skip|Using auto)|^WARNING: '
  return "${PIPESTATUS[0]}"
}

begin() {
  start=$SECONDS
  printf '\n=== %s ===\n' "$1"
}

# done_with TITLE SECONDS STATUS
done_with() {
  [ "$3" -eq 0 ] || { printf '%s: Maven failed\n' "$1" >&2; broken=1; }
  printf '=== %s: %d s ===\n' "$1" "$2"
  stages+=("$(printf '%6d s  %s' "$2" "$1")")
}

phase() { # phase TITLE MAVEN-FLAGS…
  local title=$1 start
  shift
  begin "$title"
  maven "$@" verify
  done_with "$title" $((SECONDS - start)) $?
}

# These tests mostly wait for pods, so other phases run beside them with a lower priority. One class after the other: two
# clusters with nodes slow each other down so much that requests time out. By name, so that the demo, which has a cluster of
# its own, is first.
start_tests_with_nodes() {
  cp -a "$root/." "$copy"
  set -m # a process group of its own, so that finish can end it
  (
    cd "$copy" || exit 1
    began=$SECONDS
    PORTCULLIS_RUN=$nodes_run maven -Dmaven.compiler.useIncrementalCompilation=false -Dspotless.check.skip=true -DskipUnitTests \
      -Dit.forks=1 -Dit.reruns=1 -Dit.phase=-3 -Dgroups=level3 -Dfailsafe.runOrder=alphabetical verify
    status=$?
    echo $((SECONDS - began)) >"$copy/.seconds"
    exit "$status"
  ) >"$copy/.log" 2>&1 &
  nodes_pid=$!
  set +m
  priority=(nice -n 5)
}

finish_tests_with_nodes() {
  local title='level-3 cluster, beside the two before' start status=0 report
  begin "$title"
  wait "$nodes_pid" || status=$?
  nodes_pid='' priority=()
  cat "$copy/.log"
  for report in "$copy"/*/target/failsafe-reports-3; do
    rm -rf "${report/#"$copy"/"$root"}" && cp -a "$report" "${report/#"$copy"/"$root"}"
  done
  done_with "$title" "$(cat "$copy/.seconds" 2>/dev/null || echo 0)" "$status"
}

phase 'compile' -T 2 -DskipUnitTests -DskipITs
start_tests_with_nodes
# Two modules at a time: many of these tests wait for something, and one module alone leaves a third of two cores idle.
phase 'unit tests' -T 2 -DskipITs
# Real processes on a busy machine: what fails is tried once more, and what passes then is named below.
phase 'real processes and level-1 cluster' -DskipUnitTests -Dit.reruns=1 -Dit.phase=-1 -DexcludedGroups=level3,alone
finish_tests_with_nodes
# These send requests all the time and lose none: beside another class on two cores they time out.
phase 'level-1 cluster, one after the other' -DskipUnitTests -Dit.forks=1 -Dit.reruns=1 -Dit.phase=-2 -Dgroups=alone

shopt -s nullglob
reports=(./*/target/surefire-reports/TEST-*.xml ./*/target/failsafe-reports*/TEST-*.xml)
if [ ${#reports[@]} -eq 0 ]; then
  echo 'no test ran' >&2
  exit 1
fi
# The opening tag of each report, whose attributes may stand on several lines.
suites=$(awk 'FNR == 1 {on = 0; done = 0} /<testsuite / && !done {on = 1} on {printf "%s ", $0} on && />/ {print ""; on = 0; done = 1}' "${reports[@]}")
printf '\ntime per stage:\n'
printf '%s\n' "${stages[@]}"
printf '\nslowest classes:\n'
sed -nE 's/.*<testsuite (.*)/\1/; s/.* name="([^"]*)" .*time="([0-9.]+)".*/\2 \1/p; s/.* time="([0-9.]+)".* name="([^"]*)".*/\1 \2/p' <<<"$suites" \
  | sort -rn | head -n 20 | awk '{printf "%8.1f s  %s\n", $1, $2}'
attribute() { sed -n 's/.*<testsuite [^>]*[[:space:]]'"$1"'="\([0-9]*\)".*/\1/p' <<<"$suites" | awk '{n += $1} END {print n + 0}'; }
total=$(attribute tests) failures=$(attribute failures) errors=$(attribute errors) skipped=$(attribute skipped)
failed=$((failures + errors))
printf '\n%d passed, %d failed, %d skipped\n' $((total - failed - skipped)) "$failed" "$skipped"
flaky=$(awk '/<testcase /{test = $0} /<flaky(Failure|Error)/{print test}' "${reports[@]}" \
  | sed -n 's/.*<testcase name="\([^"]*\)" classname="\([^"]*\)".*/\2#\1/p' | sort -u)
if [ -n "$flaky" ]; then
  printf 'flaky, passed only when tried again:\n%s\n' "$flaky"
fi
# The causes, at the end of the output.
awk '/<testcase /{test = $0} /<(failure|error|rerunFailure|rerunError|flakyFailure|flakyError) /{print test; print substr($0, 1, 6000)}' \
  "${reports[@]}" | sed -e 's/.*<testcase name="\([^"]*\)" classname="\([^"]*\)".*/\n--- \2#\1/' -e 's/^ *<[a-zA-Z]* message="/  /' \
  -e 's/&#10;/\n  /g; s/&#9;/\t/g; s/&quot;/"/g; s/&lt;/</g; s/&gt;/>/g; s/&apos;/'"'"'/g; s/&amp;/\&/g' | head -n 400
[ "$failed" -eq 0 ] && [ "$broken" -eq 0 ] || exit 1
if [ "$(grep -c . <<<"$flaky")" -gt "$flaky_limit" ]; then
  printf 'more than %d flaky tests are a failure\n' "$flaky_limit" >&2
  exit 1
fi
if [ "${CI:-}" = true ] && [ "$skipped" -gt 0 ]; then
  echo 'skipped tests are failures in CI' >&2
  exit 1
fi
