#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/template/chat_template.h"

namespace fs = std::filesystem;

namespace {

constexpr int kMessages = 100;
constexpr int kRounds = 200;
constexpr double kTargetMs = 5.0;

/// CPU time of this process, so that other work on the machine does not count.
double cpu_ms() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

/// User and assistant in turn, a few hundred bytes each, with what templates look for.
nlohmann::ordered_json long_chat() {
  nlohmann::ordered_json messages = nlohmann::ordered_json::array();
  for (int i = 0; i < kMessages; ++i) {
    std::string text = i % 2 == 0 ? "Question " : "<think>\nLet me see.\n</think>\n\nAnswer ";
    text += std::to_string(i) + ".";
    for (int k = 0; k < 6; ++k) text += " The quick brown fox jumps over the lazy dog, 안녕.\n";
    messages.push_back({{"role", i % 2 == 0 ? "user" : "assistant"}, {"content", text}});
  }
  messages.push_back({{"role", "user"}, {"content", "And now?"}});
  return {{"messages", messages},
          {"add_generation_prompt", true},
          {"bos_token", "<s>"},
          {"eos_token", "</s>"}};
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Prints the median of kRounds renderings; false where the template fails or is too slow.
bool measure(const fs::path& path, const nlohmann::ordered_json& chat) {
  const std::string source = read_file(path);
  const double before = cpu_ms();
  const auto compiled = quire::ChatTemplate::compile(source);
  const double compile_ms = cpu_ms() - before;
  if (!compiled) return std::printf("%s\n", compiled.error().message.c_str()), false;
  std::vector<double> times;
  size_t bytes = 0;
  for (int i = 0; i < kRounds; ++i) {
    const double start = cpu_ms();
    const auto rendered = compiled->render(chat);
    times.push_back(cpu_ms() - start);
    if (!rendered) return std::printf("%s\n", rendered.error().message.c_str()), false;
    bytes = rendered->text().size();
  }
  std::sort(times.begin(), times.end());
  const double median_ms = times[times.size() / 2];
  std::printf("%-48s compile %6.3f ms, render %6.3f ms (p99 %6.3f), %zu bytes\n",
              path.stem().c_str(), compile_ms, median_ms, times[times.size() * 99 / 100], bytes);
  return median_ms < kTargetMs;
}

}  // namespace

/// bench_template FOLDER: how long a chat of 100 messages takes in each *.jinja of a folder.
int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: bench_template FOLDER\n"), 2;
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(argv[1])) {
    if (entry.path().extension() == ".jinja") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  const nlohmann::ordered_json chat = long_chat();
  bool is_fast = !paths.empty();
  for (const fs::path& path : paths) is_fast = measure(path, chat) && is_fast;
  return is_fast ? 0 : 1;
}
