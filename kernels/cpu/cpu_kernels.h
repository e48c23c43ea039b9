#pragma once

#include <cstdint>

#include "kernels/base/dtype.h"
#include "kernels/base/linear_tuning.h"

/// The interface between the CPU backend and its instruction-set variants: plain structs and
/// function pointers. The variants are compiled with different flags, so this header has no inline
/// functions (one definition rule).
namespace quire::cpu {

/// Outputs in one panel of a packed weight (panel_layout.h). Columns past N are zero.
inline constexpr int kPanelColumns = 64;
/// A dot product is summed in chunks of this many inputs: one fused multiply-add per input in
/// ascending order within a chunk, and the chunks' sums added in ascending order. All variants keep
/// this order, so their results are bit-identical for any number of rows, except for LinearBf16.
inline constexpr int kChunkInputs = 256;
/// Keys of one key block; blocks begin at multiples of it. Each key block has a softmax of its own,
/// and the blocks that a row sees are folded into its state in ascending order. The result does not
/// depend on the thread or on the other rows that it computes.
inline constexpr int kKeyBlock = 64;
/// Keys in a page (kBlockSize).
inline constexpr int kPageKeys = 16;
/// The most parts of an attention tile that have several rows each.
inline constexpr int kMaxParts = 4;
/// The most queries of a part that shares a tile with parts of other KV heads, and the most heads.
inline constexpr int kFewQueries = 16;
inline constexpr int kMaxTileHeads = 8;
/// Head dimensions are padded with zeros to a multiple of this in scratch memory.
inline constexpr int kHeadPadding = 16;

/// The tanh approximation of gelu(x) is x / (1 + exp(-x (kGeluLinear + kGeluCubic x^2))), with
/// kGeluLinear = 2 sqrt(2 / pi) and kGeluCubic = 0.044715 kGeluLinear.
inline constexpr float kGeluLinear = 1.5957691216057308f;
inline constexpr float kGeluCubic = 0.07135481627f;
/// gelu(x) is x erfc(-kRootHalf x) / 2.
inline constexpr float kRootHalf = 0.70710678118654752f;

/// Few rows times one panel: out = x W^T + bias.
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
  float* const* out;    ///< By row; the panel's outputs begin at out[row][first_output].
  int64_t first_output;
  int num_columns;    ///< Columns of the panel that exist, at most kPanelColumns.
  const float* bias;  ///< (num_columns), or null.
  LinearTuning tuning;
};

/// Up to this many rows LinearRows is faster than LinearBlock for weights in kF8_128 and kNF4_64.
inline constexpr int kDirectBlockRows = 4;

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
  float* const* out;  ///< By row; the outputs of panel 0 begin at out[row][first_output].
  int64_t first_output;
  const float* bias;  ///< (N), or null.
};

/// The inputs [begin, end) of a GEMM: all K of them, or for at least kLeastSlabRows rows a part
/// that begins at a multiple of kChunkInputs, with the sums over the inputs before it in `out`.
struct InputRange {
  int64_t begin;
  int64_t end;
};
/// For fewer rows the sums stay in registers from the first input to the last.
inline constexpr int64_t kLeastSlabRows = 16;

/// Rows that reuse an unpacked chunk of a panel in GEMMs with quantised activations: their sums
/// fill half of an L1 cache, or with AMX tiles part of an L2 cache.
inline constexpr int kBlockRows = 96;
inline constexpr int kTileBlockRows = 256;

/// kChunkInputs activations of a row, quantised to 8 bits: input k is codes[k] * scales[k / 32].
/// Inputs past K are zero. The scale of a group is not finite if one of its values is not.
struct Int8Chunk {
  int8_t codes[kChunkInputs];  ///< In [-127, 127].
  float scales[kChunkInputs / 32];
  int16_t sums[kChunkInputs / 16];  ///< Of 16 codes each.
};

