# Compiler and linker flags for every target of this project: warnings, sanitizers, section
# garbage collection, and ccache and lld where they are present.

add_compile_options(-Wall -Wextra)
if(TILEC_WERROR)
  add_compile_options(-Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports these inside LLVM's own headers, where -isystem does not reach inlined code.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-dangling-reference> -Wno-maybe-uninitialized
                      -Wno-array-bounds -Wno-stringop-overread -Wno-restrict)
  # Other supported compilers need the move from a T into an Expected<T> that GCC calls redundant.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-redundant-move>)
endif()

# CMake's Release flags define NDEBUG. Options come after them, so the assertions can be had with any.
if(TILEC_ASSERTIONS)
  add_compile_options(-UNDEBUG)
endif()

add_compile_options(-ffunction-sections -fdata-sections)
add_link_options(-Wl,--gc-sections -Wl,--as-needed)

# Coverage that libFuzzer follows, and a failure for whatever the sanitizers see.
if(TILEC_FUZZERS)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "TILEC_FUZZERS needs clang, which has libFuzzer")
  endif()
  if(NOT TILEC_SANITIZE)
    set(TILEC_SANITIZE "address,undefined")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link -fno-sanitize-recover=undefined)
endif()

if(TILEC_SANITIZE)
  add_compile_options(-fsanitize=${TILEC_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${TILEC_SANITIZE})
endif()

# A launcher that was chosen stays, and a project that this one is a part of chooses its own.
find_program(TILEC_CCACHE ccache)
if(TILEC_CCACHE AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Precompiled headers are reproducible only without their time stamp.
  set(TILEC_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
      CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} ${TILEC_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${TILEC_LAUNCHER})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${TILEC_LAUNCHER})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
  endif()
endif()

find_program(TILEC_LLD NAMES ld.lld ld.lld-22 HINTS /usr/lib/llvm-22/bin)
if(TILEC_LLD AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_link_options(-fuse-ld=lld)
  if(TILEC_ORDER_FILE)
    if(NOT EXISTS "${TILEC_ORDER_FILE}")
      message(FATAL_ERROR "TILEC_ORDER_FILE names ${TILEC_ORDER_FILE}, which does not exist")
    endif()
    add_link_options(LINKER:--symbol-ordering-file=${TILEC_ORDER_FILE} LINKER:--no-warn-symbol-ordering)
  endif()
elseif(TILEC_ORDER_FILE)
  message(FATAL_ERROR "TILEC_ORDER_FILE needs clang and lld, which link in the order of a file")
endif()
