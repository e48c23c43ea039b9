// The CUDA backend's own parts: a queue and its failures, graphs of steps, copies through pinned
// memory, and the budget of memory.

#include <QTest>
#include <algorithm>
#include <deque>
#include <numeric>
#include <random>

#include "kernels/cuda/command_queue.h"
#include "kernels/cuda/device/launch_order.h"
#include "kernels/cuda/device_memory.h"
#include "kernels/cuda/graph_cache.h"
#include "kernels/cuda/host_staging.h"
#include "kernels/cuda/launch.h"
#include "simt/control.h"

using namespace quire;

namespace {

__global__ void add_one_kernel(int* x) {
  x[threadIdx.x] += 1;
}

__global__ void add_one_early_kernel(int* x) {
  cuda::begin_in_order();
  x[threadIdx.x] += 1;
}

constexpr size_t kReserved = size_t{500} << 20;

/// A download of some of the numbers 0, 1, 2 and so on.
struct OpenDownload {
  std::vector<int> received;
  int first;

  bool has_arrived() const { return received[0] != -1; }
  bool is_right() const {
    for (size_t i = 0; i < received.size(); ++i) {
      if (received[i] != first + static_cast<int>(i)) return false;
    }
    return true;
  }
};

std::unique_ptr<cuda::CommandQueue> make_queue() {
  auto queue = cuda::CommandQueue::create(0);
  if (!queue) qFatal("%s", queue.error().message.c_str());
  return std::move(*queue);
}

/// 32 numbers on the device.
class Numbers {
 public:
  explicit Numbers(cuda::CommandQueue& queue)
      : m_queue(queue),
        m_memory(std::move(cuda::allocate_device(queue, 32 * sizeof(int))).value()) {
    cudaMemsetAsync(data(), 0, 32 * sizeof(int), queue.stream());
  }
  int* data() { return static_cast<int*>(m_memory->data()); }
  void add_one() {
    cuda::launch(m_queue, "add_one", add_one_kernel, {.grid = dim3(1), .block = dim3(32)}, data());
  }
  void add_one_early() {
    cuda::launch_early(m_queue, "add_one", add_one_early_kernel,
                       {.grid = dim3(1), .block = dim3(32)}, data());
  }
  int value() {
    int numbers[32];
    cudaMemcpyAsync(numbers, data(), sizeof numbers, cudaMemcpyDeviceToHost, m_queue.stream());
    cudaStreamSynchronize(m_queue.stream());
    for (const int number : numbers) {
      if (number != numbers[0]) return -1;
    }
    return numbers[0];
  }

 private:
  cuda::CommandQueue& m_queue;
  std::unique_ptr<DeviceBuffer> m_memory;
};

}  // namespace

class TestCudaCore : public QObject {
  Q_OBJECT

 private slots:
  void init() { simt::set_machine({}); }
  void cleanup() { simt::fail_no_calls(); }

  void create_saysThatThereIsNoCodeForTheGpu() {
    simt::set_machine({.compute_capability = 86});
    simt::fail_call("cudaFuncGetAttributes", 1, cudaErrorNoKernelImageForDevice);
    const auto queue = cuda::CommandQueue::create(0);
    QVERIFY(!queue);
    QCOMPARE(queue.error().code, ErrorCode::kUnsupported);
    QVERIFY(queue.error().message.starts_with(
        "This build of Quire has no code for GPUs of compute capability 8.6 ("));
    QVERIFY(cuda::CommandQueue::create(0).has_value());
  }

  void kernels_beginEarlyBehindKernelsThatWaitThemselves() {
    const auto queue = make_queue();
    Numbers numbers(*queue);
    for (int i = 0; i < 3; ++i) numbers.add_one_early();
    QCOMPARE(numbers.value(), 3);
    QCOMPARE(simt::num_early_kernels_run(), size_t{2});  // The first is behind a memset.
    numbers.add_one_early();                             // Behind a copy.
    numbers.add_one();
    numbers.add_one_early();  // Behind a kernel that does not wait.
    QCOMPARE(numbers.value(), 6);
    QCOMPARE(simt::num_early_kernels_run(), size_t{2});
  }

