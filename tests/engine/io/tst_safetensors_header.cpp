#include <QtTest>

#include "engine/io/safetensors.h"
#include "tests/engine/io/safetensors_builder.h"

using namespace quire;
using namespace quire::test;

namespace {

Result<std::vector<TensorInfo>> parse(const std::string& file) {
  return parse_safetensors_header(std::as_bytes(std::span(file)), "model.safetensors");
}

}  // namespace

class TestSafetensorsHeader : public QObject {
  Q_OBJECT

 private slots:
  void header_readsEveryTensor() {
    const std::string header =
        object("\"__metadata__\":{\"format\":\"pt\"}," + entry("b", "BF16", "[2,3]", "[4,16]") +
               "," + entry("a", "F32", "[]", "[0,4]") + "," +
               entry("empty", "I64", "[0,7]", "[4,4]")) +
        "  ";
    auto tensors = parse(safetensors_file(header, 16));
    QVERIFY2(tensors, tensors ? "" : tensors.error().message.c_str());
    QCOMPARE(tensors->size(), size_t{3});
    QCOMPARE((*tensors)[0].name, std::string("a"));
    QVERIFY((*tensors)[0].shape.empty());
    QCOMPARE((*tensors)[1].shape, (std::vector<int64_t>{2, 3}));
    QCOMPARE((*tensors)[1].dtype, std::string("BF16"));
    QCOMPARE((*tensors)[1].bytes, uint64_t{12});
    QCOMPARE((*tensors)[1].offset, uint64_t{8 + header.size() + 4});
  }

