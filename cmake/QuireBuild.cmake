# Settings shared by every target: the language, warnings, sanitizers, ccache, where programs go.

get_filename_component(QUIRE_ROOT ${CMAKE_CURRENT_LIST_DIR}/.. ABSOLUTE)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

set(QUIRE_SANITIZE "" CACHE STRING "Sanitizers, such as address,undefined or thread")
if(QUIRE_SANITIZE)
  add_compile_options(-fsanitize=${QUIRE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${QUIRE_SANITIZE})
  if(QUIRE_SANITIZE MATCHES thread)
    # GCC loses sight of what is written beside the sanitizer's calls.
    add_compile_options(-Wno-maybe-uninitialized)
  endif()
endif()

option(QUIRE_FUZZ "Build the fuzzers of tests/fuzz instead of the tests (needs clang)" OFF)
if(QUIRE_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "QUIRE_FUZZ needs clang, for libFuzzer: use the preset `fuzz`.")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# The sanitizers check few instructions' loops as well as all of them, and the other variants take clang minutes.
option(QUIRE_ONLY_AVX2 "Of the processor's kernels, build the scalar and the AVX2 ones alone" OFF)
if(QUIRE_ONLY_AVX2)
  add_compile_definitions(QUIRE_ONLY_AVX2)
endif()

if(WIN32)
  add_compile_definitions(_USE_MATH_DEFINES)  # M_SQRT1_2 and the like, which POSIX has.
endif()

# What users run is hardened: a write beyond a buffer, an index beyond a vector or a changed table of functions ends the
# program instead of going on (docs/security.md; tests/hostile/tst_hardening). The options are the same for all
# targets, because targets share precompiled headers. Distributions' own _FORTIFY_SOURCE is replaced.
include(CheckPIESupported)
check_pie_supported(LANGUAGES CXX)
if(NOT QUIRE_SANITIZE AND NOT QUIRE_FUZZ)
  set(QUIRE_HARDENING -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -D_GLIBCXX_ASSERTIONS)
  if(NOT WIN32)  # Where each page of a large frame is touched anyway, and GCC 12 fails with it.
    list(INSERT QUIRE_HARDENING 1 -fstack-clash-protection)
  endif()
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    list(APPEND QUIRE_HARDENING -fcf-protection)
  endif()
  add_compile_options("$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:${QUIRE_HARDENING}>")
  if(WIN32)
    # The guard's functions are in a library there, which is linked by the same option.
    add_link_options("$<$<CONFIG:Release>:-fstack-protector-strong>")
  else()
    add_link_options("$<$<CONFIG:Release>:LINKER:-z,relro,-z,now,-z,noexecstack>")
  endif()
endif()

# quire_without_checks(TARGET): leaves out the checks that cost time in inner loops, for arithmetic on sizes that were
# checked before. The target has no precompiled headers.
function(quire_without_checks name)
  if(QUIRE_HARDENING)
    target_compile_options(${name} PRIVATE "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-fno-stack-protector;-U_GLIBCXX_ASSERTIONS>")
  endif()
endfunction()

# What a package needs (docs/packages.md): libutf8proc within the programs, because its soname differs between the systems
# that one package is for.
option(QUIRE_PACKAGE "Build the programs as packages hold them" OFF)
set(QUIRE_UTF8PROC_NAME utf8proc)
if(QUIRE_PACKAGE)
  set(QUIRE_UTF8PROC_NAME libutf8proc.a)
endif()

# Failed checks name their file. The option that is given last is tried first: the build folder usually lies within the
# sources. With CCACHE_BASEDIR the compiler gets paths relative to the build folder.
option(QUIRE_NEUTRAL_PATHS "Keep the names of this machine's folders out of the programs" OFF)
if(QUIRE_NEUTRAL_PATHS)
  file(RELATIVE_PATH quire_from_build ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR})
  foreach(map ${quire_from_build}= ${CMAKE_SOURCE_DIR}/= ${CMAKE_BINARY_DIR}/=build/)
    set(map -ffile-prefix-map=${map})
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:${map}> $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${map}>)
  endforeach()
