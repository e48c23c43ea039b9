#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/cli/cli_options.h"
#include "app/cli/cli_output.h"
#include "app/cli/confined_verb.h"
#include "engine/io/text.h"
#include "engine/model_loader.h"

namespace quire {
namespace {

struct TokenizeOptions {
  bool bos = false;
  bool special = false;
};

/// What is converted at once: a token takes some 20 bytes on the way.
constexpr size_t kMaxTextBytes = size_t{16} << 20;

constexpr const char* kTokenizeExamples =
    "  echo -n \"Hello, world\" | quire-cli tokenize\n"
    "  quire-cli tokenize --special --json < prompt.txt";

/// Standard input, which `what` names. Errors: also kInvalidArgument for too much of it.
Result<std::string> read_text(const std::string& what) {
  Result<std::string> text = read_input("-");
  if (!text || text->size() <= kMaxTextBytes) return text;
  return Error{ErrorCode::kInvalidArgument,
               what + " " + with_separators(text->size()) + " bytes; at most " +
                   with_separators(kMaxTextBytes) + " are converted at once: give them in parts."};
}

VerbOutput ids_output(const std::vector<TokenId>& ids) {
  std::string line;
  for (const TokenId id : ids) line += (line.empty() ? "" : " ") + std::to_string(id);
  line += '\n';
  return {std::move(line)};
}

/// {"ids": [...], "pieces": [...], "count": N}, which is too long for a tree of JSON values.
VerbOutput pieces_output(const std::vector<TokenId>& ids, const Tokenizer& tokenizer) {
  // Of each token its piece as a JSON string, once it is needed.
  std::vector<std::string> known(static_cast<size_t>(tokenizer.vocab_size()));
  std::string line = "{\"ids\":[";
  for (const TokenId id : ids) line += std::to_string(id) + ',';
  if (!ids.empty()) line.pop_back();
  line += "],\"pieces\":[";
  for (const TokenId id : ids) {
    std::string& piece = known[static_cast<size_t>(id)];
    if (piece.empty()) {
      piece = json_line(tokenizer.token_piece(id));
      piece.back() = ',';  // In place of the line's end.
    }
    line += piece;
  }
  if (!ids.empty()) line.pop_back();
  line += "],\"count\":" + std::to_string(ids.size()) + "}\n";
  return {std::move(line)};
}

Result<VerbOutput> tokenized(const std::string& text, const TokenizeOptions& options,
                             const CommonOptions& common) {
  Result<std::unique_ptr<Tokenizer>> tokenizer = load_model_tokenizer(common.model_path());
  if (!tokenizer) return tokenizer.error();
  std::vector<TokenId> ids =
      options.special ? (*tokenizer)->encode_with_special(text) : (*tokenizer)->encode(text);
  if (options.bos) {
    const std::optional<TokenId> bos = (*tokenizer)->bos_token();
    if (!bos) return Error{ErrorCode::kUnsupported, "This model's vocabulary has no BOS token."};
    ids.insert(ids.begin(), *bos);
  }
  return common.json ? pieces_output(ids, **tokenizer) : ids_output(ids);
}

Result<int> tokenize(const TokenizeOptions& options, const CommonOptions& common) {
  const Result<std::string> text = read_text("The text has");
  if (!text) return text.error();
  return print_confined({.model = common.model_path(), .text_bytes = text->size()},
                        [&] { return tokenized(*text, options, common); });
}

struct DetokenizeOptions {
  std::vector<std::string> ids;
  bool special = false;
};

constexpr const char* kDetokenizeExamples =
    "  quire-cli detokenize 17 204 99\n"
    "  echo -n \"Hello\" | quire-cli tokenize | quire-cli detokenize";

/// The ids of the command line, or those of stdin if it has none.
Result<std::vector<TokenId>> read_ids(const DetokenizeOptions& options) {
  std::string text;
  for (const std::string& part : options.ids) text += part + " ";
  if (options.ids.empty()) {
    Result<std::string> input = read_text("The list of ids has");
    if (!input) return input.error();
    text = std::move(*input);
  }
  return parse_token_ids("detokenize", text);
}

Result<VerbOutput> detokenized(const std::vector<TokenId>& ids, const DetokenizeOptions& options,
                               const CommonOptions& common) {
  Result<std::unique_ptr<Tokenizer>> tokenizer = load_model_tokenizer(common.model_path());
  if (!tokenizer) return tokenizer.error();
  const int vocab_size = (*tokenizer)->vocab_size();
  for (const TokenId id : ids) {
    if (id < vocab_size) continue;
    return Error{ErrorCode::kInvalidArgument, "Token id " + std::to_string(id) +
                                                  " is outside the vocabulary (0 to " +
                                                  std::to_string(vocab_size - 1) + ")."};
  }
  const std::string text = (*tokenizer)->decode(ids, options.special);
  return VerbOutput{common.json ? json_line({{"text", text}}) : text};
}

Result<int> detokenize(const DetokenizeOptions& options, const CommonOptions& common) {
  const Result<std::vector<TokenId>> ids = read_ids(options);
  if (!ids) return ids.error();
  return print_confined({.model = common.model_path(), .text_bytes = ids->size() * sizeof(TokenId)},
                        [&] { return detokenized(*ids, options, common); });
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
