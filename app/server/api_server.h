#pragma once

#include <QObject>
#include <QStringList>

#include <functional>
#include <memory>
#include <string>

#include "app/server/http/http_server.h"

namespace quire {

class ChatBackend;
class ModelManager;
class TextBackend;
struct EngineStats;

struct ApiServerOptions {
  QString host = QStringLiteral("127.0.0.1");
  quint16 port = 8000;          ///< 0: any free one.
  QStringList keys = {};        ///< Empty: only this machine's programs may ask.
  QStringList origins = {};     ///< Whose pages browsers may let ask.
  QStringList modelPaths = {};  ///< Offered by name; the first answers requests without a name.
  /// Models that the manager has are offered too.
  bool offersLoadedModels = true;
  int maxRequests = 256;
  HttpLimits limits = {};
  /// What the engine of the model with that path counts, for /metrics; none: not shown.
  std::function<EngineStats(const QString& path)> statsOf = {};
  /// Gets a line for each response (access_log.h), without contents. Thread: the server's.
  std::function<void(const std::string& line)> log = {};
};

/// The API's server: listens while it runs, and keeps the list of models up to date.
/// Thread: that of the ModelManager. Requests are answered on the server's own.
class ApiServer : public QObject {
  Q_OBJECT

 public:
  /// All of them outlive the server.
  ApiServer(ChatBackend& backend, TextBackend& texts, ModelManager& models,
            QObject* parent = nullptr);
  /// Ends as stop().
  ~ApiServer() override;

  /// Returns why it cannot, in one sentence; empty: it runs. A server that runs is stopped first.
  QString start(const ApiServerOptions& options);
  /// Ends what it computes with an error that says so, and closes all connections when the clients
  /// have read it, or after this time.
  void stop(int graceMs = 100);
  bool isRunning() const;
  /// "http://127.0.0.1:8000"; empty unless it runs.
  QString url() const;
  quint16 port() const;
  int numConnections() const;
  /// Answers that are queued or computed.
  int numRequests() const;
  /// The names under which models are offered.
  QStringList modelNames() const;

 signals:
  void runningChanged();
  void modelsChanged();

 private:
  struct State;
  void listModels();
  void measureEngines(double tokensPerSecond, int runningRequests);

  ChatBackend& m_backend;
  TextBackend& m_texts;
  ModelManager& m_manager;
  std::unique_ptr<State> m_state;
};

}  // namespace quire
