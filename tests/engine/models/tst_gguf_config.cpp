#include <QTemporaryDir>
#include <QtTest>
#include <nlohmann/json.hpp>

#include "tests/support/gguf_metadata.h"

using namespace quire;
using namespace quire::test;

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

GgufBuilder glm4_moe() {
  return gguf_metadata("glm4moe", true).u32("glm4moe.expert_feed_forward_length", 24);
}

GgufBuilder ernie_moe() {
  return gguf_metadata("ernie4_5-moe", true).u32("ernie4_5-moe.expert_feed_forward_length", 24);
}

/// Four layers, experts in every other one.
GgufBuilder llama4(uint32_t num_experts) {
  GgufBuilder builder;
  builder.string("general.architecture", "llama4")
      .u32("llama4.block_count", 4)
      .u32("llama4.embedding_length", 64)
      .u32("llama4.context_length", 512)
      .u32("llama4.feed_forward_length", 96)
      .u32("llama4.attention.head_count", 4)
      .f32("llama4.attention.layer_norm_rms_epsilon", 1e-6f)
      .u32("llama4.expert_count", num_experts)
      .u32("llama4.expert_used_count", 1)
      .u32("llama4.expert_feed_forward_length", 24)
      .u32("llama4.interleave_moe_layer_step", 2)
      .u32("llama4.expert_gating_func", 2)
      .tensor("token_embd.weight", {64, 8}, 0, std::string(2048, '\0'));
  return builder;
}

constexpr uint32_t kBool = 7;

}  // namespace

