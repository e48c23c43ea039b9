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
        R"({"metadata":{},"weight_map":{"y":"b.safetensors","x":"a.safetensors"}})");
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
};

QTEST_APPLESS_MAIN(TestSafetensors)
#include "tst_safetensors.moc"
