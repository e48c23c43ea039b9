#include "engine/tokenizer/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>
#include <cctype>

#include "engine/io/text.h"
#include "engine/tokenizer/oniguruma_pattern.h"
#include "engine/tokenizer/regex_callouts.h"
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
/// Of one with a part that ignores case: PCRE2 then walks through all characters of a class, which
/// takes it up to 4 ms for each. The longest known one, Kimi K2's, has 500 bytes.
constexpr size_t kMaxCaselessBytes = 1024;
constexpr size_t kMaxPatternBytes = 32768;
constexpr uint32_t kMaxSteps = 10'000'000;
constexpr uint32_t kMaxHeapKib = 65536;
constexpr size_t kMaxJitStackBytes = size_t{1} << 20;

/// How many places of a text an expression from a file is tried at between two looks at the clock.
constexpr size_t kWindowBytes = 4096;

/// Callouts differ in how far a search can get until the next one: by up to the rest of the text,
/// and what the pattern says. One counts as one unit and as one for so many steps; the clock is
/// read every so many units.
constexpr uint64_t kStepsPerUnit = 8192;
/// The same for searches with one of Quire's own expressions: at the worst one passes once over the
/// rest of the text.
constexpr size_t kBytesPerOwnUnit = 65536;
constexpr int64_t kUnitsPerCheck = 4096;
/// After a search of so many units, the clock is read; shorter ones are steps of the budget, which
/// reads it after many of them: there may be one search for each of many texts.
constexpr int64_t kUnitsOfLongSearch = 1024;
constexpr int64_t kUnitsPerStep = 8;
/// Of places without a match, at each of which a search takes up to `kCalloutSteps`.
constexpr size_t kPlacesPerStep = 16;

/// Whether it sets the option i somewhere, as in "(?i)", "(?i:a)" and "(?m-xi)".
bool has_caseless_option(std::string_view pattern) {
  for (size_t at = pattern.find("(?"); at != pattern.npos; at = pattern.find("(?", at + 1)) {
    const std::string_view options = pattern.substr(at + 2);
    const size_t length = std::min(options.find_first_not_of("imx-"), options.size());
    if (options.substr(0, length).find('i') != options.npos) return true;
  }
  return false;
}

std::string describe(int code) {
  PCRE2_UCHAR text[160] = {};
  pcre2_get_error_message(code, text, sizeof(text));
  return reinterpret_cast<const char*>(text);
}

Error too_long_pattern() {
  return {ErrorCode::kUnsupported, "it is longer than 32768 bytes or not UTF-8"};
}

}  // namespace

struct Regex::Compiled {
  pcre2_code* code = nullptr;
  bool is_jit = false;
  bool is_from_file = false;
  ~Compiled() { pcre2_code_free(code); }
};

struct RegexScanner::State {
  const pcre2_code* code = nullptr;
  bool is_jit = false;
  bool is_from_file = false;
  size_t last_place = SIZE_MAX;  ///< Where a match may begin, in the current window.
  pcre2_match_data* data = nullptr;
  pcre2_match_context* context = nullptr;
  pcre2_jit_stack* stack = nullptr;  ///< Made only for an expression that needs it.
  WorkBudget* budget = nullptr;      ///< Of the current search.
  int64_t units_to_check = kUnitsPerCheck;

  ~State() {
    pcre2_match_data_free(data);
    pcre2_match_context_free(context);
    pcre2_jit_stack_free(stack);
  }

  int match(std::string_view text, size_t from);
  /// The same, with a look at the clock after each window of places without a match.
  int match_by_windows(std::string_view text, size_t from);

  /// The same, and counts what it took.
  int match_by_budget(std::string_view text, size_t from);

  /// Reads the clock now and then, before a search with an expression that does not do so itself.
  bool has_time(size_t bytes_left) {
    if (is_from_file) return true;
    units_to_check -= 1 + static_cast<int64_t>(bytes_left / kBytesPerOwnUnit);
    if (units_to_check > 0) return true;
    units_to_check = kUnitsPerCheck;
    return budget->check_now();
  }

