list(APPEND QUIRE_CUDA_SOURCES_linear
  ${QUIRE_CUDA_DIR}/linear/float_few_rows.cu
  ${QUIRE_CUDA_DIR}/linear/float_many_rows.cu
  ${QUIRE_CUDA_DIR}/linear/group_experts.cu
  ${QUIRE_CUDA_DIR}/linear/linear.cu
  ${QUIRE_CUDA_DIR}/linear/linear_experts.cu
  ${QUIRE_CUDA_DIR}/linear/products_halves.cu
  ${QUIRE_CUDA_DIR}/linear/products_iq4.cu
  ${QUIRE_CUDA_DIR}/linear/products_mxfp4.cu
  ${QUIRE_CUDA_DIR}/linear/products_q2_k_q3_k.cu
  ${QUIRE_CUDA_DIR}/linear/products_q4.cu
  ${QUIRE_CUDA_DIR}/linear/products_q4_k.cu
  ${QUIRE_CUDA_DIR}/linear/products_q5.cu
  ${QUIRE_CUDA_DIR}/linear/products_q5_k_q6_k.cu
  ${QUIRE_CUDA_DIR}/linear/products_q8.cu
  ${QUIRE_CUDA_DIR}/linear/round_inputs.cu)
