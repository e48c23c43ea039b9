#pragma once

#include <functional>

namespace quire {

/// Handles the keys that all fields for messages have: Return sends, and Escape cancels. Returns
/// false for other keys, and for Return with Shift or Alt, which breaks the line. `composing`: an
/// input method is active, and Return only commits its text.
bool handleMessageKey(int key, int modifiers, bool composing, const std::function<void()>& send,
                      const std::function<void()>& cancel);

}  // namespace quire
