#include "engine/sampling/sampling_params.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "engine/sampling/sampling_fields.h"
#include "engine/tokenizer/utf8.h"

namespace quire {
namespace {

constexpr size_t kMaxStops = 64;
constexpr size_t kMaxStopBytes = 1024;
constexpr size_t kMaxBiases = 1024;
constexpr float kMaxBias = 100.0f;

Error invalid(std::string message) {
  return {ErrorCode::kInvalidArgument, std::move(message)};
}

template <typename T>
Error out_of_range(const SamplingField<T>& field, double value) {
  std::ostringstream message;
  message.precision(10);  // Enough for whole numbers of 32 bits.
  message << field.name << " is " << value << "; it must be "
          << (field.excludes_low ? "more than " : "at least ") << field.low << " and at most "
          << field.high << ".";
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

Result<void> validate_biases(const std::vector<LogitBias>& biases) {
  if (biases.size() > kMaxBiases) {
    return invalid("logit_bias has " + std::to_string(biases.size()) +
                   " tokens; at most 1024 are allowed.");
  }
  std::vector<TokenId> ids;
  for (const LogitBias& bias : biases) {
    if (!(std::abs(bias.bias) <= kMaxBias)) {
      return invalid("logit_bias of token " + std::to_string(bias.id) +
                     " is not between -100 and 100.");
    }
    ids.push_back(bias.id);
  }
  std::ranges::sort(ids);
  const auto twice = std::ranges::adjacent_find(ids);
  if (twice == ids.end()) return {};
  return invalid("logit_bias has token " + std::to_string(*twice) + " more than once.");
}

}  // namespace

Result<void> validate(const SamplingParams& params) {
  Result<void> result;
  const auto check = [&]<typename T>(const SamplingField<T>& field) {
    if constexpr (std::is_arithmetic_v<T>) {
      const auto value = static_cast<double>(params.*field.member);
      if (result && !field.accepts(value)) result = out_of_range(field, value);
    }
  };
  for_each_sampling_field(check);
  check(SamplingField{"min_tokens", &SamplingParams::min_tokens, 0.0, kMaxSamplingInt});
  check(SamplingField{"num_logprobs", &SamplingParams::num_logprobs, -1.0, kMaxLogprobs});
  if (!result) return result;
  if (params.min_tokens > params.max_tokens) {
    return invalid("min_tokens is " + std::to_string(params.min_tokens) +
                   "; it must be at most max_tokens, which is " +
                   std::to_string(params.max_tokens) + ".");
  }
  if (const auto valid = validate_biases(params.logit_bias); !valid) return valid;
  if (params.stop_token_ids.size() > kMaxStops) {
    return invalid("stop_token_ids has " + std::to_string(params.stop_token_ids.size()) +
                   " tokens; at most 64 are allowed.");
  }
  return validate_stops(params.stop);
}

}  // namespace quire
