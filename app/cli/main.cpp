#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <new>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/cli/cli_options.h"
#include "app/cli/cli_output.h"
#include "engine/io/text.h"
#include "platform/terminal.h"

namespace quire {
namespace {

constexpr int kFailure = 1;
constexpr int kUsageError = 2;

constexpr const char* kDescription =
    "quire-cli runs language models on this machine, from the terminal or a script.\n"
    "Without --model it uses the small demonstration model that comes with Quire.";
constexpr const char* kMainExamples =
    "Examples:\n"
    "  quire-cli chat\n"
    "  quire-cli generate --chat --prompt \"What is the capital of France?\"\n"
    "  quire-cli inspect --model ~/models/llama\n"
    "`quire-cli COMMAND --help` shows a command's options. Exit codes: 0 done, 1 failed, 2 wrong "
    "usage.";

/// How many letters must be changed, added or removed to make one word the other.
size_t num_changes(std::string_view from, std::string_view to) {
  std::vector<size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < from.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i + 1);
    for (size_t j = 0; j < to.size(); ++j) {
      const size_t replaced = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

/// The command whose name is nearest, or begins in the same way; empty: none is near.
std::string nearest_command(const CLI::App& program, const std::string& name) {
  std::string nearest;
  size_t least = name.size() < 4 ? 2 : 3;  // As many changes as are too many.
  for (const CLI::App* verb : program.get_subcommands({})) {
    const bool begins_so = name.size() > 2 && verb->get_name().starts_with(name);
    const size_t changes = begins_so ? 0 : num_changes(name, verb->get_name());
    if (changes >= least) continue;
    least = changes;
    nearest = verb->get_name();
  }
  return nearest;
}

/// What to say of arguments that no command has taken; empty: the parser's own words will do.
std::string unknown_command(const CLI::App& program) {
  constexpr size_t kMaxName = 40;
  if (!program.get_subcommands().empty()) return {};
  const std::vector<std::string> rest = program.remaining();
  const auto name = std::ranges::find_if(rest, [](const std::string& one) {
    return !one.empty() && one.size() <= kMaxName && one.front() != '-';
  });
  if (name == rest.end()) return {};
  const std::string nearest = nearest_command(program, *name);
  return "there is no command \"" + for_message(*name) + "\"" +
         (nearest.empty() ? std::string() : "; did you mean \"" + nearest + "\"?");
}

/// Sets cli.action, or returns the exit code if the program ends here: after --help, or for a wrong
/// option.
int parse(Cli& cli, std::vector<std::string> arguments) {
  try {
    cli.program.parse(std::move(arguments));
    if (cli.action) return 0;
    complain("missing command, for example: quire-cli chat (see quire-cli --help)");
    return kUsageError;
  } catch (const CLI::Success& asked) {
    cli.program.exit(asked);
    return 0;
  } catch (const CLI::ParseError& error) {
    const std::string unknown = unknown_command(cli.program);
    complain((unknown.empty() ? error.what() : unknown) + " (see quire-cli --help)");
    return kUsageError;
  }
}

int run(const Action& action) {
  try {
    Result<int> code = action();
    if (code) return *code;
    complain(code.error().message);
  } catch (const CLI::ParseError& error) {
    complain(error.what());
    return kUsageError;
  } catch (const std::bad_alloc&) {
    complain("Out of memory.");
  } catch (const std::exception& error) {
    complain(std::string("Internal error: ") + error.what());
  }
  return kFailure;
}

int run_program(int argc, char** argv) {
  // A closed pipe is then an error of write_out, which ends the program quietly.
  std::vector<std::string> arguments = platform::prepare_program(argc, argv);
  CLI::App program(kDescription, "quire-cli");
  program.footer(kMainExamples);
  program.set_version_flag("--version", "quire-cli " QUIRE_VERSION);
  program.require_subcommand(0, 1);
  Cli cli{program, {}, {}};
  add_common_options(program, cli.common);
  for (const auto add :
       {add_generate, add_chat, add_tokenize, add_detokenize, add_render, add_logits, add_embed,
        add_inspect, add_perplexity, add_quantize, add_bench}) {
    add(cli);
  }
#ifdef QUIRE_HAS_STORE
  add_replay(cli);
  add_serve(cli);
  add_batch(cli);
  add_pull(cli);
#endif
  // CLI11 takes them from the end, without the program's own name.
  if (!arguments.empty()) arguments.erase(arguments.begin());
  std::reverse(arguments.begin(), arguments.end());
  const int code = parse(cli, std::move(arguments));
  if (!cli.action || code != 0) return code;
  const int result = run(cli.action);
  finish_out();
  return result;
}

}  // namespace
}  // namespace quire

int main(int argc, char** argv) {
  return quire::run_program(argc, argv);
}
