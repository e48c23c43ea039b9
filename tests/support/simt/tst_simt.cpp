#include <simt/control.h>

#include <QtTest>
#include <cmath>
#include <cstring>

#include "kernels/cuda/device/portable.h"
#include "tests/support/simt/kernel_names.h"
#include "tests/support/simt/simt_test_support.h"

namespace {

__global__ void sum_rows(const float* x, float* out, int count) {
  __shared__ float parts[32];
  float sum = 0;
  for (int i = int(threadIdx.x); i < count; i += int(blockDim.x)) sum += x[blockIdx.x * count + i];
  sum = quire::cuda::warp_sum(sum);
  if (quire::cuda::lane_index() == 0) parts[quire::cuda::warp_index()] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  float total = 0;
  for (unsigned warp = 0; warp < blockDim.x / 32; ++warp) total += parts[warp];
  out[blockIdx.x] = total;
}

/// Four results a lane: from lane `operand`, from `operand` lanes below, above, and across.
__global__ void shuffle_lanes(int* out, int operand, int width) {
  const int lane = int(threadIdx.x);
  out[lane] = __shfl_sync(~0u, lane, operand, width);
  out[32 + lane] = __shfl_up_sync(~0u, lane, unsigned(operand), width);
  out[64 + lane] = __shfl_down_sync(~0u, lane, unsigned(operand), width);
  out[96 + lane] = __shfl_xor_sync(~0u, lane, operand, width);
}

__global__ void shuffle_wide(double* doubles, unsigned long long* words) {
  const unsigned lane = threadIdx.x;
  doubles[lane] = __shfl_xor_sync(~0u, lane + 0.25, 3);
  words[lane] = __shfl_xor_sync(~0u, lane * 0x100000001ull, 16);
}

/// Half of the warp goes its own way, and some lanes leave before.
__global__ void diverge(int* out) {
  const int lane = int(threadIdx.x);
  if (lane == 31) return;
  if (lane < 16) {
    out[lane] = __shfl_down_sync(0x0000ffffu, lane, 1, 16);
  } else {
    out[lane] = __reduce_add_sync(0x7fff0000u, lane);
  }
  __syncwarp(0x7fffffffu);
  out[lane] += 1000 * __popc(__activemask());
}

__global__ void votes(unsigned* out) {
  const int lane = int(threadIdx.x);
  const unsigned third = __ballot_sync(~0u, lane % 3 == 0);
  const int any = __any_sync(~0u, lane == 7);
  const int all = __all_sync(~0u, lane < 31);
  out[3 + lane] = __match_any_sync(~0u, lane % 5);
  int is_same = -1;
  const unsigned same = __match_all_sync(~0u, lane / 32, &is_same) + unsigned(is_same);
  const unsigned most = __reduce_max_sync(~0u, unsigned(lane));
  const unsigned odd = __reduce_xor_sync(~0u, 1u << lane);
  const int least = __reduce_min_sync(~0u, lane - 40);
  if (lane != 0) return;
  out[0] = third;
  out[1] = unsigned(any);
  out[2] = unsigned(all);
  out[35] = same;
  out[36] = most + odd;
  out[37] = unsigned(least);
}

__global__ void barrier_votes(int* out) {
  const int even = threadIdx.x % 2 == 0;
  const int count = __syncthreads_count(even);
  const int all = __syncthreads_and(even);
  const int any = __syncthreads_or(threadIdx.x == 77);
  if (threadIdx.x == 0) out[blockIdx.x] = count * 100 + all * 10 + any;
}

__global__ void atomics(int* sum, float* total, unsigned* best, unsigned long long* all) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(sum, 2);
  atomicAdd(total, 0.5f);
  atomicMax(best, thread);
  atomicMin(best + 1, thread + 3);
  atomicOr(all, 1ull << thread % 64);
  unsigned seen = atomicCAS(best + 2, 0, 0);
  // As for kinds that have no atomic of their own.
  for (unsigned before = ~seen; before != seen;) {
    before = seen;
    seen = atomicCAS(best + 2, before, before + 3);
  }
}

/// Each thread passes its number to the next: right only if all have written.
template <bool kHasBarrier>
__global__ void pass_on(int* out) {
  __shared__ int numbers[128];
  numbers[threadIdx.x] = int(threadIdx.x);
  if (kHasBarrier) __syncthreads();
  out[threadIdx.x] = numbers[(threadIdx.x + 127) % 128];
}

