#include <QTemporaryDir>
#include <QtTest>
#include <cstring>
#include <nlohmann/json.hpp>

#include "engine/models/architectures/architecture.h"
#include "engine/models/expert_layouts.h"
#include "engine/models/model_files.h"
#include "tests/engine/io/safetensors_builder.h"
#include "tests/engine/models/model_test_support.h"
#include "tests/support/sanitizers.h"
#include "tests/support/thread_time.h"

using namespace quire;
using namespace quire::test;
using nlohmann::json;

namespace fs = std::filesystem;

namespace {

/// The safetensors file with its tensors renamed.
std::string renamed(const std::string& file, std::string (*new_name)(const std::string&)) {
  uint64_t size = 0;
  std::memcpy(&size, file.data(), sizeof size);
  const json header = json::parse(file.substr(sizeof size, size));
  json changed = json::object();
  for (const auto& [name, tensor] : header.items()) {
    changed[name == "__metadata__" ? name : new_name(name)] = tensor;
  }
  const std::string text = changed.dump();
  const uint64_t new_size = text.size();
  std::string out(reinterpret_cast<const char*>(&new_size), sizeof new_size);
  return out + text + file.substr(sizeof size + size);
}

/// "model.x" as "language_model.model.x".
std::string as_older_part(const std::string& name) {
  return "language_model." + name;
}

/// "model.x" as "model.language_model.x".
std::string as_newer_part(const std::string& name) {
  return name.starts_with("model.") ? "model.language_model." + name.substr(6) : name;
}

}  // namespace

/// What files call tensors, and the layouts that are undone while loading.
class TestTensorNames : public QObject {
  Q_OBJECT

 private slots:
  void names_areThoseOfTheFiles_data() {
    QTest::addColumn<QString>("architecture");
    QTest::addColumn<QString>("own");
    QTest::addColumn<QString>("hugging_face");
    QTest::addColumn<QString>("gguf");
    const auto row = [](const char* architecture, const char* own, const char* hugging_face,
                        const char* gguf = nullptr) {
      QTest::addRow("%s %s", architecture, own)
          << QString(architecture) << QString(own) << QString(hugging_face)
          << QString(gguf == nullptr ? own : gguf);
    };
    row("llama", "token_embd.weight", "model.embed_tokens.weight");
    row("llama", "output_norm.weight", "model.norm.weight");
    row("llama", "output.weight", "lm_head.weight");
    row("llama", "blk.0.attn_q.weight", "model.layers.0.self_attn.q_proj.weight");
    row("llama", "blk.12.attn_output.bias", "model.layers.12.self_attn.o_proj.bias");
    row("llama", "blk.1.ffn_norm.weight", "model.layers.1.post_attention_layernorm.weight");
    row("gemma2", "blk.1.ffn_norm.weight", "model.layers.1.pre_feedforward_layernorm.weight");
    row("gemma2", "blk.1.post_attention_norm.weight",
        "model.layers.1.post_attention_layernorm.weight");
    row("gemma3", "blk.1.post_ffw_norm.weight", "model.layers.1.post_feedforward_layernorm.weight");
    row("phi3", "blk.1.attn_qkv.weight", "model.layers.1.self_attn.qkv_proj.weight");
    row("phi3", "blk.1.ffn_up.weight", "model.layers.1.mlp.gate_up_proj.weight");
    row("mixtral", "blk.1.ffn_gate_inp.weight", "model.layers.1.block_sparse_moe.gate.weight");
    row("mixtral", "blk.1.ffn_up_exps.weight",
        "model.layers.1.block_sparse_moe.experts.7.w3.weight");
    row("qwen3moe", "blk.1.ffn_gate_exps.weight", "model.layers.1.mlp.experts.7.gate_proj.weight");
    row("gpt-oss", "blk.1.attn_sinks.weight", "model.layers.1.self_attn.sinks");
    row("gpt-oss", "blk.1.ffn_norm.weight", "model.layers.1.post_attention_layernorm.weight",
        "blk.1.post_attention_norm.weight");
    row("gpt-oss", "blk.1.ffn_gate_inp.bias", "model.layers.1.mlp.router.bias");
    row("gpt-oss", "blk.1.ffn_gate_up_exps.bias", "model.layers.1.mlp.experts.gate_up_proj_bias");
  }
  void names_areThoseOfTheFiles() {
    QFETCH(QString, architecture);
    QFETCH(QString, own);
    const Architecture* found = find_architecture(architecture.toStdString());
    QVERIFY(found != nullptr);
    const auto files = must(open_model_files(tiny_model_folder("gqa_f32")));
    const auto hugging_face = TensorNames::of_hugging_face(*found, *files.weights);
    QTEST(QString::fromStdString(hugging_face.in_file(own.toStdString(), 7)), "hugging_face");
    const auto gguf = TensorNames::of_gguf(*found);
    QTEST(QString::fromStdString(gguf.in_file(own.toStdString(), 7)), "gguf");
  }

  void decoderWithinALargerModel_isFound_data() {
    QTest::addColumn<bool>("is_newer");
    QTest::newRow("language_model.model") << false;
    QTest::newRow("model.language_model") << true;
  }
  void decoderWithinALargerModel_isFound() {
    QFETCH(bool, is_newer);
    const fs::path source = tiny_model_folder("gemma3");
    QTemporaryDir temporary;
    const fs::path folder = temporary.path().toStdString();
    json text = json::parse(read_file(source / "config.json"));
    text.erase("architectures");
    const json config = {{"architectures", {"Gemma3ForConditionalGeneration"}},
                         {"text_config", text}};
    write_file(folder / "config.json", config.dump());
    write_file(folder / "model.safetensors", renamed(read_file(source / "model.safetensors"),
                                                     is_newer ? as_newer_part : as_older_part));
    ModelHarness part(folder, "scalar"), whole(source, "scalar");
    const auto tokens = Reference(source / "reference.safetensors").ints("prompt_1.tokens");
    TestSequence in_part = part.sequence(tokens), in_whole = whole.sequence(tokens);
    const auto count = static_cast<int>(tokens.size());
    QVERIFY(part.step(in_part, count) == whole.step(in_whole, count));
  }

