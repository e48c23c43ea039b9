#include <QtTest>
#include <cmath>
#include <random>

#include "engine/io/safetensors.h"
#include "engine/models/json_config.h"
#include "engine/models/rope.h"
#include "tests/engine/io/safetensors_builder.h"
#include "tests/engine/models/model_test_support.h"

using namespace quire;
using namespace quire::test;

namespace {

/// Few in CI; QUIRE_LONG_TESTS=1 runs many.
int num_rounds() {
  return qEnvironmentVariableIntValue("QUIRE_LONG_TESTS") > 0 ? 100'000 : 400;
}

/// Changes, inserts, removes or repeats bytes, with a liking for what JSON is made of.
void mutate(std::string& text, std::mt19937& random) {
  static constexpr std::string_view kLiked = "{}[]\",:-0123456789eE.tnf\\ \xff";
  const int num_changes = 1 + static_cast<int>(random() % 4);
  for (int i = 0; i < num_changes && !text.empty(); ++i) {
    const size_t at = random() % text.size();
    const size_t length = std::min<size_t>(random() % 12, text.size() - at);
    switch (random() % 5) {
      case 0:
        text[at] = static_cast<char>(random());
        break;
      case 1:
        text[at] = kLiked[random() % kLiked.size()];
        break;
      case 2:
        text.insert(at, 1, kLiked[random() % kLiked.size()]);
        break;
      case 3:
        text.erase(at, length);
        break;
      default:
        text.insert(random() % text.size(), text.substr(at, length));
        break;
    }
  }
}

}  // namespace

/// Damaged files end in an Error or in something consistent, never in a crash or a wild read. The
/// seed is fixed; the sanitizers of CI watch.
class TestMutatedFiles : public QObject {
  Q_OBJECT

 private slots:
  void safetensors_staysWithinTheFile() {
    const auto folder = tiny_model_folder("gqa_bf16_tied");
    const std::string good = read_file(folder / "model.safetensors");
    const size_t header_end = good.find("}}") + 2 + 8;
    std::mt19937 random(1);
    int refused = 0;
    for (int round = 0; round < num_rounds(); ++round) {
      std::string header = good.substr(0, std::min(header_end, good.size()));
      const std::string data = good.substr(header.size());
      mutate(header, random);
      const std::string file = header + data;
      auto tensors = parse_safetensors_header(std::as_bytes(std::span(file)), "mutated");
      if (!tensors) {
        QVERIFY(!tensors.error().message.empty());
        ++refused;
        continue;
      }
      for (const TensorInfo& tensor : *tensors) {
        QVERIFY(tensor.offset <= file.size() && tensor.bytes <= file.size() - tensor.offset);
      }
    }
    QVERIFY(refused > num_rounds() / 2);
  }

  void config_isRefusedOrConsistent_data() {
    QTest::addColumn<QString>("model");
    for (const std::string& name : tiny_models()) {
      QTest::addRow("%s", name.c_str()) << QString::fromStdString(name);
    }
  }
  void config_isRefusedOrConsistent() {
    QFETCH(QString, model);
    const std::string good = read_file(tiny_model_folder(model.toStdString()) / "config.json");
    std::mt19937 random(2);
    int refused = 0;
    for (int round = 0; round < num_rounds(); ++round) {
      std::string text = good;
      mutate(text, random);
      const auto config = parse_model_config(text, text);
      if (!config) {
        QVERIFY(!config.error().message.empty());
        ++refused;
        continue;
      }
      QVERIFY(config->head_dim > 0 && config->num_heads % config->num_kv_heads == 0);
      QVERIFY(std::isfinite(config->norm_eps));
      for (const RopeConfig& rope : config->ropes) {
        for (float value : rope_inv_freq(rope, config->head_dim)) QVERIFY(std::isfinite(value));
        QVERIFY(std::isfinite(rope_attention_factor(rope)));
      }
      for (const LayerConfig& layer : config->layers) {
        QVERIFY(layer.rope < static_cast<int>(config->ropes.size()));
      }
      for (int32_t token : config->end_tokens) QVERIFY(token >= 0 && token < config->vocab_size);
    }
    QVERIFY(refused > 0);
  }
};

QTEST_APPLESS_MAIN(TestMutatedFiles)
#include "tst_mutated_files.moc"
