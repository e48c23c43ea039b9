#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/cache/block_pool.h"
#include "engine/engine_options.h"
#include "engine/model_loader.h"
#include "engine/request.h"
#include "kernels/backend.h"

namespace quire {

/// The pool and the load, for the window and for tests. Blocks add up:
/// used + cached + free = total.
struct EngineStats {
  int total_blocks = 0;
  int used_blocks = 0;    ///< Referenced by at least one sequence.
  int shared_blocks = 0;  ///< Of the used: referenced by more than one.
  int cached_blocks = 0;  ///< Unreferenced, with content that stays until the block is allocated.
  int free_blocks = 0;
  int host_blocks = 0;  ///< Kept in host memory, beside the pool.
  size_t bytes_per_block = 0;
  double kv_waste = 0.0;  ///< Slots reserved but empty, as a fraction of the used blocks' slots.
  int running = 0;        ///< Sequences holding blocks.
  int waiting = 0;
  int batch_tokens = 0;  ///< Rows of the last step.
  int batch_sequences = 0;
  uint64_t steps = 0;
  uint64_t computed_tokens = 0;  ///< Rows computed since the start.
  uint64_t prompt_tokens = 0;    ///< Of all requests that were admitted.
  uint64_t cached_tokens = 0;    ///< Of the prompt tokens: found in the pool.
  uint64_t disk_tokens = 0;      ///< Of the cached: read back from the prefix store.
  uint64_t swapped_tokens = 0;   ///< Restored from host memory instead of being computed.
  uint64_t output_tokens = 0;
  uint64_t stored_bytes = 0;  ///< Of keys and values in the prefix store.
  uint64_t preemptions = 0;
};

/// A block of the pool, for drawing.
struct BlockState {
  int ref_count = 0;                     ///< Sequences that hold it.
  int num_tokens = 0;                    ///< Whose keys and values others may share.
  BlockWorth worth = BlockWorth::kNone;  ///< Of a block that nobody references.
  int64_t chat = 0;         ///< One of those that hold it, or the last that did; 0: of no chat.
  int num_chats = 0;        ///< That hold it now.
  bool is_on_disk = false;  ///< The prefix store has its content too.
  bool is_in_host = false;  ///< So has host memory.
};

/// What a block of the pool holds, for reading.
struct BlockText {
  std::string text;            ///< Whole characters; special tokens as they are spelt.
  int num_tokens = 0;          ///< Of the text.
  std::vector<int64_t> chats;  ///< That hold it now, each once, or the one that did last.
  bool is_held = false;        ///< By a sequence; otherwise it is only kept.
  int position = -1;           ///< Of its first token among its chat's; -1: unknown.
  int message = -1;  ///< Of its request's messages the one that holds `position`, the answer being
                     ///< the one after the last; -1: unknown.
};

/// What is stored of the beginning of a prompt, in blocks, and how many chats begin with it.
struct PrefixHolding {
  int resident_tokens = 0;  ///< In the pool, or in host memory beside it.
  int stored_tokens = 0;    ///< Beyond those: in the prefix store.
  int chats = 0;            ///< Since the start; chats served long ago may be forgotten.
  size_t saved_bytes = 0;   ///< What sharing the resident blocks saves.
};

/// Serves many requests at once from one model: schedules, computes and samples, a step at a time.
/// Thread: one thread owns it and calls everything.
/// Invariants: after the last request ended no block is referenced; an answer depends on its
/// prompt, its sampling parameters and the model alone, never on what runs beside it.
class Engine {
 public:
  /// The backends that the model lies on must outlive the engine. Errors: kOutOfMemory,
  /// kInvalidArgument.
  static Result<std::unique_ptr<Engine>> create(LoadedModel model, const EngineOptions& options);
  ~Engine();

  /// Queues a request. Errors, with the numbers: kInvalidArgument (empty prompt, bad parameters,
  /// a token outside the vocabulary), kContextOverflow (the prompt leaves no room for an answer).
  Result<RequestId> submit(Request request);

  /// Queues a request that computes these tokens for others that will begin with them; its answer
  /// is not read. It is not counted as a prompt. Errors: as submit().
  Result<RequestId> warm(std::vector<TokenId> tokens);

  /// Ends a request at once; its event with kCancelled comes with the next step. Unknown or ended
  /// ids are ignored.
  void cancel(RequestId id);

  /// Which of the requests is scheduled first from now on.
  void set_focused(RequestId id, bool focused);

  /// Blocks of open chats are kept longer than those of others.
  void set_chat_open(int64_t chat, bool open);
  /// The chat was deleted: forgets it, and evicts its blocks before others.
  void forget_chat(int64_t chat);
  /// Pins or unpins what the pool holds of these tokens: pinned blocks are evicted last. Returns
  /// how many tokens these are.
  int set_pinned(std::span<const TokenId> tokens, bool pinned);

  /// What is stored of these leading tokens.
  PrefixHolding holding(std::span<const TokenId> tokens) const;

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
  int count_cached(std::span<const TokenId> prompt) const;

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
