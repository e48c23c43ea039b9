#include <sys/mman.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QtTest>
#include <nlohmann/json.hpp>
#include <random>

#include "engine/io/json_file.h"
#include "engine/models/model_files.h"
#include "tests/engine/io/safetensors_builder.h"
#include "tests/engine/models/model_test_support.h"

using namespace quire;
using namespace quire::test;

namespace fs = std::filesystem;

namespace {

const fs::path kData = fs::path(QUIRE_SOURCE_DIR) / "tests/data";

/// Rounding of f32 sums in another order than torch's; measured errors are below 3e-6, of quantised
/// files as of others.
constexpr double kTolerance = 1e-5;

std::string key(int prompt, const char* what) {
  return "prompt_" + std::to_string(prompt) + "." + what;
}

int num_rounds() {
  return qEnvironmentVariableIntValue("QUIRE_LONG_TESTS") > 0 ? 100'000 : 300;
}

}  // namespace

/// Every file of tests/data/gguf, most of them written by llama.cpp's converter, against
/// transformers' logits of the same model (make_tiny_gguf.py).
class TestGgufModels : public QObject {
  Q_OBJECT

 private:
  static void files() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("reference");
    const auto cases = must(read_json(kData / "gguf/cases.json"));
    for (const auto& entry : cases["cases"]) {
      const std::string file = entry["file"];
      QTest::newRow(file.c_str()) << QString::fromStdString(file)
                                  << QString::fromStdString(entry["reference"]);
    }
  }
  static fs::path path_of(const QString& file) { return kData / "gguf" / file.toStdString(); }
  static Reference reference_of(const QString& reference) {
    return Reference(kData / reference.toStdString());
  }
  static ModelHarness harness(const QString& file, const Reference& expected) {
    const int served = expected.has("served_context") ? expected.ints("served_context").at(0) : 0;
    return ModelHarness(path_of(file), "", 256, served);
  }

 private slots:
  void prefill_matchesTransformersAtEveryPosition_data() { files(); }
  void prefill_matchesTransformersAtEveryPosition() {
    QFETCH(QString, file);
    QFETCH(QString, reference);
    const Reference expected = reference_of(reference);
    ModelHarness model = harness(file, expected);
    int num_prompts = 0;
    for (; expected.has(key(num_prompts, "tokens")); ++num_prompts) {
      model.release_all();
      TestSequence sequence = model.sequence(expected.ints(key(num_prompts, "tokens")));
      const auto logits = model.step(sequence, static_cast<int>(sequence.tokens.size()));
      const double error = worst_error(logits, expected.floats(key(num_prompts, "logits")),
                                       static_cast<size_t>(model.config().vocab_size));
      QVERIFY2(error < kTolerance,
               qPrintable(QString("prompt %1: %2").arg(num_prompts).arg(error)));
    }
    QVERIFY(num_prompts >= 2);
  }

  void greedy_matchesTransformersFor64Tokens_data() { files(); }
  void greedy_matchesTransformersFor64Tokens() {
    QFETCH(QString, file);
    QFETCH(QString, reference);
    const Reference expected = reference_of(reference);
    ModelHarness model = harness(file, expected);
    TestSequence sequence = model.sequence(expected.ints("greedy.prompt"));
    const auto vocab_size = static_cast<size_t>(model.config().vocab_size);
    const std::vector<int32_t> wanted = expected.ints("greedy.tokens");
    std::vector<int32_t> found;
    auto logits = model.step(sequence, static_cast<int>(sequence.tokens.size()));
    while (found.size() < wanted.size()) {
      found.push_back(argmax(std::span(logits).last(vocab_size)));
      sequence.tokens.push_back(found.back());
      if (found.size() < wanted.size()) logits = model.step(sequence, 1);
    }
    QCOMPARE(wanted.size(), size_t{64});
    QVERIFY(found == wanted);
  }

  void folder_withOneModelOpensIt() {
    const QTemporaryDir temporary;
    const fs::path folder = temporary.path().toStdString();
    for (int part = 1; part <= 3; ++part) {
      const std::string name = "llama_split-0000" + std::to_string(part) + "-of-00003.gguf";
      fs::copy_file(kData / "gguf" / name, folder / name);
    }
    write_file(folder / "mmproj-model.gguf", "not looked at");
    write_file(folder / "config.json", "{}");
    QCOMPARE(must(open_model_files(folder)).config.architecture, std::string("llama"));
    fs::copy_file(kData / "gguf/qwen3.gguf", folder / "qwen3.gguf");
    QCOMPARE(open_model_files(folder).error().message,
             folder.string() +
                 " holds 2 models (llama_split-00001-of-00003.gguf, qwen3.gguf); "
                 "choose one of these files");
    for (int i = 0; i < 1000; ++i) write_file(folder / (std::to_string(i) + ".gguf"), "");
    const std::string message = open_model_files(folder).error().message;
    QVERIFY2(message.starts_with(folder.string() + " holds more than 999 models ("),
             message.c_str());
  }

  void file_withoutExtensionIsKnownByItsFirstBytes() {
    const QTemporaryDir temporary;
    const fs::path folder = temporary.path().toStdString();
    fs::copy_file(kData / "gguf/qwen3.gguf", folder / "sha256-1234");
    QCOMPARE(must(open_model_files(folder / "sha256-1234")).config.architecture,
             std::string("qwen3"));
    write_file(folder / "other.bin", "something else");
    QCOMPARE(open_model_files(folder / "other.bin").error().message,
             (folder / "other.bin").string() +
                 " is no model that Quire reads; choose a GGUF file or the folder that holds "
                 "config.json and the safetensors");
  }

  /// Damage in the header ends in an Error or in a model that loads: the loader believes nothing.
  void damagedFiles_areRefusedOrLoad_data() {
    QTest::addColumn<QString>("file");
    for (const char* file : {"rope_llama3.gguf", "qwen3_5.gguf", "qwen3_next.gguf", "lfm2_moe.gguf",
                             "granite_hybrid.gguf", "nemotron_h_moe.gguf", "falcon_h1.gguf",
                             "gemma4.gguf", "gemma4_moe.gguf", "gemma3n.gguf"}) {
      QTest::newRow(file) << file;
    }
  }
  void damagedFiles_areRefusedOrLoad() {
    QFETCH(QString, file);
    const std::string good = read_file(path_of(file));
    const auto header = static_cast<size_t>(good.rfind("_norm.weight")) + 512;
    const int descriptor = ::memfd_create("damaged.gguf", MFD_CLOEXEC);
    QVERIFY(descriptor >= 0);
    const fs::path path = "/proc/self/fd/" + std::to_string(descriptor);
    auto backend =
        must(create_backend({.device = "cpu", .num_threads = 1, .quantize_activations = false}));
    std::mt19937 random(3);
    int refused = 0;
    for (int round = 0; round < num_rounds(); ++round) {
      std::string bytes = good;
      for (unsigned i = 0; i < 1 + random() % 4; ++i) {
        bytes[random() % header] = static_cast<char>(random() % 3 == 0 ? 0xff : random() % 64);
      }
      QCOMPARE(::pwrite(descriptor, bytes.data(), bytes.size(), 0), ssize_t(bytes.size()));
      auto decoder = load_decoder(path, *backend);
      if (decoder) continue;
      ++refused;
      QVERIFY(!decoder.error().message.empty());
    }
    ::close(descriptor);
    QVERIFY(refused > num_rounds() / 10 && refused < num_rounds());
  }
};

QTEST_APPLESS_MAIN(TestGgufModels)
#include "tst_gguf_models.moc"