/// Quantised activations times one panel of a quantised weight: out = x W^T + bias. A weight is
/// step * code + offset with the step and offset of its group of 16 or 32 inputs. A group's codes
/// are multiplied and summed as integers, exactly; then, with fused multiply-adds: total += sum *
/// (step * scale), total += offset * (scale * sum of the group's inputs), groups ascending; of
/// Q2_K, Q3_K and Q6_K the even groups of each eight first. All variants give the same bits.
struct LinearInt8 {
  const Int8Chunk* const* x;  ///< By row, its first chunk.
  int64_t x_chunk_stride;     ///< In chunks, between consecutive chunks of a row.
  float* const* out;          ///< As in LinearRows.
  int64_t first_output;
  int64_t num_rows;
  const void* panel;
  DType dtype;          ///< Quantised.
  int64_t chunk_bytes;  ///< Of the panel, for kChunkInputs inputs.
  InputRange inputs;
  int num_columns;    ///< Columns of the panel that exist, at most kPanelColumns.
  const float* bias;  ///< (num_columns), or null; given with the last inputs.
  LinearTuning tuning;
};

/// Inputs of LinearBf16 come in multiples of this many.
inline constexpr int kBf16Inputs = 32;

/// Activations in bf16 times one panel of bf16 pairs (a weight in bf16 or f16): out = x W^T + bias.
/// The order of the sum depends on the processor's instructions, but not on the number of rows.
struct LinearBf16 {
  /// By row, its first chunk: kChunkInputs numbers, in the last one zeros from K on up to a
  /// multiple of kBf16Inputs.
  const uint16_t* const* x;
  int64_t x_chunk_stride;  ///< In numbers, between consecutive chunks of a row.
  float* const* out;       ///< As in LinearRows.
  int64_t first_output;
  int64_t num_rows;
  const uint32_t* panel;  ///< Pairs up to a multiple of kBf16Inputs.
  InputRange inputs;
  int num_columns;    ///< Columns of the panel that exist, at most kPanelColumns.
  const float* bias;  ///< (num_columns), or null; given with the last inputs.
  LinearTuning tuning;
};

/// A query row of all heads. A state is the partial result of attention over some keys for the G
/// query heads of one KV head: the weighted values (G, P), P being Dv padded, the largest scores
/// (G) and the sums of weights (G); state_floats in all.
struct AttentionRow {
  const float* q;       ///< (Hkv, G, D)
  float* out;           ///< (Hkv, G, Dv)
  int64_t first_key;    ///< It sees the keys from this one
  int64_t position;     ///< to this one.
  float* state;         ///< (Hkv) states over the keys before the tile; null if not needed.
  float* block_states;  ///< (key blocks, Hkv) states, from first_block on; null if not needed.
};

/// Rows whose keys [key_begin, key_end) lie in the same pages, for one KV head, or for several
/// ones whose parts of a page are adjacent, if the tile has at most kFewQueries queries of each.
struct AttentionTile {
  const AttentionRow* rows;
  int num_rows;        ///< At most kMaxParts * part_rows.
  int part_rows;       ///< Parts have states in the first-level cache; pages are read once for all.
  int group;           ///< G, query heads for this KV head.
  int key_dim;         ///< D
  int value_dim;       ///< Dv
  int padded_key_dim;  ///< D rounded up to a multiple of kHeadPadding.
  int padded_value_dim;  ///< P, Dv rounded up to a multiple of kHeadPadding.
  int64_t state_floats;  ///< G * (P + 2)
  int64_t head;          ///< This KV head, the first one of the tile.
  int num_heads;         ///< KV heads of the tile.
  int head_index;        ///< Which of them this is: 0, except in the parts of a tile.
  int64_t num_kv_heads;
  int64_t key_begin;  ///< A multiple of kKeyBlock, as key_end unless no row sees past it.
  int64_t key_end;
  bool begins;          ///< Starts at the rows' first keys; otherwise continues from their states.
  bool ends;            ///< Ends at the rows' last keys and writes out; otherwise writes states.
  int64_t first_block;  ///< The key block of block_states[0].
  const void* keys;     ///< This KV head in block 0; (D, kPageKeys) dense.
  const void* values;   ///< As keys; (kPageKeys, Dv) dense.
  DType dtype;
  /// bf16 pages are multiplied in bf16, with queries and softmax weights rounded to it; the order
  /// of the sums is that of LinearBf16.
  bool in_bf16;
  int64_t key_page_stride;  ///< In elements, between consecutive blocks.
  int64_t value_page_stride;
  /// Scales of i8 pages, this KV head in block 0: (kPageKeys), scale_stride from a block to the
  /// next; otherwise null. Integer scores are multiplied by their keys' scales, softmax weights by
  /// their values' scales.
  const float* key_scales;
  const float* value_scales;
  int64_t scale_stride;
  const int32_t* block_table;
  float scale;
  float soft_cap;
  const float* sinks;   ///< (group), or null (AttentionParams).
  float* scratch;       ///< attention_scratch_floats() of them, 64-byte aligned.
  int64_t page_floats;  ///< The part of scratch for a page or the pages of a key block.
};

