#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/gguf_writer.h"
#include "engine/io/hash.h"
#include "engine/models/model_files.h"
#include "kernels/base/result.h"

namespace quire {

class GgufWeights;

/// A tensor as a GGUF file names and shapes it.
struct SourceTensor {
  std::string name;
  uint32_t type = 0;           ///< What it is stored in now, as ggml numbers types.
  std::vector<int64_t> shape;  ///< In torch's order.

  int64_t row_size() const { return shape.empty() ? 1 : shape.back(); }
  int64_t num_rows() const;
};

/// The numbers of one tensor, row by row. Thread: any. Valid as long as its source, until the
/// tensor is released.
class RowReader {
 public:
  virtual ~RowReader() = default;
  /// Row `row` of all leading dimensions together, as row_size() f32.
  virtual void read(int64_t row, float* out) const = 0;
};

/// A model as a GGUF file would hold it. Thread: one at a time.
class TensorSource {
 public:
  virtual ~TensorSource() = default;

  /// Layer by layer, what precedes them first and the head last.
  virtual std::span<const SourceTensor> tensors() const = 0;
  /// Everything but general.file_type and general.quantization_version.
  virtual const GgufMetadata& metadata() const = 0;
  /// Errors: kUnsupported for a type that Quire does not read, naming the tensor.
  virtual Result<std::unique_ptr<RowReader>> open(const SourceTensor& tensor) = 0;
  /// The tensor's bytes in its type; nothing if the files store it otherwise.
  virtual std::span<const std::byte> stored(const SourceTensor& tensor) = 0;
  /// Allows the memory of its pages to be freed.
  virtual void release(const SourceTensor& tensor) = 0;
  /// The files that are read.
  virtual const WeightSource& weights() const = 0;
};

/// Sorts tensors as TensorSource::tensors() lists them.
void sort_by_layer(std::vector<SourceTensor>& tensors);
/// Whether a tensor is stored in blocks of a quantised type: the model has lost precision already.
bool has_quantized_tensors(const TensorSource& source);
/// The layer of "blk.3.attn_q.weight"; -1 for others.
int layer_of(std::string_view name);

/// The model of a GGUF file (any part of a split set), of any architecture. `weights` must outlive
/// it.
std::unique_ptr<TensorSource> open_gguf_source(GgufWeights& weights);

/// The max_context with which a model is to be opened, so that none of its context is left out.
inline constexpr int kWholeContext = 1 << 28;

/// The model at `path` as a GGUF file would hold it: a GGUF file of any architecture, or a Hugging
/// Face folder of an architecture whose GGUF files Quire reads. `model`, opened with
/// kWholeContext, must outlive it.
/// Errors: kUnsupported naming what a GGUF file cannot say of the folder.
Result<std::unique_ptr<TensorSource>> open_tensor_source(OpenedModel& model,
                                                         const std::filesystem::path& path);

}  // namespace quire
