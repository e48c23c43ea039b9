#pragma once

// Attention over pages with an online softmax (arXiv:1805.02867, arXiv:2205.14135), templated on
// the vector; included only by the variants' sources.
//
// The arithmetic of a query depends on its position alone: each key block gets a softmax of its
// own, and its result is folded into the query's state, block by block in ascending order. The tile
// only determines how many queries share a widened page, and whether a state is in scratch memory
// or in the row's.

#include "kernels/cpu/simd/attention_bf16_simd.h"
#include "kernels/cpu/simd/attention_few_simd.h"

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

/// fn(SeenKeys) for each query that sees some of `keys`, which lie in the key block at block_begin.
template <class Fn>
inline void for_each_query(const AttentionTile& t, KeyRange keys, int64_t block_begin, Fn fn) {
  for (int64_t row = 0; row < t.num_rows; ++row) {
    const KeyRange seen = intersect(visible_keys(t, row), keys);
    if (seen.begin >= seen.end) continue;
    const int begin = static_cast<int>(seen.begin - block_begin);
    const int end = static_cast<int>(seen.end - block_begin);
    for (int64_t g = 0; g < t.group; ++g) fn(SeenKeys{row * t.group + g, begin, end});
  }
}

// The softmax of a key block, in steps that each do all queries, so that the chains of one query's
// reductions overlap with those of others.

/// Caps a query's scores and finds the largest; scores of keys that it does not see become minus
/// infinity. Without a cap the scores are not multiplied by the scale yet.
template <class V>
inline void cap_scores(const AttentionTile& t, const AttentionScratch& s, SeenKeys seen) {
  using F = typename V::F;
  float* const scores = s.scores + seen.query * kKeyBlock;
  const F minus_infinity = V::set1(-__builtin_inff());
  const bool is_whole = seen.begin == 0 && seen.end == kKeyBlock;
  const bool is_capped = t.soft_cap > 0.0f;
  F best = minus_infinity;
#pragma GCC unroll 4
  for (int i = 0; i < kKeyBlock; i += V::kWidth) {
    F x = V::load(scores + i);
    if (is_capped) {
      const F cap = V::set1(t.soft_cap);
      x = V::mul(cap, tanh_vector<V>(V::div(V::mul(x, V::set1(t.scale)), cap)));
    }
    if (!is_whole) x = V::select_range(i, seen.begin, seen.end, x, minus_infinity);
    if (is_capped || !is_whole) V::store(scores + i, x);
    best = V::max(best, x);
  }
  const float largest = V::reduce_max(best);
  s.block.maximum[seen.query] = is_capped ? largest : largest * t.scale;
}

/// Turns a query's scores into weights, and adds these up.
template <class V>
inline void weigh_scores(const AttentionTile& t, const AttentionScratch& s, int64_t query) {
  using F = typename V::F;
  float* const scores = s.scores + query * kKeyBlock;
  const float maximum = s.block.maximum[query];
  const F scale = V::set1(t.soft_cap > 0.0f ? 1.0f : t.scale);
  // If all scores are minus infinity (an overflow in the model), the weights are 0 instead of NaN.
  const F subtract = V::set1(maximum == -__builtin_inff() ? 0.0f : maximum);
  F sum = V::zero();
#pragma GCC unroll 4
  for (int i = 0; i < kKeyBlock; i += V::kWidth) {
    const F weight = exp_vector<V>(V::sub(V::mul(V::load(scores + i), scale), subtract));
    V::store(scores + i, weight);
    sum = V::add(sum, weight);
  }
  s.block.total[query] = V::reduce_add(sum);
}

