// Vectors of texts against transformers', and how their pooling is found.

#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <fstream>
#include <limits>

#include "engine/embed.h"
#include "engine/io/gguf_file.h"
#include "engine/io/safetensors.h"
#include "engine/models/model_files.h"
#include "tests/engine/engine/engine_test_support.h"
#include "tests/engine/io/safetensors_builder.h"

using namespace quire;

namespace {

namespace fs = std::filesystem;

using Vectors = std::vector<std::vector<float>>;
using Texts = std::vector<std::vector<TokenId>>;

std::vector<float> floats(SafetensorsWeights& file, const std::string& name) {
  const auto view = file.tensor(name);
  if (!view) qFatal("%s", view.error().message.c_str());
  return {view->as<float>(), view->as<float>() + view->num_elements()};
}

std::vector<TokenId> ids(SafetensorsWeights& file, const std::string& name) {
  const auto view = file.tensor(name);
  if (!view) qFatal("%s", view.error().message.c_str());
  return {view->as<int32_t>(), view->as<int32_t>() + view->num_elements()};
}

/// A tiny model without a tokenizer.
LoadedModel load_tiny(const fs::path& name, Backend& backend) {
  auto decoder = load_decoder(fs::path(QUIRE_SOURCE_DIR) / "tests/data/models" / name, backend);
  if (!decoder) qFatal("%s", decoder.error().message.c_str());
  LoadedModel model;
  model.config = (*decoder)->config();
  model.decoder = std::move(*decoder);
  return model;
}

Vectors must_embed(const LoadedModel& model, const Texts& texts, const EmbedOptions& options) {
  auto vectors = compute_embeddings(model, texts, options);
  if (!vectors) qFatal("%s", vectors.error().message.c_str());
  return *vectors;
}

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  double largest = a.size() == b.size() ? 0.0 : 1.0;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    largest = std::max(largest, std::abs(double{a[i]} - b[i]));
  }
  return largest;
}

}  // namespace

