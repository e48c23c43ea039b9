#include <sys/wait.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QtTest>
#include <random>

#include "engine/io/gguf_types.h"
#include "engine/io/gguf_weights.h"
#include "engine/quantize/quantize_job.h"
#include "tests/engine/quantize/quantizing.h"
#include "tests/support/full_disk.h"

using namespace quire;
using namespace quire::test;

namespace fs = std::filesystem;

class TestQuantizeJob : public QObject {
  Q_OBJECT

 private:
  fs::path path(const char* name) const { return fs::path(m_folder->path().toStdString()) / name; }
  size_t num_files() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(path("")), {}));
  }
  std::string whole() {
    Quantizing job(kGguf / "llama.gguf", path("whole.gguf"), "Q8_0");
    must(job.run());
    return read_all(path("whole.gguf"));
  }

  /// A file of one tensor of zeros, which take no place on the disk.
  fs::path gguf_of(GgufTensorPlan tensor) const {
    GgufMetadata metadata;
    metadata.set_string("general.architecture", "llama");
    const GgufLayout layout = lay_out_gguf(metadata, {std::move(tensor)});
    std::ofstream(path("made.gguf"), std::ios::binary) << layout.header;
    fs::resize_file(path("made.gguf"), layout.file_bytes);
    return path("made.gguf");
  }

  std::unique_ptr<QTemporaryDir> m_folder;

 private slots:
  void init() { m_folder = std::make_unique<QTemporaryDir>(); }

  void everyType_isReadBack_data() {
    QTest::addColumn<QString>("type");
    for (const QuantizeRecipe& recipe : quantize_recipes()) {
      const std::string name(recipe.name);
      QTest::newRow(name.c_str()) << QString::fromStdString(name);
    }
  }
  void everyType_isReadBack() {
    QFETCH(QString, type);
    for (const char* file : {"llama.gguf", "gpt_oss.gguf", "llama_split-00002-of-00003.gguf"}) {
      const std::string output = type.toStdString() + std::string(file);
      Quantizing job(kGguf / file, path(output.c_str()), type.toUtf8());
      const QuantizePlan plan = must(job.run());
      const auto result = must(GgufWeights::open(path(output.c_str())));
      QCOMPARE(result->tensors().size(), job.weights->tensors().size());
      QCOMPARE(fs::file_size(path(output.c_str())), plan.layout.file_bytes);
      for (const TensorInfo& tensor : result->tensors()) {
        QVERIFY(tensor.shape == job.weights->find(tensor.name)->shape);
        QVERIFY(result->tensor(tensor.name));
      }
      for (const GgufValue& value : job.weights->metadata().values()) {
        const bool is_changed = value.key == "general.file_type" || value.key.starts_with("split.");
        const GgufFile& written = result->metadata();
        const auto same = std::ranges::find(written.values(), value.key, &GgufValue::key);
        QVERIFY(is_changed ||
                (same != written.values().end() && std::ranges::equal(same->bytes, value.bytes)));
      }
    }
  }

  void sameType_keepsTheBytes() {
    Quantizing job(kGguf / "llama.gguf", path("same.gguf"), "F32");
    must(job.run());
    const auto result = must(GgufWeights::open(path("same.gguf")));
    for (const TensorInfo& tensor : result->tensors()) {
      QVERIFY(std::ranges::equal(must(result->bytes(tensor.name)),
                                 must(job.weights->bytes(tensor.name))));
    }
  }

  void threads_doNotChangeAByte() {
    std::string first;
    for (const int threads : {1, 2, 7}) {
      const std::string name = std::to_string(threads) + ".gguf";
      Quantizing job(kGguf / "qwen3_moe.gguf", path(name.c_str()), "IQ4_NL");
      job.options.num_threads = threads;
      must(job.run());
      if (first.empty()) first = read_all(path(name.c_str()));
      QVERIFY(read_all(path(name.c_str())) == first);
    }
  }

  void existingFiles_stay() {
    std::ofstream(path("there.gguf")) << "mine";
    Quantizing job(kGguf / "llama.gguf", path("there.gguf"), "Q8_0");
    QCOMPARE(job.run().error().code, ErrorCode::kInvalidArgument);
    job.options.resume = true;
    QCOMPARE(job.run().error().code, ErrorCode::kInvalidArgument);
    QCOMPARE(read_all(path("there.gguf")), std::string("mine"));
    fs::create_symlink(path("nowhere"), path("link.gguf"));
    job.options.output = path("link.gguf");
    QCOMPARE(job.run().error().code, ErrorCode::kInvalidArgument);
    QCOMPARE(num_files(), size_t{2});
  }

  /// A file that appears under the name while the job runs.
  void aFileThatComesLater_stays() {
    Quantizing job(kGguf / "llama.gguf", path("late.gguf"), "Q8_0");
    job.options.progress = [&](uint64_t, uint64_t) { std::ofstream(path("late.gguf")) << "mine"; };
    QCOMPARE(job.run().error().code, ErrorCode::kInvalidArgument);
    QCOMPARE(read_all(path("late.gguf")), std::string("mine"));
  }

  void theSource_isNotWritten() {
    fs::copy_file(kGguf / "llama.gguf", path("model.gguf"));
    const std::string before = read_all(path("model.gguf"));
    Quantizing job(path("model.gguf"), path("model.gguf"), "Q8_0");
    QVERIFY(!job.run());
    QCOMPARE(read_all(path("model.gguf")), before);
  }

  void cancel_leavesNoFile_andResumeContinues() {
    const std::string expected = whole();
    std::atomic<bool> cancelled = false;
    Quantizing job(kGguf / "llama.gguf", path("out.gguf"), "Q8_0");
    job.options.cancelled = &cancelled;
    job.options.progress = [&](uint64_t done, uint64_t total) { cancelled = done > total / 2; };
    QCOMPARE(job.run().error().code, ErrorCode::kCancelled);
    QVERIFY(!fs::exists(path("out.gguf")));
    cancelled = false;
    QCOMPARE(job.run().error().code, ErrorCode::kInvalidArgument);  // Without --resume.
    job.options.resume = true;
    uint64_t first = 0;
    job.options.progress = [&](uint64_t done, uint64_t) { first = first == 0 ? done : first; };
    must(job.run());
    QVERIFY(first > expected.size() / 3);
    QVERIFY(read_all(path("out.gguf")) == expected);
    QCOMPARE(num_files(), size_t{2});
  }

  /// Killed at random places, with what a lost disk cache leaves of the end.
  void kill_thenResume_givesTheSameBytes() {
    const std::string expected = whole();
    std::mt19937 random(5);
    for (int round = 0; round < 20; ++round) {
      const uint64_t stop = random() % expected.size();
      const pid_t child = fork();
      if (child == 0) {
        Quantizing job(kGguf / "llama.gguf", path("out.gguf"), "Q8_0");
        job.options.num_threads = 1;
        job.options.progress = [&](uint64_t done, uint64_t) {
          if (done >= stop) raise(SIGKILL);
        };
        (void)job.run();
        _exit(0);
      }
      waitpid(child, nullptr, 0);
      if (fs::exists(path("out.gguf.part")) && round % 2 == 1) {
        std::string part = read_all(path("out.gguf.part"));
        const size_t at = random() % std::max<size_t>(part.size(), 1);
        if (round % 4 == 1) part.resize(at);
        if (round % 4 == 3 && at < part.size()) part[at] = static_cast<char>(part[at] ^ 1);
        std::ofstream(path("out.gguf.part"), std::ios::binary | std::ios::trunc) << part;
      }
      Quantizing job(kGguf / "llama.gguf", path("out.gguf"), "Q8_0");
      job.options.resume = true;
      if (fs::exists(path("out.gguf"))) fs::remove(path("out.gguf"));
      must(job.run());
      QVERIFY(read_all(path("out.gguf")) == expected);
      fs::remove(path("out.gguf"));
      QCOMPARE(num_files(), size_t{1});
    }
  }

  void anotherJob_isNotContinued() {
    std::atomic<bool> cancelled = false;
    Quantizing job(kGguf / "llama.gguf", path("out.gguf"), "Q8_0");
    job.options.cancelled = &cancelled;
    job.options.progress = [&](uint64_t, uint64_t) { cancelled = true; };
    QCOMPARE(job.run().error().code, ErrorCode::kCancelled);
    Quantizing other(kGguf / "llama.gguf", path("out.gguf"), "Q4_0");
    other.options.resume = true;
    QCOMPARE(other.run().error().code, ErrorCode::kInvalidArgument);
    Quantizing third(kGguf / "llama_bias.gguf", path("out.gguf"), "Q8_0");
    third.options.resume = true;
    QCOMPARE(third.run().error().code, ErrorCode::kInvalidArgument);
  }

  void badNumbers_areRefusedByName_data() {
    QTest::addColumn<float>("number");
    QTest::newRow("NaN") << std::numeric_limits<float>::quiet_NaN();
    QTest::newRow("infinity") << std::numeric_limits<float>::infinity();
    QTest::newRow("too large") << -1e6f;
  }
  void badNumbers_areRefusedByName() {
    QFETCH(float, number);
    std::string bytes = read_all(kGguf / "llama.gguf");
    const auto weights = must(GgufWeights::open(kGguf / "llama.gguf"));
    const TensorInfo* const tensor = weights->find("blk.1.ffn_up.weight");
    std::memcpy(bytes.data() + tensor->offset + 100, &number, sizeof number);
    std::ofstream(path("bad.gguf"), std::ios::binary) << bytes;
    for (const char* type : {"Q8_0", "Q4_0", "F16"}) {
      Quantizing job(path("bad.gguf"), path("out.gguf"), type);
      const auto result = job.run();
      QVERIFY(!result);
      QCOMPARE(result.error().code, ErrorCode::kCorruptFile);
      QVERIFY(result.error().message.find("blk.1.ffn_up.weight") != std::string::npos);
      QCOMPARE(num_files(), size_t{1});
    }
  }

  void unfitTensors_areRefusedByName_data() {
    QTest::addColumn<int>("type");
    QTest::addColumn<qint64>("rowSize");
    QTest::addColumn<bool>("isRefused");
    QTest::newRow("integers") << 26 << qint64{32} << true;
    QTest::newRow("numbers") << 0 << qint64{32} << false;
    QTest::newRow("rows too long") << 0 << (qint64{1} << 22) + 32 << true;
  }
  void unfitTensors_areRefusedByName() {
    QFETCH(int, type);
    QFETCH(qint64, rowSize);
    QFETCH(bool, isRefused);
    const fs::path file = gguf_of({.name = "v.weight",
                                   .type = static_cast<uint32_t>(type),
                                   .shape = {2, rowSize},
                                   .bytes = static_cast<uint64_t>(8 * rowSize)});
    Quantizing job(file, path("out.gguf"), "Q8_0");
    const auto result = job.run();
    QCOMPARE(!result, isRefused);
    if (!isRefused) return;
    QCOMPARE(result.error().code, ErrorCode::kUnsupported);
    QVERIFY(result.error().message.find("v.weight") != std::string::npos);
    QCOMPARE(num_files(), size_t{1});
  }

  void aFullDisk_isAnError_andResumeContinues() {
    const std::string expected = whole();
    Quantizing job(kGguf / "llama.gguf", path("out.gguf"), "Q8_0");
    {
      const FullDisk full(expected.size() / 2);
      QCOMPARE(job.run().error().code, ErrorCode::kIo);
    }
    QVERIFY(!fs::exists(path("out.gguf")));
    job.options.resume = true;
    must(job.run());
    QVERIFY(read_all(path("out.gguf")) == expected);
  }

  void recipes_areFoundByName() {
    QCOMPARE(must(find_quantize_recipe("q4_k")).name, std::string_view("Q4_K_M"));
    QCOMPARE(find_quantize_recipe("IQ2_XXS").error().code, ErrorCode::kUnsupported);
    QVERIFY(find_quantize_recipe("IQ2_XXS").error().message.find("IQ2_XXS") != std::string::npos);
    QCOMPARE(find_quantize_recipe("Q9").error().code, ErrorCode::kInvalidArgument);
  }

  /// As llama-quantize (llama-cpp-python 0.3.36) lists them for a model of 16 layers.
  void mixedRecipes_giveTheTypesOfPeers() {
    std::vector<SourceTensor> tensors = {{"token_embd.weight", 0, {512, 256}},
                                         {"output.weight", 0, {512, 256}}};
    for (int layer = 0; layer < 16; ++layer) {
      for (const char* role : {"attn_q", "attn_v", "attn_output", "ffn_down"}) {
        tensors.push_back({"blk." + std::to_string(layer) + "." + role + ".weight", 0, {256, 256}});
      }
      tensors.push_back({"blk." + std::to_string(layer) + ".attn_norm.weight", 30, {256}});
    }
    const RecipeFacts facts = {.num_layers = 16};
    const auto types_of = [&](const char* recipe, std::string_view role) {
      const auto types = choose_types(must(find_quantize_recipe(recipe)), false, facts, tensors);
      std::string list;
      for (size_t i = 0; i < tensors.size(); ++i) {
        if (tensors[i].name.find(role) != std::string::npos) {
          list += ggml_type_name(types[i]).substr(1, 1);
        }
      }
      return list;
    };
    QCOMPARE(types_of("Q4_K_M", "output.weight"), std::string("6") + std::string(16, '4'));
    QCOMPARE(types_of("Q4_K_M", "attn_v"), std::string("6644644644644666"));
    QCOMPARE(types_of("Q4_K_M", "ffn_down"), std::string("6644644644644666"));
    QCOMPARE(types_of("Q5_K_M", "ffn_down"), std::string("6655655655655666"));
    QCOMPARE(types_of("Q4_K_S", "attn_v"), std::string("5555") + std::string(12, '4'));
    QCOMPARE(types_of("Q3_K_M", "attn_v"), std::string("55") + std::string(14, '4'));
    QCOMPARE(types_of("Q3_K_M", "ffn_down"), std::string("5") + std::string(15, '4'));
    QCOMPARE(types_of("Q2_K", "attn_v"), std::string(16, '3'));
    QCOMPARE(types_of("Q2_K", "attn_q"), std::string(16, '2'));
    QCOMPARE(types_of("Q4_K_M", "attn_norm"), std::string(16, '3'));  // F32.
  }
};

QTEST_APPLESS_MAIN(TestQuantizeJob)
#include "tst_quantize_job.moc"
