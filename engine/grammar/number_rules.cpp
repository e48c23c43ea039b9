#include "engine/grammar/number_rules.h"

#include <algorithm>
#include <string>

namespace quire {

using grammar::NodeId;

void NumberRules::add_digits(NodeId from, char low, char high, NodeId to) {
  if (low > high) return;
  m_builder.add_bytes(from, static_cast<uint8_t>(low), static_cast<uint8_t>(high), to);
}

/// The node from which exactly so many digits follow before `to`.
NodeId NumberRules::any_digits(size_t count, NodeId to) {
  if (count == 0) return to;
  const auto known = m_any_digits.find({count, to});
  if (known != m_any_digits.end()) return known->second;
  const NodeId node = m_builder.add_node(m_rule);
  m_any_digits[{count, to}] = node;
  add_digits(node, '0', '9', any_digits(count - 1, to));
  return node;
}

/// The node from which at most so many digits follow before `to`.
NodeId NumberRules::up_to_digits(int count, NodeId to) {
  NodeId node = to;
  for (int i = 0; i < count; ++i) {
    const NodeId before = m_builder.add_node(m_rule);
    m_builder.add_empty(before, to);
    add_digits(before, '0', '9', node);
    node = before;
  }
  return node;
}

/// Numbers of as many digits as `low`, and at least as large.
void NumberRules::write_at_least(NodeId from, std::string_view low, NodeId to) {
  for (; !low.empty(); low.remove_prefix(1)) {
    const NodeId next = low.size() == 1 ? to : m_builder.add_node(m_rule);
    add_digits(from, static_cast<char>(low[0] + 1), '9', any_digits(low.size() - 1, to));
    add_digits(from, low[0], low[0], next);
    from = next;
  }
}

/// Numbers of as many digits as `high`, and at most as large. `is_first`: of a number with several
/// digits the first one is not 0.
void NumberRules::write_at_most(NodeId from, std::string_view high, bool is_first, NodeId to) {
  for (; !high.empty(); high.remove_prefix(1), is_first = false) {
    const NodeId next = high.size() == 1 ? to : m_builder.add_node(m_rule);
    const char lowest = is_first && high.size() > 1 ? '1' : '0';
    add_digits(from, lowest, static_cast<char>(high[0] - 1), any_digits(high.size() - 1, to));
    add_digits(from, high[0], high[0], next);
    from = next;
  }
}

/// Numbers of as many digits as both.
void NumberRules::write_same_length(NodeId from, std::string_view low, std::string_view high,
                                    NodeId to) {
  while (!low.empty() && low[0] == high[0]) {
    const NodeId next = low.size() == 1 ? to : m_builder.add_node(m_rule);
    add_digits(from, low[0], low[0], next);
    from = next;
    low.remove_prefix(1);
    high.remove_prefix(1);
  }
  if (low.empty()) return;
  const auto after = [&](std::string_view rest) {
    return rest.size() == 1 ? to : m_builder.add_node(m_rule);
  };
  const NodeId after_low = after(low);
  const NodeId after_high = after(high);
  add_digits(from, low[0], low[0], after_low);
  add_digits(from, static_cast<char>(low[0] + 1), static_cast<char>(high[0] - 1),
             any_digits(low.size() - 1, to));
  add_digits(from, high[0], high[0], after_high);
  write_at_least(after_low, low.substr(1), to);
  write_at_most(after_high, high.substr(1), false, to);
}

/// All numbers that have so many digits, of which the first is not 0.
void NumberRules::write_lengths(NodeId from, size_t shortest, size_t longest, NodeId to) {
  if (shortest > longest) return;
  const NodeId rest = up_to_digits(static_cast<int>(longest - shortest), to);
  add_digits(from, '1', '9', any_digits(shortest - 1, rest));
}

/// Whole numbers from `low` to `high`, neither of them negative.
void NumberRules::write_digits(NodeId from, int64_t low, int64_t high, NodeId to) {
  if (low > high) return;
  const std::string lowest = std::to_string(low);
  const std::string highest = std::to_string(high);
  if (lowest.size() == highest.size()) return write_same_length(from, lowest, highest, to);
  write_at_least(from, lowest, to);
  write_lengths(from, lowest.size() + 1, highest.size() - 1, to);
  write_at_most(from, highest, true, to);
}

void NumberRules::write_integers(int64_t min, int64_t max) {
  const NodeId start = m_builder.start_of(m_rule);
  write_digits(start, std::max<int64_t>(0, min), max, m_end);
  if (min >= 0) return;
  const NodeId minus = m_builder.add_node(m_rule);
  m_builder.add_byte(start, '-', minus);
  write_digits(minus, std::max<int64_t>(1, -max), -min, m_end);
}

/// The node from which a point and digits may follow.
NodeId NumberRules::fraction(NodeId to) {
  const NodeId node = m_builder.add_node(m_rule);
  const NodeId point = m_builder.add_node(m_rule);
  m_builder.add_empty(node, to);
  m_builder.add_byte(node, '.', point);
  add_digits(point, '0', '9', up_to_digits(kMaxDigits - 1, to));
  return node;
}

/// The node from which a point follows, and digits of which one is not 0.
NodeId NumberRules::positive_fraction(NodeId to) {
  const NodeId node = m_builder.add_node(m_rule);
  NodeId zeros = m_builder.add_node(m_rule);
  m_builder.add_byte(node, '.', zeros);
  for (int i = 0; i < kMaxDigits; ++i) {
    const int left = kMaxDigits - i - 1;
    add_digits(zeros, '1', '9', up_to_digits(left, to));
    if (left == 0) break;
    const NodeId next = m_builder.add_node(m_rule);
    m_builder.add_byte(zeros, '0', next);
    zeros = next;
  }
  return node;
}

void NumberRules::write_numbers() {
  const NodeId start = m_builder.start_of(m_rule);
  const NodeId minus = m_builder.add_node(m_rule);
  const NodeId exponent = m_builder.add_node(m_rule);
  const NodeId sign = m_builder.add_node(m_rule);
  const NodeId power = m_builder.add_node(m_rule);
  m_builder.add_byte(start, '-', minus);
  const NodeId digits = fraction(exponent);
  for (const NodeId from : {start, minus}) {
    m_builder.add_byte(from, '0', digits);
    add_digits(from, '1', '9', up_to_digits(kMaxDigits - 1, digits));
  }
  m_builder.add_empty(exponent, m_end);
  for (const char e : {'e', 'E'}) m_builder.add_byte(exponent, e, sign);
  m_builder.add_empty(sign, power);
  for (const char s : {'+', '-'}) m_builder.add_byte(sign, s, power);
  add_digits(power, '0', '9', up_to_digits(1, m_end));
}

/// Numbers from `low` to `high`, neither of them negative.
void NumberRules::write_side(NodeId from, const Bound& low, const Bound& high) {
  int64_t whole = low.value;
  if (low.is_exclusive) {
    if (low.value < high.value) {
      write_digits(from, low.value, low.value, positive_fraction(m_end));
    }
    ++whole;
  }
  write_digits(from, whole, high.value - 1, fraction(m_end));
  if (whole <= high.value && !high.is_exclusive) {
    write_digits(from, high.value, high.value, m_end);
  }
}

void NumberRules::write_numbers(const std::optional<Bound>& min, const std::optional<Bound>& max) {
  const Bound low = min.value_or(Bound{-kLargest});
  const Bound high = max.value_or(Bound{kLargest});
  const NodeId start = m_builder.start_of(m_rule);
  if (high.value >= 0) {
    write_side(start, low.value >= 0 ? low : Bound{0}, high);
  }
  if (low.value >= 0) return;
  const NodeId minus = m_builder.add_node(m_rule);
  m_builder.add_byte(start, '-', minus);
  const Bound nearest = high.value <= 0 ? Bound{-high.value, high.is_exclusive} : Bound{0};
  write_side(minus, nearest, {-low.value, low.is_exclusive});
}

}  // namespace quire
