#include <simt/control.h>

#include <QTest>
#include <cstring>

#include "kernels/base/dequantize.h"
#include "kernels/cuda/weights/linear_packer.h"
#include "tests/kernels/cuda/weights_test_support.h"

using namespace quire;
using namespace quire::test;

namespace {

constexpr size_t kSmallStaging = size_t{16} << 10;

/// The parts' numbers one after another.
std::vector<float> concatenated(const std::vector<const WeightNumbers*>& parts) {
  std::vector<float> numbers;
  for (const WeightNumbers* part : parts) {
    numbers.insert(numbers.end(), part->exact.begin(), part->exact.end());
  }
  return numbers;
}
std::vector<double> concatenated_bounds(const std::vector<const WeightNumbers*>& parts) {
  std::vector<double> all;
  for (const WeightNumbers* part : parts) {
    const std::vector<double> bounds = part->bounds();
    all.insert(all.end(), bounds.begin(), bounds.end());
  }
  return all;
}

/// Of a folder's type: a block's scale, and its first code becomes the largest that there is.
void set_scale(WeightNumbers& numbers, int block, float scale, bool is_bf16) {
  uint8_t* const b = &numbers.bytes[static_cast<size_t>(block * dtype_block_bytes(numbers.dtype))];
  switch (numbers.dtype) {
    case DType::kF8_128:
    case DType::kI8_128:
    case DType::kNF4_64:
      std::memcpy(b, &scale, sizeof scale);
      b[4] = numbers.dtype == DType::kF8_128 ? 0x7e : numbers.dtype == DType::kI8_128 ? 0x80 : 0xff;
      break;
    default:
      const uint16_t bits = is_bf16 ? f32_to_bf16(scale) : f32_to_f16(scale);
      std::memcpy(b, &bits, sizeof bits);
      b[2] = static_cast<uint8_t>(31 | (is_bf16 ? 128 : 0));  // A zero point of 31.
      b[3] = 0;
  }
  dequantize_row(numbers.dtype, numbers.bytes.data(), numbers.exact.data(),
                 numbers.rows * numbers.columns);
}

const std::vector<cuda::LinearSegment>& segments(const LinearWeight& weight) {
  return static_cast<const cuda::PackedWeight&>(weight).segments();
}

}  // namespace

/// How weights come to the device: parts, strides, pieces, and what happens when something fails.
class TestCudaPacking : public QObject {
  Q_OBJECT

 private slots:
  void neighboursOfOneDtype_formOneSegment();
  void partsOfManyDtypes_followEachOther();
  void strides_mayBeAny();
  void rowsInAnotherOrder_areParts();
  void longAndManyRows_comeInPieces_data();
  void longAndManyRows_comeInPieces();
  void scalesBeyondHalves_makeThePartF32_data();
  void scalesBeyondHalves_makeThePartF32();
  void partsWithLargeScales_comeInPieces();
  void parts_areNotReadAfterTheCall();
  void tooLarge_saysHowMuchIsFreeAndLeaksNothing();
  void failures_areReportedAndLeakNothing_data();
  void failures_areReportedAndLeakNothing();
};

void TestCudaPacking::neighboursOfOneDtype_formOneSegment() {
  const auto queue = make_queue();
  const WeightNumbers a(DType::kQ4_0, 5, 64, 1);
  const WeightNumbers b(DType::kQ4_0, 0, 64, 2);
  const WeightNumbers c(DType::kQ4_0, 14, 64, 3);
  const auto weight = cuda::LinearPacker(*queue).pack({{a.view(), b.view(), c.view()}}).value();
  QCOMPARE(segments(*weight).size(), size_t{1});
  QCOMPARE(segments(*weight)[0].num_outputs, int64_t{19});
  QCOMPARE(first_outside(read_back(*queue, *weight), concatenated({&a, &c}),
                         concatenated_bounds({&a, &c})),
           std::string());
}

