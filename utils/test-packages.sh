#!/usr/bin/env bash
# Installs the packages in dist into empty systems, and builds and runs the first program of docs/embedding.md
# there, on the processor. Needs root, debootstrap, and mirrors of Debian's and Ubuntu's packages.
#
#   utils/test-packages.sh [--dist=FOLDER] [deb|tar|wheel ..]      default: dist, all three
#
# All go into Debian 12 and Ubuntu 22.04, which is left out without the keys of its packages (as Ubuntu's package
# ubuntu-keyring has them; TILEC_UBUNTU_KEYS names another file of them). The archive and the wheel also go into Debian 11,
# whose glibc 2.31 is the oldest that Debian's mirrors still have; utils/check-glibc.sh is about what is older. The systems
# are kept in TILEC_ROOTS, by default /var/cache/tilec-roots, and each test works on a copy. TILEC_MIRROR and
# TILEC_UBUNTU_MIRROR are other mirrors.
# shellcheck disable=SC2016 # Single quotes are around what runs in the other system.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
dist=$root/dist
roots=${TILEC_ROOTS:-/var/cache/tilec-roots}
mirror=${TILEC_MIRROR:-http://deb.debian.org/debian}
ubuntu_mirror=${TILEC_UBUNTU_MIRROR:-http://archive.ubuntu.com/ubuntu}
ubuntu_keys=${TILEC_UBUNTU_KEYS:-/usr/share/keyrings/ubuntu-archive-keyring.gpg}
ubuntus=(jammy)
# CMake 3.22, which the page wants, is newer than Debian 11's; there it comes from PyPI.
tools=g++,make,pkg-config,python3,python3-pip,python3-venv,ca-certificates,xz-utils
kinds=()

fail() {
  echo "error: $1" >&2
  exit 1
}

for argument in "$@"; do
  case $argument in
    --dist=?*) dist=$(realpath -m "${argument#*=}") ;;
    deb | tar | wheel) kinds+=("$argument") ;;
    -h | --help)
      sed -n '2,/^set/{/^set/d;/shellcheck/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"
      exit 0
      ;;
    *) fail "'$argument' is neither --dist=FOLDER nor one of deb, tar, wheel" ;;
  esac
