# Finds LLVM and MLIR 22 and repairs what a static link needs.
#
# The packaged MLIR archives name the shared libraries LLVM and MLIR among their dependencies.
# Linking an archive as it is would load a second copy of both, and two copies of LLVM's global
# state crash inside the code generator. So those names are taken out, and the LLVM components a
# target needs are linked by name (tilec_link_llvm).

find_package(MLIR REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
if(NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR "tilec needs LLVM and MLIR 22, found ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR}")
endif()
message(STATUS "MLIR ${MLIR_DIR}, LLVM ${LLVM_PACKAGE_VERSION}")

list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
separate_arguments(TILEC_LLVM_DEFINITIONS NATIVE_COMMAND "${LLVM_DEFINITIONS}")

find_program(LLVM_TABLEGEN_EXE llvm-tblgen HINTS ${LLVM_TOOLS_BINARY_DIR} NO_DEFAULT_PATH REQUIRED)
include(TableGen)
include(AddLLVM)
include(AddMLIR)

if(TILEC_STATIC)
  get_property(_mlir_libs GLOBAL PROPERTY MLIR_ALL_LIBS)
  foreach(_lib IN LISTS _mlir_libs)
    if(TARGET ${_lib})
      get_target_property(_deps ${_lib} INTERFACE_LINK_LIBRARIES)
      if(_deps)
        list(REMOVE_ITEM _deps LLVM MLIR)
        set_property(TARGET ${_lib} PROPERTY INTERFACE_LINK_LIBRARIES ${_deps})
      endif()
    endif()
  endforeach()
endif()

if(TILEC_STATIC)
  # What the archives do use of LLVM; everything but MLIRPresburger depends on the first of them.
  llvm_map_components_to_libnames(_support support targetparser remarks)
  llvm_map_components_to_libnames(_core core asmparser binaryformat bitreader bitwriter)
  llvm_map_components_to_libnames(_translate transformutils frontendopenmp)
  set_property(TARGET MLIRSupport APPEND PROPERTY INTERFACE_LINK_LIBRARIES ${_support})
  set_property(TARGET MLIRPresburger APPEND PROPERTY INTERFACE_LINK_LIBRARIES ${_support})
  set_property(TARGET MLIRLLVMDialect APPEND PROPERTY INTERFACE_LINK_LIBRARIES ${_core})
  set_property(TARGET MLIRTargetLLVMIRExport APPEND PROPERTY INTERFACE_LINK_LIBRARIES ${_translate})
endif()

# Nothing dynamic but glibc. Of the libraries that the package of LLVM names, Z3 is for a solver that no part
# of tilec has.
if(TILEC_STATIC)
  find_library(TILEC_ZLIB NAMES libz.a)
  find_library(TILEC_ZSTD NAMES libzstd.a)
  get_target_property(_deps LLVMSupport INTERFACE_LINK_LIBRARIES)
  list(FILTER _deps EXCLUDE REGEX "libz3\\.")
  if(TILEC_ZLIB)
    list(TRANSFORM _deps REPLACE "^ZLIB::ZLIB$" "${TILEC_ZLIB}")
  endif()
  if(TILEC_ZSTD)
    list(TRANSFORM _deps REPLACE "^zstd::libzstd_(shared|static)$" "${TILEC_ZSTD}")
  endif()
  set_property(TARGET LLVMSupport PROPERTY INTERFACE_LINK_LIBRARIES ${_deps})
endif()

# Links LLVM components (names as llvm-config knows them) into `target`.
function(tilec_link_llvm target)
  if(TILEC_STATIC)
    llvm_map_components_to_libnames(_libs ${ARGN})
    target_link_libraries(${target} PUBLIC ${_libs})
  else()
    target_link_libraries(${target} PUBLIC LLVM)
  endif()
endfunction()
