#pragma once

#include <QString>

#include "kernels/base/visible_text.h"

namespace quire {

/// visible_text() of a name or sentence that the window shows. Line ends stay.
inline QString visibleString(const QString& text) {
  return QString::fromStdString(visible_text(text.toStdString(), "\n"));
}

}  // namespace quire