/// Turns the scores of a key block into softmax weights, rounded for i8 and bf16 pages. Queries
/// that see none of its keys get the neutral state.
template <class V>
inline void weigh_keys(const AttentionTile& t, const AttentionScratch& s, KeyRange keys,
                       int64_t block_begin) {
  const int64_t num_queries = int64_t{t.num_rows} * t.group;
  for (int64_t query = 0; query < num_queries; ++query) {
    s.block.maximum[query] = -__builtin_inff();
    s.block.total[query] = 0.0f;
    s.weight_scales[query] = 0.0f;
  }
  const auto each = [&](auto fn) { for_each_query(t, keys, block_begin, fn); };
  each([&](SeenKeys seen) { cap_scores<V>(t, s, seen); });
  each([&](SeenKeys seen) { weigh_scores<V>(t, s, seen.query); });
  if constexpr (MultipliesBf16<V>) {
    return each([&](SeenKeys seen) { narrow_weights<V>(s, seen.query); });
  }
  if (!is_i8<V>(t)) return;
  each([&](SeenKeys seen) { scale_weights<V>(t, s, block_begin, seen); });
  each([&](SeenKeys seen) { round_weights<V>(s, seen.query); });
}

/// The scores of a page for all rows that see some of it. scores: of the page's first key.
template <class V, class Keys>
inline void score_rows(const AttentionTile& t, const AttentionScratch& s, Keys keys, int64_t page,
                       float* scores) {
  for (int64_t row = 0; row < t.num_rows;) {
    int64_t end = row;
    while (end < t.num_rows && sees(t, end, keys_of_page(page))) ++end;
    const int64_t query = row * t.group;
    score_queries<V>({s.q + query, s.q_stride, s.q_steps}, keys, scores + query * kKeyBlock,
                     (end - row) * t.group);
    row = end + 1;
  }
}

/// Adds the weighted values of a page for all rows. weights: words, from the page's first key on.
template <class V, class Values>
inline void weigh_rows(const AttentionTile& t, const AttentionScratch& s, Values values,
                       int64_t page, const float* weights) {
  constexpr int kPerStep = Values::Dot::kPerStep;
  const int64_t page_begin = page * kPageKeys;
  for (int64_t row = 0; row < t.num_rows;) {
    // Masked keys are skipped instead of multiplied by zero: their slots may hold NaN. (Integers of
    // half-masked pairs are multiplied by zero.)
    const RowRun run = run_of_rows(t, row, keys_of_page(page));
    const int64_t query = row * t.group;
    if (run.seen.begin < run.seen.end) {
      const ValueSteps<Values> seen = {values, t.padded_value_dim,
                                       (run.seen.begin - page_begin) / kPerStep,
                                       (run.seen.end - page_begin + kPerStep - 1) / kPerStep};
      weigh_queries<V>(s.block.sums + query * t.padded_value_dim, weights + query * kKeyBlock, seen,
                       (run.end - row) * t.group);
    }
    row = run.end;
  }
}

template <class V>
inline void score_block(const AttentionTile& t, const AttentionScratch& s, PageRange pages,
                        int64_t block_begin) {
  for (int64_t page = pages.first; page <= pages.last; ++page) {
    const char* const keys = find_page(t, key_pool(t), page, pages.last_ahead);
    float* const scores = s.scores + (page * kPageKeys - block_begin);
    read_keys<V>(t, keys, s.page, [&](auto rows) { score_rows<V>(t, s, rows, page, scores); });
    if (is_i8<V>(t)) finish_scores<V>(t, s, t.block_table[page], scores);
  }
}

template <class V>
inline void weigh_block(const AttentionTile& t, const AttentionScratch& s, PageRange pages,
                        int64_t block_begin) {
  for (int64_t page = pages.first; page <= pages.last; ++page) {
    const char* const values = find_page(t, value_pool(t), page, pages.last_ahead);
    read_values<V>(t, values, s.page, [&](auto rows) {
      constexpr int kPerStep = decltype(rows)::Dot::kPerStep;
      weigh_rows<V>(t, s, rows, page, s.scores + (page * kPageKeys - block_begin) / kPerStep);
    });
  }
}

