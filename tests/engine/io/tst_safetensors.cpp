#include <QTemporaryDir>
#include <QtTest>

#include "engine/io/safetensors.h"
#include "tests/engine/io/safetensors_builder.h"

using namespace quire;
using namespace quire::test;

namespace fs = std::filesystem;

class TestSafetensors : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> m_folder;
  fs::path folder() const { return m_folder->path().toStdString(); }
  void add(const char* name, const std::string& content) const {
    write_file(folder() / name, content);
  }
  std::string open_error() const {
    auto weights = SafetensorsWeights::open(folder());
    return weights ? "opened" : weights.error().message;
  }

 private slots:
  void init() { m_folder = std::make_unique<QTemporaryDir>(); }

  void tensor_ofAMisalignedFileIsAligned() {
    std::string header = object(entry("w", "F32", "[2]", "[0,8]"));
    while (header.size() % 4 != 1) header += ' ';
    std::string file = safetensors_file(header, 8);
    const float values[] = {1.5f, -2.0f};
    std::memcpy(file.data() + file.size() - 8, values, 8);
    add("model.safetensors", file);
    auto weights = SafetensorsWeights::open(folder());
    QVERIFY(weights.has_value());
    for (int twice = 0; twice < 2; ++twice) {
      auto view = (*weights)->tensor("w");
      QVERIFY(view.has_value());
      QCOMPARE(reinterpret_cast<uintptr_t>(view->data()) % 4, uintptr_t{0});
      QCOMPARE(view->as<float>()[0], 1.5f);
      QCOMPARE(view->as<float>()[1], -2.0f);
    }
  }

  /// A copy of a table of gigabytes would take its memory before anything is known of it.
  void described_copiesNothing() {
    std::string header = object(entry("w", "F32", "[2]", "[0,8]"));
    while (header.size() % 4 != 1) header += ' ';
    add("model.safetensors", safetensors_file(header, 8));
    auto weights = SafetensorsWeights::open(folder());
    QVERIFY(weights.has_value());
    const auto view = (*weights)->described("w");
    QVERIFY(view.has_value());
    QCOMPARE(view->dtype(), DType::kF32);
    QCOMPARE(view->dim(0), int64_t{2});
    QCOMPARE(view->data(), static_cast<const void*>((*weights)->bytes("w").value().data()));
    QCOMPARE((*weights)->described("absent").error().code, ErrorCode::kNotFound);
  }

  void tensor_refusesWhatIsNotComputedWith() {
    add("model.safetensors", safetensors_file(object(entry("five", "F32", "[1,1,1,1,1]", "[1,5]") +
                                                     "," + entry("w", "U8", "[1]", "[0,1]")),
                                              5));
    auto weights = SafetensorsWeights::open(folder());
    QVERIFY(weights.has_value());
    QCOMPARE(
        (*weights)->tensor("w").error().message,
        std::string("model.safetensors: the tensor \"w\" is U8 (1), which Quire does not compute "
                    "with"));
    QCOMPARE((*weights)->tensor("five").error().code, ErrorCode::kUnsupported);
    QCOMPARE((*weights)->tensor("absent").error().message,
             std::string("the model's files hold no tensor \"absent\""));
  }

  void shards_areReadThroughTheIndex() {
    add("a.safetensors", safetensors_file(object(entry("x", "F32", "[1]", "[0,4]")), 4));
    add("b.safetensors", safetensors_file(object(entry("y", "F32", "[2]", "[0,8]")), 8));
    add("model.safetensors.index.json",
        R"({"metadata":{"a":[{}]},"weight_map":{"\u0079":"b.safetensors","x":"a.safetensors"}})");
    auto weights = SafetensorsWeights::open(folder());
    QVERIFY(weights.has_value());
    QCOMPARE((*weights)->tensors().size(), size_t{2});
    QVERIFY((*weights)->tensor("x").has_value());
    QCOMPARE((*weights)->tensor("y").value().dim(0), int64_t{2});
  }

  void folder_thatIsIncompleteNamesWhatIsMissing_data() {
    QTest::addColumn<QByteArray>("index");
    QTest::addColumn<QString>("message");
    QTest::newRow("missing shard") << QByteArray(R"({"weight_map":{"x":"gone.safetensors"}})")
                                   << "%1/gone.safetensors cannot be read: there is no such file";
    const QString again = "; download it again";
    const QString index = "model.safetensors.index.json ";
    QTest::newRow("wrong shard")
        << QByteArray(R"({"weight_map":{"z":"a.safetensors"}})")
        << index + "says that \"z\" is in a.safetensors, which does not hold it" + again;
    QTest::newRow("out of the folder")
        << QByteArray(R"({"weight_map":{"x":"../a.safetensors"}})")
        << index + "gives no valid file name for the tensor \"x\"" + again;
    QTest::newRow("absolute path")
        << QByteArray(R"({"weight_map":{"x":"/etc/passwd"}})")
        << index + "gives no valid file name for the tensor \"x\"" + again;
    QTest::newRow("number") << QByteArray(R"({"weight_map":{"x":1}})")
                            << index + "gives no valid file name for the tensor \"x\"" + again;
    QTest::newRow("tensor twice")
        << QByteArray(R"({"weight_map":{"x":"a.safetensors","y":"a.safetensors",)"
                      R"("\u0078":"a.safetensors"}})")
        << index + "has the key \"x\" twice" + again;
    QTest::newRow("map twice")
        << QByteArray(R"({"weight_map":{"x":"a.safetensors"},"weight_map":{"x":"a.safetensors"}})")
        << index + "has the key \"weight_map\" twice" + again;
    QTest::newRow("list") << QByteArray("[]") << index + "has no weight_map" + again;
    QTest::newRow("a fault before a wrong shard")
        << QByteArray(R"({"weight_map":{"x":"../a.safetensors"},})")
        << index + "is not valid JSON at line 1, column 40" + again;
    QTest::newRow("no map") << QByteArray("{}") << index + "has no weight_map" + again;
    QTest::newRow("not JSON") << QByteArray("{\"weight_map\"")
                              << index + "is not valid JSON at line 1, column 14" + again;
  }
  void folder_thatIsIncompleteNamesWhatIsMissing() {
    QFETCH(QByteArray, index);
    QFETCH(QString, message);
    add("a.safetensors", safetensors_file(object(entry("x", "F32", "[1]", "[0,4]")), 4));
    add("model.safetensors.index.json", index.toStdString());
    QCOMPARE(QString::fromStdString(open_error()), message.replace("%1", m_folder->path()));
  }

  void shards_haveHeadersOfLimitedSize() {
    constexpr size_t kHeaderBytes = 24 << 20;
    const std::string header =
        object(R"("__metadata__":{"a":")" + std::string(kHeaderBytes, 'a') + R"("},)" +
               entry("x", "F32", "[0]", "[0,0]") + "," + entry("y", "F32", "[0]", "[0,0]") + "," +
               entry("z", "F32", "[0]", "[0,0]"));
    add("a.safetensors", safetensors_file(header, 0));
    for (const char* name : {"b", "c"}) {
      fs::create_hard_link(folder() / "a.safetensors",
                           folder() / (std::string(name) + ".safetensors"));
    }
    const char* const index = "model.safetensors.index.json";
    add(index, R"({"weight_map":{"x":"a.safetensors","y":"b.safetensors"}})");
    QCOMPARE(open_error(), std::string("opened"));
    add(index, R"({"weight_map":{"x":"a.safetensors","y":"b.safetensors","z":"c.safetensors"}})");
    QCOMPARE(open_error(), std::string("c.safetensors and the shards before it have headers of "
                                       "more than 67,108,864 bytes or 294,912 tensors, which Quire "
                                       "does not read; choose another conversion"));
  }

  /// As many tensors as Kimi-K2 in NVFP4 has, in 27 MiB.
  void indexes_mayBeAsLargeAsRealOnes() {
    constexpr size_t kNumTensors = 276'480;
    constexpr size_t kPerShard = 60'000;
    std::string map;
    for (size_t first = 0; first < kNumTensors; first += kPerShard) {
      const std::string name = "model-" + std::to_string(first) + ".safetensors";
      std::string entries;
      for (size_t i = first; i < std::min(first + kPerShard, kNumTensors); ++i) {
        const std::string tensor = std::string(62, 'x') + std::to_string(i);
        entries += (entries.empty() ? "" : ",") + entry(tensor.c_str(), "F32", "[0]", "[0,0]");
        map += (map.empty() ? "\"" : ",\"") + tensor + "\":\"" + name + '"';
      }
      add(name.c_str(), safetensors_file(object(entries), 0));
    }
    map.resize(27 << 20, ' ');
    add("model.safetensors.index.json", "{\"weight_map\":{" + map + "}}");
    QCOMPARE(open_error(), std::string("opened"));
  }

  void folder_withoutSafetensorsSaysWhatItHas() {
    QCOMPARE(open_error(),
             folder().string() + " has no model.safetensors and no model.safetensors.index.json");
    add("pytorch_model.bin", "x");
    QCOMPARE(open_error(), folder().string() +
                               " has its weights as pytorch_model.bin, which Quire does not read; "
                               "get the safetensors version");
  }

  void folder_withOnlyAVisionPartSaysSo() {
    add("mmproj-model.gguf", "x");
    QCOMPARE(open_error(), folder().string() +
                               " has mmproj-model.gguf, which is only the vision part of a model; "
                               "get the model's own .gguf or safetensors files beside it");
  }

  void hash_seesNamesAndBytes() {
    const auto hash_of = [&](const char* name, char last) {
      std::string file = safetensors_file(object(entry(name, "F32", "[4096]", "[0,16384]")), 16384);
      file.back() = last;
      add("model.safetensors", file);
      Sha256 hash;
      SafetensorsWeights::open(folder()).value()->hash_into(hash);
      return to_hex(hash.finish());
    };
    const std::string base = hash_of("w", 'a');
    QCOMPARE(hash_of("w", 'a'), base);
    QVERIFY(hash_of("w", 'b') != base);
    QVERIFY(hash_of("v", 'a') != base);
  }

  /// Of 16,384 tensors the first and last 2 KiB: of 65,000 with 8 KiB, half a gigabyte was hashed.
  void hash_ofManyTensorsTakesLessOfEach() {
    constexpr size_t kBytes = 8192;
    const auto hash_of = [&](int num_tensors, size_t changed) {
      std::string entries = entry("w", "U8", "[8192]", "[0,8192]");
      for (int i = 1; i < num_tensors; ++i) {
        entries += "," + entry(("t" + std::to_string(i)).c_str(), "U8", "[0]", "[8192,8192]");
      }
      std::string file = safetensors_file(object(entries), kBytes);
      file[file.size() - kBytes + changed] = 'a';
      add("model.safetensors", file);
      Sha256 hash;
      SafetensorsWeights::open(folder()).value()->hash_into(hash);
      return to_hex(hash.finish());
    };
    QVERIFY(hash_of(8192, 3000) != hash_of(8192, 5000));
    QCOMPARE(hash_of(16'384, 3000), hash_of(16'384, 5000));
    QVERIFY(hash_of(16'384, 2000) != hash_of(16'384, 3000));
    QVERIFY(hash_of(16'384, 6200) != hash_of(16'384, 3000));
  }
};

QTEST_APPLESS_MAIN(TestSafetensors)
#include "tst_safetensors.moc"
