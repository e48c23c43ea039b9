#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "engine/block_report.h"

namespace quire {

/// The recurrent states of an engine: slots, snapshots, bytes and tokens. Null for a model without
/// recurrent layers.
nlohmann::ordered_json states_json(const EngineStats& stats);

/// The same as a sentence without a line end; empty for null.
std::string states_text(const nlohmann::ordered_json& states);

}  // namespace quire