  void graphs_areCapturedWithKernelsThatBeginEarly() {
    const auto queue = make_queue();
    cuda::GraphCache graphs({queue.get()});
    Numbers numbers(*queue);
    for (int i = 1; i <= 4; ++i) {
      numbers.add_one_early();
      graphs.launch(5, [&] {
        for (int kernel = 0; kernel < 3; ++kernel) numbers.add_one_early();
      });
      numbers.add_one_early();
      QCOMPARE(numbers.value(), 5 * i);
    }
    QCOMPARE(graphs.num_launches(), uint64_t{3});
    // The step that ran directly follows a kernel, and so does the one behind it: four. A graph's
    // first kernel is in order, and so is the one behind it.
    QCOMPARE(simt::num_early_kernels_run(), size_t{4 + 3 * 2});
  }

  /// A kernel's limit is the device's, also where another device is the thread's current one.
  void sharedMemory_isAllowedOnTheQueuesDevice() {
    constexpr size_t kBytes = 64 * 1024;
    simt::set_machine({.num_devices = 2});
    auto first = std::move(cuda::CommandQueue::create(0)).value();
    auto second = std::move(cuda::CommandQueue::create(1)).value();
    Numbers numbers(*second);
    first->activate();
    const auto* const kernel = reinterpret_cast<const void*>(add_one_kernel);
    QVERIFY(second->resident_blocks(kernel, 32, kBytes, "add_one") >= 1);
    cuda::launch(*second, "add_one", add_one_kernel,
                 {.grid = dim3(1), .block = dim3(32), .shared_bytes = kBytes}, numbers.data());
    QVERIFY(second->take_failure().has_value());
    QCOMPARE(numbers.value(), 1);
  }

  void graphsOfSeveralQueues_stopAtTheFirstFailure() {
    simt::set_machine({.num_devices = 2});
    auto first = std::move(cuda::CommandQueue::create(0)).value();
    auto second = std::move(cuda::CommandQueue::create(1)).value();
    cuda::GraphCache graphs({first.get(), second.get()});
    Numbers here(*first), there(*second);
    const auto step = [&] {
      graphs.launch(5, [&] {
        here.add_one();
        there.add_one();
      });
    };
    for (int i = 0; i < 3; ++i) step();
    QCOMPARE(here.value(), 3);
    QCOMPARE(there.value(), 3);
    simt::fail_call("cudaGraphLaunch", 1, cudaErrorInvalidResourceHandle);
    step();
    QCOMPARE(there.value(), 3);
    QVERIFY(!first->take_failure().has_value());
    step();
    QCOMPARE(here.value(), 4);
    QCOMPARE(there.value(), 4);
  }

  void kernels_beginInOrderWhereTheyDoNotWait_data() {
    QTest::addColumn<int>("capability");
    QTest::addColumn<int>("code");
    QTest::newRow("an older GPU") << 89 << 0;
    QTest::newRow("code for an older GPU") << 90 << 80;
    QTest::newRow("code for an older GPU that waits") << 120 << 90;
  }
  void kernels_beginInOrderWhereTheyDoNotWait() {
    QFETCH(const int, capability);
    QFETCH(const int, code);
    simt::set_machine({.compute_capability = capability, .code_architecture = code});
    const auto queue = make_queue();
    Numbers numbers(*queue);
    for (int i = 0; i < 3; ++i) numbers.add_one_early();
    QCOMPARE(numbers.value(), 3);
    QCOMPARE(simt::num_early_kernels_run(), size_t{code == 90 ? 2u : 0u});
  }

  void kernels_beginInOrderIfTheUserWantsThat() {
    qputenv("QUIRE_CUDA_EARLY_KERNELS", "0");
    const auto queue = make_queue();
    qunsetenv("QUIRE_CUDA_EARLY_KERNELS");
    Numbers numbers(*queue);
    for (int i = 0; i < 3; ++i) numbers.add_one_early();
    QCOMPARE(numbers.value(), 3);
    QCOMPARE(simt::num_early_kernels_run(), size_t{0});
  }

