#!/usr/bin/env bash
# Sets everything up, compiles softmax and GELU to PTX, and runs both: on the GPU if there is one, and
# on the processor otherwise. Prints sizes, target, error against float64, time and GB/s.
set -euo pipefail
cd "$(dirname "$0")/.."
utils/setup.sh release tilec tilec-demo
exec build/bin/tilec-demo "$@"
