#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "kernels/backend.h"

namespace quire {

/// The keys and values that a layer keeps of each token, in pages (KvLayerView).
struct PagesShape {
  int num_kv_heads = 0;
  int head_dim = 0;   ///< Of keys.
  int value_dim = 0;  ///< 0: as head_dim.
  int window = 0;     ///< The last tokens that a row sees, itself included; 0: all.
  int values() const { return value_dim > 0 ? value_dim : head_dim; }
  bool operator==(const PagesShape&) const = default;
};

/// What a recurrent layer keeps of each sequence, in f32: the last inputs of a causal convolution,
/// and a matrix for each head. Either may be empty.
struct StateShape {
  int64_t conv_rows = 0;   ///< Inputs kept: the kernel's width minus 1.
  int64_t conv_width = 0;  ///< Channels.
  int64_t num_heads = 0;
  int64_t rows = 0, columns = 0;  ///< Of a head's matrix.
  size_t conv_bytes() const { return sizeof(float) * size_t(conv_rows * conv_width); }
  size_t matrix_bytes() const { return sizeof(float) * size_t(num_heads * rows * columns); }
  bool operator==(const StateShape&) const = default;
};

/// What one layer keeps of sequences; a layer may keep both, or nothing.
struct LayerCache {
  std::optional<PagesShape> pages;
  std::optional<StateShape> state;
  /// The layer whose pages it reads, instead of pages of its own; both are on one backend.
  std::optional<int> reads = {};
  bool operator==(const LayerCache&) const = default;
};

/// What all layers of a model keep.
struct CacheLayout {
  DType dtype = DType::kF32;  ///< Of keys and values.
  std::vector<LayerCache> layers;

  /// Every layer with the same pages.
  static CacheLayout uniform(int num_layers, const PagesShape& pages, DType dtype = DType::kF32) {
    return {dtype, std::vector<LayerCache>(size_t(num_layers), {.pages = pages, .state = {}})};
  }

  int num_layers() const { return static_cast<int>(layers.size()); }
  bool has_states() const {
    return std::ranges::any_of(layers, [](const LayerCache& layer) { return !!layer.state; });
  }
  /// The largest window of a layer that has one; 0: none has.
  int window() const;

  /// Bytes that one block of kBlockSize tokens takes in layers without a window, all layers or
  /// `count` of them from `first` on: keys and values, and the scales of i8.
  size_t bytes_per_block() const { return bytes_per_block(0, num_layers()); }
  size_t bytes_per_block(int first, int count) const;
  /// The same of layers with a window: the block's window part.
  size_t bytes_per_window() const { return bytes_per_window(0, num_layers()); }
  size_t bytes_per_window(int first, int count) const;
  /// Bytes of one sequence's states; 0 for a model without recurrent layers.
  size_t bytes_per_state() const { return bytes_per_state(0, num_layers()); }
  size_t bytes_per_state(int first, int count) const;

  /// Blocks that fit into `bytes` with their window parts; at least 1.
  int blocks_in(size_t bytes) const {
    const size_t block = std::max<size_t>(1, bytes_per_block() + bytes_per_window());
    return static_cast<int>(std::clamp<size_t>(bytes / block, 1, size_t{1} << 26));
  }
};

}  // namespace quire
