#!/usr/bin/env bash
# Checks that binaries start wherever there is a glibc of some version, and nothing else.
#
#   utils/check-glibc.sh VERSION file ..      e.g. utils/check-glibc.sh 2.28 build/bin/tilec
#
# Prints the version that each file asks for. Fails if one asks for a newer one, or for a library that is not
# glibc's; cmake/glibc-2.28.c is where what is missing can be added.
set -euo pipefail

if [ $# -lt 2 ] || [[ ! $1 =~ ^[0-9]+\.[0-9]+$ ]]; then
  echo "usage: utils/check-glibc.sh VERSION file .., for example: utils/check-glibc.sh 2.28 build/bin/tilec" >&2
  exit 2
fi
if ! command -v readelf > /dev/null; then
  echo "error: readelf is missing; install the package binutils" >&2
  exit 2
fi
limit=$1
shift

# Whether version $1 is newer than version $2.
newer() {
  [ "$1" != "$2" ] && [ "$(printf '%s\n' "$1" "$2" | sort -V | tail -n 1)" = "$1" ]
}

failed=0
for file in "$@"; do
  if ! dynamic=$(readelf -W --dynamic "$file" 2>&1) || [[ $dynamic != *NEEDED* ]]; then
    echo "error: $file is no program or library that needs glibc" >&2
    exit 2
  fi
  others=$(sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' <<< "$dynamic" |
    grep -vxE 'lib(c|m|pthread|dl|rt)\.so\.[0-9]|ld-linux[a-z0-9_-]*\.so\.[0-9]' | tr '\n' ' ' || true)
  if [ -n "$others" ]; then
    echo "error: $file needs libraries that are not glibc's: $others" >&2
    failed=1
  fi
  # With words instead of numbers, GLIBC_ABI_DT_RELR or GLIBC_PRIVATE, no other glibc need have it.
  versions=$(readelf -W --version-info "$file" | grep -oE 'Name: GLIBC_[A-Za-z0-9_.]+' | sed 's/.*GLIBC_//' | sort -uV)
  newest=$(tail -n 1 <<< "$versions")
  for version in $versions; do
    if [[ ! $version =~ ^[0-9.]+$ ]] || newer "$version" "$limit"; then
      functions=$(readelf -W --dyn-syms "$file" | grep -oE "[A-Za-z0-9_]+@GLIBC_${version//./\\.}( |$)" | sed 's/@.*//' |
        sort -u | tr '\n' ' ' || true)
      echo "error: $file asks for GLIBC_$version, more than $limit: $functions" >&2
      failed=1
    fi
  done
  echo "$file: glibc $newest"
done
exit "$failed"
