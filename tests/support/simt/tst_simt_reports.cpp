#include <simt/control.h>

#include <QtTest>
#include <cstring>

#include "kernels/cuda/device/async_copy.h"
#include "kernels/cuda/device/launch_order.h"
#include "kernels/cuda/device/tensor_core.h"
#include "tests/support/simt/simt_test_support.h"

// Kernels that are wrong, and what the harness says of them before it ends the program.
namespace {

__global__ void half_a_barrier() {
  if (threadIdx.x >= 32) return;
  if (threadIdx.x < 16) __syncthreads();
  if (threadIdx.x >= 16) __shfl_xor_sync(~0u, 1, 1);
}

__global__ void two_barriers() {
  if (threadIdx.x < 32) {
    __syncthreads();
  } else {
    __syncthreads();
  }
}

__global__ void mask_without_itself() {
  __shfl_sync(1u, 1, 0);
}

__global__ void product_of_half_a_warp() {
  if (threadIdx.x >= 16) return;
  float d[4] = {};
  const uint32_t a[4] = {};
  const uint32_t b[2] = {};
  quire::cuda::mma_m16n8k16<quire::cuda::Half::kF16>(d, a, b);
}

__global__ void unaligned_copy(const char* x) {
  quire::cuda::copy_async_16(quire::cuda::dynamic_shared<char>() + 8, x);
}

__global__ void unaligned_row() {
  uint32_t r[4];
  quire::cuda::load_matrix_x4(r, quire::cuda::dynamic_shared<char>() + threadIdx.x * 24);
}

__global__ void unaligned_load(const float* x, float4* out) {
  out[0] = __ldg(reinterpret_cast<const float4*>(x + 1));
}

__global__ void past_shared() {
  quire::cuda::dynamic_shared<int>()[threadIdx.x + 1] = 3;
}

__global__ void write_at(char* memory, int place) {
  memory[place] = 1;
}

__global__ void recurse(int* x, int depth) {
  volatile char frame[512];
  frame[depth % 512] = 1;
  if (depth > 0) recurse(x, depth - 1);
  x[0] += frame[depth % 512];
}

__global__ void add_early(int* sum, const int* x) {
  quire::cuda::begin_in_order();
  sum[threadIdx.x] += x[threadIdx.x];
}

__global__ void read_too_early(int* sum, const int* x) {
  const int number = x[threadIdx.x];
  quire::cuda::begin_in_order();
  sum[threadIdx.x] += number;
}

__global__ void write_too_early(int* sum, const int*) {
  sum[threadIdx.x] = 0;
  quire::cuda::begin_in_order();
}

__global__ void wait_in_one_warp(int*, const int*) {
  if (threadIdx.x < 32) quire::cuda::begin_in_order();
}

__global__ void wait_behind_a_barrier(int*, const int*) {
  if (threadIdx.x < 32) __syncthreads();
  quire::cuda::wait_for_earlier_kernels();
  if (threadIdx.x >= 32) __syncthreads();
}

__global__ void let_next_begin_too_early(int*, const int*) {
  quire::cuda::let_next_kernel_begin();
  quire::cuda::wait_for_earlier_kernels();
}

struct Table {
  int count;
  int* entries[2];
};

__global__ void write_by_table(Table table) {
  for (int i = 0; i < table.count; ++i) *table.entries[i] = i;
}

struct Padded {
  bool is_set;
  double number;
};

__global__ void take_padded(Padded) {}

__global__ void call_host() {
  cudaDeviceSynchronize();
}

template <typename... Parameters, typename... Arguments>
std::string last_words_of(void (*kernel)(Parameters...), const Shape& shape,
                          Arguments... arguments) {
  return last_words([&] {
    launch(kernel, shape, arguments...);
    cudaDeviceSynchronize();
  });
}

/// Doubles x with add_early, and then launches the kernel, which may begin early, with a sum and x.
std::vector<int> sum_early(void (*kernel)(int*, const int*), const Shape& shape) {
  const OnDevice<int> x(std::vector<int>(64, 4)), sum(std::vector<int>(64, 100));
  launch(&add_early, {1, 64}, x.data(), const_cast<const int*>(x.data()));
  cudaLaunchAttribute early = {};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = shape.grid;
  config.blockDim = shape.block;
  config.attrs = &early;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, kernel, sum.data(), const_cast<const int*>(x.data()));
  return sum.values();
}

