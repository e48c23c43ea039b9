#pragma once

#include <QCoreApplication>

#include "kernels/base/result.h"

namespace quire {

/// The store's error sentences in the window's language; English in programs that load no
/// translation (the command line). Thread: any.
class StoreWords {
  Q_DECLARE_TR_FUNCTIONS(quire::StoreWords)
};

inline Error storeError(ErrorCode code, const QString& sentence) {
  return {code, sentence.toStdString()};
}

}  // namespace quire
