#include "engine/chat/chat_format.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "engine/io/hash.h"
#include "engine/io/json_file.h"
#include "engine/io/read_file.h"
#include "engine/io/text.h"
#include "engine/models/model_files.h"
#include "engine/tokenizer/tokenizer_loader.h"

namespace quire {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

struct Format {
  std::string_view name;
  std::array<std::string_view, 2>
      marks;  ///< Special tokens that only this format has; may be empty.
  std::string_view source;
};

// The first whose marks are all special tokens is chosen; the plain one is last.
constexpr Format kFormats[] = {
    {"ChatML",
     {"<|im_start|>", "<|im_end|>"},
     "{% for message in messages %}"
     "{{ '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>\n' }}"
     "{% endfor %}"
     "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"},
    {"Llama 3",
     {"<|start_header_id|>", "<|eot_id|>"},
     "{% for message in messages %}"
     "{{ '<|start_header_id|>' + message.role + '<|end_header_id|>\n\n' + message.content + "
     "'<|eot_id|>' }}"
     "{% endfor %}"
     "{% if add_generation_prompt %}"
     "{{ '<|start_header_id|>assistant<|end_header_id|>\n\n' }}{% endif %}"},
    // Gemma has no system turn: the system message opens the first user turn.
    {"Gemma",
     {"<start_of_turn>", "<end_of_turn>"},
     "{% for message in messages %}"
     "{% if message.role == 'system' %}"
     "{{ '<start_of_turn>user\n' + message.content + '\n\n' }}"
     "{% else %}"
     "{% if not (message.role == 'user' and loop.previtem is defined "
     "and loop.previtem.role == 'system') %}"
     "{{ '<start_of_turn>' + ('model' if message.role == 'assistant' else message.role) + '\n' }}"
     "{% endif %}"
     "{{ message.content + '<end_of_turn>\n' }}"
     "{% endif %}"
     "{% endfor %}"
     "{% if add_generation_prompt %}{{ '<start_of_turn>model\n' }}{% endif %}"},
    {"Phi-3",
     {"<|assistant|>", "<|end|>"},
     "{% for message in messages %}"
     "{{ '<|' + message.role + '|>\n' + message.content + '<|end|>\n' }}"
     "{% endfor %}"
     "{% if add_generation_prompt %}{{ '<|assistant|>\n' }}{% endif %}"},
    // As Gemma: the system message opens the next user turn.
    {"Mistral",
     {"[INST]", "[/INST]"},
     "{% for message in messages %}"
     "{% if message.role == 'system' %}{{ '[INST] ' + message.content + '\n\n' }}"
     "{% elif message.role == 'user' %}"
     "{% if not (loop.previtem is defined and loop.previtem.role == 'system') %}{{ '[INST] ' }}"
     "{% endif %}"
     "{{ message.content + ' [/INST]' }}"
     "{% else %}{{ ' ' + message.content + eos_token }}"
     "{% endif %}"
     "{% endfor %}"},
    // Plain words, because such a model has no marks.
    {"plain",
     {},
     "{% for message in messages %}"
     "{% if message.role == 'system' %}{{ message.content }}\n\n"
     "{% elif message.role == 'user' %}User: {{ message.content }}\n"
     "{% else %}Assistant: {{ message.content }}\n{% endif %}"
     "{% endfor %}"
     "{% if add_generation_prompt %}Assistant:{% endif %}"},
};

bool knows(const Tokenizer& tokenizer, const Format& format) {
  return std::all_of(format.marks.begin(), format.marks.end(), [&](std::string_view mark) {
    return mark.empty() || tokenizer.special_token(mark).has_value();
  });
}

constexpr std::string_view kTurnMarks[] = {"<|im_end|>",    "<|eot_id|>", "<|end|>",  "<|eom_id|>",
                                           "<end_of_turn>", "<|return|>", "<|call|>", "<turn|>"};

/// Where answers have channels (gpt-oss), this mark ends one of them and not the answer.
std::optional<TokenId> channel_end(const Tokenizer& tokenizer) {
  const bool has_channels =
      tokenizer.special_token("<|channel|>") && tokenizer.special_token("<|return|>");
  return has_channels ? tokenizer.special_token("<|end|>") : std::nullopt;
}

/// What the template's parser accepts at most.
constexpr size_t kMaxTemplateBytes = size_t{4} << 20;

std::string string_member(const json& object, const char* name) {
  if (!object.is_object()) return {};
  const auto at = object.find(name);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

/// A template is one string, or a list of {"name", "template"}.
std::string template_of(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return {};
  for (const json& item : value) {
    if (string_member(item, "name") == "default") return string_member(item, "template");
  }
  return {};
}

Result<std::string> read_folder_template(const fs::path& folder) {
  std::error_code ignored;
  const fs::path jinja = folder / "chat_template.jinja";
  if (fs::exists(jinja, ignored)) return read_file(jinja, kMaxTemplateBytes);
  const fs::path config_path = folder / "tokenizer_config.json";
  if (!fs::exists(config_path, ignored)) return std::string();
  auto config = read_json(config_path, kTokenListLimits);
  if (!config) return config.error();
  if (!config->is_object() || !config->contains("chat_template")) return std::string();
  return template_of((*config)["chat_template"]);
}

/// Sets the files' template, or a default one if they hold none.
void set_template(std::string source, ChatFormat& format) {
  if (source.empty()) {
    DefaultTemplate standard = default_template(*format.tokenizer);
    source = std::move(standard.source);
    format.default_template_name = standard.name;
    format.turn_stops = std::move(standard.stops);
  }
  format.template_source = std::move(source);
  // A model with a broken template still completes plain text, so this is no reason to refuse it.
  auto compiled = ChatTemplate::compile(format.template_source);
  if (compiled) {
    format.chat_template = std::move(*compiled);
  } else {
    format.template_error = compiled.error().message;
  }
}

}  // namespace

Result<std::unique_ptr<Tokenizer>> load_tokenizer_of(const fs::path& path, const GgufFile* gguf) {
  return gguf != nullptr ? load_gguf_tokenizer(*gguf) : load_tokenizer(path);
}

Result<ChatFormat> load_chat_format(const fs::path& path, const GgufFile* gguf) {
  auto tokenizer = load_tokenizer_of(path, gguf);
  if (!tokenizer) return tokenizer.error();
  auto source = gguf != nullptr ? read_template_source(*gguf) : read_template_source(path);
  if (!source) return source.error();
  ChatFormat format{.tokenizer = std::move(*tokenizer)};
  set_template(std::move(*source), format);
  return format;
}

DefaultTemplate default_template(const Tokenizer& tokenizer) {
  const Format* const format =
      std::find_if(std::begin(kFormats), std::end(kFormats) - 1,
                   [&](const Format& candidate) { return knows(tokenizer, candidate); });
  DefaultTemplate chosen{.name = format->name, .source = std::string(format->source), .stops = {}};
  if (tokenizer.adds_bos() && tokenizer.bos_token()) chosen.source.insert(0, "{{ bos_token }}");
  if (format == std::end(kFormats) - 1) chosen.stops = {"\nUser:"};
  return chosen;
}

std::vector<TokenId> find_end_tokens(const ModelConfig& config, const Tokenizer& tokenizer,
                                     const GgufFile* gguf, std::string_view template_source) {
  std::vector<TokenId> ends = config.end_tokens;
  const auto add = [&](std::optional<TokenId> token) {
    if (token && std::find(ends.begin(), ends.end(), *token) == ends.end()) ends.push_back(*token);
  };
  add(tokenizer.eos_token());
  const std::optional<TokenId> spared = channel_end(tokenizer);
  const auto add_guessed = [&](std::optional<TokenId> token) {
    if (token != spared) add(token);
  };
  if (gguf != nullptr) {
    for (const TokenId token : gguf_end_tokens(*gguf)) add_guessed(token);
  }
  for (const std::string_view mark : kTurnMarks) {
    if (template_source.find(mark) != template_source.npos) {
      add_guessed(tokenizer.special_token(mark));
    }
  }
  return ends;
}

Result<std::string> read_template_source(const fs::path& model) {
  auto gguf = open_gguf_metadata(model);
  if (!gguf) return gguf.error();
  return *gguf ? read_template_source(**gguf) : read_folder_template(model);
}

Result<std::string> read_template_source(const GgufFile& file) {
  for (const char* key : {"tokenizer.chat_template", "tokenizer.chat_template.default"}) {
    const auto source = file.string(key);
    if (!source || source->empty()) continue;
    if (source->size() > kMaxTemplateBytes) {
      return Error{ErrorCode::kUnsupported, "In " + file.path().string() + ", " + key + " is " +
                                                with_separators(source->size()) +
                                                " bytes long; Quire reads up to " +
                                                with_separators(kMaxTemplateBytes) +
                                                ". Download it again, or another version."};
    }
    return std::string(*source);
  }
  return std::string();
}

std::string template_hash(std::string_view source) {
  Sha256 hash;
  hash.update(source);
  return to_hex(hash.finish());
}

}  // namespace quire
