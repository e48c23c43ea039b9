#pragma once

#include "engine/io/weights.h"
#include "engine/models/folder_quantization.h"

namespace quire {

/// Refuses a quantised folder that lacks a part without which its layers can be read, but would
/// have other weights: GPTQ's and AWQ's zero points, those of compressed-tensors if it is not
/// symmetric, the order of act-order; and a layer that is there twice, rows that its shape does not
/// count, and a table of NF4 that is another one. Reads a few bytes of each layer.
/// Errors: kCorruptFile, kUnsupported, naming the tensor; kIo.
Result<void> check_quantized_parts(WeightSource& files, const FolderQuantization& quantization);

}  // namespace quire
