// Folders that keep the same weights in other layouts: experts of a layer in one tensor or one by
// one, plain and in FP8, and quantised keys and values of latent attention. The logits are, bit for
// bit, those of the layout that other tests compare with transformers.

#include <QTemporaryDir>
#include <QtTest>

#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/models/model_files.h"
#include "tests/engine/models/model_test_support.h"
#include "tests/engine/models/quantized_layers.h"

using namespace quire;
using namespace quire::test;
using nlohmann::json;

namespace fs = std::filesystem;

namespace {

struct Stored {
  std::string dtype;
  std::vector<int> shape;
  std::vector<char> bytes;
};
using Tensors = std::map<std::string, Stored>;

Tensors read_tensors(const fs::path& folder) {
  const std::string file = read_file(folder / "model.safetensors");
  uint64_t size;
  std::memcpy(&size, file.data(), sizeof size);
  Tensors tensors;
  const json header = json::parse(file.substr(8, size));
  for (const auto& [name, info] : header.items()) {
    if (name == "__metadata__") continue;
    const size_t begin = info["data_offsets"][0], end = info["data_offsets"][1];
    const char* const data = file.data() + 8 + size;
    tensors[name] = {info["dtype"], info["shape"], {data + begin, data + end}};
  }
  return tensors;
}

void write_tensors(const fs::path& folder, const Tensors& tensors, const json& config) {
  TensorFile file;
  for (const auto& [name, tensor] : tensors) {
    file.add(name, tensor.dtype.c_str(), tensor.shape, tensor.bytes);
  }
  file.write(folder, config);
}

json config_of(const fs::path& folder) {
  return json::parse(read_file(folder / "config.json"));
}

/// Moves tensors into one with a dimension more in front.
Stored take_stack(Tensors& tensors, const std::vector<std::string>& names) {
  Stored stack;
  for (const std::string& name : names) {
    const Stored part = tensors.extract(name).mapped();
    stack.dtype = part.dtype;
    stack.shape = part.shape;
    stack.bytes.insert(stack.bytes.end(), part.bytes.begin(), part.bytes.end());
  }
  stack.shape.insert(stack.shape.begin(), static_cast<int>(names.size()));
  return stack;
}

/// The experts of all layers as transformers keeps them in memory: "experts.gate_up_proj" (E, 2 I,
/// C) and "experts.down_proj" (E, C, I). suffix: what the tensors' names end with, and `stacked`
/// what those of the stacks do.
void stack_experts(Tensors& tensors, const std::string& suffix, const std::string& stacked) {
  for (int layer = 0;; ++layer) {
    const std::string base = "model.layers." + std::to_string(layer) + ".mlp.experts.";
    if (!tensors.contains("model.layers." + std::to_string(layer) + ".input_layernorm.weight")) {
      return;
    }
    std::vector<std::string> gates_and_ups, downs;
    for (int e = 0; tensors.contains(base + std::to_string(e) + ".up_proj" + suffix); ++e) {
      const std::string expert = base + std::to_string(e);
      gates_and_ups.push_back(expert + ".gate_proj" + suffix);
      gates_and_ups.push_back(expert + ".up_proj" + suffix);
      downs.push_back(expert + ".down_proj" + suffix);
    }
    if (downs.empty()) continue;
    Stored gate_up = take_stack(tensors, gates_and_ups);
    gate_up.shape[0] /= 2;
    gate_up.shape[1] *= 2;
    tensors[base + "gate_up_proj" + stacked] = gate_up;
    tensors[base + "down_proj" + stacked] = take_stack(tensors, downs);
  }
}

std::vector<float> logits_of(const fs::path& folder, const std::string& isa) {
  ModelHarness model(folder, isa);
  TestSequence sequence = model.sequence({3, 9, 14, 5, 30, 21, 8});
  return model.step(sequence, 7);
}

}  // namespace

class TestFolderLayouts : public QObject {
  Q_OBJECT

 private slots:
  void stackedExperts_areThoseOfTensorsOfTheirOwn() {
    const fs::path original = tiny_model_folder("qwen3_5_moe");
    Tensors tensors = read_tensors(original);
    stack_experts(tensors, ".weight", "");
    QVERIFY(tensors.contains("model.layers.0.mlp.experts.down_proj"));
    QTemporaryDir folder;
    write_tensors(folder.path().toStdString(), tensors, config_of(original));
    QVERIFY(logits_of(folder.path().toStdString(), "") == logits_of(original, ""));
  }

  /// As Mistral Small 4 is published: scales (E, 1, 1), or one for each half of gates and ups.
  void stackedFp8Experts_areThoseOfTensorsOfTheirOwn_data() {
    QTest::addColumn<bool>("hasBlocks");
    QTest::newRow("scales of blocks") << true;
    QTest::newRow("a scale for each half") << false;
  }
  void stackedFp8Experts_areThoseOfTensorsOfTheirOwn() {
    QFETCH(bool, hasBlocks);
    QTemporaryDir one_by_one, plain, stacked;
    const fs::path original = one_by_one.path().toStdString();
    const fs::path folder = stacked.path().toStdString();
    write_models(method_named("fp8"), true, original, plain.path().toStdString());
    Tensors tensors = read_tensors(original);
    stack_experts(tensors, ".weight", "");
    stack_experts(tensors, ".weight_scale_inv", "_scale_inv");
    const Stored& scales = tensors.at("model.layers.0.mlp.experts.gate_up_proj_scale_inv");
    QCOMPARE(scales.shape, (std::vector<int>{4, 2, 1}));
    tensors["model.layers.0.mlp.experts.down_proj_activation_scale"] = {
        "F32", {4}, std::vector<char>(16)};
    if (!hasBlocks) {
      for (auto& [name, tensor] : tensors) {
        if (name.ends_with("down_proj_scale_inv")) tensor.shape = {4};
      }
    }
    write_tensors(folder, tensors, config_of(original));
    for (const std::string& isa : ModelHarness::available_isas()) {
      QVERIFY2(logits_of(folder, isa) == logits_of(original, isa), isa.c_str());
    }
  }

