#pragma once

#include <QCoreApplication>

namespace quire {

/// The store's sentences in the window's language: what goes wrong with files, disks and backups is
/// read by people. Programs without a translation (the command line) say them in English. May be
/// asked on every thread.
class StoreWords {
  Q_DECLARE_TR_FUNCTIONS(quire::StoreWords)
};

}  // namespace quire
