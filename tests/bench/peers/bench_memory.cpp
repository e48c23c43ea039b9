// How fast this machine reads its memory with all cores, in GB/s: the limit of decoding one chat.
//
// bench_memory [threads [MiB]]    all cores and 2048 MiB if not given; prints one number, the best
// of several passes. One thread is measured by the processor's time, as everything is then.

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <thread>
#include <vector>

#include "kernels/base/processor_cores.h"

namespace {

constexpr int kPasses = 12;
constexpr size_t kPage = size_t{2} << 20;

using Vector = uint64_t __attribute__((vector_size(64), may_alias));

#if defined(__x86_64__)
#define QUIRE_EVERY_ISA __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define QUIRE_EVERY_ISA
#endif

/// The sum of `bytes` bytes (a multiple of 256): four sums at a time, so that no addition is waited
/// for.
QUIRE_EVERY_ISA uint64_t sum(const char* data, size_t bytes) {
  Vector sums[4] = {};
  for (size_t at = 0; at < bytes; at += sizeof sums) {
    for (size_t i = 0; i < 4; ++i) {
      Vector next;
      std::memcpy(&next, data + at + i * sizeof next, sizeof next);
      sums[i] += next;
    }
  }
  uint64_t total = 0;
  for (const Vector& part : sums) {
    for (size_t i = 0; i < 8; ++i) total += part[i];
  }
  return total;
}

/// Memory in large pages where the system has them, every page of it touched.
char* touched_memory(size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  madvise(memory, bytes, MADV_HUGEPAGE);
  std::memset(memory, 1, bytes);
  return static_cast<char*>(memory);
}

double seconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace

int main(int argc, char** argv) {
  const int threads =
      argc > 1 && std::atoi(argv[1]) > 0 ? std::atoi(argv[1]) : quire::num_usable_cores();
  const size_t mib = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 2048;
  const auto num_threads = static_cast<size_t>(threads);
  const size_t share = std::max<size_t>(mib * (size_t{1} << 20) / num_threads / kPage, 1) * kPage;
  const char* memory = touched_memory(share * num_threads);
  if (!memory) {
    std::fprintf(stderr, "%zu MiB of memory are not to be had; name fewer\n", mib);
    return 1;
  }
  std::atomic<uint64_t> total = 0;
  std::vector<double> times(kPasses + 1);
  int pass = 0;
  const clockid_t clock = threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
  // The last thread to arrive takes the time, so a pass lasts as long as its slowest thread.
  std::barrier all(threads,
                   [&]() noexcept { times[static_cast<size_t>(pass++)] = seconds(clock); });
  std::vector<std::thread> readers;
  for (size_t i = 0; i < num_threads; ++i) {
    readers.emplace_back([&, part = memory + i * share] {
      all.arrive_and_wait();
      for (int k = 0; k < kPasses; ++k) {
        total += sum(part, share);
        all.arrive_and_wait();
      }
    });
  }
  for (std::thread& reader : readers) reader.join();
  double best = 1e30;
  for (size_t k = 0; k < kPasses; ++k) {
    best = std::min(best, times[k + 1] - times[k]);
  }
  std::printf("%.2f\n", static_cast<double>(share * num_threads) / best * 1e-9);
  return total == 0;  // Never: it keeps the sums from being left out.
}
