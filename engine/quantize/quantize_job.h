#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/quantize/quantize_recipe.h"
#include "engine/quantize/tensor_source.h"
#include "kernels/base/result.h"

namespace quire {

/// The importance of a model's columns: for each matrix by its GGUF name, of experts (E, N, K) each
/// expert's one after the other, the mean squared input of each column.
struct Importance {
  std::map<std::string, std::vector<float>, std::less<>> columns;
  int64_t num_tokens = 0;  ///< Of the text that it is from.
};

struct QuantizeOptions {
  std::filesystem::path output;
  QuantizeRecipe recipe;
  bool pure = false;    ///< Every matrix in the recipe's own type.
  bool resume = false;  ///< Continue what an earlier run with the same options left.
  const Importance* importance = nullptr;
  int num_threads = 0;  ///< 0: all cores. The bytes written do not depend on it.
  /// Called on the calling thread: bytes of the output written, and of the whole output.
  std::function<void(uint64_t done, uint64_t total)> progress;
  const std::atomic<bool>* cancelled = nullptr;  ///< Checked several times a second.
};

/// What a file consists of, or would.
struct QuantizePlan {
  std::vector<SourceTensor> tensors;
  std::vector<uint32_t> types;  ///< Of each tensor in the output.
  GgufLayout layout;
};

/// Errors: kUnsupported for a tensor of a type that Quire does not read, if it would be converted.
Result<QuantizePlan> plan_quantization(TensorSource& source, const QuantizeOptions& options);

/// Writes the model as a GGUF file, tensor by tensor; memory is needed for some rows of one tensor
/// at a time. Until it is whole, the file is called "NAME.part" (PartialFile), and after an error
/// or a cancellation it stays so and can be continued, unless the weights cannot be written at all.
/// Errors: those of plan_quantization, PartialFile and the source; kIo also if the disk has too
/// little space, before anything is written; kCorruptFile naming a tensor that holds NaN or
/// infinity or numbers that the type cannot hold; kCancelled.
Result<QuantizePlan> quantize_model(TensorSource& source, const QuantizeOptions& options);

}  // namespace quire
