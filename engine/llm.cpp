#include "engine/llm.h"

#include <map>
#include <utility>

#include "engine/score.h"

namespace quire {

namespace {

void apply(RequestEvent& event, Completion& completion) {
  completion.text += event.text;
  completion.tokens.insert(completion.tokens.end(), event.tokens.begin(), event.tokens.end());
  for (auto& logprobs : event.logprobs) completion.logprobs.push_back(std::move(logprobs));
  completion.usage = event.usage;
  if (!event.finish) return;
  completion.finish = *event.finish;
  completion.error = std::move(event.error.message);
}

}  // namespace

Llm::Llm(LlmOptions options, ModelDevices devices, std::unique_ptr<Engine> engine)
    : m_options(std::move(options)), m_devices(std::move(devices)), m_engine(std::move(engine)) {}

Result<Llm> Llm::open(const LlmOptions& options) {
  auto devices = ModelDevices::open(options.backend);
  if (!devices) return devices.error();
  LoadOptions load = options.load;
  if (load.max_context == 0) load.max_context = options.engine.max_context;
  auto model = load_model(options.model_path, *devices, options.engine, load);
  if (!model) return model.error();
  auto engine = Engine::create(std::move(*model), options.engine);
  if (!engine) return engine.error();
  LlmOptions kept = options;
  kept.load = {.max_context = load.max_context};
  return Llm(std::move(kept), std::move(*devices), std::move(*engine));
}

std::vector<RequestEvent> Llm::step() {
  std::vector<RequestEvent> events = m_engine->step();
  if (!m_engine->device_failure()) return events;
  Error failure = *m_engine->device_failure();
  if (m_reopenings++ < kMaxReopenings) {
    const auto reopened = m_engine->reopen(m_options.model_path, m_options.load, m_devices);
    if (reopened) return events;
    failure = {failure.code, failure.message + " " + reopened.error().message};
  }
  for (RequestEvent& event : m_engine->end_all(failure)) events.push_back(std::move(event));
  return events;
}

std::vector<Completion> Llm::generate(
    std::vector<Request> requests,
    const std::function<bool(size_t index, const RequestEvent& event)>& on_event,
    const std::function<bool()>& goes_on) {
  std::vector<Completion> completions(requests.size());
  std::map<RequestId, size_t> index_of;
  for (size_t i = 0; i < requests.size(); ++i) {
    const auto id = m_engine->submit(std::move(requests[i]));
    if (id) {
      index_of[*id] = i;
    } else {
      completions[i].error = id.error().message;
    }
  }
  while (m_engine->has_work()) {
    if (goes_on && !goes_on()) {
      for (const auto& [id, index] : index_of) m_engine->cancel(id);
    }
    std::vector<RequestEvent> events = step();
    for (RequestEvent& event : events) {
      const auto it = index_of.find(event.id);
      if (it == index_of.end()) continue;
      const bool is_wanted = !on_event || on_event(it->second, event);
      apply(event, completions[it->second]);
      if (!is_wanted && !event.finish) m_engine->cancel(event.id);
    }
  }
  return completions;
}

Result<std::vector<float>> Llm::logits(std::span<const TokenId> tokens,
                                       std::span<const int32_t> rows, AdapterId adapter) {
  return compute_logits(m_engine->model(), tokens, rows,
                        m_options.engine.kv_dtype.value_or(DType::kF32), adapter);
}

}  // namespace quire
