#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/memory/measuring_backend.h"
#include "engine/models/model_files.h"
#include "tests/engine/io/safetensors_builder.h"
#include "tests/engine/models/model_test_support.h"

using namespace quire;
using namespace quire::test;
using nlohmann::json;

namespace fs = std::filesystem;

namespace {

using Tensors = std::vector<std::pair<const char*, std::vector<int>>>;

/// One layer whose matrices have multiples of 64 rows: packing them takes not a byte more.
Tensors tensors_of_a_model(bool is_tied) {
  Tensors tensors = {{"model.embed_tokens.weight", {4096, 64}},
                     {"model.layers.0.input_layernorm.weight", {64}},
                     {"model.layers.0.mlp.down_proj.weight", {64, 128}},
                     {"model.layers.0.mlp.gate_proj.weight", {128, 64}},
                     {"model.layers.0.mlp.up_proj.weight", {128, 64}},
                     {"model.layers.0.post_attention_layernorm.weight", {64}},
                     {"model.layers.0.self_attn.k_proj.weight", {64, 64}},
                     {"model.layers.0.self_attn.o_proj.weight", {64, 64}},
                     {"model.layers.0.self_attn.q_proj.weight", {64, 64}},
                     {"model.layers.0.self_attn.v_proj.weight", {64, 64}},
                     {"model.norm.weight", {64}}};
  if (!is_tied) tensors.push_back({"lm_head.weight", {4096, 64}});
  return tensors;
}

/// The folder of that model, all zeros in f32; returns the bytes of its tensors.
size_t write_model(const fs::path& folder, bool is_tied, const Tensors& more = {}) {
  json header;
  size_t at = 0;
  Tensors tensors = tensors_of_a_model(is_tied);
  tensors.insert(tensors.end(), more.begin(), more.end());
  for (const auto& [name, shape] : tensors) {
    size_t bytes = sizeof(float);
    for (int n : shape) bytes *= static_cast<size_t>(n);
    header[name] = {{"dtype", "F32"}, {"shape", shape}, {"data_offsets", {at, at + bytes}}};
    at += bytes;
  }
  write_file(folder / "model.safetensors", safetensors_file(header.dump(), at));
  const json config = {{"architectures", {"LlamaForCausalLM"}},
                       {"hidden_size", 64},
                       {"intermediate_size", 128},
                       {"num_hidden_layers", 1},
                       {"num_attention_heads", 2},
                       {"num_key_value_heads", 2},
                       {"vocab_size", 4096},
                       {"tie_word_embeddings", is_tied},
                       {"eos_token_id", 5}};
  write_file(folder / "config.json", config.dump());
  return at;
}

}  // namespace

/// What of a model's files is in the backend's memory after loading.
class TestLoadWeights : public QObject {
  Q_OBJECT

 private slots:
  void weights_takeTheBytesOfTheFilesTensors_data() {
    QTest::addColumn<bool>("is_tied");
    QTest::newRow("tied embeddings, once in memory") << true;
    QTest::newRow("a head of its own") << false;
  }
  void weights_takeTheBytesOfTheFilesTensors() {
    QFETCH(bool, is_tied);
    QTemporaryDir folder;
    const size_t bytes = write_model(folder.path().toStdString(), is_tied);
    const auto backend = must(create_backend({.device = "cpu", .num_threads = 1}));
    const auto decoder = must(load_decoder(folder.path().toStdString(), *backend));
    QCOMPARE(decoder->weight_bytes(), bytes);
  }

  /// What does not belong to the decoder, or is the same as something that does.
  void harmlessTensors_areLeftUnread() {
    QTemporaryDir folder;
    const Tensors more = {{"lm_head.weight", {4096, 64}},
                          {"model.layers.0.self_attn.rotary_emb.inv_freq", {16}},
                          {"multi_modal_projector.linear.weight", {64, 64}},
                          {"vision_tower.embed_tokens.weight", {64, 64}}};
    write_model(folder.path().toStdString(), true, more);
    const auto backend = must(create_backend({.device = "cpu", .num_threads = 1}));
    std::vector<float> seen;
    const auto decoder =
        load_decoder(folder.path().toStdString(), *backend,
                     {.progress = [&](float fraction) { seen.push_back(fraction); }});
    QVERIFY2(decoder, decoder ? "" : decoder.error().message.c_str());
    QCOMPARE(std::count(seen.begin(), seen.end(), 1.0f), 1);
    QCOMPARE(seen.back(), 1.0f);
  }

  /// The kernels CHECK what a file cannot be trusted to keep to.
  void statesThatAreTooWideForAGpu_areRefusedBeforeLoading() {
    ModelFiles files = must(open_model_files(tiny_model_folder("granite_hybrid")));
    const auto load_on = [&](const char* device, bool is_gpu, int width) {
      DeviceInfo info;
      info.name = device;
      info.has_own_memory = is_gpu;
      MeasuringBackend backend(info, 1);
      files.config.recurrent.key_dim = width;
      const auto decoder = make_decoder(files, backend, {.check_only = true});
      return decoder ? Error{} : decoder.error();
    };
    QCOMPARE(load_on("cuda:1", true, 20).message, std::string());
    const Error refused = load_on("cuda:1", true, 257);
    QCOMPARE(refused.code, ErrorCode::kUnsupported);
    QCOMPARE(refused.message,
             std::string("This model's recurrent layers keep states of 257 columns; the device "
                         "cuda:1 computes at most 256. Choose the device \"cpu\"."));
    // Those sizes are not the file's, which is another fault.
    QCOMPARE(load_on("cuda:1", true, 256).code, ErrorCode::kCorruptFile);
    QCOMPARE(load_on("cpu", false, 257).code, ErrorCode::kCorruptFile);
  }
};

QTEST_APPLESS_MAIN(TestLoadWeights)
#include "tst_load_weights.moc"
