// What config.json says of recurrent layers and the MLPs beside them.

#include <QtTest>

#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/models/json_config.h"

using namespace quire;
using nlohmann::json;

namespace {

/// A config.json of that class with these members, which JSON need not be.
Result<ModelConfig> parse(const std::string& name, const std::string& members) {
  const json common = {{"hidden_size", 48},        {"num_hidden_layers", 2},
                       {"num_attention_heads", 6}, {"num_key_value_heads", 2},
                       {"vocab_size", 32},         {"intermediate_size", 96},
                       {"mamba_n_heads", 6},       {"mamba_d_ssm", 72},
                       {"num_local_experts", 0},   {"architectures", {name}}};
  std::string text = common.dump();
  text.back() = ',';
  return parse_model_config(text + members + "}");
}

std::string fault(const std::string& name, const std::string& members) {
  const auto config = parse(name, members);
  return config ? std::string() : config.error().message;
}

}  // namespace

class TestHybridConfig : public QObject {
  Q_OBJECT

 private slots:
  /// As transformers 4 and 5 write them, and none.
  void timeStepLimits_areRead_data() {
    QTest::addColumn<QString>("members");
    QTest::addColumn<double>("least");
    QTest::addColumn<double>("most");
    QTest::newRow("none") << "\"note\": 1" << 0.0 << HUGE_VAL;
    QTest::newRow("null") << "\"time_step_limit\": null" << 0.0 << HUGE_VAL;
    QTest::newRow("infinite") << "\"time_step_limit\": [0.0, Infinity]" << 0.0 << HUGE_VAL;
    QTest::newRow("an object") << "\"time_step_limit\": [0.125, {\"__float__\": \"Infinity\"}]"
                               << 0.125 << HUGE_VAL;
    QTest::newRow("numbers") << "\"time_step_limit\": [0.125, 0.5]" << 0.125 << 0.5;
  }
  void timeStepLimits_areRead() {
    QFETCH(QString, members);
    QFETCH(double, least);
    QFETCH(double, most);
    for (const char* name : {"GraniteMoeHybridForCausalLM", "FalconH1ForCausalLM"}) {
      const auto config = parse(name, members.toStdString());
      QVERIFY2(config.has_value(), config ? "" : config.error().message.c_str());
      QCOMPARE(double{config->recurrent.dt_min}, least);
      QCOMPARE(double{config->recurrent.dt_max}, most);
    }
  }

  void timeStepLimits_thatAreNone_areRefused() {
    for (const char* limit :
         {"7", "[]", "[0.1]", "[0.1, 0.2, 0.3]", "[\"a\", 1]", "[-1, 1]", "[0.5, 0.1]",
          "[1e300, 2]", "[1e300, 1e301]", "[0, 1e300]", "[0, {\"__float__\": 7}]", "[0, {}]",
          "[0, \"Infinity\"]", "[null, 1]"}) {
      const std::string members = std::string("\"time_step_limit\": ") + limit;
      QVERIFY2(
          fault("FalconH1ForCausalLM", members).find("time_step_limit is not") != std::string::npos,
          limit);
    }
  }

  /// Of one input, of which nothing is kept from token to token.
  void convolutionsOfOneInput_areRefused_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("field");
    QTest::newRow("Granite") << "GraniteMoeHybridForCausalLM"
                             << "mamba_d_conv";
    QTest::newRow("Falcon-H1") << "FalconH1ForCausalLM"
                               << "mamba_d_conv";
    QTest::newRow("Nemotron-H") << "NemotronHForCausalLM"
                                << "conv_kernel";
    QTest::newRow("Qwen 3 Next") << "Qwen3NextForCausalLM"
                                 << "linear_conv_kernel_dim";
    QTest::newRow("LFM2") << "Lfm2ForCausalLM"
                          << "conv_L_cache";
  }
  void convolutionsOfOneInput_areRefused() {
    QFETCH(QString, name);
    QFETCH(QString, field);
    for (const char* size : {"0", "1", "17"}) {
      const QString members = QString("\"%1\": %2").arg(field, size);
      QCOMPARE(fault(name.toStdString(), members.toStdString()),
               QString("config.json: %1 is %2, outside 2 to 16").arg(field, size).toStdString());
    }
  }

  void lfm2_refusesWidthsThatOverflow() {
    const auto lfm2 = [](const std::string& members) { return fault("Lfm2ForCausalLM", members); };
    QCOMPARE(lfm2("\"block_ffn_dim_multiplier\": 1"), std::string());
    const std::string wide = "\"intermediate_size\": 4194304, ";
    QCOMPARE(lfm2(wide + "\"block_ffn_dim_multiplier\": 1000"),
             std::string("config.json: block_ffn_dim_multiplier makes the MLP 2796202240 wide, "
                         "outside 1 to 4194304"));
    QCOMPARE(lfm2("\"intermediate_size\": 1"),
             std::string("config.json: block_ffn_dim_multiplier makes the MLP 0 wide, outside 1 "
                         "to 4194304"));
  }
};

QTEST_APPLESS_MAIN(TestHybridConfig)
#include "tst_hybrid_config.moc"
