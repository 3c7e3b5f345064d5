# Looks for the minor version in VERSION_FILE, plus CHANGE.
cmake_minimum_required(VERSION 3.22)
project(find-version LANGUAGES CXX)
file(READ ${VERSION_FILE} _version)
string(REGEX MATCH "^([0-9]+)\\.([0-9]+)" _match ${_version})
math(EXPR _minor "${CMAKE_MATCH_2} + ${CHANGE}")
find_package(tilec ${CMAKE_MATCH_1}.${_minor} REQUIRED)
message(STATUS "found tilec ${tilec_VERSION}")