endif()

find_program(QUIRE_CCACHE ccache)
if(QUIRE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${QUIRE_CCACHE})
endif()

# Numbers must not depend on how the compiler contracts a*b+c: kernels ask for fused operations by name.
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>)

# Most of the time to compile a small file goes into the headers that it includes. Compiling several files as one
# reads those headers once. Names in anonymous namespaces must therefore differ within a library.
option(QUIRE_UNITY "Compile several source files of a library as one" ON)
# For a build of everything (continuous integration): more files of a library as one, the tests of a folder as one program
# (tests/joined_tests.cmake), -O1 outside kernels/ and platform/, and -O0 for most tests, all benchmarks, and what
# quire_quickly_sanitized() names. All is built sooner, but a change later; and what GCC warns of at -O3 alone, or a missing
# include in a single file, is seen by users first.
option(QUIRE_QUICK_BUILD "Compile more files as one, tests of a folder as one program, and most with less optimisation" OFF)

# quire_library(NAME SOURCES... [LIBS...] [BATCH n]): a static library of this project, warnings as errors; n source
# files (4 unless told, or 16 with QUIRE_QUICK_BUILD; 1: none together) are compiled as one. Sources include each other
# from the repository's root: "engine/cache/block_pool.h".
function(quire_library name)
  cmake_parse_arguments(ARG "" "BATCH" "SOURCES;LIBS;PRIVATE_LIBS" ${ARGN})
  if(NOT ARG_BATCH)
    set(ARG_BATCH 4)
    if(QUIRE_QUICK_BUILD)
      set(ARG_BATCH 16)
    endif()
  endif()
  add_library(${name} STATIC ${ARG_SOURCES})
  if(QUIRE_UNITY AND ARG_BATCH GREATER 1)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${ARG_BATCH})
  endif()
  quire_target(${name})
  target_link_libraries(${name} PUBLIC ${ARG_LIBS} PRIVATE ${ARG_PRIVATE_LIBS})
endfunction()

# Designated initialisers leave out what has a default; GCC 12 would warn of each.
function(quire_target name)
  target_include_directories(${name} PUBLIC ${QUIRE_ROOT})
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Werror
    -Wno-missing-field-initializers
    # In a unity build GCC takes an anonymous namespace for one of a header.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>
    # GCC 12 warns of its own std::string (gcc.gnu.org/PR105651).
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>)
endfunction()

# quire_joined(RESULT NAME SOURCE...): sets RESULT to these sources or, with QUIRE_QUICK_BUILD, to one generated file, NAME in
# the build folder, that includes them. So names in their anonymous namespaces must differ.
function(quire_joined result name)
  set(${result} ${ARGN} PARENT_SCOPE)
  if(QUIRE_QUICK_BUILD)
    set(content "")
    foreach(source ${ARGN})
      get_filename_component(source ${source} ABSOLUTE)
      string(APPEND content "#include \"${source}\"\n")
    endforeach()
    file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name} CONTENT "${content}" @ONLY)
    set(${result} ${CMAKE_CURRENT_BINARY_DIR}/${name} PARENT_SCOPE)
  endif()
endfunction()

# quire_quickly_sanitized(TARGET): with QUIRE_QUICK_BUILD and a sanitizer compiled with -O0, in half of the time. For what
# few inputs go through in such a build.
function(quire_quickly_sanitized name)
  if(QUIRE_QUICK_BUILD AND QUIRE_SANITIZE)
    target_compile_options(${name} PRIVATE -O0)
  endif()
endfunction()

# quire_large_units(TARGET n): n of its files are compiled as one with QUIRE_QUICK_BUILD.
function(quire_large_units name batch)
  if(QUIRE_QUICK_BUILD)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${batch})
  endif()
endfunction()
