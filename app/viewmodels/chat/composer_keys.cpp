#include "app/viewmodels/chat/composer_keys.h"

namespace quire {

bool ComposerKeys::handle(int key, int modifiers, bool composing) {
  const bool isReturn = key == Qt::Key_Return || key == Qt::Key_Enter;
  if (composing) return isReturn;
  if (key == Qt::Key_Escape) {
    emit cancelRequested();
    return true;
  }
  if (!isReturn || (modifiers & (Qt::ShiftModifier | Qt::AltModifier)) != 0) return false;
  emit sendRequested();
  return true;
}

}  // namespace quire
