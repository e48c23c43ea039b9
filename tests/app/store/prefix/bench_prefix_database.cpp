// Prints how fast blocks are saved and read back: bench_prefix_database FOLDER [MiB].
#include <chrono>
#include <cstdio>
#include <string>

#include "app/store/prefix/prefix_database.h"
#include "tests/app/store/prefix/sample_blocks.h"

using namespace quire;

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::hours kLong{1};

double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

void measure(const std::string& folder, size_t blockBytes, size_t totalBytes) {
  const std::filesystem::path path = folder + "/bench-prefix.db";
  std::filesystem::remove(path);
  const auto blocks =
      samples::chain("bench", static_cast<int>(totalBytes / blockBytes), blockBytes);
  const double megabytes = static_cast<double>(totalBytes) / 1e6;
  const auto options = [&] {
    return PrefixDatabaseOptions{.path = path, .maxQueuedBytes = totalBytes, .closeTime = kLong};
  };
  double save = 0.0;
  {
    PrefixDatabase database(options());
    database.flush(kLong);
    auto copies = blocks;
    const auto begin = Clock::now();
    for (StoredBlock& block : copies) database.save(std::move(block), {.id = 1});
    database.flush(kLong);
    save = megabytes / secondsSince(begin);
  }
  auto begin = Clock::now();
  PrefixDatabase database(options());
  database.flush(kLong);
  const double open = secondsSince(begin) * 1e3;
  begin = Clock::now();
  database.fetch(1, samples::keysOf(blocks));
  const auto fetched = database.take_fetched(kLong);
  const double fetch = megabytes / secondsSince(begin);
  const bool equal = samples::leadingEqual(blocks, fetched[0].blocks) == (int)blocks.size();
  std::printf("%5zu KiB x %5zu: save %6.0f MB/s, open %5.1f ms, fetch %6.0f MB/s%s\n",
              blockBytes / 1024, blocks.size(), save, open, fetch, equal ? "" : ", NOT EQUAL");
  std::filesystem::remove(path);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const size_t totalBytes = (argc > 2 ? std::stoull(argv[2]) : 256) << 20;
  measure(argv[1], 64 << 10, totalBytes);
  measure(argv[1], 2 << 20, totalBytes);
}
