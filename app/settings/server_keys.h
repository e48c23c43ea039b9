#pragma once

#include <QString>

#include "app/engine/reply.h"

namespace quire {

/// Keeps the API server's key from one start of the program to the next, outside the user's data.
/// Thread: the window's. No call waits, and none calls a reply itself.
class ServerKeys {
 public:
  struct Reading {
    QString key = {};    ///< Empty: there is none.
    QString error = {};  ///< Why it cannot be read, in a sentence; else empty.
  };

  virtual ~ServerKeys() = default;

  virtual void read(Reply<Reading> reply) = 0;
  /// Replies why the key is forgotten when the program ends, in a sentence; empty: it is not.
  virtual void keep(const QString& key, Reply<QString> reply) = 0;
};

}  // namespace quire
