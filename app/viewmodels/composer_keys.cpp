#include "app/viewmodels/composer_keys.h"

namespace quire {

bool ComposerKeys::handle(int key, int modifiers, bool composing) {
  if (composing) return false;
  if (key == Qt::Key_Escape) {
    emit cancelRequested();
    return true;
  }
  const bool isReturn = key == Qt::Key_Return || key == Qt::Key_Enter;
  if (!isReturn || (modifiers & (Qt::ShiftModifier | Qt::AltModifier)) != 0) return false;
  emit sendRequested();
  return true;
}

}  // namespace quire
