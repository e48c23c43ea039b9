#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/models/json_config.h"
#include "engine/models/model_files.h"

using namespace quire;
using nlohmann::json;

namespace fs = std::filesystem;

namespace {

/// LFM3 with as many layers as its list of kinds has by default.
json lfm3(int num_layers) {
  json config = json::parse(R"({"architectures": ["Lfm3ForCausalLM"], "hidden_size": 48,
    "intermediate_size": 72, "num_attention_heads": 3, "num_key_value_heads": 1, "head_dim": 20,
    "vocab_size": 160, "sliding_window": 11, "rope_parameters": {
      "full_attention": {"rope_type": "proportional", "rope_theta": 1e6,
                         "partial_rotary_factor": 0.5},
      "sliding_attention": {"rope_type": "default", "rope_theta": 1e4}}})");
  config["num_hidden_layers"] = num_layers;
  return config;
}

json exaone4() {
  return json::parse(R"({"architectures": ["Exaone4ForCausalLM"], "hidden_size": 48,
    "intermediate_size": 72, "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 160,
    "num_hidden_layers": 4, "sliding_window": 11})");
}

Result<ModelConfig> parse_with(json config, const char* change) {
  config.update(json::parse(change));
  return parse_model_config(config.dump());
}

ModelConfig must(Result<ModelConfig> config) {
  if (!config) qFatal("%s", config.error().message.c_str());
  return std::move(*config);
}

/// C for a convolution; else the window and the rotation: "11/1".
QString layers_of(const ModelConfig& config) {
  QStringList list;
  for (const LayerConfig& layer : config.layers) {
    const bool is_conv = layer.mixer == MixerKind::kShortConv;
    list << (is_conv ? "C" : QString("%1/%2").arg(layer.sliding_window).arg(layer.rope));
  }
  return list.join(' ');
}

}  // namespace

/// What config.json says of layers that differ from each other, and what is refused of it.
class TestVariantConfig : public QObject {
  Q_OBJECT