class TestEmbeddings : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<Backend> m_backend;
  std::unique_ptr<QTemporaryDir> m_folder;

  fs::path folder() const { return m_folder->path().toStdString(); }
  void write_modules(const std::string& modules) {
    quire::test::write_file(folder() / "modules.json", modules);
  }
  void write_pooling(const std::string& config) {
    fs::create_directories(folder() / "1_Pooling");
    quire::test::write_file(folder() / "1_Pooling" / "config.json", config);
  }

 private slots:
  void initTestCase() {
    auto backend =
        create_backend({.device = "cpu", .num_threads = 2, .quantize_activations = false});
    QVERIFY(backend.has_value());
    m_backend = std::move(*backend);
  }
  void init() { m_folder = std::make_unique<QTemporaryDir>(); }

  void vectors_matchTransformers_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("pooling");
    for (const char* model : {"qwen3", "granite_hybrid", "gemma3", "gpt2"}) {
      for (const char* pooling : {"mean", "last", "cls"}) {
        QTest::addRow("%s, %s", model, pooling) << model << pooling;
      }
    }
  }
  void vectors_matchTransformers() {
    QFETCH(QString, model);
    QFETCH(QString, pooling);
    const std::string name = model.toStdString();
    auto reference = SafetensorsWeights::open_file(
        fs::path(QUIRE_SOURCE_DIR) / "tests/data/embeddings" / (name + ".safetensors"));
    QVERIFY(reference.has_value());
    Texts texts;
    Vectors expected;
    for (int i = 0; (*reference)->find("text_" + std::to_string(i) + ".tokens"); ++i) {
      const std::string text = "text_" + std::to_string(i);
      texts.push_back(ids(**reference, text + ".tokens"));
      expected.push_back(floats(**reference, text + "." + pooling.toStdString()));
    }
    QVERIFY(texts.size() >= 2);
    const LoadedModel loaded = load_tiny(name, *m_backend);
    EmbedOptions options = {.pooling = *find_pooling(pooling.toStdString())};
    const Vectors together = must_embed(loaded, texts, options);
    QCOMPARE(together.size(), texts.size());
    for (size_t i = 0; i < texts.size(); ++i) {
      const double error = largest_difference(together[i], expected[i]);
      QVERIFY2(error < 1e-5, qPrintable(QString::number(error)));
      // To the bit: alone, and in steps of few rows.
      QVERIFY(must_embed(loaded, {texts[i]}, options).front() == together[i]);
    }
    options.max_batch_tokens = 5;
    QVERIFY(must_embed(loaded, texts, options) == together);
  }

  void manyTexts_areComputedInGroups() {
    const LoadedModel loaded = load_tiny("qwen3", *m_backend);
    Texts texts;
    for (int i = 0; i < 150; ++i) {
      texts.emplace_back();
      for (int t = 0; t <= i % 23; ++t) texts.back().push_back((7 * i + 3 * t) % 90);
    }
    const Vectors all = must_embed(loaded, texts, {.pooling = Pooling::kMean});
    QCOMPARE(all.size(), texts.size());
    for (const size_t i : {size_t{0}, size_t{63}, size_t{64}, size_t{149}}) {
      QVERIFY(must_embed(loaded, {texts[i]}, {.pooling = Pooling::kMean}).front() == all[i]);
      double square = 0.0;
      for (const float value : all[i]) square += double{value} * value;
      QVERIFY(std::abs(square - 1.0) < 1e-5);
    }
    QVERIFY(must_embed(loaded, {}, {}).empty());
    const auto raw = must_embed(loaded, {texts[9]}, {.normalizes = false}).front();
    const auto unit = must_embed(loaded, {texts[9]}, {}).front();
    QVERIFY(largest_difference(raw, unit) > 1e-3);
  }

  void impossibleTexts_areRefused() {
    const LoadedModel loaded = load_tiny("qwen3", *m_backend);
    const auto code = [&](const std::vector<TokenId>& text) {
      const Texts texts = {{1, 2}, text};
      const auto vectors = compute_embeddings(loaded, texts, {});
      return vectors ? ErrorCode::kInternal : vectors.error().code;
    };
    QCOMPARE(code({}), ErrorCode::kInvalidArgument);
    QCOMPARE(code({1 << 30}), ErrorCode::kInvalidArgument);
    const std::vector<TokenId> longer(static_cast<size_t>(loaded.config.max_positions) + 1, 3);
    QCOMPARE(code(longer), ErrorCode::kContextOverflow);
  }

  /// NaN in the last norm is in each vector; zeros or nulls would pass for an answer.
  void vectorsThatAreNoNumbers_areRefused() {
    const fs::path model = fs::path(QUIRE_SOURCE_DIR) / "tests/data/models/gqa_f32";
    for (const char* name : {"config.json", "model.safetensors"}) {
      fs::copy_file(model / name, folder() / name);
    }
    auto weights = SafetensorsWeights::open(folder());
    const TensorInfo* const norm = weights ? (*weights)->find("model.norm.weight") : nullptr;
    QVERIFY(norm != nullptr && norm->dtype == "F32");
    const float nan = std::numeric_limits<float>::quiet_NaN();
    std::fstream file(folder() / "model.safetensors",
                      std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(norm->offset));
    file.write(reinterpret_cast<const char*>(&nan), sizeof nan).flush();
    const LoadedModel loaded = load_tiny(folder(), *m_backend);
    for (const Pooling pooling : {Pooling::kMean, Pooling::kLast, Pooling::kFirst}) {
      const Texts texts = {{1, 2, 3}, {4}};
      const auto vectors = compute_embeddings(loaded, texts, {.pooling = pooling});
      QVERIFY(!vectors);
      QCOMPARE(vectors.error().code, ErrorCode::kDevice);
    }
  }

  void engines_embedBesideTheirRequests() {
    Llm llm = open_draft();
    Request request{.prompt = random_tokens(50, 1),
                    .sampling = {.temperature = 0.0f, .max_tokens = 20, .ignore_eos = true}};
    const auto expected = llm.generate({request}).front().tokens;
    const Texts texts = {random_tokens(30, 2), random_tokens(70, 3)};
    const auto before = llm.engine().embed(texts, {});
    QVERIFY(before.has_value());
    QVERIFY(llm.engine().submit(request).has_value());
    std::vector<TokenId> tokens;
    while (llm.engine().has_work()) {
      for (const RequestEvent& event : llm.engine().step()) {
        tokens.insert(tokens.end(), event.tokens.begin(), event.tokens.end());
      }
      const auto vectors = llm.engine().embed(texts, {});
      QVERIFY(vectors.has_value() && *vectors == *before);
    }
    QCOMPARE(tokens, expected);
  }

  void tokens_areWithThoseOfTheFiles() {
    Llm llm = open_draft();
    const Tokenizer& tokenizer = *llm.model().chat->tokenizer;
    const auto plain = tokenizer.encode("Hello");
    const auto tokens = embedding_tokens(tokenizer, "Hello");
    QCOMPARE(tokens.size(), plain.size() + (tokenizer.adds_bos() ? 1u : 0u) +
                                (tokenizer.appended_token() ? 1u : 0u));
  }

  void pooling_isReadFromTheFolder_data() {
    QTest::addColumn<QByteArray>("modules");
    QTest::addColumn<QByteArray>("config");
    QTest::addColumn<QString>("expected");
    const QByteArray list =
        R"([{"type": "sentence_transformers.models.Transformer", "path": ""},
            {"type": "sentence_transformers.models.Pooling", "path": "1_Pooling"},
            {"type": "sentence_transformers.models.Normalize", "path": "2_Normalize"}])";
    const QByteArray last = R"({"pooling_mode_lasttoken": true, "pooling_mode_cls_token": false})";
    QTest::newRow("last") << list << last << "last";
    QTest::newRow("mean") << list << QByteArray(R"({"pooling_mode_mean_tokens": true})") << "mean";
    QTest::newRow("cls") << list << QByteArray(R"({"pooling_mode_cls_token": true})") << "cls";
    QTest::newRow("no list") << QByteArray() << last << "last";
    QTest::newRow("nothing") << QByteArray() << QByteArray() << "";
    QTest::newRow("max") << list << QByteArray(R"({"pooling_mode_max_tokens": true})")
                         << "\"max_tokens\"";
    QTest::newRow("named") << list << QByteArray(R"({"pooling_mode": "lasttoken"})") << "last";
    QTest::newRow("two")
        << list << QByteArray(R"({"pooling_mode_cls_token": true, "pooling_mode_lasttoken": true})")
        << "several at once";
    QTest::newRow("dense") << QByteArray(R"([{"type": "sentence_transformers.models.Dense"}])")
                           << QByteArray() << "Dense";
    QTest::newRow("elsewhere") << QByteArray(R"([{"type": "x.Pooling", "path": "../1_Pooling"}])")
                               << last << "is not that of a folder beside it";
    QTest::newRow("no JSON") << list << QByteArray("{") << "1_Pooling/config.json";
    const QByteArray pooling = R"({"type": "x.Pooling", "path": "1_Pooling"})";
    QTest::newRow("two modules") << '[' + pooling + ", " + pooling + ']' << last
                                 << "several at once";
    QTest::newRow("ten thousand modules")
        << '[' + QByteArray(pooling + ", ").repeated(10'000) + pooling + ']' << last << "65,536";
    QTest::newRow("a large one") << list << QByteArray(100'000, ' ') + last << "1_Pooling";
  }
  void pooling_isReadFromTheFolder() {
    QFETCH(QByteArray, modules);
    QFETCH(QByteArray, config);
    QFETCH(QString, expected);
    if (!modules.isEmpty()) write_modules(modules.toStdString());
    if (!config.isEmpty()) write_pooling(config.toStdString());
    const auto pooling = read_pooling(folder());
    if (!pooling) {
      QVERIFY2(pooling.error().message.find(expected.toStdString()) != std::string::npos,
               pooling.error().message.c_str());
      return;
    }
    QCOMPARE(*pooling ? QString::fromStdString(std::string(pooling_name(**pooling))) : QString(),
             expected);
  }
};

QTEST_GUILESS_MAIN(TestEmbeddings)
#include "tst_embeddings.moc"
