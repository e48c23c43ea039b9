#pragma once

#include <QString>

#include "kernels/base/visible_text.h"

namespace quire {

/// visible_text() of a model's, file's or other stranger's name, or a sentence with one, that the
/// window shows. Line ends stay.
inline QString visibleString(const QString& text) {
  return QString::fromStdString(visible_text(text.toStdString(), "\n"));
}

/// The same on one line, for what is written within or as a single line.
inline QString visibleLine(const QString& text) {
  return visibleString(text.simplified());
}

}  // namespace quire
