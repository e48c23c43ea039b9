#include "kernels/cuda/graph_cache.h"

#include <algorithm>

namespace quire::cuda {

GraphCache::~GraphCache() {
  for (Entry& entry : m_entries) forget(entry);
}

void GraphCache::forget(Entry& entry) {
  if (entry.graph != nullptr) cudaGraphExecDestroy(entry.graph);
  entry.graph = nullptr;
}

int GraphCache::num_graphs() const {
  return static_cast<int>(std::count_if(m_entries.begin(), m_entries.end(),
                                        [](const Entry& entry) { return entry.graph != nullptr; }));
}

/// The key's entry, moved to the front. Null if there is none of the current memory generation.
GraphCache::Entry* GraphCache::find(uint64_t key) {
  const auto at = std::find_if(m_entries.begin(), m_entries.end(),
                               [key](const Entry& entry) { return entry.key == key; });
  if (at == m_entries.end()) return nullptr;
  if (at->generation != m_queue.memory_generation()) {
    forget(*at);
    m_entries.erase(at);
    return nullptr;
  }
  m_entries.splice(m_entries.begin(), m_entries, at);
  return &m_entries.front();
}

void GraphCache::add(uint64_t key) {
  if (m_entries.size() == kMaxEntries) {
    forget(m_entries.back());
    m_entries.pop_back();
  }
  m_entries.push_front({.key = key, .generation = m_queue.memory_generation()});
}

cudaError_t GraphCache::capture(Entry& entry, const std::function<void()>& operations) {
  const cudaStream_t stream = m_queue.stream();
  cudaError_t status = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  if (status != cudaSuccess) return status;
  operations();
  cudaGraph_t graph = nullptr;
  status = cudaStreamEndCapture(stream, &graph);
  if (status == cudaSuccess) status = cudaGraphInstantiate(&entry.graph, graph, 0);
  if (graph != nullptr) cudaGraphDestroy(graph);
  return status;
}

void GraphCache::launch(uint64_t key, const std::function<void()>& operations) {
  if (m_queue.has_failed()) return;
  Entry* const entry = find(key);
  if (entry == nullptr) {
    operations();
    // After the operations, because buffers that grow in them change the memory generation.
    add(key);
    return;
  }
  if (entry->cannot_capture) return operations();
  if (entry->graph == nullptr) {
    m_queue.note(capture(*entry, operations), "capturing a step");
    if (m_queue.has_failed()) {
      // The captured operations have not run. Run them directly, unless the device is lost.
      forget(*entry);
      entry->cannot_capture = true;
      static_cast<void>(m_queue.take_failure());
      return m_queue.has_failed() ? void() : operations();
    }
  }
  m_queue.note(cudaGraphLaunch(entry->graph, m_queue.stream()), "launching a step");
  ++m_num_launches;
}

}  // namespace quire::cuda
