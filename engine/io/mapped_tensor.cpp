#include "engine/io/mapped_tensor.h"

#include <algorithm>
#include <cstring>

#include "engine/io/text.h"

namespace quire {

namespace {

constexpr uint64_t kHashedBytes = 4096;

}  // namespace

Error no_tensor(std::string_view name) {
  return make_error(ErrorCode::kNotFound, "the model's files hold no tensor \"%1\"",
                    {for_message(name)});
}

ConstTensorView tensor_view(const std::byte* bytes, DType dtype, std::span<const int64_t> shape) {
  const auto& n = shape;
  switch (n.size()) {
    case 0:
      return ConstTensorView(bytes, dtype, {});
    case 1:
      return ConstTensorView(bytes, dtype, {n[0]});
    case 2:
      return ConstTensorView(bytes, dtype, {n[0], n[1]});
    case 3:
      return ConstTensorView(bytes, dtype, {n[0], n[1], n[2]});
    default:
      CHECK(n.size() == 4);
      return ConstTensorView(bytes, dtype, {n[0], n[1], n[2], n[3]});
  }
}

void hash_tensor(const TensorInfo& tensor, std::span<const std::byte> bytes, Sha256& hash) {
  hash.update_field(tensor.name);
  hash.update_field(tensor.dtype);
  hash.update_u64(tensor.shape.size());
  for (int64_t n : tensor.shape) hash.update_u64(static_cast<uint64_t>(n));
  const uint64_t edge = std::min(tensor.bytes, kHashedBytes);
  hash.update(bytes.first(edge));
  hash.update(bytes.last(edge));
}

const std::byte* AlignedCopies::aligned(const TensorInfo& tensor, std::span<const std::byte> bytes,
                                        DType dtype) {
  if (is_quantized(dtype) ||
      reinterpret_cast<uintptr_t>(bytes.data()) % static_cast<size_t>(dtype_bytes(dtype)) == 0) {
    return bytes.data();
  }
  auto [copy, is_new] = m_copies.try_emplace(tensor.name, (bytes.size() + 7) / 8);
  if (is_new && !bytes.empty()) std::memcpy(copy->second.data(), bytes.data(), bytes.size());
  return reinterpret_cast<const std::byte*>(copy->second.data());
}

void AlignedCopies::release(std::string_view name) {
  if (const auto copy = m_copies.find(name); copy != m_copies.end()) m_copies.erase(copy);
}

}  // namespace quire
