#include "app/remote/keychain_store.h"

#include <qt6keychain/keychain.h>

namespace quire {
namespace {

const QString kService = QStringLiteral("Quire");

}  // namespace

void KeychainStore::read(const QString& name, Reply<SecretReading> reply) {
  QMetaObject::invokeMethod(
      this, [this, name, reply = std::move(reply)] { startReading(name, reply); },
      Qt::QueuedConnection);
}

void KeychainStore::write(const QString& name, const QString& secret, Reply<SecretStoring> reply) {
  QMetaObject::invokeMethod(
      this, [this, name, secret, reply = std::move(reply)] { startWriting(name, secret, reply); },
      Qt::QueuedConnection);
}

void KeychainStore::remove(const QString& name) {
  QMetaObject::invokeMethod(
      this,
      [this, name] {
        m_known.remove(name);
        auto* const job = new QKeychain::DeletePasswordJob(kService, this);
        job->setKey(name);
        job->start();
      },
      Qt::QueuedConnection);
}

void KeychainStore::startReading(const QString& name, const Reply<SecretReading>& reply) {
  if (const auto known = m_known.constFind(name); known != m_known.cend()) {
    return reply({.secret = *known, .error = {}});
  }
  auto* const job = new QKeychain::ReadPasswordJob(kService, this);
  job->setKey(name);
  connect(job, &QKeychain::Job::finished, this, [this, name, reply](QKeychain::Job* done) {
    const auto error = done->error();
    if (error == QKeychain::NoError) {
      m_known[name] = static_cast<QKeychain::ReadPasswordJob*>(done)->textData();
    }
    const bool isMissing = error == QKeychain::NoError || error == QKeychain::EntryNotFound;
    reply({.secret = m_known.value(name),
           .error = isMissing
                        ? QString()
                        : tr("The system's keychain cannot be read: %1").arg(done->errorString())});
  });
  job->start();
}

void KeychainStore::startWriting(const QString& name, const QString& secret,
                                 const Reply<SecretStoring>& reply) {
  m_known[name] = secret;
  auto* const job = new QKeychain::WritePasswordJob(kService, this);
  job->setKey(name);
  job->setTextData(secret);
  connect(job, &QKeychain::Job::finished, this, [reply](QKeychain::Job* done) {
    const bool isStored = done->error() == QKeychain::NoError;
    reply({.isStored = isStored, .error = isStored ? QString() : done->errorString()});
  });
  job->start();
}

}  // namespace quire
