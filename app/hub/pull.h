#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kernels/base/result.h"

namespace quire {

/// Downloads for programs without Qt. Each function starts an event loop of its own, in the
/// program's first thread; a program calls one of them, once.

/// What is asked of a hub, and how.
struct HubQuery {
  std::string name;      ///< As readHubName() reads it; for a search the text.
  std::string endpoint;  ///< Of the hub; empty: its own, or HF_ENDPOINT for Hugging Face.
  std::string token;     ///< Empty: of HF_TOKEN, or where the Hugging Face libraries keep it.
};

/// Whether there is something to ask. Errors: kInvalidArgument for what is no name of a model or no
/// address of a hub. Nothing is sent.
Result<void> checkModelQuery(const HubQuery& query);
Result<void> checkSearchQuery(const HubQuery& query);

/// A model that a search found.
struct PullEntry {
  std::string name;
  int64_t downloads = 0;
  std::string license;
  bool isGated = false;
};
/// The models that match the text, the most downloaded first.
Result<std::vector<PullEntry>> searchModels(const HubQuery& query);

/// A file, a set of files or a folder that can be downloaded.
struct PullChoice {
  std::string label;  ///< What chooses it, after a colon.
  std::string type;   ///< "Q4_K_M"; empty: not known.
  int64_t bytes = 0;
  int64_t numFiles = 0;
};
/// A model with its choices.
struct PullListing {
  std::string hub;
  std::string name;
  std::string license;
  std::string page;
  bool isGated = false;
  std::vector<PullChoice> choices;
};
/// Everything that can be downloaded of a model, whatever the name chooses.
Result<PullListing> listModel(const HubQuery& query);

/// A model for this machine, and what its hub says of it now.
struct PullRecommendation {
  std::string name;
  std::string title;
  std::string summary;
  std::string license;
  std::string asOf;  ///< "2026-11-26", of the data.
  std::string type;  ///< Of the file.
  int64_t bytes = 0;
  std::string whyNot;  ///< Why it cannot be offered; empty: the hub confirmed it.
};
/// The recommended models that fit so much memory, the smallest first. Errors: kCancelled.
Result<std::vector<PullRecommendation>> recommendedNow(const HubQuery& query, int64_t freeBytes);

/// How far a download is.
struct PullProgress {
  std::string title;
  int64_t bytes = 0;
  int64_t totalBytes = 0;
  int64_t bytesPerSecond = 0;
  bool isChecking = false;  ///< Reads what is on the disk.
  std::string error;        ///< Why it waits; empty: it does not.
  int64_t retryInMs = 0;
};
/// What to download, and where to.
struct PullOptions {
  HubQuery query;
  std::string folder;  ///< Empty: the one that the page Models searches.
  bool hasProjector = false;
  int64_t bytesPerSecond = 0;  ///< 0: no limit.
  /// At most ten times a second.
  std::function<void(const PullProgress& progress)> progress = {};
};
/// A model that is there now.
struct PullResult {
  std::string path;
  std::string license;
  int64_t bytes = 0;
  bool wasThere = false;
};
/// Downloads a model, or verifies one that is there. Errors: kCancelled after SIGINT or SIGTERM,
/// when what was downloaded is kept; those of the hub, the network and the disk.
Result<PullResult> pullModel(const PullOptions& options);

}  // namespace quire
