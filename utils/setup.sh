#!/usr/bin/env bash
# Installs what the build needs from Debian's packages, configures and builds.
#
#   utils/setup.sh [preset] [target ..]     default: preset release, all targets
#
# Sourced by demo.sh and check.sh. TILEC_CMAKE_FLAGS adds arguments to the configuration. Nothing is
# installed when everything is there already, so without root it only works on a prepared machine.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

packages=(
  ca-certificates ccache cmake g++ ninja-build python3
  clang-22 lld-22 llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools
  libcurl4-openssl-dev libedit-dev libxml2-dev libzstd-dev zlib1g-dev
  libdlpack-dev libgtest-dev python3-numpy xz-utils
)

[ "${1:-release}" != asan ] || packages+=(libclang-rt-22-dev)

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q "ok installed" || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  root=()
  [ "$(id -u)" -eq 0 ] || root=(sudo)
  "${root[@]}" apt-get update
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends "${missing[@]}"
fi

preset=${1:-release}
[ $# -eq 0 ] || shift
# shellcheck disable=SC2086
cmake --preset "$preset" ${TILEC_CMAKE_FLAGS:-}
cmake --build --preset "$preset" -- "$@"
