#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/gguf_file.h"
#include "engine/models/model_config.h"
#include "engine/template/chat_template.h"
#include "engine/tokenizer/tokenizer.h"

namespace quire {

/// How a model reads and writes chats: all that preparing a prompt needs.
/// Thread: immutable after loading; any thread. Prompts can be rendered and encoded beside an
/// engine that computes.
struct ChatFormat {
  std::shared_ptr<const Tokenizer> tokenizer;
  std::optional<ChatTemplate> chat_template;  ///< None: the files' template does not compile.
  std::string template_source;
  std::string template_error;  ///< Why the files' template does not compile; empty if it does.
  /// "ChatML", ...: the template used where the files have none; empty if they have one.
  std::string default_template_name;
  std::vector<std::string> turn_stops;  ///< Strings that end an answer under that default.
};

/// Loads the tokenizer and the template, or a default one if the files have none. `gguf` is the
/// model's metadata; null for a folder, which `path` then is. Errors: those of the tokenizers and
/// of read_template_source.
Result<ChatFormat> load_chat_format(const std::filesystem::path& path, const GgufFile* gguf);

/// The tokenizer alone.
Result<std::unique_ptr<Tokenizer>> load_tokenizer_of(const std::filesystem::path& path,
                                                     const GgufFile* gguf);

/// A chat template for a model whose files hold none.
struct DefaultTemplate {
  std::string_view name;  ///< As shown to users: "ChatML".
  std::string source;     ///< Jinja; writes BOS itself where the tokenizer asks for one.
  /// Strings that end an answer, where turns are not closed by an end token.
  std::vector<std::string> stops;
};

/// The published format whose marks are special tokens of the vocabulary; else "plain" (User: and
/// Assistant:).
DefaultTemplate default_template(const Tokenizer& tokenizer);

/// Every token that ends an answer: the config's, the tokenizer's, those with which a GGUF
/// vocabulary (null for other files) ends turns, and the marks with which the template closes a
/// turn; many published files name only one of them.
std::vector<TokenId> find_end_tokens(const ModelConfig& config, const Tokenizer& tokenizer,
                                     const GgufFile* gguf, std::string_view template_source);

/// The Jinja source of a model's chat template: of a folder, chat_template.jinja or chat_template
/// of tokenizer_config.json (of several, the one named "default"); of GGUF, what its metadata
/// holds. Empty if there is none. Errors: kIo, kCorruptFile; those of open_gguf_metadata.
Result<std::string> read_template_source(const std::filesystem::path& model);

/// The same of a GGUF file: tokenizer.chat_template, or the one named default. Errors: kUnsupported
/// for one of more than 4 MiB, with the file's name.
Result<std::string> read_template_source(const GgufFile& file);

/// The SHA-256 of a template's source, hexadecimal, to be stored with an answer.
std::string template_hash(std::string_view source);

}  // namespace quire
