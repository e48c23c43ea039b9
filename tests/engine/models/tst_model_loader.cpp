#include <QTemporaryDir>
#include <QtTest>
#include <nlohmann/json.hpp>

#include "engine/model_loader.h"
#include "tests/engine/io/safetensors_builder.h"
#include "tests/engine/models/model_test_support.h"

using namespace quire;
using namespace quire::test;
using nlohmann::json;

namespace fs = std::filesystem;

namespace {

constexpr const char* kConfig = R"({"architectures": ["LlamaForCausalLM"], "hidden_size": 8,
  "intermediate_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2,
  "num_key_value_heads": 1, "vocab_size": 448, "tie_word_embeddings": true, "eos_token_id": 5})";

/// One layer of zeros with the sizes of kConfig.
std::string zero_weights() {
  const std::pair<const char*, std::vector<int>> kTensors[] = {
      {"model.embed_tokens.weight", {448, 8}},
      {"model.layers.0.input_layernorm.weight", {8}},
      {"model.layers.0.mlp.down_proj.weight", {8, 8}},
      {"model.layers.0.mlp.gate_proj.weight", {8, 8}},
      {"model.layers.0.mlp.up_proj.weight", {8, 8}},
      {"model.layers.0.post_attention_layernorm.weight", {8}},
      {"model.layers.0.self_attn.k_proj.weight", {4, 8}},
      {"model.layers.0.self_attn.o_proj.weight", {8, 8}},
      {"model.layers.0.self_attn.q_proj.weight", {8, 8}},
      {"model.layers.0.self_attn.v_proj.weight", {4, 8}},
      {"model.norm.weight", {8}}};
  json header;
  size_t at = 0;
  for (const auto& [name, shape] : kTensors) {
    size_t bytes = 4;
    for (int n : shape) bytes *= n;
    header[name] = {{"dtype", "F32"}, {"shape", shape}, {"data_offsets", {at, at + bytes}}};
    at += bytes;
  }
  return safetensors_file(header.dump(), at);
}

}  // namespace

