#include "engine/tuning_file.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "engine/io/json_fields.h"
#include "engine/io/json_file.h"
#include "engine/io/private_file.h"
#include "engine/tuning_fields.h"

namespace quire {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Entries of the file, one for each TuningKey.
constexpr size_t kMaxKeys = 16;
constexpr JsonLimits kLimits = {.max_bytes = 1 << 20, .max_depth = 8};

json key_json(const TuningKey& key) {
  return {{"processor", key.processor},
          {"microcode", key.microcode},
          {"instruction_set", key.instruction_set},
          {"threads", key.num_threads},
          {"kernels", key.version}};
}

json format_json(const TunedFormat& format) {
  json speeds = json::array();
  for (const TuningSpeed& speed : format.speeds) {
    json entry = tuning_fields<json>(speed);
    entry["gigabytes_per_second"] = std::round(speed.gigabytes_per_second * 100.0) / 100.0;
    speeds.push_back(std::move(entry));
  }
  return {{"dtype", dtype_name(format.dtype)},
          {"choice", tuning_fields<json>(format.choice)},
          {"seconds", std::round(format.seconds * 1000.0) / 1000.0},
          {"speeds", std::move(speeds)}};
}

std::optional<DType> dtype_of(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(kLastDType); ++i) {
    const auto dtype = static_cast<DType>(i);
    if (is_weight_dtype(dtype) && dtype_name(dtype) == name) return dtype;
  }
  return {};
}

LinearTuning read_tuning(JsonFields& fields) {
  LinearTuning tuning{};
  tuning.ahead_bytes = static_cast<int32_t>(fields.integer("ahead_bytes", 0, kMostAheadBytes));
  tuning.into_l2 = fields.boolean("into_l2", false);
  tuning.gemv_rows = static_cast<int32_t>(fields.integer("gemv_rows", 0, kMostGemvRows));
  if (tuning.ahead_bytes % 64 != 0)
    fields.fail(ErrorCode::kCorruptFile, "is not a multiple of a cache line");
  return tuning;
}

std::optional<TuningSpeed> read_speed(const json& value) {
  JsonFields fields(value, "speed");
  TuningSpeed speed;
  speed.tuning = read_tuning(fields);
  speed.num_rows = static_cast<int>(fields.integer("rows", 1, kMostGemvRows));
  speed.gigabytes_per_second = fields.number("gigabytes_per_second", 0.0, 1e5);
  return fields.error() ? std::nullopt : std::optional(speed);
}

std::optional<TunedFormat> read_format(const json& value) {
  JsonFields fields(value, "format");
  const std::optional<DType> dtype = dtype_of(fields.string("dtype"));
  const json* const choice = fields.find("choice");
  const json* const speeds = fields.find("speeds");
  TunedFormat format;
  format.seconds = fields.number("seconds", 0.0, 1e5);
  if (fields.error() || !dtype || choice == nullptr) return {};
  if (speeds == nullptr || !speeds->is_array()) return {};
  format.dtype = *dtype;
  JsonFields chosen(*choice, "choice");
  format.choice = read_tuning(chosen);
  if (chosen.error()) return {};
  for (const json& entry : *speeds) {
    const std::optional<TuningSpeed> speed = read_speed(entry);
    if (!speed) return {};
    format.speeds.push_back(*speed);
  }
  // A choice without a measured speed was not made by the tuner.
  const auto is_chosen = [&](const TuningSpeed& speed) { return speed.tuning == format.choice; };
  return std::ranges::any_of(format.speeds, is_chosen) ? std::optional(format) : std::nullopt;
}

/// The file's entries, each with its key's fields and "formats"; an empty array if there are none.
json read_entries(const fs::path& path) {
  if (path.empty()) return json::array();
  const Result<json> file = read_json(path, kLimits);
  if (!file || !file->is_object()) return json::array();
  const auto found = file->find("processors");
  return found != file->end() && found->is_array() ? *found : json::array();
}

bool has_key(const json& entry, const json& key) {
  if (!entry.is_object()) return false;
  for (const auto& [name, value] : key.items()) {
    const auto found = entry.find(name);
    if (found == entry.end() || *found != value) return false;
  }
  return true;
}

}  // namespace

std::vector<TunedFormat> TuningFile::load(const TuningKey& key) {
  const json of_key = key_json(key);
  std::vector<TunedFormat> formats;
  for (const json& entry : read_entries(m_path)) {
    if (!has_key(entry, of_key)) continue;
    const auto listed = entry.find("formats");
    if (listed == entry.end() || !listed->is_array()) continue;
    for (const json& value : *listed) {
      const std::optional<TunedFormat> format = read_format(value);
      const bool is_new =
          format && std::ranges::find(formats, format->dtype, &TunedFormat::dtype) == formats.end();
      if (is_new) formats.push_back(*format);
    }
  }
  return formats;
}

Result<void> TuningFile::save(const TuningKey& key, std::span<const TunedFormat> formats) {
  if (m_path.empty()) return {};
  json entry = key_json(key);
  entry["formats"] = json::array();
  for (const TunedFormat& format : formats) entry["formats"].push_back(format_json(format));
  json entries = json::array({std::move(entry)});
  for (json& other : read_entries(m_path)) {
    if (entries.size() < kMaxKeys && !has_key(other, key_json(key))) {
      entries.push_back(std::move(other));
    }
  }
  const json file = {{"processors", std::move(entries)}};
  std::error_code ignored;
  if (fs::create_directories(m_path.parent_path(), ignored)) {
    // Only for the user: chats may be stored in this folder later.
    fs::permissions(m_path.parent_path(), fs::perms::owner_all, ignored);
  }
  const std::string text = file.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
  if (replace_private_file(m_path, text)) return {};
  return Error{ErrorCode::kIo, "the measured choices could not be saved in " + m_path.string() +
                                   "; check that its folder can be written"};
}

fs::path default_tuning_path() {
  const fs::path data = base_folder("XDG_DATA_HOME", ".local/share");
  std::error_code ignored;
  if (!data.empty() && fs::is_directory(data / "quire", ignored))
    return data / "quire" / kTuningFileName;
  const fs::path cache = base_folder("XDG_CACHE_HOME", ".cache");
  return cache.empty() ? fs::path() : cache / "quire" / kTuningFileName;
}

void keep_cpu_tunings(const fs::path& path) {
  use_tuning_store(std::make_shared<TuningFile>(path));
}

}  // namespace quire
