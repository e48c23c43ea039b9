#pragma once

#include <QString>

#include "app/engine/reply.h"

namespace quire {

/// The result of reading a secret.
struct SecretReading {
  QString secret;  ///< Empty: there is none.
  QString error;   ///< Why it cannot be read, in a sentence; else empty.
};

/// The result of storing a secret.
struct SecretStoring {
  /// The keychain has it. Otherwise it is remembered until the program ends.
  bool isStored = true;
  QString error;  ///< Why it is not stored; else empty.
};

/// Keeps secrets such as API keys by name, outside the user's data.
/// Thread: any. No call blocks, and none calls a reply itself. The store outlives every call.
class SecretStore {
 public:
  virtual ~SecretStore() = default;

  virtual void read(const QString& name, Reply<SecretReading> reply) = 0;
  virtual void write(const QString& name, const QString& secret, Reply<SecretStoring> reply) = 0;
  virtual void remove(const QString& name) = 0;
};

}  // namespace quire
