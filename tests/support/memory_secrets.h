#pragma once

#include <QMap>

#include "app/remote/secret_store.h"

namespace quire {

/// A keychain in memory, or none.
class MemorySecrets : public SecretStore {
 public:
  void read(const QString& name, Reply<SecretReading> reply) override {
    reply({.secret = problem.isEmpty() ? secrets.value(name) : QString(), .error = problem});
  }
  void write(const QString& name, const QString& secret, Reply<SecretStoring> reply) override {
    if (problem.isEmpty()) secrets[name] = secret;
    reply({.isStored = problem.isEmpty(), .error = problem});
  }
  void remove(const QString& name) override { secrets.remove(name); }

  QMap<QString, QString> secrets;
  QString problem;  ///< Why there is no keychain; empty: there is one.
};

}  // namespace quire
