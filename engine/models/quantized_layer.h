#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/weights.h"
#include "engine/models/folder_quantization.h"

namespace quire {

/// A linear layer of a quantised folder: which tensors it has, and how they are to be read.
struct QuantizedLayer {
  /// How the codes are stored.
  enum class Codes {
    kGptq,        ///< I32 (K / 8, N), four bits each.
    kGptq8,       ///< I32 (K / 4, N), eight bits each.
    kAwq,         ///< I32 (K, N / 8), in the order of AWQ's kernels.
    kPackedInt4,  ///< I32 (N, K / 8).
    kPackedInt8,  ///< I32 (N, K / 4).
    kBytes,       ///< I8 or F8_E4M3 (N, K).
    kNf4,         ///< U8 (N K / 2, 1), the first of two in the upper half.
    kNvfp4,       ///< U8 (N, K / 2), the first of two in the lower half.
  };
  /// "model.layers.0.mlp.up_proj.", within the name of its codes. Empty for stacked experts.
  std::string_view base;
  Codes codes;
  DType dtype;  ///< Of the blocks that the layer is read into.
  int64_t num_outputs;
  int64_t num_inputs;
  // Tensors of the source, which hold the names: there may be 260,000 layers.
  const TensorInfo* codes_tensor = nullptr;
  const TensorInfo* scales_tensor = nullptr;  ///< Null only while the layer is described.
  const TensorInfo* zeros_tensor = nullptr;   ///< Null: none.
  int64_t group_outputs;                      ///< That share a scale.
  int64_t group_inputs;
  // Of experts that are stacked in one tensor:
  int64_t first_output = 0;  ///< The row of the codes that is output 0.
  int64_t first_scale = 0;   ///< The row of the scales that belongs to it.
  /// The groups of inputs (input_order.h); null: consecutive.
  const TensorInfo* order_tensor = nullptr;
  /// The tensors whose names begin with the base, the codes among them; empty if they are too many.
  std::span<const TensorInfo> neighbours = {};

  bool is_stacked() const { return base.empty(); }
  /// Whether the tensors' columns are outputs.
  bool has_columns() const {
    return codes == Codes::kGptq || codes == Codes::kGptq8 || codes == Codes::kAwq;
  }
};

/// The tensors of a quantised folder as its files hold them. Thread: one at a time.
struct LayerFiles {
  WeightSource& source;
  const FolderQuantization& quantization;

  const TensorInfo* part(const std::string& name) const { return source.find(name); }
  /// The tensor of that name beside the layer's codes, such as "weight_scale"; null: none.
  const TensorInfo* part(const QuantizedLayer& layer, std::string_view name) const;
  /// "the tensor <name> of <files> <why>; get another version ...".
  Error refused(const std::string& name, const std::string& why) const;
};

/// Finds out how a layer's tensors are stored and checks that they fit together. codes: one of
/// source.tensors(). base: the layer's name with a point behind it, within that of the codes.
/// Errors: kUnsupported or kCorruptFile naming the tensor.
Result<QuantizedLayer> describe_layer(const LayerFiles& files, std::string_view base,
                                      const TensorInfo& codes);

// The parts of describe_layer() for each way of storing codes. They set codes, dtype, the shape and
// the names of scales and zero points.
/// GPTQ and AWQ, whose columns are outputs.
Result<void> describe_columns(const LayerFiles& files, QuantizedLayer& layer,
                              const TensorInfo& codes);
/// compressed-tensors' packed codes.
Result<void> describe_packed_rows(const LayerFiles& files, QuantizedLayer& layer,
                                  const TensorInfo& codes);
/// bitsandbytes' NF4, whose shape is in a JSON text.
Result<void> describe_nf4(const LayerFiles& files, QuantizedLayer& layer, const TensorInfo& codes);
/// NVFP4 of compressed-tensors and of ModelOpt, which has a scale of the whole tensor beside those
/// of 16 inputs. The layer's blocks leave it out; its tensor is listed for the loader
/// (weight_vectors.h).
Result<void> describe_nvfp4(const LayerFiles& files, QuantizedLayer& layer,
                            const TensorInfo& codes);
/// A byte for each number: int8 or FP8.
Result<void> describe_bytes(const LayerFiles& files, QuantizedLayer& layer,
                            const TensorInfo& codes);

/// Whether the tensor holds the gates and up projections, or the down projections, of all experts
/// in FP8: (E, N, K), with scales (E), (E, 1, 1) or (E, R, C) in "<name>_scale_inv", as
/// transformers keeps them.
bool is_expert_stack(const LayerFiles& files, const TensorInfo& codes);
/// A layer and the name of its weight, "x.experts.3.gate_proj.weight".
struct NamedLayer {
  std::string name;
  QuantizedLayer layer;
};
/// The layers of such a tensor as if each expert had its own.
Result<std::vector<NamedLayer>> describe_expert_stack(const LayerFiles& files,
                                                      const TensorInfo& codes);

/// Where the scale of a whole tensor in NVFP4 stands: beside "weight_scale".
struct Nvfp4Scale {
  const char* name;
  bool divides;  ///< Numbers are divided by it.
};
inline constexpr Nvfp4Scale kNvfp4Scales[] = {{"weight_global_scale", true},
                                              {"weight_scale_2", false}};
bool is_nvfp4(const LayerFiles& files, const QuantizedLayer& layer);

/// Where bitsandbytes keeps the shape and the block sizes.
inline constexpr char kNf4State[] = "weight.quant_state.bitsandbytes__nf4";

/// The scales of NF4's blocks, which may be quantised themselves. Errors: `broken`, kCorruptFile.
Result<std::vector<float>> nf4_scales_of(const LayerFiles& files, const QuantizedLayer& layer,
                                         const Error& broken);

/// The layer (num_outputs, num_inputs) in blocks of its dtype, with the files' codes and scales.
/// Errors: kUnsupported for scales that the blocks cannot hold; those of WeightSource::bytes.
Result<std::vector<std::byte>> make_blocks(const LayerFiles& files, const QuantizedLayer& layer);

inline bool has_floats(const TensorInfo& tensor) {
  return tensor.dtype == "F16" || tensor.dtype == "BF16" || tensor.dtype == "F32";
}

/// Groups of `size` that hold n, the last one perhaps in part.
inline int64_t num_groups(int64_t n, int64_t size) {
  return (n + size - 1) / size;
}

inline uint32_t u32_of(std::span<const std::byte> bytes, int64_t i) {
  uint32_t value;
  std::memcpy(&value, bytes.data() + i * 4, sizeof value);
  return value;
}

inline float f32_of(std::span<const std::byte> bytes, int64_t i) {
  float value;
  std::memcpy(&value, bytes.data() + i * 4, sizeof value);
  return value;
}

inline uint8_t u8_of(std::span<const std::byte> bytes, int64_t i) {
  return static_cast<uint8_t>(bytes[static_cast<size_t>(i)]);
}

}  // namespace quire
