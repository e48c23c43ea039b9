#include "engine/tokenizer/tokenizer_loader.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/io/json_file.h"
#include "engine/io/text.h"
#include "engine/tokenizer/json_values.h"
#include "kernels/base/hash_bytes.h"

namespace quire {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

/// The object in a file; an empty one if there is no such file.
/// The three files are in memory together; a member takes up to 200 bytes.
constexpr JsonLimits kMapLimits = {.max_bytes = 4 << 20, .max_values = 200'000};
constexpr JsonLimits kAddedLimits = {.max_bytes = 8 << 20, .max_values = 1'000'000};

Result<Json> read_object(const fs::path& path, const JsonLimits& limits = kTokenListLimits) {
  std::error_code failure;
  if (!fs::exists(path, failure)) return Json::object();
  Result<Json> json = read_json(path, limits);
  if (!json) {
    return Error{json.error().code,
                 "In " + path.parent_path().string() + ": " + json.error().message + "."};
  }
  if (!json->is_object()) {
    return Error{ErrorCode::kCorruptFile,
                 path.string() + " is not a JSON object. Download it again."};
  }
  return json;
}

/// A token is given as its content or as an object with it.
std::optional<std::string> content_of(const Json& token) {
  const Json& content = token.is_string() ? token : json_member(token, "content");
  return content.is_string() ? std::optional(content.get<std::string>()) : std::nullopt;
}

std::optional<TokenId> id_of(const std::string& key) {
  TokenId id = 0;
  const char* end = key.data() + key.size();
  const auto [stop, failure] = std::from_chars(key.data(), end, id);
  if (failure != std::errc() || stop != end) return std::nullopt;
  return id;
}

Result<void> read_added_decoder(const Json& config, const fs::path& path, SpecialTokens& special) {
  const Json& decoder = json_member(config, "added_tokens_decoder");
  if (!decoder.is_object()) return {};
  for (const auto& [key, value] : decoder.items()) {
    const std::optional<TokenId> id = id_of(key);
    const std::optional<std::string> content = content_of(value);
    if (!id || !content) {
      return Error{ErrorCode::kCorruptFile,
                   path.string() + ": added_tokens_decoder has the entry \"" + for_message(key) +
                       "\", which is no id with a content."};
    }
    special.added.push_back(added_token_of(value, *id, *content));
  }
  return {};
}

/// bos_token, eos_token and the lists of special tokens, which two files may have.
void read_names(const Json& object, SpecialTokens& special) {
  const auto token = [&](const char* key) { return content_of(json_member(object, key)); };
  if (!special.bos) special.bos = token("bos_token");
  if (!special.eos) special.eos = token("eos_token");
  for (const char* key : {"bos_token", "eos_token", "pad_token", "unk_token", "sep_token"}) {
    if (const auto content = token(key)) special.names.push_back(*content);
  }
  for (const char* key : {"additional_special_tokens", "extra_special_tokens"}) {
    const Json& list = json_member(object, key);
    if (!list.is_array()) continue;
    for (const Json& entry : list) {
      if (const auto content = content_of(entry)) special.names.push_back(*content);
    }
  }
}

Error too_many_added(const fs::path& folder, size_t count) {
  return {ErrorCode::kUnsupported, "The files beside the tokenizer in " + folder.string() +
                                       " add " + with_separators(count) +
                                       " tokens; Quire reads up to " +
                                       with_separators(kMaxAddedTokens) + "."};
}

Result<void> read_added_tokens(const Json& added, const fs::path& path, SpecialTokens& special) {
  if (added.size() > kMaxAddedTokens) return too_many_added(path.parent_path(), added.size());
  std::set<TokenId> known;  // Ordered: ids of a file may be chosen so that their hashes collide.
  for (const AddedToken& token : special.added) known.insert(token.id);
  const StringSet names(special.names.begin(), special.names.end());
  for (const auto& [content, id] : added.items()) {
    if (!id.is_number_integer()) {
      return Error{ErrorCode::kCorruptFile, path.string() + ": the id of \"" +
                                                for_message(content) + "\" is not an integer."};
    }
    const auto value = id.get<int64_t>();
    const bool in_range = value >= 0 && value <= std::numeric_limits<TokenId>::max();
    const TokenId token = in_range ? static_cast<TokenId>(value) : -1;
    if (!known.insert(token).second) continue;
    special.added.push_back(
        {.id = token, .content = content, .is_special = names.contains(content)});
  }
  return {};
}

/// The classes whose tokenizers put BOS first unless told otherwise.
bool class_adds_bos(const Json& config) {
  const std::string name = json_text(config, "tokenizer_class");
  return name.starts_with("Llama") || name.starts_with("CodeLlama") || name.starts_with("Gemma");
}

Result<SpecialTokens> read_special_tokens(const fs::path& folder) {
  const fs::path config_path = folder / "tokenizer_config.json";
  const fs::path added_path = folder / "added_tokens.json";
  const Result<Json> config = read_object(config_path);
  if (!config) return config.error();
  const Result<Json> map = read_object(folder / "special_tokens_map.json", kMapLimits);
  if (!map) return map.error();
  const Result<Json> added = read_object(added_path, kAddedLimits);
  if (!added) return added.error();

  SpecialTokens special;
  if (auto read = read_added_decoder(*config, config_path, special); !read) return read.error();
  read_names(*config, special);
  read_names(*map, special);
  if (auto read = read_added_tokens(*added, added_path, special); !read) return read.error();
  if (const size_t count = std::max(special.added.size(), special.names.size());
      count > kMaxAddedTokens) {
    return too_many_added(folder, count);
  }
  special.is_adds_bos_given = json_member(*config, "add_bos_token").is_boolean();
  special.adds_bos = json_flag(*config, "add_bos_token", class_adds_bos(*config));
  special.restarts_after_special = json_flag(*config, "legacy", true);
  return special;
}

/// Older models (OPT, GPT-2) were published before tokenizer.json was usual.
Error no_tokenizer(const fs::path& folder) {
  std::error_code ignored;
  if (fs::exists(folder / "vocab.json", ignored) && fs::exists(folder / "merges.txt", ignored)) {
    return make_error(ErrorCode::kUnsupported,
                      "%1 has its tokenizer as vocab.json and merges.txt, which Quire does not "
                      "read; write tokenizer.json with transformers "
                      "(AutoTokenizer.from_pretrained and save_pretrained)",
                      {folder.string()});
  }
  return make_error(ErrorCode::kNotFound,
                    "%1 has neither tokenizer.json nor tokenizer.model; download one of them too",
                    {folder.string()});
}

}  // namespace

Result<std::unique_ptr<Tokenizer>> load_tokenizer(const fs::path& model_folder) {
  std::error_code failure;
  const fs::path json = model_folder / "tokenizer.json";
  const fs::path model = model_folder / "tokenizer.model";
  const bool has_json = fs::exists(json, failure);
  const bool has_model = fs::exists(model, failure);
  if (!has_json && !has_model) return no_tokenizer(model_folder);
  Result<SpecialTokens> special = read_special_tokens(model_folder);
  if (!special) return special.error();
  if (has_json) {
    auto tokenizer = load_tokenizer_json(json, *special);
    // tokenizer.model may not need what Quire does not support in tokenizer.json.
    const bool is_lacking = !tokenizer && tokenizer.error().code == ErrorCode::kUnsupported;
    if (!is_lacking || !has_model) return tokenizer;
  }
  return load_sentencepiece(model.string(), std::move(*special));
}

}  // namespace quire
