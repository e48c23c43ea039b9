#pragma once

#include <cstdint>

#include "kernels/cuda/command_queue.h"

/// How a batch of rows is sampled.
///
/// The CPU's RowSampler defines each token exactly, including the order of every sum of weights
/// (kernels/cpu/sampling). The same sums are computed in parallel as far as their order allows:
/// many thread blocks compute the maxima and sums of weights of blocks of 64 logits (scan.cu); then
/// one thread block for each row chooses the token (choose.cu), reading little more than these
/// numbers. A second kernel, with candidates in global memory, processes rows whose candidates do
/// not fit in shared memory (flat distributions).
namespace quire::cuda {

inline constexpr int kLogitBlock = 64;
/// Logits of one thread block of a scan: 64 blocks.
inline constexpr int kTile = 64 * kLogitBlock;
inline constexpr unsigned kSampleThreads = 256;
/// The most numbers or keys of a row that a thread block has in shared memory.
inline constexpr int kSharedCandidates = 2048;
/// How many numbers one thread adds up in shared memory at a time.
inline constexpr int kSummedAtOnce = 1024;

/// Instead of a token: the row's logits are unsound; the row is left to the second kernel.
inline constexpr int32_t kUnsound = -1;
inline constexpr int32_t kUndecided = -2;

/// The first filter that limits the tokens of a row.
enum class SampleKind : int32_t { kGreedy, kFromAll, kTopK, kTopP, kMinP };

/// One row of SampleBatch, with values that the host computes from it as the engine does.
struct RowParams {
  double uniform;
  double top_p;
  float inverse_temperature;
  float min_p;
  /// temperature * log(min_p): the distance of the lowest logit that min_p keeps from the largest.
  float min_p_reach;
  float min_p_slack;
  float repetition_penalty;
  float presence_penalty;
  float frequency_penalty;
  int32_t top_k;
  int32_t first_seen;
  int32_t num_seen;  ///< 0 without penalties.
  int32_t first_bias;
  int32_t num_biases;
  int32_t first_allowed_word;  ///< -1: all tokens are allowed.
  SampleKind kind;

  bool needs_total() const { return kind == SampleKind::kFromAll || kind == SampleKind::kTopP; }
};

/// Device memory of one call. R rows of V logits in NB blocks of 64 and NT tiles.
struct SampleTask {
  float* logits;
  int64_t logits_stride;
  int32_t* token_ids;       ///< (R)
  const RowParams* rows;    ///< (R)
  const int32_t* seen_ids;  ///< SampleBatch's.
  const int32_t* output_counts;
  const int32_t* bias_ids;
  const float* biases;
  const uint32_t* allowed_words;
  float* block_max;      ///< (R, NB); +inf for a block with an unsound logit.
  float* tile_max;       ///< (R, NT)
  float* block_sums;     ///< (R, NB) of weights, for the rows that need a total.
  double* running_sums;  ///< (R, NB): sums of block_sums up to and including each block.
  uint64_t* keys;        ///< (blocks of the second kernel, V)
  double* weights;
  int32_t num_rows;
  int32_t vocab;
  int32_t num_blocks;
  int32_t num_tiles;
};

/// Changes logits as apply_penalties of the engine does; max_seen is the largest of num_seen.
void submit_penalties(CommandQueue& queue, const SampleTask& task, int32_t max_seen);
/// Adds the rows' biases; max_biases is the largest of num_biases.
void submit_biases(CommandQueue& queue, const SampleTask& task, int32_t max_biases);
/// Masks the logits of tokens that are not allowed, except for unsound ones.
void submit_masks(CommandQueue& queue, const SampleTask& task);
/// Fills block_max and tile_max.
void submit_maxima(CommandQueue& queue, const SampleTask& task);
/// Fills block_sums for the rows that need a total.
void submit_block_sums(CommandQueue& queue, const SampleTask& task);

/// Chooses the rows' tokens after the scans. Rows with too many candidates become kUndecided.
void submit_choice(CommandQueue& queue, const SampleTask& task);
/// Chooses the tokens of kUndecided rows. num_lists: the number of lists of V keys.
void submit_large_choice(CommandQueue& queue, const SampleTask& task, int32_t num_lists);

}  // namespace quire::cuda
