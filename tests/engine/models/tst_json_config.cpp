#include <QtTest>
#include <nlohmann/json.hpp>

#include "engine/models/json_config.h"

using namespace quire;
using nlohmann::json;

namespace {

/// The least that a Llama must say.
json llama() {
  return json::parse(R"({"architectures": ["LlamaForCausalLM"], "hidden_size": 48,
    "intermediate_size": 96, "num_hidden_layers": 3, "num_attention_heads": 6, "vocab_size": 160})");
}

/// The config with the members of `change`; null stays in it as null.
Result<ModelConfig> parse_with(const char* change) {
  json config = llama();
  config.update(json::parse(change));
  return parse_model_config(config.dump());
}

}  // namespace

class TestJsonConfig : public QObject {
  Q_OBJECT

 private slots:
  void absentFields_takeTransformersDefaults() {
    const auto config = parse_with("{}");
    QVERIFY(config.has_value());
    QCOMPARE(config->num_kv_heads, 6);
    QCOMPARE(config->head_dim, 8);
    QCOMPARE(config->max_positions, 2048);
    QCOMPARE(config->rms_norm_eps, 1e-6f);
    QCOMPARE(config->ropes[0].theta, 10000.0f);
    QVERIFY(config->ropes[0].scaling == RopeConfig::Scaling::kNone);
    QVERIFY(!config->tie_word_embeddings && !config->qkv_bias && !config->output_bias &&
            !config->mlp_bias);
    QVERIFY(config->end_tokens.empty());
    QCOMPARE(config->bos_token, -1);
  }

  void mistral_hasItsOwnDefaultsAndWindow() {
    const char* base = R"({"architectures": ["MistralForCausalLM"], "num_attention_heads": 8%1})";
    const auto with = [&](const char* more) {
      return parse_with(qPrintable(QString(base).arg(more)));
    };
    QCOMPARE(with("")->layers[0].sliding_window, 4096);
    QCOMPARE(with("")->num_kv_heads, 8);
    QCOMPARE(with(R"(, "sliding_window": null)")->layers[0].sliding_window, 0);
    QCOMPARE(with(R"(, "sliding_window": 11)")->layers[2].sliding_window, 11);
    QCOMPARE(parse_with(R"({"sliding_window": 11})")->layers[0].sliding_window, 0);  // Llama's.
  }

  void rope_isReadInBothSpellings() {
    for (const char* text :
         {R"({"rope_theta": 5e5, "rope_scaling": {"type": "linear", "factor": 4}})",
          R"({"rope_parameters": {"rope_theta": 5e5, "rope_type": "linear", "factor": 4.0}})"}) {
      const auto config = parse_with(text);
      QVERIFY(config.has_value());
      QCOMPARE(config->ropes[0].theta, 5e5f);
      QVERIFY(config->ropes[0].scaling == RopeConfig::Scaling::kLinear);
      QCOMPARE(config->ropes[0].factor, 4.0f);
    }
    const auto llama3 = parse_with(
        R"({"rope_theta": 5e5, "rope_scaling": {"rope_type": "llama3", "factor": 8.0,
            "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}})");
    QVERIFY(llama3.has_value());
    QVERIFY(llama3->ropes[0].scaling == RopeConfig::Scaling::kLlama3);
    QCOMPARE(llama3->ropes[0].original_max_positions, 8192);
  }

  void endTokens_areTheUnionOfBothFiles() {
    json config = llama();
    config["eos_token_id"] = 2;
    const auto merged = parse_model_config(
        config.dump(), R"({"eos_token_id": [7, 2, 9], "bos_token_id": 1, "temperature": 0.6})");
    QVERIFY(merged.has_value());
    QCOMPARE(merged->end_tokens, (std::vector<int32_t>{2, 7, 9}));
    QCOMPARE(merged->bos_token, 1);
    QCOMPARE(merged->default_temperature, 0.6f);
    QCOMPARE(merged->default_top_p, -1.0f);
  }

