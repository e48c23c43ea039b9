#pragma once

#include <QHash>

#include <mutex>

#include "app/remote/secret_store.h"
#include "app/task_runner.h"

namespace quire {

/// Remembers secrets until it is destroyed, for tests and where there is no keychain.
/// Thread: any; replies come on a thread of its own.
class MemorySecrets : public SecretStore {
 public:
  void read(const QString& name, Reply<SecretReading> reply) override {
    m_tasks.post(
        [this, name, reply = std::move(reply)] { reply({.secret = find(name), .error = {}}); });
  }
  void write(const QString& name, const QString& secret, Reply<SecretStoring> reply) override {
    {
      const std::lock_guard lock(m_mutex);
      m_secrets[name] = secret;
    }
    m_tasks.post([storing = storing, reply = std::move(reply)] { reply(storing); });
  }
  void remove(const QString& name) override {
    const std::lock_guard lock(m_mutex);
    m_secrets.remove(name);
  }

  QString find(const QString& name) const {
    const std::lock_guard lock(m_mutex);
    return m_secrets.value(name);
  }
  SecretStoring storing;  ///< What write() replies. Set before the first call.

 private:
  mutable std::mutex m_mutex;
  QHash<QString, QString> m_secrets;  ///< Guarded by m_mutex.
  TaskRunner m_tasks;                 ///< Destroyed first.
};

}  // namespace quire
