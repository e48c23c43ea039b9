#include "engine/chat/tool_call_parser.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/chat/tool_call_headers.h"

namespace quire {
namespace {

constexpr std::string_view kTagsEnd = "</tool_call>";
constexpr size_t kMaxCallHeaderBytes = 512;
constexpr size_t kMaxHeldSpace = 64;
constexpr int kMaxFailedEnds = 8;

size_t space_before(std::string_view text) {
  return std::min(text.find_first_not_of(kCallSpace), text.size());
}

/// Whether the text is a beginning of the mark, but not all of it.
bool is_incomplete(std::string_view text, std::string_view mark) {
  return text.size() < mark.size() && mark.starts_with(text);
}

/// Where an incomplete mark begins that the text may end with; the text's size if there is none.
size_t incomplete_mark_at(std::string_view text, std::string_view mark) {
  const size_t longest = std::min(text.size(), mark.empty() ? 0 : mark.size() - 1);
  for (size_t n = longest; n > 0; --n) {
    if (text.ends_with(mark.substr(0, n))) return text.size() - n;
  }
  return text.size();
}

}  // namespace

ToolCallParser::ToolCallParser(const ToolCallFormat& format, std::string_view tools)
    : ToolCallParser(format, std::make_shared<const ToolSchemas>(tools)) {}

ToolCallParser::ToolCallParser(const ToolCallFormat& format,
                               std::shared_ptr<const ToolSchemas> schemas)
    : m_format(format), m_schemas(std::move(schemas)) {}

std::vector<ToolCallStep> ToolCallParser::push(std::string_view text) {
  // In parts, because what is held is moved with each of them.
  constexpr size_t kPartBytes = 4096;
  for (; !text.empty(); text.remove_prefix(std::min(kPartBytes, text.size()))) {
    m_held += text.substr(0, kPartBytes);
    while (step()) {
    }
  }
  return std::exchange(m_steps, {});
}

std::vector<ToolCallStep> ToolCallParser::finish() {
  if (m_state == State::kTags) end_tags();
  if (m_state != State::kText) give_up(m_held.size());
  const std::string_view rest = std::string_view(m_held).substr(space_before(m_held));
  const auto is_cut = [&](std::string_view mark) { return is_incomplete(rest, mark); };
  const bool ends_call = m_after_call && std::ranges::any_of(m_format.closes, is_cut);
  if (!ends_call && (!rest.empty() || !has_calls())) add_text(m_held);
  m_held.clear();
  return std::exchange(m_steps, {});
}

/// One step of the scan; false if it needs more text.
bool ToolCallParser::step() {
  switch (m_state) {
    case State::kText:
      return scan_text();
    case State::kHeader:
      return scan_header();
    case State::kJson:
      return scan_json();
    case State::kTags:
      return scan_tags();
  }
  return false;
}

bool ToolCallParser::scan_text() {
  if (m_after_call && skip_closes()) return false;
  if (is_bare_call()) {
    open(space_before(m_held), 0);
    return true;
  }
  const std::string_view held = m_held;
  size_t first = held.npos, mark_size = 0, end = held.size();
  for (const std::string_view mark : m_format.opens) {
    if (mark.empty()) continue;
    const size_t at = held.find(mark);
    if (at < first) {
      first = at;
      mark_size = mark.size();
    }
    end = std::min(end, incomplete_mark_at(held, mark));
  }
  if (first != held.npos) {
    open(first, mark_size);
    return true;
  }
  end = text_end_before(end);
  add_text(held.substr(0, end));
  m_held.erase(0, end);
  return false;
}

/// The end of the text before what may be a call at `at`: white space before a call belongs to it.
size_t ToolCallParser::text_end_before(size_t at) const {
  const size_t last = std::string_view(m_held).substr(0, at).find_last_not_of(kCallSpace);
  const size_t end = last == m_held.npos ? 0 : last + 1;
  return std::max(end, at - std::min(at, kMaxHeldSpace));
}

/// After a call: drops the marks of its end. True if what is held may become one.
bool ToolCallParser::skip_closes() {
  while (true) {
    const size_t space = space_before(m_held);
    const std::string_view held = std::string_view(m_held).substr(space);
    const auto closes = [&](std::string_view mark) {
      return !mark.empty() && held.starts_with(mark);
    };
    const auto may_close = [&](std::string_view mark) { return is_incomplete(held, mark); };
    const auto mark = std::ranges::find_if(m_format.closes, closes);
    if (mark == m_format.closes.end()) {
      return !held.empty() && std::ranges::any_of(m_format.closes, may_close);
    }
    add_text(std::string_view(m_held).substr(0, space - std::min(space, kMaxHeldSpace)));
    m_held.erase(0, space + mark->size());
  }
}

bool ToolCallParser::is_bare_call() const {
  if (!m_format.may_be_bare || !(m_is_at_start || m_after_call)) return false;
  const size_t space = space_before(m_held);
  return space < m_held.size() && m_held[space] == '{';
}

/// A call may begin at `at`, with a mark of that size.
void ToolCallParser::open(size_t at, size_t mark_size) {
  const size_t text_end = text_end_before(at);
  add_text(std::string_view(m_held).substr(0, text_end));
  m_held.erase(0, text_end);
  m_mark_size = at - text_end + mark_size;
  m_scanned = m_mark_size;
  m_failed_ends = 0;
  m_state = State::kHeader;
}

bool ToolCallParser::scan_header() {
  const std::string_view header = body().substr(0, kMaxCallHeaderBytes + 1);
  const bool is_function = std::string_view(m_held).substr(0, m_mark_size).ends_with(kFunctionTag);
  bool needs_more = false;
  if (m_format.has_tags && (is_function || may_begin_tags(header, needs_more))) {
    m_state = State::kTags;
    return true;
  }
  if (needs_more && header.size() <= kMaxCallHeaderBytes) return false;
  const bool has_name = m_format.read_header != nullptr;
  const size_t space = space_before(header);
  if (space == header.size() && space <= kMaxCallHeaderBytes) return false;
  size_t begin = header[std::min(space, header.size() - 1)] == '[' ? space : header.find('{');
  if (!has_name && begin != space) begin = kMaxCallHeaderBytes + 1;
  if (begin == header.npos && header.size() <= kMaxCallHeaderBytes) return false;
  if (begin > kMaxCallHeaderBytes) {
    give_up(m_mark_size);
    return true;
  }
  m_json_begin = m_scanned = m_mark_size + begin;
  m_json_end = {};
  m_state = State::kJson;
  return true;
}

/// Whether a <tool_call> goes on with tags: a function's tag, or a name before a line's end or a
/// tag.
bool ToolCallParser::may_begin_tags(std::string_view body, bool& needs_more) const {
  body.remove_prefix(space_before(body));
  needs_more = body.empty() || is_incomplete(body, kFunctionTag);
  if (needs_more) return false;
  if (body.starts_with(kFunctionTag)) return true;
  const std::string_view name = body.substr(0, body.find_first_of("\r\n<"));
  if (!is_tool_name(name)) return false;
  needs_more = name.size() == body.size();
  return !needs_more;
}

bool ToolCallParser::scan_json() {
  const size_t end = std::min(m_held.size(), kMaxHeldBytes);
  while (m_scanned < end) {
    if (m_json_end.push(m_held[m_scanned++])) return end_json();
  }
  return give_up_if_too_long();
}

/// The JSON of a call, or of what looks like one, ends at m_scanned.
bool ToolCallParser::end_json() {
  const std::string_view held = std::string_view(m_held).substr(0, m_scanned);
  const std::string_view header = held.substr(m_mark_size, m_json_begin - m_mark_size);
  const bool is_bare = m_format.may_be_bare && space_before(held) == m_json_begin;
  const auto name = m_format.read_header == nullptr ? std::string() : m_format.read_header(header);
  auto calls = name ? read_json_calls(held.substr(m_json_begin), *name, is_bare) : std::nullopt;
  const auto is_offered = [&](const ToolCall& call) { return m_schemas->holds(call.name); };
  if (calls && is_bare && !std::ranges::all_of(*calls, is_offered)) calls.reset();
  if (calls && m_num_calls + calls->size() <= kMaxCalls) {
    end_call(m_scanned, std::move(*calls));
  } else {
    give_up(m_scanned);
  }
  return true;
}

bool ToolCallParser::scan_tags() {
  // The end may have begun in the text that was scanned before.
  const size_t from = m_scanned - std::min(m_scanned - m_mark_size, kTagsEnd.size() - 1);
  const size_t at = std::string_view(m_held).substr(0, kMaxHeldBytes).find(kTagsEnd, from);
  if (at == m_held.npos) {
    m_scanned = m_held.size();
    return give_up_if_too_long();
  }
  m_scanned = at + kTagsEnd.size();
  // An argument may hold the mark, too.
  if (!take_tagged(at) && ++m_failed_ends == kMaxFailedEnds) give_up(m_scanned);
  return true;
}

bool ToolCallParser::give_up_if_too_long() {
  if (m_held.size() <= kMaxHeldBytes) return false;
  give_up(kMaxHeldBytes + 1);
  return true;
}

/// Whether the held text up to `end` is a call, which is then returned.
bool ToolCallParser::take_tagged(size_t end) {
  if (m_num_calls >= kMaxCalls) return false;
  // A <function=...> without <tool_call> around it is a part of the body.
  const std::string_view held = std::string_view(m_held).substr(0, end);
  const bool is_function = held.substr(0, m_mark_size).ends_with(kFunctionTag);
  const size_t begin = is_function ? m_mark_size - kFunctionTag.size() : m_mark_size;
  auto call = read_tagged_call(held.substr(begin), *m_schemas);
  if (!call) return false;
  end_call(end, {std::move(*call)});
  return true;
}

/// The answer ends within tags. A function that is closed is a call, even if what comes after is
/// cut off; GLM's tags do not show whether an argument is missing.
void ToolCallParser::end_tags() {
  const size_t end = incomplete_mark_at(m_held, kTagsEnd);
  const auto held = without_space_around(std::string_view(m_held).substr(0, end));
  if (held.ends_with("</function>") && take_tagged(end)) m_held.clear();
}

void ToolCallParser::end_call(size_t end, std::vector<ToolCall> calls) {
  m_num_calls += calls.size();
  if (m_steps.empty()) m_steps.emplace_back();
  auto& all = m_steps.back().calls;
  std::ranges::move(calls, std::back_inserter(all));
  m_held.erase(0, end);
  m_state = State::kText;
  m_is_at_start = false;
  m_after_call = true;
}

/// What is held up to `end` is text.
void ToolCallParser::give_up(size_t end) {
  m_state = State::kText;
  add_text(std::string_view(m_held).substr(0, end));
  m_held.erase(0, end);
}

void ToolCallParser::add_text(std::string_view text) {
  if (text.empty()) return;
  if (space_before(text) < text.size()) m_is_at_start = m_after_call = false;
  if (m_steps.empty() || !m_steps.back().calls.empty()) m_steps.emplace_back();
  m_steps.back().text += text;
}

}  // namespace quire
