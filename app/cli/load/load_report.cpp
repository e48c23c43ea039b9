#include "app/cli/load/load_report.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numeric>

#include "kernels/base/visible_text.h"

namespace quire {
namespace {

using Json = nlohmann::ordered_json;

/// What the report says of one kind of time.
Json spread_of(std::vector<double> values) {
  if (values.empty()) return nullptr;
  std::ranges::sort(values);
  const auto at = [&](double share) {
    const double rank = std::ceil(share * static_cast<double>(values.size()));
    return values[static_cast<size_t>(std::max(rank, 1.0)) - 1];
  };
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return {{"mean", sum / static_cast<double>(values.size())}, {"p50", at(0.50)}, {"p99", at(0.99)}};
}

struct Figures {
  std::vector<double> ttft_ms, tpot_ms, itl_ms, e2el_ms;
  int64_t prompt_tokens = 0, output_tokens = 0;
  int answered = 0, good = 0;
  double seconds = 0.0;
  std::map<std::string, int> errors;
};

/// The times of one answered request; TTFT and TPOT only where it has them.
struct Times {
  std::optional<double> ttft_ms, tpot_ms;
  double e2el_ms = 0.0;
};

Times times_of(const RequestRecord& record) {
  Times times{.e2el_ms = 1000.0 * (record.ended_s - record.sent_s)};
  if (record.pieces_s.empty()) return times;
  times.ttft_ms = 1000.0 * (record.pieces_s.front() - record.sent_s);
  if (record.output_tokens > 1) {
    times.tpot_ms = (times.e2el_ms - *times.ttft_ms) / (record.output_tokens - 1);
  }
  return times;
}

bool is_good(const Times& times, const ServiceLevels& levels) {
  const auto holds = [](std::optional<double> level, std::optional<double> value) {
    return !level || !value || *value <= *level;
  };
  if (levels.ttft_ms && !times.ttft_ms) return false;
  return holds(levels.ttft_ms, times.ttft_ms) && holds(levels.tpot_ms, times.tpot_ms) &&
         holds(levels.e2el_ms, times.e2el_ms);
}

void add(const RequestRecord& record, const ServiceLevels& levels, Figures& figures) {
  figures.seconds = std::max(figures.seconds, record.ended_s);
  if (!record.is_answered()) {
    ++figures.errors[record.error];
    return;
  }
  const Times times = times_of(record);
  ++figures.answered;
  figures.good += is_good(times, levels) ? 1 : 0;
  figures.prompt_tokens += record.prompt_tokens;
  figures.output_tokens += record.output_tokens;
  figures.e2el_ms.push_back(times.e2el_ms);
  if (times.ttft_ms) figures.ttft_ms.push_back(*times.ttft_ms);
  if (times.tpot_ms) figures.tpot_ms.push_back(*times.tpot_ms);
  for (size_t i = 1; i < record.pieces_s.size(); ++i) {
    figures.itl_ms.push_back(1000.0 * (record.pieces_s[i] - record.pieces_s[i - 1]));
  }
}

Json levels_json(const ServiceLevels& levels) {
  Json json = Json::object();
  if (levels.ttft_ms) json["ttft"] = *levels.ttft_ms;
  if (levels.tpot_ms) json["tpot"] = *levels.tpot_ms;
  if (levels.e2el_ms) json["e2el"] = *levels.e2el_ms;
  return json;
}

template <typename... Values>
std::string line(const char* format, Values... values) {
  char text[256];
  std::snprintf(text, sizeof text, format, values...);
  return std::string(text) + "\n";
}

std::string spread_line(const char* name, const Json& spread) {
  if (spread.is_null()) return {};
  return line("%-22s %10.2f mean %10.2f p50 %10.2f p99", name, spread["mean"].get<double>(),
              spread["p50"].get<double>(), spread["p99"].get<double>());
}

std::string errors_text(const Json& errors) {
  std::string text;
  for (const auto& [error, count] : errors.items()) {
    text += std::to_string(count.get<int>()) + " failed: " + error + "\n";
  }
  return text;
}

}  // namespace

Result<ServiceLevels> parse_service_levels(std::string_view text) {
  ServiceLevels levels;
  while (!text.empty()) {
    const std::string_view entry = text.substr(0, text.find(','));
    text.remove_prefix(std::min(entry.size() + 1, text.size()));
    const size_t colon = std::min(entry.find(':'), entry.size());
    const std::string_view name = entry.substr(0, colon);
    const std::string_view number = entry.substr(std::min(colon + 1, entry.size()));
    double value = 0.0;
    const auto [end, failed] = std::from_chars(number.data(), number.data() + number.size(), value);
    std::optional<double>* level = name == "ttft"   ? &levels.ttft_ms
                                   : name == "tpot" ? &levels.tpot_ms
                                   : name == "e2el" ? &levels.e2el_ms
                                                    : nullptr;
    if (failed != std::errc() || end != number.data() + number.size() || level == nullptr ||
        !(value > 0.0) || !std::isfinite(value)) {
      return Error{ErrorCode::kInvalidArgument,
                   "'" + visible_text(entry) + "' is none of ttft:MS, tpot:MS and e2el:MS"};
    }
    *level = value;
  }
  return levels;
}

Json load_report(const std::vector<RequestRecord>& records, const TrafficOptions& options,
                 const ServiceLevels& levels) {
  Figures figures;
  for (const RequestRecord& record : records) add(record, levels, figures);
  const double seconds = std::max(figures.seconds, 1e-9);
  const auto per_second = [seconds](int64_t count) { return static_cast<double>(count) / seconds; };
  Json report = {{"model", options.model},
                 {"requests", records.size()},
                 {"answered", figures.answered},
                 {"failed", records.size() - static_cast<size_t>(figures.answered)},
                 {"rate", options.rate > 0.0 ? Json(options.rate) : Json()},
                 {"concurrency", options.concurrency},
                 {"seconds", figures.seconds},
                 {"prompt_tokens", figures.prompt_tokens},
                 {"output_tokens", figures.output_tokens},
                 {"requests_per_s", per_second(figures.answered)},
                 {"output_tokens_per_s", per_second(figures.output_tokens)},
                 {"total_tokens_per_s", per_second(figures.prompt_tokens + figures.output_tokens)}};
  report["ttft_ms"] = options.streams ? spread_of(figures.ttft_ms) : Json();
  report["tpot_ms"] = options.streams ? spread_of(figures.tpot_ms) : Json();
  report["itl_ms"] = spread_of(figures.itl_ms);
  report["e2el_ms"] = spread_of(figures.e2el_ms);
  if (levels.any()) {
    report["goodput"] = {{"levels_ms", levels_json(levels)},
                         {"requests", figures.good},
                         {"requests_per_s", per_second(figures.good)}};
  }
  report["errors"] = figures.errors;
  return report;
}

std::string load_text(const Json& report) {
  const auto number = [&](const char* name) { return report[name].get<double>(); };
  std::string text = report["model"].get<std::string>() + "\n";
  text += line("%-22s %10d of %d", "answered", report["answered"].get<int>(),
               report["requests"].get<int>());
  text += line("%-22s %10.2f", "seconds", number("seconds"));
  text += line("%-22s %10.0f prompt, %.0f output", "tokens", number("prompt_tokens"),
               number("output_tokens"));
  const double answered = std::max(number("answered"), 1.0);
  text += line("%-22s %10.1f prompt, %.1f output", "tokens per request",
               number("prompt_tokens") / answered, number("output_tokens") / answered);
  text += line("%-22s %10.2f requests/s", "throughput", number("requests_per_s"));
  text += line("%-22s %10.1f output tokens/s, %.1f with prompts", "", number("output_tokens_per_s"),
               number("total_tokens_per_s"));
  if (const auto goodput = report.find("goodput"); goodput != report.end()) {
    text += line("%-22s %10.2f requests/s (%d)", "goodput",
                 (*goodput)["requests_per_s"].get<double>(), (*goodput)["requests"].get<int>());
  }
  text += spread_line("TTFT in ms", report["ttft_ms"]);
  text += spread_line("TPOT in ms", report["tpot_ms"]);
  text += spread_line("ITL in ms", report["itl_ms"]);
  text += spread_line("whole request in ms", report["e2el_ms"]);
  return text + errors_text(report["errors"]);
}

}  // namespace quire