void TestCudaPacking::partsOfManyDtypes_followEachOther() {
  const auto queue = make_queue();
  std::vector<WeightNumbers> numbers;
  for (DType dtype : weight_dtypes()) numbers.emplace_back(dtype, 3, 256, 4);
  std::vector<ConstTensorView> parts;
  std::vector<const WeightNumbers*> pointers;
  for (const WeightNumbers& part : numbers) {
    parts.push_back(part.view());
    pointers.push_back(&part);
  }
  const auto weight = cuda::LinearPacker(*queue).pack(parts).value();
  QCOMPARE(segments(*weight).size(), numbers.size());
  int64_t first = 0;
  for (const cuda::LinearSegment& segment : segments(*weight)) {
    QCOMPARE(segment.first_output, first);
    QCOMPARE(reinterpret_cast<uintptr_t>(segment.data) % 256, uintptr_t{0});
    first += segment.num_outputs;
  }
  QCOMPARE(weight->num_outputs(), first);
  QCOMPARE(first_outside(read_back(*queue, *weight), concatenated(pointers),
                         concatenated_bounds(pointers)),
           std::string());
}

void TestCudaPacking::strides_mayBeAny() {
  const auto queue = make_queue();
  for (DType dtype : {DType::kF32, DType::kBF16, DType::kQ5_1, DType::kMXFP4}) {
    const WeightNumbers wide(dtype, 18, 128, 5);
    const int64_t first = 32;
    const int64_t count = dtype == DType::kQ5_1 || dtype == DType::kMXFP4 ? 64 : 67;
    const auto weight =
        cuda::LinearPacker(*queue).pack({{wide.view().columns(first, count)}}).value();
    const std::vector<float> actual = read_back(*queue, *weight);
    const std::vector<double> bounds = wide.bounds();
    for (int64_t i = 0; i < 18 * count; ++i) {
      const auto at = static_cast<size_t>(i / count * 128 + first + i % count);
      QVERIFY(std::abs(double{actual[static_cast<size_t>(i)]} - wide.exact[at]) <= bounds[at]);
    }
  }
}

void TestCudaPacking::rowsInAnotherOrder_areParts() {
  const auto queue = make_queue();
  const WeightNumbers numbers(DType::kF16, 34, 70, 6);
  std::vector<ConstTensorView> parts;
  std::vector<float> expected;
  for (int64_t row = 33; row >= 0; --row) {
    parts.push_back(numbers.view().rows(row, 1));
    expected.insert(expected.end(), numbers.exact.begin() + row * 70,
                    numbers.exact.begin() + (row + 1) * 70);
  }
  const auto weight = cuda::LinearPacker(*queue).pack(parts).value();
  QCOMPARE(segments(*weight).size(), size_t{1});
  QVERIFY(read_back(*queue, *weight) == expected);
}

void TestCudaPacking::longAndManyRows_comeInPieces_data() {
  QTest::addColumn<int>("dtype");
  QTest::addColumn<int>("rows");
  QTest::addColumn<int>("columns");
  // Pieces of 16 KiB: some inputs of a group at a time, and some groups at a time.
  QTest::newRow("f32, long") << static_cast<int>(DType::kF32) << 18 << 1030;
  QTest::newRow("f32, many") << static_cast<int>(DType::kF32) << 1100 << 9;
  QTest::newRow("bf16, long") << static_cast<int>(DType::kBF16) << 18 << 1100;
  QTest::newRow("q8_0, long") << static_cast<int>(DType::kQ8_0) << 18 << 2080;
  QTest::newRow("q8_0, many") << static_cast<int>(DType::kQ8_0) << 600 << 32;
  QTest::newRow("q6_k, long") << static_cast<int>(DType::kQ6_K) << 18 << 2048;
  // Pieces end where blocks do, which are two units.
  QTest::newRow("fp8_128, long") << static_cast<int>(DType::kF8_128) << 18 << 2048;
  QTest::newRow("int4_128, long") << static_cast<int>(DType::kI4_128) << 18 << 2944;
  QTest::newRow("mxfp4, many") << static_cast<int>(DType::kMXFP4) << 1000 << 96;
}