/// The rows [begin, end) of a sequence, and the slots that its states are read from and written to
/// (StateBatch).
struct StateRows {
  int64_t begin;
  int64_t end;
  const int32_t* row_end;  ///< Of each segment; that of the last is end.
  const int32_t* out;      ///< Of each segment.
  int32_t in;
};

/// Channels of one task of causal_conv, and the most inputs of one output (kMaxConvInputs).
inline constexpr int64_t kConvChannels = 128;
inline constexpr int64_t kMaxConvWidth = 16;

/// Some channels of a causal convolution, of all sequences. Pointers are to the first of them.
struct ConvChannels {
  const StateRows* sequences;
  int64_t num_sequences;
  float* out;  ///< Row 0.
  int64_t out_stride;
  const float* x;
  int64_t x_stride;
  const float* weight;  ///< (channels, inputs)
  const float* bias;    ///< (channels), or null.
  float* states;        ///< The oldest input in slot 0.
  int64_t slot_stride;
  int64_t input_stride;  ///< Between the inputs of a slot.
  int64_t num_channels;  ///< At most kConvChannels.
  int64_t num_inputs;    ///< K, at most kMaxConvWidth.
  bool silu;
};

/// Some value dimensions of one head of the gated delta rule, of one sequence.
struct GatedDeltaHead {
  StateRows rows;
  float* out;  ///< Row 0, the first of the columns; v alike.
  int64_t out_stride;
  const float* v;
  int64_t v_stride;
  const float* q;  ///< Row 0 of the key head; k alike.
  int64_t q_stride;
  const float* k;
  int64_t k_stride;
  const float* alpha;  ///< Row 0 of this head; beta alike.
  int64_t alpha_stride;
  const float* beta;
  int64_t beta_stride;
  float* states;  ///< The first of the columns in slot 0.
  int64_t slot_stride;
  int64_t value_dim;  ///< Dv, the distance of key dimensions in a state.
  int64_t key_dim;    ///< Dk
  int64_t num_columns;
  float a;
  float dt_bias;
  float eps;
  float* scratch;  ///< gated_delta_scratch() floats, 64-byte aligned.
};

/// Rows whose q and k are normed together.
inline constexpr int64_t kDeltaRows = 16;

/// Some rows of the states of one head of a Mamba 2 scan, of one sequence.
struct Mamba2Head {
  StateRows rows;
  float* out;  ///< Row 0, the first of the dimensions; x alike.
  int64_t out_stride;
  const float* x;
  int64_t x_stride;
  const float* b;  ///< Row 0 of the group; c alike.
  int64_t b_stride;
  const float* c;
  int64_t c_stride;
  const float* dt;  ///< Row 0 of this head.
  int64_t dt_stride;
  float* states;  ///< The first of the dimensions in slot 0.
  int64_t slot_stride;
  int64_t num_dims;    ///< Of the head's P.
  int64_t state_size;  ///< N
  float a;
  float dt_bias;
  float d;
  float dt_min;
  float dt_max;
  float* scratch;  ///< mamba2_scratch() floats, 64-byte aligned.
};

