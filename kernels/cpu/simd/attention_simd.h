#pragma once

// Attention over pages with an online softmax (arXiv:1805.02867, arXiv:2205.14135), templated on
// the vector; included only by the variants' sources.
//
// A query's arithmetic is fixed by its position: key blocks begin at multiples of kKeyBlock, a
// product of query and key is summed lane by lane over D and then across lanes, and values are
// added key by key. The tile only decides for how many queries a page is widened once.

#include <immintrin.h>

#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/simd/math_simd.h"

namespace quire::cpu {
namespace {

/// The parts of AttentionTile::scratch. M = num_rows * group queries, P = the padded head_dim.
struct AttentionScratch {
  float* q;        ///< (M, P)
  float* sums;     ///< (M, P): values weighted so far.
  float* scores;   ///< (M, kKeyBlock): scores, then weights.
  float* maximum;  ///< (M): of the scores so far.
  float* total;    ///< (M): of the weights so far.
  float* page;     ///< (kPageKeys, P): keys or values, widened.
  int padded_dim;  ///< P
};

/// A range [begin, end) of keys.
struct KeyRange {
  int64_t begin;
  int64_t end;
};

inline KeyRange visible_keys(const AttentionTile& t, int64_t row) {
  const int64_t end = t.first_position + row + 1;
  const bool clipped = t.sliding_window > 0 && end > t.sliding_window;
  return {clipped ? end - t.sliding_window : 0, end};
}

inline KeyRange intersect(KeyRange a, KeyRange b) {
  return {a.begin > b.begin ? a.begin : b.begin, a.end < b.end ? a.end : b.end};
}

inline void prefetch_page(const char* page, int64_t bytes) {
  for (int64_t i = 0; i < bytes; i += 64) _mm_prefetch(page + i, _MM_HINT_T0);
}

/// Where a page of that block lies; the page of next_block (if not negative) is prefetched.
inline const char* find_page(const AttentionTile& t, const void* pool, int64_t block,
                             int64_t next_block) {
  const int64_t bytes = t.dtype == DType::kF32 ? 4 : 2;
  const char* const base = static_cast<const char*>(pool);
  if (next_block >= 0) {
    prefetch_page(base + next_block * t.page_stride * bytes, kPageKeys * t.head_dim * bytes);
  }
  return base + block * t.page_stride * bytes;
}

/// One vector of a page, from element `from`; lanes from `count` on are zero.
template <class V>
inline typename V::F load_element(const char* page, DType dtype, int64_t from, int count) {
  if (count <= 0) return V::zero();
  if (dtype == DType::kF32) return V::load_n(reinterpret_cast<const float*>(page) + from, count);
  const auto* const halves = reinterpret_cast<const uint16_t*>(page) + from;
  return dtype == DType::kBF16 ? V::load_bf16_n(halves, count) : V::load_f16_n(halves, count);
}

/// Widens a page key by key: key k's vector at dimension d goes to
/// to + k * key_stride + d / width * vector_stride.
template <class V>
inline void widen_page(const AttentionTile& t, const AttentionScratch& s, const char* page,
                       int key_stride, int vector_stride) {
  for (int key = 0; key < kPageKeys; ++key) {
    float* to = s.page + key * key_stride;
    const int64_t from = static_cast<int64_t>(key) * t.head_dim;
    int d = 0;
    for (; d + V::kWidth <= t.head_dim; d += V::kWidth, to += vector_stride) {
      V::store(to, load_element<V>(page, t.dtype, from + d, V::kWidth));
    }
    for (; d < s.padded_dim; d += V::kWidth, to += vector_stride) {
      V::store(to, load_element<V>(page, t.dtype, from + d, t.head_dim - d));
    }
  }
}

/// The keys of a page as (P / width, kPageKeys, width): the vectors that meet one part of a query
/// lie together.
template <class V>
inline const float* widen_keys(const AttentionTile& t, const AttentionScratch& s,
                               const char* page) {
  widen_page<V>(t, s, page, V::kWidth, kPageKeys * V::kWidth);
  return s.page;
}

/// The values of a page as (kPageKeys, P), in place if they are that already.
template <class V>
inline const float* widen_values(const AttentionTile& t, const AttentionScratch& s,
                                 const char* page) {
  if (t.dtype == DType::kF32 && t.head_dim == s.padded_dim) {
    return reinterpret_cast<const float*>(page);
  }
  widen_page<V>(t, s, page, s.padded_dim, V::kWidth);
  return s.page;
}

/// scores: (kPageKeys), the products of one query with the keys of a page (from widen_keys).
template <class V>
inline void score_page(const float* q, const float* keys, int padded_dim, float* scores) {
  for (int key = 0; key < kPageKeys; key += V::kWidth) {
    const float* vectors = keys + key * V::kWidth;
    typename V::F sums[V::kWidth];
#pragma GCC unroll 16
    for (int i = 0; i < V::kWidth; ++i) sums[i] = V::zero();
    for (int d = 0; d < padded_dim; d += V::kWidth) {
      const typename V::F part = V::load(q + d);
#pragma GCC unroll 16
      for (int i = 0; i < V::kWidth; ++i) {
        sums[i] = V::fma(part, V::load(vectors + i * V::kWidth), sums[i]);
      }
      vectors += kPageKeys * V::kWidth;
    }
    V::store(scores + key, V::sum_each(sums));
  }
}

/// sums += weights[key] * values[key] for the keys [begin, end) of a page, for kQueries queries
/// over kVecs vectors of the head.
template <class V, int kQueries, int kVecs>
inline void add_values(float* sums, const float* weights, const float* values, int padded_dim,
                       int begin, int end) {
  typename V::F parts[kQueries][kVecs];
#pragma GCC unroll 2
  for (int q = 0; q < kQueries; ++q) {
#pragma GCC unroll 8
    for (int v = 0; v < kVecs; ++v) parts[q][v] = V::load(sums + q * padded_dim + v * V::kWidth);
  }
  for (int key = begin; key < end; ++key) {
    const float* const row = values + key * padded_dim;
    typename V::F weight[kQueries];
#pragma GCC unroll 2
    for (int q = 0; q < kQueries; ++q) weight[q] = V::set1(weights[q * kKeyBlock + key]);
#pragma GCC unroll 8
    for (int v = 0; v < kVecs; ++v) {
      const typename V::F value = V::load(row + v * V::kWidth);
#pragma GCC unroll 2
      for (int q = 0; q < kQueries; ++q) parts[q][v] = V::fma(weight[q], value, parts[q][v]);
    }
  }
#pragma GCC unroll 2
  for (int q = 0; q < kQueries; ++q) {
#pragma GCC unroll 8
    for (int v = 0; v < kVecs; ++v) V::store(sums + q * padded_dim + v * V::kWidth, parts[q][v]);
  }
}

template <class V, int kQueries>
inline void weigh_page(float* sums, const float* weights, const float* values, int padded_dim,
                       int begin, int end) {
  constexpr int kVecs = V::kValueVecs / kQueries;
  int d = 0;
  for (; d + kVecs * V::kWidth <= padded_dim; d += kVecs * V::kWidth) {
    add_values<V, kQueries, kVecs>(sums + d, weights, values + d, padded_dim, begin, end);
  }
  for (; d < padded_dim; d += V::kWidth) {
    add_values<V, kQueries, 1>(sums + d, weights, values + d, padded_dim, begin, end);
  }
}

/// Turns the scores of one query for one key block into weights and rescales what was summed
/// before. Only the scores [begin, end) exist, at least one; the weights of the others are zero.
template <class V>
inline void softmax_block(const AttentionTile& t, const AttentionScratch& s, int64_t query,
                          int begin, int end) {
  using F = typename V::F;
  const F minus_infinity = V::set1(-__builtin_inff());
  float* const scores = s.scores + query * kKeyBlock;
  F best = minus_infinity;
  for (int i = 0; i < kKeyBlock; i += V::kWidth) {
    F x = V::mul(V::load(scores + i), V::set1(t.scale));
    if (t.soft_cap > 0.0f) {
      const F cap = V::set1(t.soft_cap);
      x = V::mul(cap, tanh_vector<V>(V::div(x, cap)));
    }
    x = V::select_range(i, begin, end, x, minus_infinity);
    V::store(scores + i, x);
    best = V::max(best, x);
  }
  const float old_maximum = s.maximum[query];
  const float block_maximum = V::reduce_max(best);
  const float maximum = block_maximum > old_maximum ? block_maximum : old_maximum;
  // Scores of minus infinity only (an overflow in the model) weigh nothing instead of being NaN.
  const F subtract = V::set1(maximum == -__builtin_inff() ? 0.0f : maximum);
  F sum = V::zero();
  for (int i = 0; i < kKeyBlock; i += V::kWidth) {
    const F weight = exp_vector<V>(V::sub(V::load(scores + i), subtract));
    V::store(scores + i, weight);
    sum = V::add(sum, weight);
  }
  if (maximum > old_maximum) {
    // exp(-infinity) is zero: before the first block there is nothing to keep.
    const F factor = exp_vector<V>(V::sub(V::set1(old_maximum), subtract));
    float factors[V::kWidth];
    V::store(factors, factor);
    s.total[query] *= factors[0];
    float* const sums = s.sums + query * s.padded_dim;
    for (int d = 0; d < s.padded_dim; d += V::kWidth) {
      V::store(sums + d, V::mul(V::load(sums + d), factor));
    }
    s.maximum[query] = maximum;
  }
  s.total[query] += V::reduce_add(sum);
}

template <class V>
inline void begin_tile(const AttentionTile& t, const AttentionScratch& s) {
  for (int64_t row = 0; row < t.num_rows; ++row) {
    for (int g = 0; g < t.group; ++g) {
      const int64_t query = row * t.group + g;
      const float* const from = t.q + row * t.q_stride + static_cast<int64_t>(g) * t.head_dim;
      for (int d = 0; d < s.padded_dim; d += V::kWidth) {
        const int count = t.head_dim - d;
        V::store(s.q + query * s.padded_dim + d,
                 count > 0 ? V::load_n(from + d, count) : V::zero());
        V::store(s.sums + query * s.padded_dim + d, V::zero());
      }
      // A sink is a key seen before the first one, with a value of zero: it weighs exp(0).
      const float sink = t.sinks != nullptr ? t.sinks[g] : -__builtin_inff();
      s.maximum[query] = sink;
      s.total[query] = sink == -__builtin_inff() ? 0.0f : 1.0f;
    }
  }
}

template <class V>
inline void end_tile(const AttentionTile& t, const AttentionScratch& s) {
  for (int64_t row = 0; row < t.num_rows; ++row) {
    for (int g = 0; g < t.group; ++g) {
      const int64_t query = row * t.group + g;
      float* const to = t.out + row * t.out_stride + static_cast<int64_t>(g) * t.head_dim;
      const float total = s.total[query];
      const typename V::F inverse = V::set1(total > 0.0f ? 1.0f / total : 0.0f);
      for (int d = 0; d < t.head_dim; d += V::kWidth) {
        const typename V::F x = V::mul(V::load(s.sums + query * s.padded_dim + d), inverse);
        V::store_n(to + d, x, t.head_dim - d < V::kWidth ? t.head_dim - d : V::kWidth);
      }
    }
  }
}

/// The pages of the sequence that hold `keys`, and what to prefetch while one is used.
struct PageRange {
  int64_t first;
  int64_t last;
  int64_t last_of_tile;

