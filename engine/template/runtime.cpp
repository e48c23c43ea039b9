#include "engine/template/runtime.h"

#include <algorithm>

namespace quire::jinja {

namespace {

/// Reading the CPU clock is a system call.
constexpr size_t kStepsBetweenChecks = 16384;
constexpr size_t kMaxContainerBytes = size_t{96} << 20;
/// Texts alive at once, as a multiple of the longest allowed.
constexpr size_t kMaxLiveTexts = 8;
/// Vectors that grew item by item are up to twice as large as what is counted. Only vectors of up
/// to so many items are shrunk: the unused end of a longer one was never written, so that the
/// kernel gives it no memory.
constexpr size_t kShortSequence = 1000;
/// Frames of the evaluator for one level of source nesting.
constexpr int kFramesPerLevel = 5;
constexpr size_t kLargestText = size_t{1} << 30;  // Ranges hold 32-bit offsets.

}  // namespace

Runtime::Runtime(const TemplateLimits& limits, std::optional<std::chrono::local_seconds> now)
    : m_limits(limits), m_now(now), m_time({.cpu_time = limits.max_time}) {
  m_limits.max_output_bytes = std::min(m_limits.max_output_bytes, kLargestText);
}

void Runtime::check_limits() {
  m_next_check = m_steps + kStepsBetweenChecks;
  if (m_steps > m_limits.max_steps) {
    fail("the template takes more than the allowed " + std::to_string(m_limits.max_steps) +
         " steps");
  } else if (!m_time.check_now()) {
    fail(m_time.error("the template").message);
  }
}

Value Runtime::fail(std::string message) {
  if (!m_failed) {
    m_failed = true;
    m_error = std::move(message);
  }
  return Undefined{};
}

Value Runtime::raise(std::string message) {
  m_has_raised = !m_failed;
  return fail(std::move(message));
}

void Runtime::locate(uint32_t offset) {
  if (!m_error_offset) m_error_offset = offset;
}

bool Runtime::enter() {
  if (m_depth >= m_limits.max_depth * kFramesPerLevel) {
    fail("the template is nested too deeply");
    return false;
  }
  ++m_depth;
  return true;
}

bool Runtime::enter_macro() {
  if (m_macro_depth >= m_limits.max_depth) {
    fail("macros call each other more than " + std::to_string(m_limits.max_depth) + " levels deep");
    return false;
  }
  ++m_macro_depth;
  return true;
}

bool Runtime::reserve_text(size_t bytes) {
  return allows_text(bytes, 0) && charge(1 + bytes / kTextBytesPerStep);
}

bool Runtime::allows_text(size_t bytes, size_t counted) {
  const size_t live_bytes = m_live_text_bytes - counted;
  if (bytes > m_limits.max_output_bytes ||
      bytes + live_bytes > m_limits.max_output_bytes * kMaxLiveTexts) {
    fail("the template makes more than the allowed " + std::to_string(m_limits.max_output_bytes) +
         " bytes of text");
  }
  return !m_failed;
}

bool Runtime::reserve(size_t bytes) {
  if (m_failed) return false;
  m_container_bytes += bytes;
  if (bytes > kMaxContainerBytes || m_container_bytes > kMaxContainerBytes) {
    fail("the template's lists take more than the allowed " + std::to_string(kMaxContainerBytes) +
         " bytes");
    return false;
  }
  return charge(1 + bytes / kTextBytesPerStep);
}

bool Runtime::check_nesting(int depth) {
  if (depth > m_limits.max_depth) fail("the template nests lists or dicts too deeply");
  return !m_failed;
}

Value Runtime::text(std::string bytes, std::vector<ByteRange> input) {
  if (!reserve_text(bytes.size())) return Undefined{};
  return std::make_shared<const Text>(std::move(bytes), std::move(input), &m_live_text_bytes);
}

Value Runtime::slice(const Text& source, size_t begin, size_t end) {
  std::vector<ByteRange> input;
  append_clipped(input, source.input(), begin, end, 0);
  return text(source.bytes().substr(begin, end - begin), std::move(input));
}

static int depth_of(const Value& value) {
  if (is<Sequence*>(value)) return std::get<Sequence*>(value)->depth;
  if (is<Dict*>(value)) return std::get<Dict*>(value)->depth;
  return 0;
}

Value Runtime::sequence(SequenceKind kind, std::vector<Value> items) {
  int depth = 0;
  for (const Value& item : items) depth = std::max(depth, depth_of(item));
  if (!check_nesting(depth + 1) || !reserve(items.size() * sizeof(Value))) return Undefined{};
  auto* result = make<Sequence>();
  if (!result) return Undefined{};
  result->kind = kind;
  result->depth = depth + 1;
  result->items = std::move(items);
  if (result->items.size() <= kShortSequence) result->items.shrink_to_fit();
  return result;
}

Value Runtime::dict(std::vector<std::pair<Value, Value>> entries) {
  int depth = 0;
  for (const auto& [key, value] : entries) {
    depth = std::max({depth, depth_of(key), depth_of(value)});
  }
  if (!check_nesting(depth + 1) || !reserve(entries.size() * 2 * sizeof(Value))) return Undefined{};
  auto* result = make<Dict>();
  if (!result) return Undefined{};
  result->depth = depth + 1;
  result->entries = std::move(entries);
  return result;
}

namespace {
struct KeptString final : Object {
  std::string text;
};
}  // namespace

const std::string* Runtime::keep(std::string_view name) {
  static const std::string nothing;
  constexpr size_t kLongestName = 200;
  auto* kept = reserve(std::min(name.size(), kLongestName)) ? make<KeptString>() : nullptr;
  if (!kept) return &nothing;
  kept->text = name.substr(0, kLongestName);
  return &kept->text;
}

bool TextBuilder::grow(size_t bytes) {
  const size_t size = m_bytes.size() + bytes + m_input.size() * sizeof(ByteRange);
  return m_runtime.allows_text(size, m_counted) && m_runtime.charge(1 + bytes / kTextBytesPerStep);
}

void TextBuilder::count() {
  m_runtime.count_text(m_bytes.capacity() + m_input.capacity() * sizeof(ByteRange), m_counted);
}

void TextBuilder::append(std::string_view bytes, bool is_input) {
  if (!grow(bytes.size())) return;
  const auto begin = static_cast<uint32_t>(m_bytes.size());
  m_bytes += bytes;
  if (is_input) append_range(m_input, {begin, static_cast<uint32_t>(m_bytes.size())});
  count();
}

void TextBuilder::append(const Text& text, size_t begin, size_t end) {
  if (!grow(end - begin)) return;
  append_clipped(m_input, text.input(), begin, end, m_bytes.size());
  m_bytes.append(text.bytes(), begin, end - begin);
  count();
}

void TextBuilder::append(char32_t code_point, bool is_input) {
  std::string bytes;
  append_utf8(bytes, code_point);
  append(bytes, is_input);
}

void TextBuilder::pad(char32_t fill, size_t count) {
  if (count > m_runtime.limits().max_output_bytes) {
    m_runtime.reserve_text(count);
    return;
  }
  for (; count > 0 && !m_runtime.failed(); --count) append(fill, false);
}

void TextBuilder::spread_marks() {
  if (!m_input.empty()) m_input = {{0, static_cast<uint32_t>(m_bytes.size())}};
}

Value TextBuilder::finish() {
  m_runtime.count_text(0, m_counted);
  return m_runtime.text(std::move(m_bytes), std::move(m_input));
}

}  // namespace quire::jinja
