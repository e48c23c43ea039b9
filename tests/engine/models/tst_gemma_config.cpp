#include <QtTest>
#include <nlohmann/json.hpp>

#include "engine/io/hash.h"
#include "engine/models/decoder.h"
#include "engine/models/json_config.h"
#include "engine/models/rope.h"

using namespace quire;
using nlohmann::json;

namespace {

/// Like E2B, with six layers of which the last three read the caches of others.
json gemma4() {
  return json::parse(R"({"architectures": ["Gemma4ForCausalLM"], "hidden_size": 48,
    "intermediate_size": 96, "num_hidden_layers": 6, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 20, "global_head_dim": 36, "vocab_size": 160,
    "num_kv_shared_layers": 3, "sliding_window": 11, "hidden_size_per_layer_input": 12,
    "vocab_size_per_layer_input": 150, "use_double_wide_mlp": true,
    "layer_types": ["sliding_attention", "full_attention", "sliding_attention",
                    "full_attention", "sliding_attention", "full_attention"],
    "rope_parameters": {
      "full_attention": {"rope_type": "proportional", "rope_theta": 1e6,
                         "partial_rotary_factor": 0.25},
      "sliding_attention": {"rope_type": "default", "rope_theta": 1e4}}})");
}

/// Gemma 3n of four layers, the last of which reads the cache of the second.
json gemma3n() {
  return json::parse(R"({"architectures": ["Gemma3nForCausalLM"], "hidden_size": 48,
    "intermediate_size": [96, 90, 96, 96], "num_hidden_layers": 4, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 20, "vocab_size": 160, "num_kv_shared_layers": 1,
    "vocab_size_per_layer_input": 150, "activation_sparsity_pattern": [0.95, 0.5, 0.2, 0],
    "layer_types": ["sliding_attention", "full_attention", "sliding_attention",
                    "full_attention"]})");
}

Result<ModelConfig> parse_with(json config, const char* change) {
  config.update(json::parse(change));
  return parse_model_config(config.dump());
}

ModelConfig must(Result<ModelConfig> config) {
  if (!config) qFatal("%s", config.error().message.c_str());
  return std::move(*config);
}

/// Of each layer: "head_dim x KV heads, width of the MLP, the layer whose cache it reads".
QStringList shapes_of(const ModelConfig& config) {
  QStringList list;
  for (int i = 0; i < config.num_layers; ++i) {
    const LayerConfig& layer = config.layers[static_cast<size_t>(i)];
    list << QString("%1x%2 %3 %4%5")
                .arg(head_dim_of(config, i))
                .arg(num_kv_heads_of(config, i))
                .arg(intermediate_size_of(config, i))
                .arg(layer.cache_layer)
                .arg(layer.values_are_keys ? " v=k" : "");
  }
  return list;
}

std::string hash_of(const ModelConfig& config) {
  Sha256 hash;
  hash_config(config, hash);
  return to_hex(hash.finish());
}

}  // namespace

/// What config.json says of Gemma's layers, which differ from each other.
class TestGemmaConfig : public QObject {
  Q_OBJECT

 private slots:
  void gemma4Layers_haveShapesByKind() {
    const ModelConfig config = must(parse_with(gemma4(), "{}"));
    QCOMPARE(shapes_of(config), QStringList({"20x2 96 -1", "36x2 96 -1", "20x2 96 -1", "36x2 192 1",
                                             "20x2 192 2", "36x2 192 1"}));
    QCOMPARE(config.head_dim, 36);
    QCOMPARE(config.ropes.size(), size_t{2});
    QCOMPARE(config.ropes[0].rotary_dim, 36);
    QCOMPARE(config.ropes[1].rotary_dim, 20);
    QCOMPARE(config.per_layer.width, 12);
    QCOMPARE(num_caching_layers(config), 3);
  }

  void gemma4GlobalHeads_mayHaveValuesFromKeys() {
    const ModelConfig config =
        must(parse_with(gemma4(), R"({"attention_k_eq_v": true, "num_global_key_value_heads": 1,
                      "num_kv_shared_layers": 0, "hidden_size_per_layer_input": null})"));
    QCOMPARE(shapes_of(config), QStringList({"20x2 96 -1", "36x1 96 -1 v=k", "20x2 96 -1",
                                             "36x1 96 -1 v=k", "20x2 96 -1", "36x1 96 -1 v=k"}));
    QCOMPARE(config.per_layer.width, 0);
  }

