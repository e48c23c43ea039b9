#include <QTemporaryDir>
#include <QtTest>
#include <nlohmann/json.hpp>
#include <numeric>

#include "engine/models/architectures/architecture.h"
#include "engine/models/folder_quantization.h"
#include "engine/models/rope.h"
#include "tests/engine/io/safetensors_builder.h"
#include "tests/engine/models/config_test_support.h"

using namespace quire;
using nlohmann::json;

class TestJsonConfig : public QObject {
  Q_OBJECT

 private slots:
  void absentFields_takeTransformersDefaults() {
    const auto config = parse_with("{}");
    QVERIFY(config.has_value());
    QCOMPARE(config->num_kv_heads, 6);
    QCOMPARE(config->head_dim, 8);
    QCOMPARE(config->max_positions, 2048);
    QCOMPARE(config->norm_eps, 1e-6f);
    QCOMPARE(config->ropes[0].theta, 10000.0f);
    QVERIFY(config->ropes[0].scaling == RopeConfig::Scaling::kNone);
    QVERIFY(!config->tie_word_embeddings && !config->qkv_bias && !config->output_bias &&
            !config->mlp_bias);
    QVERIFY(config->end_tokens.empty());
    QCOMPARE(config->bos_token, -1);
  }

  void textConfig_describesTheDecoderOfALargerModel() {
    const auto config = parse_model_config(R"({
      "architectures": ["Gemma3ForConditionalGeneration"], "eos_token_id": [1, 106],
      "text_config": {"hidden_size": 48, "intermediate_size": 96, "num_hidden_layers": 3,
                      "sliding_window": 11, "rope_scaling": {"factor": 8.0, "rope_type": "linear"}},
      "vision_config": {"hidden_size": 1}})");
    QVERIFY2(config, config ? "" : config.error().message.c_str());
    QCOMPARE(config->num_heads, 8);
    QCOMPARE(config->vocab_size, 262208);
    QCOMPARE(config->end_tokens, (std::vector<int32_t>{1, 106}));
    QVERIFY(config->tie_word_embeddings);
    QCOMPARE(config->ropes.size(), size_t{2});
    QVERIFY(config->ropes[0].scaling == RopeConfig::Scaling::kLinear);
    QVERIFY(config->ropes[1].scaling == RopeConfig::Scaling::kNone);
    QCOMPARE(config->ropes[1].theta, 10000.0f);
    const auto broken = parse_model_config(
        R"({"architectures": ["Gemma3ForConditionalGeneration"], "text_config": {}})");
    QCOMPARE(broken.error().message,
             std::string("config.json: text_config: hidden_size is missing"));
  }

  void modelType_standsInForMissingArchitectures() {
    const std::pair<const char*, const char*> kTypes[] = {
        {"llama", "llama"},     {"gemma3_text", "gemma3"}, {"qwen3_moe", "qwen3moe"},
        {"gpt_oss", "gpt-oss"}, {"mistral", "mistral"},    {"ministral3", "mistral3"}};
    for (const auto& [type, name] : kTypes) {
      json config = {{"model_type", type}};
      const auto parsed = parse_model_config(config.dump());  // Which complains of sizes alone.
      QCOMPARE(parsed.error().message, std::string("config.json: hidden_size is missing"));
      QCOMPARE(find_architecture(type)->name, std::string_view(name));
    }
  }

  void yarn_reachesBeyondTheContextThatTheFileStates() {
    const auto config = parse_as("Qwen2ForCausalLM", R"({"max_position_embeddings": 32768,
        "rope_scaling": {"type": "yarn", "factor": 4.0,
                         "original_max_position_embeddings": 32768}, "num_key_value_heads": 2})");
    QVERIFY2(config, config ? "" : config.error().message.c_str());
    QCOMPARE(config->max_positions, 131072);
  }

  /// Their table has no row for a position beyond it. OPT's positions begin at row 2.
  void learnedPositions_areNotExtended() {
    const std::pair<const char*, int> kModels[] = {{"GPT2LMHeadModel", 0}, {"OPTForCausalLM", 2}};
    for (const auto& [name, first] : kModels) {
      for (const char* type : {"yarn", "dynamic"}) {
        const json scaling = {{"rope_type", type}, {"factor", 1000}};
        const json change = {{"max_position_embeddings", 16}, {"rope_scaling", scaling}};
        auto config = parse_as(name, change.dump().c_str());
        QVERIFY2(config, config ? "" : config.error().message.c_str());
        QCOMPARE(config->max_positions, 16);
        serve_context(*config, 1000);
        QCOMPARE(config->max_positions, 16);
        QCOMPARE(config->num_learned_positions, 16);
        QCOMPARE(config->first_learned_position, first);
      }
    }
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

  /// Each is compared with all others.
  void endTokens_areLimitedInBothFilesTogether() {
    json config = llama();
    config["vocab_size"] = 100'000;
    const auto ids = [](int first, int count) {
      std::vector<int> list(static_cast<size_t>(count));
      std::iota(list.begin(), list.end(), first);
      return json(list);
    };
    config["eos_token_id"] = ids(0, 1000);
    const auto with = [&](const json& more) {
      return parse_model_config(config.dump(), json{{"eos_token_id", more}}.dump());
    };
    QCOMPARE(with(ids(976, 48))->end_tokens.size(), size_t{1024});
    QCOMPARE(with(ids(1000, 25)).error().message,
             std::string("generation_config.json: eos_token_id names more than 1,024 tokens; "
                         "download it again"));
    config["eos_token_id"] = ids(0, 49'000);
    QCOMPARE(with(1).error().message, std::string("config.json: eos_token_id names more than "
                                                  "1,024 tokens; download it again"));
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
    row(R"({"vocab_size": 99999999999999999999})", "vocab_size is 1e+20, outside 1 to 1048576");
    row(R"({"num_hidden_layers": 1e300})", "num_hidden_layers is 1e+300, outside 1 to 4096");
    row(R"({"rms_norm_eps": -1e-5})", "rms_norm_eps is -1e-05, outside 0 to 1");
    row(R"({"rms_norm_eps": "small"})", "rms_norm_eps is ?small?, not a number");
    row(R"({"tie_word_embeddings": 1})", "tie_word_embeddings is 1, not true or false");
    row(R"({"eos_token_id": 160})", "eos_token_id is 160, outside 0 to 159");
    row(R"({"eos_token_id": [2, -1]})", "eos_token_id is -1, outside 0 to 159");
    row(R"({"rope_theta": 0})", "rope_theta is 0, outside 1 to 1e+12");
    row(R"({"rope_scaling": {"rope_type": "linear"}})", "rope_scaling: factor is missing");
    row(R"({"rope_scaling": {"rope_type": "llama3", "factor": 8, "low_freq_factor": 5, "high_freq_factor": 4}})",
        "rope_scaling: high_freq_factor is below low_freq_factor");
    const char* untyped =
        "rope_scaling: factor is given without a rope_type that says what it is for; choose "
        "another conversion of the model";
    row(R"({"rope_scaling": {"factor": 4.0}})", untyped);
    row(R"({"rope_scaling": 3})", "rope_scaling: is not a JSON object");
    row(R"({"architectures": ["MixtralForCausalLM"], "num_local_experts": 2,
            "num_key_value_heads": 2, "num_experts_per_tok": 3})",
        "num_experts_per_tok is 3, more than there are experts, 2");
    row(R"({"architectures": ["MixtralForCausalLM"], "num_key_value_heads": 2})",
        "num_local_experts is missing");
    row(R"({"architectures": ["MixtralForCausalLM"], "num_local_experts": 4096,
            "num_key_value_heads": 2, "num_hidden_layers": 64})",
        "it asks for 262144 experts in all layers; Quire runs models with at most 131072, so "
        "choose another one");
    row(R"({"architectures": ["Ernie4_5_MoeForCausalLM"], "num_key_value_heads": 2,
            "moe_num_experts": 8, "moe_intermediate_size": 4194304,
            "moe_num_shared_experts": 1024})",
        "moe_num_shared_experts is 1024, with 4294967296 columns together; download the model "
        "again");
    row(R"({"architectures": ["Gemma2ForCausalLM"], "num_key_value_heads": 2, "layer_types": [1]})",
        "layer_types is not a list of 3 names");
    row(R"({"architectures": ["SmolLM3ForCausalLM"], "num_key_value_heads": 2,
            "no_rope_layers": [1, 0]})",
        "no_rope_layers has 2 entries; the model has 3 layers");
    row(R"({"architectures": ["GraniteForCausalLM"], "logits_scaling": 0})",
        "logits_scaling is 0, outside 1e-09 to 1000000000");
    row(R"({"architectures": ["Phi3ForCausalLM"], "original_max_position_embeddings": 32,
            "rope_scaling": {"type": "su", "short_factor": [1, 1], "long_factor": [1, 1, 1, 1]}})",
        "rope_scaling: short_factor is not a list of 4 numbers");
    row(R"({"architectures": ["Phi3ForCausalLM"], "rope_scaling":
            {"type": "longrope", "short_factor": [1, 1, 1, 0], "long_factor": [1, 1, 1, 1]}})",
        "rope_scaling: short_factor holds something else than positive numbers");
    row(R"({"rope_scaling": {"rope_type": "yarn", "factor": 0}})",
        "rope_scaling: factor is 0, outside 0.001 to 1000000");
    row(R"({"architectures": ["Ministral3ForCausalLM"], "num_key_value_heads": 2})",
        "rope_parameters is missing");
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
        "the architecture MambaForCausalLM is not supported; Quire runs cohere2, deepseek2, "
        "deepseek_v3, ernie4_5, ernie4_5-moe, exaone4, gemma2, gemma3, glm4, glm4moe, "
        "glm4_moe_lite, gpt2, gptneox, gpt-oss, granite, granitehybrid, granitemoe, lfm2, lfm2moe, "
        "llama, minimax-m2, mistral3, mistral, mistral4, mixtral, muse-glimmer, olmo2, olmo3, opt, "
        "phi2, phi3, qwen2, qwen2moe, qwen3, qwen3moe, qwen3next, qwen35, qwen35moe, seed_oss, "
        "smollm3, stablelm, starcoder2, nemotron_h, nemotron_h_moe, falcon-h1, arcee, dots1, "
        "apertus, hunyuan-dense, hunyuan-moe, hy_v3, llama4, gemma4, gemma3n, lfm3");
    row(R"({"rope_scaling": {"rope_type": "axial", "factor": 2}})",
        "rope_scaling: rope_type is \"axial\"; Quire supports default, linear, dynamic, llama3, "
        "yarn and longrope");
    row(R"({"architectures": ["Gemma2ForCausalLM"], "num_key_value_heads": 2,
            "layer_types": ["full_attention", "linear_attention", "full_attention"]})",
        "layer_types holds \"linear_attention\"; Quire supports full_attention and "
        "sliding_attention");
    row(R"({"architectures": ["Gemma3ForCausalLM"], "num_key_value_heads": 2,
            "use_bidirectional_attention": true})",
        "use_bidirectional_attention is set; Quire runs models that write text");
    row(R"({"hidden_act": "relu"})",
        "hidden_act is \"relu\"; Quire supports silu and gelu_pytorch_tanh");
    row(R"({"quantization_config": {"quant_method": "hqq", "bits": 4}})",
        "quantization_config: the weights are quantised by hqq, which Quire does not read; it "
        "reads f32, f16, bf16, AWQ, GPTQ, compressed-tensors, FP8 and bitsandbytes here, and "
        "others from GGUF files");
    row(R"({"quantization_config": {"quant_method": "mxfp4"}})",
        "the weights are quantised by mxfp4, a variant that Quire does not read; get another "
        "version of the model, or a GGUF file of it");
    row(R"({"quantization_config": {"bits": 4}})",
        "quantization_config: the weights are quantised by a method without a name, which Quire "
        "does not read; it reads f32, f16, bf16, AWQ, GPTQ, compressed-tensors, FP8 and "
        "bitsandbytes here, and others from GGUF files");
    for (const auto& [config, variant] : std::initializer_list<std::pair<const char*, const char*>>{
             {R"("gptq", "bits": 3)", "gptq in 3 bits"},
             {R"("awq", "bits": 8)", "awq in 8 bits"},
             {R"("awq", "bits": 4, "version": "gemv")", "awq as gemv"},
             {R"("fp8", "fmt": "e5m2")", "fp8 in e5m2"},
             {R"("fp8", "weight_block_size": [128, 64])",
              "fp8 in blocks that are not whole groups of 128 inputs"},
             {R"("compressed-tensors", "format": "marlin-24")", "compressed-tensors as marlin-24"},
             {R"("modelopt", "quant_algo": "W4A8_AWQ")", "modelopt as W4A8_AWQ"},
             {R"("bitsandbytes", "load_in_4bit": true, "bnb_4bit_quant_type": "fp4")",
              "bitsandbytes in fp4"}}) {
      const std::string object =
          std::string(R"({"quantization_config": {"quant_method": )") + config + "}}";
      const std::string message =
          std::string("quantization_config: the weights are quantised by ") + variant +
          ", a variant that Quire does not read; get another version of the model, or a GGUF file "
          "of it";
      row(object.c_str(), message.c_str());
    }
    row(R"({"architectures": ["DeepseekV2ForCausalLM"], "n_routed_experts": 8,
            "moe_intermediate_size": 24, "topk_method": "best"})",
        "topk_method is \"best\"; Quire supports greedy and group_limited_greedy for this "
        "architecture");
    row(R"({"architectures": ["DeepseekV2ForCausalLM"], "n_routed_experts": 8,
            "moe_intermediate_size": 24, "norm_topk_prob": true})",
        "norm_topk_prob is true; with a softmax Quire runs models without it");
    row(R"({"architectures": ["DeepseekV3ForCausalLM"], "n_routed_experts": 8,
            "moe_intermediate_size": 24, "scoring_func": "softmax"})",
        "scoring_func is \"softmax\"; Quire supports sigmoid for this architecture");
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

  /// Python writes them: of Nemotron-H's time steps, for one.
  void numbersThatJsonLacks_countAsAbsent() {
    std::string text = llama().dump();
    text.replace(0, 1,
                 "{\"time_step_limit\": [0.0, Infinity], \"low\": -Infinity, \"rope_theta\": NaN, "
                 "\"note\": \"NaN, \\\" Infinity\", ");
    const auto config = parse_model_config(text);
    QVERIFY2(config, config ? "" : config.error().message.c_str());
    QCOMPARE(config->ropes[0].theta, 10000.0f);
    QVERIFY(!parse_model_config("{\"hidden_size\": \"Infinity}").has_value());
  }

  void columnAfterInfinity_isRight_data() {
    QTest::addColumn<QByteArray>("text");
    for (const char* text : {R"({"a": Infinity, "b": Infinity, "c": x})",
                             R"({"a": -Infinity, "c": x})", R"({"a": NaN, "b": NaN, "c": x})"}) {
      QTest::newRow(text) << QByteArray(text);
    }
  }
  void columnAfterInfinity_isRight() {
    QFETCH(QByteArray, text);
    const qsizetype column = text.indexOf('x') + 1;
    QCOMPARE(QString::fromStdString(parse_model_config(text.toStdString()).error().message),
             QString("config.json is not valid JSON at line 1, column %1; download it again")
                 .arg(column));
  }

  void faultOfOtherFile_isNamed() {
    QTemporaryDir folder;
    const std::filesystem::path path = folder.path().toStdString();
    test::write_file(path / "config.json", llama().dump());
    test::write_file(path / "hf_quant_config.json", "{\"quantization\": xx");
    QCOMPARE(read_folder_quantization(path).error().message,
             std::string("hf_quant_config.json is not valid JSON at line 1, column 18; download it "
                         "again"));
  }

  void notAnObject_isNamed() {
    QCOMPARE(parse_model_config("[]").error().message,
             std::string("config.json: is not a JSON object"));
    QCOMPARE(parse_model_config("{\"hidden_size\": Nan}").error().message,
             std::string("config.json is not valid JSON at line 1, column 17; download it again"));
    QCOMPARE(parse_model_config(llama().dump(), "3").error().message,
             std::string("generation_config.json: is not a JSON object"));
  }
};

QTEST_APPLESS_MAIN(TestJsonConfig)
#include "tst_json_config.moc"
