#include <QTemporaryDir>
#include <QtTest>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>

#include "engine/models/adapter_config.h"
#include "engine/models/adapter_files.h"
#include "engine/models/model_files.h"
#include "tests/engine/io/safetensors_builder.h"
#include "tests/engine/models/model_test_support.h"
#include "tests/support/thread_time.h"

using namespace quire;
using namespace quire::test;

namespace {

namespace fs = std::filesystem;

/// As tst_decoder's.
constexpr double kTolerance = 1e-5;

fs::path adapters_folder() {
  return fs::path(QUIRE_SOURCE_DIR) / "tests/data/adapters";
}

/// The adapters of tests/data/adapters and the model of each: "phi3", "gqa_f32+part".
std::map<std::string, std::string> tiny_adapters() {
  std::map<std::string, std::string> models;
  for (const auto& item : fs::directory_iterator(adapters_folder())) {
    const std::string name = item.path().filename().string();
    models[name] = name.substr(0, name.find('+'));
  }
  return models;
}

}  // namespace

/// LoRA adapters of the tiny models against what PEFT computes with them.
class TestAdapters : public QObject {
  Q_OBJECT

 private:
  static void adapters_and_isas() {
    QTest::addColumn<QString>("adapter");
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("isa");
    for (const auto& [adapter, model] : tiny_adapters()) {
      for (const std::string& isa : ModelHarness::available_isas()) {
        QTest::addRow("%s on %s", adapter.c_str(), isa.c_str())
            << QString::fromStdString(adapter) << QString::fromStdString(model)
            << QString::fromStdString(isa);
      }
    }
  }
  /// A copy of the adapter gqa_f32, to be damaged.
  fs::path copy() {
    m_copy = std::make_unique<QTemporaryDir>();
    const fs::path folder = m_copy->path().toStdString();
    for (const char* name : {"adapter_config.json", "adapter_model.safetensors"}) {
      fs::copy_file(adapters_folder() / "gqa_f32" / name, folder / name);
    }
    return folder;
  }
  static void replace_in(const fs::path& file, const std::string& from, const std::string& to) {
    std::string text = read_file(file);
    const size_t at = text.find(from);
    QVERIFY2(at != text.npos, from.c_str());
    write_file(file, text.replace(at, from.size(), to));
  }

  std::unique_ptr<QTemporaryDir> m_copy;

 private slots:
  void logits_matchPeftsAtEveryPosition_data() { adapters_and_isas(); }
  void logits_matchPeftsAtEveryPosition() {
    QFETCH(QString, adapter);
    QFETCH(QString, model);
    QFETCH(QString, isa);
    ModelHarness harness(tiny_model_folder(model.toStdString()), isa.toStdString());
    const fs::path folder = adapters_folder() / adapter.toStdString();
    const Reference reference(folder / "reference.safetensors");
    TestSequence sequence = harness.sequence(reference.ints("tokens"));
    sequence.adapter = must(harness.add_adapter(folder));
    const auto logits = harness.step(sequence, static_cast<int>(sequence.tokens.size()));
    const double error =
        worst_error(logits, reference.floats("logits"), harness.config().vocab_size);
    QVERIFY2(error < kTolerance, qPrintable(QString::number(error)));
  }

