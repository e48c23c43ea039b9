#pragma once

#include <tuple>
#include <type_traits>

#include "engine/sampling/sampling_params.h"

namespace quire {

/// A field of SamplingParams: its name, as it is written in JSON and in messages, and its range.
template <typename T>
struct SamplingField {
  const char* name;
  T SamplingParams::*member;
  double low = 0.0;
  double high = 0.0;  ///< Not above `low`: any value.
  bool excludes_low = false;

  constexpr bool has_range() const { return high > low; }
  /// NaN is in no range.
  constexpr bool accepts(double value) const {
    if (!has_range()) return true;
    return (excludes_low ? value > low : value >= low) && value <= high;
  }
};

/// For clang 14, which does not deduce an aggregate's type.
template <typename T>
SamplingField(const char*, T SamplingParams::*, double = 0.0, double = 0.0, bool = false)
    -> SamplingField<T>;

inline constexpr double kMaxSamplingInt = 2147483647.0;
/// The most answers to one prompt that a request may ask for, from Python or over HTTP.
inline constexpr int kMaxAnswers = 128;

/// The fields that the window's answers are made with and stored with, in alphabetical order.
inline constexpr auto kSamplingFields = std::tuple{
    SamplingField{"frequency_penalty", &SamplingParams::frequency_penalty, -100.0, 100.0},
    SamplingField{"ignore_eos", &SamplingParams::ignore_eos},
    SamplingField{"max_tokens", &SamplingParams::max_tokens, 1.0, kMaxSamplingInt},
    SamplingField{"min_p", &SamplingParams::min_p, 0.0, 1.0},
    SamplingField{"presence_penalty", &SamplingParams::presence_penalty, -100.0, 100.0},
    // Less would make logits infinite.
    SamplingField{"repetition_penalty", &SamplingParams::repetition_penalty, 0.001, 100.0},
    SamplingField{"seed", &SamplingParams::seed},
    SamplingField{"stop", &SamplingParams::stop},
    SamplingField{"temperature", &SamplingParams::temperature, 0.0, 100.0},
    SamplingField{"top_k", &SamplingParams::top_k, 0.0, kMaxSamplingInt},
    SamplingField{"top_p", &SamplingParams::top_p, 0.0, 1.0, true},
};

/// Calls `visit(field)` for each of kSamplingFields.
template <typename Visit>
constexpr void for_each_sampling_field(const Visit& visit) {
  std::apply([&](const auto&... fields) { (visit(fields), ...); }, kSamplingFields);
}

/// The field of that member.
template <typename T>
constexpr SamplingField<T> sampling_field(T SamplingParams::*member) {
  SamplingField<T> found{};
  for_each_sampling_field([&]<typename U>(const SamplingField<U>& field) {
    if constexpr (std::is_same_v<T, U>) {
      if (field.member == member) found = field;
    }
  });
  return found;
}

}  // namespace quire