  void stackedFp8Experts_thatDoNotFitAreRefused() {
    QTemporaryDir one_by_one, plain, stacked;
    const fs::path original = one_by_one.path().toStdString();
    write_models(method_named("fp8"), true, original, plain.path().toStdString());
    Tensors tensors = read_tensors(original);
    stack_experts(tensors, ".weight", "");
    stack_experts(tensors, ".weight_scale_inv", "_scale_inv");
    const std::string base = "model.layers.0.mlp.experts.";
    const std::pair<std::string, std::vector<int>> shapes[] = {
        {base + "gate_up_proj_scale_inv", {8, 1, 1}},
        {base + "gate_up_proj_scale_inv", {2, 4}},
        {base + "down_proj_scale_inv", {2, 2, 1}},
        {base + "down_proj", {4, 256, 64}},
        {base + "gate_up_proj", {0, 256, 128}}};
    for (const auto& [name, shape] : shapes) {
      Tensors broken = tensors;
      broken.at(name).shape = shape;
      if (shape[0] == 0) broken.at(name).bytes.clear();
      write_tensors(stacked.path().toStdString(), broken, config_of(original));
      const auto backend = must(create_backend({.device = "cpu", .num_threads = 1}));
      const auto loaded = load_decoder(stacked.path().toStdString(), *backend, {});
      QVERIFY2(!loaded, name.c_str());
      QVERIFY2(loaded.error().message.find(base) != std::string::npos,
               loaded.error().message.c_str());
    }
  }

  /// Tables are read by rows, heads are multiplied.
  void orderAndScales_areForHeadsButNotForEmbeddings_data() {
    QTest::addColumn<QString>("method");
    QTest::newRow("act-order") << "gptq, act-order";
    QTest::newRow("NVFP4") << "nvfp4 of ModelOpt";
  }
  void orderAndScales_areForHeadsButNotForEmbeddings() {
    QFETCH(QString, method);
    const Method& how = method_named(method.toStdString());
    QTemporaryDir quantised, plain, changed, reference;
    const fs::path original = quantised.path().toStdString();
    write_models(how, false, original, plain.path().toStdString());
    for (const std::string base : {"lm_head.", "model.embed_tokens."}) {
      Layer layer = {base, 64, 128, std::vector<float>(64 * 128)};
      Random random;
      TensorFile file;
      how.quantize(layer, file, random);
      for (const auto& [name, tensor] : read_tensors(original)) {
        if (name == base + "weight") continue;
        file.add(name, tensor.dtype.c_str(), tensor.shape, tensor.bytes);
      }
      const fs::path folder = changed.path().toStdString();
      file.write(folder, config_of(original));
      const auto backend = must(create_backend({.device = "cpu", .num_threads = 1}));
      const auto loaded = load_decoder(folder, *backend, {});
      if (base != "lm_head.") {
        QVERIFY(!loaded);
        QVERIFY(loaded.error().message.find("embeddings cannot") != std::string::npos);
        continue;
      }
      Tensors tensors = read_tensors(plain.path().toStdString());
      const auto* const numbers = reinterpret_cast<const char*>(layer.weights.data());
      tensors["lm_head.weight"].bytes.assign(numbers, numbers + layer.weights.size() * 4);
      write_tensors(reference.path().toStdString(), tensors, config_of(plain.path().toStdString()));
      const std::vector<float> expected = logits_of(reference.path().toStdString(), "scalar");
      QVERIFY(worst_error(logits_of(folder, "scalar"), expected, 64) <= 1e-5);
    }
  }

  /// Keys are transposed, for which quantised numbers become f32.
  void quantisedLatents_areThoseOfDequantisedOnes() {
    const fs::path original = tiny_model_folder("mistral4");
    Tensors quantised = read_tensors(original), plain = quantised;
    TensorFile files[2];
    Random random;
    for (auto& [name, tensor] : plain) {
      if (!name.ends_with("kv_b_proj.weight")) {
        for (TensorFile& file : files) {
          file.add(name, tensor.dtype.c_str(), tensor.shape, tensor.bytes);
        }
        continue;
      }
      Layer layer = {name.substr(0, name.size() - 6), tensor.shape[0], tensor.shape[1], {}};
      layer.weights.resize(static_cast<size_t>(layer.N * layer.K));
      method_named("packed int4").quantize(layer, files[0], random);
      files[1].add(name, "F32", tensor.shape, layer.weights);
    }
    json config = config_of(original);
    QTemporaryDir folders[2];
    const fs::path expected = folders[1].path().toStdString();
    files[1].write(expected, config);
    config["quantization_config"] = {{"quant_method", "compressed-tensors"},
                                     {"format", "pack-quantized"}};
    const fs::path folder = folders[0].path().toStdString();
    files[0].write(folder, config);
    for (const std::string& isa : ModelHarness::available_isas()) {
      QVERIFY2(logits_of(folder, isa) == logits_of(expected, isa), isa.c_str());
    }
  }
};

QTEST_APPLESS_MAIN(TestFolderLayouts)
#include "tst_folder_layouts.moc"
