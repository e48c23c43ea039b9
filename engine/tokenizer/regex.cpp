#include "engine/tokenizer/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "engine/io/text.h"
#include "engine/tokenizer/oniguruma_pattern.h"
#include "engine/tokenizer/utf8.h"
#include "kernels/base/check.h"

namespace quire {
namespace {

/// The last characters of a part of a pattern, for messages.
std::string end_of(std::string_view part) {
  constexpr size_t kMost = 32;
  size_t begin = part.size() > kMost ? part.size() - kMost : 0;
  while (begin < part.size() && (static_cast<unsigned char>(part[begin]) & 0xc0) == 0x80) ++begin;
  return (begin > 0 ? "..." : "") + for_message(part.substr(begin));
}

/// Of a pattern before it is translated, which can make it many times as long. The longest known
/// one, DeepSeek LLM's, has 1233 bytes.
constexpr size_t kMaxWrittenBytes = 4096;
constexpr size_t kMaxPatternBytes = 32768;
constexpr uint32_t kMaxSteps = 10'000'000;
constexpr uint32_t kMaxHeapKib = 65536;
constexpr size_t kMaxJitStackBytes = size_t{1} << 20;

std::string describe(int code) {
  PCRE2_UCHAR text[160] = {};
  pcre2_get_error_message(code, text, sizeof(text));
  return reinterpret_cast<const char*>(text);
}

}  // namespace

struct Regex::Compiled {
  pcre2_code* code = nullptr;
  ~Compiled() { pcre2_code_free(code); }
};

struct RegexScanner::State {
  pcre2_match_data* data = nullptr;
  pcre2_match_context* context = nullptr;
  pcre2_jit_stack* stack = nullptr;  ///< Made only for an expression that needs it.

  ~State() {
    pcre2_match_data_free(data);
    pcre2_match_context_free(context);
    pcre2_jit_stack_free(stack);
  }
};

Regex::Regex(std::unique_ptr<Compiled> compiled) : m_compiled(std::move(compiled)) {}
Regex::Regex(Regex&&) noexcept = default;
Regex& Regex::operator=(Regex&&) noexcept = default;
Regex::~Regex() = default;

Result<Regex> Regex::compile(std::string_view pattern) {
  if (pattern.size() > kMaxWrittenBytes) {
    return Error{ErrorCode::kUnsupported, "it is longer than 4096 bytes"};
  }
  Result<std::string> translated = translate_oniguruma(pattern);
  if (!translated) return translated.error();
  return compile_pcre(*translated);
}

Result<Regex> Regex::compile_literal(std::string_view text) {
  std::string pattern;
  for (const char c : text) {
    const bool is_syntax = static_cast<uint8_t>(c) < 0x80 && !std::isalnum(static_cast<uint8_t>(c));
    // A backslash before a control character means that character.
    if (is_syntax) pattern += '\\';
    pattern += c;
  }
  return compile_pcre(pattern);
}

Result<Regex> Regex::compile_pcre(const std::string& pattern) {
  if (pattern.size() > kMaxPatternBytes || !is_valid_utf8(pattern)) {
    return Error{ErrorCode::kUnsupported, "it is longer than 32768 bytes or not UTF-8"};
  }
  pcre2_compile_context* context = pcre2_compile_context_create(nullptr);
  pcre2_set_newline(context, PCRE2_NEWLINE_LF);
  int failure = 0;
  PCRE2_SIZE offset = 0;
  constexpr uint32_t kOptions = PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C;
  auto compiled = std::make_unique<Compiled>();
  compiled->code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                                 kOptions, &failure, &offset, context);
  pcre2_compile_context_free(context);
  if (compiled->code == nullptr) {
    return Error{ErrorCode::kUnsupported,
                 describe(failure) + " (after \"" + end_of(pattern.substr(0, offset)) + "\")"};
  }
  // If executable memory cannot be allocated, PCRE2 falls back to its slower interpreter.
  pcre2_jit_compile(compiled->code, PCRE2_JIT_COMPLETE);
  return Regex(std::move(compiled));
}

RegexScanner::RegexScanner(const Regex& regex)
    : m_regex(&regex), m_state(std::make_unique<State>()) {
  m_state->data = pcre2_match_data_create(1, nullptr);
  m_state->context = pcre2_match_context_create(nullptr);
  CHECK(m_state->data != nullptr && m_state->context != nullptr);
  pcre2_set_match_limit(m_state->context, kMaxSteps);
  pcre2_set_heap_limit(m_state->context, kMaxHeapKib);
}
RegexScanner::RegexScanner(RegexScanner&&) noexcept = default;
RegexScanner::~RegexScanner() = default;

std::optional<RegexMatch> RegexScanner::find(std::string_view text, size_t from) {
  State& state = *m_state;
  const auto match = [&] {
    return pcre2_match(m_regex->m_compiled->code, reinterpret_cast<PCRE2_SPTR>(text.data()),
                       text.size(), from, PCRE2_NO_UTF_CHECK, state.data, state.context);
  };
  while (from < text.size()) {
    int found = match();
    if (found == PCRE2_ERROR_JIT_STACKLIMIT && state.stack == nullptr) {
      state.stack = pcre2_jit_stack_create(32768, kMaxJitStackBytes, nullptr);
      pcre2_jit_stack_assign(state.context, nullptr, state.stack);
      found = match();
    }
    if (found < 0) return std::nullopt;
    const PCRE2_SIZE* bounds = pcre2_get_ovector_pointer(state.data);
    if (bounds[1] > bounds[0]) return RegexMatch{bounds[0], bounds[1]};
    from = bounds[1] + (bounds[1] < text.size() ? next_utf8(text.substr(bounds[1])).length : 1);
  }
  return std::nullopt;
}

}  // namespace quire
