#pragma once

#include <cstdint>

#include "kernels/cuda/command_queue.h"

/// How a batch of rows is sampled.
///
/// The engine's Sampler defines each token exactly: which sums of which weights, in which order
/// (engine/sampling: logit_blocks, nucleus, sampler). Here the same sums are computed in parallel
/// where their order allows it: a row's logits lie in blocks of 64, whose maxima and sums of
/// weights are found by many thread blocks (scan.cu); one thread block a row then chooses
/// (choose.cu), which reads little more than the blocks' numbers. A row whose candidates do not fit
/// in shared memory (a flat distribution) is left to a second kernel that keeps them in global
/// memory.
namespace quire::cuda {

inline constexpr int kLogitBlock = 64;
/// Logits of one thread block of a scan: 64 blocks.
inline constexpr int kTile = 64 * kLogitBlock;
inline constexpr unsigned kSampleThreads = 256;
/// Numbers, or keys, of a row that a thread block holds in shared memory.
inline constexpr int kSharedCandidates = 2048;

/// In place of a token: the row's logits are unsound; the row is for the second kernel.
inline constexpr int32_t kUnsound = -1;
inline constexpr int32_t kUndecided = -2;

/// Which tokens can be sampled, by what limits them first.
enum class SampleKind : int32_t { kGreedy, kFromAll, kTopK, kTopP, kMinP };

/// One row of SampleBatch with what the host computes of it, as the engine would.
struct RowParams {
  double uniform;
  double top_p;
  float inverse_temperature;
  float min_p;
  float min_p_reach;  ///< temperature * log(min_p): how far the last token of min_p is below the
                      ///< first.
  float min_p_slack;
  float repetition_penalty;
  float presence_penalty;
  float frequency_penalty;
  int32_t top_k;
  int32_t first_seen;
  int32_t num_seen;  ///< 0 without penalties.
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
  float* block_max;      ///< (R, NB); +inf for a block with an unsound logit.
  float* tile_max;       ///< (R, NT)
  float* block_sums;     ///< (R, NB) of weights, for the rows that need a total.
  double* running_sums;  ///< (R, NB): of block_sums, including the block's own.
  uint64_t* keys;        ///< (blocks of the second kernel, V)
  double* weights;
  int32_t num_rows;
  int32_t vocab;
  int32_t num_blocks;
  int32_t num_tiles;
};

/// Changes logits as apply_penalties of the engine does; max_seen is the largest of num_seen.
void submit_penalties(CommandQueue& queue, const SampleTask& task, int32_t max_seen);
/// Fills block_max and tile_max.
void submit_maxima(CommandQueue& queue, const SampleTask& task);
/// Fills block_sums, of the rows that need a total.
void submit_block_sums(CommandQueue& queue, const SampleTask& task);

/// Chooses the rows' tokens after the scans. Rows whose candidates are too many stay kUndecided.
void submit_choice(CommandQueue& queue, const SampleTask& task);
/// Chooses those; num_lists: how many lists of V keys there are.
void submit_large_choice(CommandQueue& queue, const SampleTask& task, int32_t num_lists);

}  // namespace quire::cuda
