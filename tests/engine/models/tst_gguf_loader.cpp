#include <QTemporaryDir>
#include <QtTest>

#include "engine/chat/chat_format.h"
#include "engine/model_loader.h"
#include "engine/models/model_files.h"
#include "tests/engine/io/safetensors_builder.h"
#include "tests/engine/models/model_test_support.h"
#include "tests/support/zero_gguf.h"

using namespace quire;
using namespace quire::test;

namespace fs = std::filesystem;

namespace {

const fs::path kFiles = fs::path(QUIRE_SOURCE_DIR) / "tests/data/gguf";

}  // namespace

/// Whole models from GGUF files alone: weights, vocabulary and template.
class TestGgufLoader : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir m_folder;
  std::unique_ptr<Backend> m_backend;
  LoadedModel load(const fs::path& path) { return must(load_model(path, *m_backend)); }
  /// A copy of a file with a part of its bytes, which must occur, replaced by as many others.
  fs::path edited(const char* file, const std::string& from, const std::string& to) const {
    std::string bytes = read_file(kFiles / file);
    const size_t at = bytes.find(from);
    if (at == std::string::npos || from.size() != to.size()) qFatal("cannot edit %s", file);
    const fs::path path = fs::path(m_folder.path().toStdString()) / "edited.gguf";
    write_file(path, bytes.replace(at, from.size(), to));
    return path;
  }

 private slots:
  void initTestCase() { m_backend = must(create_backend({.device = "cpu", .num_threads = 1})); }

  /// It would stand before every prompt.
  void firstTokenBeyondTheEmbedding_isRefused() {
    const LoadedModel model = load(kFiles / "llama.gguf");
    const Tokenizer& tokenizer = *model.chat->tokenizer;
    QVERIFY(tokenizer.adds_bos() && tokenizer.bos_token());
    ModelConfig config = model.config;
    config.vocab_size = *tokenizer.bos_token();
    const auto fits = check_vocabulary(tokenizer, config);
    QVERIFY(!fits);
    const std::string number = "as number " + std::to_string(config.vocab_size) + ",";
    QVERIFY2(fits.error().message.find(number) != std::string::npos, fits.error().message.c_str());
  }

  void everyFile_becomesAModel_data() {
    QTest::addColumn<QString>("file");
    for (const auto& item : fs::directory_iterator(kFiles)) {
      if (item.path().extension() != ".gguf") continue;
      const QString name = QString::fromStdString(item.path().filename().string());
      QTest::newRow(qPrintable(name)) << name;
    }
  }
  void everyFile_becomesAModel() {
    QFETCH(QString, file);
    const LoadedModel model = load(kFiles / file.toStdString());
    QCOMPARE(model.fingerprint.size(), size_t{64});
    QVERIFY(model.decoder != nullptr);
    QVERIFY(model.chat->chat_template && model.chat->template_error.empty());
    QVERIFY(!model.config.end_tokens.empty());
    const std::string text = "Hello, world";
    const std::vector<TokenId> ids = model.chat->tokenizer->encode(text);
    QVERIFY(!ids.empty());
    for (TokenId id : ids) QVERIFY(id >= 0 && id < model.config.vocab_size);
    QVERIFY(model.chat->tokenizer->decode(ids).find(text) != std::string::npos);
  }

  /// Keys are transposed, for which quantised numbers become f32.
  void keysAndValuesInOneTensor_areRead_data() {
    QTest::addColumn<int>("type");
    QTest::newRow("F32") << 0;
    QTest::newRow("Q8_0") << 8;
  }
  void keysAndValuesInOneTensor_areRead() {
    QFETCH(const int, type);
    constexpr int64_t kLatent = 32;  // A block of Q8_0.
    const auto weights = must(GgufWeights::open(kFiles / "deepseek2.gguf"));
    GgufMetadata metadata = metadata_of(*weights);
    metadata.set_u32("deepseek2.attention.kv_lora_rank", kLatent);
    metadata.set_u32("deepseek2.attention.key_length", kLatent + 8);
    metadata.set_u32("deepseek2.attention.value_length", kLatent);
    ZeroTensors tensors = tensors_of(*weights);
    for (const char* layer : {"blk.0.", "blk.1.", "blk.2."}) {
      const std::string prefix = layer;
      tensors.erase(prefix + "attn_k_b.weight");
      tensors.erase(prefix + "attn_v_b.weight");
      tensors[prefix + "attn_kv_a_norm.weight"] = {{kLatent}};
      tensors[prefix + "attn_kv_a_mqa.weight"] = {{kLatent + 8, 48}};
      tensors[prefix + "attn_kv_b.weight"] = {{5 * (12 + 16), kLatent},
                                              static_cast<uint32_t>(type)};
    }
    const fs::path path = fs::path(m_folder.path().toStdString()) / "kv_b.gguf";
    write_zero_gguf(path, metadata, tensors);
    const auto model = load_model(path, *m_backend);
    QVERIFY2(model, model ? "" : model.error().message.c_str());
  }

  /// What the metadata does not count, and biases that its conversion should not have left in.
  void tensorThatNoLayerReads_isRefused_data() {
    QTest::addColumn<QByteArray>("from");
    QTest::addColumn<QByteArray>("to");
    QTest::addColumn<QString>("tensor");
    QTest::newRow("a layer") << QByteArray("llama.block_count\4\0\0\0\3", 22)
                             << QByteArray("llama.block_count\4\0\0\0\2", 22)
                             << "blk.2.attn_k.bias";
    QTest::newRow("biases of attention") << QByteArray("blk.0.attn_q.bias")
                                         << QByteArray("blk.0.attn_q.biaX") << "blk.0.attn_k.bias";
    QTest::newRow("biases of MLPs") << QByteArray("blk.0.ffn_up.bias")
                                    << QByteArray("blk.0.ffn_up.biaX") << "blk.0.ffn_down.bias";
  }
  void tensorThatNoLayerReads_isRefused() {
    QFETCH(QByteArray, from);
    QFETCH(QByteArray, to);
    QFETCH(QString, tensor);
    const auto model =
        load_decoder(edited("llama_bias.gguf", from.toStdString(), to.toStdString()), *m_backend);
    QVERIFY(!model);
    QCOMPARE(QString::fromStdString(model.error().message),
             QString("the tensor %1 of edited.gguf is not one that its metadata asks for; without "
                     "it the answers would be wrong, so choose another conversion of the model")
                 .arg(tensor));
  }

  void divisorsOfRotations_mustBeFloats() {
    const std::string entry = std::string("rope_freqs.weight\1\0\0\0\10\0\0\0\0\0\0\0", 29);
    const auto as_type = [&](char type) { return entry + std::string{type, 0, 0, 0}; };
    const auto model =
        load_decoder(edited("rope_llama3.gguf", as_type(0), as_type(26)), *m_backend);
    QVERIFY(!model);
    QCOMPARE(QString::fromStdString(model.error().message),
             QString("the tensor rope_freqs.weight of edited.gguf is I32 (8); to rotate 16 "
                     "dimensions it must be F32 (8), so choose another conversion of the model"));
  }

  void template_comesFromTheFile() {
    const LoadedModel model = load(kFiles / "llama.gguf");
    QVERIFY(model.chat->default_template_name.empty());
    QVERIFY(!model.chat->template_source.empty());
    QCOMPARE(must(read_template_source(kFiles / "llama.gguf")), model.chat->template_source);
    QVERIFY(!load(kFiles / "rope_yarn.gguf").chat->default_template_name.empty());
    const fs::path renamed =
        edited("llama.gguf", "tokenizer.chat_template", "tokenizer.chat_templatX");
    QVERIFY(must(read_template_source(renamed)).empty());
  }

  void splitSet_isOneModelByAnyOfItsParts() {
    const std::string first = load(kFiles / "llama_split-00001-of-00003.gguf").fingerprint;
    QCOMPARE(load(kFiles / "llama_split-00003-of-00003.gguf").fingerprint, first);
  }

  void fingerprint_changesWithTheVocabulary() {
    const std::string base = load(kFiles / "llama.gguf").fingerprint;
    QCOMPARE(load(kFiles / "llama.gguf").fingerprint, base);
    QVERIFY(load(edited("llama.gguf", "ggml.add_bos_token", "ggml.add_bos_tokeX")).fingerprint !=
            base);
  }

  void tokenizer_loadsAlone() {
    QVERIFY(must(load_model_tokenizer(kFiles / "qwen3.gguf"))->vocab_size() > 0);
  }
};

QTEST_APPLESS_MAIN(TestGgufLoader)
#include "tst_gguf_loader.moc"
