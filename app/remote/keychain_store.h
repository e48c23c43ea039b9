#pragma once

#include <QHash>
#include <QObject>

#include "app/remote/secret_store.h"

namespace quire {

/// The system's keychain: the Secret Service or KWallet. A secret is asked for once; where no
/// keychain can be reached, secrets are remembered until the program ends, never written in plain
/// text.
///
/// Thread: any for the interface's calls; it works and replies in the thread of its creation, which
/// has an event loop.
class KeychainStore : public QObject, public SecretStore {
  Q_OBJECT

 public:
  using QObject::QObject;

  void read(const QString& name, Reply<SecretReading> reply) override;
  void write(const QString& name, const QString& secret, Reply<SecretStoring> reply) override;
  void remove(const QString& name) override;

 private:
  void startReading(const QString& name, const Reply<SecretReading>& reply);
  void startWriting(const QString& name, const QString& secret, const Reply<SecretStoring>& reply);

  QHash<QString, QString> m_known;  ///< Secrets that were read or written, by name.
};

}  // namespace quire
