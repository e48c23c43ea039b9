#pragma once

#include <QLocale>
#include <QString>

namespace quire {

/// "256 MB", "1.2 GB": in powers of 1000, as file managers show sizes. Amounts that are entered in
/// powers of 1024 are called MiB.
inline QString sizeText(quint64 bytes) {
  const int decimals = bytes >= 1'000'000'000 ? 1 : 0;
  return QLocale().formattedDataSize(static_cast<qint64>(bytes), decimals,
                                     QLocale::DataSizeSIFormat);
}

}  // namespace quire
