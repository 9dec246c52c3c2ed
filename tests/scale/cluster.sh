# A Slurm cluster and a PostgreSQL server of this machine alone, in a folder of their own. Sourced by
# slurm.sh and s3.sh, which have set $folder.

# Daemons that the test ends, and what it says when they cannot start.
daemons=()

# until_true SECONDS WHAT COMMAND...: asks the command until it succeeds.
until_true() {
  local deadline=$((SECONDS + $1)) what=$2
  shift 2
  until "$@"; do
    if [ "$SECONDS" -ge "$deadline" ]; then
      fail "this did not happen: $what"
    fi
    sleep 0.3
  done
}

fail() {
  echo "$(basename "$0"): $1" >&2
  tail -n 20 "$folder"/*.log >&2 2> /dev/null
  exit 1
}

# start NAME COMMAND...: in the background, until the end of the test.
start() {
  local name=$1
  shift
  "$@" > "$folder/$name.log" 2>&1 &
  daemons+=($!)
}

# Jobs first: what they started would live on. PostgreSQL would wait for them at SIGTERM.
stop_cluster() {
  local daemon deadline=$((SECONDS + 60))
  scancel --full --signal=KILL --me > /dev/null 2>&1
  while [ -n "$(squeue --noheader 2> /dev/null)" ] && [ "$SECONDS" -lt "$deadline" ]; do
    sleep 0.3
  done
  for daemon in "${daemons[@]}"; do
    kill -QUIT "$daemon" 2> /dev/null
    kill "$daemon" 2> /dev/null
  done
  wait
}

# A port that nothing listens on.
free_port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# PostgreSQL refuses to run as root.
as_other() {
  setpriv --reuid=nobody --regid=nogroup --clear-groups "$@"
}

sql() {
  "$postgres/psql" -XAtq -v ON_ERROR_STOP=1 -d "$store" -c "$1"
}

start_postgres() {
  local postgres_folder=$folder/pg
  mkdir "$postgres_folder"
  chown nobody:nogroup "$postgres_folder"
  (cd "$postgres_folder" && as_other "$postgres/initdb" -D db -A trust -U warpsmith --no-sync -E UTF8 \
    --locale=C.UTF-8) > "$folder/initdb.log" 2>&1 || fail "initdb failed"
  start postgres setpriv --reuid=nobody --regid=nogroup --clear-groups --pdeathsig=QUIT \
    "$postgres/postgres" -D "$postgres_folder/db" -k "$postgres_folder" -c listen_addresses= -c fsync=off
  until_true 60 "PostgreSQL starts" "$postgres/pg_isready" -q -h "$postgres_folder"
  store="postgres://warpsmith@/postgres?host=$postgres_folder"
}

# Two GPUs that are only counted: what a node does with them is not Slurm's matter.
write_slurm_settings() {
  local host
  host=$(uname -n | cut -d. -f1)
  mkdir "$folder/state" "$folder/spool"
  cat > "$folder/slurm.conf" << END
ClusterName=warpsmith
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket,cred_expire=10
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
GresTypes=gpu
KillWait=30
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
SlurmctldParameters=preempt_send_user_signal
SchedulerParameters=sched_interval=1
NodeName=$host NodeAddr=127.0.0.1 CPUs=32 RealMemory=200000 Gres=gpu:2
PartitionName=nodes Nodes=$host Default=YES MaxTime=INFINITE State=UP PriorityTier=1 GraceTime=60
PartitionName=urgent Nodes=$host MaxTime=INFINITE State=UP PriorityTier=10 PreemptMode=OFF
END
  printf 'Name=gpu File=%s\n' /dev/zero /dev/full > "$folder/gres.conf"
}

start_slurm() {
  export SLURM_CONF=$folder/slurm.conf
  write_slurm_settings
  head -c 1024 /dev/urandom > "$folder/munge.key"
  chmod 600 "$folder/munge.key"
  start munged munged --foreground --force --socket="$folder/munge.socket" --key-file="$folder/munge.key" \
    --pid-file="$folder/munge.pid" --seed-file="$folder/munge.seed" --log-file="$folder/munge.log"
  until_true 60 "munged starts" test -S "$folder/munge.socket"
  start slurmctld slurmctld -D -i -f "$folder/slurm.conf"
  start slurmd slurmd -D -f "$folder/slurm.conf"
  until_true 40 "Slurm has an idle machine" slurm_is_idle
}

slurm_is_idle() {
  [ "$(sinfo -h -p nodes -o %t 2> /dev/null)" = idle ]
}
