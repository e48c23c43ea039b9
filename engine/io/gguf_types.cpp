#include "engine/io/gguf_types.h"

namespace quire {
namespace {

/// ggml.h's enum ggml_type and the block sizes of ggml-common.h. Numbers that are missing belonged
/// to types that were removed before GGUF.
constexpr GgmlType kTypes[] = {
    {0, "F32", 1, 4, DType::kF32},
    {1, "F16", 1, 2, DType::kF16},
    {2, "Q4_0", 32, 18, DType::kQ4_0},
    {3, "Q4_1", 32, 20, DType::kQ4_1},
    {6, "Q5_0", 32, 22, DType::kQ5_0},
    {7, "Q5_1", 32, 24, DType::kQ5_1},
    {8, "Q8_0", 32, 34, DType::kQ8_0},
    {9, "Q8_1", 32, 36, {}},
    {10, "Q2_K", 256, 84, DType::kQ2_K},
    {11, "Q3_K", 256, 110, DType::kQ3_K},
    {12, "Q4_K", 256, 144, DType::kQ4_K},
    {13, "Q5_K", 256, 176, DType::kQ5_K},
    {14, "Q6_K", 256, 210, DType::kQ6_K},
    {15, "Q8_K", 256, 292, {}},
    {16, "IQ2_XXS", 256, 66, DType::kIQ2_XXS},
    {17, "IQ2_XS", 256, 74, DType::kIQ2_XS},
    {18, "IQ3_XXS", 256, 98, DType::kIQ3_XXS},
    {19, "IQ1_S", 256, 50, DType::kIQ1_S},
    {20, "IQ4_NL", 32, 18, DType::kIQ4_NL},
    {21, "IQ3_S", 256, 110, DType::kIQ3_S},
    {22, "IQ2_S", 256, 82, DType::kIQ2_S},
    {23, "IQ4_XS", 256, 136, DType::kIQ4_XS},
    {24, "I8", 1, 1, {}},
    {25, "I16", 1, 2, {}},
    {26, "I32", 1, 4, DType::kI32},
    {27, "I64", 1, 8, {}},
    {28, "F64", 1, 8, {}},
    {29, "IQ1_M", 256, 56, DType::kIQ1_M},
    {30, "BF16", 1, 2, DType::kBF16},
    {31, "Q4_0_4_4", 32, 18, {}},
    {32, "Q4_0_4_8", 32, 18, {}},
    {33, "Q4_0_8_8", 32, 18, {}},
    {34, "TQ1_0", 256, 54, DType::kTQ1_0},
    {35, "TQ2_0", 256, 66, DType::kTQ2_0},
    {39, "MXFP4", 32, 17, DType::kMXFP4},
    {40, "NVFP4", 64, 36, DType::kNVFP4},
    {41, "Q1_0", 128, 18, DType::kQ1_0},
    {42, "Q2_0", 64, 18, DType::kQ2_0},
};

}  // namespace

const GgmlType* find_ggml_type(uint32_t id) {
  for (const GgmlType& type : kTypes) {
    if (type.id == id) return &type;
  }
  return nullptr;
}

std::string ggml_type_name(uint32_t id) {
  const GgmlType* type = find_ggml_type(id);
  return type != nullptr ? std::string(type->name) : "type " + std::to_string(id);
}

std::string supported_ggml_types() {
  std::string text;
  for (const GgmlType& type : kTypes) {
    if (!type.dtype || *type.dtype == DType::kI32) continue;
    if (!text.empty()) text += ", ";
    text += type.name;
  }
  return text;
}

}  // namespace quire
