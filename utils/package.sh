#!/usr/bin/env bash
# Makes packages of a release build: Debian packages, an archive to unpack anywhere, a Python wheel.
#
#   utils/package.sh [option ..] [deb|tar|wheel ..]     default: all three
#
#   --build=FOLDER   the build; default: build, which utils/setup.sh makes if it is not there
#   --out=FOLDER     where packages go; default: dist
#   --no-build       take what is built already, even if sources have changed
#   -0 .. -9         how hard to compress, for -0 hardly at all; default: -9
#
# Binaries are stripped, must start on glibc 2.28 and need nothing else. The same build gives the same bytes:
# times in packages are those of the last commit, or SOURCE_DATE_EPOCH. docs/releases.md has more.
set -euo pipefail

glibc=2.28
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build out=$root/dist level=9 make=1
kinds=()

fail() {
  echo "error: $1" >&2
  exit 1
}

for argument in "$@"; do
  case $argument in
    --build=?*) build=$(realpath -m "${argument#*=}") ;;
    --out=?*) out=$(realpath -m "${argument#*=}") ;;
    --no-build) make=0 ;;
    -[0-9]) level=${argument#-} ;;
    deb | tar | wheel) kinds+=("$argument") ;;
    -h | --help)
      sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"
      exit 0
      ;;
    *) fail "'$argument' is neither an option nor one of deb, tar, wheel; --help lists the options" ;;
  esac
done
[ ${#kinds[@]} -gt 0 ] || kinds=(deb tar wheel)

wanted() {
  [[ " ${kinds[*]} " == *" $1 "* ]]
}

# Package of the program, by name of the program.
declare -A packages=([cmake]=cmake [ninja]=ninja-build [python3]=python3 [readelf]=binutils [strip]=binutils
  [dpkg-query]=dpkg [tar]=tar [xz]=xz-utils)
if wanted deb; then packages[dpkg-deb]=dpkg; fi
for program in "${!packages[@]}"; do
  command -v "$program" > /dev/null || fail "$program is missing; install the package ${packages[$program]}"
done

#===-- What is packed -----------------------------------------------------------------------------------===#

cd "$root"
if [ ! -f "$build/CMakeCache.txt" ]; then
  if [ "$make" = 0 ] || [ "$build" != "$root/build" ]; then
    fail "there is no build in $build; utils/setup.sh release makes one in build"
  fi
  utils/setup.sh release tilec tilec-run tilec-lsp tilec-manual TilecRuntime tilec_shared
fi

# The value of an entry of the build's cache.
cached() {
  sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"
}
[ "$(cached CMAKE_GENERATOR)" = Ninja ] || fail "$build is not made with Ninja, which tells what is linked"
[ "$(cached CMAKE_BUILD_TYPE)" = Release ] || fail "$build is no release build; configure it with --preset release"
[ "$(cached TILEC_STATIC)" = ON ] || fail "$build needs LLVM's shared libraries; configure it with -DTILEC_STATIC=ON"
[ -z "$(cached TILEC_SANITIZE)$(cached TILEC_COMPILER)" ] || fail "$build has sanitizers or no compiler"
[ "$(cached TILEC_ASSERTIONS)" = OFF ] || fail "$build has assertions; configure it with -DTILEC_ASSERTIONS=OFF"
if [ "$make" = 1 ]; then
  cmake --build "$build" --target tilec tilec-run tilec-lsp tilec-manual TilecRuntime tilec_shared
fi

version=$(cached CMAKE_PROJECT_VERSION)
summary=$(cached CMAKE_PROJECT_DESCRIPTION)
epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2> /dev/null || date +%s)}
export SOURCE_DATE_EPOCH=$epoch
umask 022

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/prefix
mkdir "$prefix"
for component in compiler runtime jit; do
  cmake --install "$build" --prefix "$scratch/$component" --strip --component $component > "$scratch/install.log" ||
    fail "$build cannot be installed: $(tail -n 3 "$scratch/install.log")"
  cp -alf "$scratch/$component/." "$prefix" # each component has the file tilecConfig.cmake
