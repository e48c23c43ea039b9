#include <QTemporaryDir>
#include <QtTest>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "engine/memory/place_layers.h"
#include "engine/model_summary.h"
#include "engine/models/model_files.h"
#include "engine/models/speculative_layer.h"
#include "tests/engine/io/safetensors_builder.h"
#include "tests/engine/models/model_test_support.h"
#include "tests/support/zero_gguf.h"

using namespace quire;
using namespace quire::test;
using nlohmann::json;

namespace fs = std::filesystem;

namespace {

using Shapes = std::map<std::string, std::vector<int64_t>>;

constexpr char kGlmGguf[] = QUIRE_SOURCE_DIR "/tests/data/gguf/glm4_moe.gguf";
constexpr char kApertusGguf[] = QUIRE_SOURCE_DIR "/tests/data/gguf/apertus.gguf";

Shapes shapes_of(const WeightSource& weights) {
  Shapes shapes;
  for (const TensorInfo& tensor : weights.tensors()) shapes[tensor.name] = tensor.shape;
  return shapes;
}

Shapes shapes_of(const char* model) {
  return shapes_of(*must(SafetensorsWeights::open(tiny_model_folder(model))));
}

uint64_t elements(const std::vector<int64_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), uint64_t{1},
                         [](uint64_t all, int64_t n) { return all * static_cast<uint64_t>(n); });
}

/// Adds the tensors of one layer under the prefix of another.
void copy_layer(Shapes& shapes, const std::string& from, const std::string& to) {
  Shapes more;
  for (const auto& [name, shape] : shapes) {
    if (name.starts_with(from)) more[to + name.substr(from.size())] = shape;
  }
  shapes.merge(more);
}

/// As Qwen publishes its layers for speculation; its layer 1 is the one that attends.
Shapes with_mtp(const char* model) {
  Shapes shapes = shapes_of(model);
  copy_layer(shapes, "model.layers.1.", "mtp.layers.0.");
  shapes["mtp.fc.weight"] = {48, 96};
  for (const char* norm : {"norm", "pre_fc_norm_embedding", "pre_fc_norm_hidden"}) {
    shapes["mtp." + std::string(norm) + ".weight"] = {48};
  }
  return shapes;
}

/// As DeepSeek and GLM publish theirs, behind three layers.
Shapes with_nextn(const char* model) {
  Shapes shapes = shapes_of(model);
  const std::string layer = "model.layers.3.";
  copy_layer(shapes, "model.layers.2.", layer);
  shapes[layer + "eh_proj.weight"] = {48, 96};
  for (const char* norm : {"enorm", "hnorm", "shared_head.norm"}) {
    shapes[layer + norm + ".weight"] = {48};
  }
  shapes[layer + "embed_tokens.weight"] = shapes[layer + "shared_head.head.weight"] = {160, 48};
  return shapes;
}

std::string error_of(const Result<std::unique_ptr<Decoder>>& decoder) {
  return decoder ? "" : decoder.error().message;
}

}  // namespace

/// Layers for speculation: recognised, checked, and loaded if asked for.
class TestSpeculativeLayers : public QObject {
  Q_OBJECT

 private slots:
  void init() { m_folder = std::make_unique<QTemporaryDir>(); }

