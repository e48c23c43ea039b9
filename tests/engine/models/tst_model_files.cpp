#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/models/model_files.h"
#include "engine/models/null_backend.h"
#include "tests/engine/io/safetensors_builder.h"
#include "tests/engine/models/model_test_support.h"

using namespace quire;
using namespace quire::test;

namespace fs = std::filesystem;

namespace {

/// Remembers where the weights lay that it was given.
class RecordingBackend final : public NullBackend {
 public:
  Result<std::unique_ptr<LinearWeight>> pack_linear(
      std::span<const ConstTensorView> parts) override {
    for (const ConstTensorView& part : parts)
      given.push_back(static_cast<const std::byte*>(part.data()));
    return NullBackend::pack_linear(parts);
  }
  std::vector<const std::byte*> given;
};

constexpr char kRemedy[] = "; download it again, or choose another conversion";

}  // namespace

/// Copies of a tiny model, each with one thing wrong.
class TestModelFiles : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<Backend> m_backend;

  fs::path folder() const { return m_folder->path().toStdString(); }
  void copy(const char* name) {
    m_folder = std::make_unique<QTemporaryDir>();
    fs::copy(tiny_model_folder(name), folder(), fs::copy_options::recursive);
  }
  void edit_config(const char* change) {
    auto config = nlohmann::json::parse(read_file(folder() / "config.json"));
    config.update(nlohmann::json::parse(change));
    write_file(folder() / "config.json", config.dump());
  }
  QString name() const { return QString::fromStdString(folder().filename().string()); }
  QString load_error() {
    auto decoder = load_decoder(folder(), *m_backend);
    return decoder ? "loaded" : QString::fromStdString(decoder.error().message);
  }

 private slots:
  void initTestCase() { m_backend = must(create_backend({.device = "cpu", .num_threads = 1})); }

  void everyTinyModel_loads() {
    for (const std::string& name : tiny_models()) {
      auto decoder = load_decoder(tiny_model_folder(name), *m_backend);
      QVERIFY2(decoder, decoder ? "" : decoder.error().message.c_str());
      QVERIFY((*decoder)->weight_bytes() > 0);
    }
  }

  void configThatContradictsTheTensors_namesTensorAndShapes_data() {
    QTest::addColumn<QString>("change");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* change, const char* message) {
      QTest::newRow(change) << QString(change) << QString(message);
    };
    row(R"({"vocab_size": 170})",
        "the tensor model.embed_tokens.weight of MODEL has the shape (160, 48), but config.json "
        "asks for "
        "(170, 48)");
    row(R"({"intermediate_size": 95})",
        "the tensor model.layers.0.mlp.gate_proj.weight of MODEL has the shape (96, 48), but "
        "config.json asks "
        "for (95, 48)");
    row(R"({"num_key_value_heads": 3})",
        "the tensor model.layers.0.self_attn.k_proj.weight of MODEL has the shape (16, 48), but "
        "config.json "
        "asks for (24, 48)");
    row(R"({"head_dim": 16})",
        "the tensor model.layers.0.self_attn.q_proj.weight of MODEL has the shape (48, 48), but "
        "config.json "
        "asks for (96, 48)");
    row(R"({"num_hidden_layers": 4})",
        "the tensor model.layers.3.self_attn.q_proj.weight is missing from MODEL");
    row(R"({"attention_bias": true})",
        "the tensor model.layers.0.self_attn.q_proj.bias is missing from MODEL");
  }
  void configThatContradictsTheTensors_namesTensorAndShapes() {
    QFETCH(QString, change);
    QFETCH(QString, message);
    copy("gqa_f32");
    edit_config(qPrintable(change));
    QCOMPARE(load_error(), message.replace("MODEL", name()) + kRemedy);
  }

  void tensorsOfOtherArchitectures_areNamedAsTheFilesDo_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("change");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* model, const char* change, const char* message) {
      QTest::addRow("%s %s", model, change)
          << QString(model) << QString(change) << QString(message);
    };
    row("mixtral", R"({"num_local_experts": 5})",
        "the tensor model.layers.0.block_sparse_moe.gate.weight of MODEL has the shape (4, 48), "
        "but config.json "
        "asks for (5, 48)");
    row("mixtral", R"({"intermediate_size": 55})",
        "the tensor model.layers.0.block_sparse_moe.experts.0.w1.weight of MODEL has the shape "
        "(56, 48), but "
        "config.json asks for (55, 48)");
    row("qwen3_moe", R"({"moe_intermediate_size": 41})",
        "the tensor model.layers.0.mlp.experts.0.gate_proj.weight of MODEL has the shape (40, 48), "
        "but "
        "config.json asks for (41, 48)");
    row("gpt_oss", R"({"intermediate_size": 41})",
        "the tensor model.layers.0.mlp.experts.gate_up_proj of MODEL has the shape (4, 48, 80), "
        "but config.json "
        "asks for (4, 48, 82)");
    row("gpt_oss_mxfp4", R"({"intermediate_size": 64})",
        "the tensor model.layers.0.mlp.experts.gate_up_proj_blocks of MODEL has the shape (4, 64, "
        "3, 16), but "
        "config.json asks for (4, 128, 3, 16)");
    row("phi3", R"({"intermediate_size": 5})",
        "the tensor model.layers.0.mlp.gate_proj.weight is missing from MODEL");
    row("qwen3", R"({"architectures": ["Olmo2ForCausalLM"]})",
        "the tensor model.layers.0.self_attn.q_norm.weight of MODEL has the shape (16), but "
        "config.json asks "
        "for (64)");
  }
  void tensorsOfOtherArchitectures_areNamedAsTheFilesDo() {
    QFETCH(QString, model);
    QFETCH(QString, change);
    QFETCH(QString, message);
    copy(qPrintable(model));
    edit_config(qPrintable(change));
    QCOMPARE(load_error(), message.replace("MODEL", name()) + kRemedy);
  }

  void untiedModelWithoutItsHead_namesIt() {
    copy("gqa_bf16_tied");
    edit_config(R"({"tie_word_embeddings": false})");
    QCOMPARE(load_error(),
             QString("the tensor lm_head.weight is missing from %1").arg(name()) + kRemedy);
  }

  void tensorThatNoLayerReads_isRefused_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("change");
    QTest::addColumn<QString>("tensor");
    QTest::newRow("a layer") << "gqa_f32"
                             << R"({"num_hidden_layers": 2})"
                             << "model.layers.2.input_layernorm.weight";
    QTest::newRow("a bias") << "mqa_bias"
                            << R"({"attention_bias": false})"
                            << "model.layers.0.self_attn.k_proj.bias";
  }
  void tensorThatNoLayerReads_isRefused() {
    QFETCH(QString, model);
    QFETCH(QString, change);
    QFETCH(QString, tensor);
    copy(qPrintable(model));
    edit_config(qPrintable(change));
    QCOMPARE(load_error(), QString("the tensor %1 of %2 is not one that config.json asks for; "
                                   "without it the answers would be wrong, so choose another "
                                   "conversion of the model")
                               .arg(tensor, name()));
  }

  void missingFiles_areNamed() {
    copy("gqa_f32");
    fs::remove(folder() / "config.json");
    QVERIFY(load_error().startsWith(m_folder->path() + " holds no model: neither config.json"));
    copy("sharded");
    fs::remove(folder() / "model-00002-of-00004.safetensors");
    QCOMPARE(load_error(), m_folder->path() +
                               "/model-00002-of-00004.safetensors cannot be read: "
                               "there is no such file");
    copy("gqa_f32");
    fs::remove(folder() / "model.safetensors");
    QCOMPARE(load_error(),
             m_folder->path() + " has no model.safetensors and no model.safetensors.index.json");
    auto absent = load_decoder(folder() / "absent", *m_backend);
    QCOMPARE(QString::fromStdString(absent.error().message),
             m_folder->path() + "/absent does not exist");
    auto file = load_decoder(folder() / "config.json", *m_backend);
    QCOMPARE(file.error().code, ErrorCode::kUnsupported);
  }

  void truncatedWeights_sayByHowMuch() {
    copy("gqa_f32");
    const fs::path weights = folder() / "model.safetensors";
    fs::resize_file(weights, fs::file_size(weights) - 1234);
    QCOMPARE(load_error(), QString("model.safetensors is 1,234 bytes shorter than its header says; "
                                   "download it again"));
    copy("sharded");
    const fs::path shard = folder() / "model-00003-of-00004.safetensors";
    fs::resize_file(shard, fs::file_size(shard) - 10);
    QCOMPARE(load_error(), QString("model-00003-of-00004.safetensors is 10 bytes shorter than its "
                                   "header says; download it again"));
  }

  void progress_risesToOne() {
    std::vector<float> seen;
    auto decoder = load_decoder(tiny_model_folder("gqa_f32"), *m_backend,
                                {.progress = [&](float fraction) { seen.push_back(fraction); }});
    QVERIFY(decoder.has_value());
    QVERIFY(seen.size() > 10 && std::is_sorted(seen.begin(), seen.end()));
    QCOMPARE(seen.back(), 1.0f);
  }

  void progress_countsEveryTensorOnce() {
    for (const char* name : {"gqa_bf16_tied", "mixtral", "gpt_oss", "gpt_oss_mxfp4", "phi3"}) {
      float last = 0.0f, before = 0.0f;
      auto decoder =
          load_decoder(tiny_model_folder(name), *m_backend, {.progress = [&](float fraction) {
                         before = last;
                         last = fraction;
                       }});
      QVERIFY(decoder.has_value());
      QCOMPARE(last, 1.0f);
      QVERIFY2(before < 1.0f, name);
    }
  }

  void checking_laysNothingAnew_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("tensor");
    QTest::newRow("transposed") << "gpt_oss"
                                << "model.layers.0.mlp.experts.down_proj";
    QTest::newRow("MXFP4") << "gpt_oss_mxfp4"
                           << "model.layers.0.mlp.experts.down_proj_blocks";
  }
  void checking_laysNothingAnew() {
    QFETCH(QString, model);
    QFETCH(QString, tensor);
    const auto files = must(open_model_files(tiny_model_folder(model.toStdString())));
    const std::byte* const stored = must(files.weights->bytes(tensor.toStdString())).data();
    RecordingBackend loading, checking;
    const auto loaded = must(make_decoder(files, loading));
    float last = 0.0f;
    const auto checked = must(
        make_decoder(files, checking,
                     {.progress = [&](float fraction) { last = fraction; }, .check_only = true}));
    QCOMPARE(std::count(loading.given.begin(), loading.given.end(), stored), 0);
    QVERIFY(std::count(checking.given.begin(), checking.given.end(), stored) > 0);
    QCOMPARE(checked->weight_bytes(), loaded->weight_bytes());
    QCOMPARE(last, 1.0f);
  }

  void cancelling_stopsBetweenExperts() {
    std::atomic<bool> cancelled = false;
    int calls = 0, all_calls = 0;
    const auto count = [&](float) { ++all_calls; };
    QVERIFY(load_decoder(tiny_model_folder("qwen3_moe"), *m_backend, {.progress = count}));
    const int middle = all_calls / 2;
    auto decoder = load_decoder(
        tiny_model_folder("qwen3_moe"), *m_backend,
        {.progress = [&](float) { cancelled = ++calls >= middle; }, .cancelled = &cancelled});
    QVERIFY(!decoder);
    QCOMPARE(decoder.error().code, ErrorCode::kCancelled);
    QCOMPARE(calls, middle);
  }

  void cancelling_endsTheLoad() {
    std::atomic<bool> cancelled = false;
    int calls = 0;
    const auto cancel_at_third = [&](float) { cancelled = ++calls >= 3; };
    auto decoder = load_decoder(tiny_model_folder("gqa_f32"), *m_backend,
                                {.progress = cancel_at_third, .cancelled = &cancelled});
    QVERIFY(!decoder);
    QCOMPARE(decoder.error().code, ErrorCode::kCancelled);
    QVERIFY(calls < 6);
  }
};

QTEST_APPLESS_MAIN(TestModelFiles)
#include "tst_model_files.moc"
