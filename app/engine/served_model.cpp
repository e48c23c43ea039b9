#include "app/engine/served_model.h"

#include <QFileInfo>

#include "app/store/visible_string.h"

namespace quire {
namespace {

ModelState::State kindOf(const ServedModel& model) {
  if (model.isLoading()) return ModelState::State::kLoading;
  if (model.isServing()) return ModelState::State::kReady;
  if (model.phase == ModelPhase::kSuspended) return ModelState::State::kReady;
  return model.error.isEmpty() ? ModelState::State::kUnloaded : ModelState::State::kFailed;
}

}  // namespace

ModelState stateOf(const ServedModel& model, bool isPrimary) {
  ModelState state;
  state.path = model.path();
  state.name = model.ready.model.name;
  if (state.name.isEmpty()) state.name = visibleString(QFileInfo(model.path()).fileName());
  state.state = kindOf(model);
  state.primary = isPrimary;
  state.serving = model.isServing();
  state.isDemonstration = model.isDemonstration;
  if (model.isLoading()) {
    state.phase = model.clock.phase();
    state.fraction = model.clock.fraction();
    state.bytesRead = model.clock.doneBytes();
    state.bytesToRead = model.clock.totalBytes();
    state.secondsLeft = model.clock.secondsLeft();
  }
  state.error = model.error;
  state.deviceName = model.ready.model.deviceName;
  state.deviceNote = model.ready.model.deviceNote;
  state.draftName = model.ready.model.draftName;
  state.draftNote = model.ready.model.draftNote;
  state.contextLength = model.ready.model.contextLength;
  state.memory = model.planned.plan.memory;
  state.memory.weights += model.stats.adapter_bytes;
  state.runningRequests = model.running;
  state.tokensPerSecond = model.report.tokensPerSecond;
  state.lastUsedMs = model.lastUsedMs;
  state.request = model.request;
  return state;
}

LoadedFacts factsOf(const ServedModel& model) {
  LoadedFacts facts = {
      .path = model.path(), .isBusy = model.running > 0, .lastUsedMs = model.lastUsedMs};
  const EngineStats& stats = model.stats;
  const double untouched = stats.total_blocks == 0 ? 0.0
                                                   : static_cast<double>(stats.free_blocks) /
                                                         static_cast<double>(stats.total_blocks);
  const std::vector<MemoryEstimate::Part>& parts = model.planned.estimate.parts;
  int numLayers = 0;
  for (const MemoryEstimate::Part& part : parts) numLayers += part.num_layers;
  for (const MemoryEstimate::Part& part : parts) {
    // The host gives pages of the pool when they are first written.
    const double share = part.has_own_memory ? 0.0 : untouched;
    const auto promised = static_cast<quint64>(share * static_cast<double>(part.kv_bytes));
    // Adapters were loaded after the estimate; they change layers, wherever these are.
    const auto adapters = stats.adapter_bytes * static_cast<quint64>(part.num_layers) /
                          static_cast<quint64>(std::max(1, numLayers));
    facts.heldBytes[QString::fromStdString(part.device)] +=
        part.total_bytes() - promised + adapters;
    facts.promisedBytes += promised;
  }
  return facts;
}

}  // namespace quire