done
[ ${#kinds[@]} -gt 0 ] || kinds=(deb tar wheel)
[ "$(id -u)" -eq 0 ] || fail "only root can make and enter other systems; use sudo"
command -v debootstrap > /dev/null || fail "debootstrap is missing; install the package debootstrap"
if [ ! -f "$ubuntu_keys" ]; then
  echo "Ubuntu: skipped, since there is no $ubuntu_keys"
  ubuntus=()
fi

# The only file of a pattern in dist.
package() {
  local files
  readarray -t files < <(compgen -G "$dist/$1" || true)
  [ ${#files[@]} -eq 1 ] || fail "one $1 was expected in $dist, found ${#files[@]}; run utils/package.sh first"
  echo "${files[0]}"
}

scratch=$(mktemp -d)
system=$scratch/system
leave() {
  if mountpoint -q "$system/proc"; then umount "$system/proc"; fi
  rm -rf "$scratch"
}
trap leave EXIT

# Makes $system a copy of a Debian or Ubuntu, which is downloaded the first time.
#   enter SUITE PACKAGES
enter() {
  local kept from=("$mirror")
  if [ "$1" = jammy ]; then from=("$ubuntu_mirror" "--keyring=$ubuntu_keys" "--components=main,universe"); fi
  kept=$roots/$1-$(md5sum <<< "$2" | cut -c1-8)
  if [ ! -d "$kept" ]; then
    mkdir -p "$roots"
    rm -rf "$kept.part"
    echo "downloading $1 to $kept"
    debootstrap --variant=minbase "${from[@]:1}" ${2:+--include="$2"} "$1" "$kept.part" "${from[0]}" > "$roots/$1.log" 2>&1 ||
      fail "debootstrap failed: $(tail -n 1 "$roots/$1.log"); the whole log is $roots/$1.log"
    mv "$kept.part" "$kept"
  fi
  if mountpoint -q "$system/proc"; then umount "$system/proc"; fi
  rm -rf "$system"
  cp -a "$kept" "$system"
  mount -t proc proc "$system/proc"
  cp /etc/resolv.conf "$system/etc/resolv.conf"
  python3 "$root/utils/packaging/first-program.py" "$root/docs/embedding.md" "$system/hello"
}

# Runs a script in the system, in the folder of the program. What it prints is seen only if it fails.
inside() {
  chroot "$system" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C DEBIAN_FRONTEND=noninteractive \
    PIP_ROOT_USER_ACTION=ignore PIP_DISABLE_PIP_VERSION_CHECK=1 bash -euo pipefail -c "cd /hello; $1" > "$scratch/log" 2>&1 || {
    cat "$scratch/log" >&2
    fail "failed in $suite: $1"
  }
}

# Looks whether the program runs.
#   expect LABEL
expect() {
  inside 'build/hello > printed; cat printed; [ "$(cat printed)" = "2.5 5 7.5 10" ]'
  inside 'tilec --version; getconf GNU_LIBC_VERSION'
  echo "$1: ok; $(sed -n 1p "$scratch/log"), $(tail -n 1 "$scratch/log")"
}

# A certificate that this machine trusts beside the usual ones is needed for PyPI there, too.
install_cmake() {
  if [ -d /usr/local/share/ca-certificates ]; then
    cp -r /usr/local/share/ca-certificates/. "$system/usr/local/share/ca-certificates/"
  fi
  inside 'update-ca-certificates; python3 -m venv /tools; /tools/bin/pip install --cert=/etc/ssl/certs/ca-certificates.crt "cmake<4"'
}

#===-- Tests --------------------------------------------------------------------------------------------===#

test_deb() {
  for suite in bookworm "${ubuntus[@]}"; do
    enter "$suite" ""
    mkdir "$system/packages"
    cp "$(package 'tilec_*.deb')" "$(package 'libtilec-runtime-dev_*.deb')" "$(package 'libtilec[0-9]*.deb')" \
      "$(package 'libtilec-dev_*.deb')" "$system/packages"
    # On the bare system the tools run; then with what builds a program.
    inside 'apt-get update; apt-get install -y --no-install-recommends /packages/*.deb; tilec --version; tilec-run --version'
    inside 'ldconfig -p | grep libtilec'
    inside 'apt-get install -y --no-install-recommends cmake g++ make pkg-config'
    inside 'cmake -B build; cmake --build build'
    expect "deb, $suite"
    # A program of libtilec runs without the files for development.
    cp "$root/examples/jit-console/square.py" "$system/hello"
    cp -r "$root/examples/jit-console" "$system/console"
    inside 'cmake -S /console -B /console/build; cmake --build /console/build'
    inside 'apt-get purge -y libtilec-dev; { cat square.py; echo run 3; } | /console/build/jit-console --device=cpu'
    grep -q "out = 1 1.5 4.33333" "$scratch/log" || fail "jit-console printed something else: $(cat "$scratch/log")"
    inside 'apt-get purge -y "libtilec*" tilec
      if find /etc /usr -xdev -name "*tilec*" | grep .; then exit 1; fi'
    echo "deb, $suite: libtilec without its development files: ok; nothing stays when they are removed"
  done
}

test_tar() {
  for suite in bullseye bookworm "${ubuntus[@]}"; do
    enter "$suite" $tools
    install_cmake
    mkdir "$system/moved here"
    tar -C "$system/moved here" -xf "$(package 'tilec-*.tar.xz')"
    mv "$system/moved here"/tilec-* "$system/moved here/tilec"
    inside 'PATH="/moved here/tilec/bin:/tools/bin:$PATH"; cmake -B build; cmake --build build'
    inside 'ln -s "/moved here/tilec/bin/tilec" /usr/bin/tilec'
    expect "tar, $suite"
  done
}

test_wheel() {
  for suite in bullseye bookworm "${ubuntus[@]}"; do
    enter "$suite" $tools
    install_cmake
    cp "$(package 'tilec-*.whl')" "$system/hello"
    inside '/tools/bin/pip install ./*.whl; /tools/bin/tilec-run --version'
    inside 'PATH=/tools/bin:$PATH; cmake -B build -DCMAKE_PREFIX_PATH="$(python -m tilec --cmake-dir)"; cmake --build build'
    inside 'ln -s /tools/bin/tilec /usr/bin/tilec'
    expect "wheel, $suite"
    inside '/tools/bin/pip uninstall -y tilec; test ! -e /tools/lib/python3*/site-packages/tilec'
  done
}

for kind in "${kinds[@]}"; do
  "test_$kind"
done
