#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/cli_output.h"
#include "app/cli/generate_input.h"
#include "app/cli/open_model.h"
#include "engine/chat/chat_prompt.h"

namespace quire {
namespace {

using Json = nlohmann::ordered_json;

struct GenerateOptions {
  GenerateInput input;
  SamplingOptions sampling;
  std::string tokens;
  int parallel = 1;
};

constexpr const char* kRule = "----";
constexpr const char* kGenerateExamples =
    "  quire-cli generate --prompt \"Once upon a time\" --max-tokens 64\n"
    "  quire-cli generate --chat --prompt \"What is the capital of France?\" --temperature 0\n"
    "  quire-cli generate --chat --prompt \"A name for a boat\" --parallel 8 --seed 1\n"
    "  quire-cli generate --messages chats.jsonl --json   (lines {\"messages\": [...]})";

/// Finds wrong combinations of options before a model is loaded.
void check_usage(CLI::App& verb, GenerateOptions& options) {
  GenerateInput& input = options.input;
  const bool has_tokens = verb.count("--tokens") > 0;
  if (input.prompt.has_value() + input.messages.has_value() + has_tokens != 1) {
    usage_error("generate", "needs one of --prompt, --messages or --tokens");
  }
  if (has_tokens) input.tokens = parse_token_ids("--tokens", options.tokens);
  if (has_tokens && input.chat) usage_error("--chat", "cannot be combined with --tokens");
  if (!input.system.empty() && (!input.chat || input.messages)) {
    usage_error("--system", "needs --chat and --prompt");
  }
  if (options.parallel > 1 && input.messages) {
    usage_error("--parallel",
                "cannot be combined with --messages, which are answered in parallel anyway");
  }
  const Result<void> valid = validate(options.sampling.for_model({}));
  if (!valid) usage_error("generate", valid.error().message);
}

/// Each request is a chat with an id: blocks without an owner are not saved to the --prefix-cache.
std::vector<Request> make_requests(const Prompts& prompts, const SamplingParams& params,
                                   int parallel) {
  std::vector<Request> requests;
  for (const Prompt& prompt : prompts) {
    for (int i = 0; i < parallel; ++i) {
      Request& request = requests.emplace_back();
      request.prompt = prompt.content.tokens;
      request.sampling = params;
      request.sampling.seed += static_cast<uint64_t>(i);
      request.chat = static_cast<int64_t>(requests.size());
      request.persona = prompt.persona;
      request.persona_tokens = prompt.content.persona_tokens;
      request.message_starts = prompt.content.message_starts;
    }
  }
  return requests;
}

Json usage_json(const RequestUsage& usage) {
  return {{"prompt_tokens", usage.prompt_tokens},     {"cached_tokens", usage.cached_tokens},
          {"disk_tokens", usage.disk_tokens},         {"swapped_tokens", usage.swapped_tokens},
          {"computed_tokens", usage.computed_tokens}, {"output_tokens", usage.output_tokens},
          {"drafted_tokens", usage.drafted_tokens},   {"accepted_tokens", usage.accepted_tokens},
          {"preemptions", usage.preemptions},         {"queue_ms", usage.queue_ms},
          {"ttft_ms", usage.first_token_ms},          {"total_ms", usage.total_ms},
          {"tokens_per_s", tokens_per_second(usage)}};
}

Json token_json(const TokenLogprob& token, const Tokenizer& tokenizer) {
  return {{"id", token.id}, {"token", tokenizer.token_piece(token.id)}, {"logprob", token.logprob}};
}

/// One object for each token: the sampled one, with the likeliest ones in "top".
Json logprobs_json(const Completion& completion, const Tokenizer& tokenizer) {
  Json list = Json::array();
  for (const std::vector<TokenLogprob>& token : completion.logprobs) {
    if (token.empty()) continue;
    Json entry = token_json(token.front(), tokenizer);
    entry["top"] = Json::array();
    for (size_t i = 1; i < token.size(); ++i) {
      entry["top"].push_back(token_json(token[i], tokenizer));
    }
    list.push_back(std::move(entry));
  }
  return list;
}

/// An answer as --json prints it: text, tokens, finish, error (if it failed), usage, logprobs (if
/// asked for), prompt_tokens.
Json completion_json(const Completion& completion, const std::vector<TokenId>& prompt,
                     const Tokenizer& tokenizer) {
  Json json = {{"text", completion.text},
               {"tokens", completion.tokens},
               {"finish", finish_reason_name(completion.finish)}};
  if (!completion.error.empty()) json["error"] = completion.error;
  json["usage"] = usage_json(completion.usage);
  if (!completion.logprobs.empty()) json["logprobs"] = logprobs_json(completion, tokenizer);
  json["prompt_tokens"] = prompt;
  return json;
}

/// Prints the answers in order and returns the exit code: 1 if an answer failed.
int print_answers(const std::vector<Completion>& answers, const std::vector<Request>& requests,
                  const Tokenizer& tokenizer, const CommonOptions& common) {
  int code = 0;
  const bool streamed = !common.json && answers.size() == 1;
  for (size_t i = 0; i < answers.size(); ++i) {
    const Completion& answer = answers[i];
    if (common.json) {
      write_json(completion_json(answer, requests[i].prompt, tokenizer));
    } else if (!streamed) {
      write_out((i ? std::string(kRule) + "\n" : "") + answer.text + "\n");
    }
    const std::string which =
        answers.size() == 1 ? std::string() : "Answer " + std::to_string(i + 1) + ": ";
    if (answer.finish == FinishReason::kContext) {
      complain(which + "The answer was cut because the context is full.");
    }
    if (answer.finish != FinishReason::kFailed) continue;
    code = 1;
    complain(which + answer.error);
  }
  return code;
}

Result<int> generate(const GenerateOptions& options, const CommonOptions& common) {
  Result<Llm> llm = open_llm(common);
  if (!llm) return llm.error();
  Result<Prompts> prompts = read_prompts(options.input, llm->model());
  if (!prompts) return prompts.error();
  SamplingParams params = options.sampling.for_model(llm->model().config);
  if (options.input.chat || options.input.messages) add_turn_stops(*llm->model().chat, params);
  const Result<AdapterId> adapter = chosen_adapter(*llm, common);
  if (!adapter) return adapter.error();
  std::vector<Request> requests = make_requests(*prompts, params, options.parallel);
  for (Request& request : requests) request.adapter = *adapter;
  const bool streams = !common.json && requests.size() == 1;
  const std::vector<Completion> answers =
      llm->generate(requests, [streams](size_t, const RequestEvent& event) {
        if (streams && !event.text.empty()) write_out(event.text);
        return true;
      });
  if (streams && answers.front().finish != FinishReason::kFailed) write_out("\n");
  return print_answers(answers, requests, *llm->model().chat->tokenizer, common);
}

}  // namespace

void add_generate(Cli& cli) {
  auto options = std::make_shared<GenerateOptions>();
  CLI::App* verb =
      add_verb(cli, "generate", "Answer one prompt or many in parallel", kGenerateExamples);
  GenerateInput& input = options->input;
  verb->add_option("-p,--prompt", input.prompt, "Text to continue; - reads stdin");
  verb->add_option("--messages", input.messages,
                   "File with one {\"messages\": [...]} per line, at most 100,000, answered in "
                   "parallel; - reads stdin");
  verb->add_option("--tokens", options->tokens, "Prompt as token ids: 1,2,3");
  verb->add_flag("--chat", input.chat,
                 "Treat the prompt as a user message, in the model's chat template");
  verb->add_option("--system", input.system, "System prompt for --chat");
  verb->add_option("--parallel", options->parallel,
                   "Number of answers, with seeds counting up from --seed")
      ->check(CLI::Range(1, 4096));
  add_adapter_option(*verb, cli.common);
  add_speculation_options(*verb, cli.common);
  add_sampling_options(*verb, options->sampling);
  verb->callback([&cli, verb, options] {
    check_usage(*verb, *options);
    if (options->sampling.params.num_logprobs > 0 && !cli.common.json) {
      usage_error("--logprobs", "needs --json, which prints them");
    }
    cli.action = [&cli, options] { return generate(*options, cli.common); };
  });
}

}  // namespace quire
