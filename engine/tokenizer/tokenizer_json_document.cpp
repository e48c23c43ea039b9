#include <array>
#include <cstdlib>

#include "engine/io/json_tokens.h"
#include "engine/io/text.h"
#include "engine/tokenizer/tokenizer_json_parts.h"
#include "engine/tokenizer/vocabulary_limits.h"

namespace quire {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxJsonDepth = 64;
constexpr size_t kMaxValues = size_t{1} << 20;  ///< Beside the vocabulary and the merges.
/// Of one text. The longest real ones are charsmaps, of some 300 kB.
constexpr size_t kMaxTextBytes = size_t{1} << 20;
/// Of all texts and keys beside the vocabulary and the merges: a tree with a text takes 200 bytes
/// and its text twice.
constexpr size_t kMaxRestBytes = size_t{16} << 20;
constexpr char kTooMuch[] =
    "it has over one million values or 16 MiB of texts beside the vocabulary";

/// The number that serde_json, with which Hugging Face reads scores, makes of valid JSON: its
/// digits as an integer, then one multiplication or division by a power of ten. In the last bit it
/// may be another one than the nearest, and ties between pieces depend on that bit.
double serde_number(std::string_view text, double nearest) {
  uint64_t digits = 0;
  int64_t exponent = 0;
  bool is_full = false, is_fraction = false;
  size_t at = text.starts_with('-') ? 1 : 0;
  for (; at < text.size() && (text[at] == '.' || (text[at] >= '0' && text[at] <= '9')); ++at) {
    if (text[at] == '.') {
      is_fraction = true;
      continue;
    }
    const auto digit = static_cast<uint64_t>(text[at] - '0');
    is_full |= digits > (UINT64_MAX - digit) / 10;
    if (!is_full) digits = digits * 10 + digit;
    exponent += is_full ? !is_fraction : -int64_t{is_fraction};
  }
  // Scores have a few digits and no exponent; others are taken as they are.
  constexpr int64_t kMaxExponent = 22;
  if (at < text.size() || exponent > kMaxExponent || exponent < -kMaxExponent) return nearest;
  double power = 1.0;
  for (int64_t i = 0; i < std::abs(exponent); ++i) power *= 10.0;
  const auto integer = static_cast<double>(digits);
  const double number = exponent >= 0 ? integer * power : integer / power;
  return text.starts_with('-') ? -number : number;
}

/// Receives the file as it is parsed.
class DocumentReader : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(int64_t value) override { return add_integer(value); }
  bool number_unsigned(uint64_t value) override {
    return add_integer(value > INT64_MAX ? INT64_MAX : static_cast<int64_t>(value));
  }
  bool number_float(double value, const std::string& text) override {
    return m_part == Part::kPieces ? add_score(serde_number(text, value)) : add(value);
  }
  bool binary(Json::binary_t&) override { return false; }

  bool string(std::string& value) override {
    if (m_part == Part::kMerges) return add_merge_string(value);
    if (m_part == Part::kPieces && m_in_pair && m_pair_size == 0) {
      m_pair[m_pair_size++] = value;
      return true;
    }
    return add(std::move(value));
  }

  bool key(std::string& key) override {
    if (m_part == Part::kVocab) {
      m_token = key;  // Not moved: the parser would have to allocate again.
    } else {
      m_keys[m_open.size()] = key;
    }
    return true;
  }

  bool start_object(size_t) override {
    if (m_part == Part::kNone && is_at("vocab")) {
      m_part = Part::kVocab;
      return true;
    }
    return m_part == Part::kNone ? open(Json::object()) : refuse_part();
  }
  bool end_object() override {
    if (m_part == Part::kVocab) {
      m_part = Part::kNone;
    } else {
      m_open.pop_back();
    }
    return true;
  }

  bool start_array(size_t) override {
    if (m_part == Part::kNone && is_at("merges")) {
      m_part = Part::kMerges;
      return true;
    }
    if (m_part == Part::kNone && is_at("vocab")) {
      m_part = Part::kPieces;
      return true;
    }
    if ((m_part == Part::kMerges || m_part == Part::kPieces) && !m_in_pair) {
      m_in_pair = true;
      m_pair_size = 0;
      return true;
    }
    return m_part == Part::kNone ? open(Json::array()) : refuse_part();
  }
  bool end_array() override {
    if (m_part == Part::kMerges && m_in_pair) {
      m_in_pair = false;
      if (m_pair_size != 2) return refuse_part();
      return push_merge(m_pair[0], m_pair[1]);
    }
    if (m_part == Part::kPieces && m_in_pair) {
      m_in_pair = false;
      if (!m_has_score) return refuse_part();
      m_has_score = false;
      return true;
    }
    if (m_part == Part::kMerges || m_part == Part::kPieces) {
      m_part = Part::kNone;
    } else {
      m_open.pop_back();
    }
    return true;
  }

  bool parse_error(size_t position, const std::string&, const Json::exception&) override {
    return fail("it is no JSON from byte " + std::to_string(position) + " on");
  }

  Result<TokenizerJsonDocument> finish(bool is_parsed) {
    if (!is_parsed || !m_document.rest.is_object()) {
      if (m_error.empty()) m_error = "it is not a JSON object";
      return Error{ErrorCode::kCorruptFile, std::move(m_error)};
    }
    return std::move(m_document);
  }

 private:
  enum class Part { kNone, kVocab, kMerges, kPieces };

