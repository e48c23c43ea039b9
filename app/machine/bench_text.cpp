#include "app/machine/bench_text.h"

#include <algorithm>
#include <cstdio>

namespace quire {
namespace {

constexpr double kSecondsPerPart = 3.5;  ///< For the prompts, and again for the answers.

template <typename... Values>
std::string formatted(const char* format, Values... values) {
  char text[240];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

/// "4.9 GB", in powers of 1000.
std::string size_text(uint64_t bytes) {
  const auto count = static_cast<double>(bytes);
  return bytes < 1'000'000'000 ? formatted("%.0f MB", count / 1e6)
                               : formatted("%.1f GB", count / 1e9);
}

std::string parameters_text(int64_t parameters) {
  const auto count = static_cast<double>(parameters);
  return parameters < 1'000'000'000 ? formatted("%.0f M parameters", count / 1e6)
                                    : formatted("%.1f B parameters", count / 1e9);
}

/// The parts that are not empty, with commas.
std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) {
    if (part.empty()) continue;
    if (!text.empty()) text += ", ";
    text += part;
  }
  return text;
}

std::string model_line(const BenchModel& model) {
  return joined({model.name, model.architecture,
                 model.parameters > 0 ? parameters_text(model.parameters) : std::string(),
                 model.type, model.bytes > 0 ? size_text(model.bytes) : std::string()});
}

std::string machine_line(const BenchReport& report) {
  const MachineFacts& machine = report.machine;
  const double speed = report.memory_bytes_per_second;
  return joined(
      {machine.processor,
       machine.num_threads > 0 ? formatted("%d threads", machine.num_threads) : std::string(),
       machine.memory_bytes > 0 ? size_text(machine.memory_bytes) + " memory" : std::string(),
       speed > 0.0 ? formatted("reads %.1f GB/s", speed / 1e9) : std::string()});
}

std::string figures_line(const BenchFigures& one) {
  const char* const chats = one.num_chats == 1 ? "chat" : "chats";
  return formatted(
      "%2d %-5s  prefill %9.1f tokens/s  decode %8.1f tokens/s  first token %8.0f ms  "
      "(%d + %d tokens)\n",
      one.num_chats, chats, one.prefill_per_second, one.decode_per_second, one.first_token_ms,
      one.prompt_tokens, one.answer_tokens);
}

int tokens_in(double tokens_per_second, int num_chats) {
  const double tokens = tokens_per_second * kSecondsPerPart / num_chats;
  return static_cast<int>(std::min(tokens, 1e6));
}

}  // namespace

BenchSizes bench_sizes(const BenchFigures& probe, int num_chats, int most_tokens) {
  constexpr int kLeastPrompt = 16;
  constexpr int kMostPrompt = 512;
  constexpr int kLeastAnswer = 8;
  constexpr int kMostAnswer = 128;
  const int room = std::max(most_tokens - 8, kLeastPrompt + kLeastAnswer);
  // Chats side by side are faster than one: the probe's speed is what they have at least.
  const int answer = std::clamp(tokens_in(probe.decode_per_second, num_chats), kLeastAnswer,
                                std::min(kMostAnswer, room / 2));
  const int prompt = std::clamp(tokens_in(probe.prefill_per_second, num_chats), kLeastPrompt,
                                std::max(kLeastPrompt, std::min(kMostPrompt, room - answer)));
  return {.prompt_tokens = prompt, .answer_tokens = answer};
}

std::string bench_text(const BenchReport& report) {
  std::string text = "Quire " + report.version + " benchmark\n";
  text += "Model    " + model_line(report.model) + "\n";
  text += "Device   " + report.device + "\n";
  text += "Machine  " + machine_line(report) + "\n";
  text += "System   " + report.machine.system + "\n";
  for (const BenchFigures& one : report.figures) text += figures_line(one);
  return text;
}

}  // namespace quire
