#pragma once

#include <optional>

namespace quire {

/// The phase of a model that was loaded. It is independent of a load in progress, during which the
/// model may serve.
enum class ModelPhase {
  kUnloaded,
  kServing,    ///< Takes requests.
  kDraining,   ///< Finishes its answers, because it is to be loaded anew; new requests wait.
  kSuspended,  ///< Freed its devices for a load, and opens them again if the load fails.
  kUnloading,  ///< Is unloading; the worker has not confirmed it.
  kFailed,     ///< Its devices are lost.
};

enum class PhaseEvent {
  kReady,  ///< A load or resume() has ended, and it serves.
  kDrain,
  kSuspend,
  kUnload,    ///< The worker is asked to unload it.
  kUnloaded,  ///< The worker has unloaded it.
  kFail,
};

/// The phase after an event; nothing if the event must not come in that phase.
std::optional<ModelPhase> transition(ModelPhase phase, PhaseEvent event);

/// Whether it holds neither weights nor cache.
inline bool isEmpty(ModelPhase phase) {
  return phase == ModelPhase::kUnloaded || phase == ModelPhase::kFailed;
}

}  // namespace quire
