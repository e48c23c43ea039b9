#pragma once

#include <optional>

#include "app/settings/api_server_control.h"
#include "app/settings/server_keys.h"

namespace quire {

/// A server that does nothing but say that it runs.
class FakeApiServer : public ApiServerControl {
 public:
  QString start(const Options& options) override {
    starts.append(options);
    runs = refusal.isEmpty();
    emit changed();
    return refusal;
  }
  void stop() override {
    ++numStops;
    runs = false;
    emit changed();
  }
  bool isRunning() const override { return runs; }
  quint16 port() const override { return runs ? starts.constLast().port : quint16{0}; }
  int numClients() const override { return clients; }
  int numRequests() const override { return requests; }
  QStringList modelNames() const override { return models; }

  QString refusal;  ///< What start() returns.
  QStringList models = {QStringLiteral("qwen3-8b")};
  int clients = 0;
  int requests = 0;
  bool runs = false;
  int numStops = 0;
  QList<Options> starts;
};

/// Keeps a key in memory; replies when it is told to.
class FakeServerKeys : public ServerKeys {
 public:
  void read(Reply<Reading> reply) override {
    ++numReads;
    pending = reply;
    if (!isSlow) answer();
  }
  void keep(const QString& key, Reply<QString> reply) override {
    if (keepProblem.isEmpty()) kept.key = key;
    reply(keepProblem);
  }
  void answer() {
    if (pending) (*pending)(kept);
  }

  Reading kept;
  QString keepProblem;
  bool isSlow = false;
  int numReads = 0;
  std::optional<Reply<Reading>> pending;
};

}  // namespace quire
