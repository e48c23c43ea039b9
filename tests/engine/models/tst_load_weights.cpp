#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "engine/memory/measuring_backend.h"
#include "engine/models/model_files.h"
#include "engine/models/null_backend.h"
#include "tests/engine/io/safetensors_builder.h"
#include "tests/engine/models/model_test_support.h"
#include "tests/support/memory_meter.h"
#include "tests/support/sanitizers.h"
#include "tests/support/thread_time.h"

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

/// A folder of that model with its configuration changed, and with these tensors, F32, which are a
/// hole on the disk.
void write_sparse_model(const fs::path& folder, const json& changes, const Tensors& tensors) {
  write_model(folder, true);
  json config = json::parse(read_file(folder / "config.json"));
  config.erase("eos_token_id");
  config.update(changes);
  write_file(folder / "config.json", config.dump());
  json header;
  uint64_t at = 0;
  for (const auto& [name, shape] : tensors) {
    uint64_t bytes = sizeof(float);
    for (int n : shape) bytes *= static_cast<uint64_t>(n);
    header[name] = {{"dtype", "F32"}, {"shape", shape}, {"data_offsets", {at, at + bytes}}};
    at += bytes;
  }
  const fs::path weights = folder / "model.safetensors";
  write_file(weights, safetensors_file(header.dump(), 0));
  fs::resize_file(weights, fs::file_size(weights) + at);
}

/// Why a trial refuses the folder; empty if it does not. `progress`: called after each tensor.
std::string trial(const fs::path& folder, const std::function<void(float)>& progress = {}) {
  NullBackend backend;
  const auto files = open_model_files(folder);
  if (!files) return files.error().message;
  const auto decoder = make_decoder(*files, backend, {.progress = progress, .check_only = true});
  return decoder ? std::string() : decoder.error().message;
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

  /// A sparse file can claim any number of them.
  void hugeBiases_areRefused() {
    QTemporaryDir folder;
    const fs::path path = folder.path().toStdString();
    constexpr int kRows = 1 << 24;
    write_sparse_model(path,
                       {{"hidden_size", 8},
                        {"num_attention_heads", 1 << 14},
                        {"num_key_value_heads", 1},
                        {"head_dim", 1 << 10},
                        {"attention_bias", true},
                        {"tie_word_embeddings", true}},
                       {{"model.embed_tokens.weight", {4096, 8}},
                        {"model.norm.weight", {8}},
                        {"model.layers.0.input_layernorm.weight", {8}},
                        {"model.layers.0.post_attention_layernorm.weight", {8}},
                        {"model.layers.0.mlp.gate_proj.weight", {128, 8}},
                        {"model.layers.0.mlp.up_proj.weight", {128, 8}},
                        {"model.layers.0.mlp.down_proj.weight", {8, 128}},
                        {"model.layers.0.self_attn.o_proj.weight", {8, kRows}},
                        {"model.layers.0.self_attn.o_proj.bias", {8}},
                        {"model.layers.0.self_attn.q_proj.weight", {kRows, 8}},
                        {"model.layers.0.self_attn.k_proj.weight", {1 << 10, 8}},
                        {"model.layers.0.self_attn.v_proj.weight", {1 << 10, 8}},
                        {"model.layers.0.self_attn.q_proj.bias", {kRows}},
                        {"model.layers.0.self_attn.k_proj.bias", {1 << 10}},
                        {"model.layers.0.self_attn.v_proj.bias", {1 << 10}}});
    const std::string message = trial(path);
    QVERIFY2(
        message.find("the tensor model.layers.0.self_attn.q_proj.bias of") != std::string::npos &&
            message.find("more numbers than Quire reads of a norm or bias, 8,388,608") !=
                std::string::npos,
        message.c_str());
  }

  /// A trial checks shapes: to read 33 norms of a million numbers would take time and memory.
  void trial_readsNoNorms() {
    QTemporaryDir folder;
    const fs::path path = folder.path().toStdString();
    constexpr int kHidden = 1 << 20;
    std::vector<std::string> names;
    names.reserve(16 * 9);
    Tensors tensors = {{"model.embed_tokens.weight", {4, kHidden}},
                       {"model.norm.weight", {kHidden}}};
    const auto add = [&](int layer, const char* name, std::vector<int> shape) {
      names.push_back("model.layers." + std::to_string(layer) + "." + name + ".weight");
      tensors.emplace_back(names.back().c_str(), std::move(shape));
    };
    for (int layer = 0; layer < 16; ++layer) {
      add(layer, "input_layernorm", {kHidden});
      add(layer, "post_attention_layernorm", {kHidden});
      for (const char* name : {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"}) {
        add(layer, name, {4, kHidden});
      }
      add(layer, "self_attn.o_proj", {kHidden, 4});
      for (const char* name : {"mlp.gate_proj", "mlp.up_proj"}) add(layer, name, {1, kHidden});
      add(layer, "mlp.down_proj", {kHidden, 1});
    }
    write_sparse_model(path,
                       {{"hidden_size", kHidden},
                        {"intermediate_size", 1},
                        {"num_hidden_layers", 16},
                        {"head_dim", 2},
                        {"vocab_size", 4},
                        {"tie_word_embeddings", true}},
                       tensors);
    const uint64_t bytes_before = allocated_bytes();
    uint64_t most_bytes = bytes_before;
    const double before = thread_ms();
    QCOMPARE(trial(path, [&](float) { most_bytes = std::max(most_bytes, allocated_bytes()); }),
             std::string());
    const double taken = thread_ms() - before;
    QVERIFY2(taken < 500.0 * kSanitizerFactor, qPrintable(QString::number(taken)));
    // One norm of zeros at a time, of 4 MiB.
    const uint64_t bytes = most_bytes - bytes_before;
    if (can_meter_memory()) QVERIFY2(bytes < (32 << 20), qPrintable(QString::number(bytes)));
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
