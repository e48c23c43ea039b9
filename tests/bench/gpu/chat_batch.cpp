#include "tests/bench/gpu/chat_batch.h"

namespace quire::bench {

ChatBatch::ChatBatch(const ChatShape& shape) : m_shape(shape) {
  CHECK(shape.rows >= 1 && shape.context >= shape.rows && shape.shared_prefix < shape.context);
  m_max_blocks = (shape.context + shape.room + kBlockSize - 1) / kBlockSize;
  const int shared = num_shared_blocks();
  const int own = m_max_blocks - shared;
  for (int chat = 0; chat < shape.num_chats; ++chat) {
    for (int b = 0; b < m_max_blocks; ++b) {
      // Pages of the chats lie among each other, as they are taken while all of them grow.
      m_block_tables.push_back(b < shared ? b : shared + (b - shared) * shape.num_chats + chat);
    }
  }
  m_num_blocks = shared + own * shape.num_chats;
  m_ids.assign(static_cast<size_t>(num_tokens()), 1);
  for (int i = 0; i < num_tokens(); ++i) m_ids[static_cast<size_t>(i)] = i % 251;
  set_rows();
}

int ChatBatch::num_shared_blocks() const {
  return m_shape.num_chats > 1 ? m_shape.shared_prefix / kBlockSize : 0;
}

void ChatBatch::set_rows() {
  m_positions.clear();
  m_slots.clear();
  m_query_start = {0};
  m_logits_rows.clear();
  m_context_len.assign(static_cast<size_t>(m_shape.num_chats), m_shape.context);
  for (int chat = 0; chat < m_shape.num_chats; ++chat) {
    const int32_t* const table = m_block_tables.data() + size_t{1} * chat * m_max_blocks;
    for (int p = m_shape.context - m_shape.rows; p < m_shape.context; ++p) {
      m_positions.push_back(p);
      m_slots.push_back(table[p / kBlockSize] * kBlockSize + p % kBlockSize);
    }
    m_query_start.push_back((chat + 1) * m_shape.rows);
    m_logits_rows.push_back((chat + 1) * m_shape.rows - 1);
  }
}

void ChatBatch::advance(std::span<const int32_t> next_ids) {
  CHECK(m_shape.rows == 1 && m_shape.room > 0);
  CHECK(next_ids.size() == m_ids.size());
  ++m_shape.context;
  --m_shape.room;
  m_ids.assign(next_ids.begin(), next_ids.end());
  set_rows();
}

double ChatBatch::keys_to_read() const {
  const int shared = num_shared_blocks() * kBlockSize;
  return shared + static_cast<double>(m_shape.num_chats) * (m_shape.context - shared);
}

double ChatBatch::keys_seen() const {
  const double mean = m_shape.context - (m_shape.rows - 1) / 2.0;
  return num_tokens() * mean;
}

std::vector<int32_t> ChatBatch::packed() const {
  std::vector<int32_t> all;
  for (const auto* part : {&m_ids, &m_positions, &m_slots, &m_query_start, &m_context_len,
                           &m_block_tables, &m_logits_rows}) {
    all.insert(all.end(), part->begin(), part->end());
  }
  return all;
}

DeviceBatch::DeviceBatch(Backend& backend, DeviceMemory& memory, const ChatBatch& batch)
    : m_backend(backend) {
  m_memory = memory.zeros(DType::kI32, {static_cast<int64_t>(batch.packed().size())});
  if (m_memory.empty()) return;
  const int64_t chats = batch.shape().num_chats, tokens = batch.num_tokens();
  int64_t at = 0;
  const auto take = [&](int64_t count) {
    at += count;
    return ConstTensorView(m_memory.rows(at - count, count));
  };
  ids = take(tokens);
  positions = take(tokens);
  slots = take(tokens);
  attention.query_start = take(chats + 1);
  attention.context_len = take(chats);
  attention.block_tables = ConstTensorView(take(chats * batch.max_blocks()).data(), DType::kI32,
                                           {chats, batch.max_blocks()});
  logits_rows = take(chats);
}

void DeviceBatch::upload(const ChatBatch& batch) {
  std::vector<int32_t>& host = m_host[m_num_uploads++ % m_host.size()];
  host = batch.packed();
  m_backend.upload(m_memory.data(), host.data(), host.size() * sizeof(int32_t));
}

void DeviceBatch::announce(const ChatBatch& batch) {
  m_backend.begin_attention(attention, batch.attention());
}

KvLayerView make_pages(DeviceMemory& memory, DType dtype, int num_blocks, int num_kv_heads,
                       int head_dim) {
  const bool by_dimension = memory.backend().info().keys_by_dimension;
  KvLayerView pages{
      .keys = by_dimension ? memory.random(dtype, {num_blocks, num_kv_heads, head_dim, kBlockSize})
                           : memory.random(dtype, {num_blocks, num_kv_heads, kBlockSize, head_dim}),
      .values = memory.random(dtype, {num_blocks, num_kv_heads, kBlockSize, head_dim})};
  if (dtype != DType::kI8) return pages;
  const std::vector<float> scales(size_t{1} * num_blocks * num_kv_heads * kBlockSize, 1.0f / 127);
  for (TensorView* view : {&pages.key_scales, &pages.value_scales}) {
    *view = TensorView(memory.floats(scales).data(), DType::kF32,
                       {num_blocks, num_kv_heads, kBlockSize});
  }
  return pages;
}

double bytes_per_key(DType dtype, int num_kv_heads, int head_dim) {
  const double scale_bytes = dtype == DType::kI8 ? sizeof(float) : 0.0;
  return 2.0 * num_kv_heads * (static_cast<double>(dtype_bytes(dtype)) * head_dim + scale_bytes);
}

}  // namespace quire::bench
