#pragma once

#include <cstdint>

#include "kernels/base/dtype.h"

/// The seam between the CPU backend and its instruction-set variants: plain structs in, function
/// pointers out. The variants are compiled with flags of their own, so nothing here may have a body
/// that the linker could take from the wrong one.
namespace quire::cpu {

/// Outputs in one panel of a packed weight. A panel is the transpose of its 64 rows, element by
/// element: input k of column j is at k * 64 + j. Rows of quantised blocks are transposed byte by
/// byte: byte i of column j's row is at i * 64 + j, so that whatever is done to one block is done
/// to 64 side by side. Columns past N are zero.
inline constexpr int kPanelColumns = 64;
/// A product is summed in chunks of this many inputs: one fused multiply-add per input in ascending
/// order within a chunk, and the chunks' sums added in ascending order. Every variant keeps this
/// order, which makes their results equal bit for bit, for any number of rows.
inline constexpr int kChunkInputs = 256;
/// Keys of one step of the online softmax; steps begin at multiples of it.
inline constexpr int kKeyBlock = 64;
/// Keys in a page (kBlockSize).
inline constexpr int kPageKeys = 16;
/// Head dimensions are padded with zeros to a multiple of this in scratch memory.
inline constexpr int kHeadPadding = 16;

/// gelu(x) by tanh is x / (1 + exp(-x (kGeluLinear + kGeluCubic x^2))): 2 sqrt(2 / pi), and that
/// times 0.044715.
inline constexpr float kGeluLinear = 1.5957691216057308f;
inline constexpr float kGeluCubic = 0.07135481627f;

/// Some rows of x times one panel: out = x W^T + bias.
struct LinearRows {
  /// Chunk c of row r, kChunkInputs floats, is at r * x_stride + c * x_chunk_stride.
  const float* x;
  int64_t x_stride;
  int64_t x_chunk_stride;
  int64_t num_rows;
  const void* panel;
  DType dtype;
  int64_t chunk_bytes;  ///< Of the panel, for kChunkInputs inputs.
  int64_t num_inputs;   ///< K
  float* out;           ///< (num_rows, num_columns)
  int64_t out_stride;
  int num_columns;    ///< Columns of the panel that exist, at most kPanelColumns.
  const float* bias;  ///< (num_columns), or null.
};

/// Many rows times several panels, blocked for the caches.
struct LinearBlock {
  /// Chunk c of row r, kChunkInputs floats, is at r * kChunkInputs + c * x_chunk_stride.
  const float* x;
  int64_t x_chunk_stride;
  int64_t num_rows;
  const void* panels;  ///< Panel 0; the others follow.
  DType dtype;
  int64_t panel_bytes;
  int64_t chunk_bytes;  ///< Of a panel, for kChunkInputs inputs.
  int64_t num_inputs;   ///< K
  int64_t num_outputs;  ///< N
  int64_t first_panel;
  int64_t num_panels;
  float* out;  ///< (num_rows, N)
  int64_t out_stride;
  const float* bias;  ///< (N), or null.
};

/// Consecutive query rows of one sequence, for all query heads of one KV head.
struct AttentionTile {
  const float* q;  ///< (num_rows, group, head_dim): row stride q_stride, heads dense.
  int64_t q_stride;
  float* out;  ///< As q, row stride out_stride.
  int64_t out_stride;
  int num_rows;
  int group;               ///< Query heads for this KV head.
  int head_dim;            ///< D
  int64_t first_position;  ///< Of the first row in its sequence; row r sees keys up to it + r.
  const void* keys;        ///< This KV head in block 0; (kPageKeys, D) dense.
  const void* values;
  DType dtype;
  int64_t page_stride;  ///< Elements from a block to the next.
  const int32_t* block_table;
  float scale;
  float soft_cap;
  int sliding_window;
  const float* sinks;  ///< (group), or null: the score of one more key, whose value is zero.
  float* scratch;      ///< attention_scratch_floats() of them, 64-byte aligned.
};

/// One variant. All functions are reentrant and touch only their arguments. Rows are dense.
struct CpuKernels {
  const char* name;   ///< What QUIRE_CPU_ISA calls it: "avx512".
  const char* label;  ///< What people call it: "AVX-512".
  /// Up to this many rows linear_rows is the better choice, by whether any part of the weight is
  /// quantised; it takes any number.
  int64_t max_direct_rows;
  int64_t max_direct_rows_quantized;
  void (*linear_rows)(const LinearRows&);
  void (*linear_block)(const LinearBlock&);
  void (*attention)(const AttentionTile&);
  /// out[i] = f32(row[i]) * scale; f32, f16 or bf16.
  void (*widen_row)(float* out, const void* row, DType dtype, int64_t n, float scale);
  /// out[i] = x[i] in the dtype, rounded to nearest even.
  void (*narrow_row)(void* out, DType dtype, const float* x, int64_t n);
  void (*rms_norm_row)(float* out, const float* x, const float* weight, int64_t n, float eps);
  void (*add_row)(float* x, const float* y, int64_t n);
  /// The kinds of GluParams.
  void (*silu_glu_row)(float* out, const float* gate, const float* up, int64_t n);
  void (*gelu_glu_row)(float* out, const float* gate, const float* up, int64_t n);
  void (*clamped_swiglu_row)(float* out, const float* gate, const float* up, int64_t n, float limit,
                             float alpha);
  /// x = cap * tanh(x / cap).
  void (*soft_cap_row)(float* x, int64_t n, float cap);
  /// Rotates (x[i], x[i + half]) by the angle whose cosine and sine are cos[i] and sin[i].
  void (*rotate_head)(float* x, const float* cos, const float* sin, int64_t half);
};

/// The variants in this build. avx2 and avx512 are null where the architecture has none; whether
/// the processor can run them is cpu_features' business.
const CpuKernels* scalar_kernels();
const CpuKernels* avx2_kernels();
const CpuKernels* avx512_kernels();

}  // namespace quire::cpu
