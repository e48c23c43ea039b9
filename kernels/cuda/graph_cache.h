#pragma once

#include <cstdint>
#include <functional>
#include <list>

#include "kernels/cuda/command_queue.h"

namespace quire::cuda {

/// Captured CUDA graphs by key. The first step with a key runs directly (buffers grow then), the
/// second is captured, and later ones launch the graph; freeing device memory invalidates graphs. A
/// step that cannot be captured always runs directly.
/// Thread: one at a time.
class GraphCache {
 public:
  explicit GraphCache(CommandQueue& queue) : m_queue(queue) {}
  ~GraphCache();
  GraphCache(const GraphCache&) = delete;
  GraphCache& operator=(const GraphCache&) = delete;

  /// Backend::launch_graph.
  void launch(uint64_t key, const std::function<void()>& operations);

  int num_graphs() const;
  uint64_t num_launches() const { return m_num_launches; }

 private:
  /// A graph takes a few hundred kilobytes.
  static constexpr size_t kMaxEntries = 64;

  struct Entry {
    uint64_t key = 0;
    uint64_t generation = 0;  ///< CommandQueue::memory_generation()
    cudaGraphExec_t graph = nullptr;
    bool cannot_capture = false;
  };

  Entry* find(uint64_t key);
  void add(uint64_t key);
  cudaError_t capture(Entry& entry, const std::function<void()>& operations);
  static void forget(Entry& entry);

  CommandQueue& m_queue;
  std::list<Entry> m_entries;  ///< The most recently used first.
  uint64_t m_num_launches = 0;
};

}  // namespace quire::cuda
