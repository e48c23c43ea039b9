#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "kernels/base/result.h"

namespace quire {

/// How a Hugging Face folder's linear layers are quantised, by config.json's quantization_config.
/// Sizes of groups are those of the tensors.
struct FolderQuantization {
  enum class Method {
    kMxfp4,              ///< gpt-oss's experts, which the loader itself reads.
    kFp8,                ///< E4M3 with a scale per tensor, row or block.
    kGptq,               ///< Four or eight bits, packed along the inputs.
    kAwq,                ///< Four bits, packed along the outputs.
    kCompressedTensors,  ///< Its packed four and eight bits, int8, FP8 and NVFP4.
    kModelOpt,           ///< FP8 and NVFP4.
    kBitsAndBytes,       ///< NF4, and eight bits with a scale per row.
  };
  Method method;
  /// Of GPTQ: zero points are stored minus 1.
  bool has_zeros_minus_one = false;
  /// Bits of a code of kGptq.
  int64_t bits = 4;
  /// Outputs and inputs that share a scale of kFp8; 0: the scales' shape says it.
  int64_t block_outputs = 0;
  int64_t block_inputs = 0;
  /// Inputs are grouped in an order of their own (act-order), which each layer must have beside it.
  bool has_order = false;
  /// Of kCompressedTensors: every layer has zero points.
  bool is_asymmetric = false;
};

/// Reads the quantization_config of a config.json, where `where` names it in messages.
/// Errors: kUnsupported naming the method or the variant that Quire does not read; kCorruptFile.
Result<FolderQuantization> parse_folder_quantization(const nlohmann::json& object,
                                                     const std::string& where);

}  // namespace quire
