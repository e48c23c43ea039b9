list(APPEND QUIRE_CUDA_SOURCES_sampling
  ${QUIRE_CUDA_DIR}/sampling/choose.cu
  ${QUIRE_CUDA_DIR}/sampling/sample.cpp
  ${QUIRE_CUDA_DIR}/sampling/scan.cu)
