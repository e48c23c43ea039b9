#pragma once

// The operands that a page is multiplied by: queries and softmax weights in 32-bit words, templated
// on the vector; included only by the variants' sources.

#include "kernels/cpu/simd/attention_states_simd.h"

namespace quire::cpu {
namespace {

/// The scale of values rounded to integers in [-most, most].
struct IntegerScale {
  float scale;
  float inverse;
};

/// sum: of all numbers; NaN or infinite if one of them is. (A sum that overflows is treated alike.)
inline IntegerScale integer_scale(float largest, float sum, float most) {
  // The inverse of a smaller scale could overflow; such values are negligible.
  constexpr float kLeast = 1e-30f;
  if (sum - sum != 0.0f) return {__builtin_nanf(""), 0.0f};
  if (!(largest > kLeast)) return {0.0f, 0.0f};
  return {largest / most, most / largest};
}

/// The largest integer of a query with which a sum of D products with 8-bit integers fits 32 bits.
inline float most_of_query(int head_dim) {
  const int fits = 2147483647 / 127 / head_dim;
  return static_cast<float>(fits < 32767 ? fits : 32767);
}

/// Rounds a query (D) to pairs of integers, up to the end of D's last vector; returns their scale.
template <class V>
inline float round_query(const float* q, int head_dim, int16_t* pairs) {
  using F = typename V::F;
  F largest = V::zero();
  F sum = V::zero();
  for (int d = 0; d < head_dim; d += V::kWidth) {
    const F x = V::load_n(q + d, head_dim - d);
    largest = V::max(V::abs(x), largest);
    sum = V::add(sum, x);
  }
  const IntegerScale scale =
      integer_scale(V::reduce_max(largest), V::reduce_add(sum), most_of_query(head_dim));
  for (int d = 0; d < head_dim; d += V::kWidth) {
    const F x = V::load_n(q + d, head_dim - d);
    V::store_i16(pairs + d, V::round(V::mul(x, V::set1(scale.inverse))));
  }
  return scale.scale;
}

using FourWords = uint32_t __attribute__((vector_size(16)));

inline FourWords load_words(const float* p) {
  FourWords words;
  __builtin_memcpy(&words, p, sizeof words);
  return words;
}

/// Transposes the words of four queries into s.q, where the queries of a step are adjacent.
inline void place_four(const AttentionScratch& s, int64_t query, const float* const (&words)[4]) {
  int64_t step = 0;
  for (; step + 4 <= s.q_steps; step += 4) {
    const FourWords a = load_words(words[0] + step);
    const FourWords b = load_words(words[1] + step);
    const FourWords c = load_words(words[2] + step);
    const FourWords d = load_words(words[3] + step);
    const FourWords ab[2] = {__builtin_shufflevector(a, b, 0, 4, 1, 5),
                             __builtin_shufflevector(a, b, 2, 6, 3, 7)};
    const FourWords cd[2] = {__builtin_shufflevector(c, d, 0, 4, 1, 5),
                             __builtin_shufflevector(c, d, 2, 6, 3, 7)};
    float* const to = s.q + step * s.q_stride + query;
    for (int i = 0; i < 4; ++i) {
      const FourWords side_by_side =
          i % 2 == 0 ? __builtin_shufflevector(ab[i / 2], cd[i / 2], 0, 1, 4, 5)
                     : __builtin_shufflevector(ab[i / 2], cd[i / 2], 2, 3, 6, 7);
      __builtin_memcpy(to + i * s.q_stride, &side_by_side, sizeof side_by_side);
    }
  }
  for (; step < s.q_steps; ++step) {
    float* const to = s.q + step * s.q_stride + query;
    for (int i = 0; i < 4; ++i) __builtin_memcpy(to + i, words[i] + step, sizeof *to);
  }
}

/// A query (D) as pairs of bf16, zeros up to the end of D's last vector.
template <class V>
inline void narrow_query(const float* q, int head_dim, uint16_t* pairs) {
  for (int d = 0; d < head_dim; d += V::kWidth) {
    V::store_bf16_n(pairs + d, V::load_n(q + d, head_dim - d), V::kWidth);
  }
}

/// The words of a query: its floats, or pairs in `buffer`, which they fit.
template <class V>
inline const float* operands_of(const AttentionTile& t, const AttentionScratch& s, int64_t query,
                                float* buffer) {
  const int64_t head = t.head * t.group + query % t.group;
  const float* const q = t.rows[query / t.group].q + head * t.key_dim;
  if constexpr (MultipliesBf16<V>) {
    narrow_query<V>(q, t.key_dim, reinterpret_cast<uint16_t*>(buffer));
    return buffer;
  }
  if (!is_i8<V>(t)) return q;
  s.q_scales[query] = round_query<V>(q, t.key_dim, reinterpret_cast<int16_t*>(buffer));
  return buffer;
}

template <class V>
inline void load_queries(const AttentionTile& t, const AttentionScratch& s) {
  const int64_t num_queries = int64_t{t.num_rows} * t.group;
  for (int64_t query = 0; query < num_queries; query += 4) {
    const float* words[4];
    for (int64_t i = 0; i < 4; ++i) {
      // The last query is repeated to make four; s.q has room for it.
      const int64_t which = query + i < num_queries ? query + i : num_queries - 1;
      words[i] = operands_of<V>(t, s, which, s.page + i * t.padded_key_dim);
    }
    place_four(s, query, words);
  }
}

/// Turns the integer dot products with a page's keys into scores. Those of keys that a query does
/// not see may become NaN.
template <class V>
inline void finish_scores(const AttentionTile& t, const AttentionScratch& s, int64_t block,
                          float* scores) {
  const float* const of_page = t.key_scales + block * t.scale_stride;
  const int64_t num_queries = static_cast<int64_t>(t.num_rows) * t.group;
  for (int64_t q = 0; q < num_queries; ++q) {
    const typename V::F scale = V::set1(s.q_scales[q]);
    for (int key = 0; key < kPageKeys; key += V::kWidth) {
      float* const at = scores + q * kKeyBlock + key;
      const typename V::F x = V::to_float(V::load_i(reinterpret_cast<const int32_t*>(at)));
      V::store(at, V::mul(V::mul(x, scale), V::load(of_page + key)));
    }
  }
}

/// Multiplies a query's weights of a key block by the scales of the values; weights of keys that it
/// does not see become zero.
template <class V>
inline void scale_weights(const AttentionTile& t, const AttentionScratch& s, int64_t block_begin,
                          SeenKeys seen) {
  using F = typename V::F;
  float* const weights = s.scores + seen.query * kKeyBlock;
  F largest = V::zero();
  F sum = V::zero();
  for (int i = 0; i < kKeyBlock; i += V::kWidth) {
    F x = V::zero();
    if (i + V::kWidth > seen.begin && i < seen.end) {
      const int64_t block = t.block_table[(block_begin + i) / kPageKeys];
      const float* const scales = t.value_scales + block * t.scale_stride + i % kPageKeys;
      x = V::select_range(i, seen.begin, seen.end, V::mul(V::load(weights + i), V::load(scales)),
                          x);
    }
    V::store(weights + i, x);
    largest = V::max(x, largest);
    sum = V::add(sum, x);
  }
  const IntegerScale scale = integer_scale(V::reduce_max(largest), V::reduce_add(sum), 32767.0f);
  s.weight_scales[seen.query] = scale.scale;
  s.weight_inverses[seen.query] = scale.inverse;
}

/// Rounds a query's weights to pairs of keys.
template <class V>
inline void round_weights(const AttentionScratch& s, int64_t query) {
  float* const weights = s.scores + query * kKeyBlock;
  const typename V::F inverse = V::set1(s.weight_inverses[query]);
  // In place: the pairs of a vector end at or before the next weight to be read.
  auto* const pairs = reinterpret_cast<int16_t*>(weights);
  for (int i = 0; i < kKeyBlock; i += V::kWidth) {
    V::store_i16(pairs + i, V::round(V::mul(V::load(weights + i), inverse)));
  }
}

/// Rounds a query's weights to pairs of bf16.
template <class V>
inline void narrow_weights(const AttentionScratch& s, int64_t query) {
  float* const weights = s.scores + query * kKeyBlock;
  auto* const pairs = reinterpret_cast<uint16_t*>(weights);  // As in round_weights.
  for (int i = 0; i < kKeyBlock; i += V::kWidth) {
    V::store_bf16_n(pairs + i, V::load(weights + i), V::kWidth);
  }
}

/// Turns the integer dot products with values into weighted sums.
template <class V>
inline void finish_sums(const AttentionTile& t, const AttentionScratch& s) {
  for (int64_t query = 0; query < int64_t{t.num_rows} * t.group; ++query) {
    float* const sums = s.block.sums + query * t.padded_value_dim;
    const typename V::F scale = V::set1(s.weight_scales[query]);
    for (int d = 0; d < t.padded_value_dim; d += V::kWidth) {
      const typename V::F x = V::to_float(V::load_i(reinterpret_cast<const int32_t*>(sums + d)));
      V::store(sums + d, V::mul(x, scale));
    }
  }
}

}  // namespace
}  // namespace quire::cpu
