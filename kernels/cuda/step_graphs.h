#pragma once

#include <cstdint>
#include <functional>
#include <list>

#include "kernels/cuda/command_queue.h"

namespace quire::cuda {

/// Steps kept as CUDA graphs: what a step submits is launched again as one, which leaves hardly a
/// gap between its kernels. A key's first step runs as it is (buffers grow then), its second is
/// captured; after memory was given up it begins anew. A step that cannot be captured is submitted
/// as it is, always.
/// Thread: one at a time.
class StepGraphs {
 public:
  explicit StepGraphs(CommandQueue& queue) : m_queue(queue) {}
  ~StepGraphs();
  StepGraphs(const StepGraphs&) = delete;
  StepGraphs& operator=(const StepGraphs&) = delete;

  /// Backend::submit_step.
  void submit(uint64_t key, const std::function<void()>& operations);

  int num_graphs() const;
  uint64_t num_launches() const { return m_num_launches; }

 private:
  /// Graphs kept at most; each holds a few hundred kilobytes.
  static constexpr size_t kMaxEntries = 64;

  struct Entry {
    uint64_t key = 0;
    uint64_t generation = 0;  ///< Of the queue's memory.
    cudaGraphExec_t graph = nullptr;
    bool cannot_capture = false;
  };

  Entry* find(uint64_t key);
  void add(uint64_t key);
  cudaError_t capture(Entry& entry, const std::function<void()>& operations);
  static void forget(Entry& entry);

  CommandQueue& m_queue;
  std::list<Entry> m_entries;  ///< The one used last first.
  uint64_t m_num_launches = 0;
};

}  // namespace quire::cuda
