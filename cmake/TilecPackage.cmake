# What find_package(tilec) gives, for projects of which this one is a part, and for the examples.

if(TILEC_COMPILER)
  execute_process(COMMAND ${TILEC_COMPILER} --version
    RESULT_VARIABLE _result OUTPUT_VARIABLE _version ERROR_VARIABLE _version)
  if(NOT _result EQUAL 0 OR NOT _version MATCHES "^tilec ([0-9.]+)")
    message(FATAL_ERROR "TILEC_COMPILER is no tilec that runs here: ${TILEC_COMPILER}")
  endif()
  # Objects of another version might need another runtime.
  if(NOT CMAKE_MATCH_1 VERSION_EQUAL PROJECT_VERSION)
    message(FATAL_ERROR "TILEC_COMPILER is version ${CMAKE_MATCH_1}, the runtime ${PROJECT_VERSION}")
  endif()
  add_executable(tilec::tilec IMPORTED GLOBAL)
  set_target_properties(tilec::tilec PROPERTIES IMPORTED_LOCATION ${TILEC_COMPILER})
else()
  add_executable(tilec::tilec ALIAS tilec)
  add_executable(tilec::tilec-run ALIAS tilec-run)
  add_library(tilec::jit ALIAS tilec_shared)
endif()
add_library(tilec::runtime ALIAS TilecRuntime)
include(${PROJECT_SOURCE_DIR}/cmake/package/TilecAddLibrary.cmake)
