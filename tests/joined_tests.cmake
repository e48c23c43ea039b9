# With QUIRE_QUICK_BUILD, tests of a folder are compiled as one file and linked as one program: most of the time to compile
# a test goes into the headers that it includes. ctest runs each by itself all the same: its name is the program's first
# argument (tests/support/joined_main.h). Each test also keeps a target of its own, which is built only by its name. Each
# file is included in a namespace of its own, behind the headers of all of them.

# How many tests are compiled as one file.
set(QUIRE_JOINED_TESTS 16)

# The tests beside the fuzzers are built by name, and few of a folder.
set(QUIRE_JOIN_TESTS OFF)
if(QUIRE_QUICK_BUILD AND NOT QUIRE_FUZZ AND NOT CMAKE_CROSSCOMPILING)
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

# The properties that a program joins from all of its tests. Duplicates are removed, so an option must be a single word:
# of two options of two words (-x c++ -x c) the second "-x" would be lost.
set(QUIRE_JOINED_PROPERTIES LINK_LIBRARIES LINK_OPTIONS COMPILE_DEFINITIONS COMPILE_OPTIONS INCLUDE_DIRECTORIES)

# quire_test_key(RESULT NAME): what the tests of one program have in common, as a name of a variable. Empty for a test that
# has to stay alone: its file has macros, opens a namespace, specialises a template, or asks for its program; or one of
# its sources replaces `new` or functions of the C library.
function(quire_test_key result name)
  set(${result} "" PARENT_SCOPE)
  get_target_property(file ${name} QUIRE_TEST_FILE)
  set(alone "^ *# *(define|if|undef|pragma)|^namespace [A-Za-z_:]+ {|^template ?<>|Q_DECLARE_METATYPE")
  file(STRINGS ${file} found REGEX "${alone}|applicationFilePath|program_path|/proc/self/exe")
  get_target_property(sources ${name} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  foreach(source ${sources})
    file(STRINGS ${source} replaces REGEX "^extern \"C\"|operator new")
    list(APPEND found ${replaces})
  endforeach()
  if(found)
    return()
  endif()
  get_target_property(headers ${name} QUIRE_TEST_HEADERS)
  get_target_property(definitions ${name} COMPILE_DEFINITIONS)
  string(SHA1 key "${headers}|${definitions}")
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
  set(sources ${source})
  foreach(property ${QUIRE_JOINED_PROPERTIES} MANUALLY_ADDED_DEPENDENCIES)
    set(${property})
  endforeach()
  foreach(name ${first} ${ARGN})
    get_target_property(of_test ${name} SOURCES)
    get_target_property(file ${name} QUIRE_TEST_FILE)
    list(REMOVE_ITEM of_test ${file})
    list(APPEND sources ${of_test})
    foreach(property ${QUIRE_JOINED_PROPERTIES} MANUALLY_ADDED_DEPENDENCIES)
      get_target_property(value ${name} ${property})
      if(value)
        list(APPEND ${property} ${value})
      endif()
    endforeach()
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON
      QUIRE_TEST_PROGRAM ${program} QUIRE_TEST_ARGUMENT ${name})
  endforeach()
  list(REMOVE_DUPLICATES sources)
  add_executable(${program} ${sources})
  foreach(property ${QUIRE_JOINED_PROPERTIES})
    list(REMOVE_DUPLICATES ${property})
    set_target_properties(${program} PROPERTIES ${property} "${${property}}")
  endforeach()
  if(MANUALLY_ADDED_DEPENDENCIES)
    add_dependencies(${program} ${MANUALLY_ADDED_DEPENDENCIES})
  endif()
  get_target_property(headers ${first} QUIRE_TEST_HEADERS)
  quire_precompile_from(${program} ${headers})
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
