# With QUIRE_LARGE_UNITS, tests of a folder that link the same libraries are compiled as one file and linked as one
# program: most of the time to compile a test goes into the headers that it includes. ctest runs each by itself all the
# same: its name is the program's first argument (tests/support/joined_main.h). Each test also keeps a target of its own,
# which is built only by its name. Each file is included in a namespace of its own, behind the headers of all of them.

# How many tests are compiled as one file.
set(QUIRE_JOINED_TESTS 8)

# The tests beside the fuzzers are built by name, and few of a folder.
set(QUIRE_JOIN_TESTS OFF)
if(QUIRE_LARGE_UNITS AND NOT QUIRE_FUZZ AND NOT CMAKE_CROSSCOMPILING)
  set(QUIRE_JOIN_TESTS ON)
endif()

# quire_test_command(RESULT NAME): what starts a test: its own program, or one of several tests and its name.
function(quire_test_command result name)
  set(${result} ${name} PARENT_SCOPE)
  if(QUIRE_JOIN_TESTS)
    set(${result} $<TARGET_FILE:$<TARGET_PROPERTY:${name},QUIRE_TEST_PROGRAM>>
      $<TARGET_PROPERTY:${name},QUIRE_TEST_ARGUMENT> PARENT_SCOPE)
  endif()
endfunction()

# quire_join_later(NAME): puts this test into a program with others at the end of the folder, when its targets are
# complete.
function(quire_join_later name)
  if(NOT QUIRE_JOIN_TESTS)
    return()
  endif()
  set_target_properties(${name} PROPERTIES QUIRE_TEST_PROGRAM ${name} QUIRE_TEST_ARGUMENT "")
  get_directory_property(waiting QUIRE_WAITING_TESTS)
  if(NOT waiting)
    cmake_language(DEFER CALL quire_join_tests)
  endif()
  set_property(DIRECTORY APPEND PROPERTY QUIRE_WAITING_TESTS ${name})
endfunction()

# quire_test_key(RESULT NAME): what the tests of one program have in common, as a name of a variable. Empty for a test that
# has to stay alone: its file has macros, opens a namespace, specialises a template, replaces `new`, or asks for its
# program.
function(quire_test_key result name)
  set(${result} "" PARENT_SCOPE)
  get_target_property(file ${name} QUIRE_TEST_FILE)
  set(alone "^ *# *(define|if|undef|pragma)|^namespace [A-Za-z_:]+ {|^template ?<>|Q_DECLARE_METATYPE")
  file(STRINGS ${file} found REGEX "${alone}|extern \"C\"|operator new|applicationFilePath|program_path|/proc/self/exe")
  if(found)
    return()
  endif()
  get_target_property(sources ${name} SOURCES)
  list(FILTER sources EXCLUDE REGEX "(^|/)${name}\\.(cpp|moc)$")
  set(key "${sources}")
  foreach(property QUIRE_TEST_HEADERS LINK_LIBRARIES COMPILE_DEFINITIONS COMPILE_OPTIONS MANUALLY_ADDED_DEPENDENCIES)
    get_target_property(value ${name} ${property})
    string(APPEND key "|${value}")
  endforeach()
  string(SHA1 key "${key}")
  set(${result} tests_${key} PARENT_SCOPE)
endfunction()

# Called at the end of a folder.
function(quire_join_tests)
  get_directory_property(waiting QUIRE_WAITING_TESTS)
  set(keys)
  foreach(name ${waiting})
    quire_test_key(key ${name})
    if(NOT key)
      continue()
    endif()
    list(APPEND keys ${key})
    list(APPEND ${key} ${name})
    list(LENGTH ${key} number)
    if(number EQUAL QUIRE_JOINED_TESTS)
      quire_joined_program(${${key}})
      set(${key})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES keys)
  foreach(key ${keys})
    list(LENGTH ${key} number)
    if(number GREATER 1)
      quire_joined_program(${${key}})
    endif()
  endforeach()
endfunction()

# quire_joined_program(NAME...): one program of these tests, called after the first.
function(quire_joined_program first)
  set(program joined_${first})
  quire_joined_source(source ${first} ${ARGN})
  get_target_property(sources ${first} SOURCES)
  list(FILTER sources EXCLUDE REGEX "(^|/)${first}\\.(cpp|moc)$")
  add_executable(${program} ${source} ${sources})
  foreach(property LINK_LIBRARIES COMPILE_DEFINITIONS COMPILE_OPTIONS INCLUDE_DIRECTORIES)
    get_target_property(value ${first} ${property})
    if(value)
      set_target_properties(${program} PROPERTIES ${property} "${value}")
    endif()
  endforeach()
  get_target_property(headers ${first} QUIRE_TEST_HEADERS)
  quire_precompile_from(${program} ${headers})
  get_target_property(dependencies ${first} MANUALLY_ADDED_DEPENDENCIES)
  if(dependencies)
    add_dependencies(${program} ${dependencies})
  endif()
  foreach(name ${first} ${ARGN})
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON
      QUIRE_TEST_PROGRAM ${program} QUIRE_TEST_ARGUMENT ${name})
    target_sources(${program} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/${name}_moc/${name}.moc)
    target_include_directories(${program} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/${name}_moc)
  endforeach()
endfunction()

# quire_joined_source(RESULT NAME...): the file that includes these tests, and runs the one that its argument names.
function(quire_joined_source result)
  set(headers)
  set(namespaces)
  set(entries)
  foreach(name ${ARGN})
    get_target_property(file ${name} QUIRE_TEST_FILE)
    get_filename_component(file ${file} ABSOLUTE)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(STRINGS ${file} includes REGEX "^#include [<\"].*[>\"]")
    list(FILTER includes EXCLUDE REGEX "\\.moc\"")
    list(APPEND headers ${includes})
    string(APPEND namespaces "namespace ${name}_program {\n#include \"${file}\"\n}\n")
    string(APPEND entries "      {\"${name}\", ${name}_program::main},\n")
  endforeach()
  list(REMOVE_DUPLICATES headers)
  list(JOIN headers "\n" headers)
  list(GET ARGN 0 first)
  set(path ${CMAKE_CURRENT_BINARY_DIR}/joined_${first}.cpp)
  file(CONFIGURE OUTPUT ${path} CONTENT "#include <QtCore/qmetatype.h>
@headers@
#include \"tests/support/joined_main.h\"
@namespaces@
int main(int argc, char** argv) {
  return quire::test::run_joined(argc, argv, {
@entries@  });
}
" @ONLY)
  set(${result} ${path} PARENT_SCOPE)
endfunction()
