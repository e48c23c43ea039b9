#include "engine/tokenizer/regex_callouts.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>
#include <vector>

#include "engine/tokenizer/utf8.h"

namespace quire {
namespace {

constexpr size_t kUnbounded = std::numeric_limits<size_t>::max();
/// From so many repeats on, an item can take long by itself.
constexpr size_t kManyRepeats = 16;
/// A group of that many steps can take long if it is repeated, also if there is one way only in
/// which it can match. Those of real patterns have some ten.
constexpr uint64_t kLongRepeat = 64;
/// Of a class: real ones have up to three thousand bytes once they are translated.
constexpr size_t kBytesPerStepOfClass = 1024;
/// The most that is told apart.
constexpr uint64_t kMostSteps = uint64_t{1} << 32;

struct Item;
using Sequence = std::vector<Item>;

/// A character, a class or a group, with its quantifier.
struct Item {
  std::string_view opening;            ///< Of a group: "(?:"; otherwise the whole atom.
  std::vector<Sequence> alternatives;  ///< Of a group; otherwise empty.
  std::string_view quantifier;
  size_t min = 1;
  size_t max = 1;
  uint64_t steps = 1;  ///< The most that one repeat takes up to the next callout.

  bool is_group() const { return !alternatives.empty(); }
  bool is_look_around() const {
    return opening == "(?=" || opening == "(?!" || opening.starts_with("(?<");
  }
  bool can_fail() const { return min > 0; }
  /// Whether one repeat of it can match in several ways.
  bool has_choices() const {
    return is_group() &&
           (alternatives.size() > 1 || std::ranges::any_of(alternatives[0], &Item::varies));
  }
  bool varies() const { return min != max || has_choices(); }
  /// Whether a search may return to each of its repeats, or each takes long: it then has a callout.
  bool repeats_work() const {
    return max > 1 && is_group() && (steps >= kLongRepeat || has_choices());
  }
  uint64_t all_steps() const {
    const bool counts_one = max == kUnbounded || repeats_work();
    return counts_one ? steps : std::min(steps * std::min(max, size_t{1} << 20), kMostSteps);
  }
};

uint64_t steps_of(const std::vector<Sequence>& alternatives) {
  uint64_t steps = 0;
  for (const Sequence& items : alternatives) {
    for (const Item& item : items) steps = std::min(steps + item.all_steps(), kMostSteps);
  }
  return steps;
}

/// The callout of a pattern with so many steps: see callout_steps().
std::string callout_for(uint64_t steps, uint64_t steps_per_byte) {
  uint32_t size = 0, pass = 0;
  while (size < kMaxCalloutSize && steps > kCalloutSteps << size) ++size;
  while (pass < kMaxCalloutPass && steps_per_byte > kCalloutPassSteps << pass) ++pass;
  return "(?C" + std::to_string(1 + size * (kMaxCalloutPass + 1) + pass) + ")";
}

/// Reads an expression into items.
class PatternReader {
 public:
  explicit PatternReader(std::string_view pattern) : m_in(pattern) {}

  std::vector<Sequence> read_alternatives() {
    std::vector<Sequence> all(1);
    while (m_pos < m_in.size() && m_in[m_pos] != ')') {
      if (m_in[m_pos] == '|') {
        ++m_pos;
        all.emplace_back();
      } else {
        all.back().push_back(read_item());
      }
    }
    return all;
  }

  /// The most steps that an item without an end takes for a byte of text.
  uint64_t steps_per_byte() const { return m_steps_per_byte; }

 private:
  std::string_view take(size_t length) {
    const std::string_view taken = m_in.substr(m_pos, length);
    m_pos += taken.size();
    return taken;
  }

  Item read_item() {
    Item item;
    if (m_in[m_pos] != '(') {
      item.opening = take(atom_length());
    } else if (m_in.substr(m_pos).starts_with("(?i)")) {
      item.opening = take(4);
    } else {
      item.opening = take(opening_length());
      item.alternatives = read_alternatives();
      take(1);  // ")"
    }
    read_quantifier(item);
    item.steps = 1 + (item.is_group() ? steps_of(item.alternatives)
                                      : item.opening.size() / kBytesPerStepOfClass);
    if (item.max == kUnbounded && !item.repeats_work()) {
      m_steps_per_byte = std::max(m_steps_per_byte, item.steps);
    }
    return item;
  }

  /// Of "(?:", "(?i:", "(?<=" and their like.
  size_t opening_length() const {
    size_t end = m_pos + 1;
    if (end >= m_in.size() || m_in[end] != '?') return 1;
    end = m_in.find_first_of(":=!>", end);
    return end == m_in.npos ? 1 : end + 1 - m_pos;
  }