bool has(const std::string& text, const char* part) {
  if (text.find(part) != std::string::npos) return true;
  qWarning("expected: %s, found: %s", part, text.c_str());
  return false;
}

}  // namespace

class TestSimtReports : public QObject {
  Q_OBJECT

 private slots:
  void init() { simt::set_machine({}); }
  void deadlock_saysWhoWaitsForWhat();
  void barriers_mustBeTheSame();
  void masks_mustHoldTheCaller();
  void products_needTheWholeWarp();
  void addresses_mustBeAligned();
  void sharedMemory_hasAnEnd();
  void deviceMemory_isNotTheHosts();
  void pointers_mustBeTheDevices();
  void allocations_haveAnEnd();
  void stacks_haveAnEnd();
  void kernels_cannotCallTheHost();
  void earlyKernels_mustWait_data();
  void earlyKernels_mustWait();
  void earlyKernels_findNothingOfTheKernelBeforeUntilTheyWait();
};

void TestSimtReports::earlyKernels_mustWait_data() {
  QTest::addColumn<void (*)(int*, const int*)>("kernel");
  QTest::addColumn<QByteArray>("words");
  QTest::newRow("it waits") << &add_early << QByteArray();
  QTest::newRow("in one warp") << &wait_in_one_warp
                               << QByteArray("ends without having waited for the kernels before");
  QTest::newRow("a barrier between")
      << &wait_behind_a_barrier << QByteArray("waits for the kernels before its own at ");
  QTest::newRow("next first") << &let_next_begin_too_early
                              << QByteArray("lets the next kernel begin before it has waited");
}

void TestSimtReports::earlyKernels_mustWait() {
  using Kernel = void (*)(int*, const int*);
  QFETCH(const Kernel, kernel);
  QFETCH(const QByteArray, words);
  const std::string last = last_words([&] { sum_early(kernel, {1, 64}); });
  QCOMPARE(last.empty(), words.isEmpty());
  QVERIFY(has(last, words));
}

void TestSimtReports::earlyKernels_findNothingOfTheKernelBeforeUntilTheyWait() {
  QCOMPARE(sum_early(&read_too_early, {1, 64})[3], 108);
  simt::set_machine({.hides_unfinished_kernels = true});
  QCOMPARE(sum_early(&add_early, {1, 64})[3], 108);
  QCOMPARE(simt::num_early_kernels_run(), size_t{1});
  QCOMPARE(sum_early(&read_too_early, {1, 64})[3], 99);  // x is -1.
  const std::string words = last_words([] { sum_early(&write_too_early, {1, 64}); });
  QVERIFY(has(words, "write_too_early"));
  QVERIFY(has(words, "writes to device memory"));
}

void TestSimtReports::deadlock_saysWhoWaitsForWhat() {
  const std::string words = last_words_of(&half_a_barrier, {{2, 3}, 48});
  QVERIFY(has(words, "half_a_barrier"));
  QVERIFY(has(words, "block (0, 0, 0): no thread can go on"));
  QVERIFY(has(words, "from thread (0, 0, 0) waits at __syncthreads at "));
  QVERIFY(has(words, "from thread (16, 0, 0) waits at __shfl_xor_sync of the lanes 0xffffffff"));
  QVERIFY(has(words, "from thread (32, 0, 0) has exited"));
  QVERIFY(has(words, "tst_simt_reports.cpp:"));
}

void TestSimtReports::barriers_mustBeTheSame() {
  QVERIFY(has(last_words_of(&two_barriers, {1, 64}), "meets others at different barriers"));
}

void TestSimtReports::masks_mustHoldTheCaller() {
  const std::string words = last_words_of(&mask_without_itself, {});
  QVERIFY(has(words, "thread (1, 0, 0)"));
  QVERIFY(has(words, "calls __shfl_sync with a mask without itself"));
}

