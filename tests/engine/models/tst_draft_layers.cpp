#include <QTemporaryDir>
#include <QtTest>

#include <fstream>

#include "engine/models/medusa_heads.h"
#include "engine/models/model_files.h"
#include "tests/engine/models/draft_harness.h"

using namespace quire;
using namespace quire::test;

namespace fs = std::filesystem;

namespace {

/// Rounding of f32 sums in another order than torch's.
constexpr double kTolerance = 1e-5;
constexpr int kVocabulary = 160;

std::unique_ptr<Backend> make_backend(const QString& isa) {
  if (!isa.isEmpty()) qputenv("QUIRE_CPU_ISA", isa.toUtf8());
  auto backend = create_backend({.device = "cpu", .num_threads = 2, .quantize_activations = false});
  qunsetenv("QUIRE_CPU_ISA");
  return must(std::move(backend));
}

std::span<const float> row_of(const std::vector<float>& logits, int row) {
  return std::span(logits).subspan(size_t(row) * kVocabulary, kVocabulary);
}

}  // namespace

/// Layers for multi-token prediction and Medusa heads against the reference of make_tiny_drafts.py,
/// for every way in which steps may be cut.
class TestDraftLayers : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<DraftHarness> open(const QString& name, std::unique_ptr<Backend> backend) {
    const fs::path folder = fs::path(m_folder.path().toStdString()) / name.toStdString();
    if (name == "medusa") {
      write_medusa(folder);
      return std::make_unique<DraftHarness>(tiny_model_folder("gqa_f32"), std::move(backend),
                                            folder);
    }
    if (name.endsWith(".gguf")) {
      const fs::path file = fs::path(QUIRE_SOURCE_DIR "/tests/data/drafts") / name.toStdString();
      return std::make_unique<DraftHarness>(file, std::move(backend));
    }
    write_with_mtp(name.toStdString(), folder);
    return std::make_unique<DraftHarness>(folder, std::move(backend));
  }
  static void add_cases() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("isa");
    for (const char* name :
         {"gqa_f32", "glm4_moe", "deepseek_v3", "qwen3_5", "qwen3_5_moe", "medusa"}) {
      for (const std::string& isa : ModelHarness::available_isas()) {
        QTest::addRow("%s on %s", name, isa.c_str()) << name << QString::fromStdString(isa);
      }
    }
  }

  QTemporaryDir m_folder;

 private slots:
  /// Row by row: what each guess wrote is overwritten by the step after it.
  void guesses_matchTheReference_data() {
    add_cases();
    QTest::newRow("glm4_moe in GGUF") << "glm4_moe.gguf"
                                      << "";
    QTest::newRow("qwen3_5 in GGUF") << "qwen3_5.gguf"
                                     << "";
  }
  void guesses_matchTheReference() {
    QFETCH(const QString, name);
    QFETCH(const QString, isa);
    const auto harness = open(name, make_backend(isa));
    const Reference expected = draft_reference(name.section('.', 0, 0).toStdString());
    const std::vector<int32_t> tokens = expected.ints("tokens");
    const bool is_medusa = name == "medusa";
    const std::vector<int32_t> guesses = is_medusa ? tokens : expected.ints("guesses");
    std::vector<std::vector<float>> logits;
    for (int number = 0; number < (is_medusa ? 3 : 2); ++number) {
      logits.push_back(expected.floats("logits_" + std::to_string(number)));
    }
    TestSequence sequence = harness->sequence(tokens);
    double worst = 0.0;
    for (int p = 0; p < int(tokens.size()); ++p) {
      for (size_t number = 0; number < logits.size(); ++number) {
        const int32_t token = number == 0 ? tokens[size_t(p)] : guesses[size_t(p)];
        const auto found = harness->guess(int(number), sequence, token);
        const double error = worst_error(found, row_of(logits[number], p), kVocabulary);
        QVERIFY2(error < kTolerance,
                 qPrintable(QString("row %1, guess %2: %3").arg(p).arg(number).arg(error)));
        worst = std::max(worst, error);
      }
      harness->step({{&sequence, 1}});
    }
    qInfo("error %.2g", worst);
  }

  /// In one step, in chunks, without wanted logits, and beside another sequence in other steps.
  void guesses_haveTheSameBits_forAnyChunks_data() { add_cases(); }
  void guesses_haveTheSameBits_forAnyChunks() {
    QFETCH(const QString, name);
    QFETCH(const QString, isa);
    const auto harness = open(name, make_backend(isa));
    const std::vector<int32_t> tokens = draft_reference(name.toStdString()).ints("tokens");
    constexpr int kComputed = 33;
    const auto guess_all = [&](const TestSequence& sequence) {
      std::vector<float> all;
      for (int number = 0; number < 3; ++number) {
        const auto logits = harness->guess(number, sequence, tokens[size_t(kComputed + number)]);
        all.insert(all.end(), logits.begin(), logits.end());
      }
      return all;
    };
    TestSequence whole = harness->sequence(tokens);
    harness->step({{&whole, kComputed}});
    const std::vector<float> expected = guess_all(whole);

    TestSequence chunked = harness->sequence(tokens), other = harness->sequence(tokens);
    harness->step({{&chunked, 5}}, false);
    harness->step({{&other, 3}, {&chunked, 1}});
    harness->step({{&other, 16}}, false);
    harness->step({{&other, 1}});
    harness->step({{&chunked, 19}, {&other, 2}}, false);
    harness->step({{&chunked, 8}});
    QVERIFY(guess_all(chunked) == expected);
  }

  /// What the decoder itself computes does not depend on its draft layers.
  void logits_haveTheBitsOfTheModelAlone_data() { add_cases(); }
  void logits_haveTheBitsOfTheModelAlone() {
    QFETCH(const QString, name);
    QFETCH(const QString, isa);
    const auto harness = open(name, make_backend(isa));
    const std::string model = name == "medusa" ? "gqa_f32" : name.toStdString();
    const std::vector<int32_t> tokens = draft_reference(name.toStdString()).ints("tokens");
    ModelHarness alone(tiny_model_folder(model), isa.toStdString());
    TestSequence expected = alone.sequence(tokens), found = harness->sequence(tokens);
    for (const int count : {7, 1, 20}) {
      const std::vector<float> rows = alone.step(expected, count);
      const std::vector<float> last(rows.end() - kVocabulary, rows.end());
      QVERIFY(harness->step({{&found, count}}) == last);
    }
  }

  void medusaHeads_thatDoNotFit_areRefused_data() {
    QTest::addColumn<QByteArray>("config");
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("message");
    QTest::newRow("none") << QByteArray(R"({"medusa_num_heads": 0})") << "gqa_f32"
                          << "medusa_num_heads";
    QTest::newRow("too many") << QByteArray(R"({"medusa_num_heads": 1000000000})") << "gqa_f32"
                              << "medusa_num_heads";
    QTest::newRow("more than there are")
        << QByteArray(R"({"medusa_num_heads": 4, "medusa_num_layers": 2})") << "gqa_f32"
        << "3.0.linear.weight";
    QTest::newRow("too many blocks")
        << QByteArray(R"({"medusa_num_heads": 3, "medusa_num_layers": 99})") << "gqa_f32"
        << "medusa_num_layers";
    QTest::newRow("of another model")
        << QByteArray(R"({"medusa_num_heads": 3, "medusa_num_layers": 2})") << "lfm3"
        << "are for a model with 160 tokens and a hidden size of 48";
  }
  void medusaHeads_thatDoNotFit_areRefused() {
    QFETCH(const QByteArray, config);
    QFETCH(const QString, model);
    QFETCH(const QString, message);
    const fs::path folder = fs::path(m_folder.path().toStdString()) / "refused";
    write_medusa(folder);
    std::ofstream(folder / "config.json") << config.constData();
    QVERIFY(MedusaHeads::is_folder_of_heads(folder));
    const auto backend = must(create_backend({.device = "cpu", .num_threads = 1}));
    const auto decoder = must(load_decoder(tiny_model_folder(model.toStdString()), *backend, {}));
    const auto heads = MedusaHeads::load(folder, decoder->config(), *backend, {});
    QVERIFY(!heads);
    QVERIFY2(heads.error().message.find(message.toStdString()) != std::string::npos,
             heads.error().message.c_str());
  }

  /// They may run any program when they are read.
  void pickledHeads_areRefused() {
    const fs::path folder = fs::path(m_folder.path().toStdString()) / "pickled";
    fs::create_directories(folder);
    std::ofstream(folder / "config.json") << R"({"medusa_num_heads": 3})";
    std::ofstream(folder / "medusa_lm_head.pt") << "PK";
    const auto backend = must(create_backend({.device = "cpu", .num_threads = 1}));
    const auto decoder = must(load_decoder(tiny_model_folder("gqa_f32"), *backend, {}));
    const auto heads = MedusaHeads::load(folder, decoder->config(), *backend, {});
    QVERIFY(!heads);
    QCOMPARE(heads.error().code, ErrorCode::kUnsupported);
    QVERIFY(heads.error().message.find("safetensors.torch.save_file") != std::string::npos);
  }
};

QTEST_APPLESS_MAIN(TestDraftLayers)
#include "tst_draft_layers.moc"
