#!/usr/bin/env bash
# Looks for the faults that .clang-tidy names.
#
#   utils/check-tidy.sh [--build=FOLDER] [--changed=COMMIT] [file ..]      default: all that the build compiles
#
#   --build=FOLDER     whose commands are taken; default: build, by clang (utils/setup.sh makes it)
#   --changed=COMMIT   only files that differ from a commit
#
# A file takes some seconds. Versions of clang-tidy differ, so it is LLVM 22's; where it is missing, Debian's package
# is installed.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build commit=
files=()

fail() {
  echo "error: $1" >&2
  exit 1
}

for argument in "$@"; do
  case $argument in
    --build=?*) build=$(realpath -m "${argument#*=}") ;;
    --changed=?*) commit=${argument#*=} ;;
    -h | --help)
      sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"
      exit 0
      ;;
    -*) fail "unknown option '$argument'; --help lists the options" ;;
    *) files+=("$(realpath -m "$argument")") ;;
  esac
done
[ -f "$build/compile_commands.json" ] || fail "there is no build in $build; utils/setup.sh makes one in build"
[ -z "$commit" ] || [ ${#files[@]} -eq 0 ] || fail "--changed chooses files, so none can be named"

if ! command -v clang-tidy-22 > /dev/null; then
  admin=()
  [ "$(id -u)" -eq 0 ] || admin=(sudo)
  "${admin[@]}" apt-get update
  "${admin[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends clang-tidy-22
fi

# Files of the repository that are compiled; generated ones and those that others copied are not ours.
readarray -t compiled < <(python3 - "$build/compile_commands.json" << 'END'
import json, os, sys

entries = json.load(open(sys.argv[1], encoding="utf-8"))
paths = {os.path.realpath(os.path.join(entry["directory"], entry["file"])) for entry in entries}
print("\n".join(sorted(path for path in paths if path.endswith((".c", ".cpp")))))
END
)
if [ ${#files[@]} -gt 0 ]; then
  for file in "${files[@]}"; do
    # grep -q would stop reading at a match, and printf fail for it.
    printf '%s\n' "${compiled[@]}" | grep -xF "$file" > /dev/null || fail "$file is not compiled in $build"
  done
else
  readarray -t files < <(printf '%s\n' "${compiled[@]}" | grep -F "$root/" | grep -vF "$build/" || true)
  [ ${#files[@]} -gt 0 ] || fail "$build compiles no file of $root"
  if [ -n "$commit" ]; then
    changed=$(git -C "$root" diff --name-only --diff-filter=d "$commit" --) || fail "git knows no commit '$commit'"
    readarray -t files < <(printf '%s\n' "${files[@]}" | grep -xF "$(awk -v root="$root/" '{ print root $0 }' <<< "$changed")" || true)
  fi
fi
if [ ${#files[@]} -eq 0 ]; then
  echo "tidy: no file that is compiled differs from $commit"
  exit 0
fi

# What clang-tidy says of suppressed warnings is on standard error.
if printf '%s\n' "${files[@]}" | xargs -d '\n' -n 1 -P "$(nproc)" \
  clang-tidy-22 --quiet --config-file="$root/.clang-tidy" -p "$build" 2> /dev/null; then
  echo "tidy: ${#files[@]} files have none of the faults in .clang-tidy"
else
  fail "tidy: there are faults in ${#files[@]} files, or they do not compile"
fi
