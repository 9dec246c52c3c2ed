#!/usr/bin/env bash
# docker/slurm on a Slurm cluster and a PostgreSQL server of this machine alone:
#
#   tests/scale/slurm.sh [path of warpsmith]     (default: build-test/bin/warpsmith)
#
# A call waits, autoscale submits a node, the call is answered, and the idle node ends. A node that is
# preempted, and one that is cancelled, gives its job back, and another node takes it. A job that no
# node takes brings no more nodes when none of them can start.
set -u

root=$(cd "$(dirname "$0")/../.." && pwd)
warpsmith=$(realpath "${1:-$root/build-test/bin/warpsmith}")
slurm=$root/docker/slurm
postgres=$(dirname "$(ls -d /usr/lib/postgresql/*/bin/initdb 2> /dev/null | tail -n 1)" 2> /dev/null)
for program in "$warpsmith" "$postgres/postgres" slurmctld slurmd munged setpriv; do
  if ! command -v "$program" > /dev/null || [ "$(id -u)" -ne 0 ]; then
    echo "left out: nodes in Slurm (they need root, PostgreSQL, slurm-wlm and munge)"
    exit 0
  fi
done

folder=$(mktemp -d /tmp/ws_slurm_XXXXXX)
chmod 755 "$folder"
. "$root/tests/scale/cluster.sh"
trap 'stop_cluster; rm -rf "$folder"' EXIT
PATH=$(dirname "$warpsmith"):$PATH
export PATH WARPSMITH_DATA=$folder/node HOME=$folder
export WARPSMITH_IDLE_EXIT=2s
# More than any step here takes, on a machine that compiles beside it.
limit=240

# same WHAT IS WANTED: fails where they differ.
same() {
  [ "$2" = "$3" ] || fail "$1: is
$2
instead of
$3"
}

autoscale() {
  "$slurm/autoscale" --store "$store" --most 2 "$@" -- --lanes cpu --drain 0
}

call() {
  warpsmith call "$@" --server "$url"
}

field() {
  python3 -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$1"
}

start_front() {
  start front warpsmith serve --http 127.0.0.1:0 --store "$store" --run-on nodes --data "$folder/front"
  until_true "$limit" "a server listens" grep -q 'listening on' "$folder/front.log"
  url=$(grep -o 'http://[^ ]*' "$folder/front.log" | head -n 1)
}

slurm_is_empty() {
  [ -z "$(squeue --noheader)" ]
}

jobs_with_status() {
  [ "$(sql "SELECT count(*) FROM warpsmith.node_jobs WHERE status = '$1'")" = "$2" ]
}

# The arguments of compile_kernel for the sum of two vectors.
sum_of_vectors() {
  python3 - "$root/examples/kernels/vadd" << 'END'
import json, pathlib, sys
folder = pathlib.Path(sys.argv[1])
parts = {name: json.loads((folder / f"{file}.json").read_text())
         for name, file in (("problem", "problem"), ("kernel", "naive"))}
print(json.dumps({**parts, "device": "cpu:0"}))
END
}

a_call_starts_a_node_that_ends() {
  sum_of_vectors > "$folder/kernel.json"
  same "nothing waits" "$(autoscale --once)" "0 waiting, 0 of 2 nodes, 0 of them free or starting: submits 0"
  call compile_kernel "@$folder/kernel.json" > "$folder/answer.json" &
  local waiting=$!
  until_true "$limit" "a job waits" jobs_with_status queued 1
  same "a dry run" "$(autoscale --once --dry-run)" \
    "1 waiting, 0 of 2 nodes, 0 of them free or starting: would submit 1"
  same "the queue after a dry run" "$(squeue --noheader)" ""
  same "one waits" "$(autoscale --once)" "1 waiting, 0 of 2 nodes, 0 of them free or starting: submits 1"
  wait "$waiting" || fail "the call ended with $?"
  same "the answer" "$(field verdict < "$folder/answer.json")" compiled
  kernel=$(field kernel_id < "$folder/answer.json")
  until_true "$limit" "the idle node ends" slurm_is_empty
  same "its node" "$(sql "SELECT node ~ '^slurm-[0-9]+-0\$' FROM warpsmith.node_jobs")" t
  same "its state" "$(warpsmith nodes --store "$store" --json | grep -o '"state":"[a-z]*"')" '"state":"gone"'
}

# long_job: the id of a job of minutes, which a node has begun.
long_job() {
  local id
  id=$(call benchmark "{\"kernel_id\":\"$kernel\",\"device\":\"cpu:0\",\"baseline\":\"none\",
    \"fresh\":true,\"time_budget_ms\":120000,\"wait_ms\":0}" | field job_id)
  until_true "$limit" "a node has the job" attempt_runs "$id" 1
  echo "$id"
}

# attempt_runs ID NUMBER: starts nodes until that is so, or a later one runs.
attempt_runs() {
  autoscale --once >> "$folder/autoscale.log"
  [ "$(sql "SELECT status = 'running' AND attempt >= $2 FROM warpsmith.node_jobs WHERE id = '$1'")" = t ]
}

