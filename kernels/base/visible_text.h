#pragma once

#include <string>
#include <string_view>

namespace quire {

/// Untrusted text without characters that control a terminal, change the order of the text beside
/// them or hide in it: control characters (C0, DEL, C1), line and paragraph separators,
/// bidirectional marks, embeddings and isolates, and invisible characters such as the zero-width
/// space, fillers, the byte order mark, the soft hyphen and tags become signs such as <U+202E>;
/// bytes that are no UTF-8 become signs such as <0xFF>. Joiners (U+200C, U+200D) and the variation
/// selectors U+FE00 to U+FE0F stay: Persian and emoji need them. `kept` lists ASCII control
/// characters that stay as they are.
/// Thread: any.
std::string visible_text(std::string_view text, std::string_view kept = {});

/// The same for names and answers, which people read and nobody runs or opens: the invisible
/// characters that spelling needs stay too. These are U+200B (between words of Khmer, Thai and
/// Lao), U+180B to U+180F (Mongolian) and U+E0100 to U+E01EF (forms of ideographs in Japanese
/// names).
/// Thread: any.
std::string visible_prose(std::string_view text, std::string_view kept = {});

/// visible_prose() for text that arrives in pieces and goes to a terminal: line ends and tabs stay,
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
