#include "app/server/api/sampling_reader.h"

#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/io/text.h"
#include "engine/sampling/sampling_fields.h"

namespace quire {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kMaxId = std::numeric_limits<TokenId>::max();
constexpr size_t kMaxStops = 64;
constexpr size_t kMaxBiases = 1024;
/// vLLM's priorities: a request with a lower one comes first.
constexpr int64_t kMaxPriority = 99;

/// A sampling parameter, whose range is the engine's.
std::optional<float> readField(FieldReader& reader, float SamplingParams::*member) {
  const SamplingField<float> field = sampling_field(member);
  const auto value = reader.number(field.name, field.low, field.high);
  if (!value) return std::nullopt;
  if (!field.accepts(*value)) {
    reader.fail(badField(field.name, std::string(field.name) + " must be more than 0."));
  }
  return static_cast<float>(*value);
}

void readFieldInto(FieldReader& reader, float SamplingParams::*member, SamplingParams& sampling) {
  sampling.*member = readField(reader, member).value_or(sampling.*member);
}

void readStop(FieldReader& reader, SamplingParams& sampling) {
  const Json* const stop = reader.any("stop");
  if (stop == nullptr) return;
  const Json strings = stop->is_array() ? *stop : Json::array({*stop});
  if (strings.size() > kMaxStops) {
    return reader.fail(badField("stop", "stop may have at most 64 strings."));
  }
  for (const Json& one : strings) {
    if (!one.is_string() || one.get_ref<const std::string&>().empty()) {
      return reader.fail(
          badField("stop", "stop must be a string, or an array of strings that are not empty."));
    }
    sampling.stop.push_back(one.get<std::string>());
  }
}

void readBias(FieldReader& reader, SamplingParams& sampling) {
  const Json* const biases = reader.object("logit_bias");
  if (biases == nullptr) return;
  if (biases->size() > kMaxBiases) {
    return reader.fail(badField("logit_bias", "logit_bias may have at most 1024 tokens."));
  }
  for (const auto& [key, value] : biases->items()) {
    TokenId id = -1;
    const char* const end = key.data() + key.size();
    const auto [stop, failed] = std::from_chars(key.data(), end, id);
    const bool isId = failed == std::errc() && stop == end && id >= 0;
    const double bias = value.is_number() ? value.get<double>() : 1000.0;
    if (!isId || !(bias >= -100.0 && bias <= 100.0)) {
      return reader.fail(
          badField("logit_bias", "logit_bias must give token ids numbers from -100 to 100, not '" +
                                     for_message(key) + "': " + for_message(value.dump()) + "."));
    }
    sampling.logit_bias.push_back({.id = id, .bias = static_cast<float>(bias)});
  }
}

void readStopTokens(FieldReader& reader, SamplingParams& sampling) {
  const Json* const tokens = reader.array("stop_token_ids");
  if (tokens == nullptr) return;
  const QList<qint32> ids = readTokens(reader, *tokens, "stop_token_ids");
  sampling.stop_token_ids.assign(ids.begin(), ids.end());
}

/// Fields of other servers whose usual value changes nothing.
void acceptUsual(FieldReader& reader) {
  const std::string only = "Only its usual value is supported.";
  reader.accept("use_beam_search", false, "Beam search is not supported.");
  reader.accept("skip_special_tokens", true, "Special tokens are always left out of the text.");
  reader.accept("spaces_between_special_tokens", true, only);
  reader.accept("include_stop_str_in_output", false, "A stop string is never part of the answer.");
  reader.accept("detokenize", true, only);
  reader.accept("length_penalty", 1, "Beam search is not supported.");
  reader.accept("store", false, "Answers are not stored.");
  reader.accept("service_tier",
                reader.any("service_tier") != nullptr && *reader.any("service_tier") == "default"
                    ? "default"
                    : "auto",
                "There is one tier: auto.");
  for (const char* const field : {"user", "metadata", "safety_identifier", "prompt_cache_key",
                                  "prompt_cache_retention", "request_id"}) {
    reader.ignore(field);
  }
}

}  // namespace

QList<qint32> readTokens(FieldReader& reader, const Json& array, const std::string& name) {
  QList<qint32> tokens;
  tokens.reserve(static_cast<qsizetype>(array.size()));
  for (const Json& one : array) {
    const bool isId = one.is_number_unsigned() && one.get<uint64_t>() <= uint64_t{kMaxId};
    if (!isId) {
      reader.fail(badField(name, name + " must be token ids, which are whole numbers from 0."));
      return {};
    }
    tokens.append(static_cast<qint32>(one.get<uint64_t>()));
  }
  return tokens;
}

void readSampling(FieldReader& reader, GenerationRequest& request) {
  SamplingParams& sampling = request.chat.sampling;
  OpenSampling& open = request.open;
  open.temperature = readField(reader, &SamplingParams::temperature);
  open.topP = readField(reader, &SamplingParams::top_p);
  if (const auto k = reader.integer("top_k", -1, kMaxTokens)) {
    open.topK = static_cast<int>(std::max<int64_t>(*k, 0));  // vLLM's -1 keeps all, too.
  }
  if (const auto seed = reader.integer("seed", std::numeric_limits<int64_t>::min(),
                                       std::numeric_limits<int64_t>::max())) {
    open.seed = static_cast<uint64_t>(*seed);
  }
  for (const auto member :
       {&SamplingParams::min_p, &SamplingParams::repetition_penalty,
        &SamplingParams::presence_penalty, &SamplingParams::frequency_penalty}) {
    readFieldInto(reader, member, sampling);
  }
  sampling.min_tokens = static_cast<int>(reader.integer("min_tokens", 0, kMaxTokens).value_or(0));
  sampling.ignore_eos = reader.boolean("ignore_eos").value_or(false);
  readStop(reader, sampling);
  readStopTokens(reader, sampling);
  readBias(reader, sampling);
  request.numAnswers = static_cast<int>(reader.integer("n", 1, kMaxAnswers).value_or(1));
  const int64_t priority = reader.integer("priority", -kMaxPriority, kMaxPriority).value_or(0);
  request.chat.priority = kApiPriority - static_cast<int>(priority);
  request.model = reader.string("model").value_or(std::string());
  acceptUsual(reader);
}

StreamChoice readStream(FieldReader& reader) {
  StreamChoice choice = {.isStreamed = reader.boolean("stream").value_or(false)};
  const Json* const options = reader.object("stream_options");
  if (options == nullptr) return choice;
  if (!choice.isStreamed) {
    reader.fail(badField("stream_options", "stream_options needs stream to be true."));
  }
  FieldReader inner(*options, "stream_options");
  choice.includesUsage = inner.boolean("include_usage").value_or(false);
  inner.accept("continuous_usage_stats", false, "Usage is sent once, at the end.");
  inner.ignore("include_obfuscation");  // Adds padding against eavesdroppers, if any.
  if (auto error = inner.finish()) reader.fail(std::move(*error));
  return choice;
}

void readBestOf(FieldReader& reader, const StreamChoice& stream, GenerationRequest& request) {
  const auto best = reader.integer("best_of", 1, kMaxAnswers);
  if (!best) return;
  if (*best < request.numAnswers) {
    return reader.fail(badField("best_of", "best_of must be at least n."));
  }
  if (*best == request.numAnswers) return;
  if (stream.isStreamed) {
    return reader.fail(badField("best_of",
                                "best_of cannot be streamed, because it is known at "
                                "the end which answers are the best."));
  }
  request.numSampled = static_cast<int>(*best);
}

}  // namespace quire
