#include "engine/cache/kv_storage.h"

#include <string>
#include <utility>

namespace quire {
namespace {

/// Elements of one block of one layer's keys, or values.
size_t block_elements(const KvLayout& layout) {
  return size_t{1} * layout.num_kv_heads * kBlockSize * layout.head_dim;
}

/// Scales of one block of one layer's keys, or values.
size_t block_scales(const KvLayout& layout) {
  return layout.dtype == DType::kI8 ? size_t{1} * layout.num_kv_heads * kBlockSize : 0;
}

size_t parts_per_layer(const KvLayout& layout) {
  return layout.dtype == DType::kI8 ? 4 : 2;
}

}  // namespace

size_t KvLayout::bytes_per_block() const {
  const size_t bytes =
      block_elements(*this) * dtype_bytes(dtype) + block_scales(*this) * sizeof(float);
  return size_t{2} * num_layers * bytes;
}

Result<KvStorage> KvStorage::allocate(Backend& backend, const KvLayout& layout, int num_blocks) {
  const std::vector<Backend*> backends(static_cast<size_t>(layout.num_layers), &backend);
  return allocate(backends, layout, num_blocks);
}

Result<KvStorage> KvStorage::allocate(std::span<Backend* const> layer_backends,
                                      const KvLayout& layout, int num_blocks) {
  CHECK(num_blocks > 0 && static_cast<int>(layer_backends.size()) == layout.num_layers);
  KvStorage storage(layout, num_blocks);
  for (Backend* const backend : layer_backends) {
    if (auto added = storage.add_layer(*backend); !added) return added.error();
  }
  return storage;
}

Result<void> KvStorage::add_layer(Backend& backend) {
  if (!backend.supports_kv(m_layout.dtype)) {
    return make_error(
        ErrorCode::kUnsupported, "Keys and values in %1 are not kept on the device %2. Choose %3.",
        {std::string(dtype_name(m_layout.dtype)), backend.info().name, "f32, f16, bf16 or i8"});
  }
  const size_t bytes = block_elements(m_layout) * dtype_bytes(m_layout.dtype);
  const size_t scale_bytes = block_scales(m_layout) * sizeof(float);
  const bool keys_by_dimension = backend.info().keys_by_dimension;
  for (size_t part = 0; part < parts_per_layer(m_layout); ++part) {
    const size_t block_bytes = part < 2 ? bytes : scale_bytes;
    auto memory = backend.allocate(block_bytes * static_cast<size_t>(m_num_blocks));
    if (!memory) return memory.error();
    m_parts.push_back({&backend, std::move(*memory), block_bytes, keys_by_dimension});
  }
  return {};
}

KvLayerView KvStorage::layer(int index) const {
  const size_t count = parts_per_layer(m_layout);
  const Part* const parts = &m_parts.at(static_cast<size_t>(index) * count);
  const auto pages = [&](const Part& part, int64_t rows, int64_t columns) {
    return TensorView(part.memory->data(), m_layout.dtype,
                      {m_num_blocks, m_layout.num_kv_heads, rows, columns});
  };
  const int64_t dim = m_layout.head_dim;
  KvLayerView view = {parts[0].keys_by_dimension ? pages(parts[0], dim, kBlockSize)
                                                 : pages(parts[0], kBlockSize, dim),
                      pages(parts[1], kBlockSize, dim)};
  if (count == 2) return view;
  const auto scales = [&](const Part& part) {
    return TensorView(part.memory->data(), DType::kF32,
                      {m_num_blocks, m_layout.num_kv_heads, kBlockSize});
  };
  view.key_scales = scales(parts[2]);
  view.value_scales = scales(parts[3]);
  return view;
}

void KvStorage::copy_block(int from, int to) {
  for (const Part& part : m_parts) {
    part.backend->copy(part.block(to), part.block(from), part.block_bytes);
  }
}

Result<void> KvStorage::read_block(int block, std::span<std::byte> to) const {
  download_block(block, to);
  return synchronize();
}

Result<void> KvStorage::write_block(int block, std::span<const std::byte> from) {
  upload_block(block, from);
  return synchronize();
}

void KvStorage::download_block(int block, std::span<std::byte> to) const {
  CHECK(block >= 0 && block < m_num_blocks && to.size() == m_layout.bytes_per_block());
  std::byte* next = to.data();
  for (const Part& part : m_parts) {
    part.backend->download(next, part.block(block), part.block_bytes);
    next += part.block_bytes;
  }
}

void KvStorage::upload_block(int block, std::span<const std::byte> from) {
  CHECK(block >= 0 && block < m_num_blocks && from.size() == m_layout.bytes_per_block());
  const std::byte* next = from.data();
  for (const Part& part : m_parts) {
    part.backend->upload(part.block(block), next, part.block_bytes);
    next += part.block_bytes;
  }
}

/// Once for every backend: layers of one are consecutive.
Result<void> KvStorage::synchronize() const {
  const Backend* last = nullptr;
  for (const Part& part : m_parts) {
    if (part.backend == last) continue;
    last = part.backend;
    if (auto done = part.backend->synchronize(); !done) return done.error();
  }
  return {};
}

}  // namespace quire