  bool fail(std::string what) {
    if (m_error.empty()) m_error = std::move(what);
    return false;
  }
  bool refuse_part() {
    if (m_part == Part::kVocab)
      return fail("model.vocab: the id of \"" + for_message(m_token) + "\" is no integer");
    if (m_part == Part::kPieces) {
      return fail("model.vocab: entry " + std::to_string(m_document.pieces.size()) +
                  " is not of a piece and its score");
    }
    return fail("model.merges: entry " + std::to_string(m_document.merges.size()) +
                " is not of two tokens");
  }
  bool is_at(const char* name) const {
    return m_open.size() == 2 && m_keys[1] == "model" && m_keys[2] == name;
  }

  bool add_score(double value) {
    if (!m_in_pair || m_pair_size != 1 || m_has_score) return refuse_part();
    if (m_document.pieces.size() == kMaxVocabularyTokens)
      return fail("model.vocab has over 524288 tokens");
    if (!add_token_bytes(m_pair[0])) return false;
    m_has_score = true;
    m_document.pieces.emplace_back(m_document.texts.add(m_pair[0]), value);
    return true;
  }

  bool add_integer(int64_t value) {
    if (m_part == Part::kPieces) return add_score(static_cast<double>(value));
    if (m_part != Part::kVocab) return add(value);
    if (m_document.vocab.size() == kMaxVocabularyTokens)
      return fail("model.vocab has over 524288 tokens");
    if (!add_token_bytes(m_token)) return false;
    m_document.vocab.emplace_back(m_document.texts.add(m_token), value);
    return true;
  }

  bool add_token_bytes(const std::string& token) {
    m_token_bytes += token.size();
    return m_token_bytes <= kMaxVocabularyBytes ||
           fail("model.vocab has tokens of over " + with_separators(kMaxVocabularyBytes) +
                " bytes together");
  }

  bool add_merge_string(std::string& value) {
    if (m_in_pair) {
      if (m_pair_size == 2) return refuse_part();
      m_pair[m_pair_size++] = value;
      return true;
    }
    const size_t space = value.find(' ');
    const bool is_pair = space != value.npos && value.find(' ', space + 1) == value.npos;
    if (!is_pair) return refuse_part();
    const std::string_view merge = value;
    return push_merge(merge.substr(0, space), merge.substr(space + 1));
  }
  bool push_merge(std::string_view left, std::string_view right) {
    if (m_document.merges.size() == kMaxVocabularyMerges)
      return fail("model.merges has over " + with_separators(kMaxVocabularyMerges) + " merges");
    if (m_document.merges.num_bytes() + left.size() + right.size() > kMaxMergeBytes) {
      return fail("model.merges has merges of over " + with_separators(kMaxMergeBytes) +
                  " bytes together");
    }
    m_document.merges.add(left, right);
    return true;
  }

  /// Adds a value at the current place of the document.
  Json* place(Json value) {
    if (!m_open.empty() && m_open.back()->is_object()) m_rest_bytes += m_keys[m_open.size()].size();
    if (value.is_string()) m_rest_bytes += value.get_ref<const std::string&>().size();
    if (++m_num_values > kMaxValues || m_rest_bytes > kMaxRestBytes) return nullptr;
    if (m_open.empty()) return &(m_document.rest = std::move(value));
    Json& parent = *m_open.back();
    if (parent.is_object()) return &(parent[m_keys[m_open.size()]] = std::move(value));
    parent.push_back(std::move(value));
    return &parent.back();
  }
  bool add(Json value) {
    if (m_part != Part::kNone) return refuse_part();
    return place(std::move(value)) != nullptr || fail(kTooMuch);
  }
  bool open(Json value) {
    if (m_open.size() == kMaxJsonDepth) return fail("it is nested more than 64 deep");
    Json* const opened = place(std::move(value));
    if (opened == nullptr) return fail(kTooMuch);
    m_open.push_back(opened);
    return true;
  }

  TokenizerJsonDocument m_document;
  std::string m_error;
  std::vector<Json*> m_open;  ///< A container does not grow while one within it is open.
  std::string m_keys[kMaxJsonDepth + 1];
  Part m_part = Part::kNone;
  bool m_in_pair = false;
  bool m_has_score = false;  ///< Of the piece that is being read.
  std::string m_token;
  std::array<std::string, 2> m_pair;
  size_t m_pair_size = 0;
  size_t m_num_values = 0;
  size_t m_rest_bytes = 0;
  size_t m_token_bytes = 0;
};

std::string fault_text(const JsonTokenFault& fault) {
  const std::string place = " at byte " + with_separators(fault.offset);
  switch (fault.kind) {
    case JsonTokenFault::Kind::kNumber:
      return "it has a number of more than " + with_separators(kMaxJsonNumberBytes) +
             " characters" + place;
    case JsonTokenFault::Kind::kLongText:
      return "it has a text of more than " + with_separators(kMaxTextBytes) + " bytes" + place;
    case JsonTokenFault::Kind::kGap:
      return "it has more than " + with_separators(kMaxJsonGapBytes) +
             " characters without a text or number" + place;
    case JsonTokenFault::Kind::kDamaged:
      break;
  }
  return "it has a text that does not end or is damaged" + place;
}

}  // namespace

Result<TokenizerJsonDocument> parse_tokenizer_json(std::string_view text) {
  if (const auto fault = find_json_token_fault(text, kMaxTextBytes)) {
    return Error{ErrorCode::kCorruptFile, fault_text(*fault)};
  }
  DocumentReader reader;
  const bool is_parsed = Json::sax_parse(text, &reader);
  return reader.finish(is_parsed);
}

}  // namespace quire