template <class V>
inline void attend_block_in_bf16(const AttentionTile& t, const AttentionScratch& s, KeyRange keys,
                                 PageRange pages, int64_t block_begin) {
  if constexpr (HasTiles<V>) {
    score_block_by_tiles<V>(t, s, pages, block_begin);
  } else {
    score_block<V>(t, s, pages, block_begin);
  }
  weigh_keys<V>(t, s, keys, block_begin);
  weigh_block_in_bf16<V>(t, s, keys, pages, block_begin);
}

template <class V>
inline void attend_block_of_few(const AttentionTile& t, const AttentionScratch& s, KeyRange keys,
                                PageRange pages, int64_t block_begin) {
  if constexpr (MultipliesBlocks<V>) {
    score_few<V>(t, s, block_begin, pages.last_ahead);
    weigh_keys<V>(t, s, keys, block_begin);
    weigh_few<V>(t, s, block_begin, pages.last_ahead);
    if (is_i8<V>(t)) finish_sums<V>(t, s);
  }
}

/// Computes the state of one key block for all rows of a part that see some of it. Prefetches pages
/// up to the one of key end_ahead - 1.
template <class V>
inline void attend_block(const AttentionTile& t, const AttentionScratch& s, KeyRange tile_keys,
                         int64_t block_begin, int64_t end_ahead) {
  const KeyRange keys = intersect(tile_keys, {block_begin, block_begin + kKeyBlock});
  const PageRange pages = {keys.begin / kPageKeys, (keys.end - 1) / kPageKeys,
                           (end_ahead - 1) / kPageKeys};
  if (is_whole_block_of_few<V>(t, tile_keys, block_begin)) {
    attend_block_of_few<V>(t, s, keys, pages, block_begin);
  } else if constexpr (MultipliesBf16<V>) {
    attend_block_in_bf16<V>(t, s, keys, pages, block_begin);
  } else {
    score_block<V>(t, s, pages, block_begin);
    weigh_keys<V>(t, s, keys, block_begin);
    const int64_t num_sums = int64_t{t.num_rows} * t.group * t.padded_value_dim;
    for (int64_t i = 0; i < num_sums; i += V::kWidth) V::store(s.block.sums + i, V::zero());
    weigh_block<V>(t, s, pages, block_begin);
    if (is_i8<V>(t)) finish_sums<V>(t, s);
  }
}

inline int64_t first_key_block(KeyRange keys) {
  return keys.begin / kKeyBlock * kKeyBlock;
}

/// Some rows of a tile, or all its rows for one of its heads.
struct AttentionPart {
  AttentionTile tile;
  AttentionScratch scratch;
  KeyRange keys;
};

template <class V>
inline void load_part_queries(const AttentionTile& t, const AttentionScratch& s) {
  if constexpr (HasTiles<V>) {
    load_tile_queries<V>(t, s);
  } else {
    load_queries<V>(t, s);
  }
}

/// The part of a tile of several heads that computes one of them.
inline AttentionTile part_of_head(const AttentionTile& t, int index) {
  AttentionTile part = t;
  const int64_t bytes = page_element_bytes(t);
  part.part_rows = t.num_rows;
  part.head += index;
  part.head_index = index;
  part.keys = static_cast<const char*>(t.keys) + index * kPageKeys * t.key_dim * bytes;
  part.values = static_cast<const char*>(t.values) + index * kPageKeys * t.value_dim * bytes;
  if (t.key_scales != nullptr) {
    part.key_scales += index * kPageKeys;
    part.value_scales += index * kPageKeys;
  }
  if (t.sinks != nullptr) part.sinks += index * t.group;
  return part;
}

constexpr int kPartsOfTile = kMaxParts > kMaxTileHeads ? kMaxParts : kMaxTileHeads;

template <class V>
inline int load_parts_of_heads(const AttentionTile& t, AttentionPart (&parts)[kPartsOfTile]) {
  for (int index = 0; index < t.num_heads; ++index) {
    AttentionPart& part = parts[index];
    part.tile = part_of_head(t, index);
    part.scratch = divide_scratch(part.tile, index);
    part.keys = keys_of_tile(part.tile);
    load_part_queries<V>(part.tile, part.scratch);
  }
  return t.num_heads;
}

