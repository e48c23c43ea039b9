#include "kernels/cuda/graph_cache.h"

#include <algorithm>

namespace quire::cuda {

GraphCache::~GraphCache() {
  for (Entry& entry : m_entries) forget(entry);
}

void GraphCache::forget(Entry& entry) {
  for (const cudaGraphExec_t graph : entry.graphs) {
    if (graph != nullptr) cudaGraphExecDestroy(graph);
  }
  entry.graphs.clear();
}

int GraphCache::num_graphs() const {
  return static_cast<int>(std::count_if(m_entries.begin(), m_entries.end(),
                                        [](const Entry& entry) { return !entry.graphs.empty(); }));
}

uint64_t GraphCache::generation() const {
  uint64_t sum = 0;  // Each only grows.
  for (const CommandQueue* queue : m_queues) sum += queue->memory_generation();
  return sum;
}

bool GraphCache::has_failed() const {
  return std::any_of(m_queues.begin(), m_queues.end(),
                     [](const CommandQueue* queue) { return queue->has_failed(); });
}

/// The key's entry, moved to the front. Null if there is none of the current memory generation.
GraphCache::Entry* GraphCache::find(uint64_t key) {
  const auto at = std::find_if(m_entries.begin(), m_entries.end(),
                               [key](const Entry& entry) { return entry.key == key; });
  if (at == m_entries.end()) return nullptr;
  if (at->generation != generation()) {
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
  m_entries.push_front({.key = key, .generation = generation()});
}

/// Failures are noted. All queues record at once, because operations exchange results.
void GraphCache::capture(Entry& entry, const std::function<void()>& operations) {
  constexpr const char* kOperation = "capturing a step";
  size_t num_begun = 0;
  while (num_begun < m_queues.size() && !has_failed()) {
    CommandQueue& queue = *m_queues[num_begun];
    queue.note(cudaStreamBeginCapture(queue.stream(), cudaStreamCaptureModeThreadLocal),
               kOperation);
    if (!queue.has_failed()) ++num_begun;
  }
  if (num_begun == m_queues.size()) operations();
  for (size_t i = 0; i < num_begun; ++i) {
    CommandQueue& queue = *m_queues[i];
    cudaGraph_t graph = nullptr;
    cudaError_t status = cudaStreamEndCapture(queue.stream(), &graph);
    entry.graphs.push_back(nullptr);
    if (status == cudaSuccess) status = cudaGraphInstantiate(&entry.graphs.back(), graph, 0);
    if (graph != nullptr) cudaGraphDestroy(graph);
    queue.note(status, kOperation);
  }
}

void GraphCache::launch(uint64_t key, const std::function<void()>& operations) {
  if (has_failed()) return;
  Entry* const entry = find(key);
  if (entry == nullptr) {
    operations();
    // After the operations, because buffers that grow in them change the memory generation.
    add(key);
    return;
  }
  if (entry->cannot_capture) return operations();
  if (entry->graphs.empty()) {
    capture(*entry, operations);
    if (has_failed()) {
      // The captured operations have not run. Run them directly, unless the device is lost.
      forget(*entry);
      entry->cannot_capture = true;
      for (CommandQueue* const queue : m_queues) static_cast<void>(queue->take_failure());
      return has_failed() ? void() : operations();
    }
  }
  // After a failure the others are not launched: they would wait for what is not sent.
  for (size_t i = 0; i < m_queues.size() && !has_failed(); ++i) {
    m_queues[i]->note(cudaGraphLaunch(entry->graphs[i], m_queues[i]->stream()), "launching a step");
  }
  ++m_num_launches;
}

}  // namespace quire::cuda
