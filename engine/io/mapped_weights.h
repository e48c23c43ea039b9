#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/mmap_file.h"
#include "engine/io/weights.h"

namespace quire {

/// The tensors of mapped files: what the formats have in common.
/// Thread: one at a time.
class MappedWeights : public WeightSource {
 public:
  std::span<const TensorInfo> tensors() const final { return m_tensors; }
  const TensorInfo* find(std::string_view name) const final;
  Result<ConstTensorView> tensor(std::string_view name) final;
  Result<ConstTensorView> described(std::string_view name) final;
  Result<std::span<const std::byte>> bytes(std::string_view name) final;
  void release(std::string_view name) final;
  uint64_t file_bytes() const final;
  void hash_into(Sha256& hash) const final;
  Result<void> check_whole() const final;

 protected:
  virtual size_t num_files() const = 0;
  virtual const MappedFile& file(size_t index) const = 0;
  virtual std::string file_name(size_t index) const = 0;
  /// Errors: kUnsupported for one that Quire does not compute with.
  virtual Result<DType> dtype_of(const TensorInfo& tensor) const = 0;
  /// What of the files' metadata belongs to the fingerprint.
  virtual std::span<const std::byte> hashed_metadata() const { return {}; }

  size_t file_index(const TensorInfo& tensor) const {
    return m_file_of[static_cast<size_t>(&tensor - m_tensors.data())];
  }

  std::vector<TensorInfo> m_tensors;  ///< By name ascending.
  std::vector<size_t> m_file_of;      ///< For each tensor, its file.

 private:
  const MappedFile& file_of(const TensorInfo& tensor) const { return file(file_index(tensor)); }
  std::span<const std::byte> data(const TensorInfo& tensor) const {
    return file_of(tensor).bytes().subspan(tensor.offset, tensor.bytes);
  }
  const std::byte* aligned(const TensorInfo& tensor, DType dtype);

  mutable size_t m_last_found = 0;  ///< A tensor is found several times while it is read.
  size_t m_num_small = 0;           ///< Small tensors whose bytes were asked for.
  /// Copies of tensors that their file does not align to their elements, made on first use.
  std::map<std::string, std::vector<uint64_t>, std::less<>> m_copies;
};

}  // namespace quire
