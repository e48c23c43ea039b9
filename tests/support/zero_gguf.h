#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "engine/io/gguf_types.h"
#include "engine/io/gguf_weights.h"
#include "engine/io/gguf_writer.h"
#include "tests/engine/io/safetensors_builder.h"

namespace quire::test {

struct ZeroTensor {
  std::vector<int64_t> shape;
  uint32_t type = 0;  ///< As ggml numbers them: 0 is F32, 8 is Q8_0.
};
using ZeroTensors = std::map<std::string, ZeroTensor>;

/// The metadata of a file, to be changed and written again.
inline GgufMetadata metadata_of(const GgufWeights& weights) {
  GgufMetadata metadata;
  for (const GgufValue& value : weights.metadata().values()) metadata.copy(value);
  return metadata;
}

/// The tensors of a file, all F32.
inline ZeroTensors tensors_of(const GgufWeights& weights) {
  ZeroTensors tensors;
  for (const TensorInfo& tensor : weights.tensors()) tensors[tensor.name] = {tensor.shape};
  return tensors;
}

/// A file with these tensors, whose bytes are all zero.
inline void write_zero_gguf(const std::filesystem::path& path, const GgufMetadata& metadata,
                            const ZeroTensors& tensors) {
  std::vector<GgufTensorPlan> plans;
  for (const auto& [name, tensor] : tensors) {
    uint64_t elements = 1;
    for (const int64_t n : tensor.shape) elements *= static_cast<uint64_t>(n);
    const GgmlType& type = *find_ggml_type(tensor.type);
    plans.push_back({.name = name,
                     .type = tensor.type,
                     .shape = tensor.shape,
                     .bytes = elements / type.block_elements * type.block_bytes});
  }
  const GgufLayout layout = lay_out_gguf(metadata, std::move(plans));
  write_file(path, layout.header + std::string(layout.file_bytes - layout.header.size(), '\0'));
}

}  // namespace quire::test
