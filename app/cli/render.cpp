#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/cli_output.h"
#include "app/cli/confined_verb.h"
#include "app/cli/open_model.h"
#include "engine/io/json_file.h"
#include "engine/io/read_file.h"

namespace quire {
namespace {

using Json = nlohmann::ordered_json;

struct RenderOptions {
  std::string template_file;  ///< Empty: the model's own.
  std::string input;
  std::string now;
  std::optional<std::chrono::local_seconds> time;
};

constexpr const char* kRenderExamples =
    "  quire-cli render --input chat.json      ({\"messages\": [...], ...}; - is stdin)\n"
    "  quire-cli render --template model.jinja --input chat.json --now \"2026-11-20 12:00:00\"";

Result<Json> parse_variables(const std::string& path, const std::string& content) {
  Result<Json> json = parse_input(content, path, kChatFileLimits);
  if (!json) return Error{json.error().code, json.error().message + "."};
  if (json->is_object()) return json;
  return Error{ErrorCode::kInvalidArgument,
               path + " must hold a JSON object with messages and the other variables."};
}

/// A file's size is checked before it is read; a pipe's is not known.
Result<std::string> read_template(const std::string& path) {
  constexpr size_t kMaxBytes = size_t{4} << 20;  // As the parser.
  std::error_code ignored;
  const bool is_file = path != "-" && std::filesystem::is_regular_file(path, ignored);
  const bool is_large = is_file && std::filesystem::file_size(path, ignored) > kMaxBytes;
  return is_large ? read_file(path, kMaxBytes) : read_input(path);
}

/// What the verb reads before it gives up its rights.
struct RenderInput {
  std::string variables;
  std::string source;  ///< Of --template.
};

Result<RenderInput> read_files(const RenderOptions& options) {
  Result<std::string> variables = read_input(options.input, kChatFileLimits.max_bytes);
  if (!variables) return variables.error();
  if (options.template_file.empty()) return RenderInput{std::move(*variables), {}};
  Result<std::string> source = read_template(options.template_file);
  if (!source) return source.error();
  return RenderInput{std::move(*variables), std::move(*source)};
}

/// Names the file of the template that an error is about.
Error in_template(const Error& error, const RenderOptions& options, const CommonOptions& common) {
  if (error.code != ErrorCode::kTemplate) return error;
  const bool is_models = options.template_file.empty();
  return {error.code,
          (is_models ? common.model_path() : options.template_file) + ": " + error.message};
}

Json segments_json(const RenderedPrompt& prompt) {
  Json segments = Json::array();
  for (const PromptSegment& segment : prompt.segments) {
    segments.push_back({{"text", segment.text}, {"is_input", segment.is_input}});
  }
  return {{"prompt", prompt.text()}, {"segments", std::move(segments)}};
}

Result<VerbOutput> rendered(const RenderInput& input, const RenderOptions& options,
                            const CommonOptions& common) {
  Result<Json> variables = parse_variables(options.input, input.variables);
  if (!variables) return variables.error();
  Result<ChatTemplate> chat_template = options.template_file.empty()
                                           ? open_chat_template(common, *variables)
                                           : ChatTemplate::compile(input.source);
  if (!chat_template) return in_template(chat_template.error(), options, common);
  Result<RenderedPrompt> prompt = chat_template->render(*variables, options.time);
  if (!prompt) return in_template(prompt.error(), options, common);
  return VerbOutput{common.json ? json_line(segments_json(*prompt)) : prompt->text()};
}

Result<int> render(const RenderOptions& options, const CommonOptions& common) {
  const Result<RenderInput> input = read_files(options);
  if (!input) return input.error();
  VerbInput limits = {.text_bytes = input->variables.size()};
  if (options.template_file.empty()) {
    limits.model = common.model_path();
  } else {
    limits.name = std::filesystem::path(options.template_file).filename().string();
  }
  return print_confined(limits, [&] { return rendered(*input, options, common); });
}

}  // namespace

void add_render(Cli& cli) {
  auto options = std::make_shared<RenderOptions>();
  CLI::App* verb = add_verb(cli, "render", "Render messages with a chat template", kRenderExamples);
  verb->add_option("--template", options->template_file,
                   "Jinja file (default: the model's template)");
  verb->add_option("--input", options->input, "A JSON object: messages and other variables")
      ->required();
  verb->add_option("--now", options->now, "Current time for the template");
  verb->callback([&cli, options] {
    if (!options->now.empty()) options->time = parse_time("--now", options->now);
    cli.action = [&cli, options] { return render(*options, cli.common); };
  });
}

}  // namespace quire
