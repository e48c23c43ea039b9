#pragma once

#include <cstdint>
#include <string_view>

namespace quire {

/// Element types of tensors. kF8E4M3 (arXiv:2209.05433, saturating at 448) and kI8 are for keys and
/// values only. Those from kQ4_0 on are GGUF's: blocks of 32 to 256 elements that share scales, in
/// ggml's layout, up to kQ2_0; those after it are blocks that Hugging Face folders are read into
/// (quant_blocks.h). Rows are whole blocks.
enum class DType : uint8_t {
  kF32,
  kF16,
  kBF16,
  kI32,
  kF8E4M3,
  kI8,
  kQ4_0,
  kQ4_1,
  kQ5_0,
  kQ5_1,
  kQ8_0,
  kQ2_K,
  kQ3_K,
  kQ4_K,
  kQ5_K,
  kQ6_K,
  kIQ4_NL,
  kIQ4_XS,
  kMXFP4,
  kIQ2_XXS,
  kIQ2_XS,
  kIQ2_S,
  kIQ3_XXS,
  kIQ3_S,
  kIQ1_S,
  kIQ1_M,
  kTQ1_0,
  kTQ2_0,
  kNVFP4,
  kQ1_0,
  kQ2_0,
  kI4_32,
  kI4_64,
  kI4_128,
  kI8_128,
  kF8_128,
  kNF4_64,
};

/// The last one, for loops over all of them.
inline constexpr DType kLastDType = DType::kNF4_64;

/// "f32", "bf16", "q4_k", ... as printed to users.
std::string_view dtype_name(DType dtype);

/// Whether elements come in blocks that share scales.
bool is_quantized(DType dtype);

/// Quantised to whole numbers, which can be multiplied by 8-bit activations.
bool has_integer_codes(DType dtype);

/// Floating point of 16 bits or more, or quantised.
bool is_weight_dtype(DType dtype);

/// Elements of one block: 1 unless quantised.
int64_t dtype_block_elements(DType dtype);
/// Bytes of one block.
int64_t dtype_block_bytes(DType dtype);

/// Bytes of one element; the dtype is not quantised.
int64_t dtype_bytes(DType dtype);

/// Bytes of n elements, which are whole blocks.
int64_t dtype_span_bytes(DType dtype, int64_t n);

float bf16_to_f32(uint16_t bits);
float f16_to_f32(uint16_t bits);
/// Rounds to nearest, ties to even; NaN stays NaN.
uint16_t f32_to_bf16(float value);
uint16_t f32_to_f16(float value);

}  // namespace quire
