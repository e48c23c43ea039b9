#pragma once

#include <string_view>

namespace quire::fuzz {

/// One entry point for each kind of untrusted file: reads `bytes` as that kind through the engine's
/// public functions and aborts where a promise is broken (support.h). libFuzzer calls one of them
/// for inputs that it makes up; tst_fuzz_corpus calls all of them for the inputs kept in corpus/.
/// Those of tokenizers may end with a text to be encoded (FileAndText).
using Target = void (*)(std::string_view bytes);

/// A whole safetensors file: the header's length, the header, the data.
void fuzz_safetensors(std::string_view bytes);
/// model.safetensors.index.json beside two shards.
void fuzz_safetensors_index(std::string_view bytes);
/// config.json, and after a zero byte generation_config.json.
void fuzz_config(std::string_view bytes);
/// A whole GGUF file.
void fuzz_gguf(std::string_view bytes);
/// The vocabulary in a GGUF file.
void fuzz_gguf_tokenizer(std::string_view bytes);
/// A chat template, compiled and rendered.
void fuzz_template(std::string_view bytes);
/// A byte that chooses a family of models and the length of pieces, and an answer with tool calls.
void fuzz_tool_calls(std::string_view bytes);
/// tokenizer.model.
void fuzz_sentencepiece(std::string_view bytes);
/// tokenizer.json, and after a zero byte tokenizer_config.json.
void fuzz_tokenizer_json(std::string_view bytes);
/// A model file or folder (model_files.h): the facts that quire-inspect answers, and the estimate
/// of its memory.
void fuzz_inspect(std::string_view bytes);
/// The same, loaded and computed with for a few tokens.
void fuzz_forward(std::string_view bytes);
/// An answer's Markdown: parsed whole and in pieces, its formulas and code, and its copy.
void fuzz_markdown(std::string_view bytes);
/// A LaTeX formula.
void fuzz_math(std::string_view bytes);
/// A file of exported chats: JSON if it begins with a brace, else Markdown.
void fuzz_import(std::string_view bytes);
/// Which use is made of quire.db (a byte), and how it was changed (store_sample.h).
void fuzz_store(std::string_view bytes);
/// How a prefix.db was changed.
void fuzz_prefix(std::string_view bytes);
/// A server's whole HTTP response: events of an answer, a refusal or a list of models.
void fuzz_remote(std::string_view bytes);
/// A hub's response: a search, a model, a list of files or a manifest; or the name of a model.
void fuzz_hub(std::string_view bytes);
/// tokenizer_config.json, special_tokens_map.json and added_tokens.json with zero bytes between,
/// beside a good tokenizer.model.
void fuzz_tokenizer_config(std::string_view bytes);
/// What a client sends to the API's server: requests, one after the other.
void fuzz_http(std::string_view bytes);

/// A JSON Schema, and after a zero byte the choice of an answer's tokens.
void fuzz_grammar(std::string_view bytes);

struct NamedTarget {
  const char* name;  ///< Also the folder in corpus/.
  Target run;
};

inline constexpr NamedTarget kTargets[] = {
    {"safetensors", fuzz_safetensors},
    {"safetensors_index", fuzz_safetensors_index},
    {"gguf", fuzz_gguf},
    {"gguf_tokenizer", fuzz_gguf_tokenizer},
    {"config", fuzz_config},
    {"template", fuzz_template},
    {"tool_calls", fuzz_tool_calls},
    {"sentencepiece", fuzz_sentencepiece},
    {"tokenizer_config", fuzz_tokenizer_config},
    {"tokenizer_json", fuzz_tokenizer_json},
    {"forward", fuzz_forward},
    {"grammar", fuzz_grammar},
};

/// Those of the application, which need Qt.
inline constexpr NamedTarget kAppTargets[] = {
    {"inspect", fuzz_inspect}, {"markdown", fuzz_markdown}, {"math", fuzz_math},
    {"import", fuzz_import},   {"store", fuzz_store},       {"prefix", fuzz_prefix},
    {"http", fuzz_http},       {"remote", fuzz_remote},     {"hub", fuzz_hub},
};

}  // namespace quire::fuzz