/// Divides the tile into parts and loads their queries; returns the number of parts.
template <class V>
inline int load_parts(const AttentionTile& t, AttentionPart (&parts)[kPartsOfTile]) {
  if (t.num_heads > 1) return load_parts_of_heads<V>(t, parts);
  const int rows = t.part_rows;
  int count = 0;
  for (int row = 0; row < t.num_rows; row += rows) {
    AttentionPart& part = parts[count];
    part.tile = t;
    part.tile.rows += row;
    part.tile.num_rows = t.num_rows - row < rows ? t.num_rows - row : rows;
    part.scratch = divide_scratch(t, count++);
    part.keys = keys_of_tile(part.tile);
    load_part_queries<V>(part.tile, part.scratch);
  }
  return count;
}

/// Computes the state of each key block for each part that sees some of it, then calls take(part,
/// block). All parts process a block before the next one, so that it is read from memory once.
template <class V, class Take>
inline void attend_parts(const AttentionTile& t, AttentionPart (&parts)[kPartsOfTile],
                         int num_parts, Take take) {
  const KeyRange keys = keys_of_tile(t);
  for (int64_t block = first_key_block(keys); block < keys.end; block += kKeyBlock) {
    int64_t end_ahead = keys.end;
    for (int i = 0; i < num_parts; ++i) {
      const KeyRange seen = intersect(parts[i].keys, {block, block + kKeyBlock});
      if (seen.begin >= seen.end) continue;
      attend_block<V>(parts[i].tile, parts[i].scratch, parts[i].keys, block, end_ahead);
      take(parts[i], block);
      if (t.num_heads == 1) end_ahead = 0;
    }
  }
}

/// Configures the AMX tiles during its lifetime, on vectors that have them.
template <class V>
struct TileShape {};
template <HasTiles V>
struct TileShape<V> {
  typename V::Tiles::template Shape<64> shape;
};

template <class V>
void attention(const AttentionTile& t) {
  [[maybe_unused]] const TileShape<V> shape;
  AttentionPart parts[kPartsOfTile];
  const int num_parts = load_parts<V>(t, parts);
  for (int i = 0; i < num_parts; ++i) begin_states<V>(parts[i].tile, parts[i].scratch);
  attend_parts<V>(t, parts, num_parts, [](const AttentionPart& part, int64_t block) {
    fold_block<V>(part.tile, part.scratch, {block, block + kKeyBlock});
  });
  for (int i = 0; i < num_parts; ++i) end_states<V>(parts[i].tile, parts[i].scratch);
}

template <class V>
void attention_blocks(const AttentionTile& t) {
  [[maybe_unused]] const TileShape<V> shape;
  AttentionPart parts[kPartsOfTile];
  const int num_parts = load_parts<V>(t, parts);
  attend_parts<V>(t, parts, num_parts, [](const AttentionPart& part, int64_t block) {
    const AttentionTile& tile = part.tile;
    for (int64_t row = 0; row < tile.num_rows; ++row) {
      if (!sees(tile, row, {block, block + kKeyBlock})) continue;
      store_state<V>(tile, part.scratch.block, row, row_block_state(tile, row, block / kKeyBlock));
    }
  });
}

/// The attention functions of a variant that extends the variant kBase (computes_tile).
template <class V, const CpuKernels* (*kBase)()>
void attention_extending(const AttentionTile& t) {
  computes_tile<V>(t) ? attention<V>(t) : kBase()->attention(t);
}
template <class V, const CpuKernels* (*kBase)()>
void attention_blocks_extending(const AttentionTile& t) {
  computes_tile<V>(t) ? attention_blocks<V>(t) : kBase()->attention_blocks(t);
}

/// The tile has one row.
template <class V>
void attention_fold(const AttentionTile& t) {
  const AttentionScratch s = divide_scratch(t, 0);
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
