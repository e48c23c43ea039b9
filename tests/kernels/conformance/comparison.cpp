#include "tests/kernels/conformance/comparison.h"

#include <cmath>
#include <cstdio>

namespace quire::test {

std::string to_text(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", number);
  return text;
}

namespace {

std::string place(std::string_view what, size_t i) {
  return std::string(what) + ": element " + std::to_string(i);
}

}  // namespace

void Comparison::fail(std::string sentence) {
  // The first failure is the one to look at; later ones mostly follow from it.
  if (!has_failed()) m_verdict.failure = std::move(sentence);
}

void Comparison::require(bool holds, std::string_view sentence) {
  if (!holds) fail(std::string(sentence));
}

void Comparison::within(std::string_view what, std::span<const float> got,
                        std::span<const float> expected, std::span<const double> bounds) {
  if (got.size() != expected.size() || got.size() != bounds.size()) {
    return fail(std::string(what) + ": " + std::to_string(got.size()) + " numbers instead of " +
                std::to_string(expected.size()) + ".");
  }
  for (size_t i = 0; i < got.size(); ++i) {
    const double error = std::fabs(double{got[i]} - double{expected[i]});
    if (error == 0.0) continue;
    const bool is_within = error <= bounds[i];  // False for NaN.
    if (!is_within) {
      fail(place(what, i) + " is " + to_text(got[i]) + " instead of " + to_text(expected[i]) +
           ", an error of " + to_text(error) + " where " + to_text(bounds[i]) + " is allowed.");
    }
    const double share = is_within ? error / bounds[i] : HUGE_VAL;
    if (share > m_verdict.share) {
      m_verdict.share = share;
      m_verdict.error = error;
      m_verdict.bound = bounds[i];
    }
  }
}

void Comparison::within(std::string_view what, std::span<const float> got,
                        std::span<const float> expected, double bound) {
  within(what, got, expected, std::vector<double>(expected.size(), bound));
}

namespace {

/// Where a and b first differ, or the number of elements.
template <typename T>
size_t first_difference(std::span<const T> a, std::span<const T> b) {
  if (std::memcmp(a.data(), b.data(), a.size_bytes()) == 0) return a.size();
  size_t i = 0;
  while (std::memcmp(&a[i], &b[i], sizeof(T)) == 0) ++i;
  return i;
}

/// The sentence for results whose bits differ, or nothing.
template <typename T>
std::string difference(std::string_view what, std::span<const T> got, std::span<const T> expected) {
  if (got.size() != expected.size()) {
    return std::string(what) + ": " + std::to_string(got.size()) + " numbers instead of " +
           std::to_string(expected.size()) + ".";
  }
  if (got.empty()) return {};
  const size_t i = first_difference(got, expected);
  if (i == got.size()) return {};
  return place(what, i) + " is " + to_text(static_cast<double>(got[i])) + " instead of " +
         to_text(static_cast<double>(expected[i])) + ", where every bit must be the same.";
}

}  // namespace

void Comparison::same_bits(std::string_view what, std::span<const float> got,
                           std::span<const float> expected) {
  if (std::string sentence = difference(what, got, expected); !sentence.empty()) fail(sentence);
}

void Comparison::same_bits(std::string_view what, std::span<const int32_t> got,
                           std::span<const int32_t> expected) {
  if (std::string sentence = difference(what, got, expected); !sentence.empty()) fail(sentence);
}

void Comparison::same_bits(std::string_view what, std::span<const uint8_t> got,
                           std::span<const uint8_t> expected) {
  if (std::string sentence = difference(what, got, expected); !sentence.empty()) fail(sentence);
}

}  // namespace quire::test
