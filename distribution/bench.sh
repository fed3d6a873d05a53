#!/usr/bin/env bash
# Runs a benchmark from the test class path of the module that owns it. Usage: bench.sh ROOT evaluate|kinds|serve|compare|memory|lifecycle|hostile|soak|affected|audit [FLAGS]
set -euo pipefail
root=$1 what=$2
shift 2
case $what in
  evaluate) module=evaluator main=io.portcullis.evaluator.wapc.EvaluateBenchmark directory=evaluator ;;
  kinds) module=evaluator main=io.portcullis.evaluator.kinds.KindsBenchmark directory=evaluator ;;
  memory) module=policy-server main=io.portcullis.server.bench.MemoryBench directory=. ;;
  lifecycle) module=distribution main=io.portcullis.lifecycle.LifecycleBench directory=. ;;
  hostile) module=distribution main=io.portcullis.hostile.HostileBench directory=. ;;
  soak) module=distribution main=io.portcullis.hostile.SoakBench directory=. ;;
  affected) module=controller main=io.portcullis.controller.policy.AffectedBench directory=. ;;
  audit) module=audit-scanner main=io.portcullis.audit.AuditBench directory=. ;;
  serve) module=policy-server main=io.portcullis.server.bench.ServeBench directory=. ;;
  compare) module=policy-server main=io.portcullis.server.bench.BenchCompare directory=. ;;
esac
cd "$root"
classpath=$(mktemp)
trap 'rm -f "$classpath"' EXIT
./mvnw -B -ntp -q -pl "$module" -am -DskipUnitTests test-compile dependency:build-classpath \
  -Dmdep.outputFile="$classpath" -Dmdep.includeScope=test >&2
cd "$directory"
"$JAVA_HOME/bin/java" "@$root/distribution/launcher/jvm.options" -Dportcullis.native.dir="$root/dist/lib/native" \
  -Dportcullis.home="$root/dist" -cp "$root/$module/target/test-classes:$root/$module/target/classes:$(cat "$classpath")" "$main" "$@"
