#!/usr/bin/env bash
# Runs every test in phases and sums up: unit tests, tests with real processes and a level-1 cluster, those of them that
# need the machine for themselves, tests on a level-3 cluster with nodes. Called by ./portcullis test with JAVA_HOME set.
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
  "$root/testkit/tools/tools.sh" ensure registry cosign opa helm && "$root/testkit/cluster/cluster.sh" prepare --level 3 || broken=1
fi
# The shells and the terminal that users of kwctl sit at.
missing=()
for tool in tmux zsh fish; do command -v "$tool" >/dev/null 2>&1 || missing+=("$tool"); done
if [ "${#missing[@]}" -gt 0 ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  # The lists first: a fresh machine has none.
  { apt-get update -qq && apt-get install -y -qq --no-install-recommends "${missing[@]}"; } >/dev/null 2>&1 \
    || echo "${missing[*]} cannot be installed; tests that need them will fail" >&2
fi
# One cluster for the whole run and one for Maven's second JVM, taken down at its end.
PORTCULLIS_RUN=${PORTCULLIS_RUN:-$(mktemp -d)}
export PORTCULLIS_RUN
finish() {
  local run
  for run in "$PORTCULLIS_RUN" "$PORTCULLIS_RUN-2"; do
    [ ! -d "$run" ] || PORTCULLIS_RUN=$run "$root/testkit/cluster/cluster.sh" down >/dev/null 2>&1
    rm -rf "$run"
  done
}
trap finish EXIT

phase() { # phase TITLE MAVEN-FLAGS…
  local title=$1 start=$SECONDS
  shift
  printf '\n=== %s ===\n' "$title"
  # Failures are counted from the reports, so that one broken module does not hide the others' results.
  ./mvnw -B -ntp -Dmaven.test.failure.ignore=true -Dstyle.color=never "${modules[@]}" "$@" verify 2>&1 \
    | grep -avE '^\[INFO\] *$|^\[INFO\] (---|Building jar|Nothing to|Copying|Changes detected|Recompiling|skip|Using auto)|^WARNING: '
  [ "${PIPESTATUS[0]}" -eq 0 ] || { printf '%s: Maven failed\n' "$title" >&2; broken=1; }
  printf '=== %s: %d s ===\n' "$title" $((SECONDS - start))
  stages+=("$(printf '%6d s  %s' $((SECONDS - start)) "$title")")
}

# Two modules at a time: many of these tests wait for something, and one module alone leaves a third of two cores idle.
phase 'unit tests' -T 2 -DskipITs
# Real processes on a busy machine: what fails is tried once more, and what passes then is named below.
phase 'real processes and level-1 cluster' -DskipUnitTests -Dit.reruns=1 -Dit.phase=-1 -DexcludedGroups=level3,alone
# These send requests all the time and lose none: beside another class on two cores they time out.
phase 'level-1 cluster, one after the other' -DskipUnitTests -Dit.forks=1 -Dit.reruns=1 -Dit.phase=-2 -Dgroups=alone
# One after the other: two clusters with nodes on two cores slow each other down so much that requests time out. The demo
# takes 2.5 minutes alone and 10 beside another class. By name, so that the demo, which has a cluster of its own, is first.
phase 'level-3 cluster' -DskipUnitTests -Dit.forks=1 -Dit.reruns=1 -Dit.phase=-3 -Dgroups=level3 -Dfailsafe.runOrder=alphabetical

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
# Why, at the end of the output, where nobody must search for it.
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