class TestGgufConfig : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir m_folder;
  std::unique_ptr<GgufWeights> open(const GgufBuilder& builder) const {
    return open_gguf(builder, m_folder.path().toStdString());
  }
  json translated(const GgufBuilder& builder) const {
    auto config = gguf_config_json(*open(builder));
    if (!config) qFatal("%s", config.error().message.c_str());
    return *config;
  }
  ModelConfig read(const GgufBuilder& builder) const {
    return read_gguf(builder, m_folder.path().toStdString());
  }
  QString refusal(const GgufBuilder& builder) const {
    auto config = read_gguf_config(*open(builder));
    return QString::fromStdString(config ? "read" : config.error().message);
  }

 private slots:
  void sizes_areThoseOfTheKeys() {
    const ModelConfig config = read(gguf_metadata("llama").u32("llama.rope.dimension_count", 16));
    QCOMPARE(config.architecture, std::string("llama"));
    QCOMPARE(config.name, std::string("m"));
    QCOMPARE(config.num_layers, 2);
    QCOMPARE(config.hidden_size, 64);
    QCOMPARE(config.intermediate_size, 96);
    QCOMPARE(config.num_heads, 4);
    QCOMPARE(config.num_kv_heads, 2);
    QCOMPARE(config.head_dim, 16);
    QCOMPARE(config.max_positions, 512);
    QCOMPARE(config.vocab_size, 8);
    QCOMPARE(config.norm_eps, 1e-6f);
    QVERIFY(config.tie_word_embeddings && !config.qkv_bias && !config.mlp_bias);
    QCOMPARE(config.ropes.at(0).theta, 10000.0f);
    QVERIFY(config.end_tokens.empty());
    QCOMPARE(config.bos_token, -1);
  }

  /// Newer files of latent attention describe their pages as heads, older ones the heads
  /// themselves.
  void latentAttention_isReadFromOldAndNewKeys() {
    const auto latent = [](uint32_t key_length, uint32_t value_length) {
      return gguf_metadata("deepseek2", true)
          .u32("deepseek2.attention.kv_lora_rank", 32)
          .u32("deepseek2.rope.dimension_count", 8)
          .u32("deepseek2.attention.key_length", key_length)
          .u32("deepseek2.attention.value_length", value_length)
          .u32("deepseek2.expert_feed_forward_length", 24)
          .u32("deepseek2.expert_shared_count", 2)
          .u32("deepseek2.leading_dense_block_count", 1)
          .f32("deepseek2.expert_weights_scale", 2.5f);
    };
    GgufBuilder newer = latent(40, 32);
    newer.u32("deepseek2.attention.key_length_mla", 20)
        .u32("deepseek2.attention.value_length_mla", 16);
    for (const GgufBuilder& builder : {latent(20, 16), newer}) {
      const ModelConfig config = read(builder);
      QCOMPARE(config.mla.q_rank, 0);
      QCOMPARE(config.mla.kv_rank, 32);
      QCOMPARE(config.mla.nope_dim, 12);
      QCOMPARE(config.mla.rope_dim, 8);
      QCOMPARE(config.mla.value_dim, 16);
      QCOMPARE(config.experts.route.scale, 2.5f);
      QCOMPARE(config.experts.shared_intermediate_size, 48);
      QVERIFY(config.experts.route.scoring == RouteParams::Scoring::kSoftmax);
      QVERIFY(!config.layers[0].has_experts && config.layers[1].has_experts);
    }
    // Sigmoids by their key, or by the bias that comes with them.
    GgufBuilder biased = newer;
    biased.tensor("blk.1.exp_probs_b.bias", {4}, 0, std::string(16, '\0'));
    newer.u32("deepseek2.expert_gating_func", 2);
    for (const GgufBuilder& builder : {newer, biased}) {
      const ModelConfig config = read(builder);
      QVERIFY(config.experts.route.scoring == RouteParams::Scoring::kSigmoid);
      QVERIFY(config.experts.has_choice_bias);
    }
    GgufBuilder lowest = latent(20, 16);
    lowest.key("deepseek2.attention.key_length_mla", 11, GgufBuilder::raw(INT64_MIN));
    QVERIFY(refusal(lowest).contains("qk_nope_head_dim is 0"));
    QVERIFY(refusal(latent(20, 16).u32("deepseek2.expert_gating_func", 3))
                .contains("deepseek2.expert_gating_func is 3"));
  }

  void tensors_tellBiasesAndTyingApart() {
    const json config =
        translated(gguf_metadata("llama")
                       .tensor("output.weight", {64, 8}, 0, std::string(2048, '0'))
                       .tensor("blk.0.attn_q.bias", {64}, 0, std::string(256, '0'))
                       .tensor("blk.0.ffn_up.bias", {96}, 0, std::string(384, '0')));
    QCOMPARE(config["tie_word_embeddings"], json(false));
    QCOMPARE(config["attention_bias"], json(true));
    QCOMPARE(config["mlp_bias"], json(true));
  }

  void endTokens_areAllThatTheVocabularyHas() {
    const ModelConfig config = read(gguf_metadata("llama")
                                        .u32("tokenizer.ggml.bos_token_id", 1)
                                        .u32("tokenizer.ggml.eos_token_id", 2)
                                        .u32("tokenizer.ggml.eot_token_id", 7)
                                        .u32("tokenizer.ggml.eom_token_id", 8));
    QCOMPARE(config.bos_token, 1);
    QVERIFY((config.end_tokens == std::vector<int32_t>{2, 7}));
  }

  void samplingDefaults_areThoseOfTheFile() {
    const ModelConfig config = read(gguf_metadata("llama")
                                        .string("general.name", "A model")
                                        .f32("general.sampling.temp", 0.5f)
                                        .f32("general.sampling.top_p", 7.0f)
                                        .i32("general.sampling.top_k", 20));
    QCOMPARE(config.name, std::string("A model"));
    QCOMPARE(config.default_temperature, 0.5f);
    QCOMPARE(config.default_top_p, -1.0f);
    QCOMPARE(config.default_top_k, 20);
  }

  void headCounts_mayBeListsOfEqualNumbers() {
    GgufBuilder builder = gguf_metadata("llama");
    builder.numbers<int32_t>("llama.attention.key_length", 5, {32, 32});
    QCOMPARE(read(builder).head_dim, 32);
    GgufBuilder uneven = gguf_metadata("llama");
    QCOMPARE(refusal(uneven.numbers<int32_t>("llama.attention.key_length", 5, {32, 16})),
             QString("m.gguf: llama.attention.key_length is 32 in some layers and 16 in others, "
                     "which Quire does not run"));
  }

  void llama_withExpertsOrAWindowIsMistral() {
    QCOMPARE(read(gguf_metadata("llama", true)).experts.num_experts, 4);
    QCOMPARE(read(gguf_metadata("llama", true)).experts.intermediate_size, 96);
    const ModelConfig config =
        read(gguf_metadata("llama").u32("llama.attention.sliding_window", 99));
    QCOMPARE(config.architecture, std::string("mistral"));
    QCOMPARE(config.layers.at(1).sliding_window, 99);
  }

  void windows_followThePattern() {
    const auto windows = [&](const GgufBuilder& builder) {
      std::vector<int> all;
      for (const LayerConfig& layer : read(builder).layers) all.push_back(layer.sliding_window);
      return all;
    };
    QVERIFY((windows(gguf_metadata("gemma2")) == std::vector<int>{4096, 0}));
    GgufBuilder gemma2 = gguf_metadata("gemma2");
    gemma2.u32("gemma2.attention.sliding_window", 32);
    QVERIFY((windows(gemma2) == std::vector<int>{32, 0}));
    gemma2.numbers<uint8_t>("gemma2.attention.sliding_window_pattern", kBool, {0, 1});
    QVERIFY((windows(gemma2) == std::vector<int>{0, 32}));
    GgufBuilder gemma3 = gguf_metadata("gemma3");
    QVERIFY((windows(gemma3) == std::vector<int>{0, 0}));
    gemma3.u32("gemma3.attention.sliding_window", 32);
    QVERIFY((windows(gemma3) == std::vector<int>{32, 32}));
    gemma3.u32("gemma3.attention.sliding_window_pattern", 2);
    QVERIFY((windows(gemma3) == std::vector<int>{32, 0}));
    QVERIFY((windows(gguf_metadata("phi3").u32("phi3.attention.sliding_window", 0)) ==
             std::vector<int>{0, 0}));
  }

  void gemma_scalesQueriesByHeadsUnlessItIsTheLargest() {
    const GgufBuilder small = gguf_metadata("gemma3").u32("gemma3.attention.key_length", 32);
    QCOMPARE(translated(small)["query_pre_attn_scalar"], json(32));
    GgufBuilder largest;
    largest.string("general.architecture", "gemma3")
        .u32("gemma3.block_count", 62)
        .u32("gemma3.embedding_length", 64)
        .u32("gemma3.context_length", 512)
        .u32("gemma3.attention.head_count", 2)
        .u32("gemma3.attention.key_length", 16)
        .f32("gemma3.attention.layer_norm_rms_epsilon", 1e-6f);
    QCOMPARE(translated(largest)["query_pre_attn_scalar"], json(32));
  }

  void rope_isTakenFromItsKeys() {
    const auto rope = [&](const GgufBuilder& builder) { return read(builder).ropes.at(0); };
    GgufBuilder linear = gguf_metadata("llama");
    linear.f32("llama.rope.freq_base", 5e5f).string("llama.rope.scaling.type", "linear");
    QCOMPARE(rope(linear.f32("llama.rope.scaling.factor", 4.0f)).factor, 4.0f);
    QCOMPARE(rope(linear).theta, 5e5f);
    QCOMPARE(rope(gguf_metadata("llama").f32("llama.rope.scale_linear", 2.0f)).factor, 2.0f);
    QCOMPARE(rope(gguf_metadata("llama").f32("llama.rope.scaling.factor", 4.0f)).factor, 4.0f);
    GgufBuilder none = gguf_metadata("llama").f32("llama.rope.scaling.factor", 4.0f);
    QVERIFY(rope(none.string("llama.rope.scaling.type", "none")).scaling ==
            RopeConfig::Scaling::kNone);
    GgufBuilder yarn = gguf_metadata("gpt-oss", true);
    yarn.string("gpt-oss.rope.scaling.type", "yarn")
        .u32("gpt-oss.expert_feed_forward_length", 48)
        .f32("gpt-oss.rope.scaling.factor", 32.0f)
        .u32("gpt-oss.rope.scaling.original_context_length", 128);
    QVERIFY(rope(yarn).scaling == RopeConfig::Scaling::kYarn);
    QVERIFY(!rope(yarn).truncate);
    QCOMPARE(rope(yarn).original_max_positions, 128);
    QCOMPARE(rope(gguf_metadata("phi3").u32("phi3.rope.dimension_count", 12)).rotary_dim, 12);
    QCOMPARE(
        read(gguf_metadata("gemma3").f32("gemma3.rope.freq_base_swa", 5000.0f)).ropes.at(1).theta,
        5000.0f);
  }

  void learnedPositions_areNotExtended() {
    GgufBuilder builder = gguf_metadata("gpt2").f32("gpt2.attention.layer_norm_epsilon", 1e-5f);
    builder.string("gpt2.rope.scaling.type", "yarn").f32("gpt2.rope.scaling.factor", 1000.0f);
    const ModelConfig config = read(builder);
    QCOMPARE(config.max_positions, 512);
    QCOMPARE(config.num_learned_positions, 512);
  }

  void granite_hasItsMultipliers() {
    const ModelConfig config = read(gguf_metadata("granite")
                                        .f32("granite.embedding_scale", 12.0f)
                                        .f32("granite.residual_scale", 0.25f)
                                        .f32("granite.attention.scale", 0.125f)
                                        .f32("granite.logit_scale", 8.0f));
    QCOMPARE(config.embedding_scale, 12.0f);
    QCOMPARE(config.residual_scale, 0.25f);
    QCOMPARE(config.attention_scale, 0.125f);
    QCOMPARE(config.logits_scale, 0.125f);
    QCOMPARE(read(gguf_metadata("granite")).attention_scale, 0.25f);  // 1 / sqrt(head_dim)
  }

  void qwen3Moe_hasExpertsWhereThereIsARouter() {
    const ModelConfig config =
        read(gguf_metadata("qwen3moe", true)
                 .u32("qwen3moe.expert_feed_forward_length", 24)
                 .tensor("blk.1.ffn_gate_inp.weight", {64, 4}, 0, std::string(1024, '0')));
    QCOMPARE(config.experts.intermediate_size, 24);
    QVERIFY(config.experts.route.renormalize);
    QVERIFY(!config.layers.at(0).has_experts && config.layers.at(1).has_experts);
  }

  void layerNorm_hasItsOwnEpsilon() {
    QCOMPARE(read(gguf_metadata("gpt2").f32("gpt2.attention.layer_norm_epsilon", 1e-3f)).norm_eps,
             1e-3f);
    QVERIFY(
        refusal(gguf_metadata("phi2")).contains("phi2.attention.layer_norm_epsilon is missing"));
  }

  void rotation_coversTheHeadUnlessTheFileSaysLess() {
    QCOMPARE(read(gguf_metadata("glm4")).ropes.at(0).rotary_dim, 16);
    QCOMPARE(read(gguf_metadata("glm4").u32("glm4.rope.dimension_count", 8)).ropes.at(0).rotary_dim,
             8);
  }

  void sigmoidRouting_isThatOfTheKeys() {
    GgufBuilder builder = glm4_moe();
    builder.u32("glm4moe.expert_group_count", 2)
        .u32("glm4moe.expert_group_used_count", 1)
        .u32("glm4moe.expert_shared_count", 2)
        .u32("glm4moe.leading_dense_block_count", 1)
        .u32("glm4moe.expert_gating_func", 2)
        .f32("glm4moe.expert_weights_scale", 2.5f)
        .boolean("glm4moe.expert_weights_norm", true);
    const ModelConfig config = read(builder);
    const RouteParams& route = config.experts.route;
    QVERIFY(route.scoring == RouteParams::Scoring::kSigmoid && route.renormalize);
    QCOMPARE(route.scale, 2.5f);
    QCOMPARE(route.num_groups, 2);
    QCOMPARE(config.experts.shared_intermediate_size, 48);
    QVERIFY(!config.layers.at(0).has_experts && config.layers.at(1).has_experts);
    QVERIFY(!read(glm4_moe()).experts.route.renormalize);
  }

  void layersForSpeculation_areNoneOfTheModels() {
    const ModelConfig config = read(glm4_moe().u32("glm4moe.nextn_predict_layers", 1));
    QCOMPARE(config.num_layers, 1);
    QCOMPARE(config.num_speculative_layers, 1);
  }

  void olmo2_withAWindowIsOlmo3() {
    GgufBuilder builder = gguf_metadata("olmo2").f32("olmo2.rope.freq_base", 5e5f);
    builder.u32("olmo2.attention.sliding_window", 32);
    const ModelConfig config = read(builder);
    QCOMPARE(config.architecture, std::string("olmo3"));
    QCOMPARE(config.layers.at(0).sliding_window, 32);
    QCOMPARE(config.ropes.at(1).theta, 5e5f);
    QCOMPARE(read(gguf_metadata("olmo2")).architecture, std::string("olmo2"));
  }

  void layersWithoutAWindow_doNotRotateWhereTheFamilySaysSo() {
    for (const char* name : {"cohere2", "muse-glimmer"}) {
      const std::string prefix = std::string(name) + ".";
      GgufBuilder builder = gguf_metadata(name);
      builder.f32(prefix + "attention.layer_norm_epsilon", 1e-5f)
          .f32(prefix + "logit_scale", 0.25f)
          .u32(prefix + "attention.sliding_window", 32)
          .numbers<uint8_t>(prefix + "attention.sliding_window_pattern", kBool, {0, 1});
      const ModelConfig config = read(builder);
      QVERIFY(config.layers.at(0).rope < 0 && config.layers.at(0).sliding_window == 0);
      QVERIFY(config.layers.at(1).rope >= 0 && config.layers.at(1).sliding_window == 32);
      QCOMPARE(config.logits_scale, 0.25f);
    }
  }

  void stableLm_isParallelWithoutASecondNorm() {
    GgufBuilder builder = gguf_metadata("stablelm");
    builder.f32("stablelm.attention.layer_norm_epsilon", 1e-5f)
        .boolean("stablelm.use_parallel_residual", true);
    QVERIFY(read(builder).norm_placement == NormPlacement::kParallel);
    builder.tensor("blk.0.ffn_norm.weight", {64}, 0, std::string(256, '0'));
    QVERIFY(read(builder).norm_placement == NormPlacement::kPre);
  }

  void qwen2Moe_withoutSizesOfExpertsDividesTheMlp() {
    const ModelConfig config = read(gguf_metadata("qwen2moe", true));
    QCOMPARE(config.experts.intermediate_size, 48);
    QCOMPARE(config.experts.shared_intermediate_size, 96);
    QVERIFY(!config.experts.route.renormalize);
  }

  void llama4_hasThePublishedModelsChunksAndTemperatures() {
    const ModelConfig config = read(llama4(4));
    QCOMPARE(config.intermediate_size, 96);
    QCOMPARE(config.experts.intermediate_size, 24);
    QCOMPARE(config.experts.shared_intermediate_size, 24);
    QVERIFY(config.experts.scales_inputs && !config.experts.route.renormalize);
    QVERIFY(config.qk_norm == QkNorm::kUnweighted && config.norms_after_rotation);
    QCOMPARE(config.query_scale.interval, 8192);
    QCOMPARE(config.query_scale.offset, 1);
    for (int i = 0; i < 4; ++i) {
      const LayerConfig& layer = config.layers.at(static_cast<size_t>(i));
      QCOMPARE(layer.chunk_size, i == 3 ? 0 : 8192);
      QCOMPARE(layer.rope, i == 3 ? -1 : 0);
      QCOMPARE(layer.scales_queries, i == 3);
      QCOMPARE(layer.has_experts, i % 2 == 1);
    }
    QVERIFY(read(llama4(128)).qk_norm == QkNorm::kNone);
    const GgufBuilder builder = llama4(4).u32("llama4.attention.sliding_window", 0);
    QCOMPARE(read(builder).layers.at(3).rope, 0);
    QCOMPARE(read(builder).layers.at(0).chunk_size, 0);
  }

  void apertus_takesItsActivationsFromListsOrNumbers() {
    GgufBuilder builder = gguf_metadata("apertus");
    builder.numbers<float>("xielu.alpha_p", 6, {0.5f, -1.5f}).f32("xielu.alpha_n", 0.25f);
    const std::vector<Activation> stored = read(builder).stored_activations;
    QCOMPARE(stored.size(), size_t{2});
    QCOMPARE(stored[1].positive, -1.5f);
    QCOMPARE(stored[1].negative, 0.25f);
    QCOMPARE(stored[0].beta, 0.5f);
  }

  void mistral4_scalesQueriesAsPublished() {
    GgufBuilder builder = gguf_metadata("mistral4", true);
    for (const char* key : {"attention.kv_lora_rank", "attention.key_length_mla",
                            "attention.value_length_mla", "rope.dimension_count"}) {
      builder.u32(std::string("mistral4.") + key,
                  std::string(key) == "rope.dimension_count" ? 8 : 16);
    }
    builder.u32("mistral4.expert_feed_forward_length", 24)
        .string("mistral4.rope.scaling.type", "yarn")
        .f32("mistral4.rope.scaling.factor", 4.0f)
        .u32("mistral4.rope.scaling.original_context_length", 128);
    QCOMPARE(read(builder).query_scale.beta, 0.1f);
    QCOMPARE(read(builder).query_scale.interval, 128);
    builder.f32("mistral4.attention.temperature_scale", 0.25f);
    QCOMPARE(read(builder).query_scale.beta, 0.25f);
    builder.u32("mistral4.attention.temperature_length", 64);
    QVERIFY(refusal(builder).contains("mistral4.attention.temperature_length is 64; Quire runs"));
  }

  void neutralValues_areTaken() {
    read(gguf_metadata("llama", true)
             .boolean("llama.attention.causal", true)
             .f32("llama.expert_weights_scale", 1.0f)
             .u32("llama.expert_gating_func", 1)
             .boolean("llama.rope.scaling.finetuned", false)
             .f32("llama.rope.scaling.factor", 0.0f)
             .f32("llama.rope.scaling.yarn_ext_factor", -1.0f));
    read(gguf_metadata("gpt-oss", true)
             .u32("gpt-oss.expert_feed_forward_length", 48)
             .u32("gpt-oss.expert_gating_func", 3));
  }

  void faults_areNamed_data() {
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const GgufBuilder& builder, const char* message) {
      const std::string file = builder.build();
      QTest::newRow(name) << QByteArray(file.data(), int(file.size())) << message;
    };
    row("nothing", GgufBuilder(), "general.architecture is missing, so that this is no model");
    row("unknown", GgufBuilder().string("general.architecture", "mamba"),
        "the architecture mamba is not supported; Quire runs ");
    row("projector", GgufBuilder().string("general.architecture", "clip"),
        "the architecture clip is not supported; Quire runs ");
    row("layers", GgufBuilder().string("general.architecture", "llama"),
        "llama.block_count is missing or no number");
    row("lengths",
        gguf_metadata("llama")
            .u32("llama.attention.key_length", 32)
            .u32("llama.attention.value_length", 16),
        "attention.value_length is 16 and attention.key_length is 32; Quire runs models whose "
        "keys and values are equally long");
    row("no layout", gguf_metadata("opt"),
        "GGUF has no layout for opt that Quire knows; choose the model's Hugging Face folder");
    row("another base",
        gguf_metadata("olmo2")
            .u32("olmo2.attention.sliding_window", 32)
            .f32("olmo2.rope.freq_base_swa", 5000.0f),
        "olmo2.rope.freq_base_swa is 5000.000000; Quire runs models whose layers all rotate by "
        "olmo2.rope.freq_base");
    GgufBuilder sections = gguf_metadata("glm4");
    row("sections", sections.numbers<int32_t>("glm4.rope.dimension_sections", 5, {8, 12, 12, 0}),
        "glm4.rope.dimension_sections is a list of sections; Quire runs models whose positions");
    GgufBuilder pattern = gguf_metadata("exaone4").u32("exaone4.attention.sliding_window", 32);
    row("a long pattern",
        pattern.numbers<uint8_t>("exaone4.attention.sliding_window_pattern", kBool, {1, 1, 0}),
        "exaone4.attention.sliding_window_pattern has 3 entries for 2 layers; choose another");
    GgufBuilder lengths = gguf_metadata("seed_oss");
    row("a short list", lengths.numbers<int32_t>("seed_oss.attention.key_length", 5, {16}),
        "seed_oss.attention.key_length has 1 entries for 2 layers; choose another conversion");
    row("all for speculation", glm4_moe().u32("glm4moe.nextn_predict_layers", 2),
        "glm4moe.nextn_predict_layers is 2, which leaves none of the 2 layers; choose another");
    row("no experts", gguf_metadata("minimax-m2").u32("minimax-m2.expert_count", 0),
        "num_local_experts is 0, outside 1 to 4096 (in this file it is the key "
        "minimax-m2.expert_count)");
    row("more than all", glm4_moe().u32("glm4moe.expert_group_count", 3),
        "n_group is 3 and topk_group is 1, which does not fit 4 experts with 2 chosen for a token "
        "(in this file it is the key glm4moe.expert_group_count)");
    row("softmax", glm4_moe().u32("glm4moe.expert_gating_func", 1),
        "glm4moe.expert_gating_func is 1; Quire runs models that choose experts by sigmoids");
    row("normed", gguf_metadata("qwen2moe", true).boolean("qwen2moe.expert_weights_norm", true),
        "qwen2moe.expert_weights_norm is true; Quire runs models of this kind that leave the");
    row("groups", gguf_metadata("qwen3moe", true).u32("qwen3moe.expert_group_count", 2),
        "qwen3moe.expert_group_count is 2; Quire runs models of this kind without groups");
    row("interval", ernie_moe().u32("ernie4_5-moe.interleave_moe_layer_step", 0),
        "moe_layer_interval is 0, outside 1 to 4096 (in this file it is the key "
        "ernie4_5-moe.interleave_moe_layer_step)");
    row("xIELU", gguf_metadata("apertus"),
        "xielu.alpha_p or xielu.alpha_n is missing; choose another conversion of the model");
    row("xIELU of another number of layers",
        gguf_metadata("apertus")
            .numbers<float>("xielu.alpha_p", 6, {0.5f, 0.5f, 0.5f})
            .f32("xielu.alpha_n", 0.25f),
        "xielu.alpha_p has 3 numbers for 2 layers; choose another conversion of the model");
    row("chunks", gguf_metadata("llama4", true).u32("llama4.attention.sliding_window", 64),
        "llama4.attention.sliding_window is 64; Quire runs models with chunks of 8192");
    row("shared experts",
        gguf_metadata("hy_v3", true)
            .u32("hy_v3.expert_feed_forward_length", 24)
            .u32("hy_v3.expert_shared_feed_forward_length", 25),
        "hy_v3.expert_shared_feed_forward_length is 25; Quire runs models with whole shared");
    row("a scale", gguf_metadata("cohere2").f32("cohere2.attention.layer_norm_epsilon", 1e-5f),
        "cohere2.logit_scale is missing or no number");
    row("head norms",
        gguf_metadata("stablelm")
            .f32("stablelm.attention.layer_norm_epsilon", 1e-5f)
            .tensor("blk.0.attn_q_norm.weight", {16, 4}, 0, std::string(256, '0')),
        "qk_layernorm is set; Quire runs models of this kind without it");
    row("clamped", gguf_metadata("olmo2").f32("olmo2.attention.clamp_kqv", 8.0f),
        "olmo2.attention.clamp_kqv is 8.000000; Quire runs models that do not clamp queries");
    GgufBuilder heads;
    heads.string("general.architecture", "starcoder2")
        .u32("starcoder2.block_count", 2)
        .u32("starcoder2.embedding_length", 64)
        .u32("starcoder2.context_length", 512)
        .u32("starcoder2.feed_forward_length", 96)
        .u32("starcoder2.attention.head_count", 5)
        .u32("starcoder2.attention.head_count_kv", 2)
        .u32("starcoder2.vocab_size", 8)
        .f32("starcoder2.attention.layer_norm_epsilon", 1e-5f);
    row("heads", heads,
        "num_key_value_heads is 2, which does not divide num_attention_heads, 5 (in this file it "
        "is the key starcoder2.attention.head_count_kv)");
    row("scaling", gguf_metadata("llama").string("llama.rope.scaling.type", "ntk"),
        "rope_parameters: rope_type is \"ntk\"; Quire supports default, linear, dynamic, llama3, "
        "yarn and longrope (in this file it is the key llama.rope.scaling.type)");
    row("a size", gguf_metadata("llama").u32("llama.attention.key_length", 7),
        "head_dim is 7, which is not an even number of 2 or more (in this file it is the key "
        "llama.attention.key_length)");
    const char* other = "; choose another conversion of the model";
    row("theta", gguf_metadata("llama").string("llama.rope.freq_base", "1e6"),
        (std::string("llama.rope.freq_base is not a number") + other).c_str());
    row("window", gguf_metadata("gemma3").string("gemma3.attention.sliding_window", "512"),
        (std::string("gemma3.attention.sliding_window is not a whole number") + other).c_str());
    row("not causal", gguf_metadata("llama").boolean("llama.attention.causal", false),
        "llama.attention.causal is false; Quire runs models that write text");
    row("scaled experts", gguf_metadata("llama", true).f32("llama.expert_weights_scale", 2.5f),
        "llama.expert_weights_scale is 2.500000; Quire runs models that do not scale");
    row("sigmoid", gguf_metadata("qwen3moe", true).u32("qwen3moe.expert_gating_func", 2),
        "qwen3moe.expert_gating_func is 2; Quire runs models that choose experts by a softmax");
    row("mixed YaRN", gguf_metadata("llama").f32("llama.rope.scaling.yarn_ext_factor", 0.5f),
        "llama.rope.scaling.yarn_ext_factor is 0.500000; Quire runs models that leave it out");
    row("no rotation", gguf_metadata("granite").boolean("granite.rope.scaling.finetuned", false),
        "granite.rope.scaling.finetuned is false, which makes this a Granite whose layers do not");
  }
  void faults_areNamed() {
    QFETCH(QByteArray, file);
    QFETCH(QString, message);
    const fs::path path = fs::path(m_folder.path().toStdString()) / "m.gguf";
    write_file(path, file.toStdString());
    auto weights = GgufWeights::open(path);
    QVERIFY(weights.has_value());
    const auto config = read_gguf_config(**weights);
    QVERIFY(!config.has_value());
    const QString found = QString::fromStdString(config.error().message);
    QVERIFY2(found.startsWith("m.gguf: " + message), qPrintable(found));
  }
};

QTEST_APPLESS_MAIN(TestGgufConfig)
#include "tst_gguf_config.moc"
