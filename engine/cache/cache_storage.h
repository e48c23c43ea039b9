#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "engine/cache/cache_layout.h"
#include "kernels/backend.h"

namespace quire {

/// The recurrent states of one layer, one in each slot; empty tensors where the layer has none.
struct StateLayerView {
  TensorView conv;      ///< (N, conv_rows, conv_width) f32: the last inputs, oldest first.
  TensorView matrices;  ///< (N, H, rows, columns) f32.
};

/// The keys and values of every block of the pool, the window parts of blocks, and the recurrent
/// states of every slot, allocated once, each layer's where the layer is computed. Only the memory;
/// BlockCache tracks the content.
/// Thread: the engine's.
/// Invariants: window slot 0 holds zeros and is not written: block tables name it where a row sees
/// nothing.
class CacheStorage {
 public:
  struct Sizes {
    int num_blocks = 0;
    int num_slots = 0;    ///< Of states; only with a layout that has some.
    int num_windows = 0;  ///< Slots for window parts, with slot 0; likewise.
  };
  /// Errors: kOutOfMemory with the bytes asked for, kUnsupported for a dtype that the backend does
  /// not keep.
  static Result<CacheStorage> allocate(Backend& backend, const CacheLayout& layout,
                                       const Sizes& sizes);
  /// Layer i on layer_backends[i], as many as layout.num_layers().
  static Result<CacheStorage> allocate(std::span<Backend* const> layer_backends,
                                       const CacheLayout& layout, const Sizes& sizes);
  /// Without memory.
  static CacheStorage none(const CacheLayout& layout) { return CacheStorage(layout, {}); }

  int num_blocks() const { return m_blocks.count; }
  int num_slots() const { return m_slots.count; }
  int num_windows() const { return m_windows.count; }
  const CacheLayout& layout() const { return m_layout; }

  /// A layer's keys and values, or those of the layer that it reads, in the shapes that its backend
  /// expects: B is the number of blocks, or of window slots.
  KvLayerView layer(int index) const;
  /// Whether the layer's pages are those of window slots.
  bool has_window(int index) const;
  StateLayerView state(int index) const;
  /// An address that changes when the memory of the layers from `first` on is allocated anew.
  const void* address(int first) const;

  /// Copies a block's keys and values in all layers (copy on write).
  void copy_block(int from, int to) { copy(m_blocks, from, to); }
  /// The same of a window part.
  void copy_window(int from, int to) { copy(m_windows, from, to); }

  /// Copies a block's bytes (layout().bytes_per_block(): layer after layer, keys, then values, each
  /// as in KvLayerView, then for i8 both scales) to and from host memory. Both wait for the
  /// devices; errors are their failures.
  Result<void> read_block(int block, std::span<std::byte> to) const;
  Result<void> write_block(int block, std::span<const std::byte> from);
  /// The same of a window part (layout().bytes_per_window()).
  Result<void> read_window(int slot, std::span<std::byte> to) const;
  Result<void> write_window(int slot, std::span<const std::byte> from);
  /// The same of a slot's states (layout().bytes_per_state()): layer after layer, the convolution's
  /// inputs, then the matrices.
  Result<void> read_state(int slot, std::span<std::byte> to) const;
  Result<void> write_state(int slot, std::span<const std::byte> from);

  /// The same without waiting: the host's bytes are valid, or may change, after synchronize().
  void download_block(int block, std::span<std::byte> to) const { download(m_blocks, block, to); }
  void upload_block(int block, std::span<const std::byte> from) { upload(m_blocks, block, from); }
  void download_window(int slot, std::span<std::byte> to) const { download(m_windows, slot, to); }
  void upload_window(int slot, std::span<const std::byte> from) { upload(m_windows, slot, from); }
  /// Waits for the devices; errors are their failures.
  Result<void> synchronize() const;

 private:
  /// One tensor of a layer: `count` items beside each other.
  struct Part {
    Backend* backend;
    std::unique_ptr<DeviceBuffer> memory;
    size_t item_bytes;
    /// DeviceInfo::keys_by_dimension. layer() is called for every layer of a step, and info() of a
    /// processor reads files of the system.
    bool keys_by_dimension;

    std::byte* item(int index) const {
      return static_cast<std::byte*>(memory->data()) + static_cast<size_t>(index) * item_bytes;
    }
  };
  /// The parts of all layers' blocks, or of all layers' states.
  struct Arena {
    int count = 0;
    std::vector<Part> parts;
    std::vector<size_t> first_part;  ///< Of each layer, or of the next one that has parts.
    size_t item_bytes = 0;
  };

  CacheStorage(CacheLayout layout, const Sizes& sizes);
  Result<void> add_layer(Backend& backend, const LayerCache& layer);
  Result<void> add_pages(Arena& arena, Backend& backend, const PagesShape& pages);
  Result<void> clear_window(int slot);
  std::array<const Arena*, 3> arenas() const { return {&m_blocks, &m_windows, &m_slots}; }
  /// num_heads: the KV heads that take equal parts of each item; 0: none do.
  static Result<void> add_part(Arena& arena, Backend& backend, size_t item_bytes,
                               int num_heads = 0);
  static void copy(const Arena& arena, int from, int to);
  static void download(const Arena& arena, int item, std::span<std::byte> to);
  static void upload(Arena& arena, int item, std::span<const std::byte> from);

  CacheLayout m_layout;
  Arena m_blocks;   ///< For each layer with pages: keys, values, and the scales of i8.
  Arena m_windows;  ///< The same for each layer with a window.
  Arena m_slots;    ///< For each layer with a state: the convolution's inputs, and the matrices.
};

}  // namespace quire