  void nonsense_isNamedWithItsNumber_data() {
    QTest::addColumn<QString>("change");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* change, const char* message) {
      QTest::newRow(change) << QString(change) << QString("config.json: ") + message;
    };
    row(R"({"num_key_value_heads": 5})",
        "num_key_value_heads is 5, which does not divide num_attention_heads, 6");
    row(R"({"num_attention_heads": 5})",
        "num_attention_heads is 5, which does not divide hidden_size, 48");
    row(R"({"head_dim": 7})", "head_dim is 7, which is not an even number of 2 or more");
    row(R"({"hidden_size": null})", "hidden_size is missing");
    row(R"({"hidden_size": 0})", "hidden_size is 0, outside 1 to 1048576");
    row(R"({"hidden_size": -48})", "hidden_size is -48, outside 1 to 1048576");
    row(R"({"hidden_size": 48.5})", "hidden_size is 48.5, not a whole number");
    row(R"({"hidden_size": "48"})", "hidden_size is ?48?, not a whole number");
    row(R"({"hidden_size": [48]})", "hidden_size is a list, not a whole number");
    row(R"({"vocab_size": 99999999999999999999})", "vocab_size is 1e+20, outside 1 to 16777216");
    row(R"({"num_hidden_layers": 1e300})", "num_hidden_layers is 1e+300, outside 1 to 4096");
    row(R"({"rms_norm_eps": -1e-5})", "rms_norm_eps is -1e-05, outside 0 to 1");
    row(R"({"rms_norm_eps": "small"})", "rms_norm_eps is ?small?, not a number");
    row(R"({"tie_word_embeddings": 1})", "tie_word_embeddings is 1, not true or false");
    row(R"({"eos_token_id": 160})", "eos_token_id is 160, outside 0 to 159");
    row(R"({"eos_token_id": [2, -1]})", "eos_token_id is -1, outside 0 to 159");
    row(R"({"rope_theta": 0})", "rope_theta is 0, outside 1 to 1e+12");
    row(R"({"rope_scaling": {"rope_type": "linear"}})", "rope_scaling: factor is missing");
    row(R"({"rope_scaling": {"rope_type": "llama3", "factor": 8, "low_freq_factor": 4, "high_freq_factor": 4}})",
        "rope_scaling: high_freq_factor is not above low_freq_factor");
    row(R"({"rope_scaling": 3})", "rope_scaling: is not a JSON object");
    row(R"({"architectures": []})", "architectures names no architecture");
    row(R"({"architectures": null})", "architectures names no architecture");
  }
  void nonsense_isNamedWithItsNumber() {
    QFETCH(QString, change);
    QFETCH(QString, message);
    const auto config = parse_with(qPrintable(change));
    QVERIFY(!config);
    QCOMPARE(config.error().code, ErrorCode::kCorruptFile);
    QCOMPARE(QString::fromStdString(config.error().message), message);
  }

  void unsupported_isNamed_data() {
    QTest::addColumn<QString>("change");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* change, const char* message) {
      QTest::newRow(change) << QString(change) << QString("config.json: ") + message;
    };
    row(R"({"architectures": ["MambaForCausalLM"]})",
        "the architecture MambaForCausalLM is not supported; Quire runs gemma2, gemma3, gpt-oss, "
        "granite, llama, mistral3, mistral, mixtral, olmo2, phi3, qwen2, qwen3, qwen3moe, smollm3");
    row(R"({"rope_scaling": {"rope_type": "axial", "factor": 2}})",
        "rope_scaling: rope_type is \"axial\"; Quire supports default, linear, dynamic, llama3, "
        "yarn and longrope");
    row(R"({"hidden_act": "relu"})",
        "hidden_act is \"relu\"; Quire supports silu and gelu_pytorch_tanh");
    row(R"({"quantization_config": {"quant_method": "awq", "bits": 4}})",
        "the weights are quantised by awq; Quire reads f32, f16 and bf16 here, and quantised "
        "weights from GGUF files");
    row(R"({"quantization_config": {"quant_method": "mxfp4"}})",
        "the weights are quantised by mxfp4; Quire reads f32, f16 and bf16 here, and quantised "
        "weights from GGUF files");
    row(R"({"quantization_config": {"bits": 4}})",
        "the weights are quantised by a method without a name; Quire reads f32, f16 and "
        "bf16 here, and quantised weights from GGUF files");
    row(R"({"partial_rotary_factor": 0.4})",
        "rope_scaling: partial_rotary_factor leaves 3 of 8 dimensions to rotate, which is not an "
        "even number of 2 or more");
  }
  void unsupported_isNamed() {
    QFETCH(QString, change);
    QFETCH(QString, message);
    const auto config = parse_with(qPrintable(change));
    QVERIFY(!config);
    QCOMPARE(config.error().code, ErrorCode::kUnsupported);
    QCOMPARE(QString::fromStdString(config.error().message), message);
  }

  void notAnObject_isNamed() {
    QCOMPARE(parse_model_config("[]").error().message,
             std::string("config.json: is not a JSON object"));
    QCOMPARE(parse_model_config("{\"hidden_size\": NaN}").error().message,
             std::string("config.json is not valid JSON at line 1, column 17; download it again"));
    QCOMPARE(parse_model_config(llama().dump(), "3").error().message,
             std::string("generation_config.json: is not a JSON object"));
  }
};

QTEST_APPLESS_MAIN(TestJsonConfig)
#include "tst_json_config.moc"
