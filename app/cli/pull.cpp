#include "app/hub/pull.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/cli_options.h"
#include "app/cli/cli_output.h"
#include "app/cli/pull_report.h"

namespace quire {
namespace {

constexpr int kStopped = 130;

constexpr const char* kPullExamples =
    "  quire-cli pull Qwen/Qwen3-8B-GGUF --list\n"
    "  quire-cli pull Qwen/Qwen3-8B-GGUF:Q4_K_M\n"
    "  quire-cli pull qwen3:8b\n"
    "  quire-cli pull --search \"qwen3 gguf\"\n"
    "Ctrl+C keeps what came: the same command goes on. Exit codes: 0 done, 1 failed, 2 wrong "
    "usage, "
    "130 stopped.";

struct PullVerb {
  PullOptions options;
  std::string search;
  bool list = false;
  double limit = 0.0;  ///< MB/s.
};

/// One line on a terminal, rewritten; elsewhere a line for every tenth and each failure.
class ProgressLine {
 public:
  ~ProgressLine() {
    if (m_isTerminal && m_isShown) tell("\r\033[K");
  }
  void show(const PullProgress& progress) {
    const int64_t total = std::max<int64_t>(progress.totalBytes, 1);
    const int tenth = static_cast<int>(progress.bytes * 10 / total);
    const bool isNews = tenth != m_tenth || progress.error != m_error;
    m_tenth = tenth;
    m_error = progress.error;
    if (!m_isTerminal && !isNews) return;
    m_isShown = true;
    const std::string line = progress_text(progress);
    std::fprintf(stderr, m_isTerminal ? "\r\033[K%s" : "%s\n", visible_line(line).c_str());
  }

 private:
  const bool m_isTerminal = isatty(STDERR_FILENO) == 1;
  bool m_isShown = false;
  int m_tenth = -1;
  std::string m_error;
};

Result<int> search(const PullVerb& verb, const CommonOptions& common) {
  PullHub hub = verb.options.hub;
  hub.name = verb.search;
  const auto entries = searchModels(hub);
  if (!entries) return entries.error();
  print_entries(*entries, common.json);
  return 0;
}

Result<int> list(const PullVerb& verb, const CommonOptions& common) {
  const auto listing = listModel(verb.options.hub);
  if (!listing) return listing.error();
  print_listing(*listing, common.json);
  return 0;
}

Result<int> pull(PullVerb& verb, const CommonOptions& common) {
  if (!verb.search.empty()) return search(verb, common);
  if (verb.options.hub.name.empty()) {
    usage_error("pull", "needs the name of a model, or --search with a text");
  }
  if (verb.list) return list(verb, common);
  verb.options.bytesPerSecond = static_cast<int64_t>(verb.limit * 1e6);
  Result<PullResult> pulled = PullResult();
  {
    ProgressLine line;
    verb.options.progress = [&line](const PullProgress& progress) { line.show(progress); };
    pulled = pullModel(verb.options);
  }
  if (!pulled) {
    complain(pulled.error().message);
    return pulled.error().code == ErrorCode::kCancelled ? kStopped : 1;
  }
  print_pulled(*pulled, common.json);
  return 0;
}

}  // namespace

void add_pull(Cli& cli) {
  auto options = std::make_shared<PullVerb>();
  CLI::App* verb = add_verb(cli, "pull", "Download a model from Hugging Face or Ollama's registry",
                            kPullExamples);
  PullOptions& pull_options = options->options;
  const std::string group = "Download";
  verb->add_option("name", pull_options.hub.name,
                   "org/repo, org/repo:TYPE, org/repo:FILE, or qwen3:8b for Ollama's registry");
  verb->add_flag("--list", options->list,
                 "Download nothing; show what there is, its size, and what fits this machine")
      ->group(group);
  verb->add_option("--search", options->search, "Search Hugging Face for models")->group(group);
  verb->add_option("--folder", pull_options.folder,
                   "Where models lie (default: the folder that the page Models searches, "
                   "~/.local/share/quire/models)")
      ->group(group);
  verb->add_option("--endpoint", pull_options.hub.endpoint,
                   "Address of a mirror (default for Hugging Face: HF_ENDPOINT)")
      ->group(group);
  verb->add_option("--limit", options->limit, "Use at most so many MB a second")
      ->check(CLI::Range(0.001, 1e6))
      ->group(group);
  verb->add_flag("--projector", pull_options.hasProjector,
                 "Also get the encoder of images (mmproj), which Quire does not use yet")
      ->group(group);
  for (const char* unused : {"--model", "--device", "--threads", "--context", "--kv-dtype",
                             "--fast-batches", "--prefix-cache"}) {
    verb->get_option(unused)->group("");
  }
  verb->callback(
      [&cli, options] { cli.action = [&cli, options] { return pull(*options, cli.common); }; });
}

}  // namespace quire