  size_t atom_length() const {
    if (m_in[m_pos] == '\\') return escape_length(m_pos);
    if (m_in[m_pos] != '[') return next_utf8(m_in.substr(m_pos)).length;
    size_t end = m_pos + 1;
    if (end < m_in.size() && m_in[end] == '^') ++end;
    if (end < m_in.size() && m_in[end] == ']') ++end;  // As the first one it is a member.
    while (end < m_in.size() && m_in[end] != ']') {
      end += m_in[end] == '\\' ? escape_length(end) : 1;
    }
    return end + 1 - m_pos;
  }

  /// Of \x{1F600}, \p{L} or a backslash with one character.
  size_t escape_length(size_t at) const {
    const bool has_braces = at + 2 < m_in.size() && m_in[at + 2] == '{' &&
                            (m_in[at + 1] == 'x' || m_in[at + 1] == 'p' || m_in[at + 1] == 'P');
    const size_t end = has_braces ? m_in.find('}', at) : m_in.npos;
    return end == m_in.npos ? 2 : end + 1 - at;
  }

  void read_quantifier(Item& item) {
    if (m_pos >= m_in.size()) return;
    const size_t begin = m_pos;
    const char c = m_in[m_pos];
    if (c == '{') {
      read_bounds(item);
    } else if (c == '*' || c == '+' || c == '?') {
      item.min = c == '+' ? 1 : 0;
      item.max = c == '?' ? 1 : kUnbounded;
      ++m_pos;
    } else {
      return;
    }
    if (m_pos < m_in.size() && (m_in[m_pos] == '?' || m_in[m_pos] == '+')) ++m_pos;
    item.quantifier = m_in.substr(begin, m_pos - begin);
  }

  /// "{2}", "{2,}" or "{2,5}".
  void read_bounds(Item& item) {
    const size_t end = std::min(m_in.find('}', m_pos), m_in.size());
    const char* const last = m_in.data() + end;
    item.min = 0;
    const auto low = std::from_chars(m_in.data() + m_pos + 1, last, item.min);
    item.max = low.ptr == last ? item.min : kUnbounded;
    if (low.ptr != last) std::from_chars(low.ptr + 1, last, item.max);
    m_pos = std::min(end + 1, m_in.size());
  }

  std::string_view m_in;
  size_t m_pos = 0;
  uint64_t m_steps_per_byte = 1;
};

/// Writes items with callouts between them.
class Writer {
 public:
  explicit Writer(std::string callout) : m_callout(std::move(callout)) {}

  /// `begins_long`: it takes long at each place of a text, also where it has no callout.
  std::string run(const std::vector<Sequence>& alternatives, bool begins_long) {
    if (begins_long) m_out += m_callout;
    write(alternatives, State::kStart, false);
    return std::move(m_out);
  }

 private:
  /// What a search has passed since the last callout, or since it began at this place.
  enum class State {
    kStart,   ///< Nothing that varies, and there was no callout yet.
    kCalled,  ///< Nothing that varies.
    kVaried,  ///< Something to which it may return.
  };

  void write(const std::vector<Sequence>& alternatives, State state, bool is_followed) {
    for (size_t i = 0; i < alternatives.size(); ++i) {
      if (i > 0) m_out += '|';
      write(alternatives[i], state, is_followed);
    }
  }

  /// `is_followed`: what comes after the sequence can fail.
  void write(const Sequence& items, State state, bool is_followed) {
    size_t last_failing = items.size();  // After it nothing of the sequence can fail.
    while (last_failing > 0 && !items[last_failing - 1].can_fail()) --last_failing;
    for (size_t i = 0; i < items.size(); ++i) {
      const Item& item = items[i];
      const bool can_fail_after = is_followed || i + 1 < last_failing;
      if (can_fail_after && needs_callout(item, state)) {
        m_out += m_callout;
        state = State::kCalled;
      }
      m_out += item.opening;
      if (item.is_group()) write_group(item, state, can_fail_after);
      m_out += item.quantifier;
      if (item.varies()) state = State::kVaried;
    }
  }

  void write_group(const Item& group, State state, bool is_followed) {
    if (group.repeats_work()) {
      m_out += m_callout;
      state = State::kCalled;
    }
    write(group.alternatives, state, is_followed || group.repeats_work() || group.is_look_around());
    m_out += ')';
  }

  static bool needs_callout(const Item& item, State state) {
    if (item.repeats_work()) return false;  // It has callouts of its own.
    if (item.max >= kManyRepeats) return state != State::kCalled;
    return item.varies() && state == State::kVaried;
  }

  std::string m_callout;
  std::string m_out;
};

}  // namespace

std::string with_callouts(std::string_view pattern) {
  PatternReader reader(pattern);
  const std::vector<Sequence> alternatives = reader.read_alternatives();
  const uint64_t steps = steps_of(alternatives);
  return Writer(callout_for(steps, reader.steps_per_byte()))
      .run(alternatives, steps > kCalloutSteps);
}

}  // namespace quire
