#pragma once

// The products of attention with one page of keys or values, templated on the vector; included only
// by the variants' sources.
//
// A product of query and key is summed lane by lane over D and then across lanes, and values are
// added key by key: for how many queries that is done at once changes no bit.

#include "kernels/cpu/cpu_kernels.h"

namespace quire::cpu {
namespace {

/// A range [begin, end) of keys.
struct KeyRange {
  int64_t begin;
  int64_t end;
};

inline KeyRange intersect(KeyRange a, KeyRange b) {
  return {a.begin > b.begin ? a.begin : b.begin, a.end < b.end ? a.end : b.end};
}

inline KeyRange keys_of_page(int64_t page) {
  return {page * kPageKeys, (page + 1) * kPageKeys};
}

inline void prefetch_page(const char* page, int64_t bytes) {
  for (int64_t i = 0; i < bytes; i += 64) __builtin_prefetch(page + i);
}

/// Where a page of that block lies; the page of next_block (if not negative) is prefetched.
inline const char* find_page(const AttentionTile& t, const void* pool, int64_t block,
                             int64_t next_block) {
  const int64_t bytes = t.dtype == DType::kF32 ? 4 : t.dtype == DType::kI8 ? 1 : 2;
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
  if (dtype == DType::kI8) {
    uint8_t bytes[V::kWidth] = {};
    __builtin_memcpy(bytes, page + from,
                     static_cast<size_t>(count < V::kWidth ? count : V::kWidth));
    return V::to_float(V::load_i8(bytes));
  }
  const auto* const halves = reinterpret_cast<const uint16_t*>(page) + from;
  return dtype == DType::kBF16 ? V::load_bf16_n(halves, count) : V::load_f16_n(halves, count);
}

// The elements of a page (kPageKeys, P), a vector at a time.
template <class V>
struct F32Page {
  const float* elements;
  typename V::F load(int64_t i) const { return V::load(elements + i); }
};
template <class V>
struct F16Page {
  const uint16_t* elements;
  typename V::F load(int64_t i) const { return V::load_f16(elements + i); }
};
template <class V>
struct BF16Page {
  const uint16_t* elements;
  typename V::F load(int64_t i) const { return V::load_bf16(elements + i); }
};
/// The integers; what multiplies them is in AttentionTile.
template <class V>
struct I8Page {
  const uint8_t* elements;
  typename V::F load(int64_t i) const { return V::to_float(V::load_i8(elements + i)); }
};

/// `elements` of the page at `page`, key by key, with zeros from D to P.
template <class V, class Page>
inline F32Page<V> widen_page(const AttentionTile& t, Page elements, const char* page,
                             float* buffer) {
  for (int key = 0; key < kPageKeys; ++key) {
    float* const to = buffer + key * t.padded_dim;
    const int64_t from = static_cast<int64_t>(key) * t.head_dim;
    int d = 0;
    for (; d + V::kWidth <= t.head_dim; d += V::kWidth) {
      V::store(to + d, elements.load(from + d));
    }
    for (; d < t.padded_dim; d += V::kWidth) {
      V::store(to + d, load_element<V>(page, t.dtype, from + d, t.head_dim - d));
    }
  }
  return {buffer};
}

/// fn(the page): in place if it has the padded shape and is either f32 or read for few queries
/// only, otherwise from `buffer`.
template <class V, class Fn>
inline void read_page(const AttentionTile& t, const char* page, float* buffer, Fn fn) {
  // Measured: where two queries are taken at once, a copy has not paid for any tile up to 32.
  constexpr int kFewQueries = V::kQueries == 2 ? 32 : 8;
  const bool padded = t.head_dim == t.padded_dim;
  const bool in_place = padded && t.num_rows * t.group <= kFewQueries;
  if (t.dtype == DType::kF32) {
    const F32Page<V> floats = {reinterpret_cast<const float*>(page)};
    fn(padded ? floats : widen_page<V>(t, floats, page, buffer));
    return;
  }
  const auto* const halves = reinterpret_cast<const uint16_t*>(page);
  if (t.dtype == DType::kI8) {
    const I8Page<V> i8 = {reinterpret_cast<const uint8_t*>(page)};
    in_place ? fn(i8) : fn(widen_page<V>(t, i8, page, buffer));
  } else if (t.dtype == DType::kF16) {
    const F16Page<V> f16 = {halves};
    in_place ? fn(f16) : fn(widen_page<V>(t, f16, page, buffer));
  } else {
    const BF16Page<V> bf16 = {halves};
    in_place ? fn(bf16) : fn(widen_page<V>(t, bf16, page, buffer));
  }
}

/// fours[q] = the products of query q and four keys from `first` on, each the sum of four lanes.
template <class V, int kQueries, class Page>
inline void multiply_four_keys(const float* q, Page keys, int first, int padded_dim,
                               typename V::F (&fours)[kQueries]) {
  typename V::F sums[kQueries][4];
#pragma GCC unroll 4
  for (int i = 0; i < kQueries; ++i) {
#pragma GCC unroll 4
    for (int key = 0; key < 4; ++key) sums[i][key] = V::zero();
  }
  for (int d = 0; d < padded_dim; d += V::kWidth) {
    typename V::F parts[kQueries];
#pragma GCC unroll 4
    for (int i = 0; i < kQueries; ++i) parts[i] = V::load(q + i * padded_dim + d);
#pragma GCC unroll 4
    for (int key = 0; key < 4; ++key) {
      const typename V::F part = keys.load((first + key) * padded_dim + d);
#pragma GCC unroll 4
      for (int i = 0; i < kQueries; ++i) sums[i][key] = V::fma(parts[i], part, sums[i][key]);
    }
  }
#pragma GCC unroll 4
  for (int i = 0; i < kQueries; ++i) {
    fours[i] = V::sum_four(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
  }
}

/// scores[q] (kPageKeys), kKeyBlock apart: the products of query q with the keys of a page.
template <class V, int kQueries, class Page>
inline void score_page(const float* q, Page keys, int padded_dim, float* scores) {
  constexpr int kFours = V::kWidth / 4;
  for (int key = 0; key < kPageKeys; key += V::kWidth) {
    typename V::F fours[kFours][kQueries];
#pragma GCC unroll 4
    for (int i = 0; i < kFours; ++i) {
      multiply_four_keys<V, kQueries>(q, keys, key + 4 * i, padded_dim, fours[i]);
    }
#pragma GCC unroll 4
    for (int i = 0; i < kQueries; ++i) {
      typename V::F of_query[kFours];
#pragma GCC unroll 4
      for (int four = 0; four < kFours; ++four) of_query[four] = fours[four][i];
      V::store(scores + i * kKeyBlock + key, V::join_fours(of_query));
    }
  }
}

/// As score_page, for any number of queries.
template <class V, class Page>
inline void score_queries(const float* q, Page keys, int padded_dim, float* scores,
                          int64_t num_queries) {
  int64_t i = 0;
  for (; i + V::kQueries <= num_queries; i += V::kQueries) {
    score_page<V, V::kQueries>(q + i * padded_dim, keys, padded_dim, scores + i * kKeyBlock);
  }
  for (; i < num_queries; ++i) {
    score_page<V, 1>(q + i * padded_dim, keys, padded_dim, scores + i * kKeyBlock);
  }
}

/// scores[q] (kPageKeys), kKeyBlock apart, of all queries of the tile, times the scales of the
/// page's keys or values. Those of keys that a query does not see may become NaN.
template <class V>
inline void scale_page(const AttentionTile& t, const float* scales, int64_t block, float* scores) {
  if (scales == nullptr) return;
  const float* const of_page = scales + block * t.scale_stride;
  const int64_t num_queries = static_cast<int64_t>(t.num_rows) * t.group;
  for (int key = 0; key < kPageKeys; key += V::kWidth) {
    const typename V::F factor = V::load(of_page + key);
    for (int64_t q = 0; q < num_queries; ++q) {
      float* const at = scores + q * kKeyBlock + key;
      V::store(at, V::mul(V::load(at), factor));
    }
  }
}

/// A page's values and which keys of it weigh something.
template <class Page>
struct PageValues {
  Page values;
  int padded_dim;
  int begin;
  int end;
};

/// sums += weights[key] * values[key], for kQueries queries over kVecs vectors of the head from d.
template <class V, int kQueries, int kVecs, class Page>
inline void add_values(float* sums, const float* weights, const PageValues<Page>& page, int d) {
  typename V::F parts[kQueries][kVecs];
#pragma GCC unroll 4
  for (int q = 0; q < kQueries; ++q) {
#pragma GCC unroll 8
    for (int v = 0; v < kVecs; ++v) {
      parts[q][v] = V::load(sums + q * page.padded_dim + d + v * V::kWidth);
    }
  }
  for (int key = page.begin; key < page.end; ++key) {
    const int64_t from = static_cast<int64_t>(key) * page.padded_dim + d;
    typename V::F weight[kQueries];
#pragma GCC unroll 4
    for (int q = 0; q < kQueries; ++q) weight[q] = V::set1(weights[q * kKeyBlock + key]);
#pragma GCC unroll 8
    for (int v = 0; v < kVecs; ++v) {
      const typename V::F value = page.values.load(from + v * V::kWidth);
#pragma GCC unroll 4
      for (int q = 0; q < kQueries; ++q) parts[q][v] = V::fma(weight[q], value, parts[q][v]);
    }
  }
#pragma GCC unroll 4
  for (int q = 0; q < kQueries; ++q) {
#pragma GCC unroll 8
    for (int v = 0; v < kVecs; ++v) {
      V::store(sums + q * page.padded_dim + d + v * V::kWidth, parts[q][v]);
    }
  }
}

template <class V, int kQueries, int kVecs, class Page>
inline void weigh_page(float* sums, const float* weights, const PageValues<Page>& page) {
  int d = 0;
  for (; d + kVecs * V::kWidth <= page.padded_dim; d += kVecs * V::kWidth) {
    add_values<V, kQueries, kVecs>(sums, weights, page, d);
  }
  for (; d < page.padded_dim; d += V::kWidth) {
    add_values<V, kQueries, 1>(sums, weights, page, d);
  }
}

/// As weigh_page, for any number of queries that see the same keys of the page.
template <class V, class Page>
inline void weigh_queries(float* sums, const float* weights, const PageValues<Page>& page,
                          int64_t num_queries) {
  int64_t i = 0;
  for (; i + V::kQueries <= num_queries; i += V::kQueries) {
    weigh_page<V, V::kQueries, 4>(sums + i * page.padded_dim, weights + i * kKeyBlock, page);
  }
  for (; i < num_queries; ++i) {
    weigh_page<V, 1, 8>(sums + i * page.padded_dim, weights + i * kKeyBlock, page);
  }
}

}  // namespace
}  // namespace quire::cpu
