#pragma once

// The states of attention, in scratch memory or in the rows' memory, and their fold, templated on
// the vector; included only by the variants' sources.

#include "kernels/cpu/simd/attention_pages_simd.h"
#include "kernels/cpu/simd/math_simd.h"

namespace quire::cpu {
namespace {

/// The partial results of attention over some keys for M queries.
struct AttentionStates {
  float* sums;     ///< (M, P): the weighted sums of values.
  float* maximum;  ///< (M): the largest scores.
  float* total;    ///< (M): the sums of weights.
};

/// The parts of AttentionTile::scratch, for part of a tile. M = num_rows * group queries.
struct AttentionScratch {
  /// Widened keys (D, kPageKeys) or values (kPageKeys, P); by tiles, those of a key block.
  float* page;
  float* q;          ///< Words of M queries: (q_steps, q_stride); by tiles (M, tile_operands).
  int64_t q_stride;  ///< M padded; not used by tiles, like q_steps.
  int64_t q_steps;
  float* q_scales;         ///< (M), only for i8: the factors of the queries' integers.
  float* scores;           ///< (M, kKeyBlock): scores, then weights, or their words.
  float* weight_scales;    ///< (M), only for i8: the factors of the weights' integers.
  float* weight_inverses;  ///< (M): the inverses of weight_scales, 0 for 0.
  AttentionStates states;  ///< Of the keys so far.
  AttentionStates block;   ///< Of one key block.
};

/// M is padded so that whole vectors of maximum and total can be read and written.
inline int64_t padded_queries(int64_t queries) {
  return (queries + kHeadPadding - 1) / kHeadPadding * kHeadPadding;
}

inline AttentionStates states_at(float* memory, int64_t queries, int64_t padded_dim) {
  return {memory, memory + queries * padded_dim, memory + queries * (padded_dim + 1)};
}

/// All parts use the same buffers of one key block; each part has its own queries and states.
inline AttentionScratch divide_scratch(const AttentionTile& t, int64_t part) {
  const int64_t queries = padded_queries(int64_t{t.part_rows} * t.group);
  const int64_t states = queries * (t.padded_value_dim + 2);
  AttentionScratch s;
  s.page = t.scratch;
  s.scores = s.page + t.page_floats;
  s.block = states_at(s.scores + queries * kKeyBlock, queries, t.padded_value_dim);
  s.weight_scales = s.block.sums + states;
  s.weight_inverses = s.weight_scales + queries;
  float* const own =
      s.weight_inverses + queries + part * (states + queries * (t.padded_key_dim + 1));
  s.states = states_at(own, queries, t.padded_value_dim);
  s.q_scales = own + states;
  s.q = s.q_scales + queries;
  s.q_stride = queries;
  const bool in_pairs = t.dtype == DType::kI8 || t.in_bf16;
  s.q_steps = in_pairs ? (t.key_dim + 1) / 2 : t.key_dim;
  return s;
}

/// A query, and the keys [begin, end) of a key block that it sees, at least one.
struct SeenKeys {
  int64_t query;
  int begin;
  int end;
};

inline KeyRange visible_keys(const AttentionTile& t, int64_t row) {
  return {t.rows[row].first_key, t.rows[row].position + 1};
}

inline bool sees(const AttentionTile& t, int64_t row, KeyRange keys) {
  const KeyRange seen = intersect(visible_keys(t, row), keys);
  return seen.begin < seen.end;
}

/// Rows [row, end) of the tile that see the same keys of a range (or none).
struct RowRun {
  int64_t end;
  KeyRange seen;
};

inline RowRun run_of_rows(const AttentionTile& t, int64_t row, KeyRange keys) {
  const KeyRange seen = intersect(visible_keys(t, row), keys);
  int64_t end = row + 1;
  for (; end < t.num_rows; ++end) {
    const KeyRange other = intersect(visible_keys(t, end), keys);
    if (other.begin != seen.begin || other.end != seen.end) break;
  }
  return {end, seen};
}

/// Folds the block's maxima and totals into those of the states. Afterwards block.maximum and
/// block.total are the factors of the states' sums and of the block's sums.
template <class V>
inline void fold_totals(const AttentionScratch& s, int64_t num_queries) {
  using F = typename V::F;
  for (int64_t i = 0; i < num_queries; i += V::kWidth) {
    const F state_maximum = V::load(s.states.maximum + i);
    const F block_maximum = V::load(s.block.maximum + i);
    const F maximum = V::max(state_maximum, block_maximum);
    // As in weigh_scores. Before the first block `keep` is exp(-infinity) = 0.
    const F lowest = V::set1(-__builtin_inff());
    const F subtract = V::select_less(lowest, maximum, maximum, V::zero());
    const F keep = exp_vector<V>(V::sub(state_maximum, subtract));
    const F take = exp_vector<V>(V::sub(block_maximum, subtract));
    const F total = V::mul(V::load(s.states.total + i), keep);
    V::store(s.states.total + i, V::fma(V::load(s.block.total + i), take, total));
    V::store(s.states.maximum + i, maximum);
    V::store(s.block.maximum + i, keep);
    V::store(s.block.total + i, take);
  }
}

/// Folds the block into the states of the rows that see some of it (arXiv:2501.01005, section 2.2).
template <class V>
inline void fold_block(const AttentionTile& t, const AttentionScratch& s, KeyRange keys) {
  fold_totals<V>(s, static_cast<int64_t>(t.num_rows) * t.group);
  for (int64_t row = 0; row < t.num_rows; ++row) {
    if (!sees(t, row, keys)) continue;
    for (int64_t query = row * t.group; query < (row + 1) * t.group; ++query) {
      const typename V::F keep = V::set1(s.block.maximum[query]);
      const typename V::F take = V::set1(s.block.total[query]);
      float* const sums = s.states.sums + query * t.padded_value_dim;
      const float* const added = s.block.sums + query * t.padded_value_dim;
      for (int d = 0; d < t.padded_value_dim; d += V::kWidth) {
        V::store(sums + d, V::fma(V::load(added + d), take, V::mul(V::load(sums + d), keep)));
      }
    }
  }
}

template <class V>
inline void copy_floats(float* to, const float* from, int64_t n) {
  int64_t i = 0;
  for (; i + V::kWidth <= n; i += V::kWidth) V::store(to + i, V::load(from + i));
  for (; i < n; ++i) to[i] = from[i];
}

/// Copies a row's state from memory to the tile's states; store_state copies it back.
template <class V>
inline void load_state(const AttentionTile& t, AttentionStates states, int64_t row,
                       const float* from) {
  const int64_t query = row * t.group;
  const int64_t sums = static_cast<int64_t>(t.group) * t.padded_value_dim;
  copy_floats<V>(states.sums + query * t.padded_value_dim, from, sums);
  copy_floats<V>(states.maximum + query, from + sums, t.group);
  copy_floats<V>(states.total + query, from + sums + t.group, t.group);
}

template <class V>
inline void store_state(const AttentionTile& t, AttentionStates states, int64_t row, float* to) {
  const int64_t query = row * t.group;
  const int64_t sums = static_cast<int64_t>(t.group) * t.padded_value_dim;
  copy_floats<V>(to, states.sums + query * t.padded_value_dim, sums);
  copy_floats<V>(to + sums, states.maximum + query, t.group);
  copy_floats<V>(to + sums + t.group, states.total + query, t.group);
}

inline float* row_state(const AttentionTile& t, int64_t row) {
  return t.rows[row].state + t.head * t.state_floats;
}

inline float* row_block_state(const AttentionTile& t, int64_t row, int64_t block) {
  const int64_t index = (block - t.first_block) * t.num_kv_heads + t.head;
  return t.rows[row].block_states + index * t.state_floats;
}

/// Sets the states to those before the tile's keys.
template <class V>
inline void begin_states(const AttentionTile& t, const AttentionScratch& s) {
  for (int64_t row = 0; row < t.num_rows; ++row) {
    if (!t.begins) {
      load_state<V>(t, s.states, row, row_state(t, row));
      continue;
    }
    for (int g = 0; g < t.group; ++g) {
      const int64_t query = row * t.group + g;
      for (int d = 0; d < t.padded_value_dim; d += V::kWidth) {
        V::store(s.states.sums + query * t.padded_value_dim + d, V::zero());
      }
      // A sink is a key before the first one, with a value of zero and a weight of exp(0).
      const float sink = t.sinks != nullptr ? t.sinks[g] : -__builtin_inff();
      s.states.maximum[query] = sink;
      s.states.total[query] = sink == -__builtin_inff() ? 0.0f : 1.0f;
    }
  }
}

template <class V>
inline void write_row(const AttentionTile& t, const AttentionScratch& s, int64_t row) {
  for (int g = 0; g < t.group; ++g) {
    const int64_t query = row * t.group + g;
    float* const to = t.rows[row].out + (t.head * t.group + g) * t.value_dim;
    const float total = s.states.total[query];
    const typename V::F inverse = V::set1(total > 0.0f ? 1.0f / total : 0.0f);
    for (int d = 0; d < t.value_dim; d += V::kWidth) {
      const typename V::F x =
          V::mul(V::load(s.states.sums + query * t.padded_value_dim + d), inverse);
      V::store_n(to + d, x, t.value_dim - d < V::kWidth ? t.value_dim - d : V::kWidth);
    }
  }
}

/// Stores the states after the tile's keys, or the results if these were the last keys.
template <class V>
inline void end_states(const AttentionTile& t, const AttentionScratch& s) {
  for (int64_t row = 0; row < t.num_rows; ++row) {
    if (t.ends) {
      write_row<V>(t, s, row);
    } else {
      store_state<V>(t, s.states, row, row_state(t, row));
    }
  }
}

}  // namespace
}  // namespace quire::cpu
