#pragma once

#include <array>
#include <deque>
#include <memory>
#include <vector>

#include "tests/bench/gpu/llama.h"

namespace quire::bench {

/// Steps of a Llama as the engine's ModelRunner submits them: upload the batch, announce its
/// attention, compute, draw tokens, bring them back.
/// Thread: one.
class StepRunner {
 public:
  /// With pages of the device's own dtype. Errors: kOutOfMemory.
  static Result<std::unique_ptr<StepRunner>> create(Backend& backend, Llama& llama,
                                                    const ChatShape& chats);

  /// Submits a step: of decoding chats, the next one, whose ids are the tokens that the one before
  /// draws. At most two are under way. `as_graph`: as a step that is kept.
  void start(bool as_graph);
  /// Waits for the first that is under way. Errors: the device's, or that a row of logits is not
  /// finite.
  Result<void> finish();

  /// The chats are as they were, and that many tokens longer. None is under way.
  void restart(int num_tokens);

  /// For measuring operations by themselves.
  void upload() {
    m_on_device->upload(m_batch);
    m_on_device->announce(m_batch);
  }
  void run(const Operation& operation) { m_llama.run(operation, *m_on_device, m_pages); }
  void sample();

  const ChatBatch& batch() const { return m_batch; }
  DType kv_dtype() const { return m_kv_dtype; }
  Llama& llama() { return m_llama; }
  Backend& backend() { return m_backend; }

 private:
  StepRunner(Backend& backend, Llama& llama, const ChatShape& chats);
  Result<void> allocate();
  void advance();

  Backend& m_backend;
  Llama& m_llama;
  ChatShape m_first;  ///< What the chats begin as.
  ChatBatch m_batch;
  DType m_kv_dtype;
  DeviceMemory m_memory;
  Llama::Pages m_pages;
  std::unique_ptr<DeviceBatch> m_on_device;
  TensorView m_tokens;
  std::vector<SampleRow> m_rows;
  std::array<std::vector<int32_t>, 2> m_host_tokens;  ///< In turns, of steps under way.
  std::deque<uint64_t> m_marks;                       ///< Of steps under way.
  size_t m_num_started = 0;
  size_t m_num_finished = 0;
  uint64_t m_key;
};

}  // namespace quire::bench
