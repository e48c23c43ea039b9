#include "app/server_link.h"

#include <utility>

namespace quire {
namespace {

const QString kKeyName = QStringLiteral("server.key");

/// The API's server as the window's switch. The server owns it, and so outlives it.
class ServerSwitch : public ApiServerControl {
 public:
  ServerSwitch(ApiServer& server, std::function<EngineStats(const QString& path)> statsOf)
      : ApiServerControl(&server), m_server(server), m_statsOf(std::move(statsOf)) {
    connect(&server, &ApiServer::runningChanged, this, &ApiServerControl::changed);
    connect(&server, &ApiServer::modelsChanged, this, &ApiServerControl::changed);
  }

  QString start(const Options& options) override {
    return m_server.start(
        {.host = options.isPublic ? QStringLiteral("0.0.0.0") : QStringLiteral("127.0.0.1"),
         .port = options.port,
         .keys = {options.key},
         .statsOf = m_statsOf});
  }
  void stop() override { m_server.stop(); }
  bool isRunning() const override { return m_server.isRunning(); }
  quint16 port() const override { return m_server.port(); }
  int numClients() const override { return m_server.numConnections(); }
  int numRequests() const override { return m_server.numRequests(); }
  QStringList modelNames() const override { return m_server.modelNames(); }

 private:
  ApiServer& m_server;
  const std::function<EngineStats(const QString& path)> m_statsOf;
};

/// The server's key among the user's secrets.
class SecretKeys : public ServerKeys {
 public:
  explicit SecretKeys(SecretStore& secrets) : m_secrets(secrets) {}

  void read(Reply<Reading> reply) override {
    m_secrets.read(kKeyName, Reply<SecretReading>([reply](const SecretReading& reading) {
                     reply({.key = reading.secret, .error = reading.error});
                   }));
  }
  void keep(const QString& key, Reply<QString> reply) override {
    m_secrets.write(kKeyName, key, Reply<SecretStoring>([reply](const SecretStoring& storing) {
                      reply(storing.isStored ? QString() : storing.error);
                    }));
  }

 private:
  SecretStore& m_secrets;
};

/// Keeps the keys as long as the server.
class KeysOwner : public QObject {
 public:
  KeysOwner(SecretStore& secrets, QObject* parent) : QObject(parent), keys(secrets) {}
  SecretKeys keys;
};

}  // namespace

void linkServer(AppModel& app, ApiServer& server, SecretStore& secrets,
                std::function<EngineStats(const QString& path)> statsOf) {
  auto* owner = new KeysOwner(secrets, &server);
  app.server()->setControl(new ServerSwitch(server, std::move(statsOf)), &owner->keys);
}

}  // namespace quire
