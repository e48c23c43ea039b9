#include "engine/io/json_file.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "engine/io/json_tokens.h"
#include "engine/io/ordered_json_builder.h"
#include "engine/io/read_file.h"
#include "engine/io/text.h"

namespace quire {
namespace {

using nlohmann::json;

/// "line 3, column 7" of a byte offset.
std::string place_text(std::string_view text, size_t offset) {
  size_t line = 1, column = 1;
  for (char c : text.substr(0, offset > 0 ? offset - 1 : 0)) {
    line += c == '\n' ? 1 : 0;
    column = c == '\n' ? 1 : column + 1;
  }
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

/// "unexpected end of input; expected '}'": the parser's own words, without the place, which it
/// counts in another way, and without the text, which may be secret.
std::string reason_of(const nlohmann::detail::exception& error) {
  constexpr int kNumberOutOfRange = 406;
  if (error.id == kNumberOutOfRange) return "a number is too large";
  const std::string_view message = error.what();
  const size_t begin = message.find(" - ");
  if (begin == message.npos) return {};
  const std::string_view reason = message.substr(begin + 3);
  return visible_text(std::string(reason.substr(0, reason.find("; last read"))));
}

/// Walks a text once without keeping it, and stops at its first fault. Never recurses.
class LimitChecker final : public nlohmann::json_sax<json> {
 public:
  LimitChecker(std::string_view text, const JsonLimits& limits,
               size_t max_keys = std::numeric_limits<size_t>::max())
      : m_text(text), m_limits(limits), m_max_keys(max_keys) {}

  const std::string& fault() const { return m_fault; }
  /// Where the text stops being JSON; 0: it does not.
  size_t syntax_error_at() const { return m_syntax_error_at; }
  /// What is wrong there, in a few words; empty: not known.
  const std::string& reason() const { return m_reason; }

  bool null() override { return count(); }
  bool boolean(bool) override { return count(); }
  bool number_integer(number_integer_t) override { return count(); }
  bool number_unsigned(number_unsigned_t) override { return count(); }
  bool number_float(number_float_t, const string_t&) override { return count(); }
  bool string(string_t&) override { return count(); }
  bool binary(binary_t&) override { return count(); }
  bool start_object(size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool start_array(size_t) override { return open(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    if (m_limits.unique_keys && !m_open.back().keys.insert(name).second) {
      m_fault = "has the key \"" + for_message(name) + "\" twice";
      return false;
    }
    if (++m_open.back().num_keys > m_max_keys) {
      m_fault = "has an object with more than " + with_separators(m_max_keys) + " keys";
      return false;
    }
    return count();
  }
  bool parse_error(size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    m_syntax_error_at = position;
    m_reason = reason_of(error);
    m_fault = "is not valid JSON at " + place_text(m_text, position);
    return false;
  }

 private:
  /// An object or array that has not ended.
  struct Open {
    std::set<std::string> keys = {};  ///< If they must be unique.
    size_t num_keys = 0;
  };

  bool open() {
    m_open.emplace_back();
    if (static_cast<int>(m_open.size()) > m_limits.max_depth) {
      m_fault = "is nested deeper than " + std::to_string(m_limits.max_depth) + " levels";
      return false;
    }
    return count();
  }
  bool close() {
    m_open.pop_back();
    return true;
  }
  bool count() {
    if (++m_num_values <= m_limits.max_values) return true;
    m_fault = "holds more than " + with_separators(m_limits.max_values) + " values";
    return false;
  }

  std::string_view m_text;
  const JsonLimits& m_limits;
  const size_t m_max_keys;  ///< Of an object.
  std::vector<Open> m_open;
  size_t m_num_values = 0;
  size_t m_syntax_error_at = 0;
  std::string m_reason;
  std::string m_fault;
};

Error corrupt_json_text(std::string_view what, const std::string& fault) {
  return {ErrorCode::kCorruptFile, std::string(what) + " " + fault + "; download it again"};
}

std::string size_fault(uint64_t num_bytes, const JsonLimits& limits) {
  return "is " + with_separators(num_bytes) + " bytes of JSON, more than the " +
         with_separators(limits.max_bytes) + " allowed";
}

/// What the parser is spared, in a few words.
std::string token_reason(const JsonTokenFault& fault) {
  switch (fault.kind) {
    case JsonTokenFault::Kind::kNumber:
      return "a number of more than " + with_separators(kMaxJsonNumberBytes) + " characters";
    case JsonTokenFault::Kind::kGap:
      return "more than " + with_separators(kMaxJsonGapBytes) +
             " characters without a text or number";
    case JsonTokenFault::Kind::kDamaged:
    case JsonTokenFault::Kind::kLongText:
      break;
  }
  return "a text that does not end or is damaged";
}

Error too_large(std::string_view what, uint64_t num_bytes, const JsonLimits& limits) {
  return corrupt_json_text(what, size_fault(num_bytes, limits));
}

}  // namespace

Result<void> check_json(std::string_view text, std::string_view what, const JsonLimits& limits) {
  if (text.size() > limits.max_bytes) return too_large(what, text.size(), limits);
  if (const auto fault = find_json_token_fault(text)) {
    return corrupt_json_text(
        what, "has " + token_reason(*fault) + " at " + place_text(text, fault->offset + 1));
  }
  LimitChecker checker(text, limits);
  if (!json::sax_parse(text, &checker)) return corrupt_json_text(what, checker.fault());
  return {};
}

Result<json> parse_json(std::string_view text, std::string_view what, const JsonLimits& limits) {
  if (auto checked = check_json(text, what, limits); !checked) return checked.error();
  return json::parse(text, nullptr, false);
}

Result<nlohmann::ordered_json> parse_input(std::string_view text, std::string_view what,
                                           const JsonLimits& limits) {
  const auto refused = [what](const std::string& fault) {
    return Error{ErrorCode::kInvalidArgument, std::string(what) + " " + fault};
  };
  const auto no_json = [&](size_t offset, const std::string& reason) {
    // A single line may be one of many, of which the caller tells the number.
    const bool has_lines = text.find('\n') != text.npos;
    const std::string place = place_text(text, offset);
    const size_t begin = has_lines ? 0 : place.find("column");
    return refused("is not JSON (" + place.substr(begin) + reason + ")");
  };
  if (text.size() > limits.max_bytes) return refused(size_fault(text.size(), limits));
  if (const auto fault = find_json_token_fault(text)) {
    return no_json(fault->offset + 1, ": " + token_reason(*fault));
  }
  LimitChecker checker(text, limits, kMaxInputKeys);
  if (json::sax_parse(text, &checker)) return build_ordered_json(text);
  if (checker.syntax_error_at() == 0) return refused(checker.fault());
  return no_json(checker.syntax_error_at(),
                 checker.reason().empty() ? "" : ": " + checker.reason());
}

Result<std::string> read_json_text(const std::filesystem::path& path, const JsonLimits& limits) {
  const auto file = OpenFile::open(path);
  if (!file) return file.error();
  if (file->size() > limits.max_bytes) {
    return too_large(path.filename().string(), file->size(), limits);
  }
  std::string text(static_cast<size_t>(file->size()), '\0');
  if (auto read = file->read_at(0, std::as_writable_bytes(std::span(text))); !read)
    return read.error();
  return text;
}

Result<json> read_json(const std::filesystem::path& path, const JsonLimits& limits) {
  const auto text = read_json_text(path, limits);
  return text ? parse_json(*text, path.filename().string(), limits) : text.error();
}

}  // namespace quire
