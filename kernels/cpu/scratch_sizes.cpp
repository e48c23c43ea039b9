#include "kernels/cpu/scratch_sizes.h"

#include <algorithm>

#include "kernels/base/weight_parts.h"
#include "kernels/cpu/cpu_kernels.h"

namespace quire::cpu {
namespace {

/// Queries of a part of a tile: enough to make widening a page cheap, few enough for the L1 cache.
constexpr int64_t kPartQueries = 32;
/// The fewest query heads that are worth reading a page for again.
constexpr int64_t kLeastSlice = 16;

int64_t round_up(int64_t n, int64_t multiple) {
  return ceil_div(n, multiple) * multiple;
}

/// Bytes of the states of 16 sequences, each as long as the whole context, and of a row of each.
size_t state_bytes(const AttentionSizes& sizes, const StepLimits& limits) {
  constexpr int64_t kSplitSequences = 16;
  const int64_t key_blocks =
      limits.max_context / kKeyBlock * std::min(limits.max_sequences, kSplitSequences);
  const int64_t floats = (key_blocks + limits.max_sequences) * sizes.row_state_floats();
  return static_cast<size_t>(std::min(floats, kMaxStateFloats)) * sizeof(float);
}

}  // namespace

AttentionSizes AttentionSizes::of(int64_t num_heads, int64_t num_kv_heads, int64_t key_dim,
                                  int64_t value_dim) {
  const int64_t group = num_heads / num_kv_heads;
  int64_t slices = 1;
  for (int64_t n = ceil_div(group, kPartQueries); n * kLeastSlice <= group; ++n) {
    if (group % n != 0) continue;
    slices = n;
    break;
  }
  return {num_kv_heads * slices, group / slices, key_dim, value_dim, slices};
}

int64_t AttentionSizes::padded_key_dim() const {
  return round_up(key_dim, kHeadPadding);
}

int64_t AttentionSizes::padded_value_dim() const {
  return round_up(value_dim, kHeadPadding);
}

int64_t AttentionSizes::part_rows() const {
  return std::max<int64_t>(1, kPartQueries / group);
}

/// The elements of a page as floats, or those of a key block in pairs, in units of 64 dimensions.
int64_t AttentionSizes::page_floats() const {
  const int64_t dim = std::max(key_dim, value_dim);
  return std::max(kPageKeys * round_up(dim, kHeadPadding), kKeyBlock / 2 * round_up(dim, 64));
}

/// The buffers of the vector variants (AttentionScratch), or the scores of a whole context for the
/// scalar variant.
int64_t AttentionSizes::scratch_floats(int64_t max_context) const {
  const int64_t queries = round_up(part_rows() * group, kHeadPadding);
  const int64_t of_block = queries * (padded_value_dim() + kKeyBlock + 4);
  static_assert(kMaxTileHeads * kFewQueries <= kMaxParts * kPartQueries);
  const int64_t of_parts = kMaxParts * queries * (padded_key_dim() + padded_value_dim() + 3);
  return std::max(page_floats() + of_block + of_parts, max_context);
}

void add_weight(WeightFormats& formats, std::span<const ConstTensorView> parts, bool quantizes,
                bool has_bf16) {
  ActivationFormats& of_inputs = formats[parts[0].dim(1)];
  for (const ConstTensorView& part : WeightParts::of(parts).matrices) {
    const DType dtype = part.dtype();
    const bool to_int8 = quantizes && has_integer_codes(dtype);
    const bool to_bf16 = quantizes && has_bf16 && (dtype == DType::kF16 || dtype == DType::kBF16);
    of_inputs.int8 |= to_int8;
    of_inputs.bf16 |= to_bf16;
    of_inputs.f32 |= !to_int8 && !to_bf16;
  }
}

size_t int8_activation_bytes(int64_t num_rows, int64_t num_inputs) {
  return static_cast<size_t>(ceil_div(num_inputs, kChunkInputs) * chunk_stride(num_rows)) *
         sizeof(Int8Chunk);
}

size_t bf16_activation_bytes(int64_t num_rows, int64_t num_inputs) {
  return static_cast<size_t>(ceil_div(num_inputs, kChunkInputs) * chunk_stride(num_rows) *
                             kChunkInputs) *
         sizeof(uint16_t);
}

size_t f32_activation_bytes(int64_t num_rows, int64_t num_inputs) {
  return static_cast<size_t>(ceil_div(num_inputs, kChunkInputs) * num_rows * kChunkInputs) *
         sizeof(float);
}

size_t ScratchSizes::total(int num_threads) const {
  const auto pages = [](size_t bytes) { return (bytes + 4095) / 4096 * 4096; };
  return pages(int8) + pages(bf16) + pages(f32) + pages(states) +
         static_cast<size_t>(num_threads) * pages(thread);
}

int64_t gated_delta_scratch(int64_t key_dim, int64_t num_columns) {
  constexpr int64_t kPadding = 32;
  const int64_t padded_key = (key_dim + kPadding - 1) / kPadding * kPadding;
  const int64_t padded_columns = (num_columns + kPadding - 1) / kPadding * kPadding;
  return key_dim * padded_columns + 2 * kDeltaRows * padded_key;
}

int64_t mamba2_scratch(int64_t num_dims, int64_t state_size) {
  return num_dims * state_size;
}

ScratchSizes scratch_sizes(const StepLimits& limits, const WeightFormats& weights) {
  ScratchSizes sizes;
  int64_t most_inputs = 0;  // A row that is put into the order of a weight's columns.
  for (const auto& [num_rows, num_inputs, experts_per_row] : limits.activations) {
    most_inputs = std::max(most_inputs, num_inputs);
    const auto found = weights.find(num_inputs);
    if (found == weights.end()) continue;
    const ActivationFormats& formats = found->second;
    if (formats.int8)
      sizes.int8 = std::max(sizes.int8, int8_activation_bytes(num_rows, num_inputs));
    if (formats.bf16)
      sizes.bf16 = std::max(sizes.bf16, bf16_activation_bytes(num_rows, num_inputs));
    // Each expert of a row gets a copy of the row.
    if (formats.f32)
      sizes.f32 = std::max(sizes.f32, f32_activation_bytes(num_rows * experts_per_row, num_inputs));
  }
  const AttentionSizes attention =
      AttentionSizes::of(limits.num_heads, limits.num_kv_heads, limits.head_dim,
                         limits.value_dim > 0 ? limits.value_dim : limits.head_dim);
  sizes.states = state_bytes(attention, limits);
  // The delta rule's is larger than the scan's of a state of the same shape.
  const int64_t thread_floats =
      std::max({attention.scratch_floats(limits.max_context),
                gated_delta_scratch(limits.state_rows, limits.state_columns), most_inputs});
  sizes.thread = static_cast<size_t>(thread_floats) * sizeof(float);
  return sizes;
}

}  // namespace quire::cpu
