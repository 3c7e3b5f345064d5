#!/usr/bin/env bash
# Runs, from an unpacked gpu-bundle, every test that a GPU matters to. The last line counts them.
#
#   gpu-bundle/utils/gpu-tests.sh [--sanitize]
#
# --sanitize runs the execution tests and small sizes of the benchmark under the four tools of
# compute-sanitizer first, where it is installed; that takes much longer. TILEC_REQUIRE_GPU=1 makes a
# machine without a GPU a failure.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"

if ! command -v python3 > /dev/null; then
  echo "error: python3 is needed to run the tests" >&2
  exit 1
fi
"$root/bin/tilec-demo"
# On which device; whether its results are right is seen below.
place=$("$root/bin/example-gelu" || true)
if [ "${TILEC_REQUIRE_GPU:-0}" = 1 ] && [[ $place == "no GPU"* ]]; then
  echo "error: there is no GPU" >&2
  exit 1
fi

status=0
# A launch may cost at most 0.3 us more than the driver's own; without a GPU there is nothing to measure.
if [[ $place != "no GPU"* ]]; then
  "$root/bin/launch-overhead" 100000 300 || status=1
  "$root/bin/embedded-overhead" 100000
fi
"$root/utils/gpu-examples.sh" "$root/bin" > "$root/gpu-examples.log" 2>&1 || status=1
cat "$root/gpu-examples.log"
if [ "${1:-}" = --sanitize ]; then
  sanitizer=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
  check() {
    "$sanitizer" --tool "$tool" --error-exitcode 1 "$@" > "$root/sanitizer.log" 2>&1 || status=1
    grep -E 'SUMMARY|=========.*(ERROR|Error|hazard)|FAILED' "$root/sanitizer.log" | tail -n 5 || true
  }
  for tool in memcheck racecheck initcheck synccheck; do
    echo "compute-sanitizer $tool:"
    bench=("$root/bin/tilec-bench" --providers=tilec "--out=$root/sanitized")
    check "${bench[@]}" --suite=softmax,softmax-odd,softmax-persistent --sizes=64x781,64x2048,32x12672
    check "${bench[@]}" --suite=softmax-long --sizes=4x16384,2x65536,2x262144
    check "${bench[@]}" --suite=gelu --sizes=2^16
    check "${bench[@]}" --suite=matmul --dtype=fp32,bf16 --sizes=256x512x256,16x256x512,72x200x104
    check "${bench[@]}" --suite=attention --dtype=bf16 --sizes=1x2x300x64,1x2x512x128-causal
    check "${bench[@]}" --suite=mlp --dtype=bf16 --sizes=5x256x2,300x256x3
    check "$root/unittests/ExecutionTest" --gtest_brief=1 \
      --gtest_filter='*CUDA*:-*EverySize*:*ManyPrograms*'
  done
fi

TILEC_BIN_DIR="$root/bin" python3 "$root/utils/run-tests.py" --plain \
  "$root/test/Execution" "$root/test/Conformance" "$root/test/Kernels" "$root/test/Workarounds" \
  "$root/unittests/RuntimeDeviceTest" \
  "$root/unittests/ArtifactDeviceTest" "$root/unittests/ExecutionTest" \
  > "$root/gpu-tests.log" 2>&1 || status=$?
# The log has every test; here, those that did not pass.
grep -vE '^(PASS|XFAIL|UNSUPPORTED|SKIPPED): ' "$root/gpu-tests.log" | head -n 400

exit $status
