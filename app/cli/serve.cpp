#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "app/bundled_model.h"
#include "app/cli/cli_output.h"
#include "app/cli/confined_verb.h"
#include "app/cli/open_model.h"
#include "app/server/serve.h"
#include "engine/tuning_file.h"

namespace quire {
namespace {

constexpr const char* kServeExamples =
    "  quire-cli serve --model ~/models/qwen3-8b.gguf\n"
    "  quire-cli serve --model ~/models/a.gguf --model ~/models/b --idle-unload 30\n"
    "  QUIRE_API_KEY=... quire-cli serve --host 0.0.0.0";

struct ServeVerbOptions {
  ServeOptions serve;
  std::vector<std::string> models;
  std::string key;
  bool isQuiet = false;
};

/// The key of the option, or the environment's.
std::vector<std::string> keysOf(const ServeVerbOptions& options) {
  const char* const fromEnvironment = std::getenv("QUIRE_API_KEY");
  std::string key = options.key;
  if (key.empty() && fromEnvironment != nullptr) key = fromEnvironment;
  if (key.empty()) return {};
  return {key};
}

/// An empty key was meant to be another one: "$KEY" of a variable that is not set.
void check_key(const CLI::App& verb, const ServeVerbOptions& options) {
  const bool isGiven = verb.count("--api-key") > 0;
  if (isGiven && options.key.empty()) {
    usage_error("--api-key", "is empty; set a key, or leave the option out");
  }
  const char* const fromEnvironment = std::getenv("QUIRE_API_KEY");
  if (!isGiven && fromEnvironment != nullptr && *fromEnvironment == '\0') {
    usage_error("QUIRE_API_KEY", "is empty; set it to a key, or unset it");
  }
}

void sayReady(bool isJson, const std::string& url, const std::vector<std::string>& models) {
  if (isJson) return write_json({{"url", url}, {"models", models}});
  std::string names;
  for (const std::string& name : models) names += (names.empty() ? "" : ", ") + name;
  write_out(url + " serves " + names + ". Ctrl+C ends it.\n");
}

/// The same model twice would be offered under two names, and answer under one of them.
Result<void> check_models_differ(const std::vector<std::string>& models) {
  std::set<std::filesystem::path> seen;
  for (const std::string& model : models) {
    std::error_code unreadable;
    std::filesystem::path path = std::filesystem::weakly_canonical(model, unreadable);
    if (unreadable) path = model;
    if (!path.has_filename()) path = path.parent_path();  // It is given as a folder: "model/".
    if (seen.insert(path).second) continue;
    return Error{ErrorCode::kInvalidArgument,
                 "--model names " + model + " twice; name each model once."};
  }
  return {};
}

Result<int> run_serve(ServeVerbOptions& options, const CommonOptions& common) {
  ServeOptions& serve_options = options.serve;
  serve_options.models = options.models;
  if (serve_options.models.empty()) serve_options.models = {common.model_path()};
  if (const auto differ = check_models_differ(serve_options.models); !differ) {
    return differ.error();
  }
  for (const std::string& model : serve_options.models) {
    if (const auto tried = try_model(model); !tried) return tried.error();
  }
  if (!common.draft.empty()) {
    if (const auto tried = try_model(common.draft); !tried) return tried.error();
  }
  keep_cpu_tunings(default_tuning_path());
  const LlmOptions llm = common.llm_options();
  serve_options.backend = llm.backend;
  serve_options.engine = llm.engine;
  auto prefixes = open_prefix_cache(common.prefix_cache);
  if (!prefixes) return prefixes.error();
  serve_options.engine.prefix_store = std::move(*prefixes);
  serve_options.draft = common.draft;
  serve_options.bundledModel = bundled_model_path().string();
  serve_options.keys = keysOf(options);
  serve_options.ready = [isJson = common.json](const std::string& url,
                                               const std::vector<std::string>& models) {
    sayReady(isJson, url, models);
  };
  if (!options.isQuiet) serve_options.log = [](const std::string& line) { tell(line + "\n"); };
  if (const auto served = serve(serve_options); !served) return served.error();
  return 0;
}

}  // namespace

void add_serve(Cli& cli) {
  auto options = std::make_shared<ServeVerbOptions>();
  CLI::App* verb =
      add_verb(cli, "serve", "Serve models over HTTP, as OpenAI's API does", kServeExamples);
  verb->remove_option(verb->get_option("--model"));
  verb->add_option("-m,--model", options->models,
                   "Model folder or GGUF file (default: the bundled model). Repeat it to serve "
                   "several: the first is loaded at once, the others when they are asked")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false)
      ->group("Model and device");
  const std::string group = "Server";
  verb->add_option("--host", options->serve.host,
                   "Address to listen at (default: 127.0.0.1, this machine alone). Another one "
                   "needs a key")
      ->group(group);
  verb->add_option("--port", options->serve.port, "Port (default: 8000; 0: any free one)")
      ->transform(whole_number(0, 65535))
      ->group(group);
  verb->add_option("--api-key", options->key,
                   "Key that clients must send. Other users of this machine can see it in the "
                   "list of programs: better set QUIRE_API_KEY")
      ->group(group);
  verb->add_option("--max-requests", options->serve.maxRequests,
                   "Answers that are queued or computed at once (default: 256); more requests "
                   "are refused with 429")
      ->check(CLI::Range(1, 1 << 20))
      ->group(group);
  verb->add_option("--idle-unload", options->serve.idleMinutes,
                   "Unload a model after so many minutes without a request (default: 0, never)")
      ->check(CLI::Range(0, 1 << 20))
      ->group(group);
  verb->add_option("--cors-origin", options->serve.origins,
                   "Web pages that may ask, such as https://example.org (repeatable; needs a key)")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false)
      ->group(group);
  verb->add_flag("--quiet", options->isQuiet, "Print no line for each request")->group(group);
  add_speculation_options(*verb, cli.common);
  verb->callback([&cli, verb, options] {
    check_key(*verb, *options);
    cli.action = [&cli, options] { return run_serve(*options, cli.common); };
  });
}

}  // namespace quire
