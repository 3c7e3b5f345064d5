#!/usr/bin/env bash
# Makes the documentation a site: docs/ and the files that it links to, with navigation and search.
#
#   utils/site.sh FOLDER [--tilec=PATH]
#
# With a tilec the kernels of the gallery have report pages, 7 MB. FOLDER is made again. Nothing is fetched from other hosts, neither here nor by a browser; search wants a server:
#
#   python3 -m http.server --directory FOLDER
#
# MkDocs makes it, 1.4 (Debian 12) or later; where it is missing, Debian's package is installed. MKDOCS is another
# one, for example of a virtual environment. A link without a target is an error.
set -euo pipefail

fail() {
  echo "error: $1" >&2
  exit 1
}

case ${1:-} in
  -h | --help)
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"
    exit 0
    ;;
  "" | -*) fail "one folder is wanted; utils/site.sh --help" ;;
esac
tilec=
if [ $# -eq 2 ] && [[ $2 == --tilec=?* ]]; then
  tilec=${2#*=}
  [ -x "$tilec" ] || fail "--tilec names $tilec, which is no program"
elif [ $# -ne 1 ]; then
  fail "one folder is wanted, and --tilec=PATH, found $*"
fi

site=$(realpath -m "$1")
tools=$(cd "$(dirname "${BASH_SOURCE[0]}")/site" && pwd)
if [ -e "$site" ] && [ -n "$(ls -A "$site")" ] && [ ! -f "$site/search/search_index.json" ]; then
  fail "$site holds something else than a site"
fi

mkdocs=${MKDOCS:-mkdocs}
if ! command -v "$mkdocs" > /dev/null; then
  [ -z "${MKDOCS:-}" ] || fail "MKDOCS names $MKDOCS, which is no command"
  root=()
  [ "$(id -u)" -eq 0 ] || root=(sudo)
  "${root[@]}" apt-get update
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends mkdocs python3-pygments
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
python3 "$tools/pages.py" "$scratch/docs"
[ -z "$tilec" ] || python3 "$tools/reports.py" "$scratch/docs" --tilec="$tilec"
cp "$tools/mkdocs.yml" "$tools/hooks.py" "$scratch"
"$mkdocs" build --strict --quiet --config-file "$scratch/mkdocs.yml" --site-dir "$site"
python3 "$tools/check.py" "$site"
