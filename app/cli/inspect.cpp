#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/cli_output.h"
#include "app/cli/inspect_report.h"
#include "app/cli/open_model.h"

namespace quire {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kInspectExamples =
    "  quire-cli inspect --model ~/models/llama.gguf\n"
    "  quire-cli inspect --model ~/models/llama --tensors\n"
    "  quire-cli inspect --kv-dtype f16 --json\n"
    "  quire-cli inspect --devices\n"
    "A model that cannot be loaded is also described, with the reason; the exit code is then 1.";

struct InspectOptions {
  bool devices = false;
  bool tensors = false;
};

Json devices_json() {
  Json list = Json::array();
  for (const DeviceInfo& device : list_devices()) {
    Json entry = {{"name", device.name},
                  {"available", device.available},
                  {"description", device.description},
                  {"total_bytes", device.total_bytes}};
    if (device.free_bytes > 0) entry["free_bytes"] = device.free_bytes;
    if (!device.available) entry["reason"] = device.reason;
    list.push_back(std::move(entry));
  }
  return list;
}

void print_devices(const Json& devices) {
  for (const Json& device : devices) {
    std::string line = device["name"].get<std::string>() + ": ";
    if (device["available"]) {
      line += device["description"].get<std::string>();
      if (device.contains("free_bytes")) {
        line += ", " + format_bytes(device["free_bytes"]) + " of " +
                format_bytes(device["total_bytes"]) + " free";
      }
    } else {
      line += "cannot be used here: " + device["reason"].get<std::string>();
    }
    write_out(line + "\n");
  }
}

/// The dtype of the KV cache: as requested, or the default of the first device that would be used.
Result<DType> kv_dtype_of(const LlmOptions& options) {
  const Result<DeviceChoice> choice = choose_devices(options.backend);
  if (!choice) return choice.error();
  for (const DeviceInfo& device : list_devices()) {
    if (device.name != choice->names.front()) continue;
    if (!device.available) return Error{ErrorCode::kUnsupported, device.reason};
    return options.engine.kv_dtype.value_or(device.kv_dtype);
  }
  return Error{ErrorCode::kUnsupported, "Unknown device \"" + choice->names.front() +
                                            "\"; run quire-cli inspect --devices for a list."};
}

Result<int> inspect(const InspectOptions& options, const CommonOptions& common) {
  if (options.devices) {
    common.json ? write_json(devices_json()) : print_devices(devices_json());
    return 0;
  }
  const Result<ModelSummary> summary = inspect_model(common.model_path());
  if (!summary) return summary.error();
  const Result<DType> kv_dtype = kv_dtype_of(common.llm_options());
  if (!kv_dtype) return kv_dtype.error();
  const Json model = summary_json(*summary, *kv_dtype, options.tensors);
  common.json ? write_json(model) : print_summary(model);
  return summary->obstacles.empty() ? 0 : 1;
}

}  // namespace

void add_inspect(Cli& cli) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App* verb = add_verb(cli, "inspect", "Describe a model and what it needs", kInspectExamples);
  verb->add_flag("--devices", options->devices,
                 "List available devices, and why others are not available");
  verb->add_flag("--tensors", options->tensors, "List every tensor");
  verb->callback(
      [&cli, options] { cli.action = [&cli, options] { return inspect(*options, cli.common); }; });
}

}  // namespace quire