  void layers_areLoaded_ifAskedFor_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<bool>("isMtp");
    QTest::addColumn<int>("numTensors");
    QTest::newRow("Qwen 3.5") << "qwen3_5" << true << 15;
    QTest::newRow("Qwen 3.5, experts") << "qwen3_5_moe" << true << 35;
    QTest::newRow("Qwen 3 Next") << "qwen3_next" << true << 35;
    QTest::newRow("GLM 4.5") << "glm4_moe" << false << 46;
    QTest::newRow("DeepSeek V3") << "deepseek_v3" << false << 44;
  }
  void layers_areLoaded_ifAskedFor() {
    QFETCH(const QString, model);
    QFETCH(const bool, isMtp);
    const std::string name = model.toStdString();
    const Shapes shapes = isMtp ? with_mtp(name.c_str()) : with_nextn(name.c_str());
    const fs::path path = write(name, shapes);
    const ModelFiles files = must(open_model_files(path));
    QCOMPARE(files.config.num_speculative_layers, 1);
    QTEST(int(speculative_tensors(files).size()), "numTensors");
    const auto without = must(load(path, false));
    const auto with = must(load(path, true));
    QVERIFY(without->speculative_layers().empty());
    QCOMPARE(with->speculative_layers().size(), size_t{1});
    const size_t more = with->speculative_layers()[0].size_bytes();
    QCOMPARE(with->weight_bytes(), without->weight_bytes() + more);
    uint64_t least = 0;  // Weights stay in 16 bits; rows may be padded.
    for (const TensorInfo& tensor : speculative_tensors(files)) least += tensor.bytes;
    QVERIFY2(more >= least, qPrintable(QString::number(more)));
  }

  void placing_leavesThemOut_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<bool>("isMtp");
    QTest::newRow("Qwen 3.5") << "qwen3_5" << true;
    QTest::newRow("GLM 4.5") << "glm4_moe" << false;
  }
  void placing_leavesThemOut() {
    QFETCH(const QString, model);
    QFETCH(const bool, isMtp);
    const std::string name = model.toStdString();
    uint64_t bytes = 0;
    const auto needs = [&](const Shapes& shapes, const EngineOptions& options = {}) {
      const ModelFiles files = must(open_model_files(write(name, shapes)));
      for (const TensorInfo& tensor : speculative_tensors(files)) bytes += tensor.bytes;
      return estimate_needs(files, options, DType::kF32);
    };
    const ModelNeeds with = needs(isMtp ? with_mtp(name.c_str()) : with_nextn(name.c_str()));
    const ModelNeeds without = needs(shapes_of(name.c_str()));
    QCOMPARE(with.layer_bytes, without.layer_bytes);
    QCOMPARE(with.end_bytes, without.end_bytes);
    // Unless a GPU is asked for all guesses: then the layer and its cache are on it, too.
    bytes = 0;
    const ModelNeeds always = needs(isMtp ? with_mtp(name.c_str()) : with_nextn(name.c_str()),
                                    {.speculation = SpeculationMode::kAlways});
    QCOMPARE(always.layer_bytes, without.layer_bytes);
    QVERIFY(bytes > 0);
    QVERIFY(always.end_bytes > without.end_bytes + bytes);
  }

  /// Each of ERNIE's has a plain MLP, like the model's first layer.
  void erniesLayers_haveNamesOfTheirOwn() {
    Shapes shapes = shapes_of("ernie4_5_moe");
    copy_layer(shapes, "model.layers.0.", "model.mtp_block.0.");
    shapes["model.mtp_linear_proj.0.weight"] = {48, 96};
    for (const char* norm : {"emb", "hidden"}) {
      shapes["model.mtp_" + std::string(norm) + "_norm.0.weight"] = {48};
    }
    const fs::path path = write("ernie4_5_moe", shapes);
    const ModelFiles files = must(open_model_files(path));
    QCOMPARE(files.config.num_speculative_layers, 1);
    QCOMPARE(speculative_tensors(files).size(), size_t{12});
    const auto without = load(path, false);
    QVERIFY2(without, error_of(without).c_str());
    const auto with = load(path, true);
    QVERIFY2(with, error_of(with).c_str());
    QCOMPARE((*with)->speculative_layers().size(), size_t{1});
    QCOMPARE(must(inspect_model(path)).speculative_layers.num_tensors, 12);

    shapes.erase("model.mtp_hidden_norm.0.weight");
    const fs::path part = write("ernie4_5_moe", shapes);
    QVERIFY(load(part, false));
    QVERIFY(error_of(load(part, true)).find("model.mtp_hidden_norm.0.weight") != std::string::npos);
  }

  void filesWithoutThem_haveNone() {
    // config.json counts one, which transformers does not write.
    const ModelFiles files = must(open_model_files(tiny_model_folder("glm4_moe")));
    QCOMPARE(files.config.num_speculative_layers, 0);
    QVERIFY(speculative_tensors(files).empty());
    const auto decoder = load(tiny_model_folder("glm4_moe"), true);
    QVERIFY(decoder && (*decoder)->speculative_layers().empty());
  }

  /// Otherwise the layer's tensors would be refused as if they belonged to no model.
  void layerThatIsNotCounted_isFound() {
    const fs::path path = write("glm4_moe", with_nextn("glm4_moe"));
    json config = json::parse(std::ifstream(path / "config.json"));
    QCOMPARE(config["num_nextn_predict_layers"].get<int>(), 1);
    config["num_nextn_predict_layers"] = 0;
    std::ofstream(path / "config.json") << config.dump();
    QCOMPARE(must(open_model_files(path)).config.num_speculative_layers, 1);
    QVERIFY2(load(path, false), error_of(load(path, false)).c_str());
    const auto with = must(load(path, true));
    QCOMPARE(with->speculative_layers().size(), size_t{1});
  }

  void ggufFiles_haveThem() {
    const ModelFiles part = must(open_model_files(kGlmGguf));
    QCOMPARE(part.config.num_speculative_layers, 1);
    QVERIFY(load(kGlmGguf, false));  // A part of one does not matter there.
    QVERIFY(error_of(load(kGlmGguf, true)).find("blk.3.") != std::string::npos);

    const fs::path whole = write_whole_gguf();
    QVERIFY2(load(whole, false), error_of(load(whole, false)).c_str());
    const auto decoder = load(whole, true);
    QVERIFY2(decoder, error_of(decoder).c_str());
    QCOMPARE((*decoder)->speculative_layers().size(), size_t{1});
  }

  /// Apertus has its activations' parameters in the metadata, one for each of its own layers.
  void layersWithoutAnActivationOfTheirOwn_areNamed() {
    const auto weights = must(GgufWeights::open(kApertusGguf));
    GgufMetadata metadata = metadata_of(*weights);
    metadata.set_u32("apertus.nextn_predict_layers", 1);
    for (const char* key : {"xielu.alpha_p", "xielu.alpha_n", "xielu.beta", "xielu.eps"}) {
      metadata.set_f32(key, 0.5f);
    }
    ZeroTensors tensors = tensors_of(*weights);
    tensors.erase("rope_freqs.weight");  // Which may not be 0.
    const fs::path path = folder() / "apertus.gguf";
    write_zero_gguf(path, metadata, tensors);
    QVERIFY2(load(path, false), error_of(load(path, false)).c_str());
    const std::string problem = must(inspect_model(path)).speculative_layers.problem;
    QVERIFY2(problem.find("blk.2.nextn.enorm") != std::string::npos, problem.c_str());
  }

  void damage_isNamed_ifTheyAreAskedFor_data() {
    QTest::addColumn<QString>("tensor");
    QTest::addColumn<QList<int>>("shape");
    QTest::addColumn<int>("code");
    const auto row = [](const char* tensor, const QList<int>& shape, ErrorCode code) {
      QTest::newRow(tensor) << QString(tensor) << shape << static_cast<int>(code);
    };
    row("mtp.fc.weight", {48, 48}, ErrorCode::kCorruptFile);
    row("mtp.pre_fc_norm_hidden.weight", {}, ErrorCode::kNotFound);
    row("mtp.layers.0.self_attn.q_proj.weight", {64, 48}, ErrorCode::kCorruptFile);
    row("mtp.layers.0.mlp.up_proj.weight", {}, ErrorCode::kNotFound);
    row("mtp.layers.0.self_attn.q_proj.bias", {128}, ErrorCode::kUnsupported);
  }
  void damage_isNamed_ifTheyAreAskedFor() {
    QFETCH(const QString, tensor);
    QFETCH(const QList<int>, shape);
    QFETCH(const int, code);
    Shapes shapes = with_mtp("qwen3_5");
    if (shape.isEmpty()) {
      shapes.erase(tensor.toStdString());
    } else {
      shapes[tensor.toStdString()] = {shape.begin(), shape.end()};
    }
    const fs::path path = write("qwen3_5", shapes);
    QVERIFY(load(path, false));
    const auto decoder = load(path, true);
    QVERIFY(!decoder);
    QCOMPARE(static_cast<int>(decoder.error().code), code);
    QVERIFY2(decoder.error().message.find(tensor.toStdString()) != std::string::npos,
             decoder.error().message.c_str());
  }

  void inspection_countsThem() {
    const ModelSummary whole = must(inspect_model(write("qwen3_5", with_mtp("qwen3_5"))));
    QCOMPARE(whole.speculative_layers.count, 1);
    QCOMPARE(whole.speculative_layers.num_tensors, 15);
    QVERIFY(whole.speculative_layers.bytes > 0);
    QCOMPARE(whole.speculative_layers.problem, std::string());
    Shapes shapes = with_mtp("qwen3_5");
    shapes.erase("mtp.norm.weight");  // Then the decoder's own norm is used.
    shapes["mtp.fc.weight"] = {48, 48};
    const ModelSummary damaged = must(inspect_model(write("qwen3_5", shapes)));
    QCOMPARE(damaged.speculative_layers.num_tensors, 14);
    QVERIFY(damaged.speculative_layers.problem.find("mtp.fc.weight") != std::string::npos);
    QCOMPARE(must(inspect_model(tiny_model_folder("qwen3_5"))).speculative_layers.count, 0);
  }

 private:
  static Result<std::unique_ptr<Decoder>> load(const fs::path& path, bool speculative_layers) {
    const auto backend = must(create_backend({.num_threads = 1}));
    return load_decoder(path, *backend, {.speculative_layers = speculative_layers});
  }

  /// The tiny model's folder with these tensors, all zeros.
  fs::path write(const std::string& model, const Shapes& shapes) {
    json header;
    size_t at = 0;
    for (const auto& [name, shape] : shapes) {
      const size_t bytes = 2 * elements(shape);
      header[name] = {{"dtype", "BF16"}, {"shape", shape}, {"data_offsets", {at, at + bytes}}};
      at += bytes;
    }
    const fs::path path = folder() / "model";
    fs::create_directories(path);
    fs::copy(tiny_model_folder(model) / "config.json", path, fs::copy_options::overwrite_existing);
    write_file(path / "model.safetensors", safetensors_file(header.dump(), at));
    return path;
  }

  /// The tiny GGUF file, all zeros, with a whole layer for speculation.
  fs::path write_whole_gguf() {
    const auto weights = must(GgufWeights::open(kGlmGguf));
    ZeroTensors tensors = tensors_of(*weights);
    ZeroTensors more = {{"blk.3.nextn.hnorm.weight", {{48}}}};
    for (const auto& [name, tensor] : tensors) {
      if (name.starts_with("blk.2.")) more["blk.3." + name.substr(6)] = tensor;
    }
    tensors.merge(more);
    const fs::path path = folder() / "whole.gguf";
    write_zero_gguf(path, metadata_of(*weights), tensors);
    return path;
  }

  fs::path folder() const { return m_folder->path().toStdString(); }

  std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_APPLESS_MAIN(TestSpeculativeLayers)
#include "tst_speculative_layers.moc"