/// One variant. All functions are reentrant and touch only their arguments. Rows are dense.
struct CpuKernels {
  const char* name;   ///< As in QUIRE_CPU_ISA: "avx512".
  const char* label;  ///< "AVX-512"
  /// Up to this many rows linear_rows is faster than linear_block. Weights quantised to integers
  /// are supported by linear_block, in the scalar variant, which has none, by linear_rows.
  int64_t max_direct_rows;
  /// For linear_int8 and linear_bf16: kBlockRows or kTileBlockRows.
  int64_t block_rows;
  void (*linear_rows)(const LinearRows&);
  void (*linear_block)(const LinearBlock&);
  void (*linear_int8)(const LinearInt8&);
  /// Null without bf16 instructions. Otherwise attention and attention_blocks accept tiles that are
  /// in_bf16.
  void (*linear_bf16)(const LinearBf16&);
  /// Quantises n floats; chunks are `stride` apart, and the last one is padded with zeros.
  void (*quantize_row)(Int8Chunk* out, int64_t stride, const float* x, int64_t n);
  void (*attention)(const AttentionTile&);
  /// attention() in two steps, for contexts that are split among threads: the state of each key
  /// block is stored in block_states, then these are folded. Null: contexts are never split.
  void (*attention_blocks)(const AttentionTile&);
  void (*attention_fold)(const AttentionTile&);
  /// out[i] = f32(row[i]) * scale; f32, f16 or bf16.
  void (*widen_row)(float* out, const void* row, DType dtype, int64_t n, float scale);
  /// out[i] = x[i] in the dtype, rounded to nearest even.
  void (*narrow_row)(void* out, DType dtype, const float* x, int64_t n);
  /// out[i] = x[i] / scale, rounded to nearest even, in [-127, 127]; returns the scale, the largest
  /// absolute value over 127, or NaN if any is not finite. All variants give the same bits.
  float (*narrow_row_i8)(int8_t* out, const float* x, int64_t n);
  void (*rms_norm_row)(float* out, const float* x, const float* weight, int64_t n, float eps);
  /// bias: (n), or null.
  void (*layer_norm_row)(float* out, const float* x, const float* weight, const float* bias,
                         int64_t n, float eps);
  void (*add_row)(float* x, const float* y, int64_t n);
  /// The kinds of GluParams.
  void (*silu_glu_row)(float* out, const float* gate, const float* up, int64_t n);
  void (*gelu_glu_row)(float* out, const float* gate, const float* up, int64_t n);
  void (*clamped_swiglu_row)(float* out, const float* gate, const float* up, int64_t n, float limit,
                             float alpha);
  /// The kinds of Activation, in place.
  void (*relu_row)(float* x, int64_t n);
  void (*squared_relu_row)(float* x, int64_t n);
  void (*silu_row)(float* x, int64_t n);
  void (*gelu_row)(float* x, int64_t n);
  void (*gelu_tanh_row)(float* x, int64_t n);
  void (*xielu_row)(float* x, int64_t n, float positive, float negative, float beta, float eps);
  /// x[i] *= sigmoid(gate[i * stride]); stride 0 or 1.
  void (*gate_row)(float* x, const float* gate, int64_t stride, int64_t n);
  /// x = cap * tanh(x / cap).
  void (*soft_cap_row)(float* x, int64_t n, float cap);
  void (*multiply_row)(float* x, const float* y, int64_t n);
  /// One group of columns of Backend::gated_norm.
  void (*gated_norm_row)(float* x, const float* gate, const float* weight, int64_t n, float eps,
                         bool gate_first);
  // The recurrent layers' operations go through rows in ascending order; a row's arithmetic depends
  // on neither the other rows nor the division of columns.
  void (*causal_conv)(const ConvChannels&);
  void (*gated_delta)(const GatedDeltaHead&);
  void (*mamba2_scan)(const Mamba2Head&);
  /// Rotates (x[i], x[i + half]) by the angle whose cosine and sine are cos[i] and sin[i].
  void (*rotate_head)(float* x, const float* cos, const float* sin, int64_t half);
};

/// The variants in this build. Call one only if the processor can run it (cpu_features.h).
const CpuKernels* scalar_kernels();
const CpuKernels* avx2_kernels();
const CpuKernels* avx2_vnni_kernels();
const CpuKernels* avx512_kernels();
const CpuKernels* avx512_vnni_kernels();
const CpuKernels* avx512_vbmi_kernels();
const CpuKernels* avx512_bf16_kernels();
const CpuKernels* amx_kernels();
const CpuKernels* neon_kernels();
const CpuKernels* neon_dotprod_kernels();

}  // namespace quire::cpu
