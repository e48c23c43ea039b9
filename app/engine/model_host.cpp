#include "app/engine/model_host.h"

#include <filesystem>
#include <functional>
#include <new>
#include <utility>

#include "engine/model_loader.h"
#include "engine/reopen_model.h"

namespace quire {

ModelHost::ModelHost(Options options)
    : m_options(std::move(options)), m_thread([this] { run(); }) {}

ModelHost::~ModelHost() {
  {
    const std::lock_guard lock(m_mutex);
    m_stopping = true;
    m_cancelled = true;
  }
  m_changed.notify_all();
  m_thread.join();
}

void ModelHost::load(LoadNumber number, const QString& path, std::shared_future<void> room) {
  {
    const std::lock_guard lock(m_mutex);
    m_wanted = Wanted{number, path, std::move(room)};
    m_cancelled = true;
  }
  m_changed.notify_all();
}

void ModelHost::run() {
  std::unique_lock lock(m_mutex);
  while (true) {
    m_changed.wait(lock, [this] { return m_stopping || m_wanted; });
    if (m_stopping) return;
    const Wanted wanted = *std::exchange(m_wanted, std::nullopt);
    m_cancelled = false;
    lock.unlock();
    auto model = loadModel(wanted);
    lock.lock();
    if (m_stopping || m_wanted) continue;  // Nobody waits for this one any more.
    lock.unlock();
    m_options.loaded(wanted.number, std::move(model));
    lock.lock();
  }
}

namespace {

Error outOfMemory(const QString& path) {
  return {ErrorCode::kOutOfMemory, "There is not enough memory to load \"" + path.toStdString() +
                                       "\". Close other programs, or choose a smaller model."};
}

/// What ServingModel::reopen does, on the engine's thread.
Result<void> reopen(const EngineOptions& options, ServingModel& serving) try {
  const std::filesystem::path path(serving.path.toStdU16String());
  return reopen_model(path, options, {.max_context = options.max_context}, serving.devices,
                      *serving.engine);
} catch (const std::bad_alloc&) {
  return outOfMemory(serving.path);
}

}  // namespace

Result<std::unique_ptr<ServingModel>> ModelHost::loadModel(const Wanted& wanted) const try {
  wanted.room.wait();
  auto devices = ModelDevices::open(m_options.backend);
  if (!devices) return devices.error();
  const LoadOptions options = {
      .progress = [&](float fraction) { m_options.progressed(wanted.number, fraction); },
      .cancelled = &m_cancelled,
      .max_context = m_options.engine.max_context};
  const std::filesystem::path path(wanted.path.toStdU16String());
  auto model = load_model(path, *devices, m_options.engine, options);
  if (!model) return model.error();
  auto engine = Engine::create(std::move(*model), m_options.engine);
  if (!engine) return engine.error();
  return std::make_unique<ServingModel>(ServingModel{wanted.path, std::move(*devices),
                                                     std::move(*engine),
                                                     std::bind_front(reopen, m_options.engine)});
} catch (const std::bad_alloc&) {
  return outOfMemory(wanted.path);
}

}  // namespace quire
