#include "app/cli/pull_report.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/cli_output.h"
#include "app/hub/hub_problem.h"
#include "app/hub/machine_fit.h"
#include "engine/tuning_file.h"
#include "kernels/base/visible_text.h"

namespace quire {
namespace {

using Json = nlohmann::ordered_json;

std::string size_text(int64_t bytes) {
  return format_bytes(static_cast<uint64_t>(std::max<int64_t>(bytes, 0)));
}

std::string duration_text(int64_t seconds) {
  if (seconds < 90) return std::to_string(seconds) + " s";
  if (seconds < 90 * 60) return std::to_string((seconds + 30) / 60) + " min";
  return std::to_string((seconds + 1800) / 3600) + " h";
}

/// With the choices that the tuner keeps beside the chats.
MachineAbility this_machine() {
  keep_cpu_tunings(default_tuning_path());
  return MachineAbility::find();
}

std::string fit_text(MachineFit fit) {
  switch (fit) {
    case MachineFit::kGpu:
      return "fits the GPU";
    case MachineFit::kMemory:
      return "fits memory";
    case MachineFit::kMemoryAndGpu:
      return "fits memory and GPU";
    case MachineFit::kUnknown:
    case MachineFit::kTooLarge:
      break;
  }
  return "too large";
}

std::string speed_text(double tokens) {
  if (tokens <= 0.0) return "not measured yet";
  char text[48];
  std::snprintf(text, sizeof text, tokens < 10.0 ? "%.1f tokens/s" : "%.0f tokens/s", tokens);
  return text;
}

/// The kinds that a script may want to tell apart.
const char* kind_of(const Error& error) {
  switch (problemOf(error)) {
    case HubProblem::kTargetDiffers:
      return "target_differs";
    case HubProblem::kNoSpace:
      return "no_space";
    case HubProblem::kFolderNotWritable:
    case HubProblem::kNotMoved:
    case HubProblem::kNoFolder:
      return "folder";
    case HubProblem::kNeedsConsent:
      return "needs_consent";
    case HubProblem::kTokenRefused:
      return "token_refused";
    case HubProblem::kSeveralFiles:
      return "several_files";
    case HubProblem::kNotAModel:
      return "not_a_model";
    case HubProblem::kOther:
      break;
  }
  if (error.code == ErrorCode::kCancelled) return "stopped";
  return error.code == ErrorCode::kNotFound ? "not_found" : "other";
}

Json listing_json(const PullListing& listing, const MachineAbility& machine) {
  Json choices = Json::array();
  for (const PullChoice& choice : listing.choices) {
    choices.push_back(
        {{"choice", choice.label},
         {"type", choice.type},
         {"bytes", choice.bytes},
         {"files", choice.numFiles},
         {"needed_bytes", needed_bytes(choice.bytes)},
         {"fit", fit_text(machine.fit(choice.bytes))},
         {"cpu_tokens_per_second", machine.tokens_per_second(choice.type, choice.bytes)}});
  }
  return {{"hub", listing.hub},       {"name", listing.name}, {"license", listing.license},
          {"gated", listing.isGated}, {"page", listing.page}, {"choices", std::move(choices)}};
}

std::string license_text(const std::string& license) {
  return license.empty() ? "licence: not stated" : "licence: " + visible_line(license);
}

std::string padded(const std::string& text, size_t width) {
  return text + std::string(text.size() < width ? width - text.size() : 1, ' ');
}

/// One word of a POSIX shell, whatever it holds: the names of files come from a hub.
std::string shell_word(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

}  // namespace

std::string visible_line(const std::string& text) {
  return visible_text(text, "");
}

std::string progress_text(const PullProgress& progress) {
  const int64_t total = std::max<int64_t>(progress.totalBytes, 1);
  if (progress.totalBytes == 0 && !progress.error.empty()) {
    return progress.title + ": waits " + duration_text((progress.retryInMs + 999) / 1000) +
           " because " + progress.error;
  }
  std::string text = progress.title + ": " + std::to_string(progress.bytes * 100 / total) +
                     "% of " + size_text(progress.totalBytes);
  if (!progress.error.empty()) {
    return text + ", waits " + duration_text((progress.retryInMs + 999) / 1000) + " because " +
           progress.error;
  }
  if (progress.isChecking) return text + ", checks what is there";
  if (progress.bytesPerSecond <= 0) return text;
  const int64_t left = (progress.totalBytes - progress.bytes) / progress.bytesPerSecond;
  return text + ", " + size_text(progress.bytesPerSecond) + "/s, " + duration_text(left) + " left";
}

void print_entries(const std::vector<PullEntry>& entries, bool as_json) {
  if (entries.empty() && !as_json) tell("Nothing was found; try other words.\n");
  for (const PullEntry& entry : entries) {
    if (as_json) {
      write_json({{"name", entry.name},
                  {"downloads", entry.downloads},
                  {"license", entry.license},
                  {"gated", entry.isGated}});
      continue;
    }
    write_out(padded(visible_line(entry.name), 56) + format_count(entry.downloads) +
              " downloads, " + license_text(entry.license) +
              (entry.isGated ? ", asks for consent" : "") + "\n");
  }
}

void print_listing(const PullListing& listing, bool as_json) {
  const MachineAbility machine = this_machine();
  if (as_json) return write_json(listing_json(listing, machine));
  write_out(visible_line(listing.name) + " (" + listing.hub + "), " +
            license_text(listing.license) +
            (listing.isGated ? "; asks for consent: " + visible_line(listing.page) : "") + "\n");
  if (listing.choices.empty()) {
    write_out("It has neither a GGUF file nor a complete folder of safetensors.\n");
  }
  for (const PullChoice& choice : listing.choices) {
    const std::string files =
        choice.numFiles > 1 ? " in " + std::to_string(choice.numFiles) + " files" : "";
    write_out("  " + padded(visible_line(choice.label), 24) +
              padded(size_text(choice.bytes) + files, 22) +
              padded(fit_text(machine.fit(choice.bytes)), 22) +
              speed_text(machine.tokens_per_second(choice.type, choice.bytes)) + "\n");
  }
  if (machine.formats.empty()) {
    write_out("quire-cli inspect --devices --tune measures what the speed depends on.\n");
  }
}

int64_t free_memory() {
  const MachineAbility machine = this_machine();
  return std::max(machine.gpu_bytes, machine.host_bytes);
}

void print_recommended(const std::vector<PullRecommendation>& models, bool as_json) {
  const MachineAbility machine = this_machine();
  if (models.empty() && !as_json) tell("This machine has too little free memory for a model.\n");
  for (const PullRecommendation& model : models) {
    if (!model.whyNot.empty()) {
      tell("Left out: " + visible_line(model.title) + ", because " + visible_line(model.whyNot) +
           "\n");
      continue;
    }
    const double speed = machine.tokens_per_second(model.type, model.bytes);
    if (as_json) {
      write_json({{"name", model.name},
                  {"title", model.title},
                  {"summary", model.summary},
                  {"license", model.license},
                  {"as_of", model.asOf},
                  {"bytes", model.bytes},
                  {"fit", fit_text(machine.fit(model.bytes))},
                  {"cpu_tokens_per_second", speed}});
      continue;
    }
    write_out(visible_line(model.title) + ", " + size_text(model.bytes) + ", " +
              license_text(model.license) + ", " + fit_text(machine.fit(model.bytes)) + ", " +
              speed_text(speed) + "\n  " + visible_line(model.summary) + "\n  quire-cli pull " +
              visible_line(model.name) + "\n");
  }
  if (!models.empty() && !as_json) {
    tell("Recommended on " + models.front().asOf + "; sizes and licences as of today.\n");
  }
}

void print_failure(const Error& error, const std::string& sentence) {
  write_json({{"error", {{"kind", kind_of(error)}, {"message", sentence}}}});
}

void print_pulled(const PullResult& result, bool as_json) {
  if (as_json) {
    return write_json({{"path", result.path},
                       {"bytes", result.bytes},
                       {"license", result.license},
                       {"was_there", result.wasThere}});
  }
  write_out(result.path + "\n");
  tell((result.wasThere ? "It was there already, and is what the hub has"
                        : "Downloaded and verified") +
       std::string(": ") + size_text(result.bytes) + ", " + license_text(result.license) +
       ". Try it: quire-cli chat --model " + shell_word(result.path) + "\n");
}

}  // namespace quire
