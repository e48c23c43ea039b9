#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/cli_output.h"
#include "app/cli/open_model.h"
#include "app/cli/verbs.h"

namespace quire {
namespace {

struct TokenizeOptions {
  bool bos = false;
  bool special = false;
};

constexpr const char* kTokenizeExamples =
    "  echo -n \"Hello, world\" | quire-cli tokenize\n"
    "  quire-cli tokenize --special --json < prompt.txt";

void print_ids(const std::vector<TokenId>& ids) {
  std::string line;
  for (const TokenId id : ids) line += (line.empty() ? "" : " ") + std::to_string(id);
  write_out(line + "\n");
}

void print_json(const std::vector<TokenId>& ids, const Tokenizer& tokenizer) {
  nlohmann::ordered_json pieces = nlohmann::ordered_json::array();
  for (const TokenId id : ids) pieces.push_back(tokenizer.token_piece(id));
  write_json({{"ids", ids}, {"pieces", pieces}, {"count", ids.size()}});
}

Result<int> tokenize(const TokenizeOptions& options, const CommonOptions& common) {
  Result<std::unique_ptr<Tokenizer>> tokenizer = open_tokenizer(common);
  if (!tokenizer) return tokenizer.error();
  Result<std::string> text = read_input("-");
  if (!text) return text.error();
  std::vector<TokenId> ids =
      options.special ? (*tokenizer)->encode_with_special(*text) : (*tokenizer)->encode(*text);
  if (options.bos) {
    const std::optional<TokenId> bos = (*tokenizer)->bos_token();
    if (!bos) return Error{ErrorCode::kUnsupported, "This model's vocabulary has no BOS token."};
    ids.insert(ids.begin(), *bos);
  }
  if (common.json) {
    print_json(ids, **tokenizer);
  } else {
    print_ids(ids);
  }
  return 0;
}

}  // namespace

void add_tokenize(Cli& cli) {
  auto options = std::make_shared<TokenizeOptions>();
  CLI::App* verb =
      add_verb(cli, "tokenize", "Print the token ids of the text on stdin", kTokenizeExamples);
  verb->add_flag("--bos", options->bos, "Start with the BOS token");
  verb->add_flag("--special", options->special, "Recognise special tokens such as <|end|>");
  verb->callback(
      [&cli, options] { cli.action = [&cli, options] { return tokenize(*options, cli.common); }; });
}

}  // namespace quire
