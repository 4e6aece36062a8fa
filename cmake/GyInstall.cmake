# GyInstall.cmake - what `cmake --install` lays out: the program, its policy modules, libgpuyard with headers, a CMake
# package and pkg-config files, manual pages, completions and documents.
include(CMakePackageConfigHelpers)

get_property(GY_LIBS GLOBAL PROPERTY GY_LIBRARIES)
get_property(GY_HEADERS GLOBAL PROPERTY GY_PUBLIC_HEADERS)
get_property(GY_SO GLOBAL PROPERTY GY_MODULES)

# libgpuyard: the object code of all folder libraries, and what they need from outside.
set(objects "")
set(needs "")
foreach(library ${GY_LIBS})
  list(APPEND objects $<TARGET_OBJECTS:${library}>)
  get_target_property(links ${library} LINK_LIBRARIES)
  list(APPEND needs ${links})
endforeach()
list(REMOVE_DUPLICATES needs)
list(REMOVE_ITEM needs ${GY_LIBS})
add_library(libgpuyard SHARED ${objects})
set_target_properties(libgpuyard PROPERTIES OUTPUT_NAME gpuyard EXPORT_NAME gpuyard LINKER_LANGUAGE C
                      VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
                      LINK_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/gpuyard.map)
target_link_options(libgpuyard PRIVATE -Wl,--version-script=${CMAKE_CURRENT_LIST_DIR}/gpuyard.map)
target_link_libraries(libgpuyard PRIVATE ${needs})
target_include_directories(libgpuyard INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
add_library(gpuyard::gpuyard ALIAS libgpuyard)

# gpuyard::policy: all that a policy module needs, the one header.
add_library(gpuyard_policy INTERFACE)
set_target_properties(gpuyard_policy PROPERTIES EXPORT_NAME policy)
target_include_directories(gpuyard_policy INTERFACE
  $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/policies/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
add_library(gpuyard::policy ALIAS gpuyard_policy)

# <gpuyard/gpuyard.h>: all public headers.
set(GY_INCLUDES "")
foreach(header ${GY_HEADERS})
  get_filename_component(name ${header} NAME)
  string(APPEND GY_INCLUDES "#include \"${name}\"\n")
endforeach()
configure_file(${CMAKE_CURRENT_LIST_DIR}/gpuyard.h.in ${CMAKE_BINARY_DIR}/install/gpuyard.h @ONLY)

# The files that describe the installation name it relative to themselves, so it may be moved.
set(GY_POLICY_DIR ${CMAKE_INSTALL_LIBDIR}/gpuyard/policies)
set(GY_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/gpuyard)
file(RELATIVE_PATH GY_PC_PREFIX /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
foreach(name gpuyard gpuyard-policy)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/${name}.pc.in ${CMAKE_BINARY_DIR}/install/${name}.pc @ONLY)
endforeach()
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/gpuyard-config.cmake.in
  ${CMAKE_BINARY_DIR}/install/gpuyard-config.cmake INSTALL_DESTINATION ${GY_PACKAGE_DIR}
  PATH_VARS GY_POLICY_DIR NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/install/gpuyard-config-version.cmake
                                 COMPATIBILITY SameMajorVersion)

install(TARGETS gpuyard RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS ${GY_SO} LIBRARY DESTINATION ${GY_POLICY_DIR})
install(TARGETS libgpuyard gpuyard_policy EXPORT gpuyard LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT gpuyard NAMESPACE gpuyard:: FILE gpuyard-targets.cmake DESTINATION ${GY_PACKAGE_DIR})
install(FILES ${CMAKE_BINARY_DIR}/install/gpuyard-config.cmake
              ${CMAKE_BINARY_DIR}/install/gpuyard-config-version.cmake DESTINATION ${GY_PACKAGE_DIR})
install(FILES ${CMAKE_BINARY_DIR}/install/gpuyard.pc ${CMAKE_BINARY_DIR}/install/gpuyard-policy.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${CMAKE_SOURCE_DIR}/policies/include/gpuyard/policy.h ${CMAKE_BINARY_DIR}/install/gpuyard.h
              ${GY_HEADERS} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gpuyard)

install(DIRECTORY ${CMAKE_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md")
install(FILES ${CMAKE_SOURCE_DIR}/README.md ${CMAKE_SOURCE_DIR}/CHANGELOG.md ${CMAKE_SOURCE_DIR}/LICENSE
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
foreach(section 1 3 5)
  file(GLOB pages CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/man/*.${section})
  install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
endforeach()
install(FILES ${CMAKE_SOURCE_DIR}/completions/gpuyard.bash RENAME gpuyard
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${CMAKE_SOURCE_DIR}/completions/_gpuyard DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)

# The program and its modules, without library and tests: for scripts/quickstart.
add_custom_target(program)
add_dependencies(program gpuyard ${GY_SO})