  void failures_areKeptWithTheirOperationUntilTheyAreTaken() {
    const auto queue = make_queue();
    Numbers numbers(*queue);
    simt::fail_call("cudaLaunchKernelExC", 1, cudaErrorInvalidConfiguration);
    numbers.add_one();
    QVERIFY(queue->has_failed());
    numbers.add_one();  // Nothing more is submitted.
    const auto failure = queue->take_failure();
    QVERIFY(!failure);
    QCOMPARE(failure.error().code, ErrorCode::kDevice);
    QVERIFY(failure.error().message.find("add_one") != std::string::npos);
    QVERIFY(failure.error().message.find("cudaErrorInvalidConfiguration") != std::string::npos);
    QVERIFY(queue->take_failure().has_value());
    numbers.add_one();
    QCOMPARE(numbers.value(), 1);
  }

  void lostDevices_stayLostAndBeginAnewWithAnotherQueue() {
    auto queue = make_queue();
    auto numbers = std::make_unique<Numbers>(*queue);
    simt::fail_call("cudaLaunchKernelExC", 1, cudaErrorIllegalAddress);
    numbers->add_one();
    QVERIFY(!queue->take_failure());
    QVERIFY(!queue->take_failure());
    simt::fail_no_calls();
    numbers.reset();
    queue = nullptr;
    queue = make_queue();
    Numbers again(*queue);
    again.add_one();
    QCOMPARE(again.value(), 1);
  }

  /// Of CUDA 13: not among those that are known to lose the device.
  void lostDevices_areRecognisedByAnErrorThatRepeats() {
    QVERIFY(!cuda::cuda_is_sticky(cudaErrorTensorMemoryLeak));
    auto queue = make_queue();
    auto numbers = std::make_unique<Numbers>(*queue);
    simt::fail_call("cudaLaunchKernelExC", 1, cudaErrorTensorMemoryLeak);
    numbers->add_one();
    QVERIFY(!queue->take_failure());
    QVERIFY(!queue->take_failure());
    simt::fail_no_calls();
    numbers.reset();
    queue = nullptr;
    queue = make_queue();
    Numbers again(*queue);
    again.add_one();
    QCOMPARE(again.value(), 1);
  }

  void sharedLimits_areRaisedOnceAndToTheMost() {
    const auto queue = make_queue();
    const auto other = make_queue();
    Numbers numbers(*queue);
    QCOMPARE(numbers.value(), 0);  // They are there before the other queue's kernels.
    for (const size_t shared_bytes : {size_t{60} << 10, size_t{200} << 10, size_t{50} << 10}) {
      for (cuda::CommandQueue* const user : {queue.get(), other.get(), queue.get()}) {
        cuda::launch(*user, "add_one", add_one_kernel,
                     {.grid = dim3(1), .block = dim3(32), .shared_bytes = shared_bytes},
                     numbers.data());
        QVERIFY(user->take_failure().has_value());
      }
    }
    cudaStreamSynchronize(other->stream());
    QCOMPARE(numbers.value(), 9);
    QCOMPARE(simt::num_calls("cudaFuncSetAttribute"), 2);
  }

  void steps_areCapturedAtTheirSecondRunAndLaunchedFromThenOn() {
    const auto queue = make_queue();
    Numbers numbers(*queue);
    cuda::GraphCache graphs({queue.get()});
    int calls = 0;
    const auto step = [&] {
      ++calls;
      numbers.add_one();
      numbers.add_one();
    };
    for (int run = 1; run <= 5; ++run) {
      graphs.launch(7, step);
      QCOMPARE(numbers.value(), 2 * run);
    }
    QCOMPARE(calls, 2);
    QCOMPARE(graphs.num_launches(), uint64_t{4});
    graphs.launch(8, step);
    QCOMPARE(calls, 3);
    QCOMPARE(graphs.num_graphs(), 1);
  }

  void steps_areCapturedAnewAfterMemoryWasFreed() {
    const auto queue = make_queue();
    Numbers numbers(*queue);
    cuda::GraphCache graphs({queue.get()});
    int calls = 0;
    const auto step = [&] {
      ++calls;
      numbers.add_one();
    };
    for (int run = 0; run < 3; ++run) graphs.launch(7, step);
    QCOMPARE(calls, 2);
    { Numbers others(*queue); }
    for (int run = 0; run < 3; ++run) graphs.launch(7, step);
    QCOMPARE(calls, 4);
    QCOMPARE(numbers.value(), 6);
  }

