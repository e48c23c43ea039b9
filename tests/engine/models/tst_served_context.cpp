#include <QtTest>

#include "engine/io/hash.h"
#include "engine/models/json_config.h"
#include "engine/models/model_config.h"
#include "engine/models/rope.h"
#include "tests/engine/models/model_test_support.h"

using namespace quire;
using namespace quire::test;

namespace {

ModelConfig config_of(const char* model) {
  return must(read_model_config(tiny_model_folder(model)));
}

ModelConfig served(ModelConfig config, int max_context) {
  serve_context(config, max_context);
  return config;
}

std::vector<float> frequencies(const ModelConfig& config) {
  return rope_inv_freq(config.ropes[0], config.head_dim);
}

std::string hash_of(const ModelConfig& config) {
  Sha256 hash;
  hash_config(config, hash);
  return to_hex(hash.finish());
}

}  // namespace

/// Rotations that depend on the context which is served. That the numbers are transformers' is
/// tst_decoder's to show.
class TestServedContext : public QObject {
  Q_OBJECT

 private slots:
  void dynamicScaling_isOffUpToTheOriginalContext() {
    const ModelConfig config = config_of("rope_dynamic");
    RopeConfig plain = config.ropes[0];
    plain.scaling = RopeConfig::Scaling::kNone;
    const std::vector<float> unscaled = rope_inv_freq(plain, config.head_dim);
    const int original = config.max_positions;
    QCOMPARE(frequencies(served(config, 0)), unscaled);
    QCOMPARE(frequencies(served(config, original)), unscaled);
    QCOMPARE(frequencies(served(config, original / 2)), unscaled);
    QVERIFY(frequencies(served(config, original + 1)) != unscaled);
  }

  void dynamicScaling_extendsTheContextByItsFactor() {
    const ModelConfig config = config_of("rope_dynamic");
    const int longest = static_cast<int>(config.ropes[0].factor) * config.max_positions;
    QCOMPARE(served(config, 0).max_positions, config.max_positions);
    QCOMPARE(served(config, config.max_positions + 5).max_positions, config.max_positions + 5);
    QCOMPARE(served(config, 1 << 30).max_positions, longest);
    QCOMPARE(frequencies(served(config, 1 << 30)), frequencies(served(config, longest)));
  }

  void longRope_takesTheFactorsThatTheContextNeeds() {
    const ModelConfig config = config_of("phi3_longrope");
    const int original = config.ropes[0].original_max_positions;
    QVERIFY(original < config.max_positions);
    const auto with = [&](const std::vector<float>& divisors) {
      RopeConfig rope = config.ropes[0];
      rope.scaling = RopeConfig::Scaling::kNone;
      rope.divisors = divisors;
      return rope_inv_freq(rope, config.head_dim);
    };
    QCOMPARE(frequencies(served(config, original)), with(config.ropes[0].short_factors));
    QCOMPARE(frequencies(served(config, original + 1)), with(config.ropes[0].long_factors));
    QCOMPARE(frequencies(served(config, config.max_positions)), with(config.ropes[0].long_factors));
    // Beyond its own context a model is not served.
    QCOMPARE(served(config, 1 << 30).max_positions, config.max_positions);
  }

  void longRope_isServedWithItsOriginalContextUnlessMoreIsAskedFor() {
    const ModelConfig config = config_of("phi3_longrope");
    const int original = config.ropes[0].original_max_positions;
    QCOMPARE(frequencies(served(config, 0)), frequencies(served(config, original)));
    for (int context : {0, original / 2, original}) {
      QCOMPARE(served(config, context).max_positions, original);
    }
    QCOMPARE(served(config, original + 1).max_positions, config.max_positions);
  }

  void otherKinds_doNotDependOnTheContext() {
    for (const char* model : {"rope_linear", "rope_llama3", "rope_yarn", "gemma3"}) {
      const ModelConfig config = config_of(model);
      QCOMPARE(frequencies(served(config, 1 << 30)), frequencies(config));
      QCOMPARE(served(config, 1 << 30).max_positions, config.max_positions);
    }
  }

  void divisors_divideTheFrequencies() {
    const RopeConfig plain;
    RopeConfig divided;
    divided.divisors = {1.0f, 2.0f, 8.0f, 16.0f};
    const std::vector<float> base = rope_inv_freq(plain, 8), found = rope_inv_freq(divided, 8);
    for (size_t i = 0; i < base.size(); ++i) QCOMPARE(found[i], base[i] / divided.divisors[i]);
  }

