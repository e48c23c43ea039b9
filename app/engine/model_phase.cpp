#include "app/engine/model_phase.h"

namespace quire {

std::optional<ModelPhase> transition(ModelPhase phase, PhaseEvent event) {
  using Phase = ModelPhase;
  const bool computes = phase == Phase::kServing || phase == Phase::kDraining;
  switch (event) {
    case PhaseEvent::kReady:
      if (phase != Phase::kUnloading) return Phase::kServing;
      break;
    case PhaseEvent::kDrain:
      if (phase == Phase::kServing) return Phase::kDraining;
      break;
    case PhaseEvent::kSuspend:
      if (computes) return Phase::kSuspended;
      break;
    case PhaseEvent::kUnload:
      if (computes || phase == Phase::kSuspended) return Phase::kUnloading;
      break;
    case PhaseEvent::kUnloaded:
      return Phase::kUnloaded;
    case PhaseEvent::kFail:
      if (computes || phase == Phase::kSuspended || phase == Phase::kUnloading) {
        return Phase::kFailed;
      }
      break;
  }
  return std::nullopt;
}

}  // namespace quire
