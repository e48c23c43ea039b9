#include "engine/sampling/sampling_params.h"

#include <cmath>
#include <sstream>

#include "engine/tokenizer/utf8.h"

namespace quire {
namespace {

constexpr size_t kMaxStops = 64;
constexpr size_t kMaxStopBytes = 1024;
constexpr int kMaxLogprobs = 100;

Error invalid(std::string message) {
  return {ErrorCode::kInvalidArgument, std::move(message)};
}

struct Range {
  const char* name;
  double value;
  double low;
  double high;
  bool excludes_low = false;
};

/// NaN is in no range.
bool is_in(const Range& range) {
  const bool above = range.excludes_low ? range.value > range.low : range.value >= range.low;
  return above && range.value <= range.high;
}

Error out_of(const Range& range) {
  std::ostringstream message;
  message << range.name << " is " << range.value << "; it must be "
          << (range.excludes_low ? "more than " : "at least ") << range.low << " and at most "
          << range.high << ".";
  return invalid(message.str());
}

Result<void> validate_stops(const std::vector<std::string>& stops) {
  if (stops.size() > kMaxStops) {
    return invalid("stop has " + std::to_string(stops.size()) +
                   " strings; at most 64 are allowed.");
  }
  for (const std::string& stop : stops) {
    if (stop.empty()) return invalid("stop has an empty string, which would end every answer.");
    if (stop.size() > kMaxStopBytes) return invalid("stop has a string of more than 1024 bytes.");
    if (!is_valid_utf8(stop)) return invalid("stop has a string that is not UTF-8.");
  }
  return {};
}

}  // namespace

Result<void> validate(const SamplingParams& params) {
  constexpr double kMaxInt = 2147483647.0;
  const Range ranges[] = {
      {"temperature", params.temperature, 0.0, 100.0},
      {"top_k", static_cast<double>(params.top_k), 0.0, kMaxInt},
      {"top_p", params.top_p, 0.0, 1.0, true},
      {"min_p", params.min_p, 0.0, 1.0},
      {"repetition_penalty", params.repetition_penalty, 0.0, 100.0, true},
      {"presence_penalty", params.presence_penalty, -100.0, 100.0},
      {"frequency_penalty", params.frequency_penalty, -100.0, 100.0},
      {"max_tokens", static_cast<double>(params.max_tokens), 1.0, kMaxInt},
      {"num_logprobs", static_cast<double>(params.num_logprobs), -1.0, kMaxLogprobs},
  };
  for (const Range& range : ranges) {
    if (!is_in(range)) return out_of(range);
  }
  return validate_stops(params.stop);
}

}  // namespace quire
