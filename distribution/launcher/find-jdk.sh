# Sourced by ./portcullis and by every launcher in dist/bin: sets JAVA_HOME to a JDK of at least version $1.
# Looks at JAVA_HOME, then PATH, then the usual install directories; the machine's default java may be older.

java_major() {
  # "25.0.3" -> 25; prints nothing when $1 is not a java
  [ -x "$1" ] && "$1" -version 2>&1 | sed -n 's/.*version "\([0-9][0-9]*\).*/\1/p' | head -n 1
}

find_jdk() {
  local wanted=$1 home major on_path
  on_path=$(command -v java 2>/dev/null || true)
  # The release file answers without starting a JVM; candidates without one are asked directly.
  for home in "${JAVA_HOME:-}" "${on_path:+$(dirname "$(dirname "$(readlink -f "$on_path" 2>/dev/null || echo "$on_path")")")}" \
    /usr/lib/jvm/* /opt/java* /opt/jdk* /opt/*jdk* "$HOME"/.sdkman/candidates/java/* "$HOME"/.jdks/* \
    /Library/Java/JavaVirtualMachines/*/Contents/Home "$HOME"/Library/Java/JavaVirtualMachines/*/Contents/Home; do
    [ -n "$home" ] && [ -x "$home/bin/java" ] || continue
    major=$(sed -n 's/^JAVA_VERSION="\([0-9][0-9]*\).*/\1/p' "$home/release" 2>/dev/null)
    [ -n "$major" ] || major=$(java_major "$home/bin/java")
    if [ -n "$major" ] && [ "$major" -ge "$wanted" ]; then
      JAVA_HOME=$home
      export JAVA_HOME
      return 0
    fi
  done
  return 1
}
