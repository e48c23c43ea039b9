#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "app/cli/cli_output.h"
#include "app/cli/confined_verb.h"
#include "app/cli/inspect_report.h"
#include "app/cli/open_model.h"
#include "app/cli/tuning_report.h"
#include "app/confine/confine.h"

namespace quire {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kInspectExamples =
    "  quire-cli inspect --model ~/models/llama.gguf\n"
    "  quire-cli inspect --model ~/models/llama --tensors\n"
    "  quire-cli inspect --kv-dtype f16 --json\n"
    "  quire-cli inspect --devices\n"
    "  quire-cli inspect --devices --tune\n"
    "A model that cannot be loaded is also described, with the reason; the exit code is then 1.";

struct InspectOptions {
  bool devices = false;
  bool tune = false;
  std::string data;  ///< Folder of the window's data; empty: the user's own.
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

void print_devices(const Json& devices, const Confinement& confinement) {
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
    if (device.contains("tuning")) print_tuning(device["tuning"]);
  }
  write_out("models' files are first read in a process of their own: " + confinement.text() + "\n");
}

/// The dtype of the KV cache: as requested, or the default of the first device that would be used.
Result<DType> kv_dtype_of(const LlmOptions& options) {
  const Result<DeviceChoice> choice = choose_devices(options.backend);
  if (!choice) return choice.error();
  if (const auto device = find_device(list_devices(), choice->names.front())) {
    if (!device->available) return Error{ErrorCode::kUnsupported, device->reason};
    return options.engine.kv_dtype.value_or(device->kv_dtype);
  }
  return Error{ErrorCode::kUnsupported, "Unknown device \"" + choice->names.front() +
                                            "\"; run quire-cli inspect --devices for a list."};
}

/// Devices are opened afterwards, because drivers start threads, which a fork would leave behind.
Result<int> inspect_devices(const InspectOptions& options, const CommonOptions& common) {
  const Confinement confinement = try_confinement();
  Json devices = devices_json();
  if (devices[0]["available"]) {
    Result<Json> tuning = tuning_json(common.threads, options.tune, options.data);
    if (!tuning) return tuning.error();
    devices[0]["tuning"] = std::move(*tuning);
  }
  common.json ? write_json(devices) : print_devices(devices, confinement);
  return 0;
}

Result<VerbOutput> summarised(const std::string& model, bool list_tensors) {
  const Result<ModelSummary> summary = inspect_model(model);
  if (!summary) return summary.error();
  VerbOutput output{json_line(summary_json(*summary))};
  if (list_tensors) output.text += tensor_lines(*summary);
  output.code = summary->obstacles.empty() ? 0 : 1;
  return output;
}

/// Whether so few brackets are open at once that the document can be copied and printed.
bool is_shallow(std::string_view json) {
  constexpr int kDeepest = 16;
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < json.size() && depth <= kDeepest; ++i) {
    if (in_string && json[i] == '\\') {
      ++i;
    } else if (json[i] == '"') {
      in_string = !in_string;
    } else if (!in_string) {
      depth += json[i] == '[' || json[i] == '{' ? 1 : 0;
      depth -= json[i] == ']' || json[i] == '}' ? 1 : 0;
    }
  }
  return depth <= kDeepest;
}

Result<int> inspect(const InspectOptions& options, const CommonOptions& common) {
  if (options.devices) return inspect_devices(options, common);
  const std::string path = common.model_path();
  const Result<VerbOutput> summary =
      in_confinement({.model = path}, [&] { return summarised(path, options.tensors); });
  if (!summary) return summary.error();
  const Result<DType> kv_dtype = kv_dtype_of(common.llm_options());
  if (!kv_dtype) return kv_dtype.error();
  // A process that was taken over may answer anything.
  const std::string_view text = summary->text;
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view document = text.substr(0, end);
  Json model = is_shallow(document) ? Json::parse(document, nullptr, false) : Json();
  std::optional<std::string_view> tensors;
  if (options.tensors) tensors = text.substr(std::min(end + 1, text.size()));
  const Error not_described = {ErrorCode::kCorruptFile, path + " cannot be described."};
  if (!model.is_object()) return not_described;
  choose_kv_dtype(model, *kv_dtype);
  const bool is_written =
      common.json ? write_summary(model, tensors) : print_summary(model, tensors);
  if (!is_written) return not_described;
  return summary->code;
}

}  // namespace

void add_inspect(Cli& cli) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App* verb = add_verb(cli, "inspect", "Describe a model and what it needs", kInspectExamples);
  CLI::Option* const devices = verb->add_flag(
      "--devices", options->devices, "List available devices, and why others are not available");
  verb->add_flag("--tune", options->tune,
                 "With --devices: measure the CPU's choices for each weight format anew")
      ->needs(devices);
  verb->add_option("--data", options->data,
                   "With --devices: folder of the chats, beside which the choices are kept")
      ->needs(devices);
  verb->add_flag("--tensors", options->tensors, "List every tensor");
  verb->callback(
      [&cli, options] { cli.action = [&cli, options] { return inspect(*options, cli.common); }; });
}

}  // namespace quire
