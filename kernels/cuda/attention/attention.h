#pragma once

#include <memory>

#include "kernels/backend.h"
#include "kernels/cuda/command_queue.h"

namespace quire::cuda {

/// Paged attention on one device: plans a step's work once for all layers, and computes it.
///
/// The order of a row's arithmetic depends on its own position alone: its keys are cut into splits
/// at absolute positions (attention_layout.h), each split has a softmax of its own (online over
/// blocks of keys, ascending), and the splits' states are folded in ascending order. The bits do
/// not depend on which rows share a matrix product or which splits are computed in parallel.
/// Thread: one at a time.
class PagedAttention {
 public:
  explicit PagedAttention(CommandQueue& queue);
  ~PagedAttention();

  /// Backend::begin_attention. Makes the plans of all kinds of calls that run() has had so far, so
  /// that a captured graph can be launched afterwards.
  void begin(const AttentionBatch& batch, const HostAttentionBatch& host);

  /// Backend::attention of the batch of begin().
  void run(TensorView out, ConstTensorView q, KvLayerView kv, const AttentionBatch& batch,
           const AttentionParams& params);

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace quire::cuda
