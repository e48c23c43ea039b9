#pragma once

// Attention over pages with an online softmax (arXiv:1805.02867, arXiv:2205.14135), templated on
// the vector; included only by the variants' sources.
//
// A query's arithmetic is fixed by its position: each key block gets a softmax of its own, and its
// result is folded into the query's state, block by block in ascending order. The tile only decides
// for how many queries a page is widened once, and whether a state is kept here or in memory.

#include "kernels/cpu/simd/attention_states_simd.h"

namespace quire::cpu {
namespace {

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
    scale_page<V>(t, t.key_scales, t.block_table[page], scores);
  }
}

template <class V>
inline void weigh_block(const AttentionTile& t, const AttentionScratch& s, PageRange pages,
                        int64_t block_begin) {
  for (int64_t page = pages.first; page <= pages.last; ++page) {
    const char* const values =
        find_page(t, t.values, t.block_table[page], pages.block_ahead(t, page));
    float* const weights = s.scores + (page * kPageKeys - block_begin);
    scale_page<V>(t, t.value_scales, t.block_table[page], weights);
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
