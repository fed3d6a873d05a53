# shellcheck shell=bash
# Starts and stops nodes from the host. A node is a set of namespaces (network, PID, mount, UTS, IPC) with node-init.sh as
# process 1.
# Sourced by cluster.sh.

# start_node N: starts the node with a connected network; does not wait until it is ready
start_node() {
  local n=$1 dir launcher pid
  dir=$(node_dir "$n")
  mkdir -p "$dir" "$run/log/node$n"
  rm -f "$dir/plugged-in"
  "${clean_environment[@]}" setsid unshare --fork --pid --mount-proc --mount --uts --ipc --net \
    "$cluster_scripts/node-init.sh" "$run" "$slot" "$n" "$level" "$nodes" \
    >>"$run/log/node$n/init.log" 2>&1 </dev/null {lock}>&- &
  launcher=$!
  until_true 10 "the namespaces of node $n" first_child "$launcher"
  pid=$(first_child "$launcher")
  echo "$pid" >"$dir/pid"
  connect_node "$n" "$pid"
  touch "$dir/plugged-in"
}

# Prints the host PID of the process that unshare forked. That process has PID 1 in the new namespace.
first_child() {
  local children
  children=$(<"/proc/$1/task/$1/children") && [[ -n $children ]] && echo "${children%% *}"
}

# Prints the host PID of node N's process 1, or fails if the process does not run.
node_pid() {
  local pid
  pid=$(cat "$(node_dir "$1")/pid" 2>/dev/null) || return 1
  # Check the command line, because the kernel may have reused the PID.
  tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -qF -- "node-init.sh $run " && echo "$pid"
}

# kill_node N: kills all processes of the node at once, as a power failure does; then removes what the kernel leaves
kill_node() {
  local pid
  if pid=$(node_pid "$1"); then
    kill -KILL "$pid"
    until_true 30 "the end of node $1" process_is_gone "$pid"
  fi
  rm -f "$(node_dir "$1")/pid"
  ip link del "$(node_link "$1")" 2>/dev/null || true # the kernel removes it with the namespace, but later
  until_true 30 "the cgroups of node $1" remove_cgroups "$(node_cgroup "$1")" || true
}

process_is_gone() { [[ ! -e /proc/$1 ]]; }

# A cgroup can be removed when it has no children and its last process has been reaped.
remove_cgroups() {
  local top
  for top in /sys/fs/cgroup/"$1" /sys/fs/cgroup/*/"$1"; do
    [[ ! -d $top ]] || find "$top" -depth -type d -exec rmdir {} +
  done
}

# Prints the resident memory of node N's processes in megabytes. Shared memory is counted for each process.
node_memory() {
  ps -e -o pid=,ppid=,rss= | awk -v root="$(node_pid "$1")" '
    { parent[$1] = $2; rss[$1] = $3 }
    END {
      for (p in rss) { for (q = p; q > 1 && q != root; q = parent[q]); if (q == root) sum += rss[p] }
      printf "%d", sum / 1024
    }'
}
