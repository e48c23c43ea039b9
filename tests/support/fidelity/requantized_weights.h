#pragma once

#include <map>
#include <memory>
#include <string>

#include "engine/io/weights.h"

namespace quire::test {

/// What becomes of the matrices of a model; vectors stay as they are.
struct Requantization {
  DType dtype = DType::kF32;
  /// For matrices whose rows are not whole blocks of dtype, as llama.cpp chooses it.
  DType fallback = DType::kF32;
  /// The rounded numbers as f32, rows of any length: they are filled up with zeros to whole blocks
  /// before they are rounded.
  bool as_floats = false;
};

/// A model's tensors with its matrices in another type, so that a test can load one model in many.
/// What was rounded is kept, for it is loaded more than once.
class RequantizedWeights final : public WeightSource {
 public:
  RequantizedWeights(std::unique_ptr<WeightSource> source, Requantization to)
      : m_source(std::move(source)), m_to(to) {}

  std::span<const TensorInfo> tensors() const override { return m_source->tensors(); }
  const TensorInfo* find(std::string_view name) const override { return m_source->find(name); }
  Result<ConstTensorView> tensor(std::string_view name) override;
  Result<std::span<const std::byte>> bytes(std::string_view name) override {
    return m_source->bytes(name);
  }
  void release(std::string_view name) override { m_source->release(name); }
  std::string where() const override { return m_source->where(); }
  uint64_t file_bytes() const override { return m_source->file_bytes(); }
  void hash_into(Sha256& hash) const override { m_source->hash_into(hash); }
  Result<void> check_whole() const override { return m_source->check_whole(); }

 private:
  DType dtype_for(int64_t num_inputs) const;
  const std::vector<std::byte>& round(std::string_view name, DType dtype);

  std::unique_ptr<WeightSource> m_source;
  Requantization m_to;
  std::map<std::string, std::vector<std::byte>, std::less<>> m_rounded;
};

}  // namespace quire::test
