#pragma once

#include <filesystem>
#include <memory>

#include "engine/engine.h"
#include "engine/memory/memory_estimate.h"
#include "engine/memory/model_devices.h"
#include "engine/speculation/drafter.h"

namespace quire {

/// A small model that guesses what a larger one of the same vocabulary says next: an engine of its
/// own, whose prefix cache holds what it computed of each sequence, so that each guess computes
/// only what is new. It samples with the sequence's parameters and random numbers, so that its
/// guesses agree at high temperatures, too.
class DraftModel final : public Drafter {
 public:
  /// For a served model: its tokenizer, its context, and the blocks of its pool, of which the draft
  /// model has as many. Errors: those of loading; kInvalidArgument if the vocabularies differ.
  static Result<std::shared_ptr<DraftModel>> open(const std::filesystem::path& path,
                                                  const BackendOptions& backend,
                                                  const Engine& served,
                                                  const LoadOptions& load = {});

  /// Whether a draft model can guess for a served model: reads both tokenizers and no weights.
  /// Errors: those of reading; kInvalidArgument if the vocabularies differ.
  static Result<void> check_tokens(const std::filesystem::path& draft,
                                   const std::filesystem::path& served);

  /// Estimates the memory that open() takes beside a served model with the estimate `served`:
  /// weights, work space, and as many blocks as that model has. `input.engine` is ignored. Errors:
  /// those of estimate_memory.
  static Result<MemoryEstimate> estimate(const MemoryEstimateInput& input,
                                         const MemoryEstimate& served);

  const LoadedModel& model() const { return m_engine->model(); }

  bool is_free() const override { return false; }
  void guess(std::span<DraftRequest> requests) override;
  void forget(SequenceId id) override;

 private:
  DraftModel(ModelDevices devices, std::unique_ptr<Engine> engine)
      : m_devices(std::move(devices)), m_engine(std::move(engine)) {}

  ModelDevices m_devices;  ///< Before the engine: it must outlive it.
  std::unique_ptr<Engine> m_engine;
};

}  // namespace quire
