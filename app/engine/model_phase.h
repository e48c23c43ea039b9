#pragma once

#include <optional>

namespace quire {

/// What a model does. Whether it is being loaded, for the first time or again, is another matter:
/// it may serve meanwhile.
enum class ModelPhase {
  kUnloaded,
  kServing,    ///< Takes requests.
  kDraining,   ///< Finishes its answers, because it is to be loaded anew; new requests wait.
  kSuspended,  ///< Freed its devices for a load, and opens them again if the load fails.
  kUnloading,  ///< Was told to unload, and has not confirmed it.
  kFailed,     ///< Its devices are lost.
};

enum class PhaseEvent {
  kReady,  ///< A load or resume() has ended, and it serves.
  kDrain,
  kSuspend,
  kUnload,    ///< It is told to.
  kUnloaded,  ///< It has.
  kFail,
};

/// The phase after an event; nothing if the event must not come in that phase.
std::optional<ModelPhase> transition(ModelPhase phase, PhaseEvent event);

/// Whether it holds neither weights nor cache.
inline bool isEmpty(ModelPhase phase) {
  return phase == ModelPhase::kUnloaded || phase == ModelPhase::kFailed;
}

}  // namespace quire
