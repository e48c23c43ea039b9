#include <QtTest>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/models/rope.h"
#include "tests/engine/models/config_test_support.h"

using namespace quire;
using nlohmann::json;

namespace {

/// Of each layer its window, "n" if it does not rotate, "l" if it rotates by the second table, and
/// "e" if it has experts: "11l 0n 0e".
QString layers_text(const ModelConfig& config) {
  QStringList texts;
  for (const LayerConfig& layer : config.layers) {
    texts << QString::number(layer.sliding_window) + (layer.rope < 0 ? "n" : "") +
                 (layer.rope > 0 ? "l" : "") + (layer.has_experts ? "e" : "");
  }
  return texts.join(' ');
}

}  // namespace

/// What each architecture reads of its config.json beside what all have, and its defaults.
class TestArchitectureConfigs : public QObject {
  Q_OBJECT

 private slots:
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

  void everyArchitecture_hasTransformersDefaults_data() {
    QTest::addColumn<QString>("kv_heads_dim_context_theta_tied");
    QTest::addColumn<QString>("layers");
    const auto row = [](const char* name, const char* numbers, const char* layers) {
      QTest::newRow(name) << QString(numbers) << QString(layers);
    };
    // Only a Llama with num_local_experts has any: so GGUF calls Mixtral.
    row("LlamaForCausalLM", "32 4 2048 10000 0", "0e 0e 0e");
    row("MistralForCausalLM", "8 4 131072 10000 0", "4096 4096 4096");
    row("MinistralForCausalLM", "8 4 131072 10000 0", "4096 4096 4096");
    row("Qwen2ForCausalLM", "32 4 32768 10000 0", "0 0 0");
    row("Qwen3ForCausalLM", "32 128 32768 10000 0", "0 0 0");
    row("Gemma2ForCausalLM", "4 256 8192 10000 1", "4096 0 4096");
    row("Gemma3ForCausalLM", "4 256 131072 1e+06 1", "4096l 4096l 4096l");
    row("Phi3ForCausalLM", "32 4 4096 10000 0", "0 0 0");
    row("SmolLM3ForCausalLM", "4 4 32768 2e+06 1", "0 0 0");
    row("Olmo2ForCausalLM", "32 4 2048 10000 0", "0 0 0");
    row("GraniteForCausalLM", "32 4 2048 10000 0", "0 0 0");
    row("MixtralForCausalLM", "8 4 131072 1e+06 0", "0e 0e 0e");
    row("Qwen3MoeForCausalLM", "4 4 32768 10000 0", "0e 0e 0e");
    row("GptOssForCausalLM", "8 64 131072 150000 0", "128e 0e 128e");
  }
  void everyArchitecture_hasTransformersDefaults() {
    QFETCH(QString, kv_heads_dim_context_theta_tied);
    QFETCH(QString, layers);
    const auto config =
        parse_as(QTest::currentDataTag(),
                 R"({"hidden_size": 128, "num_attention_heads": 32, "num_local_experts": 4,
                                     "moe_intermediate_size": 32, "num_experts_per_tok": 2})");
    QVERIFY2(config, config ? "" : config.error().message.c_str());
    QCOMPARE(QString("%1 %2 %3 %4 %5")
                 .arg(config->num_kv_heads)
                 .arg(config->head_dim)
                 .arg(config->max_positions)
                 .arg(config->ropes[0].theta)
                 .arg(config->tie_word_embeddings),
             kv_heads_dim_context_theta_tied);
    if (QString(QTest::currentDataTag()) == "LlamaForCausalLM")
      return;  // Has experts in this test.
    QCOMPARE(layers_text(*config), layers);
  }

  void layers_mayDiffer_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("change");
    QTest::addColumn<QString>("layers");
    const auto row = [](const char* name, const char* change, const char* layers) {
      QTest::addRow("%s %s", name, change) << QString(name) << QString(change) << QString(layers);
    };
    const char* heads = R"({"num_attention_heads": 8)";
    const auto with = [&](const char* more) { return std::string(heads) + more + "}"; };
    row("Qwen2ForCausalLM",
        R"({"num_key_value_heads": 2, "sliding_window": 11, "max_window_layers": 1})", "0 0 0");
    row("Qwen2ForCausalLM",
        R"({"num_key_value_heads": 2, "sliding_window": 11, "max_window_layers": 1,
            "use_sliding_window": true})",
        "0 11 11");
    row("Gemma3ForCausalLM", with(R"(, "sliding_window": 11, "sliding_window_pattern": 2)").c_str(),
        "11l 0 11l");
    row("Gemma3ForCausalLM",
        with(R"(, "sliding_window": 11, "layer_types":
              ["full_attention", "full_attention", "sliding_attention"])")
            .c_str(),
        "0 0 11l");
    row("SmolLM3ForCausalLM", with(R"(, "no_rope_layers": [1, 0, 1])").c_str(), "0 0n 0");
    row("SmolLM3ForCausalLM",
        with(R"(, "no_rope_layer_interval": 2, "use_sliding_window": true,
              "sliding_window": 9)")
            .c_str(),
        "0 9n 0");
    row("MinistralForCausalLM",
        with(R"(, "sliding_window": 9, "layer_types":
              ["full_attention", "sliding_attention", "full_attention"])")
            .c_str(),
        "0 9 0");
    row("Qwen3MoeForCausalLM",
        with(R"(, "num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 8,
              "mlp_only_layers": [0], "decoder_sparse_step": 1)")
            .c_str(),
        "0 0e 0e");
  }
  void layers_mayDiffer() {
    QFETCH(QString, name);
    QFETCH(QString, change);
    QFETCH(QString, layers);
    const auto config = parse_as(qPrintable(name), qPrintable(change));
    QVERIFY2(config, config ? "" : config.error().message.c_str());
    QCOMPARE(layers_text(*config), layers);
  }

  void gemmas_softCapsAreOffWhereTheFileSaysNull() {
    const char* heads = R"({"num_attention_heads": 8, "attn_logit_softcapping": null})";
    const auto config = parse_as("Gemma2ForCausalLM", heads);
    QVERIFY(config.has_value());
    QCOMPARE(config->attention_soft_cap, 0.0f);
    QCOMPARE(config->logits_soft_cap, 30.0f);
    QCOMPARE(config->attention_scale, 0.0625f);
    QCOMPARE(parse_as("Gemma3ForCausalLM", heads)->logits_soft_cap, 0.0f);
  }

  void ministral3_scalesItsQueries() {
    const auto config = parse_as("Ministral3ForCausalLM", R"({"num_attention_heads": 8,
        "max_position_embeddings": 262144, "rope_parameters": {"rope_type": "yarn", "factor": 16.0,
        "original_max_position_embeddings": 16384, "llama_4_scaling_beta": 0.1, "mscale": 1.0,
        "mscale_all_dim": 1.0, "rope_theta": 1e6}})");
    QVERIFY2(config, config ? "" : config.error().message.c_str());
    QCOMPARE(config->max_positions, 262144);
    QCOMPARE(config->query_scale.beta, 0.1f);
    QCOMPARE(config->query_scale.interval, 16384);
    QVERIFY(config->layers[2].scales_queries);
    QCOMPARE(config->ropes[0].attention_factor, 1.0f);
  }

  void decoderOfMistral3_mayBeAMistral4() {
    const auto config = parse_model_config(R"({
      "architectures": ["Mistral3ForConditionalGeneration"],
      "text_config": {"model_type": "mistral4", "hidden_size": 48, "intermediate_size": 96,
        "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 160, "n_routed_experts": 8,
        "moe_intermediate_size": 24, "rope_parameters": {"rope_type": "yarn", "factor": 16.0,
        "original_max_position_embeddings": 8192, "llama_4_scaling_beta": 0.1}}})");
    QVERIFY2(config, config ? "" : config.error().message.c_str());
    QCOMPARE(config->architecture, std::string("mistral4"));
    QCOMPARE(config->max_positions, 1048576);
    QCOMPARE(config->query_scale.interval, 8192);
  }

  void hunyuan_stretchesThetaWhateverTheContext() {
    const auto config = parse_as("HunYuanDenseV1ForCausalLM", R"({"num_attention_heads": 3,
        "head_dim": 128, "rope_scaling": {"type": "dynamic", "alpha": 1000.0, "factor": 1.0}})");
    QVERIFY2(config, config ? "" : config.error().message.c_str());
    QVERIFY(config->ropes[0].scaling == RopeConfig::Scaling::kNone);
    QVERIFY(std::abs(config->ropes[0].theta - 11158840.0f) < 2.0f);
    QVERIFY(config->norms_after_rotation);
  }

  void hunyuanMoe_countsByLayerMustBeEqual() {
    const std::string fields = R"("num_experts": 8, "moe_intermediate_size": [24, 24, 24], )";
    const auto config = parse_as(
        "HunYuanMoEV1ForCausalLM",
        ("{" + fields + R"("moe_topk": [2, 2, 2], "num_shared_expert": [2, 2, 2]})").c_str());
    QVERIFY2(config, config ? "" : config.error().message.c_str());
    QCOMPARE(config->experts.experts_per_token, 2);
    QCOMPARE(config->experts.intermediate_size, 24);
    QCOMPARE(config->experts.shared_intermediate_size, 2 * config->intermediate_size);
    const auto uneven =
        parse_as("HunYuanMoEV1ForCausalLM", ("{" + fields + R"("moe_topk": [2, 1, 2]})").c_str());
    QCOMPARE(uneven.error().message,
             std::string("config.json: moe_topk differs between layers; Quire runs models with the "
                         "same in all of them"));
    const auto many =
        parse_as("HunYuanMoEV1ForCausalLM", ("{" + fields + R"("moe_topk": 9})").c_str());
    QCOMPARE(many.error().message, std::string("config.json: moe_topk is 9 of 8 experts with 24 "
                                               "columns, which cannot be"));
  }

  void llama4_mayHaveNoTemperatureAndNoChunks() {
    const std::string fields =
        R"({"num_key_value_heads": 2, "num_local_experts": 4, "intermediate_size_mlp": 72, "no_rope_layers": [1, 0, 1], )";
    const auto plain = parse_as(
        "Llama4ForCausalLM",
        (fields + R"("attn_temperature_tuning": 0, "attention_chunk_size": null})").c_str());
    QVERIFY2(plain, plain ? "" : plain.error().message.c_str());
    QVERIFY(!plain->layers[1].scales_queries && plain->layers[0].chunk_size == 0);
    const auto both =
        parse_as("Llama4ForCausalLM",
                 (fields + R"("attn_temperature_tuning": 4, "layer_types": ["full_attention",
        "full_attention", "chunked_attention"], "moe_layers": [1]})")
                     .c_str());
    QVERIFY2(both, both ? "" : both.error().message.c_str());
    QVERIFY(both->layers[1].scales_queries && !both->layers[0].scales_queries);
    QCOMPARE(both->layers[0].chunk_size, 0);
    QCOMPARE(both->layers[2].chunk_size, 8192);
    QVERIFY(both->layers[1].has_experts && !both->layers[2].has_experts);
  }

  void decoderOfMistral3_mayBeAMinistral3() {
    const auto config = parse_model_config(R"({
      "architectures": ["Mistral3ForConditionalGeneration"],
      "text_config": {"model_type": "ministral3", "hidden_size": 48, "intermediate_size": 96,
        "num_hidden_layers": 3, "num_attention_heads": 8, "vocab_size": 160,
        "max_position_embeddings": 262144, "sliding_window": null,
        "rope_parameters": {"rope_type": "yarn", "factor": 16.0, "llama_4_scaling_beta": 0.1,
                            "original_max_position_embeddings": 16384}}})");
    QVERIFY2(config, config ? "" : config.error().message.c_str());
    QCOMPARE(config->architecture, std::string("mistral3"));
    QCOMPARE(config->max_positions, 262144);
    QCOMPARE(config->query_scale.interval, 16384);
    QCOMPARE(layers_text(*config), QString("0 0 0"));
  }

  void latentAttention_takesItsSizes() {
    const auto config =
        parse_as("DeepseekV3ForCausalLM", R"({"q_lora_rank": null, "kv_lora_rank": 32,
        "qk_nope_head_dim": 16, "qk_rope_head_dim": 8, "v_head_dim": 20, "n_routed_experts": 8,
        "moe_intermediate_size": 24, "first_k_dense_replace": 1, "num_nextn_predict_layers": 1,
        "rope_scaling": {"type": "yarn", "factor": 40.0, "mscale": 1.0, "mscale_all_dim": 1.0,
                         "original_max_position_embeddings": 4096}})");
    QVERIFY2(config, config ? "" : config.error().message.c_str());
    QCOMPARE(config->mla.q_rank, 0);
    QCOMPARE(config->mla.value_dim, 20);
    QCOMPARE(config->num_kv_heads, 1);
    QCOMPARE(config->head_dim, 40);
    QCOMPARE(config->ropes[0].rotary_dim, 8);
    // 1.3689 is 0.1 ln 40 + 1.
    QCOMPARE_LE(std::abs(config->attention_scale - 1.3688879f * 1.3688879f / std::sqrt(24.0f)),
                1e-6f);
    QCOMPARE(rope_attention_factor(config->ropes[0]), 1.0f);
    QVERIFY(config->layers[0].mixer == MixerKind::kMla && !config->layers[0].has_experts);
    QVERIFY(config->layers[1].has_experts);
    QCOMPARE(config->num_speculative_layers, 1);
  }

  void nemotronH_readsListsAndPatternsOfBlocks() {
    const char* kSizes = R"({"mamba_num_heads": 6, "mamba_head_dim": 12, "n_groups": 3,
                             "ssm_state_size": 20, "head_dim": 20, "num_hidden_layers": %1,
                             "num_attention_heads": 3, "num_key_value_heads": 1, %2})";
    const auto parse = [&](int num_layers, const char* blocks) {
      const QString change = QString(kSizes).arg(num_layers).arg(blocks);
      return parse_as("NemotronHForCausalLM", qPrintable(change));
    };
    const auto kinds = [](const ModelConfig& config) {
      std::string text;
      for (const LayerConfig& layer : config.layers) {
        text += layer.mixer == MixerKind::kMamba2 ? 'M' : 'a';
        if (layer.mixer == MixerKind::kNone) text.back() = layer.has_experts ? 'E' : '-';
        if (layer.has_feed_forward != (layer.mixer == MixerKind::kNone)) text += '?';
      }
      return text;
    };
    const auto pattern = parse(4, R"("hybrid_override_pattern": "M-*M")");
    QVERIFY2(pattern, pattern ? "" : pattern.error().message.c_str());
    QCOMPARE(kinds(*pattern), std::string("M-aM"));
    QCOMPARE(pattern->recurrent.value_dim, 12);
    const auto list = parse(3, R"("layers_block_type": ["mamba", "full_attention", "mlp"])");
    QCOMPARE(kinds(*list), std::string("Ma-"));
    const auto fault = [&](int num_layers, const char* blocks) {
      const auto parsed = parse(num_layers, blocks);
      return parsed ? std::string() : parsed.error().message;
    };
    QCOMPARE(fault(4, R"("hybrid_override_pattern": "M-X*")"),
             std::string("config.json: a layer is called \"X\"; Quire supports linear_attention, "
                         "full_attention, mlp and moe"));
    QCOMPARE(fault(3, R"("hybrid_override_pattern": "M-")"),
             std::string("config.json: hybrid_override_pattern does not name 3 layers"));
    QCOMPARE(fault(2, R"("layers_block_type": ["mamba"])"),
             std::string("config.json: layers_block_type does not name 2 layers"));
    QCOMPARE(fault(1, R"("layers_block_type": ["moe"])"),
             std::string("config.json: n_routed_experts is missing"));
    QCOMPARE(fault(1, R"("layers_block_type": ["mamba"], "mamba_hidden_act": "relu")"),
             std::string("config.json: mamba_hidden_act is \"relu\"; Quire supports silu for this "
                         "architecture"));
    QCOMPARE(fault(2, R"("note": 1)"),
             std::string("config.json: hybrid_override_pattern is missing"));
  }

  void falconH1_refusesWhatItsFactorsDoNotAllow() {
    const auto fault = [](const char* change) {
      json config = json::parse(change);
      config.update({{"mamba_d_ssm", 72}, {"mamba_n_heads", 6}, {"num_key_value_heads", 2}});
      const auto parsed = parse_as("FalconH1ForCausalLM", config.dump().c_str());
      return parsed ? std::string() : parsed.error().message;
    };
    QCOMPARE(fault("{}"), std::string());
    QCOMPARE(fault(R"({"attention_bias": true})"), std::string());
    QCOMPARE(
        fault(R"({"hidden_act": "gelu_pytorch_tanh"})"),
        std::string("config.json: hidden_act is \"gelu_pytorch_tanh\"; Quire supports silu for "
                    "this architecture"));
    QCOMPARE(fault(R"({"attention_bias": true, "attention_in_multiplier": 1.5})"),
             std::string("config.json: attention_bias is true and attention_in_multiplier is not "
                         "1; Quire supports one of them"));
    QCOMPARE(fault(R"({"projectors_bias": true})"),
             std::string("config.json: projectors_bias is true; Quire runs models of this kind "
                         "without that bias"));
    QCOMPARE(fault(R"({"ssm_multipliers": [1, 1, 1, 1]})"),
             std::string("config.json: ssm_multipliers is not a list of 5 positive numbers"));
    QCOMPARE(fault(R"({"mlp_multipliers": [1, -1]})"),
             std::string("config.json: mlp_multipliers is not a list of 2 positive numbers"));
    QCOMPARE(fault(R"({"key_multiplier": 0})"),
             std::string("config.json: key_multiplier is 0, outside 1e-09 to 1000000000"));
    QCOMPARE(fault(R"({"mamba_d_state": 4097})"),
             std::string("config.json: mamba_d_state is 4097, outside 1 to 4096"));
  }
};

QTEST_APPLESS_MAIN(TestArchitectureConfigs)
#include "tst_architecture_configs.moc"
