#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>

#include "app/cli/cli_output.h"
#include "app/cli/generate_input.h"
#include "app/cli/open_model.h"
#include "engine/score.h"

namespace quire {
namespace {

struct PerplexityOptions {
  std::string file;
  int stride = 0;  ///< Tokens; 0: the window's length, windows that do not overlap.
};

/// Negative log likelihood of a number of tokens.
struct Score {
  double nll = 0.0;
  int64_t tokens = 0;
  double perplexity() const { return std::exp(nll / static_cast<double>(tokens)); }
};

/// Tokens computed together unless --context says otherwise.
constexpr int kDefaultWindow = 512;
constexpr const char* kPerplexityExamples =
    "  quire-cli perplexity --file book.txt --context 512\n"
    "  quire-cli perplexity --file book.txt --context 1024 --stride 512 --json";

/// Scores the last `scored` tokens of a window, each from all tokens before it in the window.
Result<Score> score_window(Llm& llm, std::span<const TokenId> window, size_t scored) {
  std::vector<int32_t> rows(scored);
  std::iota(rows.begin(), rows.end(), static_cast<int32_t>(window.size() - 1 - scored));
  // The last token too, which is predicted only, so that it is checked as all others are.
  const Result<std::vector<float>> logits = llm.logits(window, rows);
  if (!logits) return logits.error();
  const size_t vocab_size = logits->size() / rows.size();
  Score score;
  for (size_t i = 0; i < scored; ++i) {
    const std::span<const float> row(logits->data() + i * vocab_size, vocab_size);
    score.nll += negative_log_likelihood(row, window[window.size() - scored + i]);
    ++score.tokens;
  }
  return score;
}

/// Scores every token but the first once: each window scores the tokens that the previous window
/// did not contain.
Result<Score> score_text(Llm& llm, std::span<const TokenId> ids, size_t length, size_t stride) {
  Score total;
  for (size_t scored_to = 1; scored_to < ids.size();) {
    const size_t begin = scored_to == 1 ? 0 : std::min(scored_to - 1, scored_to + stride - length);
    const size_t end = std::min(begin + length, ids.size());
    const Result<Score> score = score_window(llm, ids.subspan(begin, end - begin), end - scored_to);
    if (!score) return score.error();
    total.nll += score->nll;
    total.tokens += score->tokens;
    scored_to = end;
  }
  return total;
}

/// The tokens of the file, with BOS if the model's files require it.
Result<std::vector<TokenId>> read_tokens(const std::string& path, const Tokenizer& tokenizer) {
  Result<std::string> text = read_input(path);
  if (!text) return text.error();
  std::vector<TokenId> ids = encode_plain(tokenizer, *text);
  if (ids.size() >= 2) return ids;
  return Error{ErrorCode::kInvalidArgument, path + " holds less than two tokens."};
}

Result<int> perplexity(const PerplexityOptions& options, const CommonOptions& common) {
  Result<Llm> llm = open_llm(common);
  if (!llm) return llm.error();
  Result<std::vector<TokenId>> ids = read_tokens(options.file, *llm->model().chat->tokenizer);
  if (!ids) return ids.error();
  const int wanted = common.context > 0 ? common.context : kDefaultWindow;
  const int window = std::min(wanted, llm->engine().max_context());
  const int stride = options.stride == 0 ? window : options.stride;
  if (stride > window) {
    return Error{ErrorCode::kInvalidArgument,
                 "--stride " + std::to_string(stride) + " would skip text: a window has " +
                     std::to_string(window) +
                     " tokens. Give a smaller stride or a larger --context."};
  }
  const Result<Score> score =
      score_text(*llm, *ids, static_cast<size_t>(window), static_cast<size_t>(stride));
  if (!score) return score.error();
  if (!std::isfinite(score->nll)) {
    return Error{ErrorCode::kCorruptFile,
                 "The model's logits are not finite numbers; its weights are damaged. Download it "
                 "again."};
  }
  if (common.json) {
    write_json({{"perplexity", score->perplexity()},
                {"nll", score->nll},
                {"tokens", score->tokens},
                {"window", window},
                {"stride", stride}});
    return 0;
  }
  char line[160];
  std::snprintf(line, sizeof line, "perplexity %.4f over %lld tokens (nll %.4f, windows of %d)\n",
                score->perplexity(), static_cast<long long>(score->tokens), score->nll, window);
  write_out(line);
  return 0;
}

}  // namespace

void add_perplexity(Cli& cli) {
  auto options = std::make_shared<PerplexityOptions>();
  CLI::App* verb = add_verb(cli, "perplexity", "Measure how well the model predicts a text",
                            kPerplexityExamples);
  verb->add_option("--file", options->file, "A text file; - is stdin")->required();
  verb->add_option("--stride", options->stride,
                   "Tokens between windows of --context (512); default: the window's length")
      ->check(CLI::Range(0, 1 << 20));
  verb->callback([&cli, options] {
    if (cli.common.context == 1) usage_error("--context", "a window needs at least 2 tokens");
    cli.action = [&cli, options] { return perplexity(*options, cli.common); };
  });
}

}  // namespace quire
