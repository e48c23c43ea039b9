#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace quire {

/// The report of equal requests for people. A line whose numbers were not measured (null) is left
/// out.
std::string bench_text(const nlohmann::ordered_json& report);

/// The same of the chats of ParallelChats::report, with model and device_description.
std::string chats_text(const nlohmann::ordered_json& report);

}  // namespace quire
