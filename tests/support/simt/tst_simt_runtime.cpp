#include <simt/control.h>

#include <QtTest>
#include <cmath>

#include "tests/support/simt/simt_test_support.h"

namespace {

constexpr size_t kMegabyte = size_t{1} << 20;

__global__ void add(int* x, int value) {
  x[threadIdx.x] += value;
}

__global__ void copy(const int* from, int* to) {
  to[threadIdx.x] = from[threadIdx.x];
}

__global__ void with_own_shared(int* x) {
  __shared__ int numbers[1024];
  numbers[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = numbers[blockDim.x - 1 - threadIdx.x];
}

__global__ void trap_in_third_block() {
  if (blockIdx.x == 2 && threadIdx.x == 5) __trap();
  __syncthreads();
}

struct Streams {
  Streams() {
    for (cudaStream_t& stream : all) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  }
  ~Streams() {
    for (const cudaStream_t stream : all) cudaStreamDestroy(stream);
  }
  cudaStream_t all[2] = {};
};

/// Not before the work in the stream is done.
std::vector<int> values(const int* memory, size_t count, cudaStream_t stream) {
  std::vector<int> found(count, -1);
  cudaMemcpyAsync(found.data(), memory, count * sizeof(int), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  return found;
}

}  // namespace

class TestSimtRuntime : public QObject {
  Q_OBJECT

 private slots:
  void init() { simt::set_machine({}); }
  void memory_hasALimit();
  void memory_beginsAndEndsAsNaN();
  void memory_isCountedByDevice();
  void copies_checkTheirRanges();
  void streams_workWhenWaitedFor();
  void streams_thatAreAskedComeToAnEnd();
  void events_orderStreams();
  void defaultStream_waitsForBlockingOnes();
  void launch_checksItsShape();
  void sharedMemory_hasALimit();
  void facts_followTheMachine();
  void faults_comeWhenAsked();
  void lostDevice_failsUntilReset();
  void trap_losesTheDevice();
  void missingDriver_failsEveryCall();
};

void TestSimtRuntime::memory_hasALimit() {
  simt::set_machine({.memory_bytes = 10 * kMegabyte});
  size_t free_bytes = 0;
  size_t total_bytes = 0;
  char* first = nullptr;
  char* second = nullptr;
  QCOMPARE(cudaMalloc(&first, 6 * kMegabyte), cudaSuccess);
  QCOMPARE(cudaMalloc(&second, 5 * kMegabyte), cudaErrorMemoryAllocation);
  QVERIFY(second == nullptr);
  QCOMPARE(cudaGetLastError(), cudaErrorMemoryAllocation);
  QCOMPARE(cudaGetLastError(), cudaSuccess);
  QCOMPARE(cudaMalloc(&second, 4 * kMegabyte - 100), cudaSuccess);
  QCOMPARE(cudaMemGetInfo(&free_bytes, &total_bytes), cudaSuccess);
  QCOMPARE(total_bytes, 10 * kMegabyte);
  QCOMPARE(free_bytes, size_t{0});
  QCOMPARE(cudaFree(first), cudaSuccess);
  QCOMPARE(cudaFree(first), cudaErrorInvalidValue);
  QCOMPARE(cudaMemGetInfo(&free_bytes, &total_bytes), cudaSuccess);
  QCOMPARE(free_bytes, 6 * kMegabyte);
  QCOMPARE(cudaFree(second), cudaSuccess);
  QCOMPARE(cudaMalloc(&second, 0), cudaSuccess);
  QVERIFY(second == nullptr);
}

void TestSimtRuntime::memory_beginsAndEndsAsNaN() {
  float* x = nullptr;
  QCOMPARE(cudaMalloc(&x, 64), cudaSuccess);
  float found = 0;
  QCOMPARE(cudaMemcpy(&found, x + 15, 4, cudaMemcpyDeviceToHost), cudaSuccess);
  QVERIFY(std::isnan(found));
  QCOMPARE(cudaMemset(x, 0, 64), cudaSuccess);
  cudaFree(x);
  float* again = nullptr;
  QCOMPARE(cudaMalloc(&again, 64), cudaSuccess);
  QCOMPARE(cudaMemcpy(&found, again, 4, cudaMemcpyDeviceToHost), cudaSuccess);
  QVERIFY(std::isnan(found));
  cudaFree(again);
}

void TestSimtRuntime::memory_isCountedByDevice() {
  simt::set_machine({.num_devices = 2, .memory_bytes = 4 * kMegabyte});
  int count = 0;
  QCOMPARE(cudaGetDeviceCount(&count), cudaSuccess);
  QCOMPARE(count, 2);
  int* x[2] = {};
  for (int device = 0; device < 2; ++device) {
    QCOMPARE(cudaSetDevice(device), cudaSuccess);
    QCOMPARE(cudaMalloc(&x[device], 3 * kMegabyte), cudaSuccess);
    QCOMPARE(simt::used_bytes(device), 3 * kMegabyte);
    QCOMPARE(simt::num_allocations(device), size_t{1});
  }
  QCOMPARE(cudaSetDevice(2), cudaErrorInvalidDevice);
  const int number = 42;
  int found = 0;
  QCOMPARE(cudaMemcpyAsync(x[1], &number, 4, cudaMemcpyHostToDevice), cudaSuccess);
  QCOMPARE(cudaMemcpyPeerAsync(x[0], 0, x[1], 1, 4), cudaSuccess);
  QCOMPARE(cudaMemcpyAsync(&found, x[0], 4, cudaMemcpyDeviceToHost), cudaSuccess);
  QCOMPARE(cudaDeviceSynchronize(), cudaSuccess);
  QCOMPARE(found, 42);
  cudaFree(x[0]);
  cudaFree(x[1]);
}

void TestSimtRuntime::copies_checkTheirRanges() {
  const OnDevice<char> x(100);
  char on_host[200] = {};
  QCOMPARE(cudaMemcpy(x.data(), on_host, 101, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  QCOMPARE(cudaMemcpy(x.data() + 50, on_host, 51, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  QCOMPARE(cudaMemcpy(on_host, x.data(), 10, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  QCOMPARE(cudaMemcpy(on_host, on_host + 100, 10, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  QCOMPARE(cudaMemset(on_host, 0, 10), cudaErrorInvalidValue);
  QCOMPARE(cudaMemset(x.data(), 0, 101), cudaErrorInvalidValue);
  QCOMPARE(cudaMemcpy(x.data() + 50, on_host, 50, cudaMemcpyDefault), cudaSuccess);
}

void TestSimtRuntime::streams_workWhenWaitedFor() {
  const Streams streams;
  const OnDevice<int> x(32);
  std::vector<int> on_host(32, 1);
  cudaMemcpyAsync(x.data(), on_host.data(), 128, cudaMemcpyHostToDevice, streams.all[0]);
  QCOMPARE(launch(&add, {1, 32, 0, streams.all[0]}, x.data(), 10), cudaSuccess);
  std::vector<int> found(32, -1);
  cudaMemcpyAsync(found.data(), x.data(), 128, cudaMemcpyDeviceToHost, streams.all[0]);
  QCOMPARE(simt::num_kernels_run(), size_t{0});
  QCOMPARE(found[0], -1);
  on_host[3] = 100;  // Too early: the copy has not read it.
  QCOMPARE(cudaStreamSynchronize(streams.all[1]), cudaSuccess);
  QCOMPARE(found[0], -1);
  QCOMPARE(cudaStreamSynchronize(streams.all[0]), cudaSuccess);
  QCOMPARE(found[0], 11);
  QCOMPARE(found[3], 110);
  QCOMPARE(simt::num_kernels_run(), size_t{1});
}

void TestSimtRuntime::streams_thatAreAskedComeToAnEnd() {
  const Streams streams;
  const OnDevice<int> x(32);
  for (int i = 0; i < 5; ++i) launch(&add, {1, 32, 0, streams.all[0]}, x.data(), 1);
  cudaEvent_t event = nullptr;
  QCOMPARE(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), cudaSuccess);
  QCOMPARE(cudaEventQuery(event), cudaSuccess);
  QCOMPARE(cudaEventRecord(event, streams.all[0]), cudaSuccess);
  int asked = 0;
  while (cudaEventQuery(event) == cudaErrorNotReady) ++asked;
  QCOMPARE(asked, 6);
  QCOMPARE(cudaStreamQuery(streams.all[0]), cudaSuccess);
  QCOMPARE(cudaGetLastError(), cudaSuccess);
  QCOMPARE(values(x.data(), 1, nullptr)[0], 5);
  cudaEventDestroy(event);
}

void TestSimtRuntime::events_orderStreams() {
  const Streams streams;
  const OnDevice<int> x(32);
  const OnDevice<int> y(32);
  cudaEvent_t begin = nullptr;
  cudaEvent_t written = nullptr;
  QCOMPARE(cudaEventCreate(&begin), cudaSuccess);
  QCOMPARE(cudaEventCreate(&written), cudaSuccess);
  cudaEventRecord(begin, streams.all[0]);
  launch(&add, {1, 32, 0, streams.all[0]}, x.data(), 7);
  cudaEventRecord(written, streams.all[0]);
  launch(&add, {1, 32, 0, streams.all[0]}, x.data(), 100);
  float milliseconds = -1;
  QCOMPARE(cudaEventElapsedTime(&milliseconds, begin, written), cudaErrorNotReady);
  // Without the wait the copy would read zeros: streams know nothing of each other.
  launch(&copy, {1, 32, 0, streams.all[1]}, x.data(), y.data());
  QCOMPARE(values(y.data(), 1, streams.all[1])[0], 0);
  QCOMPARE(cudaStreamWaitEvent(streams.all[1], written), cudaSuccess);
  launch(&copy, {1, 32, 0, streams.all[1]}, x.data(), y.data());
  QCOMPARE(values(y.data(), 1, streams.all[1])[0], 7);
  QCOMPARE(simt::num_kernels_run(), size_t{3});
  QCOMPARE(values(x.data(), 1, streams.all[0])[0], 107);
  QCOMPARE(cudaEventElapsedTime(&milliseconds, begin, written), cudaSuccess);
  QVERIFY(milliseconds >= 0);
  cudaEventDestroy(begin);
  cudaEventDestroy(written);
}

void TestSimtRuntime::defaultStream_waitsForBlockingOnes() {
  cudaStream_t stream = nullptr;
  QCOMPARE(cudaStreamCreate(&stream), cudaSuccess);
  const OnDevice<int> x(32);
  launch(&add, {1, 32, 0, stream}, x.data(), 2);
  QCOMPARE(values(x.data(), 1, nullptr)[0], 2);
  launch(&add, {1, 32}, x.data(), 3);
  QCOMPARE(values(x.data(), 1, stream)[0], 5);
  QCOMPARE(cudaStreamDestroy(stream), cudaSuccess);
  QCOMPARE(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
}

void TestSimtRuntime::launch_checksItsShape() {
  const OnDevice<int> x(32);
  QCOMPARE(launch(&add, {1, 1025}, x.data(), 1), cudaErrorInvalidConfiguration);
  QCOMPARE(launch(&add, {1, {1, 1, 65}}, x.data(), 1), cudaErrorInvalidConfiguration);
  QCOMPARE(launch(&add, {{1, 65536}, 1}, x.data(), 1), cudaErrorInvalidConfiguration);
  QCOMPARE(launch(&add, {0u, 1}, x.data(), 1), cudaErrorInvalidConfiguration);
  QCOMPARE(values(x.data(), 1, nullptr)[0], 0);
}

void TestSimtRuntime::sharedMemory_hasALimit() {
  simt::set_machine({.compute_capability = 80});
  const OnDevice<int> x(32);
  const auto set_limit = [](int bytes) {
    return cudaFuncSetAttribute(&add, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  };
  QCOMPARE(launch(&add, {1, 1, 49152}, x.data(), 1), cudaSuccess);
  QCOMPARE(launch(&add, {1, 1, 49153}, x.data(), 1), cudaErrorInvalidValue);
  QCOMPARE(set_limit(100 * 1024), cudaSuccess);
  QCOMPARE(launch(&add, {1, 1, 100 * 1024}, x.data(), 1), cudaSuccess);
  QCOMPARE(launch(&add, {1, 1, 100 * 1024 + 1}, x.data(), 1), cudaErrorInvalidValue);
  QCOMPARE(set_limit(163 * 1024 + 1), cudaErrorInvalidValue);
  // What a kernel declares counts too.
  QCOMPARE(launch(&with_own_shared, {1, 1, 49152 - 4096}, x.data()), cudaSuccess);
  QCOMPARE(launch(&with_own_shared, {1, 1, 49152 - 4095}, x.data()), cudaErrorInvalidValue);
  cudaFuncAttributes attributes;
  QCOMPARE(cudaFuncGetAttributes(&attributes, &with_own_shared), cudaSuccess);
  QCOMPARE(attributes.sharedSizeBytes, size_t{4096});
  int blocks = 0;
  QCOMPARE(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &add, 256, 40 * 1024),
           cudaSuccess);
  QCOMPARE(blocks, 4);
}

void TestSimtRuntime::facts_followTheMachine() {
  simt::set_machine({.compute_capability = 75, .num_multiprocessors = 7});
  const auto fact = [](cudaDeviceAttr attribute) {
    int value = -1;
    cudaDeviceGetAttribute(&value, attribute, 0);
    return value;
  };
  QCOMPARE(fact(cudaDevAttrComputeCapabilityMajor), 7);
  QCOMPARE(fact(cudaDevAttrComputeCapabilityMinor), 5);
  QCOMPARE(fact(cudaDevAttrMultiProcessorCount), 7);
  QCOMPARE(fact(cudaDevAttrMaxSharedMemoryPerBlockOptin), 65536);
  cudaDeviceProp properties;
  QCOMPARE(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
  QCOMPARE(properties.multiProcessorCount, 7);
  QCOMPARE(properties.totalGlobalMem, size_t{1} << 30);
  QCOMPARE(cudaGetDeviceProperties(&properties, 1), cudaErrorInvalidDevice);
}

void TestSimtRuntime::faults_comeWhenAsked() {
  simt::fail_call("cudaMalloc", 2, cudaErrorMemoryAllocation);
  int* x = nullptr;
  QCOMPARE(cudaMalloc(&x, 4), cudaSuccess);
  cudaFree(x);
  QCOMPARE(cudaMalloc(&x, 4), cudaErrorMemoryAllocation);
  QCOMPARE(cudaMalloc(&x, 4), cudaSuccess);
  cudaFree(x);
  simt::fail_call("cudaStreamSynchronize", 1, cudaErrorNotPermitted, true);
  QCOMPARE(cudaStreamSynchronize(nullptr), cudaErrorNotPermitted);
  QCOMPARE(cudaStreamSynchronize(nullptr), cudaErrorNotPermitted);
  simt::fail_no_calls();
  QCOMPARE(cudaStreamSynchronize(nullptr), cudaSuccess);
  QCOMPARE(simt::num_calls("cudaMalloc"), 3);
}

void TestSimtRuntime::lostDevice_failsUntilReset() {
  simt::set_machine({.num_devices = 2});
  const OnDevice<int> x(32);
  launch(&add, {1, 32}, x.data(), 1);
  simt::fail_call("cudaDeviceSynchronize", 1, cudaErrorIllegalAddress);
  QCOMPARE(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  QCOMPARE(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  int* y = nullptr;
  QCOMPARE(cudaMalloc(&y, 4), cudaErrorIllegalAddress);
  QCOMPARE(cudaFree(x.data()), cudaErrorIllegalAddress);
  // The other device is none the worse.
  QCOMPARE(cudaSetDevice(1), cudaSuccess);
  QCOMPARE(cudaMalloc(&y, 4), cudaSuccess);
  QCOMPARE(cudaFree(y), cudaSuccess);
  QCOMPARE(cudaSetDevice(0), cudaErrorIllegalAddress);
  QCOMPARE(cudaDeviceReset(), cudaSuccess);
  QCOMPARE(simt::used_bytes(0), size_t{0});
  QCOMPARE(cudaMalloc(&y, 4), cudaSuccess);
  QCOMPARE(cudaFree(y), cudaSuccess);
  QCOMPARE(simt::num_kernels_run(), size_t{0});
}

void TestSimtRuntime::trap_losesTheDevice() {
  QCOMPARE(launch(&trap_in_third_block, {4, 64}), cudaSuccess);
  QCOMPARE(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
  QCOMPARE(cudaDeviceReset(), cudaSuccess);
  cudaGetLastError();
  const OnDevice<int> x(32);
  QCOMPARE(launch(&add, {1, 32}, x.data(), 1), cudaSuccess);
  QCOMPARE(values(x.data(), 2, nullptr), (std::vector<int>{1, 1}));
}

void TestSimtRuntime::missingDriver_failsEveryCall() {
  simt::set_machine({.driver = cudaErrorInsufficientDriver});
  int count = -1;
  QCOMPARE(cudaGetDeviceCount(&count), cudaErrorInsufficientDriver);
  QCOMPARE(cudaSetDevice(0), cudaErrorInsufficientDriver);
  QCOMPARE(QString(cudaGetErrorName(cudaGetLastError())), QString("cudaErrorInsufficientDriver"));
  int version = -1;
  QCOMPARE(cudaDriverGetVersion(&version), cudaSuccess);
  QCOMPARE(version, 0);
  simt::set_machine({.num_devices = 0});
  QCOMPARE(cudaGetDeviceCount(&count), cudaErrorNoDevice);
  QCOMPARE(count, 0);
}

QTEST_GUILESS_MAIN(TestSimtRuntime)
#include "tst_simt_runtime.moc"