  void gguf_computesTheSame_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("adapter");
    const QString folder = QString::fromStdString(tiny_model_folder("gqa_f32").string());
    const QString gguf = QStringLiteral(QUIRE_SOURCE_DIR "/tests/data/gguf/llama.gguf");
    const QString adapter = QString::fromStdString((adapters_folder() / "gqa_f32+ranks").string());
    QTest::newRow("GGUF adapter, folder") << folder << adapter + "/adapter.gguf";
    QTest::newRow("GGUF adapter, GGUF") << gguf << adapter + "/adapter.gguf";
    QTest::newRow("PEFT's folder, GGUF") << gguf << adapter;
  }
  void gguf_computesTheSame() {
    QFETCH(QString, model);
    QFETCH(QString, adapter);
    ModelHarness harness(model.toStdString(), "");
    const Reference reference(adapters_folder() / "gqa_f32+ranks" / "reference.safetensors");
    TestSequence sequence = harness.sequence(reference.ints("tokens"));
    sequence.adapter = must(harness.add_adapter(adapter.toStdString()));
    const auto logits = harness.step(sequence, static_cast<int>(sequence.tokens.size()));
    const double error =
        worst_error(logits, reference.floats("logits"), harness.config().vocab_size);
    QVERIFY2(error < kTolerance, qPrintable(QString::number(error)));
  }

  /// To the bit: alone, in chunks, and between neighbours with another adapter and with none; and
  /// those neighbours as if there were no adapters.
  void rows_doNotDependOnTheirNeighbours_data() { adapters_and_isas(); }
  void rows_doNotDependOnTheirNeighbours() {
    QFETCH(QString, adapter);
    QFETCH(QString, model);
    QFETCH(QString, isa);
    const fs::path folder = adapters_folder() / adapter.toStdString();
    ModelHarness harness(tiny_model_folder(model.toStdString()), isa.toStdString());
    const std::vector<int32_t> tokens = Reference(folder / "reference.safetensors").ints("tokens");
    const int count = static_cast<int>(tokens.size());
    TestSequence bare = harness.sequence(tokens);
    const auto plain = harness.step(bare, count);
    const int id = must(harness.add_adapter(folder));
    const auto run_alone = [&](int with) {
      TestSequence sequence = harness.sequence(tokens);
      sequence.adapter = with;
      return harness.step(sequence, count);
    };
    const auto adapted = run_alone(id);
    QVERIFY(adapted != plain);
    QVERIFY(run_alone(0) == plain);
    // Two of each in one batch, in chunks; of adapted ones beside each other, too.
    harness.release_all();
    std::vector<TestSequence> sequences;
    for (const int with : {id, 0, 0, id, id}) {
      sequences.push_back(harness.sequence(tokens));
      sequences.back().adapter = with;
    }
    std::vector<std::vector<float>> logits(sequences.size());
    for (int done = 0; done < count;) {
      const int chunk = std::min(7, count - done);
      std::vector<TestSequence*> batch;
      for (TestSequence& sequence : sequences) batch.push_back(&sequence);
      const std::vector<int> counts(batch.size(), chunk);
      const auto rows = harness.step(batch, counts);
      const auto size = rows.size() / batch.size();
      for (size_t i = 0; i < batch.size(); ++i) {
        const auto begin = rows.begin() + static_cast<int64_t>(i * size);
        logits[i].insert(logits[i].end(), begin, begin + static_cast<int64_t>(size));
      }
      done += chunk;
    }
    for (size_t i = 0; i < sequences.size(); ++i) {
      QVERIFY2(logits[i] == (sequences[i].adapter == 0 ? plain : adapted), qPrintable(isa));
    }
  }

  void adapterRows_areRunsOfAllAndOfWantedRows() {
    ForwardBatch batch;
    batch.query_start = {0, 3, 4, 6, 9};
    batch.adapters = {2, 2, 0, 1};
    batch.logits_rows = {2, 3, 5, 7, 8};
    const AdapterRows rows = adapter_rows(batch);
    QCOMPARE(rows.all.size(), size_t{2});
    QCOMPARE(rows.all[0].adapter, 2);
    QCOMPARE(rows.all[0].count, int64_t{4});
    QCOMPARE(rows.all[1].adapter, 1);
    QCOMPARE(rows.all[1].first, int64_t{6});
    QCOMPARE(rows.all[1].count, int64_t{3});
    QCOMPARE(rows.wanted.size(), size_t{2});
    QCOMPARE(rows.wanted[0].count, int64_t{2});
    QCOMPARE(rows.wanted[1].first, int64_t{3});
    QCOMPARE(rows.wanted[1].count, int64_t{2});
  }

  void whatIsNotSupported_isNamed_data() {
    QTest::addColumn<QByteArray>("from");
    QTest::addColumn<QByteArray>("to");
    QTest::addColumn<QByteArray>("says");
    const auto add = [](const char* from, const char* to, const char* says) {
      QTest::newRow(says) << QByteArray(from) << QByteArray(to) << QByteArray(says);
    };
    add("\"use_dora\": false", "\"use_dora\": true", "uses DoRA");
    add("\"bias\": \"none\"", "\"bias\": \"lora_only\"", "uses biases");
    add("\"modules_to_save\": null", "\"modules_to_save\": [\"lm_head\"]", "uses modules_to_save");
    add("\"trainable_token_indices\": null", "\"trainable_token_indices\": [1]",
        "uses trainable tokens");
    add("\"init_lora_weights\": true", "\"init_lora_weights\": \"pissa_niter_4\"",
        "uses init_lora_weights = pissa_niter_4");
    add("\"peft_type\": \"LORA\"", "\"peft_type\": \"LOHA\"", "uses LOHA");
    add("\"layer_replication\": null", "\"layer_replication\": [[0, 2], [1, 2]]",
        "uses layer_replication");
    add("\"k_proj\": 2", "\"k_.*\": 2", "Quire reads names of modules only");
    add("\"k_proj\": 2", "\"k_proj\": 2, \"self_attn.k_proj\": 3", "twice");
    add("\"k_proj\": 2", "\"k_proj\": 3", "has rank 2, but adapter_config.json says 3");
    add("\"r\": 4", "\"r\": 0", "r is 0, outside 1 to 1024");
    add("\"lora_alpha\": 6", "\"lora_alpha\": 1e300", "lora_alpha");
  }
  void whatIsNotSupported_isNamed() {
    QFETCH(QByteArray, from);
    QFETCH(QByteArray, to);
    QFETCH(QByteArray, says);
    const fs::path folder = copy();
    replace_in(folder / "adapter_config.json", from.toStdString(), to.toStdString());
    const auto files = open_adapter(folder);
    QVERIFY(!files);
    QVERIFY2(files.error().message.find(says.toStdString()) != std::string::npos,
             files.error().message.c_str());
  }

  void tensorsThatAreNotOfLinearLayers_areNamed_data() {
    QTest::addColumn<QByteArray>("from");
    QTest::addColumn<QByteArray>("to");
    QTest::addColumn<QByteArray>("says");
    const auto add = [](const char* from, const char* to, const char* says) {
      QTest::newRow(says) << QByteArray(from) << QByteArray(to) << QByteArray(says);
    };
    add("layers.0.mlp.up_proj.lora_A.weight", "embed_tokens.lora_embedding_A.weig",
        "embed_tokens.lora_embedding_A");
    add("layers.0.mlp.up_proj.lora_A.weight", "layers.0.mlp.xx_proj.lora_A.weight",
        "lacks one of its two matrices");
    add("layers.0.mlp.up_proj.lora_A.weight", "layers.0.mlp.up_proj.magnitude.ht1",
        "up_proj.magnitude");
  }
  void tensorsThatAreNotOfLinearLayers_areNamed() {
    QFETCH(QByteArray, from);
    QFETCH(QByteArray, to);
    QFETCH(QByteArray, says);
    QCOMPARE(from.size(), to.size());
    const fs::path folder = copy();
    replace_in(folder / "adapter_model.safetensors", from.toStdString(), to.toStdString());
    const auto files = open_adapter(folder);
    QVERIFY(!files);
    QVERIFY2(files.error().message.find(says.toStdString()) != std::string::npos,
             files.error().message.c_str());
  }

  void adaptersTakenForModels_areNamedAsSuch() {
    const fs::path adapters = adapters_folder();
    for (const fs::path& path :
         {adapters / "gqa_f32", adapters / "gqa_f32+ranks" / "adapter.gguf"}) {
      const auto model = open_model_files(path);
      QVERIFY(!model);
      QVERIFY2(model.error().message.find("choose the adapter in a persona or with --adapter") !=
                   std::string::npos,
               model.error().message.c_str());
    }
  }

  void adaptersOfOtherModels_areRefusedAndLeaveNothing() {
    ModelHarness harness(tiny_model_folder("gqa_f32"), "");
    const auto refused = [&](const fs::path& path, const char* says) {
      const auto added = harness.add_adapter(path);
      return !added && added.error().message.find(says) != std::string::npos;
    };
    QVERIFY(refused(adapters_folder() / "phi3", "another shape") ||
            refused(adapters_folder() / "phi3", "cannot adapt"));
    QVERIFY(refused(adapters_folder() / "gpt2",
                    "which this model does not have or Quire cannot adapt"));
    QVERIFY(refused(adapters_folder() / "none", "does not exist"));
    QVERIFY(refused(tiny_model_folder("gqa_f32"), "is no LoRA adapter"));
    const fs::path gguf = QUIRE_SOURCE_DIR "/tests/data/gguf/llama.gguf";
    QVERIFY(refused(gguf, "is no LoRA adapter"));
    ModelHarness phi(tiny_model_folder("phi3"), "");
    const auto other = phi.add_adapter(adapters_folder() / "gqa_f32+ranks" / "adapter.gguf");
    QVERIFY(!other && other.error().message.find("\"phi3\"") != std::string::npos);
    // What was loaded before the fault is gone again.
    const Reference reference(adapters_folder() / "gqa_f32" / "reference.safetensors");
    TestSequence plain = harness.sequence(reference.ints("tokens"));
    const auto expected = harness.step(plain, 5);
    QCOMPARE(must(harness.add_adapter(adapters_folder() / "gqa_f32+part")), 1);
    TestSequence again = harness.sequence(reference.ints("tokens"));
    QVERIFY(harness.step(again, 5) == expected);
  }

  void expertAdapters_areRefused() {
    const fs::path folder = copy();
    ModelHarness harness(tiny_model_folder("qwen3_moe"), "");
    const auto added = harness.add_adapter(folder);
    QVERIFY(!added);
  }

  void hash_isOfTheContents() {
    const fs::path folder = copy();
    ModelHarness harness(tiny_model_folder("gqa_f32"), "");
    const auto hash_of = [&](const fs::path& path) {
      must(harness.add_adapter(path));
      return harness.adapter_hash();
    };
    const std::string original = hash_of(adapters_folder() / "gqa_f32");
    QCOMPARE(original.size(), size_t{64});
    QCOMPARE(hash_of(folder), original);
    QCOMPARE(hash_of(folder / "adapter_model.safetensors"), original);
    replace_in(folder / "adapter_config.json", "\"lora_alpha\": 6", "\"lora_alpha\": 7");
    const std::string scaled = hash_of(folder);
    QVERIFY(scaled != original);
    const fs::path weights = folder / "adapter_model.safetensors";
    std::string bytes = read_file(weights);
    bytes[bytes.size() / 2] ^= 1;
    write_file(weights, bytes);
    QVERIFY(hash_of(folder) != scaled);
  }

  /// Another program writes the file between its opening and its loading: what is cached for the
  /// adapter must be named by what it computes.
  void hash_isOfWhatWasLoaded() {
    const fs::path folder = copy();
    const fs::path weights = folder / "adapter_model.safetensors";
    ModelHarness harness(tiny_model_folder("gqa_f32"), "");
    const auto load = [&](AdapterFiles& files) {
      const bool is_loaded = harness.decoder().add_adapter(1, files).has_value();
      harness.decoder().remove_adapter(1);
      return is_loaded ? files.hash : std::string();
    };
    AdapterFiles before = must(open_adapter(folder));
    AdapterFiles opened = must(open_adapter(folder));
    const std::string old = load(before);
    std::fstream file(weights, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(fs::file_size(weights) - 40));
    file.write("\1\2\3\4", 4).flush();
    const std::string of_opened = load(opened);
    AdapterFiles fresh = must(open_adapter(folder));
    QVERIFY(of_opened != old);
    QCOMPARE(of_opened, load(fresh));
  }

  void numbersThatAreNotFinite_areRefusedByName() {
    ModelHarness harness(tiny_model_folder("gqa_f32"), "");
    for (const float bad : {std::numeric_limits<float>::quiet_NaN(),
                            -std::numeric_limits<float>::infinity(), 3e38f}) {
      const fs::path folder = copy();
      replace_in(folder / "adapter_config.json", "\"lora_alpha\": 6", "\"lora_alpha\": 16");
      std::fstream file(folder / "adapter_model.safetensors",
                        std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(-4, std::ios::end).write(reinterpret_cast<const char*>(&bad), sizeof bad).flush();
      const auto added = harness.add_adapter(folder);
      QVERIFY(!added);
      QVERIFY2(added.error().message.find("lora_B.weight holds NaN, infinity or numbers too") !=
                   std::string::npos,
               added.error().message.c_str());
    }
  }

  /// A sparse file of 16 GB: its shape is wrong, which is seen before it is read.
  void hugeMatrices_areRefusedUnread() {
    const fs::path folder = copy();
    constexpr int64_t kWidth = int64_t{1} << 30;
    const std::string name = "\"base_model.model.model.layers.0.mlp.up_proj.lora_";
    const auto entry = [&](const char* half, const std::string& shape, int64_t begin, int64_t end) {
      return name + half + ".weight\":{\"dtype\":\"F32\",\"shape\":" + shape +
             ",\"data_offsets\":[" + std::to_string(begin) + "," + std::to_string(end) + "]}";
    };
    const int64_t end = 16 * kWidth;
    const std::string header = "{" + entry("A", "[4," + std::to_string(kWidth) + "]", 0, end) +
                               "," + entry("B", "[96,4]", end, end + 1536) + "}";
    std::string start(8, '\0');
    const uint64_t length = header.size();
    std::memcpy(start.data(), &length, sizeof length);
    write_file(folder / "adapter_model.safetensors", start + header);
    fs::resize_file(folder / "adapter_model.safetensors",
                    8 + header.size() + static_cast<uint64_t>(end + 1536));
    ModelHarness harness(tiny_model_folder("gqa_f32"), "");
    const double begin = thread_ms();
    const auto added = harness.add_adapter(folder);
    QVERIFY(!added);
    QVERIFY2(added.error().message.find("has another shape") != std::string::npos,
             added.error().message.c_str());
    QVERIFY(thread_ms() - begin < 500.0);
  }

  /// A name of half a megabyte, which every module would be compared with.
  void longNames_areRefused() {
    const fs::path folder = copy();
    std::string name;
    for (int i = 0; i < 250'000; ++i) name += "a.";
    replace_in(folder / "adapter_config.json", "\"k_proj\": 2", "\"" + name + "k_proj\": 2");
    const double begin = thread_ms();
    const auto files = open_adapter(folder);
    QVERIFY(!files);
    QVERIFY2(
        files.error().message.find("rank_pattern has a name of 500,006 bytes") != std::string::npos,
        files.error().message.c_str());
    QVERIFY(thread_ms() - begin < 500.0);
  }

  void truncatedFiles_areRefused() {
    const fs::path folder = copy();
    const fs::path weights = folder / "adapter_model.safetensors";
    const std::string bytes = read_file(weights);
    for (const size_t size : {size_t{0}, size_t{7}, size_t{100}, bytes.size() - 1}) {
      write_file(weights, bytes.substr(0, size));
      QVERIFY(!open_adapter(folder));
    }
    fs::remove(weights);
    const auto without = open_adapter(folder);
    QVERIFY(!without);
    QVERIFY(without.error().message.find("get the safetensors version") != std::string::npos);
  }
};

QTEST_GUILESS_MAIN(TestAdapters)
#include "tst_adapters.moc"
