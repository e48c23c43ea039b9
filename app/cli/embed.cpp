#include "engine/embed.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/cli/cli_output.h"
#include "app/cli/open_model.h"

namespace quire {
namespace {

struct EmbedVerbOptions {
  std::vector<std::string> texts;
  std::string file;
  std::string pooling;
};

constexpr const char* kEmbedExamples =
    "  quire-cli embed --model ~/models/Qwen3-Embedding-0.6B \"The capital of France\"\n"
    "  quire-cli embed --model embedding.gguf --pooling mean --file lines.txt";

/// The texts of the command line, or each line of the file that is not empty.
Result<std::vector<std::string>> read_texts(const EmbedVerbOptions& options) {
  if (options.file.empty()) return options.texts;
  const Result<std::string> content = read_input(options.file);
  if (!content) return content.error();
  std::vector<std::string> texts;
  for (size_t begin = 0; begin < content->size();) {
    const size_t end = std::min(content->find('\n', begin), content->size());
    std::string line = content->substr(begin, end - begin);
    if (line.ends_with('\r')) line.pop_back();
    if (!line.empty()) texts.push_back(std::move(line));
    begin = end + 1;
  }
  if (!texts.empty()) return texts;
  return Error{ErrorCode::kInvalidArgument, options.file + " holds no text; put one in each line."};
}

/// What was asked for, what the files say, or the last token's, which alone has seen the whole
/// text.
Result<Pooling> choose_pooling(const EmbedVerbOptions& options, const CommonOptions& common) {
  if (const auto pooling = find_pooling(options.pooling)) return *pooling;
  const auto read = read_pooling(common.model_path());
  if (!read) return read.error();
  return read->value_or(Pooling::kLast);
}

Result<int> embed(const EmbedVerbOptions& options, const CommonOptions& common) {
  const auto texts = read_texts(options);
  if (!texts) return texts.error();
  const auto pooling = choose_pooling(options, common);
  if (!pooling) return pooling.error();
  Result<Llm> llm = open_llm(common, 1);
  if (!llm) return llm.error();
  const Result<AdapterId> adapter = chosen_adapter(*llm, common);
  if (!adapter) return adapter.error();
  std::vector<std::vector<TokenId>> tokens;
  for (const std::string& text : *texts) {
    tokens.push_back(embedding_tokens(*llm->model().chat->tokenizer, text));
  }
  const auto vectors = llm->engine().embed(tokens, {.pooling = *pooling, .adapter = *adapter});
  if (!vectors) return vectors.error();
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (size_t i = 0; i < vectors->size(); ++i) {
    list.push_back({{"index", i}, {"tokens", tokens[i].size()}, {"embedding", (*vectors)[i]}});
  }
  write_json({{"model", llm->model().config.name},
              {"pooling", pooling_name(*pooling)},
              {"dimensions", llm->model().config.hidden_size},
              {"embeddings", std::move(list)}});
  return 0;
}

}  // namespace

void add_embed(Cli& cli) {
  auto options = std::make_shared<EmbedVerbOptions>();
  CLI::App* verb = add_verb(cli, "embed", "Print the vectors of texts as JSON", kEmbedExamples);
  verb->add_option("text", options->texts, "Texts");
  verb->add_option("--file", options->file, "File with a text in each line; - reads stdin");
  verb->add_option("--pooling", options->pooling,
                   "How a text's vector is made of its tokens' (default: as the model's files say, "
                   "else last)")
      ->check(CLI::IsMember({"mean", "last", "cls"}));
  add_adapter_option(*verb, cli.common);
  verb->callback([&cli, options] {
    if (options->texts.empty() == options->file.empty()) {
      usage_error("embed", "needs texts or --file, and not both");
    }
    cli.action = [&cli, options] { return embed(*options, cli.common); };
  });
}

}  // namespace quire
