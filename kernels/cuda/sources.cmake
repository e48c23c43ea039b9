# The sources of the CUDA backend by family, with absolute paths: libquire_cuda compiles them with
# nvcc, and the SIMT harness of the tests compiles the same files for the processor.
set(QUIRE_CUDA_DIR ${CMAKE_CURRENT_LIST_DIR})
set(QUIRE_CUDA_FAMILIES rows state weights linear attention sampling)
set(QUIRE_CUDA_SOURCES_core command_queue.cpp device_memory.cpp gpu_list.cpp graph_cache.cpp
  host_staging.cpp pinned_ring.cpp)
set(QUIRE_CUDA_SOURCES_rows activations.cu experts.cu norms.cu rope.cu)
list(TRANSFORM QUIRE_CUDA_SOURCES_rows PREPEND rows/)
set(QUIRE_CUDA_SOURCES_state causal_conv.cu gated_delta.cu mamba2_scan.cu)
list(TRANSFORM QUIRE_CUDA_SOURCES_state PREPEND state/)
set(QUIRE_CUDA_SOURCES_weights embed.cu linear_packer.cpp pack_units.cu)
list(TRANSFORM QUIRE_CUDA_SOURCES_weights PREPEND weights/)
set(QUIRE_CUDA_SOURCES_linear convert.cu cublas_gemm.cu float_few_rows.cu float_many_rows.cu linear.cu
  linear_experts.cu)
list(TRANSFORM QUIRE_CUDA_SOURCES_linear PREPEND linear/)
set(QUIRE_CUDA_SOURCES_attention attention.cu attention_exact.cu attention_kernels.cpp
  attention_plan.cpp)
list(TRANSFORM QUIRE_CUDA_SOURCES_attention PREPEND attention/)
set(QUIRE_CUDA_SOURCES_sampling choose.cu sample.cpp scan.cu)
list(TRANSFORM QUIRE_CUDA_SOURCES_sampling PREPEND sampling/)
foreach(family core ${QUIRE_CUDA_FAMILIES})
  list(TRANSFORM QUIRE_CUDA_SOURCES_${family} PREPEND ${QUIRE_CUDA_DIR}/)
endforeach()

# Templates are instantiated in sources of their own, so that they compile in parallel.
# quire_gemm(NAME FORMAT...): GEMMs with weights of these formats (weights/formats/formats.h).
macro(quire_gemm name)
  set(instances)
  foreach(format ${ARGN})
    string(APPEND instances "template void run_gemm<${format}>(CommandQueue&, const char*,"
      " const GemmTask&, GemmShape);\n")
  endforeach()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/cuda_instances/gemm_${name}.cu)
  configure_file(${QUIRE_CUDA_DIR}/linear/gemm.cu.in ${source} @ONLY)
  list(APPEND QUIRE_CUDA_SOURCES_linear ${source})
endmacro()
quire_gemm(halves HalvesFormat<Half::kF16> HalvesFormat<Half::kBF16>)
quire_gemm(q4 Q4_0Format Q4_1Format)
quire_gemm(q5 Q5_0Format Q5_1Format)
quire_gemm(q8 Q8_0Format)
quire_gemm(q2_k_q3_k Q2KFormat Q3KFormat)
quire_gemm(q4_k Q4KFormat)
quire_gemm(q5_k_q6_k Q5KFormat Q6KFormat)
quire_gemm(iq4 Iq4NlFormat Iq4XsFormat)
quire_gemm(mxfp4 Mxfp4Format<Half::kF16> Mxfp4Format<Half::kBF16>)

# quire_attention_tile(NAME PAGES): the tile kernels for such pages of keys and values.
macro(quire_attention_tile name pages)
  set(name ${name})
  set(pages ${pages})
  set(source ${CMAKE_CURRENT_BINARY_DIR}/cuda_instances/attention_tile_${name}.cu)
  configure_file(${QUIRE_CUDA_DIR}/attention/attention_tile.cu.in ${source} @ONLY)
  list(APPEND QUIRE_CUDA_SOURCES_attention ${source})
endmacro()
quire_attention_tile(f16 kF16)
quire_attention_tile(bf16 kBF16)
quire_attention_tile(bf16_as_f16 kBF16AsF16)
quire_attention_tile(f8 kF8)
quire_attention_tile(i8 kI8)