/// As above within a warp.
template <bool kHasBarrier>
__global__ void pass_on_in_warp(int* out) {
  __shared__ int numbers[32];
  numbers[threadIdx.x] = int(threadIdx.x);
  if (kHasBarrier) __syncwarp();
  out[threadIdx.x] = numbers[threadIdx.x / 2];
}

__global__ void read_shared(float* out) {
  __shared__ float fixed[32];
  float* const dynamic = quire::cuda::dynamic_shared<float>();
  out[threadIdx.x] = fixed[threadIdx.x];
  out[32 + threadIdx.x] = dynamic[threadIdx.x];
  fixed[threadIdx.x] = 1;
  dynamic[threadIdx.x] = 1;
}

__global__ void who_am_i(uint3* out) {
  const unsigned in_block = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  out[block * 24 + in_block] = {block, in_block, unsigned(warpSize)};
}

}  // namespace

namespace quire::cuda {
namespace {

/// In the namespace whose functions a kernel may call.
__global__ void reverse(int* out) {
  __shared__ int numbers[32];
  numbers[threadIdx.x] = int(threadIdx.x);
  __syncwarp();
  out[threadIdx.x] = numbers[31 - threadIdx.x];
}

}  // namespace
}  // namespace quire::cuda

class TestSimt : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { qunsetenv("QUIRE_SIMT_SEED"); }
  void init() { simt::set_machine({}); }
  void threads_knowTheirPlace();
  void sum_overWarpsAndLanes();
  void shuffle_takesTheLaneOfTheGuide_data();
  void shuffle_takesTheLaneOfTheGuide();
  void shuffle_moves64Bits();
  void shuffle_meetsOnlyTheMask();
  void votes_seeEveryLane();
  void barrier_combinesPredicates();
  void atomics_missNobody();
  void missingBarrier_showsInShuffledOrders();
  void sharedMemory_beginsAsNaN();
  void sharedVariables_areFoundOnce();
};

void TestSimt::threads_knowTheirPlace() {
  const OnDevice<uint3> out(24 * 12);
  QCOMPARE(launch(&who_am_i, {{2, 3, 2}, {4, 3, 2}}, out.data()), cudaSuccess);
  const std::vector<uint3> found = out.values();
  for (unsigned i = 0; i < found.size(); ++i) {
    QCOMPARE(found[i].x, i / 24);
    QCOMPARE(found[i].y, i % 24);
    QCOMPARE(found[i].z, 32u);
  }
}

void TestSimt::sum_overWarpsAndLanes() {
  std::vector<float> x(3 * 1000);
  for (size_t i = 0; i < x.size(); ++i) x[i] = float(i % 1000) + float(i / 1000);
  const OnDevice<float> on_device(x);
  for (const uint64_t seed : {0, 1, 2}) {
    simt::set_seed(seed);
    const OnDevice<float> out(3);
    QCOMPARE(launch(&sum_rows, {3, 256}, on_device.data(), out.data(), 1000), cudaSuccess);
    QCOMPARE(out.values(), (std::vector<float>{499500, 500500, 501500}));
  }
}

void TestSimt::shuffle_takesTheLaneOfTheGuide_data() {
  QTest::addColumn<int>("operand");
  QTest::addColumn<int>("width");
  for (const int width : {1, 4, 8, 16, 32}) {
    for (const int operand : {0, 1, 3, 5, 8, 16, 31}) {
      QTest::addRow("%d of %d", operand, width) << operand << width;
    }
  }
}

// CUDA C++ Programming Guide, "Warp Shuffle Functions".
void TestSimt::shuffle_takesTheLaneOfTheGuide() {
  QFETCH(int, operand);
  QFETCH(int, width);
  const OnDevice<int> out(128);
  QCOMPARE(launch(&shuffle_lanes, {}, out.data(), operand, width), cudaSuccess);
  const std::vector<int> found = out.values();
  for (int lane = 0; lane < 32; ++lane) {
    const int first = lane / width * width;
    QCOMPARE(found[size_t(lane)], first + operand % width);
    QCOMPARE(found[size_t(32 + lane)], lane - operand < first ? lane : lane - operand);
    QCOMPARE(found[size_t(64 + lane)], lane + operand >= first + width ? lane : lane + operand);
    const int across = lane ^ operand;
    QCOMPARE(found[size_t(96 + lane)], across >= first + width ? lane : across);
  }
}

void TestSimt::shuffle_moves64Bits() {
  const OnDevice<double> doubles(32);
  const OnDevice<unsigned long long> words(32);
  QCOMPARE(launch(&shuffle_wide, {}, doubles.data(), words.data()), cudaSuccess);
  for (size_t lane = 0; lane < 32; ++lane) {
    QCOMPARE(doubles.values()[lane], double(lane ^ 3) + 0.25);
    QCOMPARE(words.values()[lane], (lane ^ 16) * 0x100000001ull);
  }
}

