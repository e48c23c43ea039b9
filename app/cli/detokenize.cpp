#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/cli_output.h"
#include "app/cli/open_model.h"
#include "app/cli/verbs.h"

namespace quire {
namespace {

struct DetokenizeOptions {
  std::vector<std::string> ids;
  bool special = false;
};

constexpr const char* kDetokenizeExamples =
    "  quire-cli detokenize 17 204 99\n"
    "  echo -n \"Hello\" | quire-cli tokenize | quire-cli detokenize";

/// The ids of the command line, or else of stdin.
Result<std::vector<TokenId>> read_ids(const DetokenizeOptions& options) {
  std::string text;
  for (const std::string& part : options.ids) text += part + " ";
  if (options.ids.empty()) {
    Result<std::string> input = read_input("-");
    if (!input) return input.error();
    text = std::move(*input);
  }
  return parse_token_ids("detokenize", text);
}

Result<int> detokenize(const DetokenizeOptions& options, const CommonOptions& common) {
  Result<std::vector<TokenId>> ids = read_ids(options);
  if (!ids) return ids.error();
  Result<std::unique_ptr<Tokenizer>> tokenizer = open_tokenizer(common);
  if (!tokenizer) return tokenizer.error();
  const int vocab_size = (*tokenizer)->vocab_size();
  for (const TokenId id : *ids) {
    if (id < vocab_size) continue;
    return Error{ErrorCode::kInvalidArgument, "Token id " + std::to_string(id) +
                                                  " is outside the vocabulary (0 to " +
                                                  std::to_string(vocab_size - 1) + ")."};
  }
  const std::string text = (*tokenizer)->decode(*ids, options.special);
  if (common.json) {
    write_json({{"text", text}});
  } else {
    write_out(text);
  }
  return 0;
}

}  // namespace

void add_detokenize(Cli& cli) {
  auto options = std::make_shared<DetokenizeOptions>();
  CLI::App* verb = add_verb(cli, "detokenize", "Print the bytes of token ids (from stdin if none)",
                            kDetokenizeExamples);
  verb->add_option("ids", options->ids, "Token ids, separated by spaces or commas");
  verb->add_flag("--special", options->special, "Print special tokens as text");
  verb->callback([&cli, options] {
    cli.action = [&cli, options] { return detokenize(*options, cli.common); };
  });
}

}  // namespace quire
