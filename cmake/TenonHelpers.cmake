# The functions that our CMakeLists.txt files use.

set(TENON_MLIR_INCLUDES ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})

# One precompiled header for every library that uses MLIR: parsing MLIR's
# headers and the dialect's takes most of the build. Only the PCH file is passed:
# the header itself would add the build tree's path to every command and defeat
# compiler caches.
set(CMAKE_CXX_COMPILE_OPTIONS_USE_PCH -Xclang -include-pch -Xclang <PCH_FILE>)
# The project's headers in it, and what they are made of.
file(GLOB TENON_PRECOMPILED CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/Precompiled.h
     ${CMAKE_SOURCE_DIR}/dialects/tenon/*.h ${CMAKE_SOURCE_DIR}/dialects/tenon/*.td)

# The precompiled header of `target`. It contains paths of the build tree; so
# that two trees can share what a compiler cache holds, the file beside it tells
# the cache what it depends on: the headers, the options and the MLIR package.
function(tenon_precompile target)
  target_precompile_headers(${target} PRIVATE ${CMAKE_SOURCE_DIR}/cmake/Precompiled.h)
  file(TIMESTAMP ${MLIR_CMAKE_DIR}/MLIRConfig.cmake package)
  get_target_property(options ${target} COMPILE_OPTIONS)
  set(sum ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/cmake_pch.hxx.pch.sum)
  set(script ${CMAKE_SOURCE_DIR}/cmake/SumOfHeaders.cmake)
  add_custom_command(
    OUTPUT ${sum}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${sum} "-DHEADERS=${TENON_PRECOMPILED}"
            "-DTEXT=${LLVM_PACKAGE_VERSION} ${package} ${options} ${CMAKE_BUILD_TYPE} ${CMAKE_CXX_FLAGS}" -P ${script}
    DEPENDS ${TENON_PRECOMPILED} ${script}
    VERBATIM)
  add_custom_target(${target}_sum DEPENDS ${sum})
  add_dependencies(${target} ${target}_sum TenonOpsIncGen)
endfunction()

function(tenon_mlir_pch)
  file(WRITE ${CMAKE_BINARY_DIR}/tenon_pch.cpp "// The host of the precompiled header.\n")
  add_library(tenon_pch OBJECT ${CMAKE_BINARY_DIR}/tenon_pch.cpp)
  target_include_directories(tenon_pch SYSTEM PUBLIC ${TENON_MLIR_INCLUDES})
  # Ignore timestamps: a package manager may install a header with a time older
  # than the build tree. Ninja does not notice, but Clang would refuse the PCH.
  target_compile_options(tenon_pch PRIVATE -fno-rtti -Wall -Wextra -Wno-unused-parameter "SHELL:-Xclang -fno-pch-timestamp")
  tenon_precompile(tenon_pch)
endfunction()

# tenon_library(NAME SOURCES... [LINK LIBS...]): a static library that uses
# MLIR.
function(tenon_library name)
  cmake_parse_arguments(ARG "" "" "LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  target_include_directories(${name} SYSTEM PUBLIC ${TENON_MLIR_INCLUDES})
  target_compile_options(${name} PRIVATE -fno-rtti -Wall -Wextra -Wno-unused-parameter)
  target_precompile_headers(${name} REUSE_FROM tenon_pch)
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# tenon_passes(ROOM SOURCES... [LINK LIBS...]): the library of one folder of
# passes with its Passes.td.
function(tenon_passes room)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  string(SUBSTRING ${room} 0 1 first)
  string(TOUPPER ${first} first)
  string(SUBSTRING ${room} 1 -1 rest)
  set(camel ${first}${rest})
  set(LLVM_TARGET_DEFINITIONS Passes.td)
  mlir_tablegen(Passes.h.inc -gen-pass-decls -name Tenon${camel})
  add_public_tablegen_target(Tenon${camel}PassesIncGen)
  tenon_library(Tenon${camel} ${ARG_UNPARSED_ARGUMENTS} LINK TenonDialect ${ARG_LINK}
                DEPENDS Tenon${camel}PassesIncGen)
endfunction()

# tenon_sources(OUT TARGETS...): the absolute paths of the targets' sources, for programs that build them again,
# instrumented.
function(tenon_sources out)
  set(paths)
  foreach(target ${ARGN})
    get_target_property(sources ${target} SOURCES)
    get_target_property(folder ${target} SOURCE_DIR)
    foreach(source ${sources})
      get_filename_component(source ${source} ABSOLUTE BASE_DIR ${folder})
      list(APPEND paths ${source})
    endforeach()
  endforeach()
  set(${out} ${paths} PARENT_SCOPE)
endfunction()

# tenon_tool(NAME SOURCES... [LINK LIBS...]): an executable in bin/. Its code is
# position-independent as a library's is, as the precompiled header asks.
function(tenon_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  target_include_directories(${name} SYSTEM PRIVATE ${TENON_MLIR_INCLUDES})
  target_compile_options(${name} PRIVATE -fPIC -fno-rtti -Wall -Wextra -Wno-unused-parameter)
  target_precompile_headers(${name} REUSE_FROM tenon_pch)
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
endfunction()

# tenon_embed(SYMBOL FILE) embeds a file in a program: it makes SYMBOL.c in
# this build folder.
function(tenon_embed symbol file)
  add_custom_command(
    OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${symbol}.c
    COMMAND ${CMAKE_COMMAND} -DINPUT=${file} -DOUTPUT=${CMAKE_CURRENT_BINARY_DIR}/${symbol}.c
            -DSYMBOL=${symbol} -P ${PROJECT_SOURCE_DIR}/cmake/EmbedBytes.cmake
    DEPENDS ${file} ${PROJECT_SOURCE_DIR}/cmake/EmbedBytes.cmake
    VERBATIM)
endfunction()
