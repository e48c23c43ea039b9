# The sources of the CUDA backend by family, with absolute paths: libquire_cuda compiles them with
# nvcc, and the SIMT harness of the tests compiles the same files for the processor.
set(QUIRE_CUDA_DIR ${CMAKE_CURRENT_LIST_DIR})
set(QUIRE_CUDA_FAMILIES rows weights linear attention sampling)
set(QUIRE_CUDA_SOURCES_core
  ${QUIRE_CUDA_DIR}/command_queue.cpp
  ${QUIRE_CUDA_DIR}/device_memory.cpp
  ${QUIRE_CUDA_DIR}/gpu_list.cpp
  ${QUIRE_CUDA_DIR}/host_staging.cpp
  ${QUIRE_CUDA_DIR}/step_graphs.cpp)
foreach(family ${QUIRE_CUDA_FAMILIES})
  include(${QUIRE_CUDA_DIR}/${family}/sources.cmake)
endforeach()
