#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/template/chat_template.h"
#include "engine/template/value.h"
#include "kernels/base/work_budget.h"

namespace quire::jinja {

/// The state of one rendering: its limits, its first error, and the ownership of every value.
///
/// Errors do not unwind: the first one is kept, `failed()` turns true, and every function returns
/// at once with some value, mostly an undefined one, which is ignored.
///
/// Thread: used by one. Invariants: values made here do not outlive it; no container is nested
/// deeper than the limit, so that recursion over values is bounded.
class Runtime {
 public:
  Runtime(const TemplateLimits& limits, std::optional<std::chrono::local_seconds> now);

  /// Counts work; false once the rendering has failed or run out of steps or time.
  bool charge(size_t steps = 1) {
    m_steps += steps;
    if (m_steps >= m_next_check) check_limits();
    return !m_failed;
  }
  bool failed() const { return m_failed; }
  /// Records the first error. Returns an undefined value, for `return runtime.fail(...)`.
  Value fail(std::string message);
  /// The same for the template's own refusal of its input.
  Value raise(std::string message);
  bool has_raised() const { return m_has_raised; }
  /// Where the error happened, unless a deeper place is known already.
  void locate(uint32_t offset);
  const std::string& error() const { return m_error; }
  std::optional<uint32_t> error_offset() const { return m_error_offset; }

  /// Nested evaluation; every enter that returns true is paired with a leave.
  bool enter();
  void leave() { --m_depth; }
  bool enter_macro();
  void leave_macro() { --m_macro_depth; }

  Value text(std::string bytes, std::vector<ByteRange> input = {});
  /// Bytes [begin, end) of a text, with their marks.
  Value slice(const Text& source, size_t begin, size_t end);
  Value sequence(SequenceKind kind, std::vector<Value> items);
  Value list(std::vector<Value> items) { return sequence(SequenceKind::kList, std::move(items)); }
  Value tuple(std::vector<Value> items) { return sequence(SequenceKind::kTuple, std::move(items)); }
  Value iterator(std::vector<Value> items) {
    return sequence(SequenceKind::kIterator, std::move(items));
  }
  /// Keys must differ.
  Value dict(std::vector<std::pair<Value, Value>> entries);
  /// A string that lives as long as the rendering.
  const std::string* keep(std::string_view name);

  /// An object of any other kind, owned here. Null after a failure.
  template <typename T>
  T* make() {
    constexpr size_t kAllocationBytes = 32;  // The allocator's, and a place in m_objects.
    if (!reserve(sizeof(T) + kAllocationBytes)) return nullptr;
    auto object = std::make_unique<T>();
    T* result = object.get();
    m_objects.push_back(std::move(object));
    return result;
  }
  /// Checks that `bytes` more of containers are allowed, before they are made.
  bool reserve(size_t bytes);
  /// Checks that a text may become so long, before it is made.
  bool reserve_text(size_t bytes);
  /// The same for a text that is being built, of which `counted` bytes are among the live ones.
  bool allows_text(size_t bytes, size_t counted);
  /// Counts a text that is being built with `bytes` in place of `counted`.
  void count_text(size_t bytes, size_t& counted) {
    m_live_text_bytes += bytes - counted;
    counted = bytes;
  }
  /// Refuses containers within containers beyond the limit.
  bool check_nesting(int depth);

  std::optional<std::chrono::local_seconds> now() const { return m_now; }
  const TemplateLimits& limits() const { return m_limits; }

 private:
  void check_limits();

  TemplateLimits m_limits;
  std::optional<std::chrono::local_seconds> m_now;
  WorkBudget m_time;
  size_t m_steps = 0;
  size_t m_next_check = 0;
  int m_depth = 0;
  int m_macro_depth = 0;
  size_t m_container_bytes = 0;
  size_t m_live_text_bytes = 0;  ///< Declared before the objects: their texts count down in it.
  bool m_failed = false;
  bool m_has_raised = false;
  std::string m_error;
  std::optional<uint32_t> m_error_offset;
  std::vector<std::unique_ptr<Object>> m_objects;
};

/// Bytes of a text that are read in the time of a step.
inline constexpr size_t kTextBytesPerStep = 64;

/// Whether two names are equal. Only the comparison of long ones is charged.
inline bool equal_names(Runtime& runtime, std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  const bool is_short = a.size() < kTextBytesPerStep;
  return (is_short || runtime.charge(a.size() / kTextBytesPerStep)) && a == b;
}

/// Builds a text piece by piece, marks included, within the runtime's limits. What it holds counts
/// among the live texts, since macros and blocks keep one at each level of a recursion.
class TextBuilder {
 public:
  explicit TextBuilder(Runtime& runtime) : m_runtime(runtime) {}
  TextBuilder(const TextBuilder&) = delete;
  TextBuilder& operator=(const TextBuilder&) = delete;
  ~TextBuilder() { m_runtime.count_text(0, m_counted); }

  void append(std::string_view bytes, bool is_input = false);
  void append(const Text& text) { append(text, 0, text.bytes().size()); }
  void append(const Text& text, size_t begin, size_t end);
  void append(char32_t code_point, bool is_input);
  void pad(char32_t fill, size_t count);

  size_t size() const { return m_bytes.size(); }
  const std::string& bytes() const { return m_bytes; }
  const std::vector<ByteRange>& input() const { return m_input; }
  /// Marks everything as input if anything is: for text whose parts cannot be told apart.
  void spread_marks();
  Value finish();

 private:
  bool grow(size_t bytes);
  void count();

  Runtime& m_runtime;
  std::string m_bytes;
  std::vector<ByteRange> m_input;
  size_t m_counted = 0;  ///< Of the runtime's live texts.
};

}  // namespace quire::jinja
