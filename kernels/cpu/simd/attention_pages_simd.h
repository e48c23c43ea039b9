#pragma once

// The products of attention with one page of keys or values, templated on the vector; included only
// by the variants' sources.
//
// A page of keys has its slots side by side, one of values its dimensions, so neither product is
// summed across a vector: keys are multiplied dimension by dimension and values added key by key,
// in the same order for any number of queries and on any instruction set.
//
// Whole numbers of 8 bits are multiplied as pairs of 16 bits, two dimensions or two keys at a step,
// by queries and weights that are rounded to 15 bits of their largest: those sums are exact.

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

// What is multiplied: words of a query or of its weights, 32 bits each, with vectors of a page. A
// step is kPerStep dimensions of keys, or as many keys of values.

template <class V>
struct FloatProducts {
  using Operand = typename V::F;
  static constexpr int kPerStep = 1;
  static Operand none() { return V::zero(); }
  static Operand load(const float* p) { return V::load(p); }
  static void store(float* p, Operand x) { V::store(p, x); }
  static Operand spread(const float* word) { return V::set1(*word); }
  static Operand add(Operand sum, Operand word, Operand x) { return V::fma(word, x, sum); }
};

template <class V>
struct PairProducts {
  using Operand = typename V::I;
  static constexpr int kPerStep = 2;
  static Operand none() { return V::set1_i(0); }
  static Operand load(const float* p) { return V::load_i(reinterpret_cast<const int32_t*>(p)); }
  static void store(float* p, Operand x) { V::store_i(reinterpret_cast<int32_t*>(p), x); }
  static Operand spread(const float* word) {
    int pair;
    __builtin_memcpy(&pair, word, sizeof pair);
    return V::set1_i(pair);
  }
  static Operand add(Operand sum, Operand word, Operand x) { return V::dot_i16(sum, word, x); }
};

// The rows of a page, `width` numbers each: dimensions of keys, or keys of values. load(step,
// column) is a vector from that column on, load_n its first n lanes and zeros.

template <class V>
struct F32Rows {
  using Products = FloatProducts<V>;
  const float* at;
  int64_t width;
  typename V::F load(int64_t step, int64_t column) const {
    return V::load(at + step * width + column);
  }
  typename V::F load_n(int64_t step, int64_t column, int n) const {
    return V::load_n(at + step * width + column, n);
  }
};

template <class V>
struct F16Rows {
  using Products = FloatProducts<V>;
  const uint16_t* at;
  int64_t width;
  typename V::F load(int64_t step, int64_t column) const {
    return V::load_f16(at + step * width + column);
  }
  typename V::F load_n(int64_t step, int64_t column, int n) const {
    return V::load_f16_n(at + step * width + column, n);
  }
};

template <class V>
struct BF16Rows {
  using Products = FloatProducts<V>;
  const uint16_t* at;
  int64_t width;
  typename V::F load(int64_t step, int64_t column) const {
    return V::load_bf16(at + step * width + column);
  }
  typename V::F load_n(int64_t step, int64_t column, int n) const {
    return V::load_bf16_n(at + step * width + column, n);
  }
};

/// Two rows a step; past the last one lie zeros.
template <class V>
struct I8Rows {
  using Products = PairProducts<V>;
  const int8_t* at;
  int64_t width;
  int64_t num_rows;
  typename V::I load(int64_t step, int64_t column) const {
    alignas(16) static constexpr int8_t kNothing[16] = {};
    const int8_t* const even = at + 2 * step * width + column;
    return V::pairs_of_i8(even, 2 * step + 1 < num_rows ? even + width : kNothing);
  }
  typename V::I load_n(int64_t step, int64_t column, int n) const {
    const int8_t* const even = at + 2 * step * width + column;
    int8_t bytes[2][16] = {};
    __builtin_memcpy(bytes[0], even, static_cast<size_t>(n));
    if (2 * step + 1 < num_rows) __builtin_memcpy(bytes[1], even + width, static_cast<size_t>(n));
    return V::pairs_of_i8(bytes[0], bytes[1]);
  }
};

