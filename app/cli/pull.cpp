#include "app/hub/pull.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/cli_options.h"
#include "app/cli/cli_output.h"
#include "app/cli/pull_report.h"
#include "app/hub/hub_problem.h"
#include "platform/terminal.h"

namespace quire {
namespace {

constexpr int kStopped = 130;

constexpr const char* kPullExamples =
    "  quire-cli pull Qwen/Qwen3-8B-GGUF --list\n"
    "  quire-cli pull Qwen/Qwen3-8B-GGUF:Q4_K_M\n"
    "  quire-cli pull qwen3:8b\n"
    "  quire-cli pull --recommended\n"
    "  quire-cli pull --search \"qwen3 gguf\"\n"
    "Ctrl+C keeps what was downloaded: the same command continues. Exit codes: 0 done, 1 failed, "
    "2 wrong usage, 130 stopped.";

struct PullVerb {
  PullOptions options;
  std::string search;
  bool list = false;
  bool recommended = false;
  double limit = 0.0;      ///< MB/s.
  bool hasFolder = false;  ///< --folder was given.
};

/// CLI::Range lets "nan" pass, which is neither too small nor too large.
CLI::Validator a_number() {
  return {[](const std::string& text) {
            const double value = std::strtod(text.c_str(), nullptr);
            return std::isfinite(value) ? std::string() : "\"" + text + "\" is not a number";
          },
          "", "number"};
}

/// One line on a terminal, rewritten; elsewhere a line for every tenth and each failure.
class ProgressLine {
 public:
  ~ProgressLine() {
    if (m_isTerminal && m_isShown) std::fputs("\r\033[K", stderr);
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
  const bool m_isTerminal = platform::is_terminal(platform::Stream::kError);
  bool m_isShown = false;
  int m_tenth = -1;
  std::string m_error;
};

Result<int> search(const PullVerb& verb, const CommonOptions& common) {
  HubQuery query = verb.options.query;
  query.name = verb.search;
  const auto entries = searchModels(query);
  if (!entries) return entries.error();
  print_entries(*entries, common.json);
  return 0;
}

Result<int> list(const PullVerb& verb, const CommonOptions& common) {
  const auto listing = listModel(verb.options.query);
  if (!listing) return listing.error();
  print_listing(*listing, common.json);
  return 0;
}

Result<int> recommend(const PullVerb& verb, const CommonOptions& common) {
  const auto models = recommendedNow(verb.options.query, free_memory());
  if (!models) return models.error();
  print_recommended(*models, common.json);
  return 0;
}

/// What this program can do about an error whose sentence is for the window too.
std::string advice_for(const Error& error) {
  switch (problemOf(error)) {
    case HubProblem::kTargetDiffers:
    case HubProblem::kNoSpace:
    case HubProblem::kFolderNotWritable:
    case HubProblem::kNotMoved:
    case HubProblem::kNoFolder:
      return " (--folder names one)";
    case HubProblem::kNeedsConsent:
    case HubProblem::kTokenRefused:
      return " in HF_TOKEN";
    case HubProblem::kSeveralFiles:
      return " by adding a colon and its name";
    default:
      return {};
  }
}

/// What is wrong with the options, before anything is asked.
void check_usage(const PullVerb& verb) {
  const int numTasks = static_cast<int>(!verb.search.empty()) + static_cast<int>(verb.recommended) +
                       static_cast<int>(!verb.options.query.name.empty());
  if (numTasks == 0) usage_error("pull", "needs the name of a model, or --search with a text");
  if (numTasks > 1) usage_error("pull", "takes one of a name, --search and --recommended");
  if (verb.hasFolder && verb.options.folder.empty()) {
    usage_error("pull", "needs the name of a folder after --folder");
  }
  const auto checked = verb.options.query.name.empty() ? checkSearchQuery(verb.options.query)
                                                       : checkModelQuery(verb.options.query);
  if (!checked) usage_error("pull", checked.error().message);
}

Result<int> download(PullVerb& verb, const CommonOptions& common) {
  verb.options.bytesPerSecond = static_cast<int64_t>(verb.limit * 1e6);
  Result<PullResult> pulled = PullResult();
  {
    ProgressLine line;
    verb.options.progress = [&line](const PullProgress& progress) { line.show(progress); };
    pulled = pullModel(verb.options);
  }
  if (!pulled) return pulled.error();
  print_pulled(*pulled, common.json);
  return 0;
}

int pull(PullVerb& verb, const CommonOptions& common) {
  check_usage(verb);
  const auto run = !verb.search.empty() ? search(verb, common)
                   : verb.recommended   ? recommend(verb, common)
                   : verb.list          ? list(verb, common)
                                        : download(verb, common);
  if (run) return *run;
  const std::string sentence = run.error().message + advice_for(run.error());
  complain(sentence);
  if (common.json) print_failure(run.error(), sentence);
  return run.error().code == ErrorCode::kCancelled ? kStopped : 1;
}

}  // namespace

void add_pull(Cli& cli) {
  auto options = std::make_shared<PullVerb>();
  CLI::App* verb = add_verb(cli, "pull", "Download a model from Hugging Face or Ollama's registry",
                            kPullExamples);
  PullOptions& pull_options = options->options;
  const std::string group = "Download";
  verb->add_option("name", pull_options.query.name,
                   "org/repo, org/repo:TYPE, org/repo:FILE, or qwen3:8b for Ollama's registry");
  verb->add_flag("--list", options->list,
                 "Download nothing; show what there is, its size, and what fits this machine")
      ->group(group);
  verb->add_option("--search", options->search, "Search Hugging Face for models")->group(group);
  verb->add_flag("--recommended", options->recommended,
                 "Download nothing; show up to three models for the memory of this machine")
      ->group(group);
  CLI::Option* const folder =
      verb->add_option("--folder", pull_options.folder,
                       "Where models lie (default: the folder that the page Models searches, "
                       "~/.local/share/quire/models)");
  folder->group(group);
  verb->add_option("--endpoint", pull_options.query.endpoint,
                   "Address of a mirror (default for Hugging Face: HF_ENDPOINT)")
      ->group(group);
  verb->add_option("--limit", options->limit, "Use at most so many MB a second")
      ->check(CLI::Range(0.001, 1e6) & a_number())
      ->group(group);
  verb->add_flag("--projector", pull_options.hasProjector,
                 "Also get the encoder of images (mmproj), which Quire does not use yet")
      ->group(group);
  for (const char* unused : {"--model", "--device", "--threads", "--context", "--kv-dtype",
                             "--fast-batches", "--prefix-cache"}) {
    verb->get_option(unused)->group("");
  }
  verb->callback([&cli, options, folder] {
    options->hasFolder = folder->count() > 0;
    cli.action = [&cli, options] { return Result<int>(pull(*options, cli.common)); };
  });
}

}  // namespace quire
