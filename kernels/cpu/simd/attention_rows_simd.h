#pragma once

// A page of keys or values as an operand of attention, in place or widened, templated on the
// vector; included only by the variants' sources.

#include "kernels/cpu/cpu_kernels.h"

namespace quire::cpu {
namespace {

/// Vectors with bf16 dot products. Attention on them computes tiles that are in_bf16 only.
template <class V>
concept MultipliesBf16 = requires(typename V::F sum, typename V::I pairs) {
  V::dot_bf16(sum, pairs, pairs);
};

/// Vectors that differ from those of the variant they extend only in integer dot products.
/// Attention on them computes i8 tiles only.
template <class V>
concept ExtendsIntegersOnly = requires {
  V::kExtendsIntegersOnly;
}
&&!MultipliesBf16<V>;

/// Whether attention on V computes the tile; the variant that V extends computes the others.
template <class V>
inline bool computes_tile(const AttentionTile& t) {
  if constexpr (MultipliesBf16<V>) return t.in_bf16;
  if constexpr (ExtendsIntegersOnly<V>) return t.dtype == DType::kI8;
  return true;
}

template <class V>
inline bool is_i8(const AttentionTile& t) {
  if constexpr (MultipliesBf16<V>) return false;
  if constexpr (ExtendsIntegersOnly<V>) return true;
  return t.dtype == DType::kI8;
}

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

inline constexpr int kBlockPages = kKeyBlock / kPageKeys;

/// The pages of the sequence that hold the keys of a block, and the last one that is prefetched.
struct PageRange {
  int64_t first;
  int64_t last;
  int64_t last_ahead;
};

/// A page of one of the tile's heads: its index in the sequence, and the head less the part's.
struct PageOfHead {
  int64_t page;
  int64_t head;
};

/// What is prefetched while the part multiplies a page: the pages of a later key block, for all
/// heads of the tile together in the order of memory. (The pages of one head alone are too short
/// for the processor's own prefetching: 1 KB of i8 for heads of 64 dimensions.)
inline PageOfHead page_ahead(const AttentionTile& t, int64_t page, int64_t pages_ahead) {
  if (t.num_heads == 1) return {page + pages_ahead, 0};
  const int64_t in_block = page % kBlockPages;
  const int64_t piece = t.head_index * kBlockPages + in_block;
  return {page - in_block + pages_ahead + piece / t.num_heads, piece % t.num_heads - t.head_index};
}

/// Into the L2 cache: pages ahead may be larger than L1, and a Zen 4 core has too few buffers for
/// that many misses of L1 (10 instead of 8 GB/s behind 32,767 tokens, heads of 256).
inline void prefetch_page(const char* page, int64_t bytes) {
  for (int64_t i = 0; i < bytes; i += 64) __builtin_prefetch(page + i, 0, 1);
}

/// The pages of keys or of values.
struct PagePool {
  const char* base;
  int64_t stride_bytes;
  int64_t page_bytes;
};

inline int64_t page_element_bytes(const AttentionTile& t) {
  return t.dtype == DType::kF32 ? 4 : t.dtype == DType::kI8 ? 1 : 2;
}
inline PagePool key_pool(const AttentionTile& t) {
  const int64_t bytes = page_element_bytes(t);
  return {static_cast<const char*>(t.keys), t.key_page_stride * bytes,
          kPageKeys * t.key_dim * bytes};
}
inline PagePool value_pool(const AttentionTile& t) {
  const int64_t bytes = page_element_bytes(t);
  return {static_cast<const char*>(t.values), t.value_page_stride * bytes,
          kPageKeys * t.value_dim * bytes};
}

inline const char* address_of(const AttentionTile& t, const PagePool& pool, PageOfHead page) {
  return pool.base + t.block_table[page.page] * pool.stride_bytes + page.head * pool.page_bytes;
}

/// The address of a page; prefetches one that comes later.
inline const char* find_page(const AttentionTile& t, const PagePool& pool, int64_t page,
                             int64_t last_ahead) {
  const PageOfHead ahead = page_ahead(t, page, t.num_heads == 1 ? 2 : kBlockPages);
  if (ahead.page <= last_ahead) prefetch_page(address_of(t, pool, ahead), pool.page_bytes);
  return address_of(t, pool, {page, 0});
}

// Dot products of 32-bit words of a query or of its softmax weights with vectors of a page. A step
// multiplies kPerStep dimensions of keys, or the values of kPerStep keys.

template <class V>
struct FloatSums {
  using Sum = typename V::F;
  static Sum zero() { return V::zero(); }
  static Sum load_sum(const float* p) { return V::load(p); }
  static void store_sum(float* p, Sum x) { V::store(p, x); }
};

template <class V>
struct FloatDot : FloatSums<V> {
  using Operand = typename V::F;
  using Sum = typename V::F;
  static constexpr int kPerStep = 1;
  static Operand nothing() { return V::zero(); }
  static Operand load(const float* p) { return V::load(p); }
  static void store(float* p, Operand x) { V::store(p, x); }
  static Operand spread(const float* word) { return V::set1(*word); }
  static Sum add(Sum sum, Operand word, Operand x) { return V::fma(word, x, sum); }
};

/// Pairs of 16 bits.
template <class V>
struct PairDot {
  using Operand = typename V::I;
  static constexpr int kPerStep = 2;
  static Operand nothing() { return V::set1_i(0); }
  static Operand load(const float* p) { return V::load_i(reinterpret_cast<const int32_t*>(p)); }
  static void store(float* p, Operand x) { V::store_i(reinterpret_cast<int32_t*>(p), x); }
  static Operand spread(const float* word) {
    int pair;
    __builtin_memcpy(&pair, word, sizeof pair);
    return V::set1_i(pair);
  }
};

template <class V>
struct Int16Dot : PairDot<V> {
  using Operand = typename V::I;
  using Sum = typename V::I;
  static Sum zero() { return V::set1_i(0); }
  static Sum load_sum(const float* p) { return V::load_i(reinterpret_cast<const int32_t*>(p)); }
  static void store_sum(float* p, Sum x) { V::store_i(reinterpret_cast<int32_t*>(p), x); }
  static Sum add(Sum sum, Operand word, Operand x) { return V::dot_i16(sum, word, x); }
};

template <class V>
struct Bf16Dot : PairDot<V>, FloatSums<V> {
  using Operand = typename V::I;
  using Sum = typename V::F;
  static Sum add(Sum sum, Operand word, Operand x) { return V::dot_bf16(sum, word, x); }
};

// The rows of a page, `width` numbers each: a row of keys is a dimension, a row of values is a key.
// load(step, column) loads a vector from that column on, load_n its first n lanes; the other lanes
// are zero.

template <class V, DType kType>
struct FloatRows {
  using Dot = FloatDot<V>;
  const void* at;
  int64_t width;
  typename V::F load(int64_t step, int64_t column) const {
    const int64_t i = step * width + column;
    if constexpr (kType == DType::kF16) return V::load_f16(static_cast<const uint16_t*>(at) + i);
    if constexpr (kType == DType::kBF16) return V::load_bf16(static_cast<const uint16_t*>(at) + i);
    if constexpr (kType == DType::kF32) return V::load(static_cast<const float*>(at) + i);
  }
  typename V::F load_n(int64_t step, int64_t column, int n) const {
    const int64_t i = step * width + column;
    if constexpr (kType == DType::kF16) {
      return V::load_f16_n(static_cast<const uint16_t*>(at) + i, n);
    }
    if constexpr (kType == DType::kBF16) {
      return V::load_bf16_n(static_cast<const uint16_t*>(at) + i, n);
    }
    if constexpr (kType == DType::kF32) return V::load_n(static_cast<const float*>(at) + i, n);
  }
};

template <class V>
inline typename V::I pairs_of(const int8_t* even, const int8_t* odd) {
  return V::pairs_of_i8(even, odd);
}
template <class V>
inline typename V::I pairs_of(const uint16_t* even, const uint16_t* odd) {
  return V::pairs_of_bf16(even, odd);
}

/// Rows of i8 or bf16, two in each step; a row past the last one is zeros.
template <class V, class Number, class DotType>
struct TwoRows {
  using Dot = DotType;
  const Number* at;
  int64_t width;
  int64_t num_rows;
  typename V::I load(int64_t step, int64_t column) const {
    alignas(32) static constexpr Number kNothing[16] = {};
    const Number* const even = at + 2 * step * width + column;
    return pairs_of<V>(even, 2 * step + 1 < num_rows ? even + width : kNothing);
  }
  typename V::I load_n(int64_t step, int64_t column, int n) const {
    const Number* const even = at + 2 * step * width + column;
    const auto bytes = static_cast<size_t>(n) * sizeof(Number);
    Number numbers[2][16] = {};
    __builtin_memcpy(numbers[0], even, bytes);
    if (2 * step + 1 < num_rows) __builtin_memcpy(numbers[1], even + width, bytes);
    return pairs_of<V>(numbers[0], numbers[1]);
  }
};
template <class V>
using I8Pairs = TwoRows<V, int8_t, Int16Dot<V>>;
template <class V>
using Bf16Pairs = TwoRows<V, uint16_t, Bf16Dot<V>>;

/// Widened rows.
template <class V, class DotType>
struct WidenedRows {
  using Dot = DotType;
  const float* at;
  int64_t width;
  typename Dot::Operand load(int64_t step, int64_t column) const {
    return Dot::load(at + step * width + column);
  }
};

/// Writes the steps of a page as words to `buffer`, with zeros from its width to padded_width.
template <class V, class Rows>
inline WidenedRows<V, typename Rows::Dot> widen_rows(Rows rows, int64_t num_steps,
                                                     int64_t padded_width, float* buffer) {
  using Dot = typename Rows::Dot;
  for (int64_t step = 0; step < num_steps; ++step) {
    float* const to = buffer + step * padded_width;
    int64_t column = 0;
    for (; column + V::kWidth <= rows.width; column += V::kWidth) {
      Dot::store(to + column, rows.load(step, column));
    }
    for (; column < padded_width; column += V::kWidth) {
      const int64_t left = rows.width - column;
      Dot::store(to + column,
                 left > 0 ? rows.load_n(step, column, static_cast<int>(left)) : Dot::nothing());
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

/// fn(rows) for the rows of a page, in place or widened.
template <class V, class Rows, class Fn>
inline void read_rows(Rows rows, const Page& page, float* buffer, Fn fn) {
  if (page.in_place) return fn(rows);
  constexpr int kPerStep = Rows::Dot::kPerStep;
  const int64_t num_steps = (page.num_rows + kPerStep - 1) / kPerStep;
  fn(widen_rows<V>(rows, num_steps, page.padded_width, buffer));
}

/// As read_rows, for a page that is not multiplied in bf16.
template <class V, class Fn>
inline void read_page(DType dtype, const Page& page, float* buffer, Fn fn) {
  const auto read = [&](auto rows) { read_rows<V>(rows, page, buffer, fn); };
  const I8Pairs<V> pairs = {reinterpret_cast<const int8_t*>(page.at), page.width, page.num_rows};
  if constexpr (ExtendsIntegersOnly<V>) {
    read(pairs);
  } else {
    switch (dtype) {
      case DType::kI8:
        return read(pairs);
      case DType::kF16:
        return read(FloatRows<V, DType::kF16>{page.at, page.width});
      case DType::kBF16:
        return read(FloatRows<V, DType::kBF16>{page.at, page.width});
      default:
        return read(FloatRows<V, DType::kF32>{page.at, page.width});
    }
  }
}

/// fn(rows) for a page's keys, in place if they are f32 or read once.
template <class V, class Fn>
inline void read_keys(const AttentionTile& t, const char* at, float* buffer, Fn fn) {
  const bool once = t.num_rows * t.group <= V::kScoreQueries;
  const bool in_place = once || t.dtype == DType::kF32;
  const Page page = {at, t.key_dim, kPageKeys, kPageKeys, in_place};
  if constexpr (MultipliesBf16<V>) {
    const auto* const numbers = reinterpret_cast<const uint16_t*>(at);
    read_rows<V>(Bf16Pairs<V>{numbers, kPageKeys, t.key_dim}, page, buffer, fn);
  } else {
    read_page<V>(t.dtype, page, buffer, fn);
  }
}

/// fn(rows) for a page's values, in place if they have the padded shape and are either f32 or read
/// for few queries only.
template <class V, class Fn>
inline void read_values(const AttentionTile& t, const char* page, float* buffer, Fn fn) {
  // Measured: if two queries are multiplied at once, widening is slower for tiles of up to 32.
  constexpr int kFewQueries = V::kQueries == 2 ? 32 : 8;
  const bool few = t.num_rows * t.group <= kFewQueries || t.dtype == DType::kF32;
  const bool in_place = few && t.value_dim == t.padded_value_dim;
  read_page<V>(t.dtype, {page, kPageKeys, t.value_dim, t.padded_value_dim, in_place}, buffer, fn);
}

}  // namespace
}  // namespace quire::cpu
