list(APPEND QUIRE_CUDA_SOURCES_attention
  ${QUIRE_CUDA_DIR}/attention/attention.cu
  ${QUIRE_CUDA_DIR}/attention/attention_choice.cpp
  ${QUIRE_CUDA_DIR}/attention/attention_exact.cu
  ${QUIRE_CUDA_DIR}/attention/attention_fold.cu
  ${QUIRE_CUDA_DIR}/attention/attention_memory.cpp
  ${QUIRE_CUDA_DIR}/attention/attention_plan.cpp
  ${QUIRE_CUDA_DIR}/attention/attention_tile_bf16.cu
  ${QUIRE_CUDA_DIR}/attention/attention_tile_bf16_as_f16.cu
  ${QUIRE_CUDA_DIR}/attention/attention_tile_f16.cu
  ${QUIRE_CUDA_DIR}/attention/attention_tile_f8.cu
  ${QUIRE_CUDA_DIR}/attention/attention_tile_i8.cu)