void TestCudaPacking::longAndManyRows_comeInPieces() {
  QFETCH(int, dtype);
  QFETCH(int, rows);
  QFETCH(int, columns);
  const auto queue = make_queue();
  const WeightNumbers numbers(static_cast<DType>(dtype), rows, columns, 7);
  cuda::LinearPacker packer(*queue, kSmallStaging);
  const int copies_before = simt::num_calls("cudaMemcpyAsync");
  const auto weight = packer.pack({{numbers.view()}}).value();
  QVERIFY(simt::num_calls("cudaMemcpyAsync") - copies_before > 2);
  QCOMPARE(first_outside(read_back(*queue, *weight), numbers.exact, numbers.bounds()),
           std::string());
}

void TestCudaPacking::scalesBeyondHalves_makeThePartF32_data() {
  QTest::addColumn<int>("dtype");
  QTest::addColumn<float>("largest");
  QTest::addColumn<float>("too_large");
  QTest::addColumn<bool>("is_bf16");
  const auto add = [](const char* name, DType dtype, float largest, float too_large, bool is_bf16) {
    QTest::newRow(name) << static_cast<int>(dtype) << largest << too_large << is_bf16;
  };
  add("fp8_128", DType::kF8_128, 146.0f, 147.0f, false);
  add("fp8_128, negative", DType::kF8_128, -146.0f, -147.0f, false);
  add("int8_128", DType::kI8_128, 511.5f, 512.0f, false);
  add("nf4_64", DType::kNF4_64, 65472.0f, 65505.0f, false);
  add("int4_32, f16", DType::kI4_32, 2047.0f, 2048.0f, false);
  add("int4_64, bf16", DType::kI4_64, 2040.0f, 2048.0f, true);
  add("int4_128, bf16", DType::kI4_128, -2040.0f, -1e30f, true);
}

void TestCudaPacking::scalesBeyondHalves_makeThePartF32() {
  QFETCH(int, dtype);
  QFETCH(float, largest);
  QFETCH(float, too_large);
  QFETCH(bool, is_bf16);
  const auto queue = make_queue();
  WeightNumbers numbers(static_cast<DType>(dtype), 20, 256, 11);
  set_scale(numbers, 13, largest, is_bf16);
  const auto fits = cuda::LinearPacker(*queue).pack({{numbers.view()}}).value();
  QCOMPARE(segments(*fits)[0].dtype, numbers.dtype);
  QCOMPARE(first_outside(read_back(*queue, *fits), numbers.exact, numbers.bounds()), std::string());

  set_scale(numbers, 13, too_large, is_bf16);
  const auto weight = cuda::LinearPacker(*queue).pack({{numbers.view()}}).value();
  QCOMPARE(segments(*weight).size(), size_t{1});
  QVERIFY(segments(*weight)[0].dtype == DType::kF32);
  QVERIFY(read_back(*queue, *weight) == numbers.exact);
}

/// One segment of floats and of parts that become floats, cut within rows and between them.
void TestCudaPacking::partsWithLargeScales_comeInPieces() {
  const auto queue = make_queue();
  const WeightNumbers a(DType::kF32, 3, 2048, 12);
  WeightNumbers b(DType::kF8_128, 18, 2304, 13);
  WeightNumbers c(DType::kI4_32, 2, 2048, 14);
  const WeightNumbers d(DType::kI4_32, 5, 2048, 15);
  for (int row = 0; row < 18; ++row) set_scale(b, 18 * row + 3, 1e5f, false);
  set_scale(c, 70, 1e5f, true);
  const std::vector<ConstTensorView> parts = {a.view(), b.view().columns(128, 2048), c.view(),
                                              d.view()};
  const auto weight = cuda::LinearPacker(*queue, kSmallStaging).pack(parts).value();
  QCOMPARE(segments(*weight).size(), size_t{2});
  QCOMPARE(segments(*weight)[0].num_outputs, int64_t{23});
  std::vector<float> expected = a.exact;
  for (int row = 0; row < 18; ++row) {
    const auto begin = b.exact.begin() + row * 2304 + 128;
    expected.insert(expected.end(), begin, begin + 2048);
  }
  expected.insert(expected.end(), c.exact.begin(), c.exact.end());
  std::vector<float> found = read_back(*queue, *weight);
  found.resize(expected.size());
  QVERIFY(found == expected);
}

