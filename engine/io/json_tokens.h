#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/io/json_file.h"

namespace quire {

/// A token of a JSON text that must not reach nlohmann's parser, which keeps a token twice and
/// copies one that it refuses into its exception several times: with 60 MB it takes 500. What
/// follows a text or number counts as a part of it until the next one, and each line end becomes
/// eight characters of the exception.
struct JsonTokenFault {
  enum class Kind {
    kNumber,    ///< Of more than kMaxJsonNumberBytes.
    kDamaged,   ///< A long text that does not end, or that is not JSON.
    kLongText,  ///< Of more than the limit.
    kGap,       ///< More than kMaxJsonGapBytes without a text or number.
  };
  Kind kind;
  size_t offset;  ///< Where the token begins, or where it stops being JSON.
};

/// Digits are read in more than linear time. A double, as programs write it, has 25 characters.
inline constexpr size_t kMaxJsonNumberBytes = 512;
inline constexpr size_t kMaxJsonGapBytes = size_t{2} << 20;

/// The first such token; nothing if there is none. The text need not be JSON: other faults are left
/// to the parser. Takes a nanosecond a byte and no memory.
std::optional<JsonTokenFault> find_json_token_fault(std::string_view text,
                                                    size_t max_text_bytes = std::string_view::npos);

/// Reads JSON (RFC 8259) token by token, without a document: for texts of many megabytes of which
/// little is kept. Several times faster than nlohmann's parser, which keeps each token twice.
/// It refuses what check_json() refuses, but for keys that are there twice, numbers beyond those of
/// a double and gaps beyond kMaxJsonGapBytes; also a NUL behind the document, which check_json()
/// takes for its end. It says no reason: check_json() does. Never recurses. The text must not
/// change meanwhile. Thread: one. Invariants: after kInvalid and kEnd every token is the same.
class JsonReader {
 public:
  enum class Token {
    kObject,
    kObjectEnd,
    kArray,
    kArrayEnd,
    kKey,
    kString,
    kNatural,  ///< A whole number of 0 or more that 64 bits hold.
    kOther,    ///< Another number, true, false or null.
    kEnd,
    kInvalid,  ///< Not JSON, or beyond the limits.
  };

  /// The text must outlive it. limits.max_depth is at most 64.
  JsonReader(std::string_view text, const JsonLimits& limits);
  JsonReader(const JsonReader&) = delete;

  Token next();
  /// Reads to the end of the value that begins with `first`, which next() has just given.
  void skip(Token first);
  /// Of the key or string that next() has just given, in UTF-8. Valid until the next call.
  std::string_view text() const { return m_value; }
  /// The number that next() has just given as kNatural.
  uint64_t natural() const { return m_natural; }
  bool is_valid() const { return m_state != State::kInvalid; }

 private:
  enum class State {
    kValue,  ///< A value must follow.
    kFirst,  ///< The first item of an object or array, or its end.
    kAfter,  ///< A comma, or the end of what is open.
    kInvalid,
  };

  Token fail() { return m_state = State::kInvalid, Token::kInvalid; }
  /// A value or key has been read, after which `state` holds.
  Token counted(Token token, State state);
  Token item();
  Token key();
  Token value();
  Token number();
  Token literal();
  Token open(Token token);
  Token close();
  bool read_text();
  void decode_text(size_t begin, size_t end);
  void skip_blanks();
  void skip_digits();
  char peek() const { return m_at < m_text.size() ? m_text[m_at] : '\0'; }
  bool is_in_object() const { return m_depth > 0 && (m_objects >> (m_depth - 1) & 1) != 0; }

  std::string_view m_text;
  const int m_max_depth;
  const size_t m_max_values;
  size_t m_at = 0;
  State m_state = State::kValue;
  int m_depth = 0;
  uint64_t m_objects = 0;  ///< By depth, whether what is open is an object.
  size_t m_num_values = 0;
  std::string_view m_value;
  std::string m_decoded;  ///< A text with escapes.
  uint64_t m_natural = 0;
};

}  // namespace quire
