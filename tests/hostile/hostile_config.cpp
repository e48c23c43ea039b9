// Folders whose config.json, or another of the small JSON files, is wrong.
#include <sys/stat.h>

#include <numeric>

#include "tests/hostile/folder_model.h"
#include "tests/hostile/hostile_folder.h"

namespace quire::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kKind = "config";
constexpr const char* kFile = "config.json";

/// The tiny model with this text as one of its files.
HostileFile& add(HostileFolder& to, const std::string& title, const std::string& place,
                 const std::string& text, const char* file = kFile) {
  HostileFile& made = to.folder(kKind, title, place, file);
  tinyFolder().write(made.path);
  writeFile(made.path / file, text);
  return made;
}

HostileFile& addField(HostileFolder& to, const std::string& title, const char* field,
                      const Json& value, const std::string& place = {}) {
  Json config = tinyFolder().config;
  config[field] = value;
  return add(to, title, place.empty() ? field : place, config.dump());
}

/// JSON's own faults, which each of the files may have.
void addTexts(HostileFolder& to) {
  const std::string good = tinyFolder().config.dump(1);
  const auto text = [&](const std::string& title, const std::string& place,
                        const std::string& content) {
    for (const char* file : {kFile, "generation_config.json", "tokenizer_config.json"}) {
      const bool is_first = file == kFile;
      add(to, is_first ? title : title + "-" + file, place, content, file);
    }
  };
  text("no-json", "line 2, column", "{\n nonsense");
  text("open", "line", good.substr(0, good.size() / 2));
  text("trailing-text", "line", good + "\n}");
  for (const char* file : {"generation_config.json", "tokenizer_config.json"}) {
    add(to, std::string("nan-literal-") + file, "line 1, column", R"({"a": NaN})", file);
  }
  text("infinite-literal", "line 1, column", R"({"rms_norm_eps": 1e999})");
  text("comment", "line 1, column", "// a comment\n" + good);
  text("utf-16", "line 1, column", std::string("\xff\xfe{\0}\0", 6));
  text("no-utf-8", "line 1, column", "{\"a\": \"\xff\xc0\x80\"}");
  text("lone-surrogate", "line 1, column", R"({"a": "\ud800"})");
  text("control-in-a-text", "line 1, column", "{\"a\": \"\x1b[31m\"}");
  text("nested-lists", "nested", "{\"a\": " + repeated("[", 500'000));
  text("nested-objects", "nested", repeated("{\"a\":", 100'000));
  text("too-many-values", "values", "{\"a\": [" + repeated("1,", 1'200'000) + "1]}");
  text("a-list", "object", "[]");
  text("a-number", "object", "7");
  text("null", "object", "null");
  text("empty", "empty", "");
  text("zeros", "line 1, column", std::string(1000, '\0'));
  add(to, "sparse-3-gigabytes", "bytes long|bytes of JSON", "{");
  makeSparse(to.files().back().path / kFile, uint64_t{3} << 30);
  add(to, "no-object", "architectures", "{}");
}

/// Python writes numbers into config.json that JSON lacks; they are read as null.
void addPythonsNumbers(HostileFolder& to) {
  for (const std::string number : {"NaN", "Infinity", "-Infinity"}) {
    Json config = tinyFolder().config;
    config["hidden_size"] = "PLACE";
    std::string text = config.dump();
    text.replace(text.find("\"PLACE\""), 7, number);
    add(to, "hidden-size-" + number, "hidden_size", text);
  }
}

void addNumbers(HostileFolder& to) {
  const std::pair<const char*, Json> kBad[] = {{"zero", 0},
                                               {"negative", -8},
                                               {"fraction", 8.5},
                                               {"huge", uint64_t{1} << 62},
                                               {"float-huge", 1e300},
                                               {"text", "8"},
                                               {"list", Json::array({8})},
                                               {"object", Json::object()},
                                               {"true", true}};
  for (const char* field :
       {"hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads",
        "num_key_value_heads", "vocab_size", "max_position_embeddings"}) {
    for (const auto& [name, value] : kBad) {
      addField(to, std::string(field) + "-" + name, field, value);
    }
  }
  addField(to, "heads-do-not-divide", "num_key_value_heads", 3);
  addField(to, "head-dim-odd", "head_dim", 3);
  addField(to, "epsilon-negative", "rms_norm_eps", -1);
  addField(to, "epsilon-text", "rms_norm_eps", "1e-5");
  addField(to, "theta-zero", "rope_theta", 0);
  addField(to, "theta-huge", "rope_theta", 1e300);
  addField(to, "bias-a-number", "attention_bias", 7);
  addField(to, "tied-a-text", "tie_word_embeddings", "yes");
  addField(to, "eos-beyond", "eos_token_id", 4);
  addField(to, "eos-negative", "eos_token_id", -2);
  addField(to, "eos-nested", "eos_token_id", Json::array({Json::array({1})}));
  Json ends = tinyFolder().config;
  std::vector<int> ids(49'000);
  std::iota(ids.begin(), ids.end(), 0);
  ends["vocab_size"] = 1 << 20;
  ends["eos_token_id"] = ids;
  add(to, "eos-many", "eos_token_id", ends.dump());
  addField(to, "layers-more-than-weights", "num_hidden_layers", 4096, "model.layers.1.")
      .named("layers-more-than-weights");
  addField(to, "vocabulary-more-than-weights", "vocab_size", 1 << 20, "model.embed_tokens.weight");
}

void addWords(HostileFolder& to) {
  addField(to, "architectures-empty", "architectures", Json::array());
  addField(to, "architectures-numbers", "architectures", Json::array({7}));
  addField(to, "architecture-unknown", "architectures", Json::array({"GptForEverything"}),
           "architecture");
  addField(to, "architecture-of-escapes", "architectures", Json::array({"\x1b[2J\u202eMALL\n"}),
           "architecture");
  addField(to, "architecture-of-a-megabyte", "architectures",
           Json::array({std::string(900'000, 'A')}), "architecture");
  addField(to, "activation-unknown", "hidden_act", "explode");
  addField(to, "activation-of-escapes", "hidden_act", "\x1b]0;x\7");
  addField(to, "activation-a-number", "hidden_act", 3);
  const Json kScalings[] = {
      Json{{"rope_type", "sideways"}},
      Json{{"rope_type", 7}},
      Json{{"factor", 2.0}},
      Json{{"rope_type", "linear"}, {"factor", 0}},
      Json{{"rope_type", "linear"}, {"factor", "2"}},
      Json{{"rope_type", "yarn"}, {"factor", -4}},
      Json{{"rope_type", "longrope"}, {"factor", 1}, {"short_factor", {1}}},
      Json{{"rope_type", "longrope"}, {"factor", 1}, {"short_factor", "x"}},
      Json{{"rope_type", "llama3"}, {"factor", 8}},
      Json{{"rope_type", "llama3"}, {"factor", 8}, {"low_freq_factor", 4}, {"high_freq_factor", 1}},
      Json::array({1}),
      "linear"};
  int number = 0;
  for (const Json& scaling : kScalings) {
    addField(to, "scaling-" + std::to_string(++number), "rope_scaling", scaling);
  }
  addField(to, "rotary-none", "partial_rotary_factor", 0.0);
  addField(to, "rotary-negative", "partial_rotary_factor", -1);
  addField(to, "quantised", "quantization_config", Json{{"quant_method", "marlin"}}, "quantised");
  addField(to, "quantised-a-list", "quantization_config", Json::array({1}));
  addField(to, "quantised-of-escapes", "quantization_config", Json{{"quant_method", "\x1b[2J"}},
           "quantised");
}

void addGeneration(HostileFolder& to) {
  const auto with = [&](const char* title, const char* field, const Json& value) {
    add(to, title, field, Json{{field, value}}.dump(), "generation_config.json");
  };
  with("temperature-negative", "temperature", -1);
  with("temperature-text", "temperature", "hot");
  with("top-p-two", "top_p", 2);
  with("top-k-negative", "top_k", -5);
  with("generation-eos-beyond", "eos_token_id", 99);
  const auto tokens = [&](const char* title, const std::string& place, const std::string& text) {
    return &add(to, title, place, text, "tokenizer_config.json");
  };
  tokens("added-without-content", "added_tokens_decoder", R"({"added_tokens_decoder": {"7": 1}})");
  tokens("added-with-a-word-as-id", "added_tokens_decoder",
         R"({"added_tokens_decoder": {"seven": {"content": "a"}}})");
  tokens("added-far-away", "added", R"({"added_tokens_decoder": {"2147483647": {"content": "q"}}})")
      ->named("tokenizer_config.json|tokenizer.json");
  tokens("added-negative", "added", R"({"added_tokens_decoder": {"-5": {"content": "q"}}})")
      ->named("tokenizer_config.json|tokenizer.json");
  tokens("bos-a-number", "", R"({"bos_token": 7, "add_bos_token": "yes"})")
      ->ends(HostileEnd::kEither);
  tokens("template-a-number", "", R"({"chat_template": 7})")->ends(HostileEnd::kEither);
  std::string many = R"({"added_tokens_decoder": {)";
  for (int i = 0; i < 70'000; ++i) {
    many += "\"" + std::to_string(i) + R"(":{"content":"x)" + std::to_string(i) + "\"},";
  }
  many.back() = '}';
  tokens("seventy-thousand-added", "tokens", many + "}")->named("seventy-thousand-added");
  add(to, "added-of-fractions", "\"a\"", R"({"a": 1.5})", "added_tokens.json");
  add(to, "special-a-list", "object", "[]", "special_tokens_map.json");
}

/// What a name in a folder may stand for.
void addEntries(HostileFolder& to) {
  for (const char* file :
       {kFile, "tokenizer.json", "generation_config.json", "chat_template.jinja"}) {
    const auto made = [&](const std::string& what, const std::string& place) {
      HostileFile& entry = to.folder("entries", std::string(file) + "-is-a-" + what, place, file);
      tinyFolder().write(entry.path);
      fs::remove(entry.path / file);
      return entry.path / file;
    };
    fs::create_directory(made("folder", "folder|file"));
    if (::mkfifo(made("fifo", "file").c_str(), 0600) != 0) std::abort();
    fs::create_symlink("/dev/zero", made("device", "file"));
  }
  for (const char* file : {kFile, "tokenizer.json", "model.safetensors"}) {
    const auto made = [&](const std::string& what) -> fs::path {
      const std::string title = std::string(file) + "-is-a-" + what;
      // As if the file were not there; the folder is named.
      HostileFile& entry = to.folder("entries", title, file, title);
      tinyFolder().write(entry.path);
      fs::remove(entry.path / file);
      return entry.path / file;
    };
    fs::create_symlink("/nowhere/at/all", made("dangling-link"));
    const fs::path loop = made("link-to-itself");
    fs::create_symlink(loop.filename(), loop);
  }
}

}  // namespace

void addConfigs(HostileFolder& to) {
  addTexts(to);
  addNumbers(to);
  addPythonsNumbers(to);
  addWords(to);
  addGeneration(to);
  addEntries(to);
}

}  // namespace quire::test
