#pragma once

#include <QString>
#include <QTemporaryDir>

#include <memory>

#include "app/store/conversation_store.h"

namespace quire {

/// The progress of a transfer that nobody cancels.
inline bool goOn(qint64, qint64) {
  return true;
}

template <typename T>
QString errorOf(const Result<T>& result) {
  return result ? QString() : QString::fromStdString(result.error().message);
}

/// A store in a folder of its own.
struct Place {
  QTemporaryDir folder;
  std::unique_ptr<ConversationStore> store;

  Place() : store(*ConversationStore::open(folder.path())) {}
  QString path() const { return folder.path(); }
};

}  // namespace quire
