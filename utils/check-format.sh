#!/usr/bin/env bash
# Names the C++ files that .clang-format would change. With --fix it changes them.
#
#   utils/check-format.sh [--fix] [file ..]      default: all that are compiled, and the headers
#
# Versions of clang-format differ, so it is LLVM 22's; where it is missing, Debian's package is installed.
set -euo pipefail

if ! command -v clang-format-22 > /dev/null; then
  root=()
  [ "$(id -u)" -eq 0 ] || root=(sudo)
  "${root[@]}" apt-get update
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends clang-format-22
fi

fix=0
if [ "${1:-}" = --fix ]; then
  fix=1
  shift
fi
files=("$@")
if [ ${#files[@]} -eq 0 ]; then
  cd "$(dirname "${BASH_SOURCE[0]}")/.."
  readarray -t files < <(find lib include tools unittests examples bench -type f \
    -regex '.*\.\(h\|c\|cpp\|cu\|cuh\)' | sort)
fi

# One process for all files is faster than one for each on every processor.
warnings=$(clang-format-22 --style=file --dry-run "${files[@]}" 2>&1) || {
  echo "$warnings" >&2
  exit 1
}
names=$(sed -n 's/:[0-9]*:[0-9]*: warning: code should be clang-formatted.*//p' <<< "$warnings" | sort -u)
if [ -z "$names" ]; then
  echo "format: ${#files[@]} files are as .clang-format has them"
elif [ "$fix" = 1 ]; then
  xargs -d '\n' clang-format-22 --style=file -i <<< "$names"
  echo "$names"
  echo "format: $(wc -l <<< "$names") of ${#files[@]} files changed"
else
  echo "$names"
  echo "format: $(wc -l <<< "$names") of ${#files[@]} files differ; utils/check-format.sh --fix changes them"
  exit 1
fi
