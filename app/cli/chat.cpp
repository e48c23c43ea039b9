#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/bundled_model.h"
#include "app/cli/cli_output.h"
#include "app/cli/open_model.h"
#include "app/cli/state_report.h"
#include "engine/chat/context_window.h"
#include "kernels/base/visible_text.h"
#include "platform/terminal.h"

namespace quire {
namespace {

struct ChatOptions {
  std::string system;
  SamplingOptions sampling;
};

constexpr size_t kMaxLineBytes = size_t{1} << 20;  ///< A device may have no line end.
constexpr const char* kChatExamples =
    "  quire-cli chat\n"
    "  quire-cli chat --system \"You answer in one sentence.\" --temperature 0.7\n"
    "  printf 'What is the capital of France?\\n' | quire-cli chat";
constexpr const char* kHelp =
    "  /new          start a new chat\n"
    "  /system TEXT  set the system prompt (without TEXT: remove it) and start a new chat\n"
    "  /stats        show statistics for the last answer and the engine's memory\n"
    "  /quit         leave (or Ctrl+D)\n"
    "Ctrl+C stops an answer.\n";

/// Set by Ctrl+C, cleared when an answer or a line begins.
std::atomic<bool> interrupted{false};

/// A conversation in the terminal: lines in, streamed answers out.
/// Thread: one. Invariants: m_messages alternate user and assistant after the system prompt.
class Conversation {
 public:
  Conversation(Llm& llm, AdapterId adapter, SamplingParams sampling, std::string system)
      : m_llm(llm),
        m_adapter(adapter),
        m_sampling(std::move(sampling)),
        m_system(std::move(system)) {
    begin_again();
  }

  /// Returns the exit code: with a terminal 0, else 1 if an answer failed.
  int run();

 private:
  /// False when the user leaves.
  bool handle(const std::string& line);
  bool handle_command(const std::string& line);
  void answer(const std::string& question);
  Result<FittedChat> fit();
  Request request_for(FittedChat fitted);
  void say_left_out(int messages);
  void keep_answer(const Completion& completion);
  void begin_again();
  void show_stats() const;
  std::optional<std::string> read_line();

