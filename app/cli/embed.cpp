#include "engine/embed.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "app/cli/cli_output.h"
#include "app/cli/confined_verb.h"
#include "app/cli/open_model.h"
#include "engine/tokenizer/length_check.h"

namespace quire {
namespace {

struct EmbedVerbOptions {
  std::vector<std::string> texts;
  std::string file;
  std::string pooling;
};

/// Whose vectors are in memory at once.
constexpr size_t kTextsAtOnce = 1024;

constexpr const char* kEmbedExamples =
    "  quire-cli embed --model ~/models/Qwen3-Embedding-0.6B \"The capital of France\"\n"
    "  quire-cli embed --model embedding.gguf --pooling mean --file lines.txt";

/// A text, and what errors call it: "text 2", "lines.txt, line 7,".
struct NamedText {
  std::string_view text;
  std::string name;
};

/// The texts of the command line, or each line of a file that is not empty, one after the other:
/// a file may have millions.
class TextReader {
 public:
  static Result<TextReader> create(const EmbedVerbOptions& options) {
    TextReader reader(options);
    if (options.file.empty()) return reader;
    Result<std::string> content = read_input(options.file);
    if (!content) return content.error();
    reader.m_content = std::move(*content);
    if (reader.next()) return reader.rewind(), reader;
    return Error{ErrorCode::kInvalidArgument,
                 options.file + " holds no text; put one in each line."};
  }

  std::optional<NamedText> next() {
    if (m_options->file.empty()) return next_argument();
    while (m_at < m_content.size()) {
      const size_t end = std::min(m_content.find('\n', m_at), m_content.size());
      std::string_view line = std::string_view(m_content).substr(m_at, end - m_at);
      if (line.ends_with('\r')) line.remove_suffix(1);
      m_at = end + 1;
      ++m_number;
      if (!line.empty()) {
        return NamedText{line, m_options->file + ", line " + std::to_string(m_number) + ","};
      }
    }
    return std::nullopt;
  }
  void rewind() { m_at = m_number = 0; }

 private:
  explicit TextReader(const EmbedVerbOptions& options) : m_options(&options) {}

  std::optional<NamedText> next_argument() {
    if (m_at == m_options->texts.size()) return std::nullopt;
    const std::string& text = m_options->texts[m_at++];
    return NamedText{text, "text " + std::to_string(m_at)};
  }

  const EmbedVerbOptions* m_options;
  std::string m_content;
  size_t m_at = 0;      ///< In the content or the arguments.
  size_t m_number = 0;  ///< Of the line.
};

Error too_long(const std::string& name, const std::string& count, int most) {
  return {ErrorCode::kContextOverflow, name + " has " + count + " tokens, more than the model's " +
                                           format_count(most) + "; shorten it."};
}

/// Refuses a text that the model cannot take, before anything is written, and one of many
/// megabytes before all of it is encoded.
Result<void> check_texts(TextReader& reader, const LoadedModel& model) {
  const int most = model.config.max_positions;
  const auto limit = static_cast<size_t>(std::max(most, 0));
  while (const auto text = reader.next()) {
    if (is_far_beyond(*model.chat->tokenizer, {&text->text, 1}, limit)) {
      return too_long(text->name, "more than " + format_count(2 * int64_t{most}), most);
    }
    const size_t count = embedding_tokens(*model.chat->tokenizer, text->text).size();
    if (count == 0) {
      return Error{ErrorCode::kInvalidArgument, text->name + " has no tokens; leave it out."};
    }
    if (count <= limit) continue;
    return too_long(text->name, format_count(static_cast<int64_t>(count)), most);
  }
  reader.rewind();
  return {};
}

/// What was asked for, what the files say, or the last token's, which alone has seen the whole
/// text.
Result<Pooling> choose_pooling(const EmbedVerbOptions& options, const CommonOptions& common) {
  if (const auto pooling = find_pooling(options.pooling)) return *pooling;
  const auto read = read_pooling(common.model_path());
  if (!read) return read.error();
  return read->value_or(Pooling::kLast);
}

/// Computes the next texts and writes their vectors behind `lead`, which is empty then; false after
/// the last.
Result<bool> write_some(TextReader& reader, Llm& llm, const EmbedOptions& options,
                        std::string& lead, size_t& index) {
  std::vector<std::vector<TokenId>> tokens;
  while (tokens.size() < kTextsAtOnce) {
    const auto text = reader.next();
    if (!text) break;
    tokens.push_back(embedding_tokens(*llm.model().chat->tokenizer, text->text));
  }
  if (tokens.empty()) return false;
  const auto vectors = llm.engine().embed(tokens, options);
  if (!vectors) return vectors.error();
  std::string lines = std::exchange(lead, {});
  for (size_t i = 0; i < vectors->size(); ++i, ++index) {
    const nlohmann::ordered_json entry = {
        {"index", index}, {"tokens", tokens[i].size()}, {"embedding", (*vectors)[i]}};
    lines += (index > 0 ? "," : "") + entry.dump();
  }
  write_out(lines);
  return true;
}

/// {"model": ..., "embeddings": [...]} as one line, in pieces.
Result<void> write_vectors(TextReader& reader, Llm& llm, const EmbedOptions& options) {
  std::string lead = json_line({{"model", llm.model().config.name},
                                {"pooling", pooling_name(options.pooling)},
                                {"dimensions", llm.model().config.hidden_size},
                                {"embeddings", nlohmann::ordered_json::array()}});
  constexpr std::string_view kEnd = "]}\n";
  lead.resize(lead.size() - kEnd.size());
  size_t index = 0;
  Result<bool> wrote = true;
  while (wrote && *wrote) wrote = write_some(reader, llm, options, lead, index);
  if (!wrote) return wrote.error();
  write_out(kEnd);
  return {};
}

Result<int> embed(const EmbedVerbOptions& options, const CommonOptions& common) {
  auto texts = TextReader::create(options);
  if (!texts) return texts.error();
  if (const auto tried = try_model(common.model_path()); !tried) return tried.error();
  const auto pooling = choose_pooling(options, common);
  if (!pooling) return pooling.error();
  Result<Llm> llm = open_llm(common, 1);
  if (!llm) return llm.error();
  const Result<AdapterId> adapter = chosen_adapter(*llm, common);
  if (!adapter) return adapter.error();
  if (auto fits = check_texts(*texts, llm->model()); !fits) return fits.error();
  auto written = write_vectors(*texts, *llm, {.pooling = *pooling, .adapter = *adapter});
  if (!written) return written.error();
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