  void gemma4PerLayerConfig_saysTheSame() {
    json config = gemma4();
    config.erase("global_head_dim");
    for (const char* layer : {"1", "3", "5"}) {
      config["per_layer_config"][layer] = {{"head_dim", 36}};
    }
    QCOMPARE(shapes_of(must(parse_with(config, "{}"))),
             shapes_of(must(parse_with(gemma4(), "{}"))));
    QCOMPARE(hash_of(must(parse_with(config, "{}"))), hash_of(must(parse_with(gemma4(), "{}"))));
  }

  void proportionalRotation_mayBeNamedAsOlderFilesDo() {
    json config = gemma4();
    json& full = config["rope_parameters"]["full_attention"];
    full.erase("rope_type");
    full["type"] = "proportional";
    full["factor"] = 2.0;
    const ModelConfig older = must(parse_with(config, "{}"));
    QCOMPARE(older.ropes[0].rotary_dim, 36);
    const std::vector<float> frequencies = rope_inv_freq(older.ropes[0], 36);
    QCOMPARE(frequencies.size(), size_t{18});
    QCOMPARE(frequencies[0], 0.5f);
    QVERIFY(frequencies[3] > 0.0f);
    QCOMPARE(frequencies[4], 0.0f);  // int(0.25 * 36 / 2) angles.
  }

