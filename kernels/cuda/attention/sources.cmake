# list(APPEND QUIRE_CUDA_SOURCES_attention ${QUIRE_CUDA_DIR}/attention/NAME.cu)
