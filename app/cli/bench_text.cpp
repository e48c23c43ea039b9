#include "app/cli/bench_report.h"

#include <cstdio>
#include <nlohmann/json.hpp>

namespace quire {
namespace {

using Json = nlohmann::ordered_json;

/// A line for printf with numbers alone.
template <typename... Numbers>
std::string line(const char* format, Numbers... numbers) {
  char text[200];
  std::snprintf(text, sizeof text, format, numbers...);
  return std::string(text) + "\n";
}

std::string head(const Json& report) {
  return report["model"].get<std::string>() + " on " +
         report["device_description"].get<std::string>() + "\n";
}

int whole(const Json& report, const char* key) {
  return report[key].get<int>();
}

double number(const Json& report, const char* key) {
  return report[key].get<double>();
}

std::string percentiles_line(const char* name, int width, const Json& values,
                             const std::string& tail = {}) {
  if (values.is_null()) return {};
  char text[200];
  std::snprintf(text, sizeof text, "%-*s %10.2f ms p50 %10.2f ms p99", width, name,
                values["p50"].get<double>(), values["p99"].get<double>());
  return text + tail + "\n";
}

std::string others_line(const Json& report) {
  const Json& others = report["ttft_others_ms"];
  if (others.is_null()) return {};
  const double median = others["p50"].get<double>();
  char tail[80] = "";
  if (median > 0.0) {
    std::snprintf(tail, sizeof tail, ": 1/%.0f of the first",
                  number(report, "ttft_first_ms") / median);
  }
  return percentiles_line("ttft, other chats", 20, others, tail);
}

std::string pool_lines(const Json& report) {
  std::string text;
  if (!report["kv_megabytes"].is_null()) {
    text += line("kv                   %10.1f MB at most; %.1f MB without sharing",
                 number(report, "kv_megabytes"), number(report, "kv_megabytes_unshared"));
  }
  if (!report["kv_waste"].is_null()) {
    text += line("kv waste             %10.2f %% at most, %.2f %% on average",
                 100 * number(report, "kv_waste"), 100 * number(report, "kv_waste_mean"));
  }
  return text;
}

}  // namespace

std::string bench_text(const Json& report) {
  std::string text = head(report);
  text += line("%d chat(s), prompts of %d tokens (%d shared), %d generated, %d runs",
               whole(report, "parallel"), whole(report, "prompt_tokens"),
               whole(report, "shared_prefix"), whole(report, "generate_tokens"),
               whole(report, "repeat"));
  text += line("prefill  %10.1f tokens/s", number(report, "prefill_tokens_per_s"));
  if (!report["decode_tokens_per_s"].is_null()) {
    text +=
        line("decode   %10.1f tokens/s, all chats together", number(report, "decode_tokens_per_s"));
  }
  text += percentiles_line("ttft", 8, report["ttft_ms"]);
  text += percentiles_line("itl", 8, report["itl_ms"]);
  if (report["kv_waste"].is_null()) return text;
  return text + line("kv waste %10.2f %% at most, %.2f %% on average",
                     100 * number(report, "kv_waste"), 100 * number(report, "kv_waste_mean"));
}

std::string chats_text(const Json& report) {
  std::string text = head(report);
  text += line("%d chat(s) under a persona of %d tokens, %d turn(s) each", whole(report, "chats"),
               whole(report, "persona_tokens"), whole(report, "turns"));
  text += line("ttft, first chat     %10.2f ms (%d tokens read from disk)",
               number(report, "ttft_first_ms"), whole(report, "ttft_first_disk_tokens"));
  text += others_line(report);
  text += percentiles_line("ttft, later turns", 20, report["ttft_later_turns_ms"]);
  text += percentiles_line("itl", 20, report["itl_ms"]);
  text += line("throughput           %10.1f tokens/s, %.1f while there was work",
               number(report, "tokens_per_s"), number(report, "busy_tokens_per_s"));
  text +=
      line("prompts              %.1f %% from memory, %.1f %% from disk, %d of %d tokens computed",
           100 * number(report, "memory_hit_rate"), 100 * number(report, "disk_hit_rate"),
           whole(report, "computed_prompt_tokens"), whole(report, "prompt_tokens"));
  text += pool_lines(report);
  return text + line("preemptions          %10d", whole(report, "preemptions"));
}

}  // namespace quire