void TestSimt::shuffle_meetsOnlyTheMask() {
  for (const uint64_t seed : {0, 1, 2, 3}) {
    simt::set_seed(seed);
    const OnDevice<int> out(32);
    QCOMPARE(launch(&diverge, {}, out.data()), cudaSuccess);
    const std::vector<int> found = out.values();
    for (int lane = 0; lane < 31; ++lane) {
      const int low = lane < 15 ? lane + 1 : 15;
      const int high = (16 + 30) * 15 / 2;
      QCOMPARE(found[size_t(lane)] % 1000, lane < 16 ? low : high);
      QVERIFY(found[size_t(lane)] / 1000 >= 1);
    }
    QCOMPARE(found[31], 0);
  }
}

void TestSimt::votes_seeEveryLane() {
  const OnDevice<unsigned> out(38);
  QCOMPARE(launch(&votes, {}, out.data()), cudaSuccess);
  const std::vector<unsigned> found = out.values();
  QCOMPARE(found[0], 0x49249249u);
  QCOMPARE(found[1], 1u);
  QCOMPARE(found[2], 0u);
  unsigned every_fifth = 0;
  for (unsigned lane = 2; lane < 32; lane += 5) every_fifth |= 1u << lane;
  QCOMPARE(found[3 + 12], every_fifth);
  QCOMPARE(found[35], 0u);   // All lanes, which is -1, and 1.
  QCOMPARE(found[36], 30u);  // 31, and all bits, which is -1.
  QCOMPARE(int(found[37]), -40);
}

void TestSimt::barrier_combinesPredicates() {
  const OnDevice<int> out(2);
  QCOMPARE(launch(&barrier_votes, {2, 100}, out.data()), cudaSuccess);
  QCOMPARE(out.values(), (std::vector<int>{5001, 5001}));
}

void TestSimt::atomics_missNobody() {
  const OnDevice<int> sum(1);
  const OnDevice<float> total(1);
  const OnDevice<unsigned> best(std::vector<unsigned>{0, 100, 0});
  const OnDevice<unsigned long long> all(1);
  QCOMPARE(launch(&atomics, {3, 100}, sum.data(), total.data(), best.data(), all.data()),
           cudaSuccess);
  QCOMPARE(sum.values()[0], 600);
  QCOMPARE(total.values()[0], 150.0f);
  QCOMPARE(best.values(), (std::vector<unsigned>{299, 3, 900}));
  QCOMPARE(all.values()[0], ~0ull);
}

void TestSimt::missingBarrier_showsInShuffledOrders() {
#ifdef QUIRE_SIMT_TSAN
  QSKIP("ThreadSanitizer reports these kernels' races, as tst_simt_races wants.");
#endif
  const auto is_right = [](void (*kernel)(int*), unsigned threads, uint64_t seed) {
    simt::set_seed(seed);
    const OnDevice<int> out(threads);
    if (launch(kernel, {1, threads}, out.data()) != cudaSuccess) return false;
    const std::vector<int> found = out.values();
    for (int i = 0; i < int(threads); ++i) {
      const int expected = threads == 128 ? (i + 127) % 128 : i / 2;
      if (found[size_t(i)] != expected) return false;
    }
    return true;
  };
  // In ascending order, each lane finds the numbers of those before it.
  QVERIFY(is_right(&pass_on_in_warp<false>, 32, 0));
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    QVERIFY(is_right(&pass_on<true>, 128, seed));
    QVERIFY(is_right(&pass_on_in_warp<true>, 32, seed));
    QVERIFY(!is_right(&pass_on<false>, 128, seed));
    QVERIFY(!is_right(&pass_on_in_warp<false>, 32, seed));
  }
}

void TestSimt::sharedMemory_beginsAsNaN() {
  const OnDevice<float> out(64);
  QCOMPARE(launch(&read_shared, {2, 32, 128}, out.data()), cudaSuccess);
  for (const float x : out.values()) QVERIFY(std::isnan(x));
}

void TestSimt::sharedVariables_areFoundOnce() {
  const auto* const kernel = reinterpret_cast<const void*>(&quire::cuda::reverse);
  QCOMPARE(simt::static_shared_bytes(kernel), 32 * sizeof(int));
  QCOMPARE(simt::reachable_shared(kernel).size(), size_t{1});
}

QTEST_GUILESS_MAIN(TestSimt)
#include "tst_simt.moc"
