// Backend::embed: rows of a packed weight, equal bit for bit to the rows that were packed times the
// scale, for every type, instruction set and number of threads.

#include <QTest>
#include <cmath>

#include "tests/kernels/kernel_test_support.h"

using namespace quire;
using namespace quire::test;

namespace {

/// A table in one dtype and the values of its rows.
struct Table {
  DType dtype;
  int64_t num_rows;
  int64_t num_columns;
  std::vector<uint8_t> bytes;
  std::vector<float> exact;

  Table(DType type, int64_t rows, int64_t columns, uint32_t seed)
      : dtype(type), num_rows(rows), num_columns(columns) {
    if (is_quantized(type)) {
      QuantizedNumbers numbers(type, rows, columns, seed);
      bytes = std::move(numbers.blocks);
      exact = std::move(numbers.exact);
      return;
    }
    TypedNumbers numbers = in_dtype(type, Numbers(seed).floats(rows * columns));
    bytes.resize(static_cast<size_t>(dtype_span_bytes(type, rows * columns)));
    std::memcpy(bytes.data(), numbers.data(), bytes.size());
    exact = std::move(numbers.exact);
  }

  ConstTensorView view() const { return {bytes.data(), dtype, {num_rows, num_columns}}; }
};

std::unique_ptr<LinearWeight> pack(Backend& backend, std::span<const ConstTensorView> parts) {
  return std::move(backend.pack_linear(parts)).value();
}

/// Rows ids of the table (V, C), times scale.
std::vector<float> rows_of(const std::vector<float>& table, int64_t C, std::span<const int32_t> ids,
                           float scale) {
  std::vector<float> rows;
  for (int32_t id : ids) {
    for (int64_t i = 0; i < C; ++i) rows.push_back(table[static_cast<size_t>(id * C + i)] * scale);
  }
  return rows;
}

std::vector<float> embed(Backend& backend, const LinearWeight& table, std::vector<int32_t>& ids,
                         float scale) {
  const auto T = static_cast<int64_t>(ids.size());
  const int64_t C = table.num_inputs();
  std::vector<float> out(static_cast<size_t>(T * C), -7.0f);
  backend.embed(view(out, {T, C}), table, view(ids, {T}), scale);
  return out;
}

/// The first and the last row, and others in no order, some twice or more.
std::vector<int32_t> some_ids(int64_t V) {
  std::vector<int32_t> ids = {static_cast<int32_t>(V - 1), 0, 0};
  Numbers numbers(3);
  for (int i = 0; i < 37; ++i) ids.push_back(numbers.below(static_cast<int>(V)));
  return ids;
}

std::vector<DType> all_types() {
  std::vector<DType> types = quantized_types();
  types.insert(types.begin(), {DType::kF32, DType::kF16, DType::kBF16});
  return types;
}

/// Widths that end within a vector or a chunk of 256 where the type's blocks allow it.
std::vector<int64_t> widths(DType dtype) {
  const int64_t block = dtype_block_elements(dtype);
  if (block > 32) return {block, 768 - block % 256};
  if (block == 32) return {32, 224, 256, 544};
  return {1, 7, 33, 256, 300, 1000};
}

}  // namespace

class TestEmbed : public QObject {
  Q_OBJECT

 private slots:
  void embed_givesThePackedRowsTimesScale_data() {
    QTest::addColumn<QString>("isa");
    QTest::addColumn<int>("dtype");
    for (const std::string& isa : instruction_sets()) {
      for (DType dtype : all_types()) {
        QTest::addRow("%s %s", isa.c_str(), dtype_name(dtype).data())
            << QString::fromStdString(isa) << static_cast<int>(dtype);
      }
    }
  }
  void embed_givesThePackedRowsTimesScale() {
    QFETCH(QString, isa);
    QFETCH(int, dtype);
    const auto one = make_backend(isa.toStdString(), 1), three = make_backend(isa.toStdString(), 3);
    for (int64_t C : widths(static_cast<DType>(dtype))) {
      for (int64_t V : {1, 64, 150}) {
        const Table table(static_cast<DType>(dtype), V, C, 8);
        const ConstTensorView parts[] = {table.view()};
        std::vector<int32_t> ids = some_ids(V);
        for (Backend* backend : {one.get(), three.get()}) {
          const auto packed = pack(*backend, parts);
          for (float scale : {1.0f, 1.7f}) {
            QVERIFY(same_bits(embed(*backend, *packed, ids, scale),
                              rows_of(table.exact, C, ids, scale)));
          }
        }
      }
    }
  }