  /// Ends a search whose budget is spent.
  static int on_callout(pcre2_callout_block* block, void* data) {
    State& state = *static_cast<State*>(data);
    const size_t left = block->subject_length - block->current_position;
    const uint64_t steps = callout_steps(block->callout_number, left);
    state.units_to_check -= 1 + static_cast<int64_t>(steps / kStepsPerUnit);
    if (state.units_to_check > 0) return 0;
    state.units_to_check = kUnitsPerCheck;
    return state.budget->check_now() ? 0 : PCRE2_ERROR_CALLOUT;
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
  if (pattern.size() > kMaxCaselessBytes && has_caseless_option(pattern)) {
    return Error{ErrorCode::kUnsupported, "it ignores case and is longer than 1024 bytes"};
  }
  Result<std::string> translated = translate_oniguruma(pattern);
  if (!translated) return translated.error();
  return compile_pcre(*translated, Origin::kFile);
}

Result<Regex> Regex::compile_trusted(std::string_view pattern) {
  Result<std::string> translated = translate_oniguruma(pattern);
  if (!translated) return translated.error();
  return compile_pcre(*translated, Origin::kQuire);
}

Result<Regex> Regex::compile_cluster() {
  return compile_pcre("\\X", Origin::kQuire);
}

Result<Regex> Regex::compile_literal(std::string_view text) {
  if (text.size() > kMaxPatternBytes) return too_long_pattern();
  std::string pattern;
  for (const char c : text) {
    const bool is_syntax = static_cast<uint8_t>(c) < 0x80 && !std::isalnum(static_cast<uint8_t>(c));
    // A backslash before a control character means that character.
    if (is_syntax) pattern += '\\';
    pattern += c;
  }
  return compile_pcre(pattern, Origin::kFile);
}

Result<Regex> Regex::compile_pcre(const std::string& pattern, Origin origin) {
  if (pattern.size() > kMaxPatternBytes || !is_valid_utf8(pattern)) return too_long_pattern();
  pcre2_compile_context* context = pcre2_compile_context_create(nullptr);
  pcre2_set_newline(context, PCRE2_NEWLINE_LF);
  int failure = 0;
  PCRE2_SIZE offset = 0;
  constexpr uint32_t kOptions = PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C;
  auto compiled = std::make_unique<Compiled>();
  compiled->is_from_file = origin == Origin::kFile;
  const std::string watched = compiled->is_from_file ? with_callouts(pattern) : pattern;
  compiled->code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(watched.data()), watched.size(),
                                 kOptions | (compiled->is_from_file ? PCRE2_USE_OFFSET_LIMIT : 0),
                                 &failure, &offset, context);
  pcre2_compile_context_free(context);
  if (compiled->code == nullptr) {
    return Error{ErrorCode::kUnsupported,
                 describe(failure) + " (after \"" + end_of(watched.substr(0, offset)) + "\")"};
  }
  // If executable memory cannot be allocated, PCRE2's slower interpreter is used.
  compiled->is_jit = pcre2_jit_compile(compiled->code, PCRE2_JIT_COMPLETE) == 0;
  return Regex(std::move(compiled));
}

RegexScanner::RegexScanner(const Regex& regex) : m_state(std::make_unique<State>()) {
  m_state->code = regex.m_compiled->code;
  m_state->is_jit = regex.m_compiled->is_jit;
  m_state->is_from_file = regex.m_compiled->is_from_file;
  m_state->data = pcre2_match_data_create(1, nullptr);
  m_state->context = pcre2_match_context_create(nullptr);
  CHECK(m_state->data != nullptr && m_state->context != nullptr);
  pcre2_set_match_limit(m_state->context, kMaxSteps);
  pcre2_set_heap_limit(m_state->context, kMaxHeapKib);
  pcre2_set_callout(m_state->context, &State::on_callout, m_state.get());
}
RegexScanner::RegexScanner(RegexScanner&&) noexcept = default;
RegexScanner::~RegexScanner() = default;

inline int RegexScanner::State::match(std::string_view text, size_t from) {
  const auto run = [&] {
    const auto* const subject = reinterpret_cast<PCRE2_SPTR>(text.data());
    if (is_jit) return pcre2_jit_match(code, subject, text.size(), from, 0, data, context);
    return pcre2_match(code, subject, text.size(), from, PCRE2_NO_UTF_CHECK, data, context);
  };
  const int found = run();
  if (found != PCRE2_ERROR_JIT_STACKLIMIT || stack != nullptr) return found;
  stack = pcre2_jit_stack_create(32768, kMaxJitStackBytes, nullptr);
  pcre2_jit_stack_assign(context, nullptr, stack);
  return run();
}

inline int RegexScanner::State::match_by_windows(std::string_view text, size_t from) {
  while (true) {
    if (from > last_place || last_place - from > kWindowBytes) {
      last_place = from + kWindowBytes;
      pcre2_set_offset_limit(context, last_place);
    }
    const int found = match(text, from);
    if (found != PCRE2_ERROR_NOMATCH || last_place >= text.size()) return found;
    if (!budget->check_now()) return PCRE2_ERROR_CALLOUT;
    from = last_place + 1;
    while (from < text.size() && (static_cast<uint8_t>(text[from]) & 0xC0) == 0x80) ++from;
  }
}

inline int RegexScanner::State::match_by_budget(std::string_view text, size_t from) {
  units_to_check = kUnitsPerCheck;
  const int found = match_by_windows(text, from);
  const size_t end = found < 0 ? text.size() : pcre2_get_ovector_pointer(data)[0];
  const int64_t units = kUnitsPerCheck - units_to_check;
  if (units >= kUnitsOfLongSearch) {
    budget->check_now();
  } else {
    budget->spend(static_cast<uint64_t>(units / kUnitsPerStep) + (end - from) / kPlacesPerStep);
  }
  return found;
}

std::optional<RegexMatch> RegexScanner::find(std::string_view text, size_t from,
                                             WorkBudget& budget) {
  State& state = *m_state;
  state.budget = &budget;
  while (from < text.size() && budget.spend() && state.has_time(text.size() - from)) {
    const int found =
        state.is_from_file ? state.match_by_budget(text, from) : state.match(text, from);
    if (found < 0) return std::nullopt;
    const PCRE2_SIZE* bounds = pcre2_get_ovector_pointer(state.data);
    if (bounds[1] > bounds[0]) return RegexMatch{bounds[0], bounds[1]};
    from = bounds[1] + (bounds[1] < text.size() ? next_utf8(text.substr(bounds[1])).length : 1);
  }
  return std::nullopt;
}

}  // namespace quire
