#include "engine/cache/kv_storage.h"

#include <utility>

namespace quire {

size_t KvLayout::bytes_per_block() const {
  return size_t{2} * num_layers * num_kv_heads * kBlockSize * head_dim * dtype_bytes(dtype);
}

KvStorage::KvStorage(Backend& backend, const KvLayout& layout, int num_blocks)
    : m_backend(&backend), m_layout(layout), m_num_blocks(num_blocks) {}

Result<KvStorage> KvStorage::allocate(Backend& backend, const KvLayout& layout, int num_blocks) {
  CHECK(num_blocks > 0);
  KvStorage storage(backend, layout, num_blocks);
  const size_t bytes = storage.bytes_per_layer_block() * num_blocks;
  for (int i = 0; i < layout.num_layers; ++i) {
    for (auto* buffers : {&storage.m_keys, &storage.m_values}) {
      auto buffer = backend.allocate(bytes);
      if (!buffer) return buffer.error();
      buffers->push_back(std::move(*buffer));
    }
  }
  return storage;
}

KvLayerView KvStorage::layer(int index) const {
  const auto view = [&](const std::unique_ptr<DeviceBuffer>& buffer) {
    return TensorView(buffer->data(), m_layout.dtype,
                      {m_num_blocks, m_layout.num_kv_heads, kBlockSize, m_layout.head_dim});
  };
  return {view(m_keys.at(index)), view(m_values.at(index))};
}

void KvStorage::copy_block(int from, int to) {
  const size_t bytes = bytes_per_layer_block();
  for (const auto* buffers : {&m_keys, &m_values}) {
    for (const auto& buffer : *buffers) {
      char* base = static_cast<char*>(buffer->data());
      m_backend->copy(base + to * bytes, base + from * bytes, bytes);
    }
  }
}

Result<void> KvStorage::read_block(int block, std::span<std::byte> to) const {
  CHECK(block >= 0 && block < m_num_blocks && to.size() == m_layout.bytes_per_block());
  const size_t bytes = bytes_per_layer_block();
  std::byte* next = to.data();
  for (size_t layer = 0; layer < m_keys.size(); ++layer) {
    for (const auto* buffers : {&m_keys, &m_values}) {
      const auto* base = static_cast<const std::byte*>((*buffers)[layer]->data());
      m_backend->download(next, base + block * bytes, bytes);
      next += bytes;
    }
  }
  return m_backend->synchronize();
}

Result<void> KvStorage::write_block(int block, std::span<const std::byte> from) {
  CHECK(block >= 0 && block < m_num_blocks && from.size() == m_layout.bytes_per_block());
  const size_t bytes = bytes_per_layer_block();
  const std::byte* next = from.data();
  for (size_t layer = 0; layer < m_keys.size(); ++layer) {
    for (const auto* buffers : {&m_keys, &m_values}) {
      auto* base = static_cast<std::byte*>((*buffers)[layer]->data());
      m_backend->upload(base + block * bytes, next, bytes);
      next += bytes;
    }
  }
  return m_backend->synchronize();
}

size_t KvStorage::bytes_per_layer_block() const {
  return size_t{1} * m_layout.num_kv_heads * kBlockSize * m_layout.head_dim *
         dtype_bytes(m_layout.dtype);
}

}  // namespace quire
