#pragma once

#include <cstdint>

#include "kernels/base/dtype.h"

/// The seam between the CPU backend and its instruction-set variants: plain structs in, function
/// pointers out. The variants are compiled with flags of their own, so nothing here may have a body
/// that the linker could take from the wrong one.
namespace quire::cpu {

/// Outputs in one panel of a packed weight, so that whatever is done to one is done to 64 side by
/// side (panel_layout.h). Columns past N are zero.
inline constexpr int kPanelColumns = 64;
/// A product is summed in chunks of this many inputs: one fused multiply-add per input in ascending
/// order within a chunk, and the chunks' sums added in ascending order. Every variant keeps this
/// order, which makes their results equal bit for bit, for any number of rows; but for LinearBf16.
inline constexpr int kChunkInputs = 256;
/// Keys of one key block; blocks begin at multiples of it. A row's attention is cut there and
/// nowhere else: each key block has a softmax of its own, and the blocks that a row sees are folded
/// into its state in ascending order. Where that is done, and beside which rows, changes no bit.
inline constexpr int kKeyBlock = 64;
/// Keys in a page (kBlockSize).
inline constexpr int kPageKeys = 16;
/// A tile of attention has at most so many parts.
inline constexpr int kMaxParts = 4;
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
  const void* panel;  ///< PanelContent::kAsGiven
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
  const void* panels;  ///< Panel 0; the others follow. PanelContent::kAsGiven
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

/// The inputs [begin, end) of a product of at least kLeastSlabRows rows, or all of them: begin is a
/// multiple of kChunkInputs, and of the inputs before it `out` holds the sums. The last range ends
/// with K, the number of inputs.
struct InputRange {
  int64_t begin;
  int64_t end;
};
/// More than those whose sums stay in registers from the first input to the last.
inline constexpr int64_t kLeastSlabRows = 16;

/// Rows that share a chunk of a panel in products with rounded inputs: their totals fill half of a
/// first-level cache. By tiles, which are done with a chunk sooner than it is unpacked: they lie in
/// the second-level cache.
inline constexpr int kBlockRows = 96;
inline constexpr int kTileBlockRows = 256;

/// kChunkInputs inputs of a row, rounded to 8 bits for products with quantised weights: input k is
/// codes[k] * scales[k / 32]. Inputs past K are zero. What is not finite makes the scale so too.
struct Int8Chunk {
  int8_t codes[kChunkInputs];  ///< In [-127, 127].
  float scales[kChunkInputs / 32];
  int16_t sums[kChunkInputs / 16];  ///< Of each 16 codes.
};

/// Some rows of 8-bit inputs times one panel of a quantised weight: out = x W^T + bias. A weight is
/// step * code + offset, step and offset those of its group of 16 or 32 inputs. A group's codes are
/// multiplied and summed as integers, exactly; then, with fused multiply-adds: total += sum * (step
/// * scale), total += offset * (scale * sum of the group's inputs), groups ascending, of Q2_K, Q3_K
/// and Q6_K in each eight the even ones first. Every variant does just that: the same bits always.
struct LinearInt8 {
  const Int8Chunk* const* x;  ///< By row, its first chunk.
  int64_t x_chunk_stride;     ///< Chunks from one of a row to its next.
  float* const* out;          ///< By row, where the panel's first output belongs.
  int64_t num_rows;
  const void* panel;
  DType dtype;          ///< Quantised.
  int64_t chunk_bytes;  ///< Of the panel, for kChunkInputs inputs.
  InputRange inputs;
  int num_columns;    ///< Columns of the panel that exist, at most kPanelColumns.
  const float* bias;  ///< (num_columns), or null; given with the last inputs.
};

/// Inputs of LinearBf16 come in multiples of this many.
inline constexpr int kBf16Inputs = 32;

/// Some rows of inputs in bf16 times one panel of bf16 pairs (a weight in bf16 or f16): out = x W^T
/// + bias. In which order products are summed is up to the processor's instructions, but the same
/// for any number of rows.
struct LinearBf16 {
  /// By row, its first chunk: kChunkInputs numbers, in the last one zeros from K on up to a
  /// multiple of kBf16Inputs.
  const uint16_t* const* x;
  int64_t x_chunk_stride;  ///< Numbers from one chunk of a row to its next.
  float* const* out;       ///< By row, where the panel's first output belongs.
  int64_t num_rows;
  const uint32_t* panel;  ///< Pairs up to a multiple of kBf16Inputs.
  InputRange inputs;
  int num_columns;    ///< Columns of the panel that exist, at most kPanelColumns.
  const float* bias;  ///< (num_columns), or null; given with the last inputs.
};

/// A query row of all heads. A state is what attention over some keys gives one KV head's G query
/// heads: the values weighted (G, P), P being D padded, the largest scores (G), the weights' sums
/// (G), together state_floats.
struct AttentionRow {
  const float* q;       ///< (Hkv, G, D)
  float* out;           ///< As q.
  int64_t position;     ///< It sees the keys 0..position.
  float* state;         ///< (Hkv) states: the keys before those of the tile; null if not needed.
  float* block_states;  ///< (key blocks, Hkv) states, from first_block on; null if not needed.
};

/// Rows that have the keys [key_begin, key_end) in the same pages, for one KV head.
struct AttentionTile {
  const AttentionRow* rows;
  int num_rows;    ///< At most kMaxParts * part_rows.
  int part_rows;   ///< Parts have states in the first-level cache; pages are read once for all.
  int group;       ///< G, query heads for this KV head.
  int head_dim;    ///< D
  int padded_dim;  ///< P, D rounded up to a multiple of kHeadPadding.
  int64_t state_floats;  ///< G * (P + 2)
  int64_t head;          ///< This KV head.
  int64_t num_kv_heads;
  int64_t key_begin;  ///< A multiple of kKeyBlock, as key_end unless no row sees past it.
  int64_t key_end;
  bool begins;          ///< At the rows' first keys; otherwise goes on from their states.
  bool ends;            ///< At the rows' last keys: writes out; otherwise writes their states.
  int64_t first_block;  ///< The key block of block_states[0].
  const void* keys;     ///< This KV head in block 0; (D, kPageKeys) dense.
  const void* values;   ///< As keys; (kPageKeys, D) dense.
  DType dtype;
  /// Pages of bf16 are multiplied as such, by queries and weights that are rounded to it; in which
  /// order products are summed is up to the processor's instructions, as in LinearBf16.
  bool in_bf16;
  int64_t page_stride;  ///< Elements from a block to the next.
  /// What i8 is multiplied by, this KV head in block 0: (kPageKeys), scale_stride from a block to
  /// the next; else null. Products are summed in the integers' own size: scores are multiplied by
  /// their keys' scales, and weights by their values'.
  const float* key_scales;
  const float* value_scales;
  int64_t scale_stride;
  const int32_t* block_table;
  float scale;
  float soft_cap;
  int sliding_window;
  const float* sinks;   ///< (group), or null: the score of one more key, whose value is zero.
  float* scratch;       ///< As many as the tile needs (attention.cpp), 64-byte aligned.
  int64_t page_floats;  ///< Of them the first, for a page or the pages of a key block.
};

/// One variant. All functions are reentrant and touch only their arguments. Rows are dense.
struct CpuKernels {
  const char* name;   ///< What QUIRE_CPU_ISA calls it: "avx512".
  const char* label;  ///< What people call it: "AVX-512".
  /// Up to this many rows linear_rows is the better choice, by whether any part of the weight is
  /// quantised; it takes any number.
  int64_t max_direct_rows;
  int64_t max_direct_rows_quantized;
  /// Of linear_int8 and linear_bf16: kBlockRows or kTileBlockRows.
  int64_t rounded_block_rows;
  void (*linear_rows)(const LinearRows&);
  void (*linear_block)(const LinearBlock&);
  void (*linear_int8)(const LinearInt8&);
  /// Null: the processor has no products of bf16. Otherwise attention and attention_blocks take
  /// tiles that are in_bf16.
  void (*linear_bf16)(const LinearBf16&);
  /// n floats as 8-bit inputs, their chunks `stride` apart; all of the last chunk is written.
  void (*round_inputs)(Int8Chunk* out, int64_t stride, const float* x, int64_t n);
  void (*attention)(const AttentionTile&);
  /// attention() in two steps, for contexts that several threads share: the key blocks each on
  /// their own, into block_states, and these folded. Null: tiles begin and end, always.
  void (*attention_blocks)(const AttentionTile&);
  void (*attention_fold)(const AttentionTile&);
  /// out[i] = f32(row[i]) * scale; f32, f16 or bf16.
  void (*widen_row)(float* out, const void* row, DType dtype, int64_t n, float scale);
  /// out[i] = x[i] in the dtype, rounded to nearest even.
  void (*narrow_row)(void* out, DType dtype, const float* x, int64_t n);
  /// out[i] = x[i] / scale, rounded to nearest even, in [-127, 127]; returns the scale, the largest
  /// absolute value over 127, or NaN if any is not finite. Every variant gives the same bits.
  float (*narrow_row_i8)(int8_t* out, const float* x, int64_t n);
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

/// The variants in this build: the scalar one, and those of its architecture; only for a processor
/// that can run them (cpu_features).
const CpuKernels* scalar_kernels();
const CpuKernels* avx2_kernels();
const CpuKernels* avx2_vnni_kernels();
const CpuKernels* avx512_kernels();
const CpuKernels* avx512_vnni_kernels();
const CpuKernels* avx512_bf16_kernels();
const CpuKernels* amx_kernels();
const CpuKernels* neon_kernels();
const CpuKernels* neon_dotprod_kernels();

}  // namespace quire::cpu
