# list(APPEND QUIRE_CUDA_SOURCES_sampling ${QUIRE_CUDA_DIR}/sampling/NAME.cu)
