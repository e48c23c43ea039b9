#pragma once

#include "engine/io/weights.h"
#include "engine/models/tensor_names.h"

namespace quire {

enum class FileFormat { kHuggingFace, kGguf };

/// How files of one format keep the weights of one architecture, where that is not how the decoder
/// computes with them.
struct WeightConventions {
  TensorNames names;
  bool rotates_pairs = false;    ///< Rows of Q and K in the order that rotates adjacent pairs.
  bool norms_minus_one = false;  ///< Norms' weights are stored minus 1.
  bool transposes_experts =
      false;                     ///< Experts (E, K, N), their gates and ups interleaved; or MXFP4.
  const char* config_name = "";  ///< What describes the model, in messages: "config.json".
};

/// The numbers that a tensor holds, and their dtype as the file spells it. The MXFP4 of Hugging
/// Face's files comes as two tensors of bytes: blocks, which hold two numbers a byte, and scales,
/// which hold none.
struct StoredNumbers {
  int64_t count;
  std::string_view dtype;
};
StoredNumbers stored_numbers(const TensorInfo& tensor);

WeightConventions conventions_of(const Architecture& architecture, FileFormat format,
                                 const WeightSource& source);

}  // namespace quire
