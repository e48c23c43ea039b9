#include <QTemporaryDir>
#include <QtTest>

#include "tests/support/gguf_metadata.h"

using namespace quire;
using namespace quire::test;

namespace fs = std::filesystem;

namespace {

constexpr uint32_t kInt32 = 5;
constexpr uint32_t kBool = 7;

struct StateSizes {
  uint32_t taps = 4, state = 24, groups = 2, heads = 4, inner = 128;
};
GgufBuilder with_states(GgufBuilder builder, const std::string& architecture,
                        const StateSizes& sizes) {
  const std::string prefix = architecture + ".ssm.";
  return builder.u32(prefix + "conv_kernel", sizes.taps)
      .u32(prefix + "state_size", sizes.state)
      .u32(prefix + "group_count", sizes.groups)
      .u32(prefix + "time_step_rank", sizes.heads)
      .u32(prefix + "inner_size", sizes.inner);
}
GgufBuilder qwen35(const StateSizes& sizes = {}) {
  return with_states(gguf_metadata("qwen35"), "qwen35", sizes);
}
/// The second layer attends.
GgufBuilder granite_hybrid(const StateSizes& sizes = {}) {
  return with_states(gguf_metadata("granitehybrid", false, {0, 2}), "granitehybrid", sizes);
}
GgufBuilder lfm2(const std::vector<int32_t>& kv_heads = {0, 2}, uint32_t taps = 3) {
  return gguf_metadata("lfm2", false, kv_heads).u32("lfm2.shortconv.l_cache", taps);
}
/// Layers with keys, with an MLP, or with neither, which are recurrent.
GgufBuilder nemotron_h(const std::vector<int32_t>& kv_heads, const std::vector<int32_t>& widths,
                       const StateSizes& sizes = {}, const std::string& name = "nemotron_h") {
  GgufBuilder builder;
  builder.string("general.architecture", name)
      .u32(name + ".block_count", static_cast<uint32_t>(widths.size()))
      .u32(name + ".embedding_length", 64)
      .u32(name + ".context_length", 512)
      .u32(name + ".attention.head_count", 4)
      .u32(name + ".vocab_size", 8)
      .f32(name + ".attention.layer_norm_epsilon", 1e-3f)
      .numbers<int32_t>(name + ".attention.head_count_kv", kInt32, kv_heads)
      .numbers<int32_t>(name + ".feed_forward_length", kInt32, widths);
  return with_states(builder, name, sizes);
}
GgufBuilder falcon_h1(const StateSizes& sizes = {}) {
  return with_states(gguf_metadata("falcon-h1"), "falcon-h1", sizes);
}
GgufBuilder lfm2_moe() {
  return gguf_metadata("lfm2moe", true, {0, 2})
      .u32("lfm2moe.shortconv.l_cache", 3)
      .u32("lfm2moe.expert_feed_forward_length", 24);
}

}  // namespace

