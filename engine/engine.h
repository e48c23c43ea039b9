#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/block_report.h"
#include "engine/embed.h"
#include "engine/engine_options.h"
#include "engine/model_loader.h"
#include "engine/request.h"
#include "kernels/backend.h"

namespace quire {

/// Serves many requests at once from one model: schedules, computes and samples, a step at a time.
/// Thread: one thread owns it and calls everything.
/// Invariants: after the last request ended no block is referenced; an answer depends only on its
/// prompt, its sampling parameters and the model, never on other requests.
class Engine {
 public:
  /// The backends that the model lies on must outlive the engine. Errors: kOutOfMemory,
  /// kInvalidArgument.
  static Result<std::unique_ptr<Engine>> create(LoadedModel model, const EngineOptions& options);
  ~Engine();

  /// Loads a LoRA adapter for requests to name, or finds it loaded. Requests with and without
  /// adapters are computed together; what is cached for one is not used by another. An adapter that
  /// no request uses may be unloaded for another later, so add it anew for each request. Errors:
  /// those of open_adapter; kUnsupported or kCorruptFile for one that is not of this model;
  /// kOutOfMemory.
  Result<AdapterId> add_adapter(const std::filesystem::path& path);

  /// The adapter of that path if it is loaded; 0, the model alone, for an empty path.
  std::optional<AdapterId> find_adapter(const std::filesystem::path& path) const;

  /// Has a draft model guess beside the text (Speculation); null: no longer. Nothing about answers
  /// changes but their speed.
  void set_drafter(std::shared_ptr<Drafter> drafter);

  /// Turns speculation off or on again, from the next step on. An engine that was created without
  /// it has no rows of logits for drafts and stays without.
  void set_speculation(SpeculationMode mode);

  /// Queues a request. Errors, with the numbers: kInvalidArgument (empty prompt, bad parameters,
  /// a token outside the vocabulary, an unknown adapter), kContextOverflow (the prompt leaves no
  /// room for an answer).
  Result<RequestId> submit(Request request);

  /// The vectors of texts, beside the requests, which wait meanwhile: pass few texts at a time. Its
  /// keys and values take memory of their own. Errors: those of compute_embeddings.
  Result<std::vector<std::vector<float>>> embed(std::span<const std::vector<TokenId>> texts,
                                                const EmbedOptions& options);

  /// Queues a request that computes these tokens for others that will begin with them; its answer
  /// is not read. It is not counted as a prompt. Errors: as submit().
  Result<RequestId> warm(std::vector<TokenId> tokens, AdapterId adapter = 0);

  /// Ends a request at once; its event with kCancelled comes with the next step. Unknown or ended
  /// ids are ignored.
  void cancel(RequestId id);

  /// See Request::priority.
  void set_priority(RequestId id, int priority);

  /// Blocks of open chats are kept longer than those of others.
  void set_chat_open(int64_t chat, bool open);
  /// Forgets a deleted chat: its blocks are evicted before those of open chats, and no guesses are
  /// made from its texts.
  void forget_chat(int64_t chat);
  /// Pins or unpins what the pool holds of these tokens: pinned blocks are evicted last. Returns
  /// how many tokens these are. The adapter may have been unloaded since.
  int set_pinned(std::span<const TokenId> tokens, bool pinned, AdapterId adapter = 0);

  /// How much of these leading tokens is stored.
  PrefixHolding holding(std::span<const TokenId> tokens, AdapterId adapter = 0) const;

  /// Computes one batch and returns its events. Returns at once if there is nothing to do.
  std::vector<RequestEvent> step();

  /// Why the devices failed, if they did. Then nothing is computed until resume() or end_all();
  /// chats keep their tokens, their answers and their places.
  const std::optional<Error>& device_failure() const;
  /// Frees everything on the devices, which may be closed afterwards. Until resume() nothing is
  /// computed, and nothing may be submitted.
  void release_devices();
  /// Continues with a decoder of the same model on working devices: chats are computed again from
  /// their tokens, with the same answers if the devices compute the same. Answers that no longer
  /// fit end with the next step; nothing is pinned any more. Errors: as create(); the engine stays
  /// as it was.
  Result<void> resume(std::unique_ptr<Decoder> decoder);
  /// After device_failure(): closes the devices, starts them again (those that still start; of
  /// "auto" the CPU always does), loads the model's weights onto them, and resumes. Takes as long
  /// as loading. Errors: as load_model, and kCorruptFile if the files have changed since; then only
  /// end_all() is possible.
  Result<void> reopen(const std::filesystem::path& path, const LoadOptions& load,
                      ModelDevices& devices);
  /// Ends all requests as failed.
  std::vector<RequestEvent> end_all(const Error& error);

  /// The events of requests that ended since the last step. Computes nothing.
  std::vector<RequestEvent> take_ended();

  /// How many leading tokens of this prompt would not have to be computed now, in whole blocks of
  /// the pool and of host memory. Blocks that only the prefix store has are not counted.
  int count_cached(std::span<const TokenId> prompt, AdapterId adapter = 0) const;

  bool has_work() const;
  EngineStats stats() const;
  std::vector<BlockState> block_map() const;
  /// Nothing if the block holds no text, or there is no such block.
  std::optional<BlockText> block_text(int block) const;
  const LoadedModel& model() const;
  int max_context() const;

 private:
  struct State;
  Result<RequestId> enqueue(Request request, bool warms);
  explicit Engine(std::unique_ptr<State> state);
  std::unique_ptr<State> m_state;
};

}  // namespace quire
