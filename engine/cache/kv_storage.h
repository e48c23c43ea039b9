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

  /// Bytes that one block of kBlockSize tokens takes, all layers, keys and values, and the scales
  /// of i8.
  size_t bytes_per_block() const;
};

/// The keys and values of every block of the pool, allocated once, each layer's where the layer is
/// computed. Which block holds what is the BlockPool's business; this is only the memory.
/// Thread: the engine's.
class KvStorage {
 public:
  /// Errors: kOutOfMemory with the bytes asked for, kUnsupported for a dtype that the backend does
  /// not keep.
  static Result<KvStorage> allocate(Backend& backend, const KvLayout& layout, int num_blocks);
  /// Without memory: no block can be asked for.
  static KvStorage none(const KvLayout& layout) { return KvStorage(layout, 0); }
  /// Layer i on layer_backends[i], as many as layout.num_layers.
  static Result<KvStorage> allocate(std::span<Backend* const> layer_backends,
                                    const KvLayout& layout, int num_blocks);

  int num_blocks() const { return m_num_blocks; }
  const KvLayout& layout() const { return m_layout; }

  /// In the shapes that the layer's backend wants.
  KvLayerView layer(int index) const;

  /// Copies a block's keys and values in all layers (copy on write).
  void copy_block(int from, int to);

  /// A block's bytes (layout().bytes_per_block() of them: layer after layer, its keys, then its
  /// values, each as KvLayerView has them, then of i8 both scales) to and from host memory. Both
  /// wait for the devices; errors are their failures.
  Result<void> read_block(int block, std::span<std::byte> to) const;
  Result<void> write_block(int block, std::span<const std::byte> from);

  /// The same without waiting: the host's bytes are there, or may change, after synchronize().
  void download_block(int block, std::span<std::byte> to) const;
  void upload_block(int block, std::span<const std::byte> from);
  /// Waits for the devices; errors are their failures.
  Result<void> synchronize() const;

 private:
  /// One tensor of a layer, and how much of it a block has.
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