/// What I8Rows were widened to.
template <class V>
struct PairRows {
  using Products = PairProducts<V>;
  const float* at;
  int64_t width;
  typename V::I load(int64_t step, int64_t column) const {
    return Products::load(at + step * width + column);
  }
};

template <class V, class Rows>
struct WidenedRows {
  using Type = F32Rows<V>;
};
template <class V>
struct WidenedRows<V, I8Rows<V>> {
  using Type = PairRows<V>;
};

/// The steps of a page as words in `buffer`, with zeros from its width to padded_width.
template <class V, class Rows>
inline typename WidenedRows<V, Rows>::Type widen_rows(Rows rows, int64_t num_steps,
                                                      int64_t padded_width, float* buffer) {
  using Products = typename Rows::Products;
  for (int64_t step = 0; step < num_steps; ++step) {
    float* const to = buffer + step * padded_width;
    int64_t column = 0;
    for (; column + V::kWidth <= rows.width; column += V::kWidth) {
      Products::store(to + column, rows.load(step, column));
    }
    for (; column < padded_width; column += V::kWidth) {
      const int64_t left = rows.width - column;
      Products::store(to + column, left > 0 ? rows.load_n(step, column, static_cast<int>(left))
                                            : Products::none());
    }
  }
  return {buffer, padded_width};
}

struct Page {
  const char* at;
  int64_t num_rows;
  int64_t width;
  int64_t padded_width;
  bool in_place;
};

/// fn(the rows of a page): where they lie, or widened.
template <class V, class Fn>
inline void read_rows(DType dtype, const Page& page, float* buffer, Fn fn) {
  const auto read = [&](auto rows) {
    if (page.in_place) return fn(rows);
    constexpr int kPerStep = decltype(rows)::Products::kPerStep;
    const int64_t num_steps = (page.num_rows + kPerStep - 1) / kPerStep;
    fn(widen_rows<V>(rows, num_steps, page.padded_width, buffer));
  };
  const auto* const halves = reinterpret_cast<const uint16_t*>(page.at);
  switch (dtype) {
    case DType::kI8:
      return read(I8Rows<V>{reinterpret_cast<const int8_t*>(page.at), page.width, page.num_rows});
    case DType::kF16:
      return read(F16Rows<V>{halves, page.width});
    case DType::kBF16:
      return read(BF16Rows<V>{halves, page.width});
    default:
      return read(F32Rows<V>{reinterpret_cast<const float*>(page.at), page.width});
  }
}

/// fn(a page's keys): in place if they are f32 or read once.
template <class V, class Fn>
inline void read_keys(const AttentionTile& t, const char* page, float* buffer, Fn fn) {
  const bool once = t.num_rows * t.group <= V::kScoreQueries;
  const bool in_place = once || t.dtype == DType::kF32;
  read_rows<V>(t.dtype, {page, t.head_dim, kPageKeys, kPageKeys, in_place}, buffer, fn);
}

/// fn(a page's values): in place if it has the padded shape and is either f32 or read for few
/// queries only.
template <class V, class Fn>
inline void read_values(const AttentionTile& t, const char* page, float* buffer, Fn fn) {
  // Measured: where two queries are taken at once, a copy has not paid for any tile up to 32.
  constexpr int kFewQueries = V::kQueries == 2 ? 32 : 8;
  const bool few = t.num_rows * t.group <= kFewQueries || t.dtype == DType::kF32;
  const bool in_place = few && t.head_dim == t.padded_dim;
  read_rows<V>(t.dtype, {page, kPageKeys, t.head_dim, t.padded_dim, in_place}, buffer, fn);
}

/// The words of the tile's queries, step by step: (D / kPerStep, stride).
struct QueryWords {
  const float* at;
  int64_t stride;
  int64_t num_steps;
};

