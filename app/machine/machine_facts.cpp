#include "app/machine/machine_facts.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <new>
#include <numeric>
#include <sstream>
#include <thread>
#include <vector>

#include "platform/memory.h"
#include "platform/processor.h"
#include "platform/system.h"

namespace quire {
namespace {

constexpr size_t kMostLetters = 80;
constexpr size_t kBlockBytes = size_t{256} << 20;
constexpr int kPasses = 4;

/// Printable ASCII, because it is copied into forums and issues.
std::string cleaned(const std::string& text) {
  std::string clean;
  for (const char letter : text) {
    const bool is_shown = letter > ' ' && letter <= '~' && letter != '"';
    if (is_shown) clean += letter;
    if (!is_shown && !clean.empty() && clean.back() != ' ' && letter != '"') clean += ' ';
    if (clean.size() >= kMostLetters) break;
  }
  while (!clean.empty() && clean.back() == ' ') clean.pop_back();
  return clean;
}

/// The value of the first line that begins with `key`; empty if there is none.
std::string value_of(const std::string& text, const std::string& key, char separator) {
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    if (!line.starts_with(key)) continue;
    const size_t at = line.find(separator);
    if (at != std::string::npos) return cleaned(line.substr(at + 1));
  }
  return {};
}

/// "6.1" of "6.1.0-18-custom": the rest may name who built the kernel.
std::string release_of(const std::string& kernel) {
  size_t dots = 0;
  const auto ends = std::ranges::find_if(kernel, [&](char letter) {
    if (letter == '.') return ++dots == 2;
    return letter < '0' || letter > '9';
  });
  return {kernel.begin(), ends};
}

/// Adds up the words of a slice, so that all of them are read.
uint64_t sum_of(const uint64_t* begin, const uint64_t* end) {
  uint64_t sums[4] = {};
  for (; begin + 4 <= end; begin += 4) {
    for (int lane = 0; lane < 4; ++lane) sums[lane] += begin[lane];
  }
  return std::accumulate(sums, sums + 4, std::accumulate(begin, end, uint64_t{0}));
}

}  // namespace

MachineFacts facts_of(const MachineTexts& texts) {
  MachineFacts facts;
  facts.processor = value_of(texts.cpuinfo, "model name", ':');
  const std::string name = value_of(texts.os_release, "PRETTY_NAME", '=');
  const std::string kernel = cleaned(texts.kernel) + " " + release_of(texts.release);
  facts.system =
      (name.empty() ? kernel : name + ", " + kernel) + ", " + cleaned(texts.architecture);
  return facts;
}

MachineFacts machine_facts() {
  const platform::SystemNames names = platform::system_names();
  MachineFacts facts = facts_of({.cpuinfo = platform::processor_description(),
                                 .os_release = names.description,
                                 .kernel = names.kernel,
                                 .release = names.release,
                                 .architecture = names.architecture});
  facts.memory_bytes = platform::memory_sizes().total_bytes;
  facts.num_threads = static_cast<int>(std::thread::hardware_concurrency());
  return facts;
}

double memory_bytes_per_second(int num_threads) {
  using Clock = std::chrono::steady_clock;
  const auto threads = static_cast<size_t>(std::clamp(num_threads, 1, 64));
  const size_t words = kBlockBytes / sizeof(uint64_t);
  const std::unique_ptr<uint64_t[]> block(new (std::nothrow) uint64_t[words]);
  if (!block) return 0.0;
  std::fill_n(block.get(), words, uint64_t{1});
  std::vector<uint64_t> sums(threads);
  double best = 0.0;
  for (int pass = 0; pass < kPasses; ++pass) {
    const auto begin = Clock::now();
    std::vector<std::jthread> readers;
    for (size_t at = 0; at < threads; ++at) {
      readers.emplace_back([&, at] {
        sums[at] = sum_of(&block[words * at / threads], &block[words * (at + 1) / threads - 1] + 1);
      });
    }
    readers.clear();  // Waits for them.
    const std::chrono::duration<double> elapsed = Clock::now() - begin;
    // The sums are used, so that the compiler keeps the reads.
    const bool is_read = std::accumulate(sums.begin(), sums.end(), uint64_t{0}) == words;
    if (is_read && elapsed.count() > 0.0) {
      best = std::max(best, static_cast<double>(kBlockBytes) / elapsed.count());
    }
  }
  return best;
}

}  // namespace quire
