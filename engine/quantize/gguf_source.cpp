#include <algorithm>
#include <charconv>
#include <utility>

#include "engine/io/gguf_types.h"
#include "engine/io/gguf_weights.h"
#include "engine/quantize/tensor_source.h"
#include "kernels/base/dequantize.h"

namespace quire {
namespace {

/// Rows that lie one after another in a type that Quire reads.
class StoredRows final : public RowReader {
 public:
  explicit StoredRows(ConstTensorView rows) : m_rows(rows) {}

  void read(int64_t row, float* out) const override {
    const int64_t size = m_rows.rank() == 0 ? 1 : m_rows.dim(m_rows.rank() - 1);
    const auto* data = static_cast<const std::byte*>(m_rows.data());
    dequantize_row(m_rows.dtype(), data + dtype_span_bytes(m_rows.dtype(), row * size), out, size);
  }

 private:
  ConstTensorView m_rows;
};

class GgufSource final : public TensorSource {
 public:
  explicit GgufSource(GgufWeights& weights) : m_weights(weights) {
    for (const TensorInfo& tensor : weights.tensors()) {
      m_tensors.push_back({tensor.name, type_of(tensor), tensor.shape});
    }
    sort_by_layer(m_tensors);
    for (const GgufValue& value : weights.metadata().values()) {
      const bool is_of_file = value.key.starts_with("split.") || value.key == "general.alignment" ||
                              value.key == "general.file_type" ||
                              value.key == "general.quantization_version";
      if (!is_of_file) m_metadata.copy(value);
    }
  }

  std::span<const SourceTensor> tensors() const override { return m_tensors; }
  const GgufMetadata& metadata() const override { return m_metadata; }
  const WeightSource& weights() const override { return m_weights; }

  Result<std::unique_ptr<RowReader>> open(const SourceTensor& tensor) override {
    auto view = m_weights.tensor(tensor.name);
    if (!view) return view.error();
    return std::unique_ptr<RowReader>(std::make_unique<StoredRows>(*view));
  }
  std::span<const std::byte> stored(const SourceTensor& tensor) override {
    auto bytes = m_weights.bytes(tensor.name);
    return bytes ? *bytes : std::span<const std::byte>();
  }
  void release(const SourceTensor& tensor) override { m_weights.release(tensor.name); }

 private:
  static uint32_t type_of(const TensorInfo& tensor) {
    for (uint32_t id = 0; id < 256; ++id) {
      if (ggml_type_name(id) == tensor.dtype) return id;
    }
    return 256;
  }

  GgufWeights& m_weights;
  std::vector<SourceTensor> m_tensors;
  GgufMetadata m_metadata;
};

}  // namespace

int64_t SourceTensor::num_rows() const {
  int64_t rows = 1;
  for (size_t i = 0; i + 1 < shape.size(); ++i) rows *= shape[i];
  return rows;
}

int layer_of(std::string_view name) {
  constexpr std::string_view kLayer = "blk.";
  int layer = -1;
  if (name.starts_with(kLayer)) {
    std::from_chars(name.data() + kLayer.size(), name.data() + name.size(), layer);
  }
  return layer;
}

void sort_by_layer(std::vector<SourceTensor>& tensors) {
  const auto place = [](const SourceTensor& tensor) {
    const bool is_last = tensor.name.starts_with("output");
    return std::pair<int, std::string_view>(is_last ? 1 << 30 : layer_of(tensor.name), tensor.name);
  };
  std::ranges::sort(tensors, {}, place);
}

bool has_quantized_tensors(const TensorSource& source) {
  return std::ranges::any_of(source.tensors(), [](const SourceTensor& tensor) {
    const GgmlType* const type = find_ggml_type(tensor.type);
    return type != nullptr && type->block_elements > 1;
  });
}

std::unique_ptr<TensorSource> open_gguf_source(GgufWeights& weights) {
  return std::make_unique<GgufSource>(weights);
}

}  // namespace quire
