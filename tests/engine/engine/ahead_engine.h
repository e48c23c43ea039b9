#pragma once

#include <algorithm>
#include <map>
#include <utility>

#include "tests/engine/engine/ahead_backend.h"
#include "tests/engine/engine/engine_test_support.h"
#include "tests/support/memory_prefix_store.h"
#include "tests/support/must.h"

namespace quire {

/// The draft model on an AheadBackend, or without a control on the CPU as it is.
struct AheadEngine {
  AheadEngine(EngineOptions wanted, std::shared_ptr<AheadControl> ahead)
      : options(std::move(wanted)),
        control(std::move(ahead)),
        devices(test::must(
            ModelDevices::open_with({control ? "ahead" : "cpu"}, make_create(control)))) {
    auto model = load_model(draft_model_folder(), devices, options);
    engine = test::must(Engine::create(test::must(std::move(model)), options));
  }

  /// After a device failure: nothing of the chats is lost.
  void reopen() {
    const auto done = engine->reopen(draft_model_folder(), {}, devices);
    if (!done) qFatal("%s", done.error().message.c_str());
  }

  static ModelDevices::Create make_create(std::shared_ptr<AheadControl> control) {
    return [control = std::move(control)](const BackendOptions&) {
      auto cpu = create_backend({.device = "cpu", .num_threads = 1});
      if (!control || !cpu) return cpu;
      return Result<std::unique_ptr<Backend>>(
          std::make_unique<AheadBackend>(std::move(*cpu), control));
    };
  }

  EngineOptions options;
  std::shared_ptr<AheadControl> control;
  ModelDevices devices;  ///< Before the engine: it must outlive it.
  std::unique_ptr<Engine> engine;
};

/// Runs requests alone, with room for everything and on the CPU as it is: what they should give,
/// and the bytes of every full block of theirs.
class RunAlone {
 public:
  RunAlone() : m_alone(open_draft({.prefix_cache = false, .speculation = SpeculationMode::kOff})) {
    m_store->keeps_chats = true;
    m_keeper.emplace(open_draft({.speculation = SpeculationMode::kOff, .prefix_store = m_store}));
  }

  size_t bytes_per_block() { return m_alone.engine().stats().bytes_per_block; }
  size_t bytes_per_window() { return m_alone.engine().stats().bytes_per_window; }
  size_t bytes_per_state() { return m_alone.engine().stats().bytes_per_state; }

  Completion run(Request request) {
    Completion completion = m_alone.generate({request}).front();
    request.chat = 1;
    request.persona = 0;
    m_keeper->generate({std::move(request)});
    return completion;
  }

  /// A run alone stores other states and window parts than a run beside others: where both do, they
  /// are the same.
  bool is_right(const StoredBlock& block) const {
    const auto it = m_store->blocks().find(block.key);
    const bool is_block =
        block.key != state_key(block.parent) && block.key != window_key(block.parent);
    if (!is_block && it == m_store->blocks().end()) return true;
    return it != m_store->blocks().end() && it->second.parent == block.parent &&
           it->second.tokens == block.tokens && it->second.payload == block.payload;
  }

 private:
  std::shared_ptr<MemoryPrefixStore> m_store = std::make_shared<MemoryPrefixStore>();
  Llm m_alone;
  std::optional<Llm> m_keeper;
};

/// Counts the blocks that are not what a run alone computes.
class CheckedPrefixStore final : public MemoryPrefixStore {
 public:
  CheckedPrefixStore(const RunAlone& alone, int delay)
      : MemoryPrefixStore(delay), m_alone(&alone) {}

  void save(StoredBlock block, const PrefixOwner& owner) override {
    ++num_saved;
    if (checks_bytes && !m_alone->is_right(block)) ++num_wrong;
    MemoryPrefixStore::save(std::move(block), owner);
  }

  /// To be turned off for a model whose blocks hold a draft layer's keys and values: the run alone
  /// does not speculate, and where a sequence resumes, that layer does not know the state before.
  bool checks_bytes = true;
  int num_saved = 0;
  int num_wrong = 0;

 private:
  const RunAlone* m_alone;
};

}  // namespace quire
