#pragma once

#include <QByteArrayView>
#include <QString>

#include <algorithm>

namespace quire {

/// "c" of "a/b/c".
inline QString fileNameOf(const QString& path) {
  return path.mid(path.lastIndexOf(u'/') + 1);
}

/// Whether a file holds weights of that format, by its name.
inline bool isGguf(const QString& path) {
  return path.endsWith(QLatin1String(".gguf"), Qt::CaseInsensitive);
}
inline bool isSafetensors(const QString& path) {
  return path.endsWith(QLatin1String(".safetensors"), Qt::CaseInsensitive);
}

/// Whether a GGUF file is an image encoder for another model (mmproj), by its name.
inline bool isProjector(const QString& path) {
  return isGguf(path) && fileNameOf(path).contains(QLatin1String("mmproj"), Qt::CaseInsensitive);
}

/// Whether a text is a number of so many hexadecimal digits, in lower case.
inline bool isHex(QByteArrayView text, qsizetype digits) {
  return text.size() == digits && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

}  // namespace quire
