# Whether the CUDA backend is built: QUIRE_CUDA is AUTO (where there is a GPU and a toolkit), ON or
# OFF. QUIRE_CUDA_ARCHITECTURES names the GPUs: "all" for a release (sm_75 to sm_120, as far as the
# toolkit goes), otherwise numbers such as 86;90; by default this machine's own GPU, so that builds
# are quick, or where it has none, 90.
set(QUIRE_CUDA AUTO CACHE STRING "Build the CUDA backend: AUTO, ON or OFF")

# AUTO builds no CUDA kernels, which take minutes to compile, where nothing can run them.
file(GLOB quire_gpu_devices /dev/nvidia[0-9]* /dev/dxg)

# The compute capabilities of this machine's GPUs as architectures: 8.9 is 89.
function(quire_own_gpu_architectures result)
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
    OUTPUT_VARIABLE capabilities ERROR_QUIET RESULT_VARIABLE failed)
  string(REGEX MATCHALL "[0-9]+\\.[0-9]" capabilities "${capabilities}")
  list(TRANSFORM capabilities REPLACE "\\." "")
  list(REMOVE_DUPLICATES capabilities)
  list(FILTER capabilities EXCLUDE REGEX "^([0-6][0-9]|7[0-4])$")  # Too old for Quire's kernels.
  if(failed OR NOT capabilities)
    set(capabilities 90)
  endif()
  set(${result} ${capabilities} PARENT_SCOPE)
endfunction()

if(NOT DEFINED QUIRE_CUDA_ARCHITECTURES)
  quire_own_gpu_architectures(own)
  set(QUIRE_CUDA_ARCHITECTURES ${own} CACHE STRING "GPUs to compile for: all, or such as 86;90")
endif()

# quire_check_toolkit(RESULT): empty if the toolkit of QUIRE_NVCC serves, else why it does not. Asked
# before CMake tries its compiler, which ends the configuration where it does not work.
function(quire_check_toolkit result)
  set(${result} "there is no nvcc: install the CUDA toolkit, 12.4 or later, or name its nvcc in CUDACXX"
    PARENT_SCOPE)
  if(NOT QUIRE_NVCC)
    return()
  endif()
  execute_process(COMMAND ${QUIRE_NVCC} --version OUTPUT_VARIABLE version ERROR_QUIET)
  string(REGEX MATCH "release ([0-9]+\\.[0-9]+)" matched "${version}")
  if(NOT matched OR CMAKE_MATCH_1 VERSION_LESS 12.4)
    set(${result} "${QUIRE_NVCC} is of CUDA ${CMAKE_MATCH_1}, and Quire needs 12.4 or later"
      PARENT_SCOPE)
    return()
  endif()
  include(CheckLanguage)
  set(CMAKE_CUDA_COMPILER ${QUIRE_NVCC})
  check_language(CUDA)
  if(NOT CMAKE_CUDA_COMPILER)
    set(${result} "${QUIRE_NVCC} does not work with this host compiler" PARENT_SCOPE)
    return()
  endif()
  set(${result} "" PARENT_SCOPE)
endfunction()

