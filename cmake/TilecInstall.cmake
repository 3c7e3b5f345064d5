# What `cmake --install` takes: three components. utils/package.sh makes packages of them.
#
#   compiler  tilec, tilec-run and tilec-lsp, with man pages and completion, and the CMake function tilec_add_library
#   runtime   the host runtime that programs with compiled kernels link, and its headers
#   jit       libtilec, the compiler as a library, and its headers
#
# `cmake --build build --target uninstall` takes away what the last installation wrote.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# With a compiler from elsewhere there is only the runtime to install.
set(_components compiler runtime jit)
if(TILEC_COMPILER)
  set(_components runtime)
endif()

set(_package ${PROJECT_SOURCE_DIR}/cmake/package)
set(_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tilec)
set(_public ${PROJECT_SOURCE_DIR}/include/tilec)

#===-- Files --------------------------------------------------------------------------------------------===#

set_target_properties(TilecRuntime PROPERTIES EXPORT_NAME runtime)
install(TARGETS TilecRuntime EXPORT tilec-runtime
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime)

# jit.h takes the types of arguments from runtime.h, which needs no library for that.
install(FILES ${_public}/aot.h ${_public}/dlpack.h ${_public}/float16.h ${_public}/float8.h ${_public}/launch.h
              ${_public}/profile.h ${_public}/runtime.h ${_public}/runtime_c.h ${_public}/runtime_status.h
              ${_public}/tensor_descriptor.h ${_public}/torch.h ${PROJECT_BINARY_DIR}/include/tilec/version.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tilec COMPONENT runtime)
if(NOT TILEC_COMPILER)
  install(TARGETS tilec tilec-run tilec-lsp EXPORT tilec-compiler
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT compiler)
  set_target_properties(tilec_shared PROPERTIES EXPORT_NAME jit)
  install(TARGETS tilec_shared EXPORT tilec-jit
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT jit NAMELINK_COMPONENT jit)
  install(FILES ${_public}/jit.h ${_public}/jit_c.h
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tilec COMPONENT jit)
endif()

# The extension for Visual Studio Code, which is copied to where that looks for such.
if(NOT TILEC_COMPILER)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/tools/tilec-lsp/vscode
    DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/tilec COMPONENT compiler)
endif()

# Each component is a package of its own, which carries the license.
foreach(_component IN LISTS _components)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE
    DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/tilec-${_component} COMPONENT ${_component} RENAME copyright)
endforeach()

# Man pages, and completion for bash and zsh, of what --help prints. They need Python to be made.
if(NOT TILEC_COMPILER)
  find_package(Python3 3.8 COMPONENTS Interpreter)
endif()
if(NOT TILEC_COMPILER AND Python3_FOUND)
  set(_share ${PROJECT_BINARY_DIR}/share)
  foreach(_tool tilec tilec-run tilec-lsp)
    list(APPEND _man ${_share}/man/man1/${_tool}.1)
    list(APPEND _bash ${_share}/bash-completion/completions/${_tool})
    list(APPEND _zsh ${_share}/zsh/site-functions/_${_tool})
  endforeach()
  add_custom_command(OUTPUT ${_man} ${_bash} ${_zsh}
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/utils/gen-man.py --out=${_share}
            $<TARGET_FILE:tilec> $<TARGET_FILE:tilec-run> $<TARGET_FILE:tilec-lsp>
    DEPENDS tilec tilec-run tilec-lsp ${PROJECT_SOURCE_DIR}/utils/gen-man.py
    COMMENT "Making man pages and completion of --help"
    VERBATIM)
  add_custom_target(tilec-manual ALL DEPENDS ${_man} ${_bash} ${_zsh})
  set_property(GLOBAL APPEND PROPERTY TILEC_TOOLS tilec-manual) # Tests install what is built.
  install(FILES ${_man} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT compiler)
  install(FILES ${_bash} DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/bash-completion/completions COMPONENT compiler)
  install(FILES ${_zsh} DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/zsh/site-functions COMPONENT compiler)
endif()

#===-- CMake and pkg-config -----------------------------------------------------------------------------===#

foreach(_component IN LISTS _components)
  install(EXPORT tilec-${_component} NAMESPACE tilec:: FILE tilec-${_component}-targets.cmake
    DESTINATION ${_cmake_dir} COMPONENT ${_component})
endforeach()
configure_package_config_file(${_package}/tilecConfig.cmake.in
  ${PROJECT_BINARY_DIR}/package/tilecConfig.cmake INSTALL_DESTINATION ${_cmake_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/tilecConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
# Any component is found through them, so each brings them along.
foreach(_component IN LISTS _components)
  install(FILES ${PROJECT_BINARY_DIR}/package/tilecConfig.cmake
                ${PROJECT_BINARY_DIR}/package/tilecConfigVersion.cmake
    DESTINATION ${_cmake_dir} COMPONENT ${_component})
endforeach()

configure_file(${_package}/tilec-runtime.pc.in ${PROJECT_BINARY_DIR}/package/tilec-runtime.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/tilec-runtime.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT runtime)
if(NOT TILEC_COMPILER)
  install(FILES ${_package}/TilecAddLibrary.cmake DESTINATION ${_cmake_dir} COMPONENT compiler)
  configure_file(${_package}/tilec.pc.in ${PROJECT_BINARY_DIR}/package/tilec.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/package/tilec.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT jit)
endif()

if(PROJECT_IS_TOP_LEVEL)
  add_custom_target(uninstall
    COMMAND ${CMAKE_COMMAND} -DMANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt
            -P ${_package}/uninstall.cmake
    COMMENT "Removing what was installed"
    VERBATIM)
endif()
