#include "app/server/api/ollama_options.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "app/server/api/block_reader.h"
#include "app/server/api/json_text.h"
#include "app/server/api/sampling_reader.h"

namespace quire {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMaxStops = 64;

std::optional<float> readFloat(FieldReader& reader, const char* field, double least, double most) {
  const auto value = reader.number(field, least, most);
  return value ? std::optional(static_cast<float>(*value)) : std::nullopt;
}

void readStops(FieldReader& reader, SamplingParams& sampling) {
  const Json* const stop = reader.any("stop");
  if (stop == nullptr) return;
  const Json list = stop->is_array() ? *stop : Json::array({*stop});
  for (const Json& one : list) {
    const bool isText = one.is_string() && !one.get_ref<const std::string&>().empty();
    if (!isText || sampling.stop.size() == kMaxStops) {
      return reader.fail(badField("options.stop",
                                  "options.stop must be a text or at most 64 texts that are not "
                                  "empty."));
    }
    sampling.stop.push_back(one.get<std::string>());
  }
}

/// The penalties. Quire's repetition penalty looks at the whole chat.
void readPenalties(FieldReader& reader, SamplingParams& sampling) {
  const auto penalty = readFloat(reader, "repeat_penalty", 0.01, 100.0);
  const auto reach = reader.integer("repeat_last_n", -1, kMaxTokens);
  const bool isOff = reach == 0;
  if (penalty && !isOff) sampling.repetition_penalty = *penalty;
  if (reach && *reach > 0 && penalty && *penalty != 1.0f) {
    reader.fail(unsupported("options.repeat_last_n",
                            "repeat_penalty holds for the whole chat: repeat_last_n may be -1, or "
                            "0, which switches it off."));
  }
  sampling.presence_penalty =
      readFloat(reader, "presence_penalty", -2.0, 2.0).value_or(sampling.presence_penalty);
  sampling.frequency_penalty =
      readFloat(reader, "frequency_penalty", -2.0, 2.0).value_or(sampling.frequency_penalty);
}

void acceptUsual(FieldReader& reader) {
  for (const char* field : {"num_keep", "num_batch", "num_gpu", "main_gpu", "num_thread",
                            "use_mmap", "use_mlock", "numa", "low_vram", "f16_kv", "vocab_only",
                            "embedding_only", "rope_frequency_base", "rope_frequency_scale"}) {
    const bool isRope = std::string_view(field).starts_with("rope");
    isRope ? reader.refuse(field, "Positions are the model's own.") : reader.ignore(field);
  }
  reader.accept("mirostat", 0, "Mirostat is not supported.");
  reader.ignore("mirostat_tau");  // Of mirostat, which is off.
  reader.ignore("mirostat_eta");
  reader.accept("typical_p", 1, "Typical sampling is not supported.");
  reader.accept("tfs_z", 1, "Tail-free sampling is not supported.");
  reader.accept("penalize_newline", true, "Line breaks are penalised as all tokens are.");
  reader.accept("logits_all", false, "logits_all is not supported.");
}

void readFormat(FieldReader& reader, AnswerFormat& format) {
  const Json* const value = reader.any("format");
  if (value == nullptr || *value == "") return;
  if (*value == "json") {
    format.kind = AnswerFormat::Kind::kJson;
  } else if (value->is_object()) {
    format = {.kind = AnswerFormat::Kind::kJsonSchema, .schema = jsonText(*value)};
  } else {
    reader.fail(badField("format", "format must be \"json\" or a JSON Schema."));
  }
}

/// think: what the template is told. Without it the model does what its template says.
void readThink(FieldReader& reader, ChatRequest& chat) {
  const Json* const think = reader.any("think");
  if (think == nullptr) return;
  if (think->is_boolean()) return setTemplateVariable(chat, "enable_thinking", *think);
  if (*think != "low" && *think != "medium" && *think != "high") {
    return reader.fail(
        badField("think", "think must be true, false, \"low\", \"medium\" or \"high\"."));
  }
  setTemplateVariable(chat, "enable_thinking", true);
  setTemplateVariable(chat, "reasoning_effort", *think);
}

}  // namespace

void readOllamaOptions(FieldReader& reader, OllamaRequest& request) {
  const Json* const options = reader.object("options");
  if (options == nullptr) return;
  FieldReader inner(*options, "options");
  SamplingParams& sampling = request.generation.chat.sampling;
  OpenSampling& open = request.generation.open;
  open.temperature = readFloat(inner, "temperature", 0.0, 100.0);
  open.topP = readFloat(inner, "top_p", 0.0, 1.0);
  if (open.topP == 0.0f)
    inner.fail(badField("options.top_p", "options.top_p must be more than 0."));
  if (const auto k = inner.integer("top_k", -1, kMaxTokens)) {
    open.topK = static_cast<int>(std::max<int64_t>(*k, 0));
  }
  if (const auto seed = inner.integer("seed", std::numeric_limits<int64_t>::min(),
                                      std::numeric_limits<int64_t>::max())) {
    open.seed = static_cast<uint64_t>(*seed);
  }
  sampling.min_p = readFloat(inner, "min_p", 0.0, 1.0).value_or(sampling.min_p);
  // -1 and -2: what the context holds, as without it.
  const auto tokens = inner.integer("num_predict", -2, kMaxTokens);
  if (tokens && *tokens > 0) open.maxTokens = static_cast<int>(*tokens);
  if (tokens == 0) {
    inner.fail(badField("options.num_predict", "options.num_predict must be at least 1, or -1."));
  }
  request.contextTokens = inner.integer("num_ctx", 1, kMaxTokens).value_or(0);
  readStops(inner, sampling);
  readPenalties(inner, sampling);
  acceptUsual(inner);
  if (auto error = inner.finish()) reader.fail(std::move(*error));
}

void readOllamaCommon(FieldReader& reader, OllamaRequest& request) {
  GenerationRequest& generation = request.generation;
  generation.chat.dropsOldTurns = false;
  generation.chat.priority = kApiPriority;
  generation.model = reader.string("model").value_or(std::string());
  request.isStreamed = reader.boolean("stream").value_or(true);
  readFormat(reader, generation.chat.format);
  generation.formatField = "format";
  readThink(reader, generation.chat);
  readKeepAlive(reader);
  readOllamaOptions(reader, request);
  reader.accept("logprobs", false, "Log probabilities are those of /v1/chat/completions.");
  reader.accept("top_logprobs", 0, "Log probabilities are those of /v1/chat/completions.");
  reader.accept("truncate", false, "A chat that is too long is an error, and is not cut.");
  reader.accept("shift", false, "An answer ends where the context does.");
}

void readKeepAlive(FieldReader& reader) {
  const Json* const time = reader.any("keep_alive");
  if (time == nullptr || time->is_string() || time->is_number()) return;
  reader.fail(badField("keep_alive", "keep_alive must be a duration."));
}

}  // namespace quire
