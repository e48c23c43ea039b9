// Prints how fast blocks are saved and read back: bench_prefix_database FOLDER [MiB].
#include <chrono>
#include <cstdio>
#include <ctime>
#include <string>

#include "app/store/prefix/prefix_database.h"
#include "tests/app/store/prefix/sample_blocks.h"

using namespace quire;

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::hours kLong{1};

/// Since a moment: by the clock, and of the processor, which other programs disturb less.
class Watch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - m_begin).count(); }
  double cpuSeconds() const {
    return static_cast<double>(std::clock() - m_cpuBegin) / CLOCKS_PER_SEC;
  }

 private:
  Clock::time_point m_begin = Clock::now();
  std::clock_t m_cpuBegin = std::clock();
};

void measure(const std::string& folder, size_t blockBytes, size_t totalBytes) {
  const std::filesystem::path path = folder + "/bench-prefix.db";
  std::filesystem::remove(path);
  const auto blocks =
      samples::chain("bench", static_cast<int>(totalBytes / blockBytes), blockBytes);
  const double megabytes = static_cast<double>(totalBytes) / 1e6;
  const auto options = [&] {
    return PrefixDatabaseOptions{.path = path, .maxQueuedBytes = totalBytes, .closeTime = kLong};
  };
  double save = 0.0, saveCpu = 0.0;
  {
    PrefixDatabase database(options());
    database.flush(kLong);
    auto copies = blocks;
    const Watch watch;
    for (StoredBlock& block : copies) database.save(std::move(block), {.id = 1});
    database.flush(kLong);
    save = megabytes / watch.seconds();
    saveCpu = megabytes / watch.cpuSeconds();
  }
  const Watch opening;
  PrefixDatabase database(options());
  database.flush(kLong);
  const double open = opening.seconds() * 1e3;
  const Watch fetching;
  database.fetch(1, samples::keysOf(blocks));
  const auto fetched = database.take_fetched(kLong);
  const double fetch = megabytes / fetching.seconds();
  const double fetchCpu = megabytes / fetching.cpuSeconds();
  const bool equal =
      samples::leadingEqual(blocks, fetched[0].blocks) == static_cast<int>(blocks.size());
  std::printf(
      "%5zu KiB x %5zu: save %5.0f MB/s (%5.0f per CPU second), open %5.1f ms, "
      "fetch %5.0f MB/s (%5.0f per CPU second)%s\n",
      blockBytes / 1024, blocks.size(), save, saveCpu, open, fetch, fetchCpu,
      equal ? "" : ", NOT EQUAL");
  std::filesystem::remove(path);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const size_t totalBytes = (argc > 2 ? std::stoull(argv[2]) : 256) << 20;
  measure(argv[1], 64 << 10, totalBytes);
  measure(argv[1], 2 << 20, totalBytes);
}
