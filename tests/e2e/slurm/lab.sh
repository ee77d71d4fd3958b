#!/bin/bash
# A throwaway Slurm on this machine, for tests: Debian's own daemons with virtual nodes n1, n2, … on
# loopback. Needs neither root nor systemd, and changes nothing outside its folder but
# port locks in $TMPDIR.
#
#   lab.sh FOLDER [NODES [FILE]]    FILE: more lines for slurm.conf
#
# It stays in the foreground, prints "ready" when all nodes are up, and then does what lines on its
# stdin say, each of which it answers with "done":
#
#   kill NAME     ends a daemon at once: slurmctld, or that of a node; its jobs go on
#   crash NODE    ends the daemon of a node and all that runs there, as a power cut does
#   start NAME    starts that daemon again
#
# Other programs use it with SLURM_CONF=FOLDER/slurm.conf. When its stdin ends, or it gets a signal, it
# ends all that runs in the lab: a test that holds the other end of a pipe cannot leave one behind, however
# it dies. FOLDER should have a short name, since sockets are in it.
set -euo pipefail
mkdir -p "${1:?usage: lab.sh FOLDER [NODES [FILE]]}"
folder=$(cd -P -- "$1" && pwd)
nodes=${2:-3}
more=${3:-/dev/null}
export SLURM_CONF=$folder/slurm.conf
export PATH=$PATH:/usr/sbin:/sbin # where daemons are, also for users
declare -A pids=()                # of daemons

die() {
  printf 'lab.sh: %s\n' "$*" >&2
  exit 1
}

# Takes a block of ports that no other lab has, for as long as a daemon of ours lives, and nobody else listens on.
# Below those that the system gives to clients.
choose_ports() {
  local locks=${TMPDIR:-/tmp}/headway-slurm-ports.$UID block port
  mkdir -p "$locks"
  for block in $(shuf -i 100-159); do
    exec {lock}>"$locks/$block"
    ports=$((block * 200))
    if flock --nonblock "$lock"; then
      for ((port = ports; port <= ports + nodes; port++)); do
        ! (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null || continue 2
      done
      return
    fi
    exec {lock}>&-
  done
  die "no free ports"
}

write_configuration() {
  local i
  cat <<CONF
ClusterName=lab
SlurmctldHost=localhost
SlurmctldPort=$ports
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool/%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/%n.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/%n.log
MailProg=/bin/true
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
# The nodes have what we say, and not what the machine has.
SlurmdParameters=config_overrides
ReturnToService=2
SchedulerParameters=batch_sched_delay=0
KillWait=5
CONF
  for ((i = 1; i <= nodes; i++)); do
    echo "NodeName=n$i NodeHostname=localhost NodeAddr=127.0.0.1 Port=$((ports + i)) CPUs=2 RealMemory=4000"
  done
  echo "PartitionName=main Nodes=ALL Default=YES"
  cat "$more"
}

start() { # name
  local command
  case $1 in
    # --force: our folder may be for us alone.
    munged) command=(munged --foreground --force --key-file="$folder/munge.key" --socket="$folder/munge.socket"
      --pid-file="$folder/munged.pid" --log-file="$folder/munged.log" --seed-file="$folder/munge.seed") ;;
    slurmctld) command=(slurmctld -D) ;;
    *) command=(slurmd -D -N "$1") ;;
  esac
  # The variable is how end_processes() knows what belongs to a node.
  SLURMD_NODENAME=$1 setpriv --pdeathsig KILL "${command[@]}" >>"$folder/$1.out" 2>&1 </dev/null &
  pids[$1]=$!
}

kill_daemon() { # name
  [[ -n ${pids[$1]-} ]] || return 0
  kill -9 "${pids[$1]}" 2>/dev/null || true
  wait "${pids[$1]}" 2>/dev/null || true
  unset "pids[$1]"
}

# Processes of the lab, and all below them, whatever their environment. `variable`: only those that have it.
processes() { # [variable]
  local file text pid roots=()
  for file in /proc/[0-9]*/environ; do
    text=$(tr '\0' '\n' 2>/dev/null <"$file") || continue
    [[ $'\n'$text$'\n' == *$'\n'"SLURM_CONF=$SLURM_CONF"$'\n'* && $'\n'$text$'\n' == *$'\n'"${1-}"* ]] || continue
    pid=${file//[^0-9]/}
    roots+=("$pid")
    # What starts a job overwrites its own environment.
    pid=$(sed -n 's/^PPid:\t//p' "/proc/$pid/status" 2>/dev/null) || continue
    [[ $(cat "/proc/$pid/comm" 2>/dev/null) != slurmstepd ]] || roots+=("$pid")
  done
  # /proc/12/status:PPid: 1
  grep -s '^PPid:' /proc/[0-9]*/status | awk -F '[/:\t]+' -v roots="${roots[*]-}" -v self=$$ '
    BEGIN { for (n = split(roots, list, " "); n > 0; n--) ours[list[n]] }
    { parent[$3] = $6 }
    END {
      for (pid in parent)
        for (at = pid; at in parent && at != self; at = parent[at])
          if (at in ours) { print pid; break }
    }'
}

# What runs on a node, or everywhere. What starts meanwhile is found the next time.
end_processes() { # [variable]
  local found
  for _ in {1..20}; do
    mapfile -t found < <(processes "$@")
    ((${#found[@]} > 0)) || return 0
    kill -STOP "${found[@]}" 2>/dev/null || true # none may see another die
    kill -9 "${found[@]}" 2>/dev/null || true
    sleep 0.02
  done
}

wait_for() { # name-of-daemon command…
  for _ in {1..600}; do
    ! "${@:2}" 2>/dev/null || return 0
    kill -0 "${pids[$1]}" 2>/dev/null || break
    sleep 0.05
  done
  tail -n 5 "$folder"/*.out >&2 || true
  die "$1 did not come"
}
is_answering() { scontrol ping 2>/dev/null | grep -q ' UP'; }
are_idle() { (($(sinfo --noheader --Node --partition=main --states=idle --format=%N | wc -l) == nodes)); }

end_all() {
  local name
  trap '' EXIT INT TERM HUP
  for name in "${!pids[@]}"; do kill_daemon "$name"; done
  end_processes
}

for program in munged slurmctld slurmd; do
  command -v "$program" >/dev/null || die "$program is not installed (packages.txt: group cluster)"
done
choose_ports
trap end_all EXIT
trap 'exit 1' INT TERM HUP
mkdir -p "$folder/state"
for ((i = 1; i <= nodes; i++)); do mkdir -p "$folder/spool/n$i"; done
(umask 077 && head -c 1024 /dev/urandom >"$folder/munge.key")
write_configuration >"$SLURM_CONF"

start munged
wait_for munged test -S "$folder/munge.socket"
start slurmctld
wait_for slurmctld is_answering
for ((i = 1; i <= nodes; i++)); do start "n$i"; done
wait_for n1 are_idle
echo ready

while read -r verb name; do
  case $verb in
    kill) kill_daemon "$name" ;;
    crash)
      kill_daemon "$name"
      end_processes "SLURMD_NODENAME=$name"
      ;;
    start)
      start "$name"
      [[ $name != slurmctld ]] || wait_for slurmctld is_answering
      ;;
    *) die "unknown: $verb" ;;
  esac
  echo "done"
done
