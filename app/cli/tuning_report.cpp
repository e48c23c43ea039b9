#include "app/cli/tuning_report.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/cli/cli_output.h"
#include "engine/tuning_fields.h"
#include "engine/tuning_file.h"
#include "kernels/cpu_tuning.h"

namespace quire {
namespace {

using Json = nlohmann::ordered_json;

constexpr DType kCommonDTypes[] = {DType::kQ4_0, DType::kQ8_0,   DType::kQ4_K,  DType::kQ5_K,
                                   DType::kQ6_K, DType::kIQ4_XS, DType::kIQ3_S, DType::kMXFP4,
                                   DType::kF16,  DType::kBF16};

/// Whether the choice computes speed.num_rows rows in the way whose speed was measured.
bool is_chosen(const TuningSpeed& speed, const LinearTuning& choice) {
  const bool by_gemv = choice.gemv_rows >= speed.num_rows;
  return by_gemv == (speed.tuning.gemv_rows >= speed.num_rows) &&
         speed.tuning.ahead_bytes == choice.ahead_bytes && speed.tuning.into_l2 == choice.into_l2;
}

Json format_json(const TunedFormat& format) {
  Json speeds = Json::array();
  for (const TuningSpeed& speed : format.speeds) {
    Json entry = tuning_fields<Json>(speed);
    entry["gigabytes_per_second"] = speed.gigabytes_per_second;
    entry["chosen"] = is_chosen(speed, format.choice);
    speeds.push_back(std::move(entry));
  }
  return {{"dtype", dtype_name(format.dtype)},
          {"seconds", format.seconds},
          {"choice", tuning_fields<Json>(format.choice)},
          {"speeds", std::move(speeds)}};
}

std::string with_one_decimal(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

std::string speed_text(const Json& speed) {
  return with_one_decimal(speed["gigabytes_per_second"]);
}

/// "9 KiB", "8.5 KiB".
std::string distance_text(const Json& speed) {
  const int bytes = speed["ahead_bytes"];
  const bool is_whole = bytes % 1024 == 0;
  return (is_whole ? std::to_string(bytes / 1024) : with_one_decimal(bytes / 1024.0)) + " KiB";
}

bool is_by_gemv(const Json& speed) {
  return speed["gemv_rows"].get<int>() >= speed["rows"].get<int>();
}

/// Whether a row is multiplied by the kernel of the default, whose speed comes first: the GEMM for
/// a format that has no GEMV.
bool uses_default_kernel(const Json& format, const Json& speed) {
  return is_by_gemv(speed) == is_by_gemv(format["speeds"].front());
}

/// "q4_k: prefetched 8 KiB ahead into L1, 34.1 GB/s".
std::string chosen_text(const Json& format) {
  std::string text = format["dtype"].get<std::string>() + ": ";
  for (const Json& speed : format["speeds"]) {
    if (!speed["chosen"] || speed["rows"] != 1) continue;
    if (!uses_default_kernel(format, speed)) {
      text += "GEMM";
    } else if (speed["ahead_bytes"] == 0) {
      text += "not prefetched";
    } else {
      text += "prefetched " + distance_text(speed) + " ahead into ";
      text += speed["into_l2"] ? "L2" : "L1";
    }
    text += ", " + speed_text(speed) + " GB/s";
  }
  return text;
}

/// The speeds in GB/s, in three lists: "into L1: 1 KiB 28.9, 2 KiB 20.4; ...".
std::string alternatives_text(const Json& format) {
  std::string into_l1, into_l2, others;
  const auto add = [](std::string& list, const std::string& text) {
    list += (list.empty() ? "" : ", ") + text;
  };
  for (const Json& speed : format["speeds"]) {
    const bool is_default = uses_default_kernel(format, speed);
    if (speed["rows"] != 1) {
      add(others,
          std::string(is_by_gemv(speed) ? "GEMV" : "GEMM") + " of two rows " + speed_text(speed));
    } else if (is_default && speed["ahead_bytes"] != 0) {
      add(speed["into_l2"] ? into_l2 : into_l1, distance_text(speed) + " " + speed_text(speed));
    } else {
      add(others, (is_default ? "none " : "GEMM ") + speed_text(speed));
    }
  }
  return "into L1: " + into_l1 + "; into L2: " + into_l2 + "; " + others;
}

}  // namespace

Result<Json> tuning_json(int num_threads, bool measure, const std::string& data_folder) {
  keep_cpu_tunings(data_folder.empty() ? default_tuning_path()
                                       : std::filesystem::path(data_folder) / kTuningFileName);
  const Result<TuningKey> key = cpu_tuning_key(num_threads);
  if (!key) return key.error();
  if (measure) {
    std::vector<DType> dtypes(std::begin(kCommonDTypes), std::end(kCommonDTypes));
    for (const TunedFormat& format : tuned_formats(*key)) {
      if (std::ranges::find(dtypes, format.dtype) == dtypes.end()) dtypes.push_back(format.dtype);
    }
    if (const Result<void> tuned = tune_cpu(num_threads, dtypes); !tuned) return tuned.error();
  }
  Json formats = Json::array();
  for (const TunedFormat& format : tuned_formats(*key)) formats.push_back(format_json(format));
  return formats;
}

void print_tuning(const Json& tuning) {
  if (tuning.empty()) {
    write_out(
        "  no weight format has been measured yet: that happens when a large model is first "
        "loaded, or with --tune\n");
  }
  for (const Json& format : tuning) {
    write_out("  " + chosen_text(format) + "\n    " + alternatives_text(format) + "\n");
  }
}

}  // namespace quire
