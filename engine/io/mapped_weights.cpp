#include "engine/io/mapped_weights.h"

#include <algorithm>
#include <cstring>

#include "engine/io/hash.h"
#include "engine/io/text.h"

namespace quire {

namespace {

/// Of a tensor's beginning and end.
constexpr uint64_t kHashedBytes = 4096;
/// Of the beginnings of all tensors, and as much of their ends. Of more than 8,192 tensors less of
/// each is hashed.
constexpr uint64_t kAllHashedBytes = uint64_t{32} << 20;

/// With one of these bytes the system keeps up to 64 KiB around it in the process's memory: of
/// 100,000 small tensors, several gigabytes. So all pages are freed after each kMostSmall of them.
constexpr uint64_t kSmallBytes = 4096;
constexpr size_t kMostSmall = 512;

Error no_tensor(std::string_view name) {
  return make_error(ErrorCode::kNotFound, "the model's files hold no tensor \"%1\"",
                    {for_message(name)});
}

/// A view of at most ConstTensorView::kMaxRank dimensions.
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

/// Feeds the name, dtype, shape, and the first and last `edge_bytes` of a tensor.
void hash_tensor(const TensorInfo& tensor, std::span<const std::byte> bytes, uint64_t edge_bytes,
                 Sha256& hash) {
  hash.update_field(tensor.name);
  hash.update_field(tensor.dtype);
  hash.update_u64(tensor.shape.size());
  for (int64_t n : tensor.shape) hash.update_u64(static_cast<uint64_t>(n));
  const uint64_t edge = std::min(tensor.bytes, edge_bytes);
  hash.update(bytes.first(edge));
  hash.update(bytes.last(edge));
}

}  // namespace

const TensorInfo* MappedWeights::find(std::string_view name) const {
  if (m_last_found < m_tensors.size() && m_tensors[m_last_found].name == name) {
    return &m_tensors[m_last_found];
  }
  const auto at = std::ranges::lower_bound(m_tensors, name, {}, &TensorInfo::name);
  if (at == m_tensors.end() || at->name != name) return nullptr;
  m_last_found = static_cast<size_t>(at - m_tensors.begin());
  return &*at;
}

Result<ConstTensorView> MappedWeights::tensor(std::string_view name) {
  const TensorInfo* info = find(name);
  if (info == nullptr) return no_tensor(name);
  const Result<DType> dtype = dtype_of(*info);
  if (!dtype) return dtype.error();
  file_of(*info).will_read(data(*info));
  return tensor_view(aligned(*info, *dtype), *dtype, info->shape);
}

Result<ConstTensorView> MappedWeights::described(std::string_view name) {
  const TensorInfo* info = find(name);
  if (info == nullptr) return no_tensor(name);
  const Result<DType> dtype = dtype_of(*info);
  if (!dtype) return dtype.error();
  return tensor_view(data(*info).data(), *dtype, info->shape);
}

Result<std::span<const std::byte>> MappedWeights::bytes(std::string_view name) {
  const TensorInfo* info = find(name);
  if (info == nullptr) return no_tensor(name);
  const MappedFile& file = file_of(*info);
  if (info->bytes > kSmallBytes) {
    file.will_read(data(*info));
  } else if (++m_num_small % kMostSmall == 0) {
    file.done_with(file.bytes());
  }
  return data(*info);
}

void MappedWeights::release(std::string_view name) {
  const TensorInfo* info = find(name);
  if (info == nullptr) return;
  m_copies.erase(info->name);
  file_of(*info).done_with(data(*info));
}

uint64_t MappedWeights::file_bytes() const {
  uint64_t total = 0;
  for (size_t i = 0; i < num_files(); ++i) total += file(i).bytes().size();
  return total;
}

void MappedWeights::hash_into(Sha256& hash) const {
  hash.update_u64(num_files());
  for (size_t i = 0; i < num_files(); ++i) hash.update_u64(file(i).bytes().size());
  hash.update(hashed_metadata());
  // The number of tensors, which is hashed, decides how much of each is.
  const uint64_t count = m_tensors.size();
  hash.update_u64(count);
  const uint64_t edge_bytes = count == 0 ? 0 : std::min(kHashedBytes, kAllHashedBytes / count);
  for (const TensorInfo& tensor : m_tensors) {
    hash_tensor(tensor, data(tensor), edge_bytes, hash);
    file_of(tensor).done_with(data(tensor));
  }
}

Result<void> MappedWeights::check_whole() const {
  for (size_t i = 0; i < num_files(); ++i) {
    if (!file(i).was_cut()) continue;
    return make_error(ErrorCode::kIo,
                      "%1 became shorter while it was read; load it again when it is complete",
                      {file_name(i)});
  }
  return {};
}

/// The tensor's bytes if they are aligned (blocks of quantised types always are), or a copy.
const std::byte* MappedWeights::aligned(const TensorInfo& tensor, DType dtype) {
  const std::span<const std::byte> bytes = data(tensor);
  if (is_quantized(dtype) ||
      reinterpret_cast<uintptr_t>(bytes.data()) % static_cast<size_t>(dtype_bytes(dtype)) == 0) {
    return bytes.data();
  }
  auto [copy, is_new] = m_copies.try_emplace(tensor.name, (bytes.size() + 7) / 8);
  if (is_new && !bytes.empty()) std::memcpy(copy->second.data(), bytes.data(), bytes.size());
  return reinterpret_cast<const std::byte*>(copy->second.data());
}

}  // namespace quire