  void steps_thatCannotBeCapturedAreSubmittedAsTheyAre() {
    const auto queue = make_queue();
    Numbers numbers(*queue);
    cuda::GraphCache graphs({queue.get()});
    const auto step = [&] {
      numbers.add_one();
      // Not allowed while a stream is captured.
      queue->note(cudaStreamSynchronize(queue->stream()), "waiting");
    };
    for (int run = 1; run <= 4; ++run) {
      graphs.launch(7, step);
      QVERIFY(queue->take_failure().has_value());
      QCOMPARE(numbers.value(), run);
    }
    QCOMPARE(graphs.num_graphs(), 0);
  }

  void manyShapes_keepTheOnesUsedLast() {
    const auto queue = make_queue();
    Numbers numbers(*queue);
    cuda::GraphCache graphs({queue.get()});
    int calls = 0;
    const auto step = [&] {
      ++calls;
      numbers.add_one();
    };
    for (uint64_t key = 0; key < 70; ++key) {
      graphs.launch(key, step);
      graphs.launch(key, step);
    }
    QCOMPARE(graphs.num_graphs(), 64);
    calls = 0;
    graphs.launch(69, step);
    QCOMPARE(calls, 0);
    graphs.launch(0, step);
    QCOMPARE(calls, 1);
  }

  void marks_waitForWhatCameBeforeThem() {
    const auto queue = make_queue();
    const auto staging = std::move(cuda::HostStaging::create(*queue)).value();
    Numbers numbers(*queue);
    int first = -1;
    int second = -1;
    numbers.add_one();
    staging->download(&first, numbers.data(), sizeof first);
    const uint64_t mark = staging->mark();
    numbers.add_one();
    staging->download(&second, numbers.data(), sizeof second);
    const uint64_t later = staging->mark();
    staging->wait_for(mark);
    QCOMPARE(first, 1);
    QCOMPARE(second, -1);
    staging->wait_for(later);
    QCOMPARE(second, 2);
  }

  /// More than there are pinned buffers, before the first has been copied.
  void uploads_areNotOverwrittenByLaterOnes() {
    constexpr int kCount = 40;
    const auto queue = make_queue();
    const auto staging = std::move(cuda::HostStaging::create(*queue)).value();
    const auto memory = std::move(cuda::allocate_device(*queue, kCount * sizeof(int))).value();
    auto* const numbers = static_cast<int*>(memory->data());
    for (int i = 0; i < kCount; ++i) staging->upload(numbers + i, &i, sizeof i);
    std::vector<int> received(kCount);
    staging->download(received.data(), numbers, kCount * sizeof(int));
    cudaStreamSynchronize(queue->stream());
    staging->finish_downloads();
    std::vector<int> sent(kCount);
    std::iota(sent.begin(), sent.end(), 0);
    QCOMPARE(received, sent);
  }

  /// With run-ahead one download is always open. What does not go through pinned memory would block
  /// the host; here it would be there before the wait for it.
  void downloads_useThePinnedMemoryInARing() {
    constexpr int kCount = 13 * 1024;  // 52 KB: the ring of 1 MB is no multiple of it.
    const auto queue = make_queue();
    const auto staging = std::move(cuda::HostStaging::create(*queue)).value();
    std::vector<int> sent(kCount);
    const size_t bytes = sent.size() * sizeof(int);
    const auto memory = std::move(cuda::allocate_device(*queue, bytes)).value();
    std::vector<int> received[3];
    uint64_t marks[3] = {};
    for (int step = 0; step < 100; ++step) {
      std::iota(sent.begin(), sent.end(), step);
      staging->upload(memory->data(), sent.data(), bytes);
      received[step % 3].assign(kCount, -1);
      staging->download(received[step % 3].data(), memory->data(), bytes);
      marks[step % 3] = staging->mark();
      cudaStreamSynchronize(queue->stream());
      QCOMPARE(received[step % 3][kCount - 1], -1);
      if (step < 2) continue;
      staging->wait_for(marks[(step - 2) % 3]);
      std::iota(sent.begin(), sent.end(), step - 2);
      QVERIFY(received[(step - 2) % 3] == sent);
    }
  }

