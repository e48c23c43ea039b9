#pragma once

#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quire::test {

/// How a case went.
struct Verdict {
  /// The largest error as a share of what is allowed for its number, and that number's error and
  /// bound. Zeros where only equal bits are allowed.
  double share = 0.0;
  double error = 0.0;
  double bound = 0.0;
  std::string failure;  ///< One sentence; empty if everything is as it must be.
};

/// Collects how far two results are apart.
class Comparison {
 public:
  /// |got[i] - expected[i]| <= bounds[i], everywhere. A bound of zero asks for equal numbers.
  void within(std::string_view what, std::span<const float> got, std::span<const float> expected,
              std::span<const double> bounds);
  /// The same with one bound for all.
  void within(std::string_view what, std::span<const float> got, std::span<const float> expected,
              double bound);

  /// Every bit is the same.
  void same_bits(std::string_view what, std::span<const float> got,
                 std::span<const float> expected);
  void same_bits(std::string_view what, std::span<const int32_t> got,
                 std::span<const int32_t> expected);
  void same_bits(std::string_view what, std::span<const uint8_t> got,
                 std::span<const uint8_t> expected);

  void require(bool holds, std::string_view sentence);

  const Verdict& verdict() const { return m_verdict; }
  bool has_failed() const { return !m_verdict.failure.empty(); }

 private:
  void fail(std::string sentence);

  Verdict m_verdict;
};

/// "%.9g": enough to tell floats apart.
std::string to_text(double number);

}  // namespace quire::test
