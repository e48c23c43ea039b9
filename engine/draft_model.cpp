#include "engine/draft_model.h"

#include <algorithm>
#include <map>
#include <utility>

#include "engine/models/model_files.h"

namespace quire {
namespace {

/// Whether each token means the same to both models. A vocabulary may be padded.
bool have_same_tokens(const Tokenizer& draft, const Tokenizer& served) {
  const int count = std::min(draft.vocab_size(), served.vocab_size());
  for (TokenId id = 0; id < count; ++id) {
    if (draft.token_piece(id) != served.token_piece(id)) return false;
  }
  return count > 0;
}

/// The options for a draft model's engine: as many blocks as the served model's engine has, and at
/// most its context, in tokens.
EngineOptions engine_options(const ModelConfig& config, DType kv_dtype, int num_blocks,
                             int max_context) {
  const CacheLayout layout = cache_layout(config, kv_dtype);
  return {.max_context = std::min(config.max_positions, max_context),
          .kv_bytes = static_cast<uint64_t>(num_blocks) * layout.bytes_per_block(),
          .speculation = SpeculationMode::kOff};
}

/// A guess need not fit a grammar: what does not is not accepted, and the draft model's answer so
/// far need not be read by it again.
Request request_of(const DraftRequest& request, int vocab_size) {
  Request draft = {.prompt = {request.tokens.begin(), request.tokens.end()},
                   .sampling = *request.sampling,
                   .answered = request.answered,
                   .chat = static_cast<int64_t>(request.id)};
  draft.sampling.max_tokens = request.most;
  draft.sampling.min_tokens = 0;
  draft.sampling.ignore_eos = true;
  draft.sampling.num_logprobs = -1;
  draft.sampling.stop.clear();
  draft.sampling.stop_token_ids.clear();
  draft.sampling.grammar.reset();
  std::erase_if(draft.sampling.logit_bias,
                [&](const LogitBias& bias) { return bias.id >= vocab_size; });
  return draft;
}

}  // namespace

Result<std::shared_ptr<DraftModel>> DraftModel::open(const std::filesystem::path& path,
                                                     const BackendOptions& backend,
                                                     const Engine& served,
                                                     const LoadOptions& load) {
  auto devices = ModelDevices::open(backend);
  if (!devices) return devices.error();
  auto model = load_model(path, *devices, {.speculation = SpeculationMode::kOff}, load);
  if (!model) return model.error();
  if (!have_same_tokens(*model->chat->tokenizer, *served.model().chat->tokenizer)) {
    return make_error(ErrorCode::kInvalidArgument,
                      "\"%1\" has another vocabulary than the model that it should guess for. "
                      "Choose a draft model of the same family.",
                      {path.string()});
  }
  const EngineOptions options = engine_options(model->config, devices->front().info().kv_dtype,
                                               served.stats().total_blocks, served.max_context());
  auto engine = Engine::create(std::move(*model), options);
  if (!engine) return engine.error();
  return std::shared_ptr<DraftModel>(new DraftModel(std::move(*devices), std::move(*engine)));
}

Result<MemoryEstimate> DraftModel::estimate(const MemoryEstimateInput& input,
                                            const MemoryEstimate& served) {
  const auto files = open_model_files(input.path);
  if (!files) return files.error();
  MemoryEstimateInput draft = input;
  draft.engine = engine_options(files->config, input.devices.front().kv_dtype, served.num_blocks,
                                served.max_context);
  return estimate_memory(draft);
}

void DraftModel::guess(std::span<DraftRequest> requests) {
  std::map<RequestId, DraftRequest*> guessing;
  const int vocab_size = m_engine->model().config.vocab_size;
  for (DraftRequest& request : requests) {
    // One that does not fit its context has no guess.
    if (const auto id = m_engine->submit(request_of(request, vocab_size))) guessing[*id] = &request;
  }
  while (m_engine->has_work() && !m_engine->device_failure()) {
    for (const RequestEvent& event : m_engine->step()) {
      const auto found = guessing.find(event.id);
      if (found == guessing.end()) continue;
      std::vector<TokenId>& guess = found->second->guess;
      guess.insert(guess.end(), event.tokens.begin(), event.tokens.end());
    }
  }
}

void DraftModel::forget(SequenceId id) {
  m_engine->forget_chat(static_cast<int64_t>(id));
}

}  // namespace quire