  void embed_findsRowsOfEveryPart() {
    // Parts of other dtypes begin panels of their own; those of the same dtype go on in theirs.
    const int64_t C = 512;
    const Table tables[] = {{DType::kQ4_K, 70, C, 1}, {DType::kQ6_K, 64, C, 2},
                            {DType::kF32, 5, C, 3},   {DType::kBF16, 1, C, 4},
                            {DType::kBF16, 90, C, 5}, {DType::kQ4_K, 30, C, 6}};
    std::vector<ConstTensorView> parts;
    std::vector<float> exact;
    for (const Table& table : tables) {
      parts.push_back(table.view());
      exact.insert(exact.end(), table.exact.begin(), table.exact.end());
    }
    std::vector<int32_t> ids;
    for (int32_t i = 0; i < 260; ++i) ids.push_back(i * 77 % 260);
    for (const std::string& isa : instruction_sets()) {
      const auto backend = make_backend(isa, 3);
      const auto packed = pack(*backend, parts);
      QVERIFY(same_bits(embed(*backend, *packed, ids, 1.7f), rows_of(exact, C, ids, 1.7f)));
    }
  }

  void embed_widensEveryHalf() {
    std::vector<uint16_t> table(65536);
    for (uint32_t i = 0; i < 65536; ++i) table[i] = static_cast<uint16_t>(i);
    std::vector<int32_t> ids = {0};
    for (const std::string& isa : instruction_sets()) {
      const auto backend = make_backend(isa, 1);
      for (DType dtype : {DType::kF16, DType::kBF16}) {
        const ConstTensorView parts[] = {{table.data(), dtype, {1, 65536}}};
        const auto out = embed(*backend, *pack(*backend, parts), ids, 1.0f);
        for (uint32_t i = 0; i < 65536; ++i) {
          const float expected =
              dtype == DType::kF16 ? f16_to_f32(table[i]) : bf16_to_f32(table[i]);
          QVERIFY(std::isnan(expected) ? std::isnan(out[i]) : same_bits(&out[i], &expected, 1));
        }
      }
    }
  }

  void embed_writesColumnsOfAWiderTensor() {
    const Table table(DType::kBF16, 20, 40, 9);
    const ConstTensorView parts[] = {table.view()};
    std::vector<int32_t> ids = {19, 0, 7};
    const std::vector<float> expected = rows_of(table.exact, 40, ids, 2.0f);
    for (const std::string& isa : instruction_sets()) {
      const auto backend = make_backend(isa, 2);
      std::vector<float> out(3 * 50, -7.0f);
      backend->embed(view(out, {3, 50}).columns(5, 40), *pack(*backend, parts), view(ids, {3}),
                     2.0f);
      for (size_t row = 0; row < 3; ++row) {
        QVERIFY(same_bits(out.data() + row * 50 + 5, expected.data() + row * 40, 40));
        QCOMPARE(out[row * 50 + 4], -7.0f);
        QCOMPARE(out[row * 50 + 45], -7.0f);
      }
    }
  }

  void embed_acceptsNoRows() {
    const Table table(DType::kQ4_0, 3, 32, 9);
    const ConstTensorView parts[] = {table.view()};
    for (const std::string& isa : instruction_sets()) {
      const auto backend = make_backend(isa, 2);
      std::vector<int32_t> ids;
      QVERIFY(embed(*backend, *pack(*backend, parts), ids, 1.0f).empty());
    }
  }
};

QTEST_APPLESS_MAIN(TestEmbed)
#include "tst_embed.moc"
