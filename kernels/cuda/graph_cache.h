#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <utility>
#include <vector>

#include "kernels/cuda/command_queue.h"

namespace quire::cuda {

/// Captured CUDA graphs of one device, or of several that compute a step together, by key. The
/// first step with a key runs directly (buffers grow then), the second is captured, and later ones
/// launch the graph; freeing device memory invalidates graphs. A step that cannot be captured
/// always runs directly. Thread: one at a time.
class GraphCache {
 public:
  explicit GraphCache(std::vector<CommandQueue*> queues) : m_queues(std::move(queues)) {}
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
    uint64_t generation = 0;
    std::vector<cudaGraphExec_t> graphs = {};  ///< Of each queue; empty: not captured.
    bool cannot_capture = false;
  };

  Entry* find(uint64_t key);
  void add(uint64_t key);
  void capture(Entry& entry, const std::function<void()>& operations);
  static void forget(Entry& entry);
  /// Changes when the CommandQueue::memory_generation() of a queue does.
  uint64_t generation() const;
  bool has_failed() const;

  std::vector<CommandQueue*> m_queues;
  std::list<Entry> m_entries;  ///< The most recently used first.
  uint64_t m_num_launches = 0;
};

}  // namespace quire::cuda
