#pragma once

#include <algorithm>
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

  /// Bytes that one block of kBlockSize tokens takes, all layers, keys and values, and the scales
  /// of i8.
  size_t bytes_per_block() const;
  /// Blocks that fit into `bytes`; at least 1.
  int blocks_in(size_t bytes) const {
    return static_cast<int>(std::max<size_t>(1, bytes / bytes_per_block()));
  }
};

/// The keys and values of every block of the pool, allocated once, each layer's where the layer is
/// computed. Only the memory; BlockPool and PrefixIndex track the content of blocks.
/// Thread: the engine's.
class KvStorage {
 public:
  /// Errors: kOutOfMemory with the bytes asked for, kUnsupported for a dtype that the backend does
  /// not keep.
  static Result<KvStorage> allocate(Backend& backend, const KvLayout& layout, int num_blocks);
  /// Without memory and blocks.
  static KvStorage none(const KvLayout& layout) { return KvStorage(layout, 0); }
  /// Layer i on layer_backends[i], as many as layout.num_layers.
  static Result<KvStorage> allocate(std::span<Backend* const> layer_backends,
                                    const KvLayout& layout, int num_blocks);

  int num_blocks() const { return m_num_blocks; }
  const KvLayout& layout() const { return m_layout; }

  /// In the shapes that the layer's backend expects.
  KvLayerView layer(int index) const;

  /// Copies a block's keys and values in all layers (copy on write).
  void copy_block(int from, int to);

  /// Copies a block's bytes (layout().bytes_per_block(): layer after layer, keys, then values, each
  /// as in KvLayerView, then for i8 both scales) to and from host memory. Both wait for the
  /// devices; errors are their failures.
  Result<void> read_block(int block, std::span<std::byte> to) const;
  Result<void> write_block(int block, std::span<const std::byte> from);

  /// The same without waiting: the host's bytes are valid, or may change, after synchronize().
  void download_block(int block, std::span<std::byte> to) const;
  void upload_block(int block, std::span<const std::byte> from);
  /// Waits for the devices; errors are their failures.
  Result<void> synchronize() const;

 private:
  /// One tensor of a layer.
  struct Part {
    Backend* backend;
    std::unique_ptr<DeviceBuffer> memory;
    size_t block_bytes;
    bool keys_by_dimension;  ///< DeviceInfo

    std::byte* block(int index) const {
      return static_cast<std::byte*>(memory->data()) + static_cast<size_t>(index) * block_bytes;
    }
  };

  KvStorage(const KvLayout& layout, int num_blocks) : m_layout(layout), m_num_blocks(num_blocks) {}
  Result<void> add_layer(Backend& backend);

  KvLayout m_layout;
  int m_num_blocks;
  std::vector<Part> m_parts;  ///< parts_per_layer() for each layer: keys, values, and their scales.
};

}  // namespace quire
