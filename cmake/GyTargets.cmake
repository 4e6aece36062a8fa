# GyTargets.cmake - how gpuyard's libraries, policy modules and tests are built.

# Same bits in every build: no contraction into FMA, no fast maths, no machine-dependent code.
set(GY_FLAGS -ffp-contract=off -fno-strict-aliasing)
set(GY_WARNINGS -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
    -Wundef -Wpointer-arith -Wwrite-strings)
if(GY_WERROR)
  list(APPEND GY_WARNINGS -Werror)
endif()
if(GY_SANITIZE)
  list(APPEND GY_FLAGS -fsanitize=${GY_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${GY_SANITIZE})
endif()

function(gy_settings target)
  set_target_properties(${target} PROPERTIES C_STANDARD 17 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF
                        POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET default)
  target_compile_definitions(${target} PRIVATE _POSIX_C_SOURCE=200809L)
  target_compile_options(${target} PRIVATE ${GY_FLAGS} ${GY_WARNINGS})
endfunction()

# gy_library(NAME SOURCES ... HEADERS ... LINKS ...): one static library for each folder, so that a wrong include
# does not compile and a wrong call does not link.  All of them together are libgpuyard (GyInstall.cmake).
function(gy_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;HEADERS;LINKS;DEFINES" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES} ${ARG_HEADERS})
  gy_settings(${name})
  target_include_directories(${name} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC ${ARG_LINKS})
  target_compile_definitions(${name} PRIVATE ${ARG_DEFINES})
  foreach(header ${ARG_HEADERS})
    set_property(GLOBAL APPEND PROPERTY GY_PUBLIC_HEADERS ${CMAKE_CURRENT_SOURCE_DIR}/${header})
  endforeach()
  set_property(GLOBAL APPEND PROPERTY GY_LIBRARIES ${name})
endfunction()

# gy_module(STAGE NAME): policies/STAGE-NAME.c becomes lib/gpuyard/policies/STAGE-NAME.so, which sees the ABI
# header and libc alone.
function(gy_module stage name)
  set(target ${stage}-${name})
  add_library(${target} MODULE ${target}.c)
  gy_settings(${target})
  set_target_properties(${target} PROPERTIES PREFIX "" C_VISIBILITY_PRESET hidden
                        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/gpuyard/policies)
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/policies/include)
  if(NOT GY_SANITIZE)
    target_link_options(${target} PRIVATE -Wl,--no-undefined)
  endif()
  set_property(GLOBAL APPEND PROPERTY GY_MODULES ${target})
endfunction()

# gy_embed(OUT SYMBOL FILES...): the files' bytes as one C table {name, bytes, size}, so that the program carries its
# data with it.
function(gy_embed out symbol)
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DOUT=${out} -DSYMBOL=${symbol} "-DFILES=${ARGN}" -P
            ${CMAKE_SOURCE_DIR}/cmake/GyEmbed.cmake
    DEPENDS ${ARGN} ${CMAKE_SOURCE_DIR}/cmake/GyEmbed.cmake VERBATIM)
endfunction()