void TestSimtReports::products_needTheWholeWarp() {
  const char* const part = "mma_m16n8k16 of f16";
  QVERIFY(has(last_words_of(&product_of_half_a_warp, {}), part));
  QVERIFY(has(last_words_of(&product_of_half_a_warp, {1, 8}), part));
}

void TestSimtReports::addresses_mustBeAligned() {
  const OnDevice<float> x(64);
  const auto* const bytes = reinterpret_cast<const char*>(x.data());
  const char* const part = "an address that is no multiple of 16";
  QVERIFY(has(last_words_of(&unaligned_copy, {1, 1, 64}, bytes), part));
  QVERIFY(has(last_words_of(&unaligned_row, {1, 32, 1024}), part));
  const auto out = reinterpret_cast<float4*>(x.data());
  QVERIFY(has(last_words_of(&unaligned_load, {1, 1}, x.data(), out), part));
}

void TestSimtReports::sharedMemory_hasAnEnd() {
  QVERIFY(has(last_words_of(&past_shared, {1, 32, 128}), "past its 128 bytes"));
  QVERIFY(last_words_of(&past_shared, {1, 32, 132}).empty());
}

void TestSimtReports::deviceMemory_isNotTheHosts() {
  const OnDevice<int> x(4);
  const std::string words = last_words([&] { x.data()[1] = 3; });
  QVERIFY(has(words, "the host touched device memory"));
  simt::set_machine({.is_memory_protected = false});
}

void TestSimtReports::pointers_mustBeTheDevices() {
  char on_host[16] = {};
  const std::string words = last_words_of(&write_at, {1, 1}, &on_host[0], 0);
  QVERIFY(has(words, "argument 0 of kernel"));
  QVERIFY(has(words, "write_at(char*, int) points to no memory of device 0"));
  const OnDevice<int> x(4);
  QVERIFY(last_words_of(&write_by_table, {1, 1}, Table{2, {x.data(), x.data() + 3}}).empty());
  int host_number = 0;
  const Table wrong{1, {x.data(), &host_number}};
  QVERIFY(has(last_words_of(&write_by_table, {1, 1}, wrong), "device 0 (byte 16: 0x7f"));
  Padded padded;
  std::memset(static_cast<void*>(&padded), 0, sizeof padded);
  const void* const address = &host_number;
  std::memcpy(static_cast<void*>(&padded), &address, sizeof address);
  padded.is_set = false;  // The other bytes are still the address's.
  QVERIFY(last_words_of(&take_padded, {1, 1}, padded).empty());
  char* pinned = nullptr;
  QCOMPARE(cudaMallocHost(&pinned, 16), cudaSuccess);
  QVERIFY(last_words_of(&write_at, {1, 1}, pinned + 8, 0).empty());
  cudaFreeHost(pinned);
}

void TestSimtReports::allocations_haveAnEnd() {
  const OnDevice<char> x(300);
#ifdef __SANITIZE_ADDRESS__
  const char* const part = "use-after-poison";
#else
  const char* const part = "behind a device allocation of 300 bytes";
#endif
  QVERIFY(has(last_words_of(&write_at, {1, 1}, x.data(), 300), part));
  QVERIFY(has(last_words_of(&write_at, {1, 1}, x.data(), 640), part));
  const char* const far = "touches device memory that is not allocated";
  QVERIFY(has(last_words_of(&write_at, {1, 1}, x.data(), 1 << 23), far));
  QVERIFY(last_words_of(&write_at, {1, 1}, x.data(), 299).empty());
}

void TestSimtReports::stacks_haveAnEnd() {
  const OnDevice<int> x(1);
  QVERIFY(last_words_of(&recurse, {1, 1}, x.data(), 50).empty());
#ifndef __SANITIZE_ADDRESS__
  QVERIFY(has(last_words_of(&recurse, {1, 1}, x.data(), 10000), "bytes of stack"));
#endif
}

void TestSimtReports::kernels_cannotCallTheHost() {
  QVERIFY(has(last_words_of(&call_host, {}), "a kernel called cudaDeviceSynchronize"));
}

QTEST_GUILESS_MAIN(TestSimtReports)
#include "tst_simt_reports.moc"
