#include "app/engine/model_host.h"

#include <filesystem>
#include <new>
#include <utility>

#include "app/engine/thread_priority.h"
#include "app/error_strings.h"
#include "engine/model_loader.h"
#include "engine/tuning_file.h"

namespace quire {
namespace {

LoadPhase phaseOf(LoadStep step) {
  switch (step) {
    case LoadStep::kHead:
      return LoadPhase::kHead;
    case LoadStep::kWeights:
      return LoadPhase::kWeights;
    case LoadStep::kPreparing:
      return LoadPhase::kPreparing;
  }
  return LoadPhase::kNone;
}

PlannedLoad refused(const LoadPlanInput& input, const Error& error) {
  PlannedLoad planned;
  planned.plan.request = input.request;
  planned.plan.error = errorText(error);
  return planned;
}

}  // namespace

void ModelHost::plan(LoadNumber number, const LoadPlanInput& input, const LoadTrials& trials) {
  m_isCancelled = false;
  m_tasks.post([this, number, input = LoadPlanInput(input), trials]() mutable {
    letTheWindowGoFirst();  // What it loads computes on threads that this one starts.
    m_marker.begin(input.request.path);
    m_tell(LoadProgressed{.load = number, .phase = LoadPhase::kHead});
    const auto passes = [this](const std::shared_ptr<ModelTrial>& trial) {
      return trial ? trial->join(m_isCancelled) : Result<void>();
    };
    const Result<void> passed = passes(trials.model);
    if (const auto draft = passes(trials.draft); !draft) input.draftProblem = draft.error();
    m_tell(LoadPlanned{number, passed ? planLoad(input) : refused(input, passed.error())});
  });
}

void ModelHost::load(LoadNumber number, const PlannedLoad& planned) {
  m_tasks.post([this, number, planned] {
    Loaded model = m_isCancelled ? Error{ErrorCode::kCancelled, ""} : loadModel(number, planned);
    m_marker.end();
    LoadEnded ended = {.load = number};
    if (m_isCancelled) {
      if (model) model->reset();  // Its memory is free before the window knows.
    } else if (model) {
      ended.model = std::move(*model);
    } else {
      ended.error = errorText(model.error());
    }
    m_tell(std::move(ended));
  });
}

void ModelHost::discard(std::shared_ptr<ServingModel> model) {
  m_tasks.post([model = std::move(model)]() mutable { model.reset(); });
}

ModelHost::Loaded ModelHost::loadModel(LoadNumber number, const PlannedLoad& planned) const try {
  const EngineOptions& options = planned.engine;
  const StoppableTuning stoppable(m_isCancelled);
  auto devices = ModelDevices::open(planned.backend);
  if (!devices) return devices.error();
  uint64_t total = 0;
  const auto progressed = [&](LoadStep step, uint64_t done, uint64_t all) {
    total = all;
    m_tell(LoadProgressed{number, phaseOf(step), done, all});
  };
  const LoadOptions load = {
      .stepped = progressed, .cancelled = &m_isCancelled, .max_context = options.max_context};
  const QString& name = planned.plan.request.path;
  auto model = load_model(std::filesystem::path(name.toStdU16String()), *devices, options, load);
  if (!model) return model.error();
  m_tell(LoadProgressed{number, LoadPhase::kCache, total, total});
  auto engine = Engine::create(std::move(*model), options);
  if (!engine) return engine.error();
  auto serving = std::make_shared<ServingModel>(ServingModel{.path = name,
                                                             .maxContext = options.max_context,
                                                             .devices = std::move(*devices),
                                                             .engine = std::move(*engine),
                                                             .draftPath = planned.draftPath,
                                                             .draftBackend = planned.backend,
                                                             .draftNote = planned.plan.draftNote});
  openDraft(*serving, {.cancelled = &m_isCancelled});
  return serving;
} catch (const std::bad_alloc&) {
  return outOfMemory(planned.plan.request.path);
}

}  // namespace quire
