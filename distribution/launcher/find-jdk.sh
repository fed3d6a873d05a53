# Sourced by ./portcullis and by every launcher in dist/bin: sets JAVA_HOME to a JDK of at least version $1.
# Looks at JAVA_HOME, then PATH, then the usual install directories; the machine's default java may be older.
# Starts no other program on the usual way: users feel every one of them whenever they call kwctl.

java_major() { # sets $major to the version of the JDK in $1: "25.0.3" -> 25, empty when it is none
  local line
  major=
  # The release file answers without starting a JVM; a JDK without one is asked directly.
  if [ -r "$1/release" ]; then
    while IFS= read -r line; do
      case $line in 'JAVA_VERSION="'*) line=${line#*\"} major=${line%%[!0-9]*} && return ;; esac
    done <"$1/release"
  fi
  line=$("$1/bin/java" -version 2>&1) || return 0
  case $line in *'version "'*) line=${line#*version \"} major=${line%%[!0-9]*} ;; esac
}

is_jdk() { # is_jdk HOME WANTED: whether a JDK of at least that version is there; takes it
  local major
  [ -n "$1" ] && [ -x "$1/bin/java" ] || return 1
  java_major "$1"
  [ -n "$major" ] && [ "$major" -ge "$2" ] || return 1
  JAVA_HOME=$1
  export JAVA_HOME
}

find_jdk() {
  local wanted=$1 home on_path
  is_jdk "${JAVA_HOME:-}" "$wanted" && return
  if on_path=$(command -v java 2>/dev/null); then
    on_path=$(readlink -f "$on_path" 2>/dev/null || echo "$on_path")
    is_jdk "${on_path%/bin/java}" "$wanted" && return
  fi
  for home in /usr/lib/jvm/* /opt/java* /opt/jdk* /opt/*jdk* "$HOME"/.sdkman/candidates/java/* "$HOME"/.jdks/* \
    /Library/Java/JavaVirtualMachines/*/Contents/Home "$HOME"/Library/Java/JavaVirtualMachines/*/Contents/Home; do
    is_jdk "$home" "$wanted" && return
  done
  return 1
}
