#pragma once

#include <QHash>
#include <QList>
#include <QString>

#include <optional>

#include "app/engine/model_state.h"
#include "engine/engine_options.h"
#include "engine/memory/memory_estimate.h"
#include "kernels/backend.h"

namespace quire {

/// A loaded model, as the plan for another load sees it.
struct LoadedFacts {
  QString path;
  bool isPrimary = false;
  bool isBusy = false;  ///< It has unfinished requests.
  qint64 lastUsedMs = 0;
  QHash<QString, quint64> heldBytes;  ///< By device: the memory that unloading it frees.
  /// Host memory that its cache reserved but has not touched, so that the system counts it as free.
  quint64 promisedBytes = 0;
};

struct LoadPlanInput {
  LoadRequest request;
  BackendOptions backend;     ///< The program's; the request overrides them.
  EngineOptions engine;       ///< As above.
  QList<LoadedFacts> loaded;  ///< Models that keep their memory unless they are replaced.
  bool mayEndAnswers = true;  ///< Whether busy models may be replaced.
  std::optional<Error> draftProblem = {};  ///< If set: why the draft model must not be read.
};

/// A plan with the options for the load.
struct PlannedLoad {
  LoadPlan plan;
  BackendOptions backend;
  EngineOptions engine;
  MemoryEstimate estimate;  ///< With the draft model's.
  QString draftPath = {};   ///< The draft model to load; empty: none.
  /// Those of plan.replaces whose memory is needed before the load begins.
  QStringList givesRoomFirst;
};

/// Overrides the program's options by the request's. Errors: kInvalidArgument.
Result<void> applyRequest(const LoadRequest& request, BackendOptions& backend,
                          EngineOptions& engine);

/// Reads the model's header and the devices' free memory, which may take a while, and plans the
/// load: beside the loaded models if the pool is large enough, else in place of the primary model
/// and then of the least recently used ones, as many as needed. plan.error is set if the model
/// cannot be loaded, or does not fit even then. A draft model that cannot be read, or that does not
/// fit even then, is left out, and plan.draftNote says why.
PlannedLoad planLoad(const LoadPlanInput& input);

/// All devices, for the settings page; asks the drivers, which may take a while.
QList<ComputeDevice> listComputeDevices();

}  // namespace quire
