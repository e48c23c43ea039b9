#pragma once

// Attention over pages with an online softmax (arXiv:1805.02867, arXiv:2205.14135), templated on
// the vector; included only by the variants' sources.
//
// A query's arithmetic is fixed by its position: each key block gets a softmax of its own, and its
// result is folded into the query's state, block by block in ascending order. The tile only decides
// for how many queries a page is widened once, and whether a state is kept here or in memory.

#include "kernels/cpu/simd/attention_pages_simd.h"
#include "kernels/cpu/simd/math_simd.h"

namespace quire::cpu {
namespace {

/// What attention over some keys gives M queries.
struct AttentionStates {
  float* sums;     ///< (M, P): values weighted.
  float* maximum;  ///< (M): of the scores.
  float* total;    ///< (M): of the weights.
};

/// The parts of AttentionTile::scratch. M = num_rows * group queries.
struct AttentionScratch {
  float* page;             ///< (kPageKeys, P): keys or values, widened.
  float* q;                ///< (M, P)
  float* scores;           ///< (M, kKeyBlock): scores, then weights.
  AttentionStates states;  ///< Of the keys so far.
  AttentionStates block;   ///< Of one key block.
};

/// maximum and total have room for whole vectors, and for what is left of the last one.
inline int64_t padded_queries(int64_t queries) {
  return (queries + kHeadPadding - 1) / kHeadPadding * kHeadPadding;
}

inline AttentionScratch divide_scratch(const AttentionTile& t) {
  const int64_t queries = padded_queries(static_cast<int64_t>(t.num_rows) * t.group);
  AttentionScratch s;
  s.page = t.scratch;
  s.q = s.page + kPageKeys * t.padded_dim;
  s.scores = s.q + queries * t.padded_dim;
  s.states.sums = s.scores + queries * kKeyBlock;
  s.block.sums = s.states.sums + queries * t.padded_dim;
  s.states.maximum = s.block.sums + queries * t.padded_dim;
  s.states.total = s.states.maximum + queries;
  s.block.maximum = s.states.total + queries;
  s.block.total = s.block.maximum + queries;
  return s;
}

inline KeyRange visible_keys(const AttentionTile& t, int64_t row) {
  const int64_t end = t.rows[row].position + 1;
  const bool clipped = t.sliding_window > 0 && end > t.sliding_window;
  return {clipped ? end - t.sliding_window : 0, end};
}

inline bool sees(const AttentionTile& t, int64_t row, KeyRange keys) {
  const KeyRange seen = intersect(visible_keys(t, row), keys);
  return seen.begin < seen.end;
}

/// The keys of the tile that any of its rows sees.
inline KeyRange keys_of_tile(const AttentionTile& t) {
  KeyRange keys = {t.key_end, t.key_begin};
  for (int64_t row = 0; row < t.num_rows; ++row) {
    const KeyRange seen = intersect(visible_keys(t, row), {t.key_begin, t.key_end});
    if (seen.begin >= seen.end) continue;
    if (seen.begin < keys.begin) keys.begin = seen.begin;
    if (seen.end > keys.end) keys.end = seen.end;
  }
  return keys;
}

/// Turns the scores of one query for one key block into weights. Only the scores [begin, end)
/// exist, at least one; the weights of the others are zero.
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
  const float maximum = V::reduce_max(best);
  // Scores of minus infinity only (an overflow in the model) weigh nothing instead of being NaN.
  const F subtract = V::set1(maximum == -__builtin_inff() ? 0.0f : maximum);
  F sum = V::zero();
  for (int i = 0; i < kKeyBlock; i += V::kWidth) {
    const F weight = exp_vector<V>(V::sub(V::load(scores + i), subtract));
    V::store(scores + i, weight);
    sum = V::add(sum, weight);
  }
  s.block.maximum[query] = maximum;
  s.block.total[query] = V::reduce_add(sum);
}

/// Rows [row, end) of the tile that see the same keys of a page (or none).
struct RowRun {
  int64_t end;
  KeyRange seen;
};

inline RowRun run_of_rows(const AttentionTile& t, int64_t row, int64_t page) {
  const KeyRange seen = intersect(visible_keys(t, row), keys_of_page(page));
  int64_t end = row + 1;
  for (; end < t.num_rows; ++end) {
    const KeyRange other = intersect(visible_keys(t, end), keys_of_page(page));
    if (other.begin != seen.begin || other.end != seen.end) break;
  }
  return {end, seen};
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

/// The scores of all rows that see some of the page, from the first key of the block on.
template <class V, class Page>
inline void score_rows(const AttentionTile& t, const AttentionScratch& s, Page keys, int64_t page,
                       float* scores) {
  for (int64_t row = 0; row < t.num_rows;) {
    int64_t end = row;
    while (end < t.num_rows && sees(t, end, keys_of_page(page))) ++end;
    const int64_t query = row * t.group;
    score_queries<V>(s.q + query * t.padded_dim, keys, t.padded_dim, scores + query * kKeyBlock,
                     (end - row) * t.group);
    row = end + 1;
  }
}

template <class V, class Page>
inline void weigh_rows(const AttentionTile& t, const AttentionScratch& s, Page values, int64_t page,
                       const float* weights) {
  const int64_t page_begin = page * kPageKeys;
  for (int64_t row = 0; row < t.num_rows;) {
    // Masked keys are not even multiplied by zero: their slots may hold anything.
    const RowRun run = run_of_rows(t, row, page);
    const int64_t query = row * t.group;
    if (run.seen.begin < run.seen.end) {
      const PageValues<Page> seen = {values, t.padded_dim,
                                     static_cast<int>(run.seen.begin - page_begin),
                                     static_cast<int>(run.seen.end - page_begin)};
      weigh_queries<V>(s.block.sums + query * t.padded_dim, weights + query * kKeyBlock, seen,
                       (run.end - row) * t.group);
    }
    row = run.end;
  }
}

template <class V>
inline void score_block(const AttentionTile& t, const AttentionScratch& s, PageRange pages,
                        int64_t block_begin) {
  for (int64_t page = pages.first; page <= pages.last; ++page) {
    const char* const keys = find_page(t, t.keys, t.block_table[page], pages.block_ahead(t, page));
    float* const scores = s.scores + (page * kPageKeys - block_begin);
    read_page<V>(t, keys, s.page,
                 [&](auto elements) { score_rows<V>(t, s, elements, page, scores); });
  }
}

template <class V>
inline void weigh_block(const AttentionTile& t, const AttentionScratch& s, PageRange pages,
                        int64_t block_begin) {
  for (int64_t page = pages.first; page <= pages.last; ++page) {
    const char* const values =
        find_page(t, t.values, t.block_table[page], pages.block_ahead(t, page));
    const float* const weights = s.scores + (page * kPageKeys - block_begin);
    read_page<V>(t, values, s.page,
                 [&](auto elements) { weigh_rows<V>(t, s, elements, page, weights); });
  }
}

/// The state of one key block for all rows that see some of it; rows that see nothing get the state
/// that changes nothing.
template <class V>
inline void attend_block(const AttentionTile& t, const AttentionScratch& s, KeyRange tile_keys,
                         int64_t block_begin) {
  const KeyRange keys = intersect(tile_keys, {block_begin, block_begin + kKeyBlock});
  const PageRange pages = {keys.begin / kPageKeys, (keys.end - 1) / kPageKeys,
                           (tile_keys.end - 1) / kPageKeys};
  score_block<V>(t, s, pages, block_begin);
  for (int64_t row = 0; row < t.num_rows; ++row) {
    const KeyRange seen = intersect(visible_keys(t, row), keys);
    for (int64_t query = row * t.group; query < (row + 1) * t.group; ++query) {
      if (seen.begin < seen.end) {
        softmax_block<V>(t, s, query, static_cast<int>(seen.begin - block_begin),
                         static_cast<int>(seen.end - block_begin));
      } else {
        s.block.maximum[query] = -__builtin_inff();
        s.block.total[query] = 0.0f;
      }
      float* const sums = s.block.sums + query * t.padded_dim;
      for (int d = 0; d < t.padded_dim; d += V::kWidth) V::store(sums + d, V::zero());
    }
  }
  weigh_block<V>(t, s, pages, block_begin);
}

/// Makes the maxima and totals of states those of states and block together. Afterwards
/// block.maximum is what the states' sums count, block.total what the block's sums count.
template <class V>
inline void fold_totals(const AttentionScratch& s, int64_t num_queries) {
  using F = typename V::F;
  for (int64_t i = 0; i < num_queries; i += V::kWidth) {
    const F state_maximum = V::load(s.states.maximum + i);
    const F block_maximum = V::load(s.block.maximum + i);
    const F maximum = V::max(state_maximum, block_maximum);
    // As in softmax_block; exp(-infinity) is zero: before the first block there is nothing to keep.
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
      float* const sums = s.states.sums + query * t.padded_dim;
      const float* const added = s.block.sums + query * t.padded_dim;
      for (int d = 0; d < t.padded_dim; d += V::kWidth) {
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

/// A row's state in memory, to and from its place among those of the tile.
template <class V>
inline void load_state(const AttentionTile& t, AttentionStates states, int64_t row,
                       const float* from) {
  const int64_t query = row * t.group;
  const int64_t sums = static_cast<int64_t>(t.group) * t.padded_dim;
  copy_floats<V>(states.sums + query * t.padded_dim, from, sums);
  copy_floats<V>(states.maximum + query, from + sums, t.group);
  copy_floats<V>(states.total + query, from + sums + t.group, t.group);
}

template <class V>
inline void store_state(const AttentionTile& t, AttentionStates states, int64_t row, float* to) {
  const int64_t query = row * t.group;
  const int64_t sums = static_cast<int64_t>(t.group) * t.padded_dim;
  copy_floats<V>(to, states.sums + query * t.padded_dim, sums);
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

template <class V>
inline void load_queries(const AttentionTile& t, const AttentionScratch& s) {
  for (int64_t row = 0; row < t.num_rows; ++row) {
    const float* from = t.rows[row].q + t.head * t.group * t.head_dim;
    float* to = s.q + row * t.group * t.padded_dim;
    for (int g = 0; g < t.group; ++g, from += t.head_dim, to += t.padded_dim) {
      for (int d = 0; d < t.padded_dim; d += V::kWidth) {
        const int count = t.head_dim - d;
        V::store(to + d, count > 0 ? V::load_n(from + d, count) : V::zero());
      }
    }
  }
}

/// The states before the tile's keys.
template <class V>
inline void begin_states(const AttentionTile& t, const AttentionScratch& s) {
  for (int64_t row = 0; row < t.num_rows; ++row) {
    if (!t.begins) {
      load_state<V>(t, s.states, row, row_state(t, row));
      continue;
    }
    for (int g = 0; g < t.group; ++g) {
      const int64_t query = row * t.group + g;
      for (int d = 0; d < t.padded_dim; d += V::kWidth) {
        V::store(s.states.sums + query * t.padded_dim + d, V::zero());
      }
      // A sink is a key seen before the first one, with a value of zero: it weighs exp(0).
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
    float* const to = t.rows[row].out + (t.head * t.group + g) * t.head_dim;
    const float total = s.states.total[query];
    const typename V::F inverse = V::set1(total > 0.0f ? 1.0f / total : 0.0f);
    for (int d = 0; d < t.head_dim; d += V::kWidth) {
      const typename V::F x = V::mul(V::load(s.states.sums + query * t.padded_dim + d), inverse);
      V::store_n(to + d, x, t.head_dim - d < V::kWidth ? t.head_dim - d : V::kWidth);
    }
  }
}

/// The states after the tile's keys: results, if these were the last.
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

inline int64_t first_key_block(KeyRange keys) {
  return keys.begin / kKeyBlock * kKeyBlock;
}

template <class V>
void attention(const AttentionTile& t) {
  const AttentionScratch s = divide_scratch(t);
  load_queries<V>(t, s);
  begin_states<V>(t, s);
  const KeyRange keys = keys_of_tile(t);
  for (int64_t block = first_key_block(keys); block < keys.end; block += kKeyBlock) {
    attend_block<V>(t, s, keys, block);
    fold_block<V>(t, s, {block, block + kKeyBlock});
  }
  end_states<V>(t, s);
}

template <class V>
void attention_blocks(const AttentionTile& t) {
  const AttentionScratch s = divide_scratch(t);
  load_queries<V>(t, s);
  const KeyRange keys = keys_of_tile(t);
  for (int64_t block = first_key_block(keys); block < keys.end; block += kKeyBlock) {
    attend_block<V>(t, s, keys, block);
    for (int64_t row = 0; row < t.num_rows; ++row) {
      if (!sees(t, row, {block, block + kKeyBlock})) continue;
      store_state<V>(t, s.block, row, row_block_state(t, row, block / kKeyBlock));
    }
  }
}

/// One row a tile.
template <class V>
void attention_fold(const AttentionTile& t) {
  const AttentionScratch s = divide_scratch(t);
  begin_states<V>(t, s);
  const KeyRange keys = keys_of_tile(t);
  for (int64_t block = first_key_block(keys); block < keys.end; block += kKeyBlock) {
    load_state<V>(t, s.block, 0, row_block_state(t, 0, block / kKeyBlock));
    fold_block<V>(t, s, {block, block + kKeyBlock});
  }
  end_states<V>(t, s);
}

}  // namespace
}  // namespace quire::cpu
