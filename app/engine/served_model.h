#pragma once

#include <QDateTime>
#include <QStringList>

#include <memory>

#include "app/engine/engine_worker.h"
#include "app/engine/load_clock.h"

namespace quire {

/// One model of the service: its facts, its state, and the thread that serves it.
/// Thread: the window's; the worker has its own.
struct ServedModel {
  const QString& path() const { return request.path; }
  bool isServing() const { return phase == ModelPhase::kServing; }
  bool isLoading() const { return load != 0; }
  void advance(PhaseEvent event) { phase = transition(phase, event).value_or(phase); }
  void touch() { lastUsedMs = QDateTime::currentMSecsSinceEpoch(); }

  LoadRequest request;
  ModelPhase phase = ModelPhase::kUnloaded;  ///< As last reported by the worker; never kDraining.
  LoadNumber load = 0;                       ///< Queued or under way; 0: none.
  bool becomesPrimary = false;
  bool isDemonstration = false;  ///< The bundled little model.
  bool isForgotten = false;      ///< Removed as soon as it is unloaded.
  LoadRequest nextRequest = {};  ///< Of `load`.
  QStringList replaces = {};     ///< By `load`.
  LoadClock clock = {};
  QString error = {};   ///< Of the last load.
  qint64 failedMs = 0;  ///< When that failed, since the epoch; 0: it is not tried again.
  ModelReady ready = {};
  PlannedLoad planned = {};  ///< Of the model that serves.
  EngineReport report = {};
  EngineStats stats = {};
  int running = 0;  ///< Requests given to the worker that have not finished.
  qint64 lastUsedMs = 0;
  QList<PersonaPrompt> warm = {};  ///< What its worker keeps warm.

  std::unique_ptr<EngineWorker> worker;
};

/// The model's state for the window.
ModelState stateOf(const ServedModel& model, bool isPrimary);

/// The memory that it occupies on each device.
LoadedFacts factsOf(const ServedModel& model);

}  // namespace quire
