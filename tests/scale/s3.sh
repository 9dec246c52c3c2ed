#!/usr/bin/env bash
# Nodes that share a large compiled kernel by a bucket of s3rver, an endpoint of S3 that others wrote,
# with a certificate of its own, and a PostgreSQL server of this machine alone:
#
#   tests/scale/s3.sh [path of warpsmith] [path of s3rver]
#
# One node puts the kernel there and another one gets it. Where the object was changed, the endpoint is
# down or unknown, or takes another key, nodes compile it themselves and say why.
set -u

root=$(cd "$(dirname "$0")/../.." && pwd)
warpsmith=$(realpath "${1:-$root/build-test/bin/warpsmith}")
s3rver=$(realpath -m "${2:-$root/build-test/s3/node_modules/.bin/s3rver}")
postgres=$(dirname "$(ls -d /usr/lib/postgresql/*/bin/initdb 2> /dev/null | tail -n 1)" 2> /dev/null)
for program in "$warpsmith" "$(dirname "$warpsmith")/libwarpsmith_s3.so" "$postgres/postgres" "$s3rver" setpriv; do
  if ! command -v "$program" > /dev/null || [ "$(id -u)" -ne 0 ]; then
    echo "left out: nodes that share a bucket (they need root, PostgreSQL, libcurl and s3rver)"
    exit 0
  fi
done

folder=$(mktemp -d /tmp/ws_s3_XXXXXX)
chmod 755 "$folder"
. "$root/tests/scale/cluster.sh"
trap 'stop_cluster; rm -rf "$folder"' EXIT
# More than any step here takes, on a machine that compiles beside it.
limit=240

start_s3() {
  openssl req -x509 -newkey rsa:3072 -nodes -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 \
    -keyout "$folder/key.pem" -out "$folder/cert.pem" 2> "$folder/openssl.log" || fail "no certificate"
  port=$(free_port)
  mkdir "$folder/objects"
  start s3rver "$s3rver" -d "$folder/objects" -a 127.0.0.1 -p "$port" --no-vhost-buckets \
    --key "$folder/key.pem" --cert "$folder/cert.pem" --configure-bucket kernels
  s3_process=$!
  until_true "$limit" "s3rver listens" grep -qs listening "$folder/s3rver.log"
}

# The arguments of compile_kernel for a kernel of two megabytes: it has a table that no launch reads.
large_kernel() {
  python3 - "$root/examples/kernels/vadd" << 'END'
import json, pathlib, sys
folder = pathlib.Path(sys.argv[1])
problem, kernel = (json.loads((folder / f"{name}.json").read_text()) for name in ("problem", "naive"))
table = '#define A "' + "w" * 64 + '"\n'
for longer, shorter in ("BA", "CB", "DC", "ED", "FE"):
    table += f"#define {longer} " + " ".join([shorter] * 8) + "\n"
source = kernel["source"].replace("{", "{ if (n < 0) c[0] = table[-n];", 1)
kernel["source"] = f"{table}__device__ const char table[] = F;\n{source}"
print(json.dumps({"problem": problem, "kernel": kernel, "device": "cpu:0"}))
END
}

# compiled_by NAME WANTED OPTION...: a new node with these options compiles the kernel: its cache answers
# `hit` or `miss`.
compiled_by() {
  local name=$1 wanted=$2 node answer
  shift 2
  start "$name" "$warpsmith" node --store "$store" --lanes cpu --name "$name" --data "$folder/$name" \
    --share-cache "$folder/secret" --share-cache-s3 "https://127.0.0.1:$port/kernels/team" "$@"
  node=$!
  answer=$("$warpsmith" call compile_kernel "@$folder/kernel.json" --server "$url") || fail "$name: $answer"
  kill "$node"
  wait "$node" || fail "the node $name ended with $?"
  grep -q "\"cache\":\"$wanted\"" <<< "$answer" || fail "the cache of the node $name was no $wanted: $answer"
}

# says NAME TEXT: the log of the node has it.
says() {
  grep -qF "$2" "$folder/$1.log" || fail "the node $1 did not say: $2"
}

cd "$folder" || exit 1
(umask 077; head -c 32 /dev/urandom > secret)
export AWS_ACCESS_KEY_ID=S3RVER AWS_SECRET_ACCESS_KEY=S3RVER HOME=$folder
unset AWS_SESSION_TOKEN
start_postgres
start_s3
start front "$warpsmith" serve --http 127.0.0.1:0 --store "$store" --run-on nodes --data "$folder/front"
until_true "$limit" "a server listens" grep -qs 'listening on' "$folder/front.log"
url=$(grep -o 'http://[^ ]*' "$folder/front.log" | head -n 1)
large_kernel > kernel.json

compiled_by one miss --share-cache-s3-ca cert.pem
object=$(find objects/kernels/team -name '*.entry*_object' -size +1M)
[ -f "$object" ] || fail "there is no object"
compiled_by two hit --share-cache-s3-ca cert.pem
compiled_by stranger miss
says stranger "no answer from the bucket https://127.0.0.1:$port/kernels/team (SSL peer certificate or SSH remote key was not OK)"
AWS_ACCESS_KEY_ID=OTHER compiled_by refused miss --share-cache-s3-ca cert.pem
says refused "refuses this key (403 InvalidAccessKeyId)"
printf x >> "$object"
compiled_by suspicious miss --share-cache-s3-ca cert.pem
says suspicious "is not signed with this server's secret"
compiled_by mended hit --share-cache-s3-ca cert.pem
kill "$s3_process"
wait "$s3_process" 2> /dev/null
compiled_by alone miss --share-cache-s3-ca cert.pem
says alone "no answer from the bucket https://127.0.0.1:$port/kernels/team (Couldn't connect to server)"
echo "nodes share a bucket"
