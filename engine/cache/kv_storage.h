#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "kernels/backend.h"

namespace quire {

struct KvLayout {
  int num_layers = 0;
  int num_kv_heads = 0;
  int head_dim = 0;
  DType dtype = DType::kF32;

  /// Bytes that one block of kBlockSize tokens takes, all layers, keys and values.
  size_t bytes_per_block() const;
};

/// The keys and values of every block of the pool, allocated once. Which block holds what is the
/// BlockPool's business; this is only the memory.
/// Thread: the engine's.
class KvStorage {
 public:
  /// Errors: kOutOfMemory with the bytes asked for.
  static Result<KvStorage> allocate(Backend& backend, const KvLayout& layout, int num_blocks);

  int num_blocks() const { return m_num_blocks; }
  const KvLayout& layout() const { return m_layout; }

  /// keys, values: (B, Hkv, kBlockSize, D).
  KvLayerView layer(int index) const;

  /// Copies a block's keys and values in all layers (copy on write).
  void copy_block(int from, int to);

  /// A block's bytes (layout().bytes_per_block() of them: layer after layer, its keys, then its
  /// values, each (Hkv, kBlockSize, D)) to and from host memory. Both wait for the device; errors
  /// are its failures.
  Result<void> read_block(int block, std::span<std::byte> to) const;
  Result<void> write_block(int block, std::span<const std::byte> from);

 private:
  KvStorage(Backend& backend, const KvLayout& layout, int num_blocks);
  size_t bytes_per_layer_block() const;

  Backend* m_backend;
  KvLayout m_layout;
  int m_num_blocks;
  std::vector<std::unique_ptr<DeviceBuffer>> m_keys;    ///< One for each layer.
  std::vector<std::unique_ptr<DeviceBuffer>> m_values;  ///< One for each layer.
};

}  // namespace quire
