#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "engine/chat/chat_format.h"
#include "engine/io/read_file.h"
#include "engine/io/text.h"
#include "engine/quantize/folder_source.h"
#include "engine/quantize/memory_file.h"
#include "engine/tokenizer/gguf_pre_tokenizers.h"
#include "engine/tokenizer/sentencepiece_proto.h"
#include "engine/tokenizer/tokenizer_json_parts.h"
#include "engine/tokenizer/tokenizer_loader.h"
#include "engine/tokenizer/vocabulary_limits.h"

namespace quire {
namespace {

namespace fs = std::filesystem;

/// Pieces of text in which the pre-tokenizers that GGUF files name differ: digits, contractions,
/// runs of spaces and breaks, marks, several scripts. All of it is in Unicode's composed form
/// (NFC): GGUF files cannot say that a tokenizer composes text, as Qwen's do.
constexpr std::string_view kPieces[] = {
    "Hello",
    "world",
    "it",
    "'s",
    "'LL",
    "don't",
    "WORDS",
    "camelCase",
    "snake_case",
    "a",
    "I",
    " ",
    " ",
    "  ",
    "   ",
    "\n",
    "\n\n",
    "\r\n",
    "\t",
    " \n",
    "1",
    "12",
    "123",
    "1234567",
    "3.14",
    "A1b2",
    ".",
    ",",
    "!?",
    "...",
    "--",
    "()",
    "[{",
    "=+",
    "*/",
    "$5",
    "@",
    "#",
    "%",
    "~",
    "`",
    "^_",
    "<a>",
    "\"q\"",
    ";:",
    "\xC3\xA9",
    "\xC3\xBC\x62\x65r",
    "\xCE\xB1\xCE\xB2",
    "\xD0\x9F\xD1\x80",
    "\xD7\xA9\xD7\x9C",
    "\xE4\xBD\xA0\xE5\xA5\xBD",
    "\xEF\xBC\x8C",
    "\xE3\x80\x82",
    "\xED\x95\x9C\xEA\xB5\xAD",
    "\xE3\x81\x93\xE3\x82\x93",
    "\xE3\x83\xBC",
    "\xE5\xB9\xB4",
    "\xF0\x9F\x98\x80",
    "\xF0\x9F\x91\x8D\xF0\x9F\x8F\xBD",
    "\xE0\xA4\xA8\xE0\xA4\xAE\xE0\xA4\xB8\xE0\xA5\x8D",
    "\xC2\xBD",
    "\xE2\x85\xA7",
    "\xD9\xA1\xD9\xA2",
    "\xC2\xA0",
    "\xE2\x80\x99s",
    "\xE2\x82\xAC",
};

/// The ASCII text of a token; a piece of kPieces for other tokens.
std::string_view token_piece(const Tokenizer& tokenizer, uint64_t random) {
  const auto count = static_cast<uint64_t>(std::max(tokenizer.vocab_size(), 1));
  const std::string_view bytes = tokenizer.token_bytes(static_cast<TokenId>(random % count));
  const bool is_ascii = std::ranges::all_of(bytes, [](char c) { return c > 0; });
  return is_ascii && !bytes.empty() ? bytes : kPieces[random % std::size(kPieces)];
}

/// Texts of up to twelve pieces or tokens each, the same on every run.
std::vector<std::string> sample_texts(const Tokenizer& tokenizer) {
  constexpr int kTexts = 2000;
  uint64_t state = 1;
  const auto next = [&state] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 33;
  };
  std::vector<std::string> texts = {"", " "};
  for (int i = 0; i < kTexts; ++i) {
    std::string text;
    for (uint64_t left = 1 + next() % 12; left > 0; --left) {
      const uint64_t random = next();
      text += i % 2 == 0 ? kPieces[random % std::size(kPieces)] : token_piece(tokenizer, random);
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

/// The names to try, those of the most models first; the others follow.
constexpr std::string_view kNames[] = {"llama-bpe", "qwen2", "gpt-4o", "tekken", "smollm",
                                       "dbrx",      "gpt-2", "refact", "default"};

Error not_writable(const std::string& why) {
  return {ErrorCode::kUnsupported,
          "the folder's tokenizer cannot be written into a GGUF file: " + why};
}

bool encodes_equally(const Tokenizer& a, const Tokenizer& b, std::span<const std::string> texts) {
  if (a.adds_bos() != b.adds_bos() || a.bos_token() != b.bos_token()) return false;
  return std::ranges::all_of(texts, [&](const std::string& text) {
    return a.encode(text) == b.encode(text) &&
           a.encode_continuation(text) == b.encode_continuation(text);
  });
}

/// A vocabulary as GGUF files hold it.
struct Vocabulary {
  std::vector<std::string> tokens;
  std::vector<int32_t> types;
  std::vector<float> scores;        ///< Of "llama".
  std::vector<std::string> merges;  ///< Of "gpt2".
};

/// Ids of the model's embedding that are no tokens get names of their own, as converters do.
void pad(Vocabulary& vocabulary, int vocab_size) {
  while (static_cast<int>(vocabulary.tokens.size()) < vocab_size) {
    vocabulary.tokens.push_back("[PAD" + std::to_string(vocabulary.tokens.size()) + "]");
    vocabulary.types.push_back(static_cast<int32_t>(PieceType::kUnused));
    vocabulary.scores.push_back(-1000.0f);
  }
}

/// The folder's tokenizer that is to be written.
class TokenizerWriter {
 public:
  TokenizerWriter(const fs::path& folder, const ModelConfig& config, GgufMetadata& metadata)
      : m_folder(folder), m_config(config), m_metadata(metadata) {}

  Result<void> write() {
    auto tokenizer = load_tokenizer(m_folder);
    if (!tokenizer) return tokenizer.error();
    m_tokenizer = std::move(*tokenizer);
    m_texts = sample_texts(*m_tokenizer);
    set_named_tokens();
    std::error_code ignored;
    const bool has_model = fs::exists(m_folder / "tokenizer.model", ignored);
    if (has_model) {
      auto written = write_sentencepiece();
      if (written || !fs::exists(m_folder / "tokenizer.json", ignored)) return written;
    }
    return write_byte_level();
  }

 private:
  void set_named_tokens() {
    const auto set = [&](const char* name, std::optional<TokenId> id) {
      if (!id) return;
      m_metadata.set_u32(std::string("tokenizer.ggml.") + name, static_cast<uint32_t>(*id));
    };
    set("bos_token_id", m_tokenizer->bos_token());
    std::vector<TokenId> ends;
    if (m_tokenizer->eos_token()) ends.push_back(*m_tokenizer->eos_token());
    for (const TokenId id : m_config.end_tokens) {
      if (std::ranges::find(ends, id) == ends.end()) ends.push_back(id);
    }
    constexpr const char* kEndNames[] = {"eos_token_id", "eot_token_id", "eom_token_id"};
    for (size_t i = 0; i < std::min(ends.size(), std::size(kEndNames)); ++i) {
      set(kEndNames[i], ends[i]);
    }
    m_metadata.set_bool("tokenizer.ggml.add_bos_token", m_tokenizer->adds_bos());
  }

  /// Special tokens and added ones, whatever the vocabulary itself says of them.
  void mark_special(Vocabulary& vocabulary) const {
    for (size_t id = 0; id < vocabulary.tokens.size(); ++id) {
      const auto token = static_cast<TokenId>(id);
      const std::string_view piece = m_tokenizer->token_piece(token);
      if (piece.empty()) continue;
      if (m_tokenizer->is_special(token)) {
        vocabulary.tokens[id] = piece;
        const bool is_unknown = vocabulary.types[id] == static_cast<int32_t>(PieceType::kUnknown);
        if (!is_unknown) vocabulary.types[id] = static_cast<int32_t>(PieceType::kControl);
      } else if (vocabulary.types[id] == static_cast<int32_t>(PieceType::kUnused)) {
        vocabulary.tokens[id] = piece;
        vocabulary.types[id] = static_cast<int32_t>(PieceType::kUserDefined);
      }
    }
  }

  void set_vocabulary(const Vocabulary& vocabulary) {
    m_metadata.set_strings("tokenizer.ggml.tokens", vocabulary.tokens);
    m_metadata.set_i32s("tokenizer.ggml.token_type", vocabulary.types);
    if (vocabulary.merges.empty()) {
      m_metadata.set_f32s("tokenizer.ggml.scores", vocabulary.scores);
    } else {
      m_metadata.set_strings("tokenizer.ggml.merges", vocabulary.merges);
    }
  }

  Result<void> write_sentencepiece() {
    auto bytes = read_file(m_folder / "tokenizer.model", kMaxTokenizerBytes);
    if (!bytes) return bytes.error();
    auto model = parse_sentencepiece_model(*bytes);
    if (!model) return model.error();
    if (!model->is_bpe) return not_writable("tokenizer.model is no byte-pair encoding");
    Vocabulary vocabulary;
    for (const SentencePiece& piece : model->pieces) {
      vocabulary.tokens.emplace_back(piece.text);
      vocabulary.types.push_back(static_cast<int32_t>(piece.type));
      vocabulary.scores.push_back(piece.score);
    }
    pad(vocabulary, std::max(m_config.vocab_size, m_tokenizer->vocab_size()));
    mark_special(vocabulary);
    m_metadata.set_string("tokenizer.ggml.model", "llama");
    m_metadata.set_string("tokenizer.ggml.pre", "default");
    m_metadata.set_bool("tokenizer.ggml.add_space_prefix", model->add_dummy_prefix);
    set_vocabulary(vocabulary);
    if (is_read_equally()) return {};
    return not_writable("GGUF's \"llama\" tokenizer would cut text otherwise");
  }

  Result<void> write_byte_level() {
    auto text = read_file(m_folder / "tokenizer.json", kMaxTokenizerBytes);
    if (!text) return text.error();
    auto document = parse_tokenizer_json(*text);
    if (!document) return document.error();
    if (document->merges.empty()) return not_writable("tokenizer.json has no merges");
    Vocabulary vocabulary;
    pad(vocabulary, std::max(m_config.vocab_size, m_tokenizer->vocab_size()));
    for (const auto& [token, id] : document->vocab) {
      if (id < 0 || static_cast<size_t>(id) >= vocabulary.tokens.size()) {
        return not_writable("tokenizer.json has impossible ids");
      }
      vocabulary.tokens[static_cast<size_t>(id)] = token;
      vocabulary.types[static_cast<size_t>(id)] = static_cast<int32_t>(PieceType::kNormal);
    }
    mark_special(vocabulary);
    for (size_t i = 0; i < document->merges.size(); ++i) {
      const auto [left, right] = document->merges[i];
      vocabulary.merges.push_back(std::string(left).append(" ").append(right));
    }
    m_metadata.set_string("tokenizer.ggml.model", "gpt2");
    set_vocabulary(vocabulary);
    return find_pre_tokenizer();
  }

  /// The name under which readers cut the samples as the folder's tokenizer does.
  Result<void> find_pre_tokenizer() {
    std::vector<std::string_view> names(std::begin(kNames), std::end(kNames));
    for (const std::string_view name : gguf_pre_tokenizer_names()) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
    for (const std::string_view name : names) {
      m_metadata.set_string("tokenizer.ggml.pre", name);
      if (is_read_equally()) return {};
    }
    return not_writable("none of GGUF's pre-tokenizers cuts text as its tokenizer.json does");
  }

  bool is_read_equally() const {
    const GgufLayout layout = lay_out_gguf(m_metadata, {});
    const MemoryFile file(layout);
    auto read = GgufFile::open(file.path());
    if (!read) return false;
    const auto tokenizer = load_gguf_tokenizer(*read);
    return tokenizer && encodes_equally(*m_tokenizer, **tokenizer, m_texts);
  }

  const fs::path& m_folder;
  const ModelConfig& m_config;
  GgufMetadata& m_metadata;
  std::unique_ptr<Tokenizer> m_tokenizer;
  std::vector<std::string> m_texts;
};

}  // namespace

Result<void> add_folder_tokenizer(const fs::path& folder, const ModelConfig& config,
                                  GgufMetadata& metadata) {
  if (auto written = TokenizerWriter(folder, config, metadata).write(); !written) return written;
  auto chat_template = read_template_source(folder);
  if (!chat_template) return chat_template.error();
  if (!chat_template->empty()) metadata.set_string("tokenizer.chat_template", *chat_template);
  return {};
}

}  // namespace quire