  int64_t block_ahead(const AttentionTile& t, int64_t page) const {
    constexpr int64_t kAhead = 2;
    return page + kAhead <= last_of_tile ? t.block_table[page + kAhead] : -1;
  }
};

inline KeyRange keys_of_page(int64_t page) {
  return {page * kPageKeys, (page + 1) * kPageKeys};
}

template <class V>
inline void score_block(const AttentionTile& t, const AttentionScratch& s, PageRange pages,
                        int64_t block_begin) {
  for (int64_t page = pages.first; page <= pages.last; ++page) {
    const float* const keys =
        widen_keys<V>(t, s, find_page(t, t.keys, t.block_table[page], pages.block_ahead(t, page)));
    float* const scores = s.scores + (page * kPageKeys - block_begin);
    for (int64_t row = 0; row < t.num_rows; ++row) {
      const KeyRange seen = intersect(visible_keys(t, row), keys_of_page(page));
      if (seen.begin >= seen.end) continue;
      for (int64_t query = row * t.group; query < (row + 1) * t.group; ++query) {
        score_page<V>(s.q + query * s.padded_dim, keys, s.padded_dim, scores + query * kKeyBlock);
      }
    }
  }
}

template <class V>
inline void weigh_block(const AttentionTile& t, const AttentionScratch& s, PageRange pages,
                        int64_t block_begin) {
  for (int64_t page = pages.first; page <= pages.last; ++page) {
    const float* const values = widen_values<V>(
        t, s, find_page(t, t.values, t.block_table[page], pages.block_ahead(t, page)));
    const int64_t page_begin = page * kPageKeys;
    const float* const weights = s.scores + (page_begin - block_begin);
    for (int64_t row = 0; row < t.num_rows; ++row) {
      // Masked keys are not even multiplied by zero: their slots may hold anything.
      const KeyRange seen = intersect(visible_keys(t, row), keys_of_page(page));
      if (seen.begin >= seen.end) continue;
      const int begin = static_cast<int>(seen.begin - page_begin);
      const int end = static_cast<int>(seen.end - page_begin);
      int64_t query = row * t.group;
      const int64_t end_query = query + t.group;
      for (; query + 2 <= end_query; query += 2) {
        weigh_page<V, 2>(s.sums + query * s.padded_dim, weights + query * kKeyBlock, values,
                         s.padded_dim, begin, end);
      }
      if (query < end_query) {
        weigh_page<V, 1>(s.sums + query * s.padded_dim, weights + query * kKeyBlock, values,
                         s.padded_dim, begin, end);
      }
    }
  }
}

/// One key block for all rows that see some of it. tile_keys: what any row of the tile sees.
template <class V>
inline void attend_block(const AttentionTile& t, const AttentionScratch& s, KeyRange tile_keys,
                         int64_t block_begin) {
  const KeyRange keys = intersect(tile_keys, {block_begin, block_begin + kKeyBlock});
  const PageRange pages = {keys.begin / kPageKeys, (keys.end - 1) / kPageKeys,
                           (tile_keys.end - 1) / kPageKeys};
  score_block<V>(t, s, pages, block_begin);
  for (int64_t row = 0; row < t.num_rows; ++row) {
    const KeyRange seen = intersect(visible_keys(t, row), keys);
    if (seen.begin >= seen.end) continue;
    for (int64_t query = row * t.group; query < (row + 1) * t.group; ++query) {
      softmax_block<V>(t, s, query, static_cast<int>(seen.begin - block_begin),
                       static_cast<int>(seen.end - block_begin));
    }
  }
  weigh_block<V>(t, s, pages, block_begin);
}

template <class V>
void attention(const AttentionTile& t) {
  const int padded = (t.head_dim + kHeadPadding - 1) / kHeadPadding * kHeadPadding;
  const int64_t queries = static_cast<int64_t>(t.num_rows) * t.group;
  AttentionScratch s;
  s.padded_dim = padded;
  s.page = t.scratch;
  s.q = s.page + kPageKeys * padded;
  s.sums = s.q + queries * padded;
  s.scores = s.sums + queries * padded;
  s.maximum = s.scores + queries * kKeyBlock;
  s.total = s.maximum + queries;

  begin_tile<V>(t, s);
  const KeyRange tile_keys = {visible_keys(t, 0).begin, t.first_position + t.num_rows};
  const int64_t first_block = tile_keys.begin / kKeyBlock * kKeyBlock;
  for (int64_t block = first_block; block < tile_keys.end; block += kKeyBlock) {
    attend_block<V>(t, s, tile_keys, block);
  }
  end_tile<V>(t, s);
}

}  // namespace
}  // namespace quire::cpu