void TestCudaPacking::parts_areNotReadAfterTheCall() {
  const auto queue = make_queue();
  WeightNumbers numbers(DType::kQ4_K, 40, 512, 8);
  const std::vector<double> bounds = numbers.bounds();
  cuda::LinearPacker packer(*queue, kSmallStaging);
  const auto weight = packer.pack({{numbers.view()}}).value();
  std::fill(numbers.bytes.begin(), numbers.bytes.end(), uint8_t{0});
  QCOMPARE(first_outside(read_back(*queue, *weight), numbers.exact, bounds), std::string());
}

void TestCudaPacking::tooLarge_saysHowMuchIsFreeAndLeaksNothing() {
  const auto queue = make_queue();
  cuda::LinearPacker packer(*queue, kSmallStaging);
  const WeightNumbers small(DType::kF32, 1, 4, 9);
  QVERIFY(packer.pack({{small.view()}}));  // The workspace and the staging buffers are there now.
  const size_t used = simt::used_bytes(0);

  // 96 MiB of a row that is there once: the machine has 64 MiB.
  const std::vector<float> row(1 << 10);
  const ConstTensorView part(row.data(), DType::kF32, {1, 1 << 10});
  const std::vector<ConstTensorView> parts(24 << 10, part);
  const auto weight = packer.pack(parts);
  QVERIFY(!weight);
  QCOMPARE(weight.error().code, ErrorCode::kOutOfMemory);
  const std::string& message = weight.error().message;
  QVERIFY2(message.find("needs 101 MB more") != std::string::npos, message.c_str());
  QVERIFY2(message.find("left for Quire") != std::string::npos, message.c_str());
  QCOMPARE(simt::used_bytes(0), used);
  // The queue goes on.
  QVERIFY(packer.pack({{small.view()}}));
  QVERIFY(queue->take_failure());
}

void TestCudaPacking::failures_areReportedAndLeakNothing_data() {
  QTest::addColumn<QString>("function");
  QTest::addColumn<int>("nth");
  QTest::addColumn<int>("code");
  const int memory = static_cast<int>(ErrorCode::kOutOfMemory);
  QTest::newRow("first pinned buffer") << "cudaMallocHost" << 1 << memory;
  QTest::newRow("second pinned buffer") << "cudaMallocHost" << 2 << memory;
  QTest::newRow("workspace") << "cudaMalloc" << 1 << memory;
  QTest::newRow("weight") << "cudaMalloc" << 2 << memory;
  const int device = static_cast<int>(ErrorCode::kDevice);
  QTest::newRow("event") << "cudaEventCreateWithFlags" << 2 << device;
  QTest::newRow("transfer") << "cudaMemcpyAsync" << 1 << device;
  QTest::newRow("later transfer") << "cudaMemcpyAsync" << 3 << device;
  QTest::newRow("wait") << "cudaEventSynchronize" << 3 << device;
  QTest::newRow("launch") << "cudaLaunchKernelExC" << 2 << device;
}

void TestCudaPacking::failures_areReportedAndLeakNothing() {
  QFETCH(QString, function);
  QFETCH(int, nth);
  QFETCH(int, code);
  const auto queue = make_queue();
  const WeightNumbers numbers(DType::kQ8_0, 70, 512, 10);
  {
    cuda::LinearPacker packer(*queue, kSmallStaging);
    const bool is_memory = code == static_cast<int>(ErrorCode::kOutOfMemory);
    simt::fail_call(function.toStdString(), nth,
                    is_memory ? cudaErrorMemoryAllocation : cudaErrorInvalidValue);
    const auto failed = packer.pack({{numbers.view()}});
    QVERIFY(!failed);
    QCOMPARE(static_cast<int>(failed.error().code), code);
    simt::fail_no_calls();

    const auto weight = packer.pack({{numbers.view()}});
    QVERIFY2(weight, weight ? "" : weight.error().message.c_str());
    QCOMPARE(first_outside(read_back(*queue, **weight), numbers.exact, numbers.bounds()),
             std::string());
  }
  QCOMPARE(simt::num_allocations(0), size_t{1});  // The queue's workspace.
}

QTEST_GUILESS_MAIN(TestCudaPacking)
#include "tst_cuda_packing.moc"
