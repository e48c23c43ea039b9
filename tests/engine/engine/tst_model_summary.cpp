#include <sys/inotify.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "engine/model_summary.h"
#include "tests/engine/io/gguf_builder.h"
#include "tests/support/bundled_model.h"

using namespace quire;
namespace fs = std::filesystem;

/// inspect: what files say of a model, and what would stop it from loading.
class TestModelSummary : public QObject {
  Q_OBJECT

 private:
  static ModelSummary inspect(const fs::path& path) {
    auto summary = inspect_model(path);
    if (!summary) qFatal("%s", summary.error().message.c_str());
    return std::move(*summary);
  }
  static fs::path data(const char* name) { return fs::path(QUIRE_SOURCE_DIR "/tests/data") / name; }
  fs::path write(const char* name, const std::string& bytes) const {
    const fs::path path = fs::path(m_folder.path().toStdString()) / name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  static bool mentions(const ModelSummary& summary, const char* word) {
    return std::any_of(summary.obstacles.begin(), summary.obstacles.end(),
                       [&](const Error& o) { return o.message.find(word) != std::string::npos; });
  }

  QTemporaryDir m_folder;

 private slots:
  void folder_isDescribed() {
    const ModelSummary summary = inspect(bundled_model_folder());
    QVERIFY(summary.obstacles.empty());
    QCOMPARE(summary.format, std::string("safetensors"));
    QCOMPARE(summary.architecture, std::string("LlamaForCausalLM"));
    QVERIFY(summary.config && summary.tokenizer && !summary.template_source.empty());
    QCOMPARE(summary.dtypes.size(), size_t{1});
    QCOMPARE(summary.dtypes[0].dtype, std::string("BF16"));
    QCOMPARE(summary.dtypes[0].num_parameters, summary.num_parameters);
    QVERIFY(summary.weight_bytes > 0);
  }

  void configWithPythonsInfinity_isDescribed() {
    const QTemporaryDir temporary;
    const fs::path folder = temporary.path().toStdString();
    for (const char* name : {"config.json", "model.safetensors"}) {
      fs::copy_file(data("models/nemotron_h") / name, folder / name);
    }
    QFile config(QString::fromStdString((folder / "config.json").string()));
    QVERIFY(config.open(QIODevice::ReadWrite));
    QByteArray text = config.readAll();
    text.replace("\"time_step_floor\": 0.0001", "\"time_step_floor\": -Infinity");
    QVERIFY(text.contains("-Infinity") && config.resize(0) && config.write(text) == text.size());
    config.close();
    const ModelSummary summary = inspect(folder);
    QCOMPARE(summary.architecture, std::string("NemotronHForCausalLM"));
    QVERIFY(summary.config && !mentions(summary, "JSON"));
  }

  void quantisedFile_isDescribedByType() {
    const fs::path path = data("gguf/quant_q4_k_m.gguf");
    const ModelSummary summary = inspect(path);
    QVERIFY(summary.obstacles.empty());
    QCOMPARE(summary.format, std::string("GGUF version 3"));
    QCOMPARE(summary.architecture, std::string("llama"));
    QCOMPARE(summary.name, std::string("tiny Q4_K_M"));
    QCOMPARE(summary.file_bytes, uint64_t{fs::file_size(path)});
    QStringList types;
    for (const auto& use : summary.dtypes) types << QString::fromStdString(use.dtype);
    QVERIFY(types.contains("Q4_K") && types.contains("Q6_K") && types.contains("F32"));
    QCOMPARE(summary.config->end_tokens.empty(), false);
  }

  void packedNumbers_areCounted() {
    const ModelSummary summary = inspect(data("models/gpt_oss_mxfp4"));
    QCOMPARE(summary.num_parameters, int64_t{144304});  // As transformers counts them.
    QCOMPARE(summary.dtypes.size(), size_t{2});
    QCOMPARE(summary.dtypes[1].dtype, std::string("MXFP4"));
  }

  void splitSet_isCountedAsOne() {
    const ModelSummary summary = inspect(data("gguf/llama_split-00002-of-00003.gguf"));
    QVERIFY(summary.obstacles.empty());
    QCOMPARE(summary.format, std::string("GGUF version 3, split into 3 files"));
  }

  void unknownArchitecture_isDescribedWithWhatStopsIt() {
    const ModelSummary summary = inspect(
        write("mamba.gguf", test::GgufBuilder()
                                .string("general.architecture", "mamba")
                                .tensor("blk.0.ssm_in.weight", {32, 2}, 8, std::string(68, 'x'))
                                .build()));
    QCOMPARE(summary.architecture, std::string("mamba"));
    QCOMPARE(summary.tensors.size(), size_t{1});
    QCOMPARE(summary.dtypes[0].dtype, std::string("Q8_0"));
    QVERIFY(!summary.config);
    QVERIFY(mentions(summary, "mamba"));
    QVERIFY(mentions(summary, "tokenizer"));
  }

  void missingTensor_isFoundWithoutLoading() {
    fs::path folder = fs::path(m_folder.path().toStdString()) / "broken";
    fs::copy(data("models/sharded"), folder);
    fs::remove(folder / "model-00003-of-00004.safetensors");
    const auto summary = inspect_model(folder);
    QVERIFY(!summary);  // Of a set with a hole nothing can be said.
    QVERIFY(summary.error().message.find("model-00003-of-00004") != std::string::npos);
    folder = fs::path(m_folder.path().toStdString()) / "wrong";
    fs::copy(data("models/gqa_f32"), folder);
    std::ifstream in(folder / "config.json");
    std::string config((std::istreambuf_iterator<char>(in)), {});
    const std::string layers = "\"num_hidden_layers\": 3";
    config.replace(config.find(layers), layers.size(), "\"num_hidden_layers\": 4");
    std::ofstream(folder / "config.json") << config;
    QVERIFY(mentions(inspect(folder), "model.layers.3."));
  }

  void tokenizerOfAnotherModel_isAnObstacle() {
    const fs::path folder = fs::path(m_folder.path().toStdString()) / "mixed";
    fs::copy(data("models/gqa_f32"), folder);
    for (const char* name : {"tokenizer.model", "tokenizer_config.json"}) {
      fs::copy(data("tokenizer/exact") / name, folder / name);
    }
    QVERIFY(mentions(inspect(folder), "they belong to different models"));
  }

  void brokenTemplate_isNoObstacle() {
    const fs::path folder = fs::path(m_folder.path().toStdString()) / "template";
    fs::copy(bundled_model_folder(), folder);
    std::ofstream(folder / "chat_template.jinja") << "{% if %}";
    const ModelSummary summary = inspect(folder);
    QVERIFY(summary.obstacles.empty());
    QVERIFY(summary.template_error.find("line 1") != std::string::npos);
  }

  void otherKindsOfGguf_areNamed() {
    const ModelSummary summary =
        inspect(write("lora.gguf", test::GgufBuilder()
                                       .string("general.architecture", "llama")
                                       .string("general.type", "adapter")
                                       .build()));
    QVERIFY(mentions(summary, "is an adapter and not a whole model"));
    QVERIFY(mentions(summary, "tokenizer.ggml.model is absent"));
  }

  void folderOfMedusaHeads_isNamed() {
    const fs::path folder = m_folder.path().toStdString() + "/heads";
    fs::create_directories(folder);
    std::ofstream(folder / "config.json")
        << R"({"model_type": "medusa", "medusa_num_heads": 3, "medusa_num_layers": 1})";
    const auto heads = inspect_model(folder);
    QVERIFY(!heads);
    const std::string& message = heads.error().message;
    QVERIFY2(message.find("holds Medusa heads") != std::string::npos, message.c_str());
    QVERIFY2(message.find("--draft") != std::string::npos, message.c_str());
  }

  void folderOfModels_saysWhatToChoose() {
    const auto nested = inspect_model(QUIRE_SOURCE_DIR "/tests/data");
    QVERIFY(!nested);
    QVERIFY(nested.error().message.find("holds no model") != std::string::npos);
    const fs::path upper = fs::path(m_folder.path().toStdString()) / "upper";
    fs::create_directory(upper);
    fs::copy(data("gguf/qwen3.gguf"), upper / "MODEL.GGUF");
    QVERIFY(inspect(upper).obstacles.empty());
  }

  void hugeShapes_doNotOverflow() {
    test::GgufBuilder builder;
    builder.string("general.architecture", "llama");
    for (int i = 0; i < 17; ++i) {
      builder.entry("t" + std::to_string(i), {uint64_t{1} << 30, uint64_t{1} << 29}, 99, 0);
    }
    const ModelSummary summary = inspect(write("huge.gguf", builder.build()));
    QCOMPARE(summary.num_parameters, int64_t{0});
    QVERIFY(mentions(summary, "huge.gguf is damaged: its tensors have impossibly large shapes"));
  }

  void opensEachFileOnce_data() {
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("file");
    QTest::newRow("GGUF") << "gguf/qwen3.gguf"
                          << "qwen3.gguf";
    QTest::newRow("a part of a set") << "gguf/llama_split-00001-of-00003.gguf"
                                     << "llama_split-00001-of-00003.gguf";
    QTest::newRow("safetensors") << "models/gqa_f32/model.safetensors"
                                 << "model.safetensors";
  }
  void opensEachFileOnce() {
    QFETCH(QString, source);
    QFETCH(QString, file);
    const fs::path from = data(qPrintable(source));
    const fs::path folder = fs::path(m_folder.path().toStdString()) / QTest::currentDataTag();
    fs::copy(from.parent_path(), folder);
    const fs::path path = folder / file.toStdString();
    const int watch = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    QVERIFY(::inotify_add_watch(watch, path.c_str(), IN_OPEN | IN_CLOSE) >= 0);
    inspect(path.extension() == ".gguf" ? path : folder);
    alignas(inotify_event) char events[4096];
    const ssize_t size = ::read(watch, events, sizeof events);
    int num_opened = 0;
    for (ssize_t at = 0; at < size;) {
      const auto* event = reinterpret_cast<const inotify_event*>(events + at);
      num_opened += (event->mask & IN_OPEN) != 0 ? 1 : 0;
      at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
    }
    ::close(watch);
    QCOMPARE(num_opened, 1);
  }

  void nothingThere_isAnError() {
    QCOMPARE(inspect_model("/no/such/model").error().code, ErrorCode::kNotFound);
    const fs::path text = write("notes.txt", "hello");
    QVERIFY(!inspect_model(text));
  }
};

QTEST_APPLESS_MAIN(TestModelSummary)
#include "tst_model_summary.moc"
