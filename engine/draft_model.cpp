#include "engine/draft_model.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "engine/model_loader.h"
#include "engine/models/model_files.h"

namespace quire {
namespace {

/// The number of tokens without padding at the end, which models of one family have in different
/// lengths. llama.cpp's converter spells it "[PAD7]".
TokenId count_tokens(const Tokenizer& tokenizer) {
  TokenId count = tokenizer.vocab_size();
  const auto pads = [&](TokenId id) {
    const std::string_view piece = tokenizer.token_piece(id);
    return piece.empty() || piece.starts_with("[PAD");
  };
  while (count > 0 && pads(count - 1)) --count;
  return count;
}

/// Whether each token means the same to both models. Errors: kInvalidArgument if not.
Result<void> compare_tokens(const Tokenizer& draft, const Tokenizer& served,
                            const std::filesystem::path& path) {
  const TokenId count = std::min(count_tokens(draft), count_tokens(served));
  bool is_same = count > 0;
  for (TokenId id = 0; id < count && is_same; ++id) {
    is_same = draft.token_piece(id) == served.token_piece(id);
  }
  if (is_same) return {};
  return make_error(ErrorCode::kInvalidArgument,
                    "\"%1\" has another vocabulary than the model that it should guess for. "
                    "Choose a draft model of the same family.",
                    {path.string()});
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
  if (auto same = compare_tokens(*model->chat->tokenizer, *served.model().chat->tokenizer, path);
      !same) {
    return same.error();
  }
  const EngineOptions options = engine_options(model->config, devices->front().info().kv_dtype,
                                               served.stats().total_blocks, served.max_context());
  auto engine = Engine::create(std::move(*model), options);
  if (!engine) return engine.error();
  return std::shared_ptr<DraftModel>(new DraftModel(std::move(*devices), std::move(*engine)));
}

Result<void> DraftModel::check_tokens(const std::filesystem::path& draft,
                                      const std::filesystem::path& served) {
  const auto drafts = load_model_tokenizer(draft);
  if (!drafts) return drafts.error();
  const auto own = load_model_tokenizer(served);
  if (!own) return own.error();
  return compare_tokens(**drafts, **own, draft);
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
