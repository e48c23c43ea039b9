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

/// The page of that block as floats, (kPageKeys, P); in place if it is that already. The page of
/// next_block (if not negative) is prefetched meanwhile.
template <class V>
inline const float* widen_page(const AttentionTile& t, const AttentionScratch& s, const void* pool,
                               int64_t block, int64_t next_block) {
  const int64_t bytes = t.dtype == DType::kF32 ? 4 : 2;
  const int64_t page_elements = static_cast<int64_t>(kPageKeys) * t.head_dim;
  const char* const base = static_cast<const char*>(pool);
  const char* const page = base + block * t.page_stride * bytes;
  if (next_block >= 0) {
    prefetch_page(base + next_block * t.page_stride * bytes, page_elements * bytes);
  }
  if (t.head_dim == s.padded_dim) {
    if (t.dtype == DType::kF32) return reinterpret_cast<const float*>(page);
    const auto* const halves = reinterpret_cast<const uint16_t*>(page);
    if (t.dtype == DType::kBF16) {
      for (int64_t i = 0; i < page_elements; i += V::kWidth) {
        V::store(s.page + i, V::load_bf16(halves + i));
      }
    } else {
      for (int64_t i = 0; i < page_elements; i += V::kWidth) {
        V::store(s.page + i, V::load_f16(halves + i));
      }
    }
    return s.page;
  }
  for (int key = 0; key < kPageKeys; ++key) {
    for (int d = 0; d < s.padded_dim; d += V::kWidth) {
      const int count = t.head_dim - d;
      float* const to = s.page + key * s.padded_dim + d;
      const int64_t from = static_cast<int64_t>(key) * t.head_dim + d;
      if (count <= 0) {
        V::store(to, V::zero());
      } else if (t.dtype == DType::kF32) {
        V::store(to, V::load_n(reinterpret_cast<const float*>(page) + from, count));
      } else if (t.dtype == DType::kBF16) {
        V::store(to, V::load_bf16_n(reinterpret_cast<const uint16_t*>(page) + from, count));
      } else {
        V::store(to, V::load_f16_n(reinterpret_cast<const uint16_t*>(page) + from, count));
      }
    }
  }
  return s.page;
}

/// scores: (kPageKeys), the products of one query with the keys of a page.
template <class V>
inline void score_page(const float* q, const float* keys, int padded_dim, float* scores) {
  for (int key = 0; key < kPageKeys; key += V::kWidth) {
    const float* const first = keys + key * padded_dim;
    typename V::F sums[V::kWidth];
#pragma GCC unroll 16
    for (int i = 0; i < V::kWidth; ++i) sums[i] = V::zero();
    for (int d = 0; d < padded_dim; d += V::kWidth) {
      const typename V::F part = V::load(q + d);
#pragma GCC unroll 16
      for (int i = 0; i < V::kWidth; ++i) {
        sums[i] = V::fma(part, V::load(first + i * padded_dim + d), sums[i]);
      }
    }
    V::store(scores + key, V::sum_each(sums));
  }
}

/// sums += weights[key] * values[key] for the keys [begin, end) of a page, over kVecs vectors.
template <class V, int kVecs>
inline void add_values(float* sums, const float* weights, const float* values, int padded_dim,
                       int begin, int end) {
  typename V::F parts[kVecs];
#pragma GCC unroll 8
  for (int v = 0; v < kVecs; ++v) parts[v] = V::load(sums + v * V::kWidth);
  for (int key = begin; key < end; ++key) {
    const typename V::F weight = V::set1(weights[key]);
    const float* const row = values + key * padded_dim;
#pragma GCC unroll 8
    for (int v = 0; v < kVecs; ++v) {
      parts[v] = V::fma(weight, V::load(row + v * V::kWidth), parts[v]);
    }
  }
#pragma GCC unroll 8
  for (int v = 0; v < kVecs; ++v) V::store(sums + v * V::kWidth, parts[v]);
}

template <class V>
inline void weigh_page(float* sums, const float* weights, const float* values, int padded_dim,
                       int begin, int end) {
  int d = 0;
  for (; d + V::kValueVecs * V::kWidth <= padded_dim; d += V::kValueVecs * V::kWidth) {
    add_values<V, V::kValueVecs>(sums + d, weights, values + d, padded_dim, begin, end);
  }
  for (; d + 4 * V::kWidth <= padded_dim; d += 4 * V::kWidth) {
    add_values<V, 4>(sums + d, weights, values + d, padded_dim, begin, end);
  }
  for (; d < padded_dim; d += V::kWidth) {
    add_values<V, 1>(sums + d, weights, values + d, padded_dim, begin, end);
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
      s.maximum[query] = -__builtin_inff();
      s.total[query] = 0.0f;
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

/// One key block for all rows that see some of it. tile_keys: what any row of the tile sees.
template <class V>
inline void attend_block(const AttentionTile& t, const AttentionScratch& s, KeyRange tile_keys,
                         int64_t block_begin) {
  const KeyRange keys = intersect(tile_keys, {block_begin, block_begin + kKeyBlock});
  const int64_t first_page = keys.begin / kPageKeys;
  const int64_t last_page = (keys.end - 1) / kPageKeys;
  const int64_t last_tile_page = (tile_keys.end - 1) / kPageKeys;
  const auto block_after = [&](int64_t page, int64_t ahead) -> int64_t {
    return page + ahead <= last_tile_page ? t.block_table[page + ahead] : -1;
  };
  for (int64_t page = first_page; page <= last_page; ++page) {
    const float* const widened =
        widen_page<V>(t, s, t.keys, t.block_table[page], block_after(page, 2));
    const KeyRange in_page = {page * kPageKeys, (page + 1) * kPageKeys};
    for (int64_t row = 0; row < t.num_rows; ++row) {
      const KeyRange seen = intersect(visible_keys(t, row), in_page);
      if (seen.begin >= seen.end) continue;
      for (int64_t query = row * t.group; query < (row + 1) * t.group; ++query) {
        score_page<V>(s.q + query * s.padded_dim, widened, s.padded_dim,
                      s.scores + query * kKeyBlock + (in_page.begin - block_begin));
      }
    }
  }
  for (int64_t row = 0; row < t.num_rows; ++row) {
    const KeyRange seen = intersect(visible_keys(t, row), keys);
    if (seen.begin >= seen.end) continue;
    for (int64_t query = row * t.group; query < (row + 1) * t.group; ++query) {
      softmax_block<V>(t, s, query, static_cast<int>(seen.begin - block_begin),
                       static_cast<int>(seen.end - block_begin));
    }
  }
  for (int64_t page = first_page; page <= last_page; ++page) {
    const float* const widened =
        widen_page<V>(t, s, t.values, t.block_table[page], block_after(page, 2));
    const int64_t page_begin = page * kPageKeys;
    for (int64_t row = 0; row < t.num_rows; ++row) {
      // Masked keys are not even multiplied by zero: their slots may hold anything.
      const KeyRange seen = intersect(visible_keys(t, row), {page_begin, page_begin + kPageKeys});
      if (seen.begin >= seen.end) continue;
      for (int64_t query = row * t.group; query < (row + 1) * t.group; ++query) {
        weigh_page<V>(s.sums + query * s.padded_dim,
                      s.scores + query * kKeyBlock + (page_begin - block_begin), widened,
                      s.padded_dim, static_cast<int>(seen.begin - page_begin),
                      static_cast<int>(seen.end - page_begin));
      }
    }
  }
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