/// What the metadata of models with recurrent layers becomes.
class TestGgufHybrids : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir m_folder;
  std::unique_ptr<GgufWeights> open(const GgufBuilder& builder) const {
    return open_gguf(builder, m_folder.path().toStdString());
  }
  ModelConfig read(const GgufBuilder& builder) const {
    return read_gguf(builder, m_folder.path().toStdString());
  }

 private slots:
  void deltaNets_areInTheLayersOfTheListOrBetweenIntervals() {
    const auto mixers = [&](const GgufBuilder& builder) {
      std::vector<MixerKind> all;
      for (const LayerConfig& layer : read(builder).layers) all.push_back(layer.mixer);
      return all;
    };
    using enum MixerKind;
    QVERIFY((mixers(qwen35()) == std::vector{kGatedDelta, kGatedDelta}));
    QVERIFY((mixers(qwen35().u32("qwen35.full_attention_interval", 2)) ==
             std::vector{kGatedDelta, kAttention}));
    QVERIFY((mixers(qwen35().numbers<uint8_t>("qwen35.attention.recurrent_layers", kBool,
                                              {0, 1})) == std::vector{kAttention, kGatedDelta}));
  }

  void deltaNets_haveTheirSizesAndOrderOfHeads() {
    const ModelConfig config =
        read(qwen35().numbers<int32_t>("qwen35.rope.dimension_sections", kInt32, {2, 1, 1, 0}));
    QCOMPARE(config.recurrent.conv_taps, 4);
    QCOMPARE(config.recurrent.key_dim, 24);
    QCOMPARE(config.recurrent.value_dim, 32);
    QCOMPARE(config.recurrent.num_groups, 2);
    QCOMPARE(config.recurrent.num_heads, 4);
    QVERIFY(config.recurrent.tiled_heads);
    const GgufBuilder next =
        gguf_metadata("qwen3next", true).u32("qwen3next.expert_feed_forward_length", 24);
    QVERIFY(!read(with_states(next, "qwen3next", {})).recurrent.tiled_heads);
  }

  void qwen35Moe_mayLackTheSizeOfMlps() {
    GgufBuilder builder;
    builder.string("general.architecture", "qwen35moe")
        .u32("qwen35moe.block_count", 2)
        .u32("qwen35moe.embedding_length", 64)
        .u32("qwen35moe.context_length", 512)
        .u32("qwen35moe.attention.head_count", 4)
        .u32("qwen35moe.vocab_size", 8)
        .u32("qwen35moe.expert_count", 4)
        .u32("qwen35moe.expert_used_count", 2)
        .u32("qwen35moe.expert_feed_forward_length", 24)
        .u32("qwen35moe.expert_shared_feed_forward_length", 40)
        .f32("qwen35moe.attention.layer_norm_rms_epsilon", 1e-6f);
    const ExpertsConfig experts = read(with_states(builder, "qwen35moe", {})).experts;
    QCOMPARE(experts.intermediate_size, 24);
    QCOMPARE(experts.shared_intermediate_size, 40);
    QVERIFY(experts.gates_shared && experts.route.renormalize);
  }

  void layersWithoutKeys_areRecurrent() {
    const ModelConfig config = read(lfm2());
    QVERIFY(config.layers.at(0).mixer == MixerKind::kShortConv);
    QVERIFY(config.layers.at(1).mixer == MixerKind::kAttention);
    QCOMPARE(config.num_kv_heads, 2);
    QCOMPARE(config.recurrent.conv_taps, 3);
    QCOMPARE(config.intermediate_size, 96);
    QVERIFY(read(lfm2({2, 2})).layers.at(0).mixer == MixerKind::kAttention);
    const ModelConfig granite = read(granite_hybrid());
    QVERIFY(granite.layers.at(0).mixer == MixerKind::kMamba2);
    QVERIFY(granite.layers.at(1).mixer == MixerKind::kAttention);
  }

  void lfm2Moe_choosesBySigmoids() {
    GgufBuilder builder = lfm2_moe();
    builder.u32("lfm2moe.leading_dense_block_count", 1)
        .u32("lfm2moe.expert_gating_func", 2)
        .f32("lfm2moe.expert_weights_scale", 2.5f);
    const ModelConfig config = read(builder);
    QVERIFY(!config.layers.at(0).has_experts && config.layers.at(1).has_experts);
    const RouteParams& route = config.experts.route;
    QVERIFY(route.scoring == RouteParams::Scoring::kSigmoid && route.renormalize);
    QCOMPARE(route.scale, 2.5f);
  }

  void graniteHybrid_hasItsScanAndRotatesUnlessTheFileSaysNot() {
    const ModelConfig config =
        read(granite_hybrid().u32("granitehybrid.expert_shared_feed_forward_length", 72));
    QCOMPARE(config.recurrent.num_heads, 4);
    QCOMPARE(config.recurrent.value_dim, 32);
    QCOMPARE(config.recurrent.key_dim, 24);
    QCOMPARE(config.intermediate_size, 72);
    QVERIFY(!config.recurrent.has_conv_bias && config.experts.num_experts == 0);
    QCOMPARE(config.layers.at(1).rope, 0);
    QCOMPARE(read(granite_hybrid()).intermediate_size, 96);
    QCOMPARE(read(granite_hybrid().boolean("granitehybrid.rope.scaling.finetuned", false))
                 .layers.at(1)
                 .rope,
             -1);
  }

  void nemotronH_hasOneBlockInEachLayer() {
    const ModelConfig config =
        read(nemotron_h({2, 0}, {0, 96}).u32("nemotron_h.rope.dimension_count", 13));
    QVERIFY(config.layers.at(0).mixer == MixerKind::kAttention);
    QVERIFY(!config.layers.at(0).has_feed_forward);
    QVERIFY(config.layers.at(1).mixer == MixerKind::kNone);
    QVERIFY(config.layers.at(1).has_feed_forward && !config.layers.at(1).has_experts);
    QCOMPARE(config.layers.at(0).rope, -1);
    QCOMPARE(config.intermediate_size, 96);
    QCOMPARE(config.norm_eps, 1e-3f);
    QVERIFY(config.activation.kind == Activation::Kind::kSquaredRelu && !config.has_gated_mlp);
    const ModelConfig scan = read(nemotron_h({0, 2, 0}, {0, 0, 96}));
    QVERIFY(scan.layers.at(0).mixer == MixerKind::kMamba2 && !scan.layers.at(0).has_feed_forward);
    QCOMPARE(scan.recurrent.value_dim, 32);
    QCOMPARE(scan.recurrent.num_norm_groups, 2);
  }

  void nemotronHMoe_hasLatentExperts() {
    const std::string name = "nemotron_h_moe.";
    GgufBuilder builder = nemotron_h({0, 2}, {48, 0}, {}, "nemotron_h_moe");
    builder.u32(name + "expert_count", 8)
        .u32(name + "expert_used_count", 2)
        .u32(name + "expert_group_count", 4)
        .u32(name + "expert_group_used_count", 2)
        .u32(name + "expert_shared_feed_forward_length", 40)
        .u32(name + "moe_latent_size", 32)
        .f32(name + "expert_weights_scale", 2.5f);
    const ModelConfig config = read(builder);
    QVERIFY(config.layers.at(0).has_experts && config.layers.at(0).mixer == MixerKind::kNone);
    QVERIFY(!config.layers.at(1).has_experts);
    const ExpertsConfig& experts = config.experts;
    QCOMPARE(experts.intermediate_size, 24);  // Older files divide what a token chooses.
    QCOMPARE(experts.shared_intermediate_size, 40);
    QCOMPARE(experts.latent_size, 32);
    QVERIFY(experts.route.scoring == RouteParams::Scoring::kSigmoid && experts.has_choice_bias);
    QVERIFY(!experts.route.renormalize);
    QCOMPARE(experts.route.num_groups, 4);
    QCOMPARE(experts.route.top_groups, 2);
    QCOMPARE(experts.route.scale, 2.5f);
    QCOMPARE(read(builder.u32(name + "expert_feed_forward_length", 48)).experts.intermediate_size,
             48);
  }

  void falconH1_hasTwoMixersInEachLayer() {
    const ModelConfig config = read(falcon_h1());
    for (const LayerConfig& layer : config.layers) {
      QVERIFY(layer.mixer == MixerKind::kAttentionAndMamba2 && layer.rope == 0);
    }
    QCOMPARE(config.recurrent.value_dim, 32);
    QVERIFY(config.recurrent.gating == ScanGating::kGateAlone);
    QVERIFY(config.block_scales == BlockScales{} && config.recurrent.scales == ScanScales{});
    QCOMPARE(config.attention_scale, 0.25f);
  }

  void faults_areNamed_data() {
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const GgufBuilder& builder, const char* message) {
      const std::string file = builder.build();
      QTest::newRow(name) << QByteArray(file.data(), int(file.size())) << message;
    };
    row("no taps", gguf_metadata("qwen35"), "qwen35.ssm.conv_kernel is missing or no number");
    row("many taps", qwen35({.taps = 17}),
        "linear_conv_kernel_dim is 17, outside 2 to 16 (in this file it is the key "
        "qwen35.ssm.conv_kernel)");
    row("a huge state", qwen35({.state = 0xffffffff}),
        "linear_key_head_dim is 4294967295, outside 1 to 4096 (in this file it is the key "
        "qwen35.ssm.state_size)");
    row("no heads", qwen35({.heads = 0}),
        "qwen35.ssm.inner_size is 128, which qwen35.ssm.time_step_rank, 0, does not "
        "divide; choose another conversion of the model");
    row("no values", qwen35({.inner = 0}),
        "linear_value_head_dim is 0, outside 1 to 4096 (in this file it is the key "
        "qwen35.ssm.inner_size)");
    row("uneven groups", qwen35({.groups = 3}),
        "linear_num_key_heads is 3, which does not divide linear_num_value_heads, 4 (in this file "
        "it is the key qwen35.ssm.group_count)");
    row("no interval", qwen35().u32("qwen35.full_attention_interval", 0),
        "full_attention_interval is 0, outside 1 to 1048576 (in this file it is the key "
        "qwen35.full_attention_interval)");
    row("recurrent layers",
        qwen35().numbers<uint8_t>("qwen35.attention.recurrent_layers", kBool, {1, 0, 1}),
        "qwen35.attention.recurrent_layers has 3 entries for 2 layers; choose another");
    row("a window", lfm2().u32("lfm2.attention.sliding_window", 32),
        "lfm2.attention.sliding_window is 32; Quire runs models of this kind without a window");
    row("no keys", lfm2({0, 0}),
        "num_key_value_heads is 0, outside 1 to 16384 (in this file it is the key "
        "lfm2.attention.head_count_kv)");
    row("uneven keys", lfm2({2, 1}),
        "lfm2.attention.head_count_kv is 2 in some layers and 1 in others, which Quire does not");
    row("more keys than layers", lfm2({0, 2, 0}),
        "lfm2.attention.head_count_kv has 3 entries for 2 layers; choose another conversion");
    row("keys in some layers", gguf_metadata("llama", false, {0, 2}),
        "llama.attention.head_count_kv is 0 in some layers and 2 in others, which Quire does not");
    row("one tap", lfm2({0, 2}, 1),
        "conv_L_cache is 1, outside 2 to 16 (in this file it is the key lfm2.shortconv.l_cache)");
    row("another choice", lfm2_moe().u32("lfm2moe.expert_gating_func", 1),
        "lfm2moe.expert_gating_func is 1; Quire runs models that choose experts by sigmoids");
    row("heads of a scan", granite_hybrid({.heads = 0}),
        "mamba_n_heads is 0, outside 1 to 16384 (in this file it is the key "
        "granitehybrid.ssm.time_step_rank)");
    row("groups of a scan", granite_hybrid({.groups = 3}),
        "mamba_n_heads is 4, which must divide the 128 values of a token and be a multiple "
        "of mamba_n_groups (in this file it is the key granitehybrid.ssm.time_step_rank)");
    row("a scan's size", granite_hybrid({.inner = 100}),
        "granitehybrid.ssm.inner_size is 100, which granitehybrid.embedding_length, "
        "64, does not divide; choose another conversion of the model");
    row("a window beside scans",
        nemotron_h({0, 2}, {96, 0}).u32("nemotron_h.attention.sliding_window", 32),
        "nemotron_h.attention.sliding_window is 32; Quire runs models of this kind without");
    row("two blocks in a layer", nemotron_h({0, 2}, {0, 96}),
        "nemotron_h.attention.head_count_kv and nemotron_h.feed_forward_length give layer 1 "
        "attention and an MLP; Quire runs models of this kind whose layers have one of them");
    row("MLPs of two widths", nemotron_h({0, 0}, {96, 48}),
        "nemotron_h.feed_forward_length is 96 in some layers and 48 in others, which Quire does");
    row("a list that is too short", nemotron_h({2}, {0, 96}),
        "nemotron_h.attention.head_count_kv has 1 entries for 2 layers; choose another");
    row("uneven heads", nemotron_h({0, 2}, {0, 0}, {.inner = 126}),
        "nemotron_h.ssm.inner_size is 126, which nemotron_h.ssm.time_step_rank, 4, does not");
    row("a huge state beside attention", falcon_h1({.state = 4097}),
        "mamba_d_state is 4097, outside 1 to 4096 (in this file it is the key "
        "falcon-h1.ssm.state_size)");
    row("no values beside attention", falcon_h1({.inner = 0}),
        "mamba_d_ssm is 0, outside 1 to 67108864 (in this file it is the key "
        "falcon-h1.ssm.inner_size)");
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

QTEST_APPLESS_MAIN(TestGgufHybrids)
#include "tst_gguf_hybrids.moc"
