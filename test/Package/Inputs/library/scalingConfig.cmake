include(CMakeFindDependencyMacro)
find_dependency(tilec COMPONENTS runtime)
include(${CMAKE_CURRENT_LIST_DIR}/scaling-targets.cmake)
