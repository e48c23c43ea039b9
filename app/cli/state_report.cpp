#include "app/cli/state_report.h"

#include <nlohmann/json.hpp>

#include "app/cli/cli_output.h"

namespace quire {

using Json = nlohmann::ordered_json;

Json states_json(const EngineStats& stats) {
  if (stats.total_states == 0) return nullptr;
  return {{"total", stats.total_states},
          {"used", stats.used_states},
          {"snapshots", stats.snapshot_states},
          {"bytes_per_state", stats.bytes_per_state},
          {"snapshot_stride", stats.snapshot_stride},
          {"cut_tokens", stats.cut_tokens}};
}

std::string states_text(const Json& states) {
  if (states.is_null()) return {};
  const auto count = [&](const char* key) { return states[key].get<uint64_t>(); };
  const auto text = [&](const char* key) { return format_count(states[key].get<int64_t>()); };
  std::string sentence = text("used") + " of " + text("total") + " in use, " + text("snapshots") +
                         " snapshot(s) kept (" +
                         format_bytes(count("total") * count("bytes_per_state")) + " in total), ";
  if (count("snapshot_stride") > 0) {
    sentence += "an extra one every " + text("snapshot_stride") + " tokens, ";
  }
  return sentence + text("cut_tokens") +
         " prompt tokens computed again because no snapshot was left";
}

}  // namespace quire
