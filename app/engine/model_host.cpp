#include "app/engine/model_host.h"

#include <filesystem>
#include <functional>
#include <new>
#include <utility>

#include "app/engine/thread_priority.h"
#include "app/error_strings.h"
#include "engine/model_loader.h"

namespace quire {

ModelHost::ModelHost(Outbox& outbox) : m_outbox(outbox), m_thread([this] { run(); }) {}

ModelHost::~ModelHost() {
  {
    const std::lock_guard lock(m_mutex);
    m_stopping = true;
    m_cancelled = true;
  }
  m_changed.notify_all();
  m_thread.join();
}

void ModelHost::load(LoadNumber number, const LoadPlanInput& input) {
  {
    const std::lock_guard lock(m_mutex);
    m_wanted.emplace(number, input);
    m_cancelled = m_stopping;
  }
  m_changed.notify_all();
}

void ModelHost::goOn(LoadNumber number) {
  {
    const std::lock_guard lock(m_mutex);
    m_mayGoOn = number;
  }
  m_changed.notify_all();
}

void ModelHost::cancel(LoadNumber number) {
  {
    const std::lock_guard lock(m_mutex);
    const bool isWanted = m_wanted && m_wanted->first == number;
    if (m_current != number && !isWanted) return;
    m_cancelled = true;
  }
  m_changed.notify_all();
}

std::unique_ptr<ServingModel> ModelHost::takeModel(LoadNumber number) {
  const std::lock_guard lock(m_mutex);
  return m_done == number ? std::move(m_model) : nullptr;
}

void ModelHost::run() {
  letTheWindowGoFirst();  // What it loads computes on threads that this one starts.
  std::unique_lock lock(m_mutex);
  while (true) {
    m_changed.wait(lock, [this] { return m_stopping || m_wanted; });
    if (m_stopping) return;
    const auto [number, input] = *std::exchange(m_wanted, std::nullopt);
    m_current = number;
    const auto unwanted = std::move(m_model);  // Of a load that nobody took.
    lock.unlock();
    carryOut(number, input);
    lock.lock();
  }
}

void ModelHost::carryOut(LoadNumber number, const LoadPlanInput& input) {
  m_outbox.push(LoadProgressed{.load = number, .phase = LoadPhase::kHead});
  const PlannedLoad planned = planLoad(input);
  if (!planned.plan.error.isEmpty()) {
    return end(number, Error{ErrorCode::kInvalidArgument, ""}, planned.plan.error);
  }
  m_outbox.push(LoadPlanned{number, planned});
  if (!waitForRoom(number)) return end(number, Error{ErrorCode::kCancelled, ""});
  end(number, loadModel(number, planned));
}

bool ModelHost::waitForRoom(LoadNumber number) {
  std::unique_lock lock(m_mutex);
  m_changed.wait(lock, [&] { return m_cancelled || m_mayGoOn == number; });
  return !m_cancelled;
}

void ModelHost::end(LoadNumber number, Loaded model, const QString& sentence) {
  LoadEnded ended = {.load = number, .isCancelled = m_cancelled};
  if (!model && !ended.isCancelled) {
    ended.error = sentence.isEmpty() ? errorText(model.error()) : sentence;
  }
  {
    const std::lock_guard lock(m_mutex);
    m_current = 0;
    m_done = number;
    if (model && !ended.isCancelled) m_model = std::move(*model);
  }
  if (model && ended.isCancelled) model->reset();  // Its memory is free before anybody hears of it.
  m_outbox.push(std::move(ended));
}

namespace {

Error outOfMemory(const QString& path) {
  return make_error(ErrorCode::kOutOfMemory,
                    "There is not enough memory to load \"%1\". Close other programs, or choose a "
                    "smaller model.",
                    {path.toStdString()});
}

/// What ServingModel::reopen does, on the engine's thread.
Result<void> reopen(const EngineOptions& options, ServingModel& serving) try {
  const std::filesystem::path path(serving.path.toStdU16String());
  return serving.engine->reopen(path, {.max_context = options.max_context}, serving.devices);
} catch (const std::bad_alloc&) {
  return outOfMemory(serving.path);
}

}  // namespace

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

}  // namespace

ModelHost::Loaded ModelHost::loadModel(LoadNumber number, const PlannedLoad& planned) const try {
  const EngineOptions& options = planned.engine;
  auto devices = ModelDevices::open(planned.backend);
  if (!devices) return devices.error();
  uint64_t total = 0;
  const auto progressed = [&](LoadStep step, uint64_t done, uint64_t all) {
    total = all;
    m_outbox.push(LoadProgressed{number, phaseOf(step), done, all});
  };
  const LoadOptions load = {
      .stepped = progressed, .cancelled = &m_cancelled, .max_context = options.max_context};
  const QString& name = planned.plan.request.path;
  auto model = load_model(std::filesystem::path(name.toStdU16String()), *devices, options, load);
  if (!model) return model.error();
  m_outbox.push(LoadProgressed{number, LoadPhase::kCache, total, total});
  auto engine = Engine::create(std::move(*model), options);
  if (!engine) return engine.error();
  return std::make_unique<ServingModel>(ServingModel{name, std::move(*devices), std::move(*engine),
                                                     std::bind_front(reopen, options)});
} catch (const std::bad_alloc&) {
  return outOfMemory(planned.plan.request.path);
}

}  // namespace quire