 private slots:
  void lfm3Layers_areOfThreeKinds_data() {
    QTest::addColumn<QString>("change");
    QTest::addColumn<QString>("layers");
    QTest::newRow("by default") << "{}"
                                << "C C 0/0 C 11/1 C 0/0 C 11/1";
    QTest::newRow("a list") << R"({"num_hidden_layers": 3, "layer_types":
        ["sliding_attention", "conv", "full_attention"]})"
                            << "11/1 C 0/0";
    QTest::newRow("no window") << R"({"num_hidden_layers": 5, "sliding_window": null})"
                               << "C C 0/0 C 0/1";
  }
  void lfm3Layers_areOfThreeKinds() {
    QFETCH(QString, change);
    QFETCH(QString, layers);
    const ModelConfig config = must(parse_with(lfm3(9), qPrintable(change)));
    QCOMPARE(layers_of(config), layers);
    QCOMPARE(config.recurrent.conv_taps, 7);
    QCOMPARE(config.ropes.size(), size_t{2});
    QVERIFY(config.has_output_gate && config.gates_whole_heads && !config.gates_in_queries);
    QVERIFY(config.norm_placement == NormPlacement::kSandwich && !config.qkv_bias);
  }

  void lfm3Parts_mayBeOff() {
    const ModelConfig config = must(parse_with(lfm3(3), R"({"use_attention_gate": false,
        "use_sandwich_norm": false, "attention_bias": true, "conv_bias": true})"));
    QVERIFY(!config.has_output_gate && !config.gates_whole_heads);
    QVERIFY(config.norm_placement == NormPlacement::kPre);
    QVERIFY(config.qkv_bias && config.output_bias);
    QVERIFY(config.recurrent.has_bias && config.recurrent.has_conv_bias);
  }

  void exaone4Pattern_isForFilesWithoutAList_data() {
    QTest::addColumn<QString>("change");
    QTest::addColumn<QString>("layers");
    QTest::newRow("by default") << "{}"
                                << "11/0 11/0 11/0 0/-1";
    QTest::newRow("every other") << R"({"sliding_window_pattern": 2})"
                                 << "11/0 0/-1 11/0 0/-1";
    // As EXAONE 4 32B and 1.2B are published.
    QTest::newRow("letters and a list")
        << R"({"sliding_window_pattern": "LLLG", "layer_types": ["sliding_attention",
               "sliding_attention", "sliding_attention", "full_attention"]})"
        << "11/0 11/0 11/0 0/-1";
    QTest::newRow("no window") << R"({"sliding_window": null, "sliding_window_pattern": null})"
                               << "0/0 0/0 0/0 0/0";
    QTest::newRow("no window, as transformers writes it")
        << R"({"sliding_window": null, "sliding_window_pattern": 0, "layer_types":
               ["full_attention", "full_attention", "full_attention", "full_attention"]})"
        << "0/0 0/0 0/0 0/0";
    QTest::newRow("0 alone") << R"({"sliding_window_pattern": 0})"
                             << "0/-1 0/-1 0/-1 0/-1";
  }
  void exaone4Pattern_isForFilesWithoutAList() {
    QFETCH(QString, change);
    QFETCH(QString, layers);
    QCOMPARE(layers_of(must(parse_with(exaone4(), qPrintable(change)))), layers);
  }

  void timeSteps_areLimited() {
    const json granite = json::parse(R"({"architectures": ["GraniteMoeHybridForCausalLM"],
      "hidden_size": 48, "intermediate_size": 72, "num_attention_heads": 4, "vocab_size": 160,
      "num_hidden_layers": 2, "num_local_experts": 0, "mamba_n_heads": 6,
      "layer_types": ["mamba", "attention"]})");
    const RecurrentConfig none = must(parse_with(granite, "{}")).recurrent;
    QVERIFY(none.dt_min == 0.0f && std::isinf(none.dt_max));
    const RecurrentConfig both =
        must(parse_with(granite, R"({"time_step_limit": [0.25, 0.5]})")).recurrent;
    QVERIFY(both.dt_min == 0.25f && both.dt_max == 0.5f);
    for (const char* infinity : {"null", R"({"__float__": "Infinity"})"}) {
      const std::string change = std::string(R"({"time_step_limit": [0.25, )") + infinity + "]}";
      const RecurrentConfig one = must(parse_with(granite, change.c_str())).recurrent;
      QVERIFY(one.dt_min == 0.25f && std::isinf(one.dt_max));
    }
    for (const char* limit : {"[0.5, 0.25]", "[0.1]", "[-1, 2]", "[\"a\", 1]", "[0, 1e300]", "3"}) {
      const std::string change = std::string(R"({"time_step_limit": )") + limit + "}";
      const auto config = parse_with(granite, change.c_str());
      QVERIFY(!config && config.error().message.starts_with("config.json: time_step_limit"));
    }
  }

  void nonsense_isNamed_data() {
    QTest::addColumn<QString>("change");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* change, const char* message) {
      QTest::newRow(change) << QString(change) << QString("config.json: ") + message;
    };
    row(R"({"layer_types": ["conv", "conv"]})", "layer_types is not a list of 3 names");
    row(R"({"layer_types": ["conv", "mamba", "full_attention"]})",
        "layer_types holds \"mamba\"; Quire supports conv, sliding_attention and full_attention");
    row(R"({"layer_types": ["conv", 5, "full_attention"]})",
        "layer_types holds \"5\"; Quire supports conv, sliding_attention and full_attention");
    row(R"({"rope_parameters": {"rope_theta": 1e6}})",
        "rope_parameters says nothing about full_attention");
    row(R"({"rope_parameters": null})", "rope_parameters says nothing about full_attention");
    row(R"({"conv_L_cache": 17})", "conv_L_cache is 17, outside 2 to 16");
    row(R"({"sliding_window": -1})", "sliding_window is -1, outside 0 to 268435456");
    row(R"({"architectures": ["OPTForCausalLM"], "num_key_value_heads": 3,
            "layer_norm_elementwise_affine": false})",
        "layer_norm_elementwise_affine is false; Quire runs OPT with weights of its norms");
    row(R"({"architectures": ["Ernie4_5_MoeForCausalLM"], "use_bias": true})",
        "use_bias is true; Quire runs mixtures of experts of this kind without it");
    row(R"({"architectures": ["Gemma3ForCausalLM"], "attn_logit_softcapping": 50.0})",
        "attn_logit_softcapping is set; Quire runs models of this kind without it");
  }
  void nonsense_isNamed() {
    QFETCH(QString, change);
    QFETCH(QString, message);
    const auto config = parse_with(lfm3(3), qPrintable(change));
    QVERIFY(!config);
    QCOMPARE(QString::fromStdString(config.error().message), message);
  }

  /// The lists are read before it is known how many dimensions latent attention rotates.
  void longRopeOfLatentAttention_isChecked() {
    std::ifstream file(fs::path(QUIRE_SOURCE_DIR) / "tests/data/models/deepseek_v3/config.json");
    json config = json::parse(file);
    const auto with_factors = [&](size_t count) {
      const std::vector<double> factors(count, 1.0);
      config["rope_parameters"] = {{"rope_type", "longrope"},
                                   {"rope_theta", 1e4},
                                   {"original_max_position_embeddings", 32},
                                   {"short_factor", factors},
                                   {"long_factor", factors}};
      return parse_model_config(config.dump());
    };
    must(with_factors(4));
    config["partial_rotary_factor"] = 0.5;
    const auto refused = with_factors(2);
    QVERIFY(!refused);
    QCOMPARE(QString::fromStdString(refused.error().message),
             QString("config.json: the position scaling has 2 factors for the 4 pairs of "
                     "dimensions that rotate; choose another conversion of the model"));
  }

  /// Transformers never ties it, whatever config.json says, and files have it.
  void nemotronsHead_isATensorOfItsOwn() {
    const fs::path source = QUIRE_SOURCE_DIR "/tests/data/models/nemotron_h";
    const QTemporaryDir folder;
    const fs::path copy = folder.filePath("model").toStdString();
    fs::copy(source, copy);
    json config = json::parse(std::ifstream(source / "config.json"));
    config["tie_word_embeddings"] = true;
    std::ofstream(copy / "config.json") << config.dump();
    const auto files = open_model_files(copy);
    QVERIFY2(files, files ? "" : files.error().message.c_str());
    QVERIFY(!files->config.tie_word_embeddings);
  }
};

QTEST_APPLESS_MAIN(TestVariantConfig)
#include "tst_variant_config.moc"
