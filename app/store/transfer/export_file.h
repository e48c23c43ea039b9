#pragma once

#include <QSaveFile>
#include <QString>

#include "kernels/base/result.h"

namespace quire {

/// A file that is written piece by piece and is there whole, readable by its owner only, or not at
/// all. Errors: kIo with the path and the reason.
class ExportFile {
 public:
  explicit ExportFile(const QString& path) : m_file(path) {}

  Result<void> open();
  Result<void> write(const QByteArray& piece);
  Result<void> commit();

 private:
  Error error() const;

  QSaveFile m_file;
};

}  // namespace quire
