list(APPEND QUIRE_CUDA_SOURCES_weights
  ${QUIRE_CUDA_DIR}/weights/embed.cu
  ${QUIRE_CUDA_DIR}/weights/linear_packer.cpp
  ${QUIRE_CUDA_DIR}/weights/packing/host_rows.cpp
  ${QUIRE_CUDA_DIR}/weights/packing/pack_units.cu)
