#pragma once

// The dot products of attention with one page of keys or values, templated on the vector; included
// only by the variants' sources.
//
// In a page of keys the slots are adjacent, in a page of values the dimensions, so no product is
// summed across a vector: keys are multiplied dimension by dimension and values added key by key,
// in the same order for any number of queries and on any instruction set (except in bf16).
//
// Numbers of 8 bits and of bf16 are multiplied as pairs of 16 bits, two dimensions or two keys in a
// step. 8-bit integers are multiplied by queries and weights that are rounded to 15-bit integers,
// so their sums are exact; bf16, if the processor multiplies it, by queries and weights in bf16.

#include "kernels/cpu/simd/attention_rows_simd.h"

namespace quire::cpu {
namespace {

/// The words of the tile's queries, step by step: (D / kPerStep, stride).
struct QueryOperands {
  const float* at;
  int64_t stride;
  int64_t num_steps;
};

/// scores[q] (kPageKeys), kKeyBlock apart: the products of kQueries queries with a page's keys.
template <class V, int kQueries, class Keys>
inline void score_page(QueryOperands q, Keys keys, float* scores) {
  using Dot = typename Keys::Dot;
  constexpr int kVecs = kPageKeys / V::kWidth;
  typename Dot::Sum sums[kQueries][kVecs];
#pragma GCC unroll 16
  for (int i = 0; i < kQueries * kVecs; ++i) sums[i / kVecs][i % kVecs] = Dot::zero();
  for (int64_t step = 0; step < q.num_steps; ++step) {
    const float* const words = q.at + step * q.stride;
    typename Dot::Operand of_keys[kVecs];
#pragma GCC unroll 4
    for (int v = 0; v < kVecs; ++v) of_keys[v] = keys.load(step, v * V::kWidth);
#pragma GCC unroll 16
    for (int i = 0; i < kQueries; ++i) {
      const typename Dot::Operand word = Dot::spread(words + i);
#pragma GCC unroll 4
      for (int v = 0; v < kVecs; ++v) sums[i][v] = Dot::add(sums[i][v], word, of_keys[v]);
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < kQueries * kVecs; ++i) {
    Dot::store_sum(scores + i / kVecs * kKeyBlock + i % kVecs * V::kWidth,
                   sums[i / kVecs][i % kVecs]);
  }
}

/// As score_page, for any number of queries.
template <class V, int kQueries = V::kScoreQueries, class Keys>
inline void score_queries(QueryOperands q, Keys keys, float* scores, int64_t num_queries) {
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

/// A page's values, and the steps [begin, end) of them that have weights.
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
  using Dot = typename Values::Dot;
  typename Dot::Sum parts[kQueries][kVecs];
#pragma GCC unroll 16
  for (int i = 0; i < kQueries * kVecs; ++i) {
    parts[i / kVecs][i % kVecs] =
        Dot::load_sum(sums + i / kVecs * page.padded_dim + d + i % kVecs * V::kWidth);
  }
  for (int64_t step = page.begin; step < page.end; ++step) {
    typename Dot::Operand words[kQueries];
#pragma GCC unroll 4
    for (int q = 0; q < kQueries; ++q) words[q] = Dot::spread(weights + q * kKeyBlock + step);
#pragma GCC unroll 8
    for (int v = 0; v < kVecs; ++v) {
      const typename Dot::Operand value = page.values.load(step, d + v * V::kWidth);
#pragma GCC unroll 4
      for (int q = 0; q < kQueries; ++q) parts[q][v] = Dot::add(parts[q][v], words[q], value);
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < kQueries * kVecs; ++i) {
    Dot::store_sum(sums + i / kVecs * page.padded_dim + d + i % kVecs * V::kWidth,
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
