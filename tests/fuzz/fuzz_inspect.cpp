#include <nlohmann/json.hpp>

#include "app/inspect/facts_request.h"
#include "engine/memory/memory_estimate.h"
#include "tests/fuzz/fuzz_targets.h"
#include "tests/fuzz/model_files.h"

namespace quire::fuzz {
namespace {

constexpr size_t kMaxLine = size_t{256} << 10;

nlohmann::json facts_from(const std::filesystem::path& path) {
  const std::string line = facts_of(path);
  require(line.size() <= kMaxLine, "an answer of " + std::to_string(line.size()) + " bytes");
  require(line.find('\n') == line.npos, "an answer of several lines");
  auto facts = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  require(facts.is_object(), "an answer that is no JSON");
  for (const char* key : {"kind", "parameters", "fileBytes", "context"}) {
    require(facts[key].is_number_integer() && facts[key].get<int64_t>() >= 0,
            std::string("a wrong number: ") + key);
  }
  for (const char* key : {"architecture", "quantisation", "format"}) {
    require(facts[key].is_string(), std::string("no text: ") + key);
  }
  require(facts["obstacle"].is_object(), "no obstacle");
  return facts;
}

/// What the window asks for each model without an obstacle, in its own process.
void estimate(const std::filesystem::path& path) {
  MemoryEstimateInput input;
  input.path = path;
  input.num_threads = 1;
  input.devices = {{.name = "cpu",
                    .total_bytes = uint64_t{16} << 30,
                    .free_bytes = uint64_t{8} << 30,
                    .available = true}};
  const auto estimate = estimate_memory(input);
  if (!estimate) return require_sentence(estimate.error(), {path.filename().string(), "model"});
  require(!estimate->parts.empty() && estimate->max_context > 0, "an estimate without parts");
}

}  // namespace

void fuzz_inspect(std::string_view bytes) {
  static const ScratchFolder folder;
  const auto path = write_model(folder, bytes);
  const auto facts = facts_from(path);
  const auto& obstacle = facts["obstacle"];
  if (obstacle.empty()) {
    if (facts["kind"] == 0) estimate(path);
  } else {
    require_sentence({ErrorCode::kCorruptFile, obstacle.value("message", "")},
                     {"input.gguf", ".json", "model", ".jinja", folder.path().filename().string()});
  }
}

}  // namespace quire::fuzz
