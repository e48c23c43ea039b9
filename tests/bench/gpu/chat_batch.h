#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/backend.h"
#include "tests/bench/gpu/device_memory.h"

namespace quire::bench {

/// Chats that compute a step together, all of the same lengths.
struct ChatShape {
  int num_chats = 1;
  int rows = 1;           ///< Tokens that each computes: 1 decodes, more is a prefill.
  int context = 1;        ///< Tokens of each with these, at least `rows`.
  int shared_prefix = 0;  ///< Tokens that all begin with; whole pages of them are shared.
  int room = 0;           ///< Tokens that each may still grow by.
};

/// A step's batch in host memory: what the engine's ForwardBatch is.
class ChatBatch {
 public:
  explicit ChatBatch(const ChatShape& shape);

  /// Every chat goes on by one token; rows is 1.
  void advance(std::span<const int32_t> next_ids);

  const ChatShape& shape() const { return m_shape; }
  int num_tokens() const { return m_shape.num_chats * m_shape.rows; }
  int num_blocks() const { return m_num_blocks; }
  int max_blocks() const { return m_max_blocks; }

  /// Keys that attention must read, those of shared pages once, and keys that its rows see.
  double keys_to_read() const;
  double keys_seen() const;

  HostAttentionBatch attention() const {
    return {
        .query_start = m_query_start, .context_len = m_context_len, .block_tables = m_block_tables};
  }
  /// All of it, one after the other, as DeviceBatch reads it.
  std::vector<int32_t> packed() const;

 private:
  void set_rows();
  int num_shared_blocks() const;

  ChatShape m_shape;
  int m_max_blocks = 0;
  int m_num_blocks = 0;
  std::vector<int32_t> m_ids, m_positions, m_slots;
  std::vector<int32_t> m_query_start, m_context_len, m_block_tables;
  std::vector<int32_t> m_logits_rows;  ///< Each chat's last.
};

/// A ChatBatch in device memory; its place stays the same while its contents change.
class DeviceBatch {
 public:
  DeviceBatch(Backend& backend, DeviceMemory& memory, const ChatBatch& batch);

  /// The batch, of the same shape; `announce` is begin_attention.
  void upload(const ChatBatch& batch);
  void announce(const ChatBatch& batch);
  /// As they were uploaded, or as the step before draws them.
  void copy_ids(ConstTensorView tokens) {
    m_backend.copy(m_memory.data(), tokens.data(), tokens.num_elements() * sizeof(int32_t));
  }

  ConstTensorView ids, positions, slots, logits_rows;
  AttentionBatch attention;

 private:
  Backend& m_backend;
  TensorView m_memory;
  std::array<std::vector<int32_t>, 2> m_host;  ///< In turns: a step may be under way.
  size_t m_num_uploads = 0;
};

/// Pages of one layer for that many blocks.
KvLayerView make_pages(DeviceMemory& memory, DType dtype, int num_blocks, int num_kv_heads,
                       int head_dim);
/// Bytes of one token's key and value in one layer.
double bytes_per_key(DType dtype, int num_kv_heads, int head_dim);

}  // namespace quire::bench
