#pragma once

// GEMV with quantised activations and weights (LinearInt8) for one or two rows; included only by
// int8_simd.h. Codes and scales are multiplied directly from the panel, without being stored first.

#include "kernels/cpu/simd/int8_gemm_simd.h"

namespace quire::cpu {
namespace {

/// Sums of kRows rows for four vectors of outputs.
template <class V, int kRows>
struct FewSums {
  typename V::F at[kRows][4];
};

/// The order in which a GEMV processes a block: groups that share bytes (Format::kAlike) together,
/// so that a byte is loaded once, for kVecs vectors of outputs, so that all sums stay in registers.
template <class V, class Format, int kRows>
struct FewPlan {
  using Codes = Int8Codes<V, Format>;
  using Rules = RulesOf<V, Format>;
  static constexpr int kAlike = Format::kAlike;
  static constexpr int kApart = Format::kApart;
  /// Quads whose products are summed in 16 bits. If a group has more, there are two kinds of sums.
  static constexpr int kRun = Rules::kRunQuads;
  static constexpr int kSums = kAlike * kRows * (1 < kRun && 4 * kRun < Format::kGroup ? 2 : 1);
  static constexpr int kVecs = kAlike > 2 ? 1 : kSums <= 2 ? 4 : 2;
  /// The sets of groups of a block that share bytes, and the parts of the panel's outputs.
  static constexpr int kSets = Format::kElements / Format::kGroup / kAlike;
  static constexpr int kParts = kPanelColumns / (4 * V::kWidth);
  /// Cache lines of a later block that a part prefetches during a set, and the steps that they are
  /// spread over, so that they do not stall the loads.
  static constexpr int kLines = (Format::kBytes + kSets * kParts - 1) / (kSets * kParts);
  static constexpr int kSteps = Format::kGroup / kVecs;

