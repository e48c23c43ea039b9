#pragma once

// Attention over pages of bf16 on processors that multiply bf16, a key block at a time, templated
// on the vector; included only by the variants' sources. Tiles::add_bf16 multiplies 16 queries by
// 64 keys, or the weights of 16 queries by 64 dimensions of the values.

#include "kernels/cpu/simd/attention_operands_simd.h"

namespace quire::cpu {
namespace {

template <class V>
concept HasTiles = requires {
  typename V::Tiles;
};

inline constexpr int kTileQueries = 16;
inline constexpr int kTileDims = 64;
inline constexpr int kTilePairs = kBf16Inputs / 2;
inline constexpr int kBlockPairs = kKeyBlock / 2;

/// A mask of the keys `key` and `key` + 1 in a pair: 16 set bits for each key that is seen.
inline int bits_of_seen(int64_t key, KeyRange seen) {
  const unsigned low = key >= seen.begin && key < seen.end ? 0x0000ffffu : 0;
  const unsigned high = key + 1 >= seen.begin && key + 1 < seen.end ? 0xffff0000u : 0;
  return static_cast<int>(low | high);
}

/// Words of a query for tiles: pairs of dimensions, padded to whole tiles.
inline int64_t tile_operands(const AttentionTile& t) {
  return (int64_t{t.key_dim} + kBf16Inputs - 1) / kBf16Inputs * kTilePairs;
}

/// Loads the queries' words (M, tile_operands).
template <class V>
inline void load_tile_queries(const AttentionTile& t, const AttentionScratch& s) {
  const int64_t words = tile_operands(t);
  for (int64_t query = 0; query < int64_t{t.num_rows} * t.group; ++query) {
    float* const to = s.q + query * words;
    for (int64_t i = 0; i < words; i += V::kWidth) V::store(to + i, V::zero());
    operands_of<V>(t, s, query, to);
  }
}

/// Copies the keys of a block to s.page as pairs of dimensions: (tile_operands, kKeyBlock).
template <class V>
inline void widen_block_keys(const AttentionTile& t, const AttentionScratch& s, PageRange pages,
                             int64_t block_begin) {
  const int64_t num_steps = (t.key_dim + 1) / 2;
  for (int64_t page = pages.first; page <= pages.last; ++page) {
    const char* const at = find_page(t, key_pool(t), page, pages.last_ahead);
    const Bf16Pairs<V> keys = {reinterpret_cast<const uint16_t*>(at), kPageKeys, t.key_dim};
    float* const to = s.page + (page * kPageKeys - block_begin);
    for (int64_t step = 0; step < tile_operands(t); ++step) {
      for (int key = 0; key < kPageKeys; key += V::kWidth) {
        Bf16Dot<V>::store(to + step * kKeyBlock + key,
                          step < num_steps ? keys.load(step, key) : Bf16Dot<V>::nothing());
      }
    }
  }
}

/// The scores of all queries and keys of a block. Those of keys that a query does not see may be
/// anything.
template <class V>
inline void score_block_by_tiles(const AttentionTile& t, const AttentionScratch& s, PageRange pages,
                                 int64_t block_begin) {
  widen_block_keys<V>(t, s, pages, block_begin);
  const int64_t words = tile_operands(t);
  for (int64_t query = 0; query < int64_t{t.num_rows} * t.group; query += kTileQueries) {
    float* const scores = s.scores + query * kKeyBlock;
    for (int i = 0; i < kTileQueries * kKeyBlock; i += V::kWidth) V::store(scores + i, V::zero());
    V::Tiles::add_bf16(reinterpret_cast<const uint16_t*>(s.q + query * words),
                       words * static_cast<int64_t>(sizeof(float)),
                       reinterpret_cast<const uint32_t*>(s.page), words / kTilePairs, scores);
  }
}

/// The number n of a head's dimensions that are adjacent in s.page, which holds the values as (P /
/// n, kBlockPairs, n).
template <class V>
inline int panel_dims(const AttentionTile& t) {
  return HasTiles<V> ? kTileDims : t.padded_value_dim;
}

/// Copies the values of two keys to s.page. bits: bits_of_seen of the keys.
template <class V>
inline void widen_value_pair(const AttentionTile& t, const Bf16Pairs<V>& values, int64_t step,
                             int bits, float* to) {
  using Dot = Bf16Dot<V>;
  const int width = panel_dims<V>(t);
  const typename V::I mask = V::set1_i(bits);
  for (int begin = 0; begin < t.value_dim; begin += width, to += kBlockPairs * width) {
    const int left = bits == 0 ? 0 : t.value_dim - begin < width ? t.value_dim - begin : width;
    int i = 0;
    for (; i + V::kWidth <= left; i += V::kWidth) {
      Dot::store(to + i, V::and_i(values.load(step, begin + i), mask));
    }
    if (i < left) {
      Dot::store(to + i, V::and_i(values.load_n(step, begin + i, left - i), mask));
      i += V::kWidth;
    }
    for (; i < width; i += V::kWidth) Dot::store(to + i, Dot::nothing());
  }
}

/// Copies the values of a block to s.page, with zeros for keys that are not seen: their slots may
/// hold NaN.
template <class V>
inline void widen_block_values(const AttentionTile& t, const AttentionScratch& s, PageRange pages,
                               int64_t block_begin, KeyRange seen) {
  constexpr int kPagePairs = kPageKeys / 2;
  const int width = panel_dims<V>(t);
  for (int64_t i = 0; i < kKeyBlock / kPageKeys; ++i) {
    const int64_t page = block_begin / kPageKeys + i;
    const KeyRange of_page = intersect(seen, keys_of_page(page));
    const bool is_seen = of_page.begin < of_page.end;
    const char* const at = is_seen ? find_page(t, value_pool(t), page, pages.last_ahead) : nullptr;
    const Bf16Pairs<V> values = {reinterpret_cast<const uint16_t*>(at), t.value_dim, kPageKeys};
    for (int64_t step = 0; step < kPagePairs; ++step) {
      const int bits = is_seen ? bits_of_seen(page * kPageKeys + 2 * step, of_page) : 0;
      widen_value_pair<V>(t, values, step, bits, s.page + (i * kPagePairs + step) * width);
    }
  }
}

/// Adds weights times s.page to the sums of queries [first, first + count), which are zero before.
template <class V>
inline void weigh_in_bf16(const AttentionTile& t, const AttentionScratch& s, int64_t first,
                          int64_t count) {
  const WidenedRows<V, Bf16Dot<V>> values = {s.page, t.padded_value_dim};
  weigh_queries<V>(s.block.sums + first * t.padded_value_dim, s.scores + first * kKeyBlock,
                   ValueSteps<decltype(values)>{values, t.padded_value_dim, 0, kBlockPairs}, count);
}

template <class V>
inline void weigh_by_tiles(const AttentionTile& t, const AttentionScratch& s, int64_t first,
                           int64_t count) {
  for (int64_t query = first; query < first + count; query += kTileQueries) {
    const int64_t rows =
        first + count - query < kTileQueries ? first + count - query : kTileQueries;
    for (int d = 0; d < t.padded_value_dim; d += kTileDims) {
      alignas(64) float totals[kTileQueries * kTileDims] = {};
      V::Tiles::add_bf16(reinterpret_cast<const uint16_t*>(s.scores + query * kKeyBlock),
                         kKeyBlock * static_cast<int64_t>(sizeof(float)),
                         reinterpret_cast<const uint32_t*>(s.page + int64_t{d} * kBlockPairs),
                         kBlockPairs / kTilePairs, totals);
      const int dims = t.padded_value_dim - d < kTileDims ? t.padded_value_dim - d : kTileDims;
      for (int64_t row = 0; row < rows; ++row) {
        float* const sums = s.block.sums + (query + row) * t.padded_value_dim + d;
        copy_floats<V>(sums, totals + row * kTileDims, dims);
      }
    }
  }
}

/// Whether n numbers are finite; n is a multiple of kWidth.
template <class V>
inline bool are_finite(const float* x, int64_t n) {
  using F = typename V::F;
  const auto add_nothing = [](F sum, const float* at) {
    return V::fma(V::load(at), V::zero(), sum);
  };
  F sums[4] = {V::zero(), V::zero(), V::zero(), V::zero()};
  int64_t i = 0;
  for (; i + 4 * V::kWidth <= n; i += 4 * V::kWidth) {
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) sums[v] = add_nothing(sums[v], x + i + v * V::kWidth);
  }
  for (; i < n; i += V::kWidth) sums[0] = add_nothing(sums[0], x + i);
  return V::reduce_add(V::add(V::add(sums[0], sums[1]), V::add(sums[2], sums[3]))) == 0.0f;
}

/// Computes the sums of queries [first, first + count); returns whether all of them are finite.
template <class V>
inline bool weigh_queries_in_bf16(const AttentionTile& t, const AttentionScratch& s, int64_t first,
                                  int64_t count) {
  float* const sums = s.block.sums + first * t.padded_value_dim;
  const int64_t num_sums = count * t.padded_value_dim;
  if constexpr (HasTiles<V>) {
    weigh_by_tiles<V>(t, s, first, count);
  } else {
    for (int64_t i = 0; i < num_sums; i += V::kWidth) V::store(sums + i, V::zero());
    weigh_in_bf16<V>(t, s, first, count);
  }
  return are_finite<V>(sums, num_sums);
}

/// Computes the weighted sums of all rows. Keys that a row does not see have a weight of zero,
/// which is correct if their values are finite; otherwise the rows are computed again in runs that
/// see the same keys. (Products with a zero weight may change the sign of a zero.)
template <class V>
inline void weigh_block_in_bf16(const AttentionTile& t, const AttentionScratch& s, KeyRange keys,
                                PageRange pages, int64_t block_begin) {
  for (int64_t row = 0; row < t.num_rows; ++row) {
    if (sees(t, row, keys)) continue;
    float* const weights = s.scores + row * t.group * kKeyBlock;
    for (int64_t i = 0; i < t.group * kKeyBlock; i += V::kWidth) V::store(weights + i, V::zero());
  }
  widen_block_values<V>(t, s, pages, block_begin, keys);
  if (weigh_queries_in_bf16<V>(t, s, 0, int64_t{t.num_rows} * t.group)) return;
  for (int64_t row = 0; row < t.num_rows;) {
    const RowRun run = run_of_rows(t, row, keys);
    widen_block_values<V>(t, s, pages, block_begin, run.seen);
    weigh_queries_in_bf16<V>(t, s, row * t.group, (run.end - row) * t.group);
    row = run.end;
  }
}

}  // namespace
}  // namespace quire::cpu