  void header_thatIsDamagedNamesTheFault_data() {
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const std::string& file, const char* message) {
      QTest::newRow(name) << QByteArray::fromStdString(file)
                          << QString("model.safetensors ") + message + "; download it again";
    };
    const auto one = [&](const char* name, const std::string& header, size_t bytes,
                         const char* message) {
      row(name, safetensors_file(object(header), bytes), message);
    };
    const std::string good = safetensors_file(object(entry("w", "F32", "[512]", "[0,2048]")), 2048);
    row("data cut off", good.substr(0, good.size() - 1234),
        "is 1,234 bytes shorter than its header says");
    row("header cut off", good.substr(0, 30), "is 37 bytes shorter than its header says");
    row("length cut off", good.substr(0, 5), "is only 5 bytes long");
    row("longer", good + "abc", "is damaged: it is 3 bytes longer than its header says");
    row("not safetensors", std::string(100, 'x'),
        "is not a safetensors file, or its header is damaged");
    row("a web page", "<!DOCTYPE html><html></html>",
        "is not a safetensors file, or its header is damaged");
    row("huge header", std::string("\xff\xff\xff\x7f\0\0\0\0{}", 10),
        "is not a safetensors file, or its header is damaged");
    row("length of all ones", std::string(8, '\xff') + "{}",
        "is not a safetensors file, or its header is damaged");
    one("broken JSON", "\"w\":", 0, "'s header is not valid JSON at line 1, column 6");
    one("deep", "\"w\":" + std::string(70000, '['), 0, "'s header is nested deeper than 4 levels");
    one("same name twice",
        entry("w", "U8", "[1]", "[0,1]") + "," + entry("w", "U8", "[1]", "[0,1]"), 1,
        "'s header has the key \"w\" twice");
    one("same name twice, with an escape",
        entry("w", "U8", "[1]", "[0,1]") + "," + entry("\\u0077", "U8", "[1]", "[1,2]"), 2,
        "'s header has the key \"w\" twice");
    for (const char* field : {"\"dtype\":\"U8\"", "\"shape\":[1]", "\"data_offsets\":[0,1]"}) {
      const std::string name(field, std::string_view(field).find(':'));
      one(qPrintable(QString("%1 twice").arg(name.c_str())),
          R"("w":{"dtype":"U8","shape":[1],"data_offsets":[0,1],)" + std::string(field) + "}", 1,
          ("'s header has the key " + name + " twice").c_str());
    }
    one("metadata twice", R"("__metadata__":{},"__metadata__":{})", 0,
        "'s header has the key \"__metadata__\" twice");
    one("a fault after a wrong tensor", entry("w", "F32", "[3]", "[0,8]") + ",\"v\":tru", 8,
        "'s header is not valid JSON at line 1, column 62");
    const char* const tensor = "is damaged: the tensor \"w\" ";
    const auto bad = [&](const char* name, const char* dtype, const char* shape,
                         const char* offsets, const char* fault) {
      one(name, entry("w", dtype, shape, offsets), 8, (std::string(tensor) + fault).c_str());
    };
    one("not an object", "\"w\":3", 0,
        "is damaged: the tensor \"w\" lacks its dtype, shape or data_offsets");
    one("no shape", R"("w":{"dtype":"F32","data_offsets":[0,8]})", 8,
        "is damaged: the tensor \"w\" lacks its dtype, shape or data_offsets");
    bad("shape and size disagree", "F32", "[3]", "[0,8]",
        "has 8 bytes where its shape (3) in F32 needs 12");
    bad("negative dimension", "F32", "[-2]", "[0,8]",
        "has a dimension that is not a whole number of 0 or more");
    bad("fraction", "F32", "[2.0]", "[0,8]",
        "has a dimension that is not a whole number of 0 or more");
    bad("huge", "F32", "[4294967296,4294967296]", "[0,8]", "has an impossibly large shape");
    bad("overflows to its size", "F32", "[9223372036854775807,2,2]", "[0,8]",
        "has an impossibly large shape");
    bad("wraps to zero", "F32", "[18446744073709551615]", "[0,8]", "has an impossibly large shape");
    bad("negative offset", "F32", "[2]", "[-8,0]", "has no valid data_offsets");
    bad("three offsets", "F32", "[2]", "[0,8,8]", "has no valid data_offsets");
    bad("backwards", "F32", "[2]", "[8,0]", "has impossible data_offsets");
    bad("far out", "F32", "[2]", "[18446744073709551600,18446744073709551608]",
        "has impossible data_offsets");
    bad("half a byte", "F4", "[3]", "[0,2]", "does not end on a whole byte");
    bad("gap at the start", "F32", "[1]", "[4,8]", "follows a gap in the data");
    one("overlap", entry("a", "F32", "[2]", "[0,8]") + "," + entry("b", "F32", "[2]", "[4,12]"), 12,
        "is damaged: the tensor \"b\" overlaps another tensor");
    one("name with control characters", "\"a\\u0007\\\"b\":3", 0,
        "is damaged: the tensor \"a<U+0007>?b\" lacks its dtype, shape or data_offsets");
  }
  void header_thatIsDamagedNamesTheFault() {
    QFETCH(QByteArray, file);
    QFETCH(QString, message);
    auto tensors = parse(file.toStdString());
    QVERIFY(!tensors);
    QCOMPARE(tensors.error().code, ErrorCode::kCorruptFile);
    QCOMPARE(QString::fromStdString(tensors.error().message).replace(" 's", "'s"),
             message.replace(" 's", "'s"));
  }

  void header_withAnUnknownDtypeNamesIt() {
    auto tensors = parse(safetensors_file(object(entry("w", "Q9", "[2]", "[0,8]")), 8));
    QVERIFY(!tensors);
    QCOMPARE(tensors.error().code, ErrorCode::kUnsupported);
    QCOMPARE(tensors.error().message,
             std::string("model.safetensors: the tensor \"w\" has the unknown dtype \"Q9\""));
  }

  void limits_areThoseOfRealFiles() {
    std::string many;
    for (int i = 0; i < 65'537; ++i) {
      many += (i > 0 ? "," : "") + entry(std::to_string(i).c_str(), "F32", "[0]", "[0,0]");
    }
    const auto tensors = parse(safetensors_file(object(many), 0));
    QVERIFY(!tensors);
    QCOMPARE(tensors.error().message,
             std::string("model.safetensors has 65,537 tensors; Quire reads up to 65,536"));
    const std::string spaces((32 << 20) + 1, ' ');
    QCOMPARE(parse(safetensors_file("{}" + spaces, 0)).error().message,
             std::string("model.safetensors is not a safetensors file, or its header is damaged; "
                         "download it again"));
  }
};

QTEST_APPLESS_MAIN(TestSafetensorsHeader)
#include "tst_safetensors_header.moc"