done
library=lib/libtilec.so.$version
[ -f "$prefix/$library" ] || fail "$build installs no $library; configure it as utils/setup.sh does, with libraries in lib"
# No links: what they lead to is checked once.
utils/check-glibc.sh $glibc "$prefix/bin/tilec" "$prefix/bin/tilec-run" "$prefix/bin/tilec-lsp" "$prefix/$library" > "$scratch/glibc.log" ||
  fail "the binaries do not start on glibc $glibc"

doc=$prefix/share/doc/tilec
mkdir -p "$doc"
cp CHANGELOG.md "$doc"
python3 utils/packaging/sbom.py "$build" "$prefix" --version="$version" --date="$epoch" \
  --out="$doc/sbom.spdx.json" --notices="$doc/notices.txt"

mkdir -p "$out"

# Prints the size of a package.
report() {
  echo "$1: $(awk "BEGIN { printf \"%.1f\", $(stat -c %s "$1") / 1e6 }") MB"
}

#===-- An archive, and a wheel --------------------------------------------------------------------------===#

make_tar() {
  local name=tilec-$version-x86_64-linux
  local archive=$out/$name.tar.xz
  # The binaries hold the same parts of LLVM: with a window over all of them, three take about as much as one.
  local filter=(-T1 --x86 "--lzma2=preset=$level,dict=384MiB")
  [ "$level" != 0 ] || filter=(-T0 -0)
  tar -C "$prefix" -c --transform="s,^\.,$name," --sort=name --owner=0 --group=0 --numeric-owner \
    --mtime="@$epoch" . | xz "${filter[@]}" > "$archive.part"
  mv "$archive.part" "$archive"
  report "$archive"
}

make_wheel() {
  local wheel
  wheel=$(python3 utils/packaging/wheel.py "$prefix" --version="$version" --summary="$summary" --out="$out" \
    --level="$level" --date="$epoch")
  report "$wheel"
}

#===-- Debian packages ----------------------------------------------------------------------------------===#

