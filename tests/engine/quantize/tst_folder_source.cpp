#include <QTemporaryDir>
#include <QtTest>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/io/gguf_weights.h"
#include "engine/io/json_file.h"
#include "engine/quantize/folder_source.h"
#include "engine/quantize/memory_file.h"
#include "engine/quantize/quantize_job.h"
#include "engine/tokenizer/tokenizer_loader.h"
#include "kernels/base/dequantize.h"
#include "tests/engine/models/model_test_support.h"

using namespace quire;
using namespace quire::test;

namespace fs = std::filesystem;

namespace {

const fs::path kData = fs::path(QUIRE_SOURCE_DIR) / "tests/data";
const fs::path kBundled = fs::path(QUIRE_SOURCE_DIR) / "resources/models/quire-mini";

std::vector<float> numbers_of(WeightSource& weights, const std::string& name) {
  const ConstTensorView view = must(weights.tensor(name));
  std::vector<float> numbers(static_cast<size_t>(view.num_elements()));
  dequantize_row(view.dtype(), view.data(), numbers.data(), view.num_elements());
  return numbers;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

}  // namespace

/// Hugging Face folders as GGUF files: against the files of llama.cpp's converter, and against what
/// the folders themselves compute.
class TestFolderSource : public QObject {
  Q_OBJECT

 private:
  fs::path path(const std::string& name) const {
    return fs::path(m_folder->path().toStdString()) / name;
  }

  /// A copy of the tiny model, which has no tokenizer, with the bundled one's.
  fs::path with_tokenizer(const std::string& name) const {
    fs::copy(tiny_model_folder(name), path(name), fs::copy_options::recursive);
    for (const char* file : {"tokenizer.model", "tokenizer_config.json"}) {
      fs::copy_file(kBundled / file, path(name) / file, fs::copy_options::skip_existing);
    }
    return path(name);
  }

