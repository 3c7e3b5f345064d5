# tilec_add_library(name SOURCES file.py ..
#                   [INCLUDE_DIRS folder ..]
#                   [ARCHS arch ..] [NAMESPACE namespace] [KERNELS kernel ..]
#                   [SIGNATURES [[kernel][@name]:]types ..] [DEFINITIONS [kernel.]NAME=value[,value] ..]
#                   [GRIDS [kernel:]expressions ..] [REQUIRES [kernel:]condition ..]
#                   [OPTIONS option ..])
#
# Compiles kernels ahead of time to a static library `name`, and to a header <name>.h that programs
# which link it can include. It is built again when a source changes, or a file that it imports;
# INCLUDE_DIRS are further folders to look for those in. ARCHS are those of `tilec
# --arch`, sm_80 sm_90a compute_80 x86-64-v3; the default is tilec's. NAMESPACE is `name` by default.
# SOURCES exist, or are what an add_custom_command before makes. A project for aarch64 gets objects for it, whose processor is called aarch64. OPTIONS go to tilec as they are. Needs the component compiler, and for the link the runtime.
#
# install(TARGETS name EXPORT ..) installs the library with its header, and install(EXPORT ..) exports it; a
# package that includes the export finds tilec's component runtime first.
function(tilec_add_library name)
  set(_keywords SOURCES INCLUDE_DIRS ARCHS NAMESPACE KERNELS SIGNATURES DEFINITIONS GRIDS
                REQUIRES OPTIONS)
  _tilec_check_keywords("tilec_add_library(${name})" "${_keywords}" "${ARGN}")
  set(_lists ${_keywords})
  list(REMOVE_ITEM _lists NAMESPACE)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "NAMESPACE" "${_lists}")
  list(JOIN _keywords ", " _known)
  if(ARG_UNPARSED_ARGUMENTS)
    list(JOIN ARG_UNPARSED_ARGUMENTS " " _unexpected)
    message(FATAL_ERROR "tilec_add_library(${name}): unexpected '${_unexpected}'; after the name, each "
      "value follows one of the keywords ${_known}")
  endif()
  if(NOT ARG_SOURCES)
    message(FATAL_ERROR "tilec_add_library(${name}): there are no SOURCES; write SOURCES file.py")
  endif()
  if(NOT TARGET tilec::runtime)
    message(FATAL_ERROR "tilec_add_library(${name}) needs find_package(tilec COMPONENTS compiler runtime)")
  endif()
  if(NOT ARG_NAMESPACE)
    set(ARG_NAMESPACE ${name})
  endif()

  set(_options --namespace=${ARG_NAMESPACE})
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    list(APPEND _options --host=aarch64)
  endif()
  foreach(_list ARCHS KERNELS)
    list(JOIN ARG_${_list} "," _joined)
    set(_${_list} "${_joined}")
  endforeach()
  if(_ARCHS)
    list(APPEND _options --arch=${_ARCHS})
  endif()
  if(_KERNELS)
    list(APPEND _options --kernel=${_KERNELS})
  endif()
  foreach(_signature IN LISTS ARG_SIGNATURES)
    list(APPEND _options --sig=${_signature})
  endforeach()
  foreach(_definition IN LISTS ARG_DEFINITIONS)
    list(APPEND _options -D${_definition})
  endforeach()
  foreach(_grid IN LISTS ARG_GRIDS)
    list(APPEND _options --grid=${_grid})
  endforeach()
  foreach(_condition IN LISTS ARG_REQUIRES)
    list(APPEND _options --require=${_condition})
  endforeach()

  foreach(_folder IN LISTS ARG_INCLUDE_DIRS)
    get_filename_component(_folder ${_folder} ABSOLUTE)
    list(APPEND _options -I ${_folder})
  endforeach()

  set(_sources)
  foreach(_source IN LISTS ARG_SOURCES)
    get_filename_component(_path ${_source} ABSOLUTE)
    _tilec_check_source("tilec_add_library(${name})" ${_source} ${_path})
    list(APPEND _sources ${_path})
  endforeach()
  set(_folder ${CMAKE_CURRENT_BINARY_DIR}/${name}.tilec)
  file(MAKE_DIRECTORY ${_folder})
  add_custom_command(
    OUTPUT ${_folder}/${name}.o ${_folder}/${name}.h
    COMMAND tilec::tilec ${_sources} ${_options} ${ARG_OPTIONS} -o ${_folder}/${name}.o
            --header=${_folder}/${name}.h -MD -MF ${_folder}/${name}.d
    DEPENDS ${_sources} tilec::tilec
    DEPFILE ${_folder}/${name}.d
    COMMENT "Compiling kernels of ${name}"
    VERBATIM)

  set_source_files_properties(${_folder}/${name}.o PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  add_library(${name} STATIC ${_folder}/${name}.o ${_folder}/${name}.h)
  # There is no source from which CMake could tell; any language that is on will do for an archive.
  get_property(_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  foreach(_language C CXX)
    if(_language IN_LIST _languages)
      set_target_properties(${name} PROPERTIES LINKER_LANGUAGE ${_language})
    endif()
  endforeach()
  if(CXX IN_LIST _languages)
    target_compile_features(${name} INTERFACE cxx_std_17)
  endif()
  set_target_properties(${name} PROPERTIES PUBLIC_HEADER ${_folder}/${name}.h)
  set(_include include)
  if(CMAKE_INSTALL_INCLUDEDIR)
    set(_include ${CMAKE_INSTALL_INCLUDEDIR})
  endif()
  target_include_directories(${name} INTERFACE $<BUILD_INTERFACE:${_folder}> $<INSTALL_INTERFACE:${_include}>)
  target_link_libraries(${name} INTERFACE tilec::runtime)
endfunction()

# Sets `result` to the one of `keywords` for which `word` stands, or to nothing: one that it is
# another form of, or from which it differs in a letter or in the order of two neighbours.
function(_tilec_closest_keyword word keywords result)
  set(${result} "" PARENT_SCOPE)
  set(_SOURCES_forms SRC SRCS)
  set(_INCLUDE_DIRS_forms INCLUDE INCLUDES INCLUDE_DIRECTORIES)
  set(_ARCHS_forms ARCHES ARCHITECTURE ARCHITECTURES)
  set(_SIGNATURES_forms SIG SIGS)
  set(_DEFINITIONS_forms DEFINE DEFINES)
  foreach(_keyword IN LISTS keywords)
    if(word IN_LIST _${_keyword}_forms)
      set(${result} ${_keyword} PARENT_SCOPE)
      return()
    endif()
    # Each pattern lets one place of the keyword differ.
    string(LENGTH "${_keyword}" _last)
    math(EXPR _last "${_last} - 1")
    foreach(_place RANGE ${_last})
      math(EXPR _next "${_place} + 1")
      string(SUBSTRING "${_keyword}" 0 ${_place} _before)
      string(SUBSTRING "${_keyword}" ${_next} -1 _after)
      string(SUBSTRING "${_keyword}" ${_place} 1 _letter)
      if(word MATCHES "^${_before}(.?|.${_letter}|${_letter}.)${_after}$")
        set(${result} ${_keyword} PARENT_SCOPE)
        return()
      endif()
      if(_place LESS _last)
        string(SUBSTRING "${_keyword}" ${_next} 1 _second)
        math(EXPR _next "${_next} + 1")
        string(SUBSTRING "${_keyword}" ${_next} -1 _after)
        if(word STREQUAL "${_before}${_second}${_letter}${_after}")
          set(${result} ${_keyword} PARENT_SCOPE)
          return()
        endif()
      endif()
    endforeach()
  endforeach()
endfunction()

# A source that is not there would be an error of make alone, with no word of who wants it.
function(_tilec_check_source caller source path)
  get_source_file_property(_generated ${path} GENERATED)
  if(_generated OR EXISTS ${path})
    return()
  endif()
  get_filename_component(_folder ${path} DIRECTORY)
  get_filename_component(_name ${path} NAME)
  file(GLOB _others RELATIVE ${_folder} ${_folder}/*.py)
  # Names become part of regular expressions.
  list(FILTER _others INCLUDE REGEX "^[A-Za-z0-9_.-]+$")
  _tilec_closest_keyword(${_name} "${_others}" _near)
  if(_near)
    message(FATAL_ERROR "${caller}: the kernel file '${source}' does not exist in '${_folder}'; did you mean "
      "'${_near}'?")
  endif()
  message(FATAL_ERROR "${caller}: the kernel file '${source}' does not exist ('${path}'); one that the build makes "
    "needs its add_custom_command, or the property GENERATED, before")
endfunction()

# A misspelt keyword would become one more value of the keyword before it. A kernel or namespace in
# capitals that looks like one is possible through OPTIONS: --kernel=SOURCE.
function(_tilec_check_keywords caller keywords arguments)
  foreach(_argument IN LISTS arguments)
    if(NOT _argument MATCHES "^[A-Z][A-Z_]+$" OR _argument IN_LIST keywords)
      continue()
    endif()
    _tilec_closest_keyword(${_argument} "${keywords}" _near)
    if(_near)
      message(FATAL_ERROR "${caller}: unexpected '${_argument}'; did you mean ${_near}?")
    endif()
  endforeach()
endfunction()
