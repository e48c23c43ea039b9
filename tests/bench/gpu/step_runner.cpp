#include "tests/bench/gpu/step_runner.h"

namespace quire::bench {
namespace {

/// Of captured steps: no two runners share one, nor does a measurement of timing.h.
uint64_t next_key() {
  static uint64_t key = uint64_t{1} << 32;
  return ++key;
}

/// As a chat is sampled unless its user asks for something else.
SampleRow sample_row(int chat) {
  return {.temperature = 0.7f,
          .top_k = 40,
          .top_p = 0.95f,
          .uniform = static_cast<double>(chat % 10) * 0.1 + 0.05};
}

}  // namespace

StepRunner::StepRunner(Backend& backend, Llama& llama, const ChatShape& chats)
    : m_backend(backend),
      m_llama(llama),
      m_first(chats),
      m_batch(chats),
      m_kv_dtype(backend.info().kv_dtype),
      m_memory(backend),
      m_key(next_key()) {
  for (int chat = 0; chat < chats.num_chats; ++chat) m_rows.push_back(sample_row(chat));
  for (auto& tokens : m_host_tokens) tokens.assign(static_cast<size_t>(chats.num_chats), 0);
}

Result<std::unique_ptr<StepRunner>> StepRunner::create(Backend& backend, Llama& llama,
                                                       const ChatShape& chats) {
  std::unique_ptr<StepRunner> runner(new StepRunner(backend, llama, chats));
  if (auto allocated = runner->allocate(); !allocated) return allocated.error();
  return runner;
}

Result<void> StepRunner::allocate() {
  const LlamaShape& shape = m_llama.shape();
  m_on_device = std::make_unique<DeviceBatch>(m_backend, m_memory, m_batch);
  m_tokens = m_memory.zeros(DType::kI32, {m_batch.shape().num_chats});
  for (int i = 0; i < shape.num_layers; ++i) {
    m_pages.push_back(make_pages(m_memory, m_kv_dtype, m_batch.num_blocks(), shape.num_kv_heads,
                                 shape.head_dim()));
  }
  return m_memory.finish();
}

void StepRunner::sample() {
  m_backend.sample(m_tokens, m_llama.logits(m_batch.shape().num_chats), {.rows = m_rows});
}

void StepRunner::restart(int num_tokens) {
  CHECK(num_tokens <= m_first.room && m_marks.empty());
  ChatShape shape = m_first;
  shape.context += num_tokens;
  shape.room -= num_tokens;
  m_batch = ChatBatch(shape);
  m_num_started = 0;
  m_num_finished = 0;
}

/// The ids of a chat that goes on are those drawn last, if these are known here already.
void StepRunner::advance() {
  if (m_num_started == 0 || m_first.rows > 1) return;
  m_batch.advance(m_host_tokens[(m_num_started - 1) % m_host_tokens.size()]);
}

void StepRunner::start(bool as_graph) {
  CHECK(m_marks.size() < m_host_tokens.size());
  advance();
  m_on_device->upload(m_batch);
  if (!m_marks.empty()) m_on_device->copy_ids(m_tokens);
  m_on_device->announce(m_batch);
  const auto forward = [&] { m_llama.forward(*m_on_device, m_pages); };
  if (as_graph) {
    m_backend.launch_graph(m_key, forward);
  } else {
    forward();
  }
  sample();
  std::vector<int32_t>& tokens = m_host_tokens[m_num_started++ % m_host_tokens.size()];
  m_backend.download(tokens.data(), m_tokens.data(), tokens.size() * sizeof(int32_t));
  m_marks.push_back(m_backend.mark());
}

Result<void> StepRunner::finish() {
  const uint64_t mark = m_marks.front();
  m_marks.pop_front();
  if (auto done = m_backend.wait_for(mark); !done) return done;
  for (const int32_t token : m_host_tokens[m_num_finished++ % m_host_tokens.size()]) {
    if (token >= 0 && token < m_llama.shape().vocab) continue;
    return Error{ErrorCode::kDevice, "a row of logits is not finite: token " +
                                         std::to_string(token) + " was drawn from it"};
  }
  return {};
}

}  // namespace quire::bench