  /// Changes what the weights' header says of a tensor, or adds one; the data stay.
  static void describe(const fs::path& folder, const std::string& tensor,
                       const nlohmann::json& change) {
    const fs::path file = folder / "model.safetensors";
    std::ifstream stream(file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    stream.close();
    uint64_t size = 0;
    std::memcpy(&size, bytes.data(), sizeof size);
    nlohmann::json header = nlohmann::json::parse(bytes.substr(sizeof size, size));
    header[tensor].merge_patch(change);
    const std::string data = bytes.substr(sizeof size + size), text = header.dump();
    size = text.size();
    std::ofstream(file, std::ios::binary)
        << std::string_view(reinterpret_cast<const char*>(&size), sizeof size) << text << data;
  }

  Result<QuantizePlan> convert(const fs::path& folder, const fs::path& output, const char* type) {
    auto model = must(open_any_model(folder, kWholeContext));
    auto source = open_tensor_source(model, folder);
    if (!source) return source.error();
    QuantizeOptions options{.output = output, .recipe = must(find_quantize_recipe(type))};
    return quantize_model(**source, options);
  }

  std::unique_ptr<QTemporaryDir> m_folder;

 private slots:
  void init() {
    if (!fs::exists(kBundled)) QSKIP("resources/models/quire-mini is not in this checkout");
    m_folder = std::make_unique<QTemporaryDir>();
  }

  void tensors_areThoseOfTheConverter_data() {
    QTest::addColumn<QString>("folder");
    QTest::addColumn<QString>("file");
    const auto cases = must(read_json(kData / "gguf/cases.json"));
    for (const auto& entry : cases["cases"]) {
      const fs::path reference = entry["reference"].get<std::string>();
      const std::string file = entry["file"];
      if (*reference.begin() != "models" || file == "version_2.gguf") continue;
      QTest::newRow(file.c_str()) << QString::fromStdString(
                                         reference.parent_path().filename().string())
                                  << QString::fromStdString(file);
    }
  }
  void tensors_areThoseOfTheConverter() {
    QFETCH(QString, folder);
    QFETCH(QString, file);
    const fs::path source = with_tokenizer(folder.toStdString());
    const auto plan = convert(source, path("out.gguf"), "F32");
    if (!plan && plan.error().message.find("does not write") != std::string::npos) {
      QSKIP(plan.error().message.c_str());
    }
    QVERIFY2(plan, plan ? "" : plan.error().message.c_str());
    const auto written = must(GgufWeights::open(path("out.gguf")));
    const auto expected = must(GgufWeights::open(kData / "gguf" / file.toStdString()));
    QCOMPARE(written->tensors().size(), expected->tensors().size());
    for (const TensorInfo& tensor : expected->tensors()) {
      const TensorInfo* const found = written->find(tensor.name);
      QVERIFY2(found != nullptr, tensor.name.c_str());
      QVERIFY2(found->shape == tensor.shape, tensor.name.c_str());
      const auto own = numbers_of(*written, tensor.name),
                 other = numbers_of(*expected, tensor.name);
      if (tensor.name == "rope_freqs.weight") continue;  // Divisors of the same frequencies.
      QVERIFY2(std::ranges::equal(own, other), tensor.name.c_str());
    }
    for (const GgufValue& value : expected->metadata().values()) {
      const bool is_of_file = value.key.starts_with("tokenizer.") ||
                              value.key.starts_with("general.") || value.key.starts_with("split.");
      if (is_of_file || value.type == GgufValueType::kString) continue;
      const auto own = written->metadata().number(value.key);
      QVERIFY2(own.has_value(), std::string(value.key).c_str());
      const double other = *expected->metadata().number(value.key);
      QVERIFY2(std::abs(*own - other) <= 1e-6 * std::abs(other), std::string(value.key).c_str());
    }
  }

  void logits_haveTheFoldersBits_data() {
    QTest::addColumn<QString>("folder");
    for (const std::string& name : tiny_models()) {
      QTest::newRow(name.c_str()) << QString::fromStdString(name);
    }
  }
  void logits_haveTheFoldersBits() {
    QFETCH(QString, folder);
    const fs::path source = with_tokenizer(folder.toStdString());
    const auto plan = convert(source, path("out.gguf"), "F32");
    // What GGUF files cannot say is refused before anything is written.
    if (!plan) {
      QCOMPARE(plan.error().code, ErrorCode::kUnsupported);
      QVERIFY(!fs::exists(path("out.gguf.part")));
      QSKIP(plan.error().message.c_str());
    }
    std::vector<std::vector<float>> logits;
    const Reference reference(source / "reference.safetensors");
    const int served = reference.has("served_context") ? reference.ints("served_context").at(0) : 0;
    for (const fs::path& model : {source, path("out.gguf")}) {
      ModelHarness harness(model, "scalar", 256, served);
      TestSequence sequence = harness.sequence({1, 5, 9, 2, 7, 30, 11, 3, 4, 8, 6, 10});
      logits.push_back(harness.step(sequence, 12));
    }
    // GGUF's divisors cannot give every bit of Llama 3's frequencies.
    if (folder == "rope_llama3") {
      QVERIFY(relative_error(logits[1], logits[0]) < 1e-5);
    } else {
      QVERIFY(same_bits(logits[0], logits[1]));
    }
  }

  void headersThatLie_areRefusedByName_data() {
    QTest::addColumn<QString>("tensor");
    QTest::addColumn<QString>("change");
    QTest::addColumn<QString>("named");
    const QString queries = QStringLiteral("model.layers.0.self_attn.q_proj.weight");
    QTest::newRow("integers") << queries << R"({"dtype": "I32"})"
                              << "q_proj";
    QTest::newRow("another shape") << queries << R"({"shape": [24, 96]})"
                                   << "q_proj";
    QTest::newRow("a bias of nothing")
        << "model.layers.0.self_attn.q_proj.bias"
        << R"({"dtype": "F32", "shape": [0], "data_offsets": [0, 0]})"
        << "q_proj.bias";
  }
  void headersThatLie_areRefusedByName() {
    QFETCH(QString, tensor);
    QFETCH(QString, change);
    QFETCH(QString, named);
    const fs::path folder = with_tokenizer("gqa_f32");
    describe(folder, tensor.toStdString(), nlohmann::json::parse(change.toStdString()));
    const auto plan = convert(folder, path("out.gguf"), "Q8_0");
    QVERIFY(!plan);
    const QString sentence = QString::fromStdString(plan.error().message);
    QVERIFY2(sentence.contains(named) && sentence.contains("gqa_f32"), qPrintable(sentence));
    QVERIFY(!fs::exists(path("out.gguf.part")));
  }

  void tokenizers_cutTextEqually_data() {
    QTest::addColumn<QString>("folder");
    for (const char* group : {"tokenizer/golden", "tokenizer"}) {
      for (const auto& entry : fs::directory_iterator(kData / group)) {
        const bool has_tokenizer = fs::exists(entry.path() / "tokenizer.json") ||
                                   fs::exists(entry.path() / "tokenizer.model");
        if (!has_tokenizer) continue;
        QTest::newRow(entry.path().filename().c_str())
            << QString::fromStdString(entry.path().string());
      }
    }
  }
  void tokenizers_cutTextEqually() {
    QFETCH(QString, folder);
    const fs::path source = folder.toStdString();
    GgufMetadata metadata;
    metadata.set_string("general.architecture", "llama");
    const auto added = add_folder_tokenizer(source, ModelConfig{}, metadata);
    if (!added) {
      QCOMPARE(added.error().code, ErrorCode::kUnsupported);
      QSKIP(added.error().message.c_str());
    }
    const MemoryFile file(lay_out_gguf(metadata, {}));
    const auto written = must(load_gguf_tokenizer(must(GgufFile::open(file.path()))));
    const auto original = must(load_tokenizer(source));
    const fs::path golden = source / "cases.json";
    const auto cases = must(read_json(fs::exists(golden) ? golden : source / "expected.json"));
    int num_texts = 0;
    for (const char* list : {"plain", "template"}) {
      if (!cases.contains(list)) continue;
      for (const auto& example : cases[list]) {
        const std::string text = example["text"];
        const auto ids = original->encode_with_special(text);
        // Text that its tokenizer composes (NFC).
        if (original->decode(ids, true) != text) continue;
        ++num_texts;
        QVERIFY2(written->encode_with_special(text) == ids, text.c_str());
        QVERIFY2(written->encode(text) == original->encode(text), text.c_str());
      }
    }
    QVERIFY(num_texts > 50 || !fs::exists(golden));
  }
};

QTEST_APPLESS_MAIN(TestFolderSource)
#include "tst_folder_source.moc"
