// Loading: what it takes in time and memory for a GGUF file of 1.1 billion random weights.
//
// bench_load [dtype...]    q4_0 and q8_0 if none is named; files of 0.7 to 4.4 GB in the temporary
// folder, removed again. Each load is a process of its own, so that its peak is its own.

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "engine/model_loader.h"
#include "tests/bench/random_gguf.h"

namespace {

namespace fs = std::filesystem;
using namespace quire;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// A line of /proc/self/status in MB: VmRSS, RssAnon, VmHWM (the peak).
double status_mb(const char* name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name)) return std::atof(line.c_str() + std::strlen(name) + 1) / 1024.0;
  }
  return 0.0;
}

/// Seconds to read the file once, as the disk or its cache allows.
double read_seconds(const fs::path& path) {
  const auto begin = Clock::now();
  std::ifstream file(path, std::ios::binary);
  std::vector<char> buffer(size_t{1} << 20);
  while (file.read(buffer.data(), static_cast<int64_t>(buffer.size()))) {
  }
  return seconds_since(begin);
}

int load(const fs::path& path, double file_mb) {
  auto backend = create_backend({.device = "cpu"});
  if (!backend) return 1;
  int reports = 0;
  const auto begin = Clock::now();
  auto model = load_model(path, **backend, {.progress = [&](float) { ++reports; }});
  if (!model) {
    std::fprintf(stderr, "%s\n", model.error().message.c_str());
    return 1;
  }
  std::printf("  load %6.2f s  resident %7.0f MB (%+5.0f)  peak %7.0f MB (%+5.0f)  %d reports\n",
              seconds_since(begin), status_mb("VmRSS"), status_mb("VmRSS") - file_mb,
              status_mb("VmHWM"), status_mb("VmHWM") - file_mb, reports);
  return 0;
}

void bench_dtype(DType dtype) {
  const fs::path path =
      fs::temp_directory_path() / ("quire_bench_" + std::string(dtype_name(dtype)) + ".gguf");
  bench::write_random_gguf(path, dtype, {});
  const double file_mb = static_cast<double>(fs::file_size(path)) / (1 << 20);
  std::printf("%s: %.0f MB, read from the disk's cache in %.2f s\n",
              std::string(dtype_name(dtype)).c_str(), file_mb,
              (read_seconds(path), read_seconds(path)));
  std::fflush(stdout);
  for (int i = 0; i < 2; ++i) {
    if (const pid_t child = fork(); child == 0) {
      const int code = load(path, file_mb);
      std::fflush(stdout);
      _exit(code);
    } else {
      waitpid(child, nullptr, 0);
    }
  }
  fs::remove(path);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> names(argv + 1, argv + argc);
  if (names.empty()) names = {"q4_0", "q8_0"};
  for (int i = 0; i <= static_cast<int>(kLastDType); ++i) {
    const auto dtype = static_cast<DType>(i);
    if (std::find(names.begin(), names.end(), dtype_name(dtype)) != names.end()) bench_dtype(dtype);
  }
}
