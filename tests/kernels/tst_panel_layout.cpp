// Panels hold what was packed, where panel_layout.h says.

#include <QTest>

#include <cstring>

#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/panel_layout.h"
#include "tests/kernels/kernel_test_support.h"

using namespace quire;
using namespace quire::test;
using cpu::kPanelColumns;
using cpu::PanelContent;
using cpu::PanelFormat;

namespace {

/// Rows of random bytes: whatever they mean, they are to come back.
struct Rows {
  std::vector<std::vector<char>> bytes;
  std::vector<const char*> pointers;

  Rows(int count, int64_t length) {
    Numbers numbers(51);
    for (int j = 0; j < count; ++j) {
      std::vector<char>& row = bytes.emplace_back();
      for (int64_t i = 0; i < length; ++i) row.push_back(static_cast<char>(numbers.below(256)));
    }
    for (const std::vector<char>& row : bytes) pointers.push_back(row.data());
  }
};

}  // namespace

class TestPanelLayout : public QObject {
  Q_OBJECT

 private slots:
  void columns_comeBackAsTheyWerePacked_data() {
    QTest::addColumn<int>("dtype");
    std::vector<DType> dtypes = quantized_types();
    dtypes.insert(dtypes.end(), {DType::kF32, DType::kF16, DType::kBF16});
    for (const DType dtype : dtypes) {
      QTest::addRow("%s", std::string(dtype_name(dtype)).c_str()) << static_cast<int>(dtype);
    }
  }
  void columns_comeBackAsTheyWerePacked() {
    QFETCH(const int, dtype);
    const PanelFormat format = {static_cast<DType>(dtype)};
    const int64_t n = dtype_block_elements(format.dtype) * 3;
    const int64_t length = dtype_span_bytes(format.dtype, n);
    for (const int count : {1, 37, kPanelColumns}) {
      const Rows rows(count, length);
      std::vector<char> panel(static_cast<size_t>(cpu::panel_bytes(format, n)));
      QCOMPARE(panel.size(), static_cast<size_t>(length * kPanelColumns));
      cpu::pack_panel(panel.data(), format, rows.pointers.data(), count, n);
      for (int j = 0; j < count; ++j) {
        std::vector<char> row(static_cast<size_t>(length));
        cpu::unpack_column(row.data(), format, panel.data(), j, n);
        QCOMPARE(row, rows.bytes[static_cast<size_t>(j)]);
      }
    }
  }

  /// Scales are single bytes of all columns, codes four of each.
  void codes_lieFourByFour() {
    const PanelFormat format = {DType::kQ4_0};
    const Rows rows(kPanelColumns, 18);
    std::vector<char> panel(18 * kPanelColumns);
    cpu::pack_panel(panel.data(), format, rows.pointers.data(), kPanelColumns, 32);
    QCOMPARE(panel[1 * kPanelColumns + 5], rows.bytes[5][1]);
    QCOMPARE(panel[2 * kPanelColumns + 4 * 5 + 3], rows.bytes[5][2 + 3]);
    QCOMPARE(panel[6 * kPanelColumns + 4 * 63], rows.bytes[63][6]);
  }

  /// Of input 4 q + i bit q of byte i.
  void fifthBits_lieAsTheirCodesDo() {
    for (int input = 0; input < 32; ++input) {
      char block[22] = {};
      const uint32_t bits = uint32_t{1} << input;
      std::memcpy(block + 2, &bits, sizeof bits);
      const char* const row = block;
      std::vector<char> panel(22 * kPanelColumns);
      cpu::pack_panel(panel.data(), {DType::kQ5_0}, &row, 1, 32);
      uint32_t packed;
      std::memcpy(&packed, panel.data() + 2 * kPanelColumns, sizeof packed);
      QCOMPARE(packed, uint32_t{1} << (8 * (input % 4) + input / 4));
    }
  }

  /// Two inputs side by side, and zeros up to a multiple of kBf16Inputs.
  void pairs_areFilledWithZeros() {
    const PanelFormat format = {DType::kF16, PanelContent::kBf16Pairs};
    const int64_t n = 33;
    std::vector<uint16_t> numbers(n);
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<uint16_t>(i + 1);
    const char* const row = reinterpret_cast<const char*>(numbers.data());
    QCOMPARE(cpu::panel_bytes(format, n), int64_t{64} * 2 * kPanelColumns);
    std::vector<uint32_t> panel(32 * kPanelColumns, 0xffffffff);
    cpu::pack_panel(panel.data(), format, &row, 1, n);
    QCOMPARE(panel[0], uint32_t{0x00020001});
    QCOMPARE(panel[16 * kPanelColumns], uint32_t{33});
    for (size_t pair = 17; pair < 32; ++pair) QCOMPARE(panel[pair * kPanelColumns], uint32_t{0});
    std::vector<uint16_t> back(n);
    cpu::unpack_column(back.data(), format, panel.data(), 0, n);
    QCOMPARE(back, numbers);
  }
};

QTEST_APPLESS_MAIN(TestPanelLayout)
#include "tst_panel_layout.moc"