  /// Downloads of many sizes, all of them done by the device before the host reads the first: one
  /// that is given pinned memory which has not been read yet overwrites another's numbers. At times
  /// more are open than the pinned memory has room for.
  void downloads_areNotOverwrittenByLaterOnes() {
    const auto queue = make_queue();
    const auto staging = std::move(cuda::HostStaging::create(*queue)).value();
    std::vector<int> numbers(size_t{1} << 17);
    std::iota(numbers.begin(), numbers.end(), 0);
    const size_t bytes = numbers.size() * sizeof(int);
    const auto memory = std::move(cuda::allocate_device(*queue, bytes)).value();
    staging->upload(memory->data(), numbers.data(), bytes);
    std::deque<std::pair<uint64_t, std::vector<OpenDownload>>> open;  // By the mark after them.
    std::mt19937 random(20261127);
    int num_direct = 0;
    int num_pinned = 0;
    for (int round = 0; round < 100; ++round) {
      std::vector<OpenDownload> downloads(1 + random() % 8);
      for (auto& [received, first] : downloads) {
        received.assign(1 + random() % 40000, -1);
        first = static_cast<int>(random() % (numbers.size() - received.size()));
        staging->download(received.data(), static_cast<int*>(memory->data()) + first,
                          received.size() * sizeof(int));
      }
      open.emplace_back(staging->mark(), std::move(downloads));
      cudaStreamSynchronize(queue->stream());
      for (const OpenDownload& download : open.back().second) {
        ++(download.has_arrived() ? num_direct : num_pinned);
      }
      for (const size_t left = random() % 4; open.size() > left; open.pop_front()) {
        staging->wait_for(open.front().first);
        for (const OpenDownload& download : open.front().second) QVERIFY(download.is_right());
      }
    }
    QVERIFY(num_direct > 0);
    QVERIFY(num_pinned > num_direct);
  }

  void copies_keepTheirBytesWhateverTheirSize_data() {
    QTest::addColumn<int>("count");
    for (const int count : {1, 1000, 65536, 65537, 300000}) QTest::addRow("%d", count) << count;
  }
  void copies_keepTheirBytesWhateverTheirSize() {
    QFETCH(int, count);
    const auto queue = make_queue();
    const auto staging = std::move(cuda::HostStaging::create(*queue)).value();
    std::vector<int> sent(static_cast<size_t>(count));
    std::iota(sent.begin(), sent.end(), 5);
    const size_t bytes = sent.size() * sizeof(int);
    const auto memory = std::move(cuda::allocate_device(*queue, bytes)).value();
    std::vector<int> received(sent.size());
    for (int round = 0; round < 12; ++round) staging->upload(memory->data(), sent.data(), bytes);
    staging->download(received.data(), memory->data(), bytes);
    cudaStreamSynchronize(queue->stream());
    staging->finish_downloads();
    QVERIFY(received == sent);
  }

  void memory_leavesItsPartToTheDesktop() {
    simt::set_machine({.memory_bytes = kReserved + (size_t{64} << 20)});
    const auto queue = make_queue();
    QVERIFY(cuda::query_device_memory(*queue).usable_bytes <= size_t{64} << 20);
    QVERIFY(cuda::allocate_device(*queue, size_t{16} << 20).has_value());
    const auto refused = cuda::allocate_device(*queue, size_t{65} << 20);
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, ErrorCode::kOutOfMemory);
    QVERIFY2(refused.error().message.find("69 MB more") != std::string::npos,
             refused.error().message.c_str());
    QCOMPARE(cuda::reserved_bytes(uint64_t{8} << 30), uint64_t{500} << 20);
    QCOMPARE(cuda::reserved_bytes(uint64_t{80} << 30), uint64_t{4} << 30);
  }

  void workspaces_growAndSayThatTheyMoved() {
    const auto queue = make_queue();
    void* const small = queue->workspace(100);
    QVERIFY(small != nullptr);
    const uint64_t generation = queue->memory_generation();
    QCOMPARE(queue->workspace(50), small);
    QCOMPARE(queue->memory_generation(), generation);
    QVERIFY(queue->workspace(size_t{20} << 20) != nullptr);
    QVERIFY(queue->memory_generation() != generation);
    QCOMPARE(queue->workspace(size_t{4} << 40), nullptr);
    QVERIFY(!queue->take_failure());
    QVERIFY(queue->workspace(100) != nullptr);
  }
};

QTEST_GUILESS_MAIN(TestCudaCore)
#include "tst_cuda_core.moc"