  void transposedExpert_getsItsOutputsAsRows() {
    const float x[] = {1, 2, 3, 4, 5, 6, 7, 8};  // Two inputs, four outputs.
    const ConstTensorView view(x, DType::kF32, {2, 4});
    const auto rows = [&](bool interleaved) {
      const std::vector<std::byte> bytes = transpose_expert(view, interleaved);
      std::vector<float> values(8);
      std::memcpy(values.data(), bytes.data(), bytes.size());
      return values;
    };
    QCOMPARE(rows(false), (std::vector<float>{1, 5, 2, 6, 3, 7, 4, 8}));
    QCOMPARE(rows(true), (std::vector<float>{1, 5, 3, 7, 2, 6, 4, 8}));
    std::vector<float> bias = {10, 20, 11, 21};
    separate_interleaved(bias);
    QCOMPARE(bias, (std::vector<float>{10, 11, 20, 21}));
  }

  void manyRows_areSharedByAllCores() {
    constexpr int64_t kInputs = 70, kOutputs = 1500;
    std::vector<uint16_t> x(kInputs * kOutputs);
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<uint16_t>(i * 7919);
    const std::vector<std::byte> bytes =
        transpose_expert(ConstTensorView(x.data(), DType::kBF16, {kInputs, kOutputs}), false);
    const auto* rows = reinterpret_cast<const uint16_t*>(bytes.data());
    for (int64_t n = 0; n < kOutputs; ++n) {
      for (int64_t k = 0; k < kInputs; ++k) {
        QCOMPARE(rows[n * kInputs + k], x[static_cast<size_t>(k * kOutputs + n)]);
      }
    }
    std::vector<std::byte> blocks(kOutputs * 16), scales(kOutputs);
    for (size_t n = 0; n < scales.size(); ++n) scales[n] = static_cast<std::byte>(n % 251);
    const std::vector<std::byte> laid = repack_mxfp4(blocks, scales, kOutputs, true);
    for (size_t n = 0; n < scales.size(); ++n) {
      const size_t half = scales.size() / 2;
      QCOMPARE(laid[n * 17], scales[n < half ? 2 * n : 2 * (n - half) + 1]);
    }
  }

  void leftOutNames_doNotChangeResults() {
    TensorNames names = TensorNames::of_gguf(*find_architecture("llama"));
    for (const char* layer : {"1", "11"}) {
      for (const char* name : {"attn_k", "attn_v", "attn_k_norm"}) {
        names.leave_out("blk." + std::string(layer) + "." + name);
      }
    }
    for (const char* name : {"blk.1.attn_k.weight", "blk.1.attn_k.bias", "blk.11.attn_v.weight",
                             "blk.1.attn_k_norm.weight"}) {
      QVERIFY2(!names.changes_results(name), name);
    }
    for (const char* name :
         {"blk.1.attn_q.weight", "blk.1.attn_kx.weight", "blk.1.attn_k", "blk.1.attn_v_norm.weight",
          "blk.2.attn_k.weight", "blk.0.a.weight", "blk.111.attn_k.weight"}) {
      QVERIFY2(names.changes_results(name), name);
    }
  }

  /// As many layers as a model may have, and as many tensors as a file.
  void manyLeftOut_areFoundInTime() {
    TensorNames names = TensorNames::of_gguf(*find_architecture("llama"));
    for (int i = 0; i < 4095; ++i) {
      for (const char* name : {"attn_k", "attn_v", "attn_k_norm", "attn_v_norm"}) {
        names.leave_out("blk." + std::to_string(i) + "." + name);
      }
    }
    const double before = thread_ms();
    int num_found = 0;
    for (int i = 0; i < 60'000; ++i) {
      num_found += names.changes_results("blk.0.x" + std::to_string(i)) ? 1 : 0;
    }
    const double taken = thread_ms() - before;
    QCOMPARE(num_found, 60'000);
    QVERIFY2(taken < 1000.0 * kSanitizerFactor, qPrintable(QString::number(taken)));
  }

  void mxfp4_isLaidAsGgufLaysIt() {
    // Two rows of one block: elements 0, 1, 2, ... modulo 16, and all 5.
    std::vector<std::byte> blocks(32, std::byte{0x55});
    for (size_t i = 0; i < 16; ++i) {
      blocks[i] = static_cast<std::byte>((2 * i % 16) | (2 * i + 1) % 16 << 4);
    }
    const std::vector<std::byte> scales = {std::byte{120}, std::byte{130}};
    const std::vector<std::byte> out = repack_mxfp4(blocks, scales, 2, false);
    QCOMPARE(out.size(), size_t{34});
    QCOMPARE(out[0], std::byte{120});
    for (size_t j = 0; j < 16; ++j) QCOMPARE(out[1 + j], static_cast<std::byte>(j | j << 4));
    QCOMPARE(out[17], std::byte{130});
    for (size_t j = 0; j < 16; ++j) QCOMPARE(out[18 + j], std::byte{0x55});
  }
};

QTEST_APPLESS_MAIN(TestTensorNames)
#include "tst_tensor_names.moc"