set(QUIRE_CUDA_FOUND OFF)
if(QUIRE_CUDA)
  if(DEFINED ENV{CUDACXX})
    set(QUIRE_NVCC $ENV{CUDACXX} CACHE FILEPATH "The CUDA compiler")
  endif()
  find_program(QUIRE_NVCC nvcc PATHS /usr/local/cuda/bin)
  if(QUIRE_CUDA STREQUAL "AUTO" AND NOT quire_gpu_devices)
    set(QUIRE_CUDA_OBSTACLE "there is no NVIDIA GPU here (QUIRE_CUDA=ON builds it all the same)")
  elseif(NOT DEFINED CACHE{QUIRE_CUDA_OBSTACLE})
    quire_check_toolkit(obstacle)
    set(QUIRE_CUDA_OBSTACLE "${obstacle}" CACHE INTERNAL "Why the CUDA backend is not built")
  endif()
  if(NOT QUIRE_CUDA_OBSTACLE)
    set(QUIRE_CUDA_FOUND ON)
    set(CMAKE_CUDA_COMPILER ${QUIRE_NVCC})
    set(CMAKE_CUDA_ARCHITECTURES OFF)  # Each target says its own.
    if(QUIRE_CCACHE)
      set(CMAKE_CUDA_COMPILER_LAUNCHER ${QUIRE_CCACHE})
    endif()
    enable_language(CUDA)
    find_package(CUDAToolkit REQUIRED)
    # CMake 3.25 does not know that nvcc has had C++20 since 12.0.
    if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
      set(CMAKE_CUDA20_COMPILE_FEATURES cuda_std_20)
      list(APPEND CMAKE_CUDA_COMPILE_FEATURES cuda_std_20)
    endif()
    message(STATUS "CUDA backend: built for ${QUIRE_CUDA_ARCHITECTURES}")
  elseif(QUIRE_CUDA STREQUAL "ON")
    message(FATAL_ERROR "QUIRE_CUDA is ON, but ${QUIRE_CUDA_OBSTACLE}.")
  else()
    message(STATUS "CUDA backend: not built: ${QUIRE_CUDA_OBSTACLE}")
  endif()
endif()

# The list of -gencode options for QUIRE_CUDA_ARCHITECTURES, in `result`.
function(quire_cuda_gencode result)
  set(architectures ${QUIRE_CUDA_ARCHITECTURES})
  if(architectures STREQUAL "all")
    set(architectures 75 80 86 89 90)
    if(CUDAToolkit_VERSION VERSION_GREATER_EQUAL 12.8)
      list(APPEND architectures 100 120)
    endif()
  endif()
  set(options)
  foreach(architecture ${architectures})
    list(APPEND options -gencode=arch=compute_${architecture},code=sm_${architecture})
  endforeach()
  # For GPUs that come later the driver compiles the newest; for relatives of Hopper's successors that
  # the newest does not fit, Hopper's.
  list(GET architectures -1 newest)
  list(APPEND options -gencode=arch=compute_${newest},code=compute_${newest})
  if(90 IN_LIST architectures AND NOT newest EQUAL 90)
    list(APPEND options -gencode=arch=compute_90,code=compute_90)
  endif()
  set(${result} ${options} PARENT_SCOPE)
endfunction()

# quire_cuda_target(NAME): how CUDA sources of a target are compiled.
function(quire_cuda_target name)
  quire_cuda_gencode(gencode)
  set_target_properties(${name} PROPERTIES
    CUDA_STANDARD 20 CUDA_STANDARD_REQUIRED ON CUDA_ARCHITECTURES OFF CUDA_RUNTIME_LIBRARY Static)
  target_include_directories(${name} PRIVATE ${QUIRE_ROOT})
  target_compile_options(${name} PRIVATE
    $<$<COMPILE_LANGUAGE:CUDA>:${gencode} -Werror=all-warnings
      -Xcompiler=-Wall,-Wextra,-Wshadow,-Werror,-Wno-missing-field-initializers>)
endfunction()

# Several kernels use all registers that there are, so that another version of ptxas may spill a few: a user's build is
# then a little slower, and must not fail.
option(QUIRE_CUDA_FORBID_SPILLS "A kernel whose registers spill is an error (continuous integration)" OFF)

# quire_forbid_spills(SOURCE...): with QUIRE_CUDA_FORBID_SPILLS a kernel in them whose registers spill is an error:
# attention and products would lose half their speed. For Blackwell (from sm_100) some attention kernels spill 4 to
# 24 bytes, which is let pass.
function(quire_forbid_spills)
  quire_cuda_gencode(gencode)
  if(NOT QUIRE_CUDA_FORBID_SPILLS OR "${gencode}" MATCHES "sm_1[0-9][0-9]")
    return()
  endif()
  set_source_files_properties(${ARGN} PROPERTIES
    COMPILE_OPTIONS "-Xptxas=--warn-on-spills,--warn-on-local-memory-usage,--warning-as-error")
endfunction()