# another_node_has ID: a second attempt runs, or a third one where a node took the job as it was ended
# itself, and none before counts as a failure. Nobody waits for its minutes.
another_node_has() {
  until_true "$limit" "the job is given back" is_given_back "$1"
  until_true "$limit" "another node has the job" attempt_runs "$1" 2
  same "its failures" "$(sql "SELECT failures FROM warpsmith.node_jobs WHERE id = '$1'")" 0
  call job "{\"job_id\":\"$1\",\"action\":\"cancel\"}" > "$folder/answer.json"
  until_true "$limit" "the job ends" jobs_with_status running 0
}

is_given_back() {
  [ "$(sql "SELECT status = 'queued' OR attempt > 1 FROM warpsmith.node_jobs WHERE id = '$1'")" = t ]
}

a_cancelled_node_gives_its_job_back() {
  local id
  id=$(long_job) || exit 1
  scancel --batch --signal=TERM --name warpsmith-node
  another_node_has "$id"
}

a_preempted_node_gives_its_job_back() {
  local id urgent
  id=$(long_job) || exit 1
  urgent=$(sbatch --parsable --partition urgent --gres=gpu:2 --wrap "until [ -e $folder/done ]; do sleep 0.3; done")
  until_true "$limit" "the job is given back" is_given_back "$id"
  until_true "$limit" "the urgent job runs" job_is "$urgent" RUNNING
  touch "$folder/done"
  another_node_has "$id"
}

job_is() {
  [ "$(squeue --noheader --job "$1" --format %T 2> /dev/null)" = "$2" ]
}

autoscale_says_what_is_wrong() {
  local none="postgres://me@/one?host=/nowhere" python said
  python=$(python3 -c 'import sys; print(sys.executable)')
  said=$("$slurm/autoscale" --store "$store" --most 0 2>&1 | tail -n 1)
  same "no nodes" "$said" "autoscale: error: argument --most: 0 is no number from 1 to 999999"
  said=$("$slurm/autoscale" --store "$store" --most 1 --lanes gpu 2>&1 | tail -n 1)
  same "an unknown lane" "$said" \
    "autoscale: error: argument --lanes: gpu is no kind of device: there are cuda, hip, vulkan and cpu"
  said=$("$slurm/autoscale" --store "$store" --most 1 --file /nowhere 2>&1 | tail -n 1)
  same "no file" "$said" "autoscale: error: --file: there is no file /nowhere"
  said=$("$slurm/autoscale" --store "$none" --most 1 --once 2>&1 | head -n 1)
  same "no database" "$said" 'autoscale: psql failed: psql: error: connection to server on socket "/nowhere/.s.PGSQL.5432" failed: No such file or directory'
  mkdir "$folder/few"
  ln -s "$postgres/psql" "$folder/few"
  said=$(PATH=$folder/few "$python" "$slurm/autoscale" --store "$store" --most 1 --once 2>&1)
  same "no Slurm" "$said" "autoscale: there is no squeue here: it has to be in PATH"
}

# A node that cannot start must not be submitted for ever.
autoscale_gives_up() {
  local said
  sql "INSERT INTO warpsmith.node_jobs(id, tool, arguments, lane, key, client, owner, shares, background)
    SELECT 'job_' || lane, 'validate', '{}', lane, '', 'me', 'me', true, false
    FROM unnest(ARRAY['cuda', 'hip']) lane"
  said=$("$slurm/autoscale" --store "$store" --most 1 --every 1 -- --no-such-option 2>&1 | tail -n 1)
  same "nodes that cannot start" "$said" \
    "autoscale: 3 Slurm jobs ended before their nodes took jobs: see their logs"
  same "another lane" "$(autoscale --lanes vulkan,cpu --once --dry-run)" \
    "0 waiting, 0 of 2 nodes, 0 of them free or starting: would submit 0"
}

cd "$folder" || exit 1
# The role of docs/scale-out.md asks what docker/kubernetes/nodes.yaml asks; one job for its nodes waits
# then.
keda_counts_with_its_role() {
  local query scaler=${store/warpsmith@/warpsmith_scaler@} said
  sql "$(sed -n '/^```sql$/,/^```$/p' "$root/docs/scale-out.md" | grep -v '^```')"
  query=$(python3 -c 'import sys, yaml
print(next(yaml.safe_load_all(open(sys.argv[1])))["spec"]["triggers"][0]["metadata"]["query"])' \
    "$root/docker/kubernetes/nodes.yaml")
  same "jobs that KEDA sees" "$(store=$scaler sql "$query")" 1
  said=$(store=$scaler sql "SELECT arguments FROM warpsmith.node_jobs" 2>&1)
  same "what it may not see" "$said" "ERROR:  permission denied for table node_jobs"
}

start_postgres
start_slurm
start_front
a_call_starts_a_node_that_ends
a_cancelled_node_gives_its_job_back
a_preempted_node_gives_its_job_back
until_true "$limit" "the idle nodes end" slurm_is_empty
autoscale_says_what_is_wrong
autoscale_gives_up
keda_counts_with_its_role
