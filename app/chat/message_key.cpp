#include "app/chat/message_key.h"

#include <Qt>

namespace quire {

bool handleMessageKey(int key, int modifiers, bool composing, const std::function<void()>& send,
                      const std::function<void()>& cancel) {
  const bool isReturn = key == Qt::Key_Return || key == Qt::Key_Enter;
  if (composing) return isReturn;
  if (key == Qt::Key_Escape) {
    cancel();
    return true;
  }
  if (!isReturn || (modifiers & (Qt::ShiftModifier | Qt::AltModifier)) != 0) return false;
  send();
  return true;
}

}  // namespace quire
