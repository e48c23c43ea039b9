// Races between a kernel's threads, as ThreadSanitizer sees them. Threads run in ascending order
// here, in which every one of these kernels computes what it should.

#include <simt/control.h>

#include <QTest>

#include "kernels/cuda/device/portable.h"
#include "kernels/cuda/sampling/candidates.h"
#include "tests/support/simt/simt_test_support.h"

namespace {

int g_num_races = 0;

/// Each thread reads what the one before it wrote.
template <bool kHasBarrier>
__global__ void read_neighbours(int* out) {
  __shared__ int shared[64];
  const unsigned i = threadIdx.x;
  shared[i] = static_cast<int>(i);
  if (kHasBarrier) __syncthreads();
  out[i] = i > 0 ? shared[i - 1] : 0;
}

/// The sums of the numbers behind the first 64, as sampling once added them up: with the memory of
/// all the numbers as scratch, which lies 64 before them. There threads copy numbers that other
/// threads overwrite.
template <bool kHasOwnScratch>
__global__ void add_in_place(double* total, int n) {
  __shared__ double numbers[320];
  __shared__ double scratch[320];
  for (unsigned i = threadIdx.x; i < 320; i += blockDim.x) numbers[i] = 1.0;
  __syncthreads();
  double* const behind = numbers + 64;
  const double sum =
      quire::cuda::running_sums(behind, behind, n - 64, 0.0, kHasOwnScratch ? scratch : numbers);
  if (threadIdx.x == 0) *total = sum;
}

enum class Between { kNothing, kShuffle, kSyncWarp };

/// A shuffle makes lanes wait, and says nothing about their memory.
template <Between kBetween>
__global__ void exchange_in_warp(int* out) {
  __shared__ int shared[32];
  const int lane = static_cast<int>(threadIdx.x);
  shared[lane] = lane;
  int x = 0;
  if (kBetween == Between::kShuffle) x = __shfl_xor_sync(~0u, lane, 1);
  if (kBetween == Between::kSyncWarp) __syncwarp();
  out[lane] = shared[lane ^ 1] + 0 * x;
}

/// Two barriers order each other's sides, and one does not order what comes after it.
template <int kBarriers>
__global__ void write_again(int* out) {
  __shared__ int shared;
  if (threadIdx.x == 0) shared = 1;
  __syncthreads();
  const int x = shared;
  if (kBarriers == 2) __syncthreads();
  if (threadIdx.x == 63) shared = 2;
  out[threadIdx.x] = x;
}

/// Each lane copies a row and waits for its own copies alone.
template <bool kHasBarrier>
__global__ void load_fragments(const uint16_t* rows, uint32_t* out) {
  __shared__ __align__(16) uint16_t shared[32 * 8];
  const unsigned lane = threadIdx.x;
  quire::cuda::copy_async_16(&shared[lane * 8], &rows[lane * 8]);
  quire::cuda::copy_async_commit();
  quire::cuda::copy_async_wait<0>();
  if (kHasBarrier) __syncwarp();
  uint32_t r[4];
  quire::cuda::load_matrix_x4(r, &shared[lane * 8]);
  out[lane] = r[0] + r[1] + r[2] + r[3];
}

/// Blocks come one after the other; what is atomic does not race.
__global__ void count_in_turn(int* total) {
  __shared__ int shared[64];
  shared[threadIdx.x] = 1;
  __syncthreads();
  atomicAdd(total, shared[63 - threadIdx.x]);
}

__global__ void trap_in_the_middle(int* out) {
  __shared__ int shared[64];
  shared[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = shared[threadIdx.x ^ 1];
  if (threadIdx.x == 40) __trap();
}

template <typename... Parameters, typename... Arguments>
int races_of(void (*kernel)(Parameters...), const Shape& shape, Arguments... arguments) {
  g_num_races = 0;
  launch(kernel, shape, arguments...);
  cudaDeviceSynchronize();
  return g_num_races;
}

}  // namespace

#ifdef QUIRE_SIMT_TSAN
// libtsan's hook: what is expected is counted, and neither printed nor a failure.
namespace __tsan {
class ReportDesc;
__attribute__((visibility("default"))) bool OnReport(const ReportDesc*, bool);
bool OnReport(const ReportDesc*, bool) {
  ++g_num_races;
  return true;
}
}  // namespace __tsan
#endif

class TestSimtRaces : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
#ifndef QUIRE_SIMT_TSAN
    QSKIP("needs ThreadSanitizer (./dev sanitize tsan-cuda)");
#endif
  }
  void init() {
    simt::set_machine({});
  }

  void barrier_ordersABlock() {
    const OnDevice<int> out(64);
    QVERIFY(races_of(read_neighbours<false>, {.block = 64}, out.data()) > 0);
    QCOMPARE(races_of(read_neighbours<true>, {.block = 64}, out.data()), 0);
  }

  void runningSums_needScratchOfTheirOwn() {
    const OnDevice<double> total(1);
    const Shape shape{.block = quire::cuda::kSampleThreads};
    QVERIFY(races_of(add_in_place<false>, shape, total.data(), 257) > 0);
    QCOMPARE(races_of(add_in_place<true>, shape, total.data(), 257), 0);
    QCOMPARE(total.values()[0], 257.0 - 64.0);
  }

  void syncwarp_ordersAWarp_shuffleDoesNot() {
    const OnDevice<int> out(32);
    QVERIFY(races_of(exchange_in_warp<Between::kNothing>, {}, out.data()) > 0);
    QVERIFY(races_of(exchange_in_warp<Between::kShuffle>, {}, out.data()) > 0);
    QCOMPARE(races_of(exchange_in_warp<Between::kSyncWarp>, {}, out.data()), 0);
  }

  void barrier_ordersNothingAfterIt() {
    const OnDevice<int> out(64);
    QVERIFY(races_of(write_again<1>, {.block = 64}, out.data()) > 0);
    QCOMPARE(races_of(write_again<2>, {.block = 64}, out.data()), 0);
  }

  void asyncCopies_areOrderedForTheirThreadAlone() {
    const OnDevice<uint16_t> rows(256);
    const OnDevice<uint32_t> out(32);
    QVERIFY(races_of(load_fragments<false>, {}, rows.data(), out.data()) > 0);
    QCOMPARE(races_of(load_fragments<true>, {}, rows.data(), out.data()), 0);
  }

  void blocks_comeInTurn() {
    const OnDevice<int> total(1);
    QCOMPARE(races_of(count_in_turn, {.grid = 5, .block = 64}, total.data()), 0);
    QCOMPARE(total.values()[0], 5 * 64);
  }

  void aTrap_leavesNothingBehind() {
    {
      const OnDevice<int> out(64);
      QCOMPARE(races_of(trap_in_the_middle, {.block = 64}, out.data()), 0);
    }
    simt::set_machine({});
    const OnDevice<int> again(64);
    QCOMPARE(races_of(read_neighbours<true>, {.block = 64}, again.data()), 0);
  }
};

QTEST_APPLESS_MAIN(TestSimtRaces)
#include "tst_simt_races.moc"
