#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace quire {

enum class Utf8Status {
  kWhole,    ///< One well-formed character.
  kInvalid,  ///< Bytes that no continuation makes a character.
  kCut,      ///< A character's beginning, and the text ends.
};

struct Utf8Unit {
  Utf8Status status = Utf8Status::kWhole;
  size_t length = 0;  ///< Bytes: of the character, or of the maximal subpart of an ill-formed one.
};

/// The unit at the start of `text`, which is not empty (Unicode 15, table 3-7, and section 3.9
/// "U+FFFD substitution of maximal subparts").
Utf8Unit next_utf8(std::string_view text);

/// Whether all of `text` is well-formed.
bool is_valid_utf8(std::string_view text);

/// U+FFFD, which replaces each maximal ill-formed subpart.
inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

/// Turns chunks of bytes into whole characters. Independent of the chunks, the joined output is the
/// input with each maximal ill-formed subpart replaced by U+FFFD.
/// Thread: one at a time. Invariants: m_held is the beginning of a character, at most 3 bytes.
class Utf8Stream {
 public:
  /// Appends to `out` what is whole after `bytes`.
  void append(std::string_view bytes, std::string& out);
  /// The text ends: a held beginning becomes U+FFFD.
  void finish(std::string& out);

 private:
  std::string m_held;
};

}  // namespace quire
