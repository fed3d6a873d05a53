#!/usr/bin/env bash
# Runs mutation tests of packages of module core and sums up. Called by ./portcullis test --mutation with JAVA_HOME set.
# Usage: mutation.sh ROOT [PACKAGE…]. Exit code 1: a package is below its threshold, or the run failed; 2: a wrong command line.
set -euo pipefail
root=$1
shift
packages=(lifecycle status precedence validation)
threshold=90 # percent of the mutants of each package that a test must notice
for package in "$@"; do
  case " ${packages[*]} " in
    *" $package "*) ;;
    *)
      printf "portcullis: mutation tests of '%s'? The packages are: %s\n" "$package" "${packages[*]}" >&2
      exit 2
      ;;
  esac
done
[ $# -eq 0 ] || packages=("$@")
cd "$root"
report=core/target/mutation log=core/target/mutation.log
mkdir -p core/target
rm -f "$report/mutations.xml"
printf 'portcullis: mutating %s of core; a first run takes minutes\n' "${packages[*]}" >&2
classes=$(printf 'io.portcullis.core.%s.*,' "${packages[@]}")
# Results of unchanged classes and tests are taken from the last run of the same packages.
if ! nice -n 10 ./mvnw -B -ntp -Dstyle.color=never -Pmutation -pl core -am "-Dmutation.classes=${classes%,}" \
  "-Dmutation.history=$(IFS=-; echo "${packages[*]}")" process-test-classes >"$log" 2>&1 || [ ! -f "$report/mutations.xml" ]; then
  grep -E '^\[ERROR\]|^.*SEVERE' "$log" | head -n 20 >&2
  printf 'portcullis: the mutation tests failed; all of it is in %s\n' "$root/$log" >&2
  exit 1
fi
# A mutant is noticed when a test fails, runs out of time or memory. All others survive.
awk -v packages="${packages[*]}" -v threshold="$threshold" '
  BEGIN { RS = "<mutation "; count = split(packages, names, " ") }
  NR > 1 {
    match($0, /<mutatedClass>[^<]*/)
    class = substr($0, RSTART + 14, RLENGTH - 14)
    split(class, parts, ".")
    package = parts[4]
    total[package]++
    if ($0 ~ /detected=.true./) { noticed[package]++; next }
    match($0, /<lineNumber>[0-9]*/)
    line = substr($0, RSTART + 12, RLENGTH - 12)
    match($0, /<sourceFile>[^<]*/)
    file = substr($0, RSTART + 12, RLENGTH - 12)
    match($0, /<description>[^<]*/)
    what = substr($0, RSTART + 13, RLENGTH - 13)
    gsub(/&lt;/, "<", what); gsub(/&gt;/, ">", what); gsub(/&quot;/, "\"", what); gsub(/&#39;|&apos;/, "\047", what)
    survivors[package] = survivors[package] sprintf("    %s:%s %s%s\n", file, line, what, $0 ~ /status=.NO_COVERAGE./ ? " (no test runs the line)" : "")
  }
  END {
    for (i = 1; i <= count; i++) {
      package = names[i]
      if (survivors[package]) printf "\nsurvivors in %s\n%s", package, survivors[package]
    }
    printf "\n%-12s %8s %8s %8s\n", "package", "mutants", "noticed", "percent"
    for (i = 1; i <= count; i++) {
      package = names[i]
      percent = total[package] ? 100 * noticed[package] / total[package] : 0
      below = percent < threshold || !total[package]
      failed = failed || below
      printf "%-12s %8d %8d %8.1f%s\n", package, total[package], noticed[package], percent, below ? "  below " threshold : ""
    }
    exit failed
  }' "$report/mutations.xml" || status=$?
printf '\nEach mutant in its source: %s\n' "$root/$report/index.html"
exit "${status:-0}"