/// scores[q] (kPageKeys), kKeyBlock apart: the products of kQueries queries with a page's keys.
template <class V, int kQueries, class Keys>
inline void score_page(QueryWords q, Keys keys, float* scores) {
  using Products = typename Keys::Products;
  constexpr int kVecs = kPageKeys / V::kWidth;
  typename Products::Operand sums[kQueries][kVecs];
#pragma GCC unroll 16
  for (int i = 0; i < kQueries * kVecs; ++i) sums[i / kVecs][i % kVecs] = Products::none();
  for (int64_t step = 0; step < q.num_steps; ++step) {
    const float* const words = q.at + step * q.stride;
    typename Products::Operand of_keys[kVecs];
#pragma GCC unroll 4
    for (int v = 0; v < kVecs; ++v) of_keys[v] = keys.load(step, v * V::kWidth);
#pragma GCC unroll 16
    for (int i = 0; i < kQueries; ++i) {
      const typename Products::Operand word = Products::spread(words + i);
#pragma GCC unroll 4
      for (int v = 0; v < kVecs; ++v) sums[i][v] = Products::add(sums[i][v], word, of_keys[v]);
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < kQueries * kVecs; ++i) {
    Products::store(scores + i / kVecs * kKeyBlock + i % kVecs * V::kWidth,
                    sums[i / kVecs][i % kVecs]);
  }
}

/// As score_page, for any number of queries.
template <class V, int kQueries = V::kScoreQueries, class Keys>
inline void score_queries(QueryWords q, Keys keys, float* scores, int64_t num_queries) {
  int64_t i = 0;
  for (; i + kQueries <= num_queries; i += kQueries) {
    score_page<V, kQueries>({q.at + i, q.stride, q.num_steps}, keys, scores + i * kKeyBlock);
  }
  if constexpr (kQueries > 1) {
    constexpr int kFewer = kQueries > 4 ? 4 : 1;
    score_queries<V, kFewer>({q.at + i, q.stride, q.num_steps}, keys, scores + i * kKeyBlock,
                             num_queries - i);
  }
}

/// A page's values and which steps of them weigh something.
template <class Values>
struct ValueSteps {
  Values values;
  int padded_dim;
  int64_t begin;
  int64_t end;
};

/// sums += weight * value over the steps, for kQueries queries over kVecs vectors of the head from
/// d. Words of weights: kKeyBlock apart from one query to the next.
template <class V, int kQueries, int kVecs, class Values>
inline void add_values(float* sums, const float* weights, const ValueSteps<Values>& page, int d) {
  using Products = typename Values::Products;
  typename Products::Operand parts[kQueries][kVecs];
#pragma GCC unroll 16
  for (int i = 0; i < kQueries * kVecs; ++i) {
    parts[i / kVecs][i % kVecs] =
        Products::load(sums + i / kVecs * page.padded_dim + d + i % kVecs * V::kWidth);
  }
  for (int64_t step = page.begin; step < page.end; ++step) {
    typename Products::Operand words[kQueries];
#pragma GCC unroll 4
    for (int q = 0; q < kQueries; ++q) words[q] = Products::spread(weights + q * kKeyBlock + step);
#pragma GCC unroll 8
    for (int v = 0; v < kVecs; ++v) {
      const typename Products::Operand value = page.values.load(step, d + v * V::kWidth);
#pragma GCC unroll 4
      for (int q = 0; q < kQueries; ++q) parts[q][v] = Products::add(parts[q][v], words[q], value);
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < kQueries * kVecs; ++i) {
    Products::store(sums + i / kVecs * page.padded_dim + d + i % kVecs * V::kWidth,
                    parts[i / kVecs][i % kVecs]);
  }
}

template <class V, int kQueries, int kVecs, class Values>
inline void weigh_page(float* sums, const float* weights, const ValueSteps<Values>& page) {
  int d = 0;
  for (; d + kVecs * V::kWidth <= page.padded_dim; d += kVecs * V::kWidth) {
    add_values<V, kQueries, kVecs>(sums, weights, page, d);
  }
  for (; d < page.padded_dim; d += V::kWidth) {
    add_values<V, kQueries, 1>(sums, weights, page, d);
  }
}

/// As weigh_page, for any number of queries that see the same keys of the page.
template <class V, class Values>
inline void weigh_queries(float* sums, const float* weights, const ValueSteps<Values>& page,
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
