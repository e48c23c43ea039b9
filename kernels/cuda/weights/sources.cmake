# list(APPEND QUIRE_CUDA_SOURCES_weights ${QUIRE_CUDA_DIR}/weights/NAME.cu)
