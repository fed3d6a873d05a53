# shellcheck shell=bash
# A node is one bundle of namespaces (network, process, mount, host name, IPC) under node-init.sh as its process 1.
# Seen from the host here. Sourced by cluster.sh.

# start_node N: starts it with its cable plugged in; does not wait until it is ready
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
  plug_in "$n" "$pid"
  touch "$dir/plugged-in"
}

# Prints the process that unshare forked; it is process 1 in the new namespace, but only the host's number helps us.
first_child() {
  local children
  children=$(<"/proc/$1/task/$1/children") && [[ -n $children ]] && echo "${children%% *}"
}

# Prints the host's number of node N's process 1; fails if it does not run.
node_pid() {
  local pid
  pid=$(cat "$(node_dir "$1")/pid" 2>/dev/null) || return 1
  # The number may have passed to another process since.
  tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -qF -- "node-init.sh $run " && echo "$pid"
}

# kill_node N: all processes of the node at once, as if its power failed; then what the kernel does not remove by itself
kill_node() {
  local pid
  if pid=$(node_pid "$1"); then
    kill -KILL "$pid"
    until_true 30 "the end of node $1" process_is_gone "$pid"
  fi
  rm -f "$(node_dir "$1")/pid"
  ip link del "$(node_link "$1")" 2>/dev/null || true # goes with the namespace, but some time later
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

# Megabytes that the processes of node N hold; what they share is counted for each.
node_memory() {
  ps -e -o pid=,ppid=,rss= | awk -v root="$(node_pid "$1")" '
    { parent[$1] = $2; rss[$1] = $3 }
    END {
      for (p in rss) { for (q = p; q > 1 && q != root; q = parent[q]); if (q == root) sum += rss[p] }
      printf "%d", sum / 1024
    }'
}