  void gemma4LastLayer_isGlobalWhateverTheListSays() {
    const ModelConfig config = must(parse_with(
        gemma4(), R"({"layer_types": ["sliding_attention", "full_attention", "sliding_attention",
                      "full_attention", "sliding_attention", "sliding_attention"]})"));
    QCOMPARE(config.layers.back().sliding_window, 0);
    QCOMPARE(head_dim_of(config, 5), 36);
  }

  void sharedCaches_takeNoMemory() {
    const ModelConfig config = must(parse_with(gemma4(), "{}"));
    const CacheLayout layout = cache_layout(config, DType::kF32);
    QCOMPARE(layout.layers[3].reads, std::optional(1));
    QVERIFY(!layout.layers[3].pages);
    QCOMPARE(layout.bytes_per_block(3, 3) + layout.bytes_per_window(3, 3), size_t{0});
    // Of one block, of keys and values in two heads.
    const auto bytes = [](size_t dim) { return kBlockSize * 2 * 2 * dim * sizeof(float); };
    QCOMPARE(layout.bytes_per_block(), bytes(36));
    QCOMPARE(layout.bytes_per_window(), bytes(20 + 20));
  }

  void gemma3nLayers_haveThresholdsOfTheirOwn() {
    const ModelConfig config = must(parse_with(gemma3n(), "{}"));
    QCOMPARE(shapes_of(config),
             QStringList({"20x2 96 -1", "20x2 90 -1", "20x2 96 -1", "20x2 96 1"}));
    const auto threshold = [&](size_t layer) { return *config.layers[layer].gate_threshold; };
    QVERIFY(std::abs(threshold(0) - 1.6448536f) < 1e-6f);
    QVERIFY(std::abs(threshold(1)) < 1e-6f);
    QVERIFY(std::abs(threshold(2) + 0.8416212f) < 1e-6f);
    QVERIFY(!config.layers[3].gate_threshold);
    QCOMPARE(config.alt_up.num_streams, 4);
    QCOMPARE(config.logits_soft_cap, 30.0f);
    QVERIFY(hash_of(config) !=
            hash_of(must(
                parse_with(gemma3n(), R"({"activation_sparsity_pattern": [0.9, 0.5, 0.2, 0]})"))));
  }

  void thresholdsThatAreNoList_areNotRead() {
    const ModelConfig config = must(parse_with(gemma3n(), R"({"gate_thresholds": 5})"));
    QVERIFY(config.layers[0].gate_threshold && !config.layers[3].gate_threshold);
  }

  void gemma3nNonsense_isNamed_data() {
    QTest::addColumn<QString>("change");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* change, const char* message) {
      QTest::newRow(change) << QString(change) << QString("config.json: ") + message;
    };
    const char* pattern =
        "activation_sparsity_pattern is not a list of 4 numbers of at least 0 and below 1";
    row(R"({"activation_sparsity_pattern": [0.5]})", pattern);
    row(R"({"activation_sparsity_pattern": [0.5, 0.5, 0.5, 1.0]})", pattern);
    row(R"({"activation_sparsity_pattern": [0.5, 0.5, 0.5, "x"]})", pattern);
    row(R"({"gate_thresholds": [0.5, -1e300]})",
        "gate_thresholds holds a number that is too large; download the model again");
    row(R"({"altup_num_inputs": 1})", "altup_num_inputs is 1, outside 2 to 16");
    row(R"({"altup_active_idx": 4})", "altup_active_idx is 4, but there are only 4 streams");
    row(R"({"laurel_rank": 0})", "laurel_rank is 0, outside 1 to 65536");
    row(R"({"hidden_size_per_layer_input": 0})",
        "hidden_size_per_layer_input is 0; Quire runs Gemma 3n with per-layer embeddings");
  }
  void gemma3nNonsense_isNamed() {
    QFETCH(QString, change);
    QFETCH(QString, message);
    const auto config = parse_with(gemma3n(), qPrintable(change));
    QVERIFY(!config);
    QCOMPARE(QString::fromStdString(config.error().message), message);
  }

  void everyShape_changesTheFingerprint_data() {
    QTest::addColumn<QString>("change");
    for (const char* change :
         {R"({"global_head_dim": 40})", R"({"num_kv_shared_layers": 2})",
          R"({"use_double_wide_mlp": false})", R"({"attention_k_eq_v": true})",
          R"({"hidden_size_per_layer_input": 14})", R"({"vocab_size_per_layer_input": 151})",
          R"({"intermediate_size": [96, 96, 96, 192, 192, 190]})"}) {
      QTest::newRow(change) << change;
    }
  }
  void everyShape_changesTheFingerprint() {
    QFETCH(QString, change);
    json plain = gemma4();
    if (change.contains("intermediate_size")) plain["use_double_wide_mlp"] = false;
    const ModelConfig config = must(parse_with(plain, qPrintable(change)));
    QVERIFY(hash_of(config) != hash_of(must(parse_with(gemma4(), "{}"))));
  }

  void nonsense_isNamed_data() {
    QTest::addColumn<QString>("change");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* change, const char* message) {
      QTest::newRow(change) << QString(change) << QString("config.json: ") + message;
    };
    row(R"({"global_head_dim": 37})", "layer 1 has heads of dimension 37, which is not even");
    row(R"({"global_head_dim": 8192})", "global_head_dim is 8192, outside 2 to 4096");
    row(R"({"attention_k_eq_v": true, "num_global_key_value_heads": 3})",
        "layer 1 has 3 KV heads, which do not divide its 4 heads");
    row(R"({"num_kv_shared_layers": 6})", "num_kv_shared_layers is 6, outside 0 to 5");
    row(R"({"num_kv_shared_layers": 5})",
        "num_kv_shared_layers is 5, which leaves no layer before them whose keys layer 1 could "
        "read");
    row(R"({"hidden_size_per_layer_input": 5000})",
        "hidden_size_per_layer_input is 5000, outside 0 to 4096");
    row(R"({"vocab_size": 200000})",
        "vocab_size_per_layer_input is 150, far fewer than vocab_size, 200000");
    row(R"({"per_layer_config": []})", "per_layer_config is not an object");
    row(R"({"per_layer_config": {"6": {}}})",
        "per_layer_config holds something else than objects for the 6 layers");
    row(R"({"per_layer_config": {"1": {"head_dim": 36}}})",
        "layer 3 has other heads than layer 1 of its kind");
    row(R"({"per_layer_config": {"1": {"head_dim": -2}}})",
        "per_layer_config: 1: head_dim is -2, outside 2 to 4096");
    row(R"({"intermediate_size": [96, 96]})", "intermediate_size is not a list of 6 numbers");
    row(R"({"intermediate_size": [96, 96, 96, 96, 96, 0]})",
        "intermediate_size is 0, outside 1 to 4194304");
    row(R"({"rope_parameters": null})", "rope_parameters is missing");
    row(R"({"use_bidirectional_attention": "all"})",
        "use_bidirectional_attention is set; Quire runs models that write text");
    row(R"({"enable_moe_block": true})", "num_experts is missing");
    row(R"({"enable_moe_block": true, "num_experts": 2, "top_k_experts": 3,
            "moe_intermediate_size": 20})",
        "top_k_experts is 3, more than there are experts, 2");
  }
  void nonsense_isNamed() {
    QFETCH(QString, change);
    QFETCH(QString, message);
    const auto config = parse_with(gemma4(), qPrintable(change));
    QVERIFY(!config);
    QCOMPARE(QString::fromStdString(config.error().message), message);
  }
};

QTEST_APPLESS_MAIN(TestGemmaConfig)
#include "tst_gemma_config.moc"