  void hash_tellsContextsApartOnlyWhereTheyRotateDifferently() {
    const ModelConfig longrope = config_of("phi3_longrope");
    const int original = longrope.ropes[0].original_max_positions;
    QVERIFY(hash_of(served(longrope, original)) != hash_of(served(longrope, original + 1)));
    QCOMPARE(hash_of(served(longrope, original / 2)), hash_of(served(longrope, original)));
    QCOMPARE(hash_of(served(longrope, original + 1)), hash_of(served(longrope, 1 << 30)));
    const ModelConfig dynamic = config_of("rope_dynamic");
    const int beyond = dynamic.max_positions + 1;
    QVERIFY(hash_of(served(dynamic, beyond)) != hash_of(served(dynamic, beyond + 1)));
  }

  void hash_changesWithEveryFieldThatChangesValues() {
    const ModelConfig base = config_of("gemma2");
    const std::pair<const char*, void (*)(ModelConfig&)> kChanges[] = {
        {"norm placement", [](ModelConfig& c) { c.norm_placement = NormPlacement::kPre; }},
        {"query and key norms", [](ModelConfig& c) { c.qk_norm = QkNorm::kWhole; }},
        {"attention scale", [](ModelConfig& c) { c.attention_scale *= 2; }},
        {"attention cap", [](ModelConfig& c) { c.attention_soft_cap = 0; }},
        {"logits cap", [](ModelConfig& c) { c.logits_soft_cap = 0; }},
        {"embedding scale", [](ModelConfig& c) { c.embedding_scale = 1; }},
        {"residual scale", [](ModelConfig& c) { c.residual_scale = 2; }},
        {"logits scale", [](ModelConfig& c) { c.logits_scale = 2; }},
        {"activation", [](ModelConfig& c) { c.glu.kind = GluParams::Kind::kSilu; }},
        {"activation's limit", [](ModelConfig& c) { c.glu.limit = 1; }},
        {"sinks", [](ModelConfig& c) { c.has_sinks = true; }},
        {"a window", [](ModelConfig& c) { c.layers[1].sliding_window = 5; }},
        {"a layer's rotation", [](ModelConfig& c) { c.layers[1].rope = -1; }},
        {"theta", [](ModelConfig& c) { c.ropes[0].theta = 5e5f; }},
        {"renormalising", [](ModelConfig& c) { c.experts.route.renormalize = false; }},
        {"experts a token", [](ModelConfig& c) { c.experts.experts_per_token = 3; }},
        {"epsilon", [](ModelConfig& c) { c.norm_eps *= 2; }},
        {"a layer without an MLP", [](ModelConfig& c) { c.layers[1].has_feed_forward = false; }},
        {"latent experts", [](ModelConfig& c) { c.experts.latent_size = 32; }},
        {"factors of blocks", [](ModelConfig& c) { c.block_scales.mlp_gate = 2; }},
        {"factors of a scan", [](ModelConfig& c) { c.recurrent.scales.time_steps = 2; }},
        {"the order of gate and norm",
         [](ModelConfig& c) { c.recurrent.gating = ScanGating::kNormThenGate; }},
        {"chunks", [](ModelConfig& c) { c.layers[1].chunk_size = 5; }},
        {"scaled queries", [](ModelConfig& c) { c.layers[1].scales_queries = true; }},
        {"norms after the rotation", [](ModelConfig& c) { c.norms_after_rotation = true; }},
        {"experts' inputs", [](ModelConfig& c) { c.experts.scales_inputs = true; }},
        {"gates of heads", [](ModelConfig& c) { c.gates_whole_heads = true; }},
        {"xIELU", [](ModelConfig& c) { c.stored_activations.resize(1); }},
    };
    for (const auto& [name, change] : kChanges) {
      ModelConfig changed = base;
      change(changed);
      QVERIFY2(hash_of(changed) != hash_of(base), name);
    }
    ModelConfig scaled = config_of("mistral3_ministral3");
    const std::string before = hash_of(scaled);
    scaled.query_scale.beta *= 2;
    QVERIFY(hash_of(scaled) != before);
    ModelConfig renamed = base;
    renamed.name = "other";
    renamed.end_tokens = {7};
    QCOMPARE(hash_of(renamed), hash_of(base));
  }
};

QTEST_APPLESS_MAIN(TestServedContext)
#include "tst_served_context.moc"
