#include "app/chat/composer_keys.h"

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

bool ComposerKeys::isText(const QString& text, int modifiers) const {
  const bool isCommand =
      (modifiers & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) != 0;
  return !isCommand && !text.isEmpty() && text.front().isPrint();
}

}  // namespace quire
