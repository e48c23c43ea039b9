#include "app/server/serve.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <optional>

#include "app/end_signals.h"
#include "app/engine/engine_service.h"
#include "app/server/api_server.h"
#include "platform/program.h"

namespace quire {
namespace {

/// For clients to read that the server ends.
constexpr int kGraceMs = 2000;

/// Sockets of all connections, and what models and the cache keep open.
constexpr int kOpenFiles = 2048;

QStringList listOf(const std::vector<std::string>& strings) {
  QStringList list;
  for (const std::string& one : strings) list.append(QString::fromStdString(one));
  return list;
}

/// The program's models, server and signals while it runs.
class Serving {
 public:
  explicit Serving(const ServeOptions& options)
      : m_options(options),
        m_paths(listOf(options.models)),
        m_engine({.modelPath = {},
                  .backend = options.backend,
                  .engine = options.engine,
                  .bundledModelPath = QString::fromStdString(options.bundledModel),
                  .trial = {},
                  .markerFolder = {}}),
        m_server(m_engine, m_engine, m_engine) {}

  Result<void> run() {
    const QString refused = m_server.start(serverOptions());
    if (!refused.isEmpty()) return Error{ErrorCode::kIo, refused.toStdString()};
    QObject::connect(&m_engine, &EngineService::loadFailed, [this](const QString& sentence) {
      if (m_isReady) return;
      m_error = Error{ErrorCode::kIo, sentence.toStdString()};
      QCoreApplication::exit();
    });
    QObject::connect(&m_engine, &EngineService::modelsChanged, [this] { onModelsChanged(); });
    m_engine.setIdleUnload(m_options.idleMinutes);
    m_engine.loadModel(
        {.path = m_paths.first(), .draftPath = QString::fromStdString(m_options.draft)});
    const EndSignals endSignals;
    QCoreApplication::exec();
    m_server.stop(kGraceMs);
    if (m_error) return *m_error;
    return {};
  }

 private:
  ApiServerOptions serverOptions() {
    return {.host = QString::fromStdString(m_options.host),
            .port = m_options.port,
            .keys = listOf(m_options.keys),
            .origins = listOf(m_options.origins),
            .modelPaths = m_paths,
            .offersLoadedModels = false,
            .maxRequests = m_options.maxRequests,
            .statsOf = [this](const QString& path) { return m_engine.stats(path); },
            .log = m_options.log};
  }

  void onModelsChanged() {
    if (m_isReady || m_engine.modelPath() != m_paths.first()) return;
    m_isReady = true;
    std::vector<std::string> names;
    for (const QString& name : m_server.modelNames()) names.push_back(name.toStdString());
    if (m_options.ready) m_options.ready(m_server.url().toStdString(), names);
  }

  const ServeOptions& m_options;
  const QStringList m_paths;
  bool m_isReady = false;
  std::optional<Error> m_error;
  EngineService m_engine;
  ApiServer m_server;  ///< Destroyed before the engine.
};

}  // namespace

Result<void> serve(const ServeOptions& options) {
  int argc = 1;
  std::string name = "quire-cli";
  std::array<char*, 2> argv = {name.data(), nullptr};
  platform::allow_open_files(kOpenFiles);
  const QCoreApplication application(argc, argv.data());
  return Serving(options).run();
}

}  // namespace quire
