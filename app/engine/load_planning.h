#pragma once

#include <QHash>
#include <QList>
#include <QString>

#include "app/engine/model_state.h"
#include "engine/engine_options.h"
#include "engine/memory/memory_estimate.h"
#include "kernels/backend.h"

namespace quire {

/// A model that has memory while another is to be loaded.
struct LoadedFacts {
  QString path;
  bool isPrimary = false;
  bool isBusy = false;  ///< Answers, or is asked.
  qint64 lastUsedMs = 0;
  QHash<QString, quint64> heldBytes;  ///< By device: what unloading it frees.
  /// Of the host: promised to its cache and not taken yet, so that it still counts as free.
  quint64 promisedBytes = 0;
};

struct LoadPlanInput {
  LoadRequest request;
  BackendOptions backend;     ///< As the program was started; the request changes it.
  EngineOptions engine;       ///< The same.
  QList<LoadedFacts> loaded;  ///< Models that keep their memory unless they are replaced.
  bool mayEndAnswers = true;  ///< Whether busy models may be replaced.
};

/// A load with everything that it was decided to be.
struct PlannedLoad {
  LoadPlan plan;
  BackendOptions backend;
  EngineOptions engine;
  MemoryEstimate estimate;
  /// Of plan.replaces: those whose memory is needed before the load begins.
  QStringList givesRoomFirst;
};

/// The program's options with the request's in their place. Errors: kInvalidArgument.
Result<void> applyRequest(const LoadRequest& request, BackendOptions& backend,
                          EngineOptions& engine);

/// Reads the model's head and the devices' free memory, which may take a while, and decides: beside
/// what is loaded if that leaves it a pool worth having, else in place of the primary model and
/// then of those that were not used for longest, as many as it needs. What cannot be loaded at all
/// has plan.error; what does not fit even so, too.
PlannedLoad planLoad(const LoadPlanInput& input);

/// All devices, for the settings page; asks drivers, which may take a while.
QList<ComputeDevice> listComputeDevices();

}  // namespace quire