  Llm& m_llm;
  AdapterId m_adapter;
  SamplingParams m_sampling;
  std::string m_system;
  std::vector<ChatMessage> m_messages;
  RequestUsage m_last;
  int64_t m_chat = 0;     ///< The number of the chat, a key of the engine's cache.
  int64_t m_persona = 1;  ///< The number of the system prompt, as above.
  int m_left_out = 0;     ///< Messages that the last prompt left out.
  bool m_is_terminal = platform::is_terminal(platform::Stream::kInput);
  bool m_failed = false;
};

void Conversation::begin_again() {
  m_messages.clear();
  ++m_chat;
  m_left_out = 0;
  if (!m_system.empty()) m_messages.push_back({"system", m_system, {}});
}

/// Nothing at the end of the input; an empty line if Ctrl+C interrupts the read.
std::optional<std::string> Conversation::read_line() {
  if (m_is_terminal) tell("> ");
  errno = 0;
  std::string line;
  int c = 0;
  while ((c = std::getc(stdin)) != EOF && c != '\n' && line.size() < kMaxLineBytes) {
    line += static_cast<char>(c);
  }
  if (c == EOF && errno == EINTR) {
    std::clearerr(stdin);
    tell("\n(/quit leaves)\n");
    return std::string();
  }
  if (c == EOF && line.empty()) return {};
  if (line.size() == kMaxLineBytes) {
    m_failed = true;
    complain("A line of the input is longer than 1 MiB; the chat ends here.");
    return {};
  }
  while (line.ends_with('\r')) line.pop_back();
  return line;
}

int Conversation::run() {
  while (const std::optional<std::string> line = read_line()) {
    if (!handle(*line)) break;
  }
  return m_failed && !m_is_terminal ? 1 : 0;
}

bool Conversation::handle(const std::string& line) {
  if (line.find_first_not_of(" \t") == line.npos) return true;
  if (line.starts_with('/')) return handle_command(line);
  answer(line);
  return true;
}

bool Conversation::handle_command(const std::string& line) {
  const std::string name = line.substr(0, line.find(' '));
  const size_t argument = line.find_first_not_of(' ', name.size());
  if (name == "/quit") return false;
  if (name == "/help") {
    tell(kHelp);
  } else if (name == "/stats") {
    show_stats();
  } else if (name == "/new") {
    begin_again();
    tell("A new chat.\n");
  } else if (name == "/system") {
    m_system = argument == line.npos ? "" : line.substr(argument);
    ++m_persona;
    begin_again();
    tell(m_system.empty() ? "A new chat without a system prompt.\n"
                          : "A new chat with that system prompt.\n");
  } else {
    tell("Unknown command " + name + "; type /help for a list.\n");
  }
  return true;
}

Result<FittedChat> Conversation::fit() {
  const int context = m_llm.engine().max_context();
  Result<FittedChat> fitted = fit_chat(*m_llm.model().chat, m_messages, context);
  if (fitted && !fitted->fits) return overflow_error(*fitted, context);
  return fitted;
}

Request Conversation::request_for(FittedChat fitted) {
  Request request;
  request.prompt = std::move(fitted.prompt.tokens);
  request.sampling = m_sampling;
  request.adapter = m_adapter;
  request.chat = m_chat;
  request.persona = m_system.empty() ? 0 : m_persona;
  request.persona_tokens = fitted.prompt.persona_tokens;
  request.message_starts = std::move(fitted.prompt.message_starts);
  add_turn_stops(*m_llm.model().chat, request.sampling);
  ++m_sampling.seed;
  return request;
}

void Conversation::say_left_out(int messages) {
  if (messages > m_left_out) {
    tell("(leaving out the " + std::to_string(messages) +
         " oldest messages: the context is limited to " +
         std::to_string(m_llm.engine().max_context()) + " tokens)\n");
  }
  m_left_out = messages;
}

void Conversation::answer(const std::string& question) {
  m_messages.push_back({"user", question, {}});
  Result<FittedChat> fitted = fit();
  if (!fitted) {
    m_failed = true;
    complain(fitted.error().message);
    m_messages.pop_back();
    return;
  }
  say_left_out(fitted->dropped_messages);
  interrupted = false;
  std::vector<Request> requests;
  requests.push_back(request_for(std::move(*fitted)));
  const std::vector<Completion> answers = m_llm.generate(
      std::move(requests),
      [](size_t, const RequestEvent& event) {
        if (!event.text.empty()) write_out(event.text);
        return true;
      },
      [] { return !interrupted; });
  keep_answer(answers.front());
}

void Conversation::keep_answer(const Completion& completion) {
  m_last = completion.usage;
  if (completion.finish == FinishReason::kFailed) {
    m_failed = true;
    complain(completion.error);
    if (m_messages.size() > 2) tell("(type /new to start a new chat)\n");
    m_messages.pop_back();
    return;
  }
  write_out("\n");
  if (completion.finish == FinishReason::kCancelled) tell("(stopped)\n");
  if (completion.finish == FinishReason::kContext) tell("(cut: the context is full)\n");
  if (completion.finish == FinishReason::kLength) tell("(cut at --max-tokens)\n");
  // The sampled tokens go into the next prompt unchanged, except for end tokens, which the template
  // writes.
  std::vector<TokenId> tokens = completion.tokens;
  const std::vector<int32_t>& ends = m_llm.model().config.end_tokens;
  while (!tokens.empty() && std::find(ends.begin(), ends.end(), tokens.back()) != ends.end()) {
    tokens.pop_back();
  }
  m_messages.push_back({"assistant", completion.text, std::move(tokens)});
}

void Conversation::show_stats() const {
  const EngineStats stats = m_llm.engine().stats();
  char text[400];
  std::snprintf(text, sizeof text,
                "last answer: %d prompt tokens, %d cached; %d tokens generated, first after "
                "%.0f ms, then %.1f tokens/s\n",
                m_last.prompt_tokens, m_last.cached_tokens, m_last.output_tokens,
                m_last.first_token_ms, tokens_per_second(m_last));
  tell(text);
  const uint64_t pool_bytes = static_cast<uint64_t>(stats.total_blocks) * stats.bytes_per_block +
                              static_cast<uint64_t>(stats.total_windows) * stats.bytes_per_window;
  std::snprintf(text, sizeof text,
                "engine: %d-token context; %d of %d KV cache blocks in use (%s in total)\n",
                m_llm.engine().max_context(), stats.used_blocks + stats.cached_blocks,
                stats.total_blocks, format_bytes(pool_bytes).c_str());
  tell(text);
  const std::string states = states_text(states_json(stats));
  if (!states.empty()) tell("states: " + states + "\n");
}

void greet(Llm& llm, const CommonOptions& common) {
  const bool bundled = is_bundled_model(common.model_path());
  const std::string about =
      bundled
          ? ", the small demo model included with Quire. Its answers are limited and often wrong; "
            "use --model to load another one.\n"
          : ".\n";
  const std::string text = "Model: " + visible_text(llm.model().config.name) + " on " +
                           llm.backend().info().description + about + "/help lists the commands.\n";
  tell(text);
  const std::string reason = llm.gpu_reason();
  if (!reason.empty()) tell("Not using a GPU: " + reason + "\n");
  const std::string& standard = llm.model().chat->default_template_name;
  if (standard.empty()) return;
  tell(standard == "plain"
           ? "The model has no chat template, so the chat is written as plain text. It may be a "
             "model that only continues text.\n"
           : "The model has no chat template; by its special tokens Quire uses " + standard +
                 ".\n");
}

Result<int> chat(const ChatOptions& options, const CommonOptions& common) {
  Result<Llm> llm = open_llm(common, 1);
  if (!llm) return llm.error();
  const Result<AdapterId> adapter = chosen_adapter(*llm, common);
  if (!adapter) return adapter.error();
  platform::flag_interrupts(interrupted, /*only_first=*/false);
  greet(*llm, common);
  Conversation conversation(*llm, *adapter, options.sampling.for_model(llm->model().config),
                            options.system);
  return conversation.run();
}

}  // namespace

void add_chat(Cli& cli) {
  auto options = std::make_shared<ChatOptions>();
  CLI::App* verb = add_verb(cli, "chat", "Chat with a model in the terminal", kChatExamples);
  verb->add_option("--system", options->system, "The system prompt");
  add_adapter_option(*verb, cli.common);
  add_speculation_options(*verb, cli.common);
  add_sampling_options(*verb, options->sampling);
  verb->callback([&cli, options] {
    const Result<void> valid = validate(options->sampling.for_model({}));
    if (!valid) usage_error("chat", valid.error().message);
    if (options->sampling.params.num_logprobs > 0) {
      usage_error("--logprobs", "is printed by generate --json");
    }
    if (cli.common.json) usage_error("--json", "is not available in chat; use generate");
    cli.action = [&cli, options] { return chat(*options, cli.common); };
  });
}

}  // namespace quire
