#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/load/load_plan.h"
#include "app/cli/load/load_run.h"

namespace quire {

/// The most milliseconds of a good request; what is not set does not count.
struct ServiceLevels {
  std::optional<double> ttft_ms = {};  ///< Time to the first piece of text.
  std::optional<double> tpot_ms = {};  ///< Time per output token after the first.
  std::optional<double> e2el_ms = {};  ///< The whole request.

  bool any() const { return ttft_ms || tpot_ms || e2el_ms; }
};

/// Reads "ttft:200,tpot:50,e2el:2000". Errors: kInvalidArgument.
Result<ServiceLevels> parse_service_levels(std::string_view text);

/// The figures of a run, by vLLM's definitions (`vllm bench serve`): TTFT and ITL by the pieces of
/// text as they came, TPOT = (whole time - TTFT) / (output tokens - 1). Only answered requests
/// count, for tokens as well. The run lasts until the last of all requests ended.
nlohmann::ordered_json load_report(const std::vector<RequestRecord>& records,
                                   const TrafficOptions& options, const ServiceLevels& levels);

/// The same as text.
std::string load_text(const nlohmann::ordered_json& report);

}  // namespace quire