  /// The run that contains input k of the i-th group that shares bytes with group g.
  static constexpr int run(int g, int i, int k) {
    return kAlike > 1 ? (i * kApart * Format::kGroup + k) / 16 : (g * Format::kGroup + k) / 16;
  }
  /// The quad of a group that is multiplied j-th: quads whose codes share bytes are consecutive.
  static constexpr int quad(int j) { return Format::kGroupSplit ? j % 2 * 4 + j / 2 : j; }
};

/// The products of groups that share bytes with the rows' inputs, for four vectors of outputs.
template <class V, class Format, int kRows>
struct FewDots {
  using Plan = FewPlan<V, Format, kRows>;
  typename V::I sums[Plan::kAlike][kRows][4];
  typename V::I pairs[Plan::kAlike][kRows][Plan::kVecs];  ///< Sums of a run of several quads.
};

/// The inputs that a block is multiplied by.
template <int kRows>
struct FewInputs {
  const Int8Chunk* x[kRows];   ///< The chunks with the block's inputs, by row.
  const int8_t* codes[kRows];  ///< Their codes, for some formats transposed.
  int first;                   ///< The index of the block's first group in the chunk.
};

/// A block of a panel for four vectors of outputs, and the rows that it is multiplied by.
template <class V, int kRows>
struct FewBlock {
  const uint8_t* bytes;
  int column;           ///< The panel's column of the first output.
  QuadScales<V> heads;  ///< The block's scales.
  const FewInputs<kRows>& inputs;
  bool into_l2;  ///< LinearTuning::into_l2
};

/// The codes of the groups that share bytes with group g.
template <class Format>
struct GroupCodes {
  const uint8_t* bytes;  ///< The first four bytes of the first output.
  int section;
  int g;                 ///< Counted from the section's first group.
  const uint8_t* ahead;  ///< FewPlan::kLines cache lines, read later.
  bool into_l2;          ///< Where they are prefetched to.
};

/// Adds the j-th quads of groups that share bytes to their run, for kVecs vectors of outputs from
/// vector v. inputs: of the first group, by row.
template <class V, class Format, int kRows>
inline void dot_quad_of_few(const GroupCodes<Format>& codes, int j, int v,
                            const int8_t* const (&inputs)[kRows], FewDots<V, Format, kRows>& to) {
  using Plan = FewPlan<V, Format, kRows>;
  const int k = 4 * Plan::quad(j);
  const int step = v / Plan::kVecs * (Format::kGroup / 4) + j;
#pragma GCC unroll 64
  for (int i = step * Plan::kLines / Plan::kSteps; i < (step + 1) * Plan::kLines / Plan::kSteps;
       ++i) {
    prefetch_line(codes.ahead + 64 * i, codes.into_l2);
  }
#pragma GCC unroll 16
  for (int n = 0; n < Plan::kVecs * Plan::kAlike; ++n) {
    const int u = n / Plan::kAlike;
    const int i = n % Plan::kAlike;
    const typename V::B quads = unpack_quads<V, Format, Plan::Codes::kBias>(
        codes.bytes + 4 * (v + u) * V::kWidth, codes.section, Plan::run(codes.g, i, k), k % 16);
#pragma GCC unroll 4
    for (int row = 0; row < kRows; ++row) {
      const int8_t* const four = inputs[row] + i * Plan::kApart * Format::kGroup + k;
      dot_quad<V, typename Plan::Rules>(j % Plan::kRun == 0, quads, quad_of_inputs<V>(four),
                                        to.pairs[i][row][u], to.sums[i][row][v + u]);
    }
  }
}

/// Adds a run's products, if they were summed in 16 bits, to the sums.
template <class V, class Format, int kRows>
inline void end_run_of_few(int v, FewDots<V, Format, kRows>& to) {
  using Plan = FewPlan<V, Format, kRows>;
  if constexpr (Plan::kRun > 1) {
#pragma GCC unroll 16
    for (int n = 0; n < Plan::kVecs * Plan::kAlike * kRows; ++n) {
      const int u = n / (Plan::kAlike * kRows);
      const int i = n / kRows % Plan::kAlike;
      typename V::I& sum = to.sums[i][n % kRows][v + u];
      sum = V::widen_pairs(sum, to.pairs[i][n % kRows][u]);
    }
  }
}

/// Adds groups that share bytes, for kVecs vectors of outputs from vector v. inputs: of the first
/// group, by row.
template <class V, class Format, int kRows>
inline void dot_groups_of_few(const GroupCodes<Format>& codes, int v,
                              const int8_t* const (&inputs)[kRows], FewDots<V, Format, kRows>& to) {
  using Plan = FewPlan<V, Format, kRows>;
#pragma GCC unroll 8
  for (int run = 0; run < Format::kGroup / 4; run += Plan::kRun) {
#pragma GCC unroll 8
    for (int j = run; j < run + Plan::kRun; ++j) {
      dot_quad_of_few<V, Format, kRows>(codes, j, v, inputs, to);
    }
    end_run_of_few<V, Format, kRows>(v, to);
  }
}

/// Adds the dot products of group g times its scales, and its offset, to the sums.
template <class V, class Format, int kRows>
inline void add_group_of_few(const FewBlock<V, kRows>& b, int g,
                             const typename V::I (&dots)[kRows][4], FewSums<V, kRows>& sums) {
  using Rules = typename FewPlan<V, Format, kRows>::Rules;
  const QuadScales<V> scales = unpack_group<V, Format>(b.bytes, b.column, b.heads, g);
  const int group = b.inputs.first + g;
#pragma GCC unroll 4
  for (int row = 0; row < kRows; ++row) {
    const Int8Chunk& x = *b.inputs.x[row];
    const float scale = x.scales[group * Format::kGroup / 32];
    const float sum = scale * static_cast<float>(sum_of_group<Rules>(x, group));
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) {
      const typename V::F step = V::mul(scales.steps[v], V::set1(scale));
      sums.at[row][v] = V::fma(V::to_float(dots[row][v]), step, sums.at[row][v]);
      if constexpr (Format::kHasOffset) {
        sums.at[row][v] = V::fma(scales.offsets[v], V::set1(sum), sums.at[row][v]);
      }
    }
  }
}

/// Adds the groups of the block that share bytes with group g.
template <class V, class Format, int kRows>
inline void add_groups_of_few(const FewBlock<V, kRows>& b, int g, const uint8_t* ahead,
                              FewSums<V, kRows>& sums) {
  using Plan = FewPlan<V, Format, kRows>;
  constexpr int kSectionGroups = Format::kSection * 16 / Format::kGroup;
  const int between = Plan::kAlike > 1 ? g % Plan::kApart : 0;
  const GroupCodes<Format> codes = {b.bytes + between * 16 * kPanelColumns + 4 * b.column,
                                    g / kSectionGroups, g % kSectionGroups, ahead, b.into_l2};
  FewDots<V, Format, kRows> products;
  const int8_t* inputs[kRows];
#pragma GCC unroll 4
  for (int row = 0; row < kRows; ++row) {
    inputs[row] = b.inputs.codes[row] + (b.inputs.first + g) * Format::kGroup;
#pragma GCC unroll 4
    for (int i = 0; i < Plan::kAlike; ++i) {
      const int group = b.inputs.first + g + i * Plan::kApart;
      const int sum = sum_of_group<typename Plan::Rules>(*b.inputs.x[row], group);
#pragma GCC unroll 4
      for (int v = 0; v < 4; ++v) products.sums[i][row][v] = V::set1_i(-Plan::Codes::kBias * sum);
    }
  }
#pragma GCC unroll 4
  for (int v = 0; v < 4; v += Plan::kVecs) {
    dot_groups_of_few<V, Format, kRows>(codes, v, inputs, products);
  }
#pragma GCC unroll 4
  for (int i = 0; i < Plan::kAlike; ++i) {
    add_group_of_few<V, Format, kRows>(b, g + i * Plan::kApart, products.sums[i], sums);
  }
}

/// Adds all groups of a block, for four vectors of outputs from `column`. Each part of the panel
/// prefetches its share of a block's length, LinearTuning::ahead_bytes further.
template <class V, class Format, int kRows>
inline void add_block_of_few(const uint8_t* block, int column, const FewInputs<kRows>& inputs,
                             const LinearTuning& tuning, FewSums<V, kRows>& sums) {
  using Plan = FewPlan<V, Format, kRows>;
  const FewBlock<V, kRows> b = {block, column, unpack_heads<V, Format>(block + column), inputs,
                                tuning.into_l2};
  const uint8_t* ahead =
      block + tuning.ahead_bytes + column / (4 * V::kWidth) * Plan::kSets * Plan::kLines * 64;
  // Unrolled, the loop would not fit the instruction cache.
#pragma GCC unroll 1
  for (int n = 0; n < Format::kElements / Format::kGroup; n += Plan::kAlike) {
    add_groups_of_few<V, Format, kRows>(b, static_cast<int>(Plan::Rules::group(n)), ahead, sums);
    ahead += Plan::kLines * 64;
  }
}

/// Multiplies all inputs (for so few rows the range is never a part of them) by the whole panel.
template <class V, class Format, int kRows>
void multiply_few(const LinearInt8& a, FewSums<V, kRows> (&sums)[kPanelColumns / (4 * V::kWidth)]) {
  constexpr int kGroups = Format::kElements / Format::kGroup;
  const auto* block = static_cast<const uint8_t*>(a.panel);
  const int64_t num_blocks = a.inputs.end / Format::kElements;
  FewInputs<kRows> inputs = {};
  alignas(64) int8_t transposed[transposes_inputs<Format>() ? kRows : 1][kChunkInputs];
  for (int64_t i = 0; i < num_blocks; ++i, block += Format::kBytes * kPanelColumns) {
    for (int row = 0; row < kRows; ++row) {
      inputs.x[row] = a.x[row] + i * Format::kElements / kChunkInputs * a.x_chunk_stride;
      inputs.codes[row] = inputs.x[row]->codes;
      if constexpr (transposes_inputs<Format>()) {
        V::transpose_fours(transposed[row], inputs.codes[row]);
        inputs.codes[row] = transposed[row];
      }
    }
    for (int part = 0; part * 4 * V::kWidth < kPanelColumns; ++part) {
      add_block_of_few<V, Format, kRows>(block, part * 4 * V::kWidth, inputs, a.tuning, sums[part]);
    }
    inputs.first = (inputs.first + kGroups) % (kChunkInputs / Format::kGroup);
  }
}

template <class V, class Format, int kRows = V::kFewRows>
void gemv_int8(const LinearInt8& a) {
  if constexpr (kRows > 1) {
    if (a.num_rows < kRows) return gemv_int8<V, Format, kRows - 1>(a);
  }
  constexpr int kParts = kPanelColumns / (4 * V::kWidth);
  FewSums<V, kRows> sums[kParts];
  for (FewSums<V, kRows>& part : sums) {
    for (int i = 0; i < 4 * kRows; ++i) part.at[i / 4][i % 4] = V::zero();
  }
  multiply_few<V, Format, kRows>(a, sums);
  for (int row = 0; row < kRows; ++row) {
    alignas(64) float totals[kPanelColumns];
    for (int i = 0; i < 4 * kParts; ++i) {
      V::store(totals + i * V::kWidth, sums[i / 4].at[row][i % 4]);
    }
    store_totals<V>(a, row, totals);
  }
}

}  // namespace
}  // namespace quire::cpu
