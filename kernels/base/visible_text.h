#pragma once

#include <string>
#include <string_view>

namespace quire {

/// Untrusted text without characters that control a terminal or change the order of the text beside
/// them: control characters (C0, DEL, C1), line and paragraph separators, bidirectional marks,
/// embeddings and isolates, and tags (U+E0000 to U+E007F), which are invisible, become signs such
/// as <U+202E>; bytes that are no UTF-8 become signs such as <0xFF>. `kept` lists ASCII control
/// characters that stay as they are.
/// Thread: any.
std::string visible_text(std::string_view text, std::string_view kept = {});

/// visible_text() for text that arrives in pieces and goes to a terminal: line ends and tabs stay,
/// and characters may be split between two pieces.
/// Thread: one.
class TerminalFilter {
 public:
  /// What can be shown so far. At most three bytes, the beginning of a character, are held back.
  std::string pass(std::string_view chunk);
  /// What was held back, as signs. To be called after the last piece.
  std::string end();

 private:
  std::string m_held;
};

}  // namespace quire
