list(APPEND QUIRE_CUDA_SOURCES_rows
  ${QUIRE_CUDA_DIR}/rows/activations.cu
  ${QUIRE_CUDA_DIR}/rows/experts.cu
  ${QUIRE_CUDA_DIR}/rows/gather.cu
  ${QUIRE_CUDA_DIR}/rows/norms.cu
  ${QUIRE_CUDA_DIR}/rows/rope.cu)
