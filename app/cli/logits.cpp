#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>

#include "app/cli/cli_output.h"
#include "app/cli/open_model.h"
#include "engine/io/text.h"

namespace quire {
namespace {

struct LogitsOptions {
  std::string text;
  std::vector<TokenId> tokens;
  bool all = false;
  std::string output;
};

constexpr const char* kLogitsExamples =
    "  quire-cli logits --tokens 1,17,204\n"
    "  quire-cli logits --tokens 1,17,204 --all --output logits.f32   (rows of f32, little-endian)";

Result<void> write_file(const std::string& path, const std::vector<float>& logits) {
  static_assert(std::endian::native == std::endian::little);
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(logits.data()),
             static_cast<std::streamsize>(logits.size() * sizeof(float)));
  file.close();
  if (file) return {};
  return Error{ErrorCode::kIo, "Cannot write " + path + ": " + std::strerror(errno) + "."};
}

/// One array of V numbers, or with `all` one such array for each token.
void print_logits(const std::vector<float>& logits, size_t vocab_size, bool all) {
  if (!all) return write_json(logits);
  // One row after the other: a JSON value takes four times as much memory as its number.
  std::string lead = "[";
  for (size_t at = 0; at < logits.size(); at += vocab_size) {
    const auto row = logits.begin() + static_cast<std::ptrdiff_t>(at);
    const nlohmann::ordered_json values(
        std::vector<float>(row, row + static_cast<std::ptrdiff_t>(vocab_size)));
    write_out(lead + values.dump());
    lead = ",";
  }
  write_out("]\n");
}

Result<int> logits(const LogitsOptions& options, const CommonOptions& common) {
  Result<Llm> llm = open_llm(common);
  if (!llm) return llm.error();
  std::vector<int32_t> rows{static_cast<int32_t>(options.tokens.size()) - 1};
  if (options.all) {
    rows.resize(options.tokens.size());
    std::iota(rows.begin(), rows.end(), 0);
  }
  const Result<AdapterId> adapter = chosen_adapter(*llm, common);
  if (!adapter) return adapter.error();
  Result<std::vector<float>> result = llm->logits(options.tokens, rows, *adapter);
  if (!result) return result.error();
  if (!std::ranges::all_of(*result, [](float logit) { return std::isfinite(logit); })) {
    return Error{ErrorCode::kDevice,
                 "The logits of " + for_message(llm->model().config.name) +
                     " are not numbers: its weights or the device may be damaged. Download it "
                     "again, or choose the device \"cpu\"."};
  }
  if (!options.output.empty()) {
    Result<void> written = write_file(options.output, *result);
    if (!written) return written.error();
    return 0;
  }
  print_logits(*result, result->size() / rows.size(), options.all);
  return 0;
}

}  // namespace

void add_logits(Cli& cli) {
  auto options = std::make_shared<LogitsOptions>();
  CLI::App* verb = add_verb(cli, "logits", "Print the logits of the next token", kLogitsExamples);
  verb->add_option("--tokens", options->text, "Prompt as token ids: 1,2,3")->required();
  verb->add_flag("--all", options->all, "Print logits after every token, not only the last");
  verb->add_option("--output", options->output, "Write f32 to this file instead of JSON");
  add_adapter_option(*verb, cli.common);
  verb->callback([&cli, options] {
    options->tokens = parse_token_ids("--tokens", options->text);
    if (options->tokens.empty()) usage_error("--tokens", "holds no token ids");
    cli.action = [&cli, options] { return logits(*options, cli.common); };
  });
}

}  // namespace quire
