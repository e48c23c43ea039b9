#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/bundled_model.h"
#include "app/cli/cli_output.h"
#include "app/cli/open_model.h"
#include "app/cli/verbs.h"
#include "engine/cache/kv_storage.h"

namespace quire {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kExamples =
    "  quire-cli inspect --model ~/models/llama\n"
    "  quire-cli inspect --kv-dtype f16 --json\n"
    "  quire-cli inspect --devices";

Json devices_json() {
  Json list = Json::array();
  for (const DeviceInfo& device : list_devices()) {
    Json entry = {{"name", device.name},
                  {"available", device.available},
                  {"description", device.description},
                  {"total_bytes", device.total_bytes},
                  {"free_bytes", device.free_bytes}};
    if (!device.available) entry["reason"] = device.reason;
    list.push_back(std::move(entry));
  }
  return list;
}

void print_devices(const Json& devices) {
  for (const Json& device : devices) {
    std::string line = device["name"].get<std::string>() + ": ";
    if (device["available"]) {
      line += device["description"].get<std::string>() + ", " + format_bytes(device["free_bytes"]) +
              " of " + format_bytes(device["total_bytes"]) + " free";
    } else {
      line += "cannot be used here: " + device["reason"].get<std::string>();
    }
    write_out(line + "\n");
  }
}

/// The tokens that end an answer and the special ones, by id and content; a sentence instead where
/// the tokenizer cannot be read.
Json tokens_json(const ModelConfig& config, const CommonOptions& common) {
  Result<std::unique_ptr<Tokenizer>> tokenizer = open_tokenizer(common);
  if (!tokenizer) return {{"error", tokenizer.error().message}};
  const auto token = [&](TokenId id) {
    return Json{{"id", id}, {"token", (*tokenizer)->token_piece(id)}};
  };
  Json json = {{"vocabulary", (*tokenizer)->vocab_size()}, {"end", Json::array()}};
  for (const TokenId id : config.end_tokens) json["end"].push_back(token(id));
  json["special"] = Json::array();
  for (const std::string& content : (*tokenizer)->special_tokens()) {
    const std::optional<TokenId> id = (*tokenizer)->special_token(content);
    if (id) json["special"].push_back(token(*id));
  }
  return json;
}

/// What serving one chat takes at some context lengths, up to the model's own.
Json memory_json(const ModelSummary& summary, DType kv_dtype) {
  const ModelConfig& config = summary.config;
  const KvLayout layout{config.num_layers, config.num_kv_heads, config.head_dim, kv_dtype};
  Json list = Json::array();
  std::vector<int> lengths;
  for (const int length : {1024, 4096}) {
    if (length < config.max_positions) lengths.push_back(length);
  }
  lengths.push_back(config.max_positions);
  for (const int length : lengths) {
    const uint64_t blocks = (static_cast<uint64_t>(length) + kBlockSize - 1) / kBlockSize;
    const uint64_t kv_bytes = blocks * layout.bytes_per_block();
    list.push_back({{"context", length},
                    {"weights_bytes", summary.file_bytes},
                    {"kv_bytes", kv_bytes},
                    {"total_bytes", summary.file_bytes + kv_bytes}});
  }
  return list;
}

Json model_json(const ModelSummary& summary, const CommonOptions& common) {
  const ModelConfig& config = summary.config;
  return {{"name", config.name},
          {"path", summary.path.string()},
          {"bundled", is_bundled_model(summary.path)},
          {"architecture", config.architecture},
          {"parameters", summary.num_parameters},
          {"dtype", summary.weight_dtype},
          {"file_bytes", summary.file_bytes},
          {"tensors", summary.num_tensors},
          {"num_layers", config.num_layers},
          {"num_heads", config.num_heads},
          {"num_kv_heads", config.num_kv_heads},
          {"head_dim", config.head_dim},
          {"hidden_size", config.hidden_size},
          {"intermediate_size", config.intermediate_size},
          {"vocab_size", config.vocab_size},
          {"context", config.max_positions},
          {"chat_template", summary.has_chat_template},
          {"tokens", tokens_json(config, common)},
          {"kv_dtype", common.kv_dtype},
          {"memory", memory_json(summary, common.llm_options().engine.kv_dtype)}};
}

std::string join_tokens(const Json& tokens) {
  std::string text;
  for (const Json& token : tokens) {
    text += (text.empty() ? "" : ", ") + token["token"].get<std::string>() + " (" +
            token["id"].dump() + ")";
  }
  return text.empty() ? "none" : text;
}

void print_row(const char* name, const std::string& value) {
  char head[32];
  std::snprintf(head, sizeof head, "%-14s", name);
  write_out(head + value + "\n");
}

void print_model(const Json& model) {
  const auto count = [&](const char* key) { return format_count(model[key].get<int64_t>()); };
  const auto text = [&](const char* key) { return model[key].get<std::string>(); };
  print_row("model", text("name") + (model["bundled"] ? " (the bundled demonstration model)" : ""));
  print_row("path", text("path"));
  print_row("architecture", text("architecture"));
  print_row("parameters", count("parameters") + " in " + text("dtype") + ", " +
                              format_bytes(model["file_bytes"]) + " of files");
  print_row("layers", count("num_layers") + ", hidden size " + count("hidden_size") +
                          ", intermediate size " + count("intermediate_size"));
  print_row("heads", count("num_heads") + ", " + count("num_kv_heads") +
                         " for keys and values, of dimension " + count("head_dim"));
  print_row("context", count("context") + " tokens");
  print_row("vocabulary", count("vocab_size") + " tokens");
  print_row("chat template", model["chat_template"] ? "yes" : "no");
  const Json& tokens = model["tokens"];
  if (tokens.contains("error")) {
    print_row("tokens", tokens["error"].get<std::string>());
  } else {
    print_row("end tokens", join_tokens(tokens["end"]));
    print_row("special", join_tokens(tokens["special"]));
  }
  for (const Json& need : model["memory"]) {
    print_row("memory", format_bytes(need["total_bytes"]) + " with " +
                            format_count(need["context"].get<int64_t>()) + " tokens of context (" +
                            format_bytes(need["weights_bytes"]) + " weights, " +
                            format_bytes(need["kv_bytes"]) + " keys and values in " +
                            text("kv_dtype") + ")");
  }
}

Result<int> inspect(bool devices, const CommonOptions& common) {
  if (devices) {
    common.json ? write_json(devices_json()) : print_devices(devices_json());
    return 0;
  }
  Result<ModelSummary> summary = inspect_model(common.model_path());
  if (!summary) return summary.error();
  const Json model = model_json(*summary, common);
  common.json ? write_json(model) : print_model(model);
  return 0;
}

}  // namespace

void add_inspect(Cli& cli) {
  auto devices = std::make_shared<bool>(false);
  CLI::App* verb = add_verb(cli, "inspect", "What a model is and what it needs", kExamples);
  verb->add_flag("--devices", *devices, "List what can compute here, and why others cannot");
  verb->callback(
      [&cli, devices] { cli.action = [&cli, devices] { return inspect(*devices, cli.common); }; });
}

}  // namespace quire
