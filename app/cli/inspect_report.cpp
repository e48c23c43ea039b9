#include "app/cli/inspect_report.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>

#include "app/bundled_model.h"
#include "app/cli/cli_output.h"
#include "engine/cache/state_cache.h"
#include "engine/io/json_tokens.h"
#include "engine/io/text.h"
#include "engine/memory/kv_budget.h"
#include "kernels/base/checked.h"
#include "kernels/base/visible_text.h"

namespace quire {
namespace {

using Json = nlohmann::ordered_json;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

Json quantisation_json(const ModelSummary& summary) {
  Json list = Json::array();
  for (const ModelSummary::DTypeUse& use : summary.dtypes) {
    const auto bits = static_cast<double>(use.bytes) * 8.0 /
                      static_cast<double>(std::max<int64_t>(use.num_parameters, 1));
    list.push_back({{"dtype", lower(use.dtype)},
                    {"tensors", use.num_tensors},
                    {"parameters", use.num_parameters},
                    {"bytes", use.bytes},
                    {"bits_per_weight", bits}});
  }
  return list;
}

/// The tokens that end an answer and the special ones, by id and content.
Json tokens_json(const ModelSummary& summary) {
  const Tokenizer& tokenizer = *summary.tokenizer;
  const auto token = [&](TokenId id) {
    return Json{{"id", id}, {"token", tokenizer.token_piece(id)}};
  };
  Json json = {{"vocabulary", tokenizer.vocab_size()}, {"end", Json::array()}};
  if (summary.config) {
    for (const TokenId id : summary.config->end_tokens) json["end"].push_back(token(id));
  }
  json["begin"] =
      tokenizer.adds_bos() && tokenizer.bos_token() ? token(*tokenizer.bos_token()) : Json(nullptr);
  json["special"] = Json::array();
  for (const std::string& content : tokenizer.special_tokens()) {
    const std::optional<TokenId> id = tokenizer.special_token(content);
    if (id) json["special"].push_back(token(*id));
  }
  return json;
}

/// A product or sum that does not fit is the largest number: a file may claim sizes of any kind.
uint64_t times(uint64_t a, uint64_t b) {
  return checked_multiply(a, b).value_or(std::numeric_limits<uint64_t>::max());
}
uint64_t plus(uint64_t a, uint64_t b) {
  return checked_add(a, b).value_or(std::numeric_limits<uint64_t>::max());
}

/// The memory for one chat at several context lengths, up to the model's own.
Json memory_json(const ModelSummary& summary, DType kv_dtype) {
  const CacheLayout layout = cache_layout(*summary.config, kv_dtype);
  // The cache has at least as many.
  const uint64_t state_bytes = StateCacheSizes::kLeastSlots * layout.bytes_per_state();
  const int longest = summary.config->max_positions;
  const uint64_t weights = summary.weight_bytes > 0 ? summary.weight_bytes : summary.file_bytes;
  std::vector<int> lengths;
  for (int length = 1024; length < longest; length *= 4) lengths.push_back(length);
  lengths.push_back(longest);
  Json list = Json::array();
  for (const int length : lengths) {
    const uint64_t blocks = (static_cast<uint64_t>(length) + kBlockSize - 1) / kBlockSize;
    // One window, and the parts that a step of the default size adds.
    const int most =
        WindowCacheSizes::least_slots(layout.window(), EngineOptions().max_batch_tokens);
    const uint64_t parts = std::min(blocks + 1, static_cast<uint64_t>(most));
    const uint64_t kv_bytes =
        plus(times(blocks, layout.bytes_per_block()), times(parts, layout.bytes_per_window()));
    list.push_back({{"context", length},
                    {"weights_bytes", weights},
                    {"kv_bytes", kv_bytes},
                    {"state_bytes", state_bytes},
                    {"total_bytes", plus(plus(weights, kv_bytes), state_bytes)}});
  }
  return list;
}

/// Of a model with recurrent layers.
std::string states_part(const Json& need) {
  const auto bytes = need["state_bytes"].get<uint64_t>();
  return bytes == 0 ? "" : ", " + format_bytes(bytes) + " states of recurrent layers";
}

/// The distinct sliding windows of the layers; 0 stands for a layer without a window.
Json windows_json(const ModelConfig& config) {
  std::vector<int> windows;
  for (const auto& layer : config.layers) windows.push_back(layer.sliding_window);
  std::sort(windows.begin(), windows.end());
  windows.erase(std::unique(windows.begin(), windows.end()), windows.end());
  return windows;
}

/// The same by the dtype of the KV cache.
Json memory_by_dtype(const ModelSummary& summary) {
  Json by_dtype = Json::object();
  for (const DType dtype : {DType::kF32, DType::kF16, DType::kBF16, DType::kF8E4M3, DType::kI8}) {
    by_dtype[std::string(dtype_name(dtype))] = memory_json(summary, dtype);
  }
  return by_dtype;
}

void add_config(const ModelSummary& summary, Json& json) {
  const ModelConfig& config = *summary.config;
  json.update({{"num_layers", config.num_layers},
               {"num_heads", config.num_heads},
               {"num_kv_heads", config.num_kv_heads},
               {"head_dim", config.head_dim},
               {"hidden_size", config.hidden_size},
               {"intermediate_size", config.intermediate_size},
               {"vocab_size", config.vocab_size},
               {"context", config.max_positions},
               {"sliding_windows", windows_json(config)}});
  if (config.experts.num_experts > 0) {
    json["experts"] = config.experts.num_experts;
    json["experts_per_token"] = config.experts.experts_per_token;
  }
  if (const auto& layers = summary.speculative_layers; layers.count > 0) {
    json["speculative_layers"] = {{"count", layers.count},
                                  {"tensors", layers.num_tensors},
                                  {"bytes", layers.bytes},
                                  {"problem", layers.problem},
                                  {"used", layers.are_used}};
  }
  json["memory"] = memory_by_dtype(summary);
}

std::string join_tokens(const Json& tokens) {
  constexpr size_t kMost = 24;
  std::string text;
  for (size_t i = 0; i < std::min(tokens.size(), kMost); ++i) {
    text += (text.empty() ? "" : ", ") + tokens[i]["token"].get<std::string>() + " (" +
            tokens[i]["id"].dump() + ")";
  }
  if (tokens.size() > kMost) text += " and " + std::to_string(tokens.size() - kMost) + " more";
  return text.empty() ? "none" : text;
}

/// In visible characters also where stdout is no terminal: names from a file may hold control
/// characters, and a line end in one would begin a row of its own.
void print_line(std::string_view line) {
  write_out(visible_text(line) + "\n");
}

void print_row(const char* name, const std::string& value) {
  char head[32];
  std::snprintf(head, sizeof head, "%-14s", name);
  print_line(head + value);
}

std::string count(const Json& json, const char* key) {
  return format_count(json[key].get<int64_t>());
}

std::string text(const Json& json, const char* key) {
  return json[key].get<std::string>();
}

void print_weights(const Json& model) {
  print_row("format", text(model, "format") + ", " + format_bytes(model["file_bytes"]));
  print_row("parameters",
            count(model, "parameters") + " in " + count(model, "tensors") + " tensors");
  for (const Json& use : model["quantisation"]) {
    char bits[32];
    std::snprintf(bits, sizeof bits, "%.2f", use["bits_per_weight"].get<double>());
    print_row("", text(use, "dtype") + ": " + count(use, "tensors") + " tensors, " +
                      format_bytes(use["bytes"]) + ", " + bits + " bits a weight");
  }
}

void print_speculative_layers(const Json& model) {
  if (!model.contains("speculative_layers")) return;
  const Json& layers = model["speculative_layers"];
  const std::string problem = text(layers, "problem");
  const char* const use = layers["used"].get<bool>() ? ", for --speculation" : ", not used";
  print_row("", count(layers, "count") + (layers["count"] == 1 ? " layer" : " layers") +
                    " for speculative decoding, " + format_bytes(layers["bytes"]) +
                    (problem.empty() ? use : ", which cannot be used: " + problem));
}

void print_config(const Json& model) {
  print_row("layers", count(model, "num_layers") + ", hidden size " + count(model, "hidden_size") +
                          ", intermediate size " + count(model, "intermediate_size"));
  if (model.contains("experts")) {
    print_row("experts", count(model, "experts") + ", of which " +
                             count(model, "experts_per_token") + " a token");
  }
  print_row("heads", count(model, "num_heads") + ", " + count(model, "num_kv_heads") +
                         " for keys and values, of dimension " + count(model, "head_dim"));
  print_speculative_layers(model);
  std::string context = count(model, "context") + " tokens";
  const auto windows = model["sliding_windows"].get<std::vector<int64_t>>();
  if (!windows.empty() && windows.back() > 0) {
    context += windows.front() == 0 ? "; some layers see the last " : "; layers see the last ";
    context += format_count(windows.back());
  }
  print_row("context", context);
  print_row("vocabulary", count(model, "vocab_size") + " tokens");
}

void print_text_side(const Json& model) {
  if (model["chat_template"]) {
    print_row("chat template", model.contains("template_error")
                                   ? "invalid: " + text(model, "template_error")
                                   : "yes");
  } else {
    const bool is_known = model.contains("default_template");
    const std::string standard = is_known ? text(model, "default_template") : std::string();
    print_row("chat template",
              standard.empty() ? "none"
                               : "none; chats are written as " +
                                     (standard == "plain" ? std::string("plain text") : standard));
  }
  if (!model.contains("tokens")) return;
  const Json& tokens = model["tokens"];
  print_row("end tokens", join_tokens(tokens["end"]));
  print_row("special", join_tokens(tokens["special"]));
}

struct TensorLine {
  std::string name;
  std::string dtype;
  std::string shape;  ///< "32 x 48".
  uint64_t bytes = 0;
};

/// Nothing for another text than tensor_lines() has.
std::optional<TensorLine> read_tensor_line(std::string_view line) {
  using Token = JsonReader::Token;
  constexpr JsonLimits kLimits = {.max_values = 1 << 20};  // A header has fewer dimensions.
  JsonReader reader(line, kLimits);
  TensorLine tensor;
  const auto has = [&](std::string_view key, Token value) {
    return reader.next() == Token::kKey && reader.text() == key && reader.next() == value;
  };
  if (reader.next() != Token::kObject || !has("name", Token::kString)) return std::nullopt;
  tensor.name = reader.text();
  if (!has("dtype", Token::kString)) return std::nullopt;
  tensor.dtype = reader.text();
  if (!has("shape", Token::kArray)) return std::nullopt;
  Token token = reader.next();
  for (; token == Token::kNatural; token = reader.next()) {
    tensor.shape += (tensor.shape.empty() ? "" : " x ") + std::to_string(reader.natural());
  }
  if (token != Token::kArrayEnd || !has("bytes", Token::kNatural)) return std::nullopt;
  tensor.bytes = reader.natural();
  const bool has_ended = reader.next() == Token::kObjectEnd && reader.next() == Token::kEnd;
  return has_ended ? std::optional(std::move(tensor)) : std::nullopt;
}

/// The first line, which is taken off the text.
std::string_view take_line(std::string_view& lines) {
  const std::string_view line = lines.substr(0, lines.find('\n'));
  lines.remove_prefix(std::min(line.size() + 1, lines.size()));
  return line;
}

bool print_tensors(std::string_view lines) {
  constexpr size_t kWrittenBytes = 1 << 16;
  std::string block;
  while (!lines.empty()) {
    const auto tensor = read_tensor_line(take_line(lines));
    if (!tensor) return false;
    char rest[256];
    std::snprintf(rest, sizeof rest, " %-8s %-20s %s", tensor->dtype.c_str(), tensor->shape.c_str(),
                  format_bytes(tensor->bytes).c_str());
    std::string name = tensor->name;
    name.resize(std::max<size_t>(name.size(), 48), ' ');
    block += visible_text("  " + name + rest) + "\n";
    if (block.size() < kWrittenBytes && !lines.empty()) continue;
    write_out(block);
    block.clear();
  }
  return true;
}

/// A text as JSON.
std::string quoted(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

Json summary_json(const ModelSummary& summary) {
  std::string dtypes;
  for (const auto& use : summary.dtypes) dtypes += (dtypes.empty() ? "" : ", ") + lower(use.dtype);
  Json json = {{"name", summary.name},
               {"path", summary.path.string()},
               {"bundled", is_bundled_model(summary.path)},
               {"loads", summary.obstacles.empty()},
               {"obstacles", Json::array()},
               {"format", summary.format},
               {"architecture", summary.architecture},
               {"parameters", summary.num_parameters},
               {"dtype", dtypes},
               {"file_bytes", summary.file_bytes},
               {"tensors", summary.tensors.size()},
               {"quantisation", quantisation_json(summary)},
               {"chat_template", !summary.template_source.empty()},
               {"kv_dtype", ""}};
  for (const Error& obstacle : summary.obstacles) json["obstacles"].push_back(obstacle.message);
  if (!summary.template_error.empty()) json["template_error"] = summary.template_error;
  if (!summary.default_template_name.empty()) {
    json["default_template"] = summary.default_template_name;
  }
  if (summary.config) add_config(summary, json);
  if (summary.tokenizer) json["tokens"] = tokens_json(summary);
  return json;
}

std::string tensor_lines(const ModelSummary& summary) {
  std::string lines;
  for (const TensorInfo& tensor : summary.tensors) {
    lines += "{\"name\":" + quoted(tensor.name) + ",\"dtype\":" + quoted(lower(tensor.dtype)) +
             ",\"shape\":[";
    for (size_t i = 0; i < tensor.shape.size(); ++i) {
      lines += (i > 0 ? "," : "") + std::to_string(tensor.shape[i]);
    }
    lines += "],\"bytes\":" + std::to_string(tensor.bytes) + "}\n";
  }
  return lines;
}

bool write_summary(const Json& summary, std::optional<std::string_view> tensor_lines) {
  std::string text = json_line(summary);
  if (tensor_lines) {
    text.resize(text.size() - std::string_view("}\n").size());
    text += ",\"tensor_list\":[";
    for (std::string_view lines = *tensor_lines; !lines.empty();) {
      const std::string_view line = take_line(lines);
      if (!read_tensor_line(line)) return false;
      text += line;
      if (!lines.empty()) text += ',';
    }
    text += "]}\n";
  }
  write_out(text);
  return true;
}

void choose_kv_dtype(Json& model, DType kv_dtype) {
  const std::string name(dtype_name(kv_dtype));
  model["kv_dtype"] = name;
  if (!model.contains("memory")) return;
  Json memory = std::move(model["memory"].at(name));
  model["memory"] = std::move(memory);
}

bool print_summary(const Json& model, std::optional<std::string_view> tensor_lines) {
  print_row("model",
            text(model, "name") + (model["bundled"] ? " (the bundled demonstration model)" : ""));
  print_row("path", text(model, "path"));
  print_row("architecture", for_message(text(model, "architecture")));
  print_weights(model);
  if (model.contains("num_layers")) print_config(model);
  print_text_side(model);
  for (const Json& need : model.value("memory", Json::array())) {
    print_row("memory", format_bytes(need["total_bytes"]) + " with " + count(need, "context") +
                            " tokens of context (" + format_bytes(need["weights_bytes"]) +
                            " weights, " + format_bytes(need["kv_bytes"]) + " keys and values in " +
                            text(model, "kv_dtype") + states_part(need) + ")");
  }
  for (const Json& obstacle : model["obstacles"]) {
    print_row("cannot load", obstacle.get<std::string>());
  }
  return !tensor_lines || print_tensors(*tensor_lines);
}

}  // namespace quire
