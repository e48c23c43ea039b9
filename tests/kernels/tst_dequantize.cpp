// dequantize_row against the values that the gguf Python package gives the same bytes
// (tests/scripts/make_quant_fixture.py), bit for bit, from rows at any address.

#include <QFile>
#include <QTest>

#include "kernels/base/dequantize.h"
#include "tests/kernels/kernel_test_support.h"

using namespace quire;
using namespace quire::test;

namespace {

void add_quantized_types() {
  QTest::addColumn<int>("dtype");
  for (DType dtype : quantized_types()) {
    QTest::newRow(dtype_name(dtype).data()) << static_cast<int>(dtype);
  }
}

QByteArray read_fixture(DType dtype) {
  QFile file(QStringLiteral(QUIRE_SOURCE_DIR "/tests/data/quant/%1.bin")
                 .arg(QString::fromLatin1(dtype_name(dtype).data())));
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace

class TestDequantize : public QObject {
  Q_OBJECT

 private slots:
  void dequantize_row_equalsTheReference_data() { add_quantized_types(); }
  void dequantize_row_equalsTheReference() {
    QFETCH(int, dtype);
    const auto type = static_cast<DType>(dtype);
    const int64_t elements = dtype_block_elements(type);
    const int64_t bytes = dtype_block_bytes(type);
    const QByteArray file = read_fixture(type);
    const int64_t blocks = file.size() / (bytes + 4 * elements);
    QCOMPARE_GE(blocks, 24);
    QCOMPARE(file.size(), blocks * (bytes + 4 * elements));
    std::vector<float> expected(static_cast<size_t>(blocks * elements));
    std::memcpy(expected.data(), file.data() + blocks * bytes, expected.size() * sizeof(float));
    for (int64_t offset : {0, 1, 2, 3}) {
      std::vector<char> row(static_cast<size_t>(blocks * bytes + offset));
      std::memcpy(row.data() + offset, file.data(), static_cast<size_t>(blocks * bytes));
      std::vector<float> out(expected.size(), -7.0f);
      dequantize_row(type, row.data() + offset, out.data(), blocks * elements);
      QVERIFY(same_bits(out, expected));
    }
  }

  void dequantize_row_widensFloats() {
    Numbers numbers(1);
    for (DType dtype : {DType::kF32, DType::kF16, DType::kBF16}) {
      TypedNumbers row = in_dtype(dtype, numbers.floats(77));
      std::vector<float> out(77);
      dequantize_row(dtype, row.data(), out.data(), 77);
      QVERIFY(same_bits(out, row.exact));
    }
  }

  void dequantize_row_ofNothingWritesNothing() {
    for (DType dtype : quantized_types()) dequantize_row(dtype, nullptr, nullptr, 0);
  }
};

QTEST_APPLESS_MAIN(TestDequantize)
#include "tst_dequantize.moc"
