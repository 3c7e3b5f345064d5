#!/usr/bin/env bash
# Runs the examples that a GPU matters to, and says which are skipped. The last line counts failures.
#
#   utils/gpu-examples.sh [folder of programs]      default: bin of a bundle, or build/bin
#
# split-softmax needs NCCL's library: LD_LIBRARY_PATH, or the CUDA toolkit in its usual places. It runs over all GPUs in
# one process and, with mpirun, in one process for each.
set -euo pipefail
cd "$(dirname "$0")/.."

bin=${1:-bin}
[ -d "$bin" ] || bin=build/bin
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}/usr/local/cuda/lib64:/usr/local/cuda/lib
failures=0

# run NAME COMMAND ..: shows the output, counts a failure.
run() {
  local name=$1
  shift
  echo "== $name: $*"
  "$@" || { echo "FAILED: $name"; failures=$((failures + 1)); }
}

# The last two are not built without the CUDA toolkit.
for name in example-softmax example-gelu example-matmul example-attention example-mlp cuda-graph cuda-stream; do
  if [ -x "$bin/$name" ]; then
    run "$name" "$bin/$name"
  else
    echo "== $name: SKIPPED, not built"
  fi
done

if [ -x "$bin/example-attention" ]; then
  run attention "$bin/example-attention" --causal=no
  run attention "$bin/example-attention" --head-dim=64 --length=8192
fi

if [ -x "$bin/transformer" ]; then
  run transformer "$bin/transformer" --check --prompt=100,300,33 --tokens=20
  run transformer "$bin/transformer" --check --layers=2 --heads=8 --width=1024 --temperature=0.8 --top-k=20
  # 1.1 billion weights; with a graph if the program has them.
  large=(--layers=16 --heads=32 --kv-heads=8 --width=2048 --hidden=8192 --vocab=32000 --prompt=512 --tokens=128)
  if command -v nvidia-smi > /dev/null; then
    run transformer "$bin/transformer" "${large[@]}" --batch=1
    run transformer "$bin/transformer" "${large[@]}" --batch=1 --graph
    run transformer "$bin/transformer" "${large[@]}" --batch=32 --graph
  fi
else
  echo "== transformer: SKIPPED, not built"
fi

serve() {
  for i in $(seq 500); do echo "$i softmax 1 $i 2"; done | "$bin/kernel-server" --threads=16 > "$scratch/answers"
  [ "$(grep -vc error "$scratch/answers")" = 500 ]
}
run kernel-server serve

gpus=$(nvidia-smi --list-gpus 2> /dev/null | wc -l || true)
if ldd "$bin/split-softmax" | grep 'nccl.*not found' > /dev/null; then
  echo "== split-softmax: SKIPPED, libnccl.so.2 is not here"
else
  if [ "$gpus" -ge 1 ]; then
    run split-softmax "$bin/split-softmax" --device=cuda
    run split-softmax "$bin/split-softmax" --device=cuda --rows=4096 --cols=65536
  else
    run split-softmax "$bin/split-softmax"
  fi
  if [ "$gpus" -ge 1 ] && command -v mpirun > /dev/null; then
    # Open MPI refuses root without the first, and more processes than cores without the second.
    run split-softmax mpirun --allow-run-as-root --oversubscribe -n "$gpus" \
      "$bin/split-softmax" --id-file="$scratch/id"
    run split-softmax env NCCL_COMM_ID=127.0.0.1:45678 mpirun --allow-run-as-root --oversubscribe \
      -n "$gpus" "$bin/split-softmax"
  else
    echo "== split-softmax in several processes: SKIPPED, $gpus GPUs, mpirun: $(command -v mpirun || echo none)"
  fi
fi
echo "examples: $failures failures"
[ "$failures" = 0 ]
