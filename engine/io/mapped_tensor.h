#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/weights.h"

namespace quire {

/// What the sources of mapped files share: views of untrusted files' bytes, and their fingerprint.

/// What to say where a source has no tensor of that name.
Error no_tensor(std::string_view name);

/// A view of at most ConstTensorView::kMaxRank dimensions.
ConstTensorView tensor_view(const std::byte* bytes, DType dtype, std::span<const int64_t> shape);

/// Feeds the name, dtype, shape, and the first and last 4 KiB of a tensor.
void hash_tensor(const TensorInfo& tensor, std::span<const std::byte> bytes, Sha256& hash);

/// Copies of tensors that their file does not align to their elements, made on first use.
/// Thread: one at a time.
class AlignedCopies {
 public:
  /// The bytes themselves if they are aligned (blocks of quantised types always are), or a copy.
  const std::byte* aligned(const TensorInfo& tensor, std::span<const std::byte> bytes, DType dtype);
  void release(std::string_view name);

 private:
  std::map<std::string, std::vector<uint64_t>, std::less<>> m_copies;
};

}  // namespace quire
