#!/usr/bin/env bash
# Sets everything up and runs every test. The last line counts all suites together.
set -euo pipefail
cd "$(dirname "$0")/.."
utils/setup.sh release
exec python3 utils/run-tests.py build/test "$@"
