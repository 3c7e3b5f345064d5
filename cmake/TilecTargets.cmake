# Wrappers for this project's targets.
#
#   add_tilec_library(Name SOURCES a.cpp .. [DEPENDS ..] [LLVM component ..] [LINK_LIBS ..] [MLIR])
#     A static library `Name`. Plain C++ by default. LLVM names LLVM components to link; MLIR says
#     that it includes MLIR headers and so shares the precompiled header.
#   add_tilec_tool(name SOURCES .. [LINK_LIBS ..] [LLVM ..] [MLIR])      an executable in build/bin
#   add_tilec_unittest(Name SOURCES .. [LINK_LIBS ..] [LLVM ..] [MLIR])  a GoogleTest binary, run by lit

function(_tilec_common target)
  cmake_parse_arguments(ARG "MLIR" "" "LLVM;LINK_LIBS;DEPENDS" ${ARGN})
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                             $<INSTALL_INTERFACE:include>)
  # Generated code is not ours to warn about.
  target_include_directories(${target} SYSTEM PUBLIC
                             $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>)
  if(ARG_LLVM OR ARG_MLIR)
    target_include_directories(${target} SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>)
    target_compile_definitions(${target} PUBLIC ${TILEC_LLVM_DEFINITIONS})
  endif()
  if(ARG_LLVM)
    tilec_link_llvm(${target} ${ARG_LLVM})
  endif()
  if(ARG_LINK_LIBS)
    target_link_libraries(${target} PUBLIC ${ARG_LINK_LIBS})
  endif()
  if(ARG_DEPENDS)
    add_dependencies(${target} ${ARG_DEPENDS})
  endif()
  if(ARG_MLIR)
    target_precompile_headers(${target} REUSE_FROM tilecPCH)
  endif()
endfunction()

# One precompiled header serves every target that includes MLIR: a file then compiles in a tenth of the
# time.
if(NOT TILEC_COMPILER)
  add_library(tilecPCH OBJECT ${PROJECT_SOURCE_DIR}/cmake/pch.cpp)
  target_include_directories(tilecPCH SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  target_compile_options(tilecPCH PRIVATE -fno-exceptions)
  target_compile_definitions(tilecPCH PRIVATE ${TILEC_LLVM_DEFINITIONS})
  target_precompile_headers(tilecPCH PRIVATE ${PROJECT_SOURCE_DIR}/cmake/pch.h)
endif()

function(add_tilec_library name)
  cmake_parse_arguments(REST "MLIR" "" "SOURCES;LLVM;LINK_LIBS;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${REST_SOURCES})
  if(REST_MLIR)
    set(_mlir MLIR)
  endif()
  _tilec_common(${name} LLVM ${REST_LLVM} LINK_LIBS ${REST_LINK_LIBS} DEPENDS ${REST_DEPENDS}
                ${_mlir})
endfunction()

function(_add_tilec_executable name)
  cmake_parse_arguments(REST "MLIR" "" "SOURCES;LLVM;LINK_LIBS;DEPENDS" ${ARGN})
  add_executable(${name} ${REST_SOURCES})
  # As the libraries are compiled, so that the precompiled header fits.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIC)
  if(REST_MLIR)
    set(_mlir MLIR)
  endif()
  _tilec_common(${name} LLVM ${REST_LLVM} LINK_LIBS ${REST_LINK_LIBS} DEPENDS ${REST_DEPENDS}
                ${_mlir})
  target_link_libraries(${name} PRIVATE Threads::Threads)
endfunction()

# What binaries need to start where glibc is older than here, which glibc-2.28.c explains.
find_library(TILEC_LIBPTHREAD NAMES libpthread.so.0)
find_library(TILEC_LIBDL NAMES libdl.so.2)
set(_older_glibc OFF)
if(TILEC_STATIC AND NOT TILEC_SANITIZE AND TILEC_LIBPTHREAD AND TILEC_LIBDL
   AND CMAKE_SYSTEM_NAME STREQUAL "Linux" AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  set(_older_glibc ON)
  add_library(TilecOlderGlibc OBJECT ${PROJECT_SOURCE_DIR}/cmake/glibc-2.28.c)
endif()
set_property(GLOBAL PROPERTY TILEC_OLDER_GLIBC ${_older_glibc})

# Lets `target` run on distributions with an older or newer C++ library, and with an older glibc.
function(tilec_make_portable target)
  if(TILEC_STATIC AND NOT TILEC_SANITIZE)
    target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc)
  endif()
  get_property(_older_glibc GLOBAL PROPERTY TILEC_OLDER_GLIBC)
  if(_older_glibc)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:TilecOlderGlibc>)
    target_link_options(${target} PRIVATE
      "SHELL:-Wl,--push-state,--no-as-needed ${TILEC_LIBPTHREAD} ${TILEC_LIBDL} -Wl,--pop-state")
  endif()
endfunction()

# Lets a tool start sooner: no addresses of LLVM's tables to relocate, and its static initialisers, which are
# in every object, side by side. A fifth of a small kernel's compilation waits for pages.
function(_tilec_start_quickly target)
  target_link_options(${target} PRIVATE -no-pie)
  if(TILEC_LLD AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_link_options(${target} PRIVATE -Wl,-z,keep-text-section-prefix)
  endif()
endfunction()

function(add_tilec_tool name)
  _add_tilec_executable(${name} ${ARGN})
  tilec_make_portable(${name})
  _tilec_start_quickly(${name})
  set_property(GLOBAL APPEND PROPERTY TILEC_TOOLS ${name})
endfunction()

function(add_tilec_unittest name)
  find_package(GTest REQUIRED)
  _add_tilec_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE GTest::gtest GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY
                        ${PROJECT_BINARY_DIR}/unittests)
  set_property(GLOBAL APPEND PROPERTY TILEC_UNITTESTS ${name})
endfunction()

# Makes the kernel files of the examples `ARGN` string literals, <name>.py.inc, that `target` can include.
function(tilec_embed_kernels target)
  set(_script ${PROJECT_SOURCE_DIR}/examples/embed.cmake)
  foreach(_kernel IN LISTS ARGN)
    set(_source ${PROJECT_SOURCE_DIR}/examples/${_kernel}/${_kernel}.py)
    set(_embedded ${CMAKE_CURRENT_BINARY_DIR}/${_kernel}.py.inc)
    add_custom_command(
      OUTPUT ${_embedded}
      COMMAND ${CMAKE_COMMAND} -DINPUT=${_source} -DOUTPUT=${_embedded} -P ${_script}
      DEPENDS ${_source} ${_script}
      VERBATIM)
    target_sources(${target} PRIVATE ${_embedded})
  endforeach()
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
endfunction()

# An executable in build/unittests of the first C++ program in the page `page`.
function(tilec_program_from_page name page)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page})
  file(READ ${page} _text)
  string(FIND "${_text}" "```cpp\n#include" _start)
  string(SUBSTRING "${_text}" ${_start} -1 _text)
  string(REPLACE "```cpp\n#include" "#include" _text "${_text}")
  string(FIND "${_text}" "```" _end)
  string(SUBSTRING "${_text}" 0 ${_end} _text)
  file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp CONTENT "${_text}")
  add_executable(${name} ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/unittests)
endfunction()
