# Headers that are read once. Of the time to compile a file of the application or a test, half went
# into the headers of Qt and of the standard library. A header that no longer fits how a file is
# compiled is an error (-Winvalid-pch), not a slow build.
option(QUIRE_PRECOMPILE "Precompile the headers that most files of the application and the tests read" ON)

# What ccache has to let pass: a precompiled header stands for the macros that it was made with, which
# are in the command too, and for the times of what it includes.
if(QUIRE_PRECOMPILE AND CMAKE_CXX_COMPILER_LAUNCHER MATCHES "(^|/)ccache$" AND NOT DEFINED ENV{CCACHE_SLOPPINESS})
  list(PREPEND CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros)
endif()

# ccache sees what a file was made of where the preprocessor's output names the precompiled header;
# clang would not take one that came out of the cache, for its time.
function(_quire_show_precompiled name)
  target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>
    $<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>)
endfunction()

# quire_precompile(TARGET HEADERS...): these headers, before each file of a target.
function(quire_precompile name)
  if(QUIRE_PRECOMPILE)
    target_precompile_headers(${name} PRIVATE ${ARGN})
    _quire_show_precompiled(${name})
  endif()
endfunction()

# quire_precompile_from(TARGET OTHER): those that another target has, compiled in the same way.
function(quire_precompile_from name other)
  if(QUIRE_PRECOMPILE)
    target_precompile_headers(${name} REUSE_FROM ${other})
    _quire_show_precompiled(${name})
  endif()
endfunction()
