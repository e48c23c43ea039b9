#include "app/engine/model_pool.h"

#include <QFileInfo>

#include <algorithm>
#include <utility>

#include "app/store/visible_string.h"

namespace quire {
namespace {

constexpr int kProgressIntervalMs = 100;

bool isSameFolder(const QString& a, const QString& b) {
  const QString path = QFileInfo(a).canonicalFilePath();
  return !path.isEmpty() && path == QFileInfo(b).canonicalFilePath();
}

}  // namespace

ModelPool::ModelPool(Options options)
    : m_options(std::move(options)),
      m_host(
          [this](LoadEvent event) {
            QMetaObject::invokeMethod(
                this,
                [this, event = std::move(event)]() mutable {
                  std::visit([this](auto& one) { handle(one); }, event);
                },
                Qt::QueuedConnection);
          },
          m_options.markerFolder) {}

/// Starts the trials, which run beside the loads before this one.
LoadTrials ModelPool::trialsOf(const ServedModel& model) const {
  LoadTrials trials;
  if (!m_options.trial) return trials;
  const auto trialOf = [this](const QString& path) {
    return std::make_shared<ModelTrial>(m_options.trial, path);
  };
  if (!model.isDemonstration) trials.model = trialOf(model.path());
  const QString& draft = model.nextRequest.draftPath;
  if (!draft.isEmpty() && model.nextRequest.speculates) trials.draft = trialOf(draft);
  return trials;
}

void ModelPool::load(const LoadRequest& request, bool byUser) {
  const ModelPointer model = findOrAdd(request);
  if (byUser && model->isServing() && request.place != LoadRequest::Place::kInstead &&
      request.loadsLike(model->request)) {
    giveUpLoad(*model);
    return setPrimary(request.path);
  }
  if (!byUser && model->isLoading()) return;
  giveUpLoad(*model);
  model->load = ++m_lastLoad;
  model->nextRequest = request;
  model->becomesPrimary = byUser;
  model->isForgotten = false;
  model->error.clear();
  model->clock.restart();
  model->clock.note(LoadPhase::kWaiting, 0, 0, LoadClock::Clock::now());
  m_queue.push_back({model, model->load, byUser, trialsOf(*model)});
  if (byUser && request.place == LoadRequest::Place::kInstead) giveUpOthers(model);
  if (!m_primary) m_primary = model;
  if (byUser) m_notice = tr("Loading %1…").arg(visibleLine(QFileInfo(request.path).fileName()));
  emit changed();
  pump();
}

void ModelPool::pump() {
  if (m_queue.empty() || !mayBegin()) return;
  m_current = std::move(m_queue.front());
  m_queue.pop_front();
  m_host.plan(m_current->load, planInput(m_current->model->nextRequest, m_current->byUser),
              m_current->trials);
}

bool ModelPool::mayBegin() const {
  return !m_current && std::ranges::none_of(m_models, [](const ModelPointer& model) {
    return model->phase == ModelPhase::kUnloading || model->phase == ModelPhase::kSuspended;
  });
}

LoadPlanInput ModelPool::planInput(const LoadRequest& request, bool mayEndAnswers) const {
  LoadPlanInput input = {.request = request,
                         .backend = m_options.backend,
                         .engine = m_options.engine,
                         .mayEndAnswers = mayEndAnswers};
  for (const ModelPointer& model : m_models) {
    if (!model->isServing()) continue;
    input.loaded.append(factsOf(*model));
    input.loaded.last().isPrimary = model == m_primary;
  }
  return input;
}

/// Ends a queued load, or cancels the running one, which then ends with an event.
void ModelPool::giveUpLoad(ServedModel& model) {
  if (!model.isLoading()) return;
  if (m_current && m_current->load == model.load) {
    m_host.cancel();
    if (std::exchange(m_openRooms, 0) > 0) loadPlanned();  // It ends at once, cancelled.
  }
  std::erase_if(m_queue, [&](const Waiting& waiting) { return waiting.load == model.load; });
  model.load = 0;
  model.becomesPrimary = false;
}

void ModelPool::giveUpOthers(const ModelPointer& model) {
  const bool neverServed = m_primary && m_primary->ready.load == 0;
  if (neverServed) m_primary = model;
  const std::vector<ModelPointer> models = m_models;
  for (const ModelPointer& other : models) {
    if (other != model && other->becomesPrimary) cancelLoad(other->path());
  }
}

void ModelPool::cancelLoad(const QString& path) {
  const ModelPointer model = findPointer(path);
  if (!model || !model->isLoading()) return;
  giveUpLoad(*model);
  if (!nextPrimary()) m_notice.clear();
  const bool wasNeverThere = isEmpty(model->phase) && model->ready.load == 0;
  model->isForgotten = wasNeverThere && model != m_primary;
  const bool isUnderWay = m_current && m_current->model == model;
  if (model->isForgotten && !isUnderWay) remove(*model);
  if (wasNeverThere && model == m_primary) {
    model->error = tr("Loading was cancelled. Load a model to go on.");
    model->failedMs = 0;
    m_notice = model->error;
  }
  emit changed();
}

void ModelPool::unload(const QString& path) {
  const ModelPointer model = findPointer(path);
  if (!model) return;
  giveUpLoad(*model);
  electPrimary(*model);
  model->isForgotten = model != m_primary;
  model->error.clear();
  if (isEmpty(model->phase)) {
    if (model->isForgotten) remove(*model);
  } else {
    leave(*model, tr("The model was unloaded while this answer was being written. What there was "
                     "is kept; regenerate it to have all of it."));
  }
  emit changed();
}

void ModelPool::leave(ServedModel& model, const QString& sentence) {
  if (isEmpty(model.phase) || model.phase == ModelPhase::kUnloading) return;
  model.advance(PhaseEvent::kUnload);
  model.worker->unloadModel(sentence);
}

void ModelPool::electPrimary(const ServedModel& leaving) {
  if (m_primary.get() != &leaving) return;
  for (const ModelPointer& model : m_models) {
    if (model.get() == &leaving || !model->isServing()) continue;
    if (m_primary.get() == &leaving || model->lastUsedMs > m_primary->lastUsedMs) m_primary = model;
  }
}

void ModelPool::setPrimary(const QString& path) {
  const ModelPointer model = findPointer(path);
  if (!model) return;
  for (const ModelPointer& other : m_models) other->becomesPrimary = false;
  m_primary = model;
  m_notice = model->isLoading() ? m_notice : model->error;
  emit changed();
}

void ModelPool::unloadIdle(const std::function<bool(const ServedModel&)>& isTooLong) {
  for (const ModelPointer& model : m_models) {
    const bool isIdle = model->isServing() && !model->isLoading() && model->running == 0;
    if (!isIdle || !isTooLong(*model)) continue;
    leave(*model, {});
    emit changed();
  }
}

void ModelPool::onWorkerEvent(ServedModel& model, const WorkerEvent& event) {
  if (const auto* ready = std::get_if<ModelReady>(&event)) return handle(model, *ready);
  if (const auto* failed = std::get_if<ModelFailed>(&event)) return handle(model, *failed);
  if (const auto* room = std::get_if<RoomMade>(&event)) return handle(model, *room);
  if (const auto* left = std::get_if<ModelUnloaded>(&event)) return handle(model, *left);
  m_options.onEvent(model, event);
}

void ModelPool::handle(const LoadProgressed& event) {
  if (!m_current || m_current->load != event.load) return;
  ServedModel& model = *m_current->model;
  if (model.load != event.load) return;
  const bool isNewPhase = model.clock.phase() != event.phase;
  model.clock.note(event.phase, event.doneBytes, event.totalBytes, LoadClock::Clock::now());
  const bool isTooSoon =
      m_sinceProgress.isValid() && m_sinceProgress.elapsed() < kProgressIntervalMs;
  if (isTooSoon && !isNewPhase) return;
  m_sinceProgress.start();
  emit changed();
}

void ModelPool::handle(const LoadPlanned& event) {
  const QString& error = event.planned.plan.error;
  const bool isGivenUp = m_current->model->load != event.load;
  if (isGivenUp || !error.isEmpty()) return endCurrent(isGivenUp ? QString() : error);
  m_planned = event.planned;
  m_current->model->replaces = event.planned.plan.replaces;
  m_openRooms = 0;
  for (const QString& path : event.planned.givesRoomFirst) {
    ServedModel* const model = find(path);
    if (model == nullptr || !model->isServing()) continue;
    model->advance(PhaseEvent::kSuspend);
    model->worker->suspend(/*afterAnswers=*/model == m_current->model.get());
    ++m_openRooms;
  }
  if (m_openRooms == 0) loadPlanned();
}

void ModelPool::handle(ServedModel&, const RoomMade&) {
  if (m_openRooms > 0 && --m_openRooms == 0) loadPlanned();
}

void ModelPool::handle(LoadEnded& event) {
  ServedModel& model = *m_current->model;
  const bool isWanted = model.load == event.load;
  if (isWanted && event.model) return model.worker->adoptModel(event.load, std::move(event.model));
  if (event.model) m_host.discard(std::move(event.model));
  endCurrent(isWanted ? event.error : QString());
}

/// The running load failed, or was cancelled if there is no error.
void ModelPool::endCurrent(const QString& error) {
  const ModelPointer model = std::exchange(m_current, std::nullopt)->model;
  m_host.giveUp();
  m_openRooms = 0;
  resumeSuspended();
  if (!error.isEmpty()) {
    model->load = 0;
    model->error = error;
    model->failedMs = QDateTime::currentMSecsSinceEpoch();
    if (std::exchange(model->becomesPrimary, false)) {
      m_notice = error;
      emit loadFailed(error);
    }
  }
  if (model->isForgotten && !model->isLoading()) remove(*model);
  emit changed();
  pump();
}

void ModelPool::resumeSuspended() {
  for (const ModelPointer& model : m_models) {
    if (model->phase == ModelPhase::kSuspended) model->worker->resume();
  }
}

void ModelPool::handle(ServedModel& model, const ModelReady& event) {
  model.ready = event;
  model.ready.model.isDemonstration = model.isDemonstration;
  model.advance(PhaseEvent::kReady);
  if (m_current && m_current->load == event.load) takeOver(*std::exchange(m_current, std::nullopt));
  emit changed();
  pump();
}

/// The model of the running load serves now.
void ModelPool::takeOver(const Waiting& loaded) {
  ServedModel& model = *loaded.model;
  model.request = model.nextRequest;
  model.planned = m_planned;
  model.touch();
  if (model.load != loaded.load) {  // The load was cancelled too late.
    resumeSuspended();
    if (model.isForgotten) return leave(model, {});
    // The model serves, so that no notice or error may say otherwise.
    if (m_notice == model.error && !nextPrimary()) m_notice.clear();
    if (!model.isLoading()) model.error.clear();
    return;
  }
  model.load = 0;
  evictReplaced(model);
  if (std::exchange(model.becomesPrimary, false)) m_primary = loaded.model;
  if (!nextPrimary()) m_notice.clear();
}

void ModelPool::evictReplaced(ServedModel& by) {
  for (const QString& path : std::exchange(by.replaces, {})) {
    ServedModel* const model = find(path);
    if (model == nullptr || model == &by) continue;
    model->isForgotten = by.becomesPrimary;
    leave(*model, tr("Another model was loaded while this answer was being written. What there was "
                     "is kept; regenerate it to have all of it."));
  }
}

void ModelPool::handle(ServedModel& model, const ModelFailed& event) {
  model.advance(PhaseEvent::kFail);
  model.error = event.error;
  model.ready = {};
  if (&model == m_primary.get() && !nextPrimary()) {
    m_notice = event.error;
    emit loadFailed(event.error);
  }
  emit changed();
  pump();
}

void ModelPool::handle(ServedModel& model, const ModelUnloaded&) {
  model.advance(PhaseEvent::kUnloaded);
  model.stats = {};
  model.report = {};
  if (model.isForgotten && !model.isLoading() && &model != m_primary.get()) remove(model);
  emit changed();
  pump();
}

ModelPool::ModelPointer ModelPool::findPointer(const QString& path) const {
  const auto found = std::ranges::find(m_models, path, [](const auto& m) { return m->path(); });
  return found == m_models.end() ? nullptr : *found;
}

ServedModel* ModelPool::nextPrimary() const {
  ServedModel* next = nullptr;
  for (const ModelPointer& model : m_models) {
    const bool isLater = next == nullptr || model->load > next->load;
    if (model->isLoading() && model->becomesPrimary && isLater) next = model.get();
  }
  return next;
}

ModelPool::ModelPointer ModelPool::findOrAdd(const LoadRequest& request) {
  if (ModelPointer model = findPointer(request.path)) return model;
  const auto added = std::make_shared<ServedModel>(ServedModel{.request = request});
  added->isDemonstration = isSameFolder(request.path, m_options.bundledModelPath);
  const auto tell = [this, weak = std::weak_ptr(added)](WorkerEvent event) {
    const auto pass = [this, weak, event = std::move(event)] {
      if (const ModelPointer model = weak.lock()) onWorkerEvent(*model, event);
    };
    QMetaObject::invokeMethod(this, pass, Qt::QueuedConnection);
  };
  added->worker = std::make_unique<EngineWorker>(tell, m_options.trial);
  return m_models.emplace_back(added);
}

void ModelPool::remove(const ServedModel& model) {
  // The worker has no model, so that its thread ends at once.
  std::erase_if(m_models, [&](const ModelPointer& one) { return one.get() == &model; });
}

QList<ModelState> ModelPool::states() const {
  QList<ModelState> states;
  for (const ModelPointer& model : m_models) {
    if (model->isForgotten && !model->isLoading()) continue;
    const ModelState state = stateOf(*model, model == m_primary);
    state.primary ? states.prepend(state) : states.append(state);
  }
  return states;
}

}  // namespace quire
