#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/chat/chat_prompt.h"
#include "engine/engine.h"

namespace quire {

struct LlmOptions {
  std::string model_path;
  BackendOptions backend;
  EngineOptions engine;
  LoadOptions load;
};

/// A finished answer.
struct Completion {
  std::string text;
  std::vector<TokenId> tokens;
  std::vector<std::vector<TokenLogprob>> logprobs;
  FinishReason finish = FinishReason::kFailed;
  std::string error;
  RequestUsage usage;
};

/// The offline interface of the engine: opens a model by its path and answers prompts. Owns the
/// devices and the engine. Thread: one at a time.
class Llm {
 public:
  static Result<Llm> open(const LlmOptions& options);

  /// Answers all requests together, in the order given. `on_event` (optional) sees every event as
  /// it comes, with the index of its request; returning false cancels that request. `goes_on`
  /// (optional) is called before each step, prefills included; false cancels all remaining
  /// requests.
  std::vector<Completion> generate(
      std::vector<Request> requests,
      const std::function<bool(size_t index, const RequestEvent& event)>& on_event = {},
      const std::function<bool()>& goes_on = {});

  /// One step for requests that were submitted to engine(): its events, after a device that failed
  /// was reopened. Not beside generate().
  std::vector<RequestEvent> step();

  /// Logits (R, V) f32 of the given rows of one token sequence, computed in one go, with keys and
  /// values in the dtype of the engine's options, in f32 where they leave it open. `adapter`: what
  /// Engine::add_adapter returned, or 0.
  /// Errors: kInvalidArgument, kContextOverflow, kOutOfMemory, kUnsupported.
  Result<std::vector<float>> logits(std::span<const TokenId> tokens, std::span<const int32_t> rows,
                                    AdapterId adapter = 0);

  /// Why no GPU is used although the options allow one; empty if one is used or none is allowed.
  std::string gpu_reason() const { return m_devices.gpu_reason(); }

  Engine& engine() { return *m_engine; }
  const LoadedModel& model() const { return m_engine->model(); }
  /// What the model's first layers are computed on.
  Backend& backend() { return *model().decoder->placement().front().backend; }

 private:
  Llm(LlmOptions options, ModelDevices devices, std::unique_ptr<Engine> engine);

  /// A device that fails more often counts as broken.
  static constexpr int kMaxReopenings = 3;

  LlmOptions m_options;
  int m_reopenings = 0;
  ModelDevices m_devices;  ///< Before the engine: it must outlive it.
  std::unique_ptr<Engine> m_engine;
};

}  // namespace quire