/// A whole model folder: a layer of zeros with the tokenizer of tests/data/tokenizer/exact.
class TestModelLoader : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<Backend> m_backend;

  fs::path folder() const { return m_folder->path().toStdString(); }
  void add(const char* name, const std::string& content) { write_file(folder() / name, content); }
  void edit(const char* file, const json& change) {
    json content = json::parse(read_file(folder() / file));
    content.update(change);
    add(file, content.dump());
  }
  LoadedModel load() { return must(load_model(folder(), *m_backend)); }

 private slots:
  void initTestCase() { m_backend = must(create_backend({.device = "cpu", .num_threads = 1})); }
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    add("config.json", kConfig);
    add("model.safetensors", zero_weights());
    const fs::path tokenizer = fs::path(QUIRE_SOURCE_DIR) / "tests/data/tokenizer/exact";
    for (const char* name : {"tokenizer.model", "tokenizer_config.json"}) {
      add(name, read_file(tokenizer / name));
    }
  }

  void folder_becomesAModel() {
    const LoadedModel model = load();
    QCOMPARE(model.config.vocab_size, 448);
    QCOMPARE(model.config.name, folder().filename().string());
    QVERIFY(model.chat->tokenizer->vocab_size() > 400);
    QVERIFY(model.decoder != nullptr);
    QVERIFY(model.chat->chat_template && model.chat->template_error.empty());
    QCOMPARE(model.chat->default_template_name, std::string("Phi-3"));  // By its special tokens.
  }

  void endTokens_includeTheTokenizersAndTheTemplates() {
    edit("tokenizer_config.json", {{"chat_template", "{{ messages[0].content }}<|im_end|>"}});
    json tokens = json::parse(read_file(folder() / "tokenizer_config.json"));
    tokens["added_tokens_decoder"]["442"] = {{"content", "<|im_end|>"}, {"special", true}};
    add("tokenizer_config.json", tokens.dump());
    const LoadedModel model = load();
    QCOMPARE(model.config.end_tokens,
             (std::vector<int32_t>{5, model.chat->tokenizer->eos_token().value(), 442}));
  }

  void endTokens_leaveOutTheMarkThatEndsAChannel() {
    json config = json::parse(kConfig);
    config["eos_token_id"] = 2;
    add("config.json", config.dump());
    edit("tokenizer_config.json", {{"eos_token", "</s>"}});
    json tokens = json::parse(read_file(folder() / "tokenizer_config.json"));
    tokens["added_tokens_decoder"]["442"] = {{"content", "<|return|>"}, {"special", true}};
    add("tokenizer_config.json", tokens.dump());
    add("chat_template.jinja", "<|channel|>analysis<|end|><|return|>");
    const LoadedModel plain = load();
    const TokenId end = *plain.chat->tokenizer->special_token("<|end|>");
    const auto ends_with = [](const LoadedModel& model, TokenId token) {
      const auto& ends = model.config.end_tokens;
      return std::find(ends.begin(), ends.end(), token) != ends.end();
    };
    QVERIFY(ends_with(plain, end) && ends_with(plain, 442));
    tokens["added_tokens_decoder"]["443"] = {{"content", "<|channel|>"}, {"special", true}};
    add("tokenizer_config.json", tokens.dump());
    const LoadedModel model = load();
    QVERIFY(!ends_with(model, end) && ends_with(model, 442));
  }

  void template_isFoundWhereverItMayBe() {
    edit("tokenizer_config.json", {{"chat_template", "one"}});
    QCOMPARE(load().chat->template_source, std::string("one"));
    const json list = {{{"name", "tool_use"}, {"template", "no"}},
                       {{"name", "default"}, {"template", "two"}}};
    edit("tokenizer_config.json", {{"chat_template", list}});
    QCOMPARE(load().chat->template_source, std::string("two"));
    add("chat_template.jinja", "three");
    QCOMPARE(load().chat->template_source, std::string("three"));
    QVERIFY(load().chat->default_template_name.empty());
    QVERIFY(load().chat->chat_template.has_value());
  }

  void brokenTemplate_leavesTheModelUsable() {
    add("chat_template.jinja", "{% if %}");
    const LoadedModel model = load();
    QVERIFY(!model.chat->chat_template);
    QVERIFY(!model.chat->template_error.empty());
    QVERIFY(model.decoder != nullptr);
  }

  void tokenizerOfAnotherModel_isRefused() {
    fs::copy(tiny_model_folder("gqa_f32"), folder(),
             fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    auto model = load_model(folder(), *m_backend);
    QVERIFY(!model);
    QCOMPARE(model.error().code, ErrorCode::kCorruptFile);
    QVERIFY(model.error().message.find("but the model's embedding ends after 160 tokens") !=
            std::string::npos);
  }

  void specialTokensBeyondTheEmbedding_areTaken() {
    json tokens = json::parse(read_file(folder() / "tokenizer_config.json"));
    tokens["added_tokens_decoder"]["448"] = {{"content", "<image_soft_token>"}, {"special", true}};
    add("tokenizer_config.json", tokens.dump());
    QCOMPARE(load().chat->tokenizer->vocab_size(), 449);
    tokens["added_tokens_decoder"]["449"] = {{"content", "word"}, {"special", false}};
    add("tokenizer_config.json", tokens.dump());
    const auto model = load_model(folder(), *m_backend);
    QVERIFY(!model);
    QVERIFY(model.error().message.find("\"word\" as number 449") != std::string::npos);
  }

  void cutDuringLoad_failsTheLoad() {
    int num_cuts = 0;
    const auto cut = [&](LoadStep step, uint64_t, uint64_t) {
      if (step != LoadStep::kWeights || num_cuts++ > 0) return;
      fs::resize_file(folder() / "model.safetensors", 4096);
    };
    const auto model = load_model(folder(), *m_backend, {.stepped = cut});
    QVERIFY(num_cuts > 0);
    QVERIFY(!model);
    QCOMPARE(model.error().code, ErrorCode::kIo);
    QCOMPARE(model.error().message,
             std::string("model.safetensors became shorter while it was read; load it again when "
                         "it is complete"));
  }

  void missingTokenizer_isNamed() {
    fs::remove(folder() / "tokenizer.model");
    auto model = load_model(folder(), *m_backend);
    QVERIFY(!model);
    QVERIFY(model.error().message.find("tokenizer") != std::string::npos);
  }

  void fingerprint_changesWithWhateverChangesTheAnswers() {
    const std::string base = load().fingerprint;
    QCOMPARE(base.size(), size_t{64});
    QCOMPARE(load().fingerprint, base);
    edit("config.json", {{"rope_theta", 20000.0}});
    const std::string other_theta = load().fingerprint;
    QVERIFY(other_theta != base);
    std::string weights = zero_weights();
    weights.back() = 1;
    add("model.safetensors", weights);
    const std::string other_weights = load().fingerprint;
    QVERIFY(other_weights != other_theta);
    edit("tokenizer_config.json", {{"add_bos_token", false}});
    QVERIFY(load().fingerprint != other_weights);
  }
};

QTEST_APPLESS_MAIN(TestModelLoader)
#include "tst_model_loader.moc"
