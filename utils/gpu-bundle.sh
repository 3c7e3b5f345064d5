#!/usr/bin/env bash
# Gathers what tests and measurements need on a machine that has a GPU but no LLVM: stripped binaries, test
# files, the examples, the benchmark's programs, and the script that runs the tests.
#
#   utils/gpu-bundle.sh [build folder]      default: build; writes <build folder>/gpu-bundle.tar.xz
#
# There: tar xf gpu-bundle.tar.xz && gpu-bundle/utils/gpu-tests.sh   (python3 -m tarfile -e unpacks it too)
#        gpu-bundle/bin/tilec-bench --quick
#        gpu-bundle/bin/tilec-bench --suite=matmul,attention,mlp --quick
#        gpu-bundle/bin/accuracy --target=cuda          (functions over all float32; a minute)
#        python3 gpu-bundle/bench/kernels.py      (with torch and Triton)
#        python3 gpu-bundle/utils/conformance_triton.py gpu-bundle/test/Conformance/*.py      (likewise)
#        TILEC_BIN_DIR=gpu-bundle/bin python3 gpu-bundle/utils/fuzz/fuzz.py --target=cuda --count=2000
set -euo pipefail
cd "$(dirname "$0")/.."

build=${1:-build}
programs=(
  bin/tilec bin/tilec-run bin/tilec-bench bin/tilec-demo bin/launch-overhead
  bin/embedded-overhead bin/accuracy
  bin/example-softmax bin/example-gelu bin/example-matmul bin/example-attention bin/example-mlp
  bin/kernel-server bin/split-softmax bin/transformer
  unittests/ExecutionTest unittests/RuntimeDeviceTest unittests/ArtifactDeviceTest
)
# Only where the CUDA toolkit was found.
for program in bin/cuda-graph bin/cuda-stream; do
  [ ! -x "$build/$program" ] || programs+=("$program")
done
limit_mb=60

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
bundle=$scratch/gpu-bundle
mkdir -p "$bundle"/{bin,lib,unittests,test,utils}
for program in "${programs[@]}"; do
  if [ ! -x "$build/$program" ]; then
    echo "error: there is no $build/$program; build everything first" >&2
    exit 1
  fi
  # What the binary needs must be on any distribution.
  if readelf -d "$build/$program" | grep -E 'NEEDED.*(LLVM|MLIR|libstdc\+\+)' >&2; then
    echo "error: $build/$program is not static; configure with TILEC_STATIC=ON" >&2
    exit 1
  fi
  strip -o "$bundle/$program" "$build/$program"
done
# What the fuzzer calls.
strip --strip-unneeded -o "$bundle/lib/libtilec.so" "$build/lib/libtilec.so"
cp -r test/Execution test/Conformance test/Kernels test/Workarounds test/features.py "$bundle/test/"
cp -r examples bench "$bundle/"
cp -r utils/fuzz "$bundle/utils/"
cp utils/gpu-tests.sh utils/gpu-examples.sh utils/run-tests.py utils/conformance*.py utils/check-workarounds.py \
  "$bundle/utils/"
find "$bundle" -name __pycache__ -prune -exec rm -rf {} +

archive=$build/gpu-bundle.tar.xz
# The programs hold the same libraries: a window over all of them, and call targets made absolute, halve
# the archive.
tar -C "$scratch" -c gpu-bundle | xz -T1 --x86 --lzma2=preset=1,dict=384MiB > "$archive"
size=$(stat -c %s "$archive")
echo "$archive: $((size / 1024 / 1024)) MB"
if [ "$size" -gt $((limit_mb * 1024 * 1024)) ]; then
  echo "error: more than $limit_mb MB" >&2
  exit 1
fi