# Writes one package of the files in $scratch/NAME.
#   make_deb NAME SECTION DEPENDS SUMMARY < lines of the description
make_deb() {
  local name=$1 folder=$scratch/$1 docs=$scratch/$1/usr/share/doc/$1
  mkdir -p "$docs" "$folder/DEBIAN"
  {
    cat LICENSE
    # Whether parts of others are linked in depends on the package.
    if compgen -G "$folder/usr/bin/*" > /dev/null || [ -n "$(find "$folder" -name 'libtilec.so.*' -type f)" ]; then
      printf '\n\n'
      cat "$doc/notices.txt"
    fi
  } > "$docs/copyright"
  cp "$doc/sbom.spdx.json" "$docs"
  gzip -9n < CHANGELOG.md > "$docs/changelog.gz"
  # Copies, since the files are shared with other packages; zsh of Debian looks in a folder of its own.
  for page in "$folder"/usr/share/man/man1/*.1; do
    [ -f "$page" ] || continue
    gzip -9n < "$page" > "$page.gz"
    rm "$page"
  done
  if [ -d "$folder/usr/share/zsh/site-functions" ]; then
    mv "$folder/usr/share/zsh/site-functions" "$folder/usr/share/zsh/vendor-completions"
  fi
  {
    echo "Package: $name"
    echo "Version: $version"
    echo "Architecture: amd64"
    echo "Maintainer: ${TILEC_MAINTAINER:-the tilec authors <tilec@localhost>}"
    echo "Installed-Size: $(du -sk --apparent-size "$folder/usr" | cut -f1)"
    [ -z "$3" ] || echo "Depends: $3"
    echo "Section: $2"
    echo "Priority: optional"
    echo "Description: $4"
    sed 's/^$/./; s/^/ /'
  } > "$folder/DEBIAN/control"
  (cd "$folder" && find usr -type f -print0 | sort -z | xargs -0 md5sum) > "$folder/DEBIAN/md5sums"
  if [ -n "$(find "$folder" -name 'libtilec.so.*' -type f)" ]; then
    echo "activate-noawait ldconfig" > "$folder/DEBIAN/triggers"
  fi
  find "$folder" -exec touch -h -d "@$epoch" {} +
  local deb=$out/${name}_${version}_amd64.deb
  local compression=(-Zxz "-z$level")
  [ "$level" != 0 ] || compression=(-Znone)
  dpkg-deb --root-owner-group "${compression[@]}" --build "$folder" "$deb" > "$scratch/deb.log"
  report "$deb"
}

# Puts paths of the installation into a package.
#   take NAME path ..
take() {
  local name=$1 path
  shift
  for path in "$@"; do
    [ -e "$prefix/$path" ] || fail "$build installs no $path"
    mkdir -p "$scratch/$name/usr/$(dirname "$path")"
    cp -al "$prefix/$path" "$scratch/$name/usr/$path"
  done
}

# The installed files of a component, as paths below the prefix. Each component also installs its license, which
# make_deb puts where Debian has it, and CMake's package file, which one package must own.
component_files() {
  (cd "$scratch/$1" && find . \( -type f -o -type l \) -printf '%P\n') |
    grep -vE "^share/doc/tilec-$1/|/tilecConfig(Version)?\.cmake$" | sort
}

make_debs() {
  local c_library="libc6 (>= $glibc)" soname files
  soname=$(readelf -W --dynamic "$prefix/$library" | sed -n 's/.*(SONAME).*\[libtilec\.so\.\(.*\)\]/\1/p')
  [ -n "$soname" ] || fail "$library has no SONAME"

  readarray -t files < <(component_files compiler)
  take tilec "${files[@]}"
  make_deb tilec devel "$c_library, libtilec-runtime-dev (= $version)" "compiler for GPU kernels in Triton's language" <<- 'END'
	tilec compiles kernels written in Triton's kernel language to PTX, and to
	objects that programs in C and C++ link and call. It needs neither Python
	nor a GPU nor a CUDA toolkit; the same kernels also run on the processor.

	This package has the commands tilec and tilec-run, the language server
	tilec-lsp, and the CMake function tilec_add_library.
	END

  readarray -t files < <(component_files runtime)
  take libtilec-runtime-dev "${files[@]}" lib/cmake/tilec/tilecConfig.cmake lib/cmake/tilec/tilecConfigVersion.cmake
  make_deb libtilec-runtime-dev libdevel "" "host runtime for kernels that tilec has compiled" <<- 'END'
	Programs with kernels that tilec has compiled link this runtime. It launches
	kernels through the CUDA driver, which it opens when it is needed, or on the
	processor.

	This package has the static library, its headers for C and C++, and files for
	CMake and pkg-config.
	END

  take "libtilec$soname" "lib/libtilec.so.$soname" "$library"
  make_deb "libtilec$soname" libs "$c_library" "compiler for GPU kernels, as a library" <<- 'END'
	libtilec compiles kernels written in Triton's kernel language in the program
	that launches them, keeps them in memory and on disk, and tunes them.

	This package has what programs need that were linked with it. LLVM and MLIR
	are inside.
	END

  readarray -t files < <(component_files jit | grep -v '^lib/libtilec\.so\.')
  take libtilec-dev "${files[@]}"
  make_deb libtilec-dev libdevel "libtilec$soname (= $version), libtilec-runtime-dev (= $version)" \
    "compiler for GPU kernels, as a library: development files" <<- 'END'
	libtilec compiles kernels written in Triton's kernel language in the program
	that launches them, keeps them in memory and on disk, and tunes them.

	This package has the headers for C and C++, and files for CMake and
	pkg-config.
	END
}

if wanted deb; then make_debs; fi
if wanted tar; then make_tar; fi
if wanted wheel; then make_wheel; fi
