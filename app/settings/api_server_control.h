#pragma once

#include <QObject>
#include <QStringList>

namespace quire {

/// Starts and stops the API's server, as the window sees it.
/// Thread: the window's. No call waits for a client.
class ApiServerControl : public QObject {
  Q_OBJECT

 public:
  struct Options {
    quint16 port = 8000;
    bool isPublic = false;  ///< Other computers may connect, too.
    QString key = {};       ///< What clients must know; never empty.
  };

  using QObject::QObject;

  /// Returns why it cannot, in one sentence; empty: it runs. A server that runs is stopped first.
  virtual QString start(const Options& options) = 0;
  /// Cancels what it computes and closes all connections.
  virtual void stop() = 0;

  virtual bool isRunning() const = 0;
  virtual quint16 port() const = 0;    ///< 0 unless it runs.
  virtual int numClients() const = 0;  ///< Connections.
  /// Answers that are queued or computed.
  virtual int numRequests() const = 0;
  /// The names under which models are offered.
  virtual QStringList modelNames() const = 0;

 signals:
  /// It runs or does not any more, or offers other models.
  void changed();
};

}  // namespace quire
