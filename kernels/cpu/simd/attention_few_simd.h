#pragma once

// Attention of few queries, as in a decode, over key blocks that all of them see completely,
// templated on the vector; included only by the variants' sources.
//
// Up to six queries are multiplied with the four pages of a block at once: a word of a query is
// loaded once for four vectors of keys, and enough sums run side by side to hide their latency.
// Pages are read in place, and the sums over values stay in registers for the whole block. Sums
// have the same order as those of attention_pages_simd.h, so the bits are the same.

#include "kernels/cpu/simd/attention_operands_simd.h"

namespace quire::cpu {
namespace {

/// The most queries whose sums fit the registers, beside four vectors of keys or of values.
inline constexpr int kMostScored = 6;
inline constexpr int kMostWeighed = 5;

/// Vectors that hold the keys of a page and have enough registers. (Tiles have another order.)
template <class V>
concept MultipliesBlocks = V::kWidth == kPageKeys && !requires {
  typename V::Tiles;
};

/// Measured on a Zen 4, as a share of what a loop gets that only reads, heads of 256: 0.70 with one
/// block ahead, 0.83 with two; 0.45 without prefetching, 0.53 into the L1 cache.
inline constexpr int64_t kPagesAhead = 2 * kBlockPages;

/// The pages of a key block in a pool, and those of a later block, which are prefetched meanwhile.
struct BlockPages {
  const char* at[kBlockPages];
  const char* ahead[kBlockPages];
  bool prefetches;
};

inline BlockPages find_block(const AttentionTile& t, const PagePool& pool, int64_t block_begin,
                             int64_t last_ahead) {
  BlockPages pages;
  pages.prefetches = false;
  for (int i = 0; i < kBlockPages; ++i) {
    const int64_t page = block_begin / kPageKeys + i;
    const PageOfHead ahead = page_ahead(t, page, kPagesAhead);
    const bool is_ahead = ahead.page <= last_ahead;
    pages.at[i] = address_of(t, pool, {page, 0});
    pages.ahead[i] = is_ahead ? address_of(t, pool, ahead) : pages.at[i];
    pages.prefetches |= is_ahead;
  }
  return pages;
}

/// Prefetches the scales of the later block's keys and values.
inline void prefetch_scales(const AttentionTile& t, int64_t block_begin, int64_t last_ahead) {
  for (int i = 0; i < kBlockPages; ++i) {
    const PageOfHead ahead = page_ahead(t, block_begin / kPageKeys + i, kPagesAhead);
    if (ahead.page > last_ahead) return;
    const int64_t at = t.block_table[ahead.page] * t.scale_stride + ahead.head * kPageKeys;
    __builtin_prefetch(t.key_scales + at, 0, 1);
    __builtin_prefetch(t.value_scales + at, 0, 1);
  }
}

template <int n>
struct Count {
  static constexpr int value = n;
};

/// fn(Count<n>{}), 1 <= n <= kMost.
template <int kMost, class Fn>
inline void with_count(int64_t n, Fn fn) {
  if constexpr (kMost > 1) {
    if (n < kMost) return with_count<kMost - 1>(n, fn);
  }
  fn(Count<kMost>{});
}

/// fn(first, Count) for groups of about the same size, which together are n queries.
template <int kMost, class Fn>
inline void for_query_groups(int64_t n, Fn fn) {
  const int64_t groups = (n + kMost - 1) / kMost;
  for (int64_t group = 0; group < groups; ++group) {
    const int64_t first = n * group / groups;
    with_count<kMost>(n * (group + 1) / groups - first, [&](auto count) { fn(first, count); });
  }
}

// The rows of a page by its type: `num_rows` of `width` numbers.

template <class V, DType kType>
struct FloatPages {
  FloatRows<V, kType> operator()(const char* at, int64_t, int64_t width) const {
    return {at, width};
  }
};
template <class V>
struct I8Pages {
  I8Pairs<V> operator()(const char* at, int64_t num_rows, int64_t width) const {
    return {reinterpret_cast<const int8_t*>(at), width, num_rows};
  }
};
template <class V>
struct Bf16Pages {
  Bf16Pairs<V> operator()(const char* at, int64_t num_rows, int64_t width) const {
    return {reinterpret_cast<const uint16_t*>(at), width, num_rows};
  }
};

/// fn(one of the functions above).
template <class V, class Fn>
inline void with_pages(DType dtype, Fn fn) {
  if constexpr (MultipliesBf16<V>) {
    fn(Bf16Pages<V>{});
  } else if constexpr (ExtendsIntegersOnly<V>) {
    fn(I8Pages<V>{});
  } else {
    if (dtype == DType::kI8) return fn(I8Pages<V>{});
    if (dtype == DType::kF16) return fn(FloatPages<V, DType::kF16>{});
    if (dtype == DType::kBF16) return fn(FloatPages<V, DType::kBF16>{});
    fn(FloatPages<V, DType::kF32>{});
  }
}

/// scores[q] (kKeyBlock): the products of kQueries queries with the keys of a block. Prefetches the
/// later block's lines one after the other: requested at once, they would wait for each other.
template <class V, int kQueries, class Keys>
inline void score_whole_block(QueryOperands q, const Keys (&keys)[kBlockPages],
                              const BlockPages& pages, int64_t step_bytes, float* scores) {
  using Dot = typename Keys::Dot;
  typename Dot::Sum sums[kQueries][kBlockPages];
#pragma GCC unroll 32
  for (int i = 0; i < kQueries * kBlockPages; ++i) {
    sums[i / kBlockPages][i % kBlockPages] = Dot::zero();
  }
  for (int64_t step = 0; step < q.num_steps; ++step) {
    const float* const words = q.at + step * q.stride;
    typename Dot::Operand of_keys[kBlockPages];
#pragma GCC unroll 4
    for (int p = 0; p < kBlockPages; ++p) of_keys[p] = keys[p].load(step, 0);
    if (pages.prefetches) {
#pragma GCC unroll 4
      for (int p = 0; p < kBlockPages; ++p) {
        __builtin_prefetch(pages.ahead[p] + step * step_bytes, 0, 1);
      }
    }
#pragma GCC unroll 8
    for (int i = 0; i < kQueries; ++i) {
      const typename Dot::Operand word = Dot::spread(words + i);
#pragma GCC unroll 4
      for (int p = 0; p < kBlockPages; ++p) sums[i][p] = Dot::add(sums[i][p], word, of_keys[p]);
    }
  }
#pragma GCC unroll 32
  for (int i = 0; i < kQueries * kBlockPages; ++i) {
    Dot::store_sum(scores + i / kBlockPages * kKeyBlock + i % kBlockPages * kPageKeys,
                   sums[i / kBlockPages][i % kBlockPages]);
  }
}

/// The scores of all queries of the tile and all keys of a block.
template <class V>
inline void score_few(const AttentionTile& t, const AttentionScratch& s, int64_t block_begin,
                      int64_t last_ahead) {
  BlockPages pages = find_block(t, key_pool(t), block_begin, last_ahead);
  if (is_i8<V>(t) && pages.prefetches) prefetch_scales(t, block_begin, last_ahead);
  with_pages<V>(t.dtype, [&](auto rows_of) {
    using Keys = decltype(rows_of(pages.at[0], t.key_dim, kPageKeys));
    Keys keys[kBlockPages];
    for (int p = 0; p < kBlockPages; ++p) keys[p] = rows_of(pages.at[p], t.key_dim, kPageKeys);
    const int64_t step_bytes = Keys::Dot::kPerStep * kPageKeys * page_element_bytes(t);
    const int64_t num_queries = int64_t{t.num_rows} * t.group;
    for_query_groups<kMostScored>(num_queries, [&](int64_t first, auto count) {
      score_whole_block<V, decltype(count)::value>({s.q + first, s.q_stride, s.q_steps}, keys,
                                                   pages, step_bytes, s.scores + first * kKeyBlock);
      pages.prefetches = false;
    });
  });
  if (!is_i8<V>(t)) return;
  for (int p = 0; p < kBlockPages; ++p) {
    finish_scores<V>(t, s, t.block_table[block_begin / kPageKeys + p], s.scores + p * kPageKeys);
  }
}

/// sums = the weights times the values of a block, for kQueries queries over kVecs vectors of the
/// head from d. Prefetches the same values of the later block; row_bytes: of the values of a key.
template <class V, int kQueries, int kVecs, class Values>
inline void weigh_whole_block(const Values (&values)[kBlockPages], const BlockPages& pages,
                              int64_t row_bytes, const float* weights, float* sums, int64_t width,
                              int64_t d) {
  using Dot = typename Values::Dot;
  const int64_t number_bytes = row_bytes / width;
  constexpr int kPageSteps = kPageKeys / Dot::kPerStep;
  typename Dot::Sum parts[kQueries][kVecs];
#pragma GCC unroll 32
  for (int i = 0; i < kQueries * kVecs; ++i) parts[i / kVecs][i % kVecs] = Dot::zero();
  for (int p = 0; p < kBlockPages; ++p) {
    const Values of_page = values[p];
    const char* ahead = pages.ahead[p] + d * number_bytes;
    for (int64_t step = 0; step < kPageSteps; ++step) {
      const float* const words = weights + p * kPageSteps + step;
      typename Dot::Operand spread[kQueries];
#pragma GCC unroll 8
      for (int q = 0; q < kQueries; ++q) spread[q] = Dot::spread(words + q * kKeyBlock);
      if (pages.prefetches) {
        for (int key = 0; key < Dot::kPerStep; ++key, ahead += row_bytes) {
          const int64_t bytes = kVecs * V::kWidth * number_bytes;
          for (int64_t i = 0; i < bytes; i += 64) __builtin_prefetch(ahead + i, 0, 1);
        }
      }
#pragma GCC unroll 4
      for (int v = 0; v < kVecs; ++v) {
        const typename Dot::Operand value = of_page.load(step, d + v * V::kWidth);
#pragma GCC unroll 8
        for (int q = 0; q < kQueries; ++q) parts[q][v] = Dot::add(parts[q][v], spread[q], value);
      }
    }
  }
#pragma GCC unroll 32
  for (int i = 0; i < kQueries * kVecs; ++i) {
    Dot::store_sum(sums + i / kVecs * width + d + i % kVecs * V::kWidth,
                   parts[i / kVecs][i % kVecs]);
  }
}

/// The weighted values of a block, for all queries of the tile.
template <class V>
inline void weigh_few(const AttentionTile& t, const AttentionScratch& s, int64_t block_begin,
                      int64_t last_ahead) {
  BlockPages pages = find_block(t, value_pool(t), block_begin, last_ahead);
  with_pages<V>(t.dtype, [&](auto rows_of) {
    using Values = decltype(rows_of(pages.at[0], kPageKeys, t.value_dim));
    Values values[kBlockPages];
    for (int p = 0; p < kBlockPages; ++p) {
      values[p] = rows_of(pages.at[p], kPageKeys, t.value_dim);
    }
    const int64_t row_bytes = t.value_dim * page_element_bytes(t);
    const int64_t num_queries = int64_t{t.num_rows} * t.group;
    for_query_groups<kMostWeighed>(num_queries, [&](int64_t first, auto count) {
      constexpr int kQueries = decltype(count)::value;
      const float* const weights = s.scores + first * kKeyBlock;
      float* const sums = s.block.sums + first * t.value_dim;
      const auto weigh = [&](auto vecs, int d) {
        weigh_whole_block<V, kQueries, decltype(vecs)::value>(values, pages, row_bytes, weights,
                                                              sums, t.value_dim, d);
      };
      int d = 0;
      for (; d + 4 * V::kWidth <= t.value_dim; d += 4 * V::kWidth) weigh(Count<4>{}, d);
      for (; d < t.value_dim; d += V::kWidth) weigh(Count<1>{}, d);
      pages.prefetches = false;
    });
  });
}

/// Whether the functions above compute the block: few queries, which all see all its keys.
template <class V>
inline bool is_whole_block_of_few(const AttentionTile& t, KeyRange tile_keys, int64_t block_begin) {
  if constexpr (MultipliesBlocks<V>) {
    const KeyRange block = {block_begin, block_begin + kKeyBlock};
    const bool is_few = int64_t{t.num_rows} * t.group <= kFewQueries;
    if (!is_few || t.value_dim != t.padded_value_dim) return false;
    if (tile_keys.begin > block.begin || tile_keys.end < block.end) return false;
    for (int64_t row = 0; row < t.num_rows; ++row) {
      const KeyRange seen = {t.rows[row].first_key, t.rows[row].position + 1};
      if (seen.begin > block.begin || seen.end < block.end) return false;
    }
    return true;
  } else {
    return false;
  }
}

}  // namespace
}  // namespace quire::cpu
