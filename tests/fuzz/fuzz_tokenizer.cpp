#include "engine/tokenizer/sentencepiece_proto.h"
#include "engine/tokenizer/stream_decoder.h"
#include "engine/tokenizer/tokenizer_loader.h"
#include "engine/tokenizer/utf8.h"
#include "tests/fuzz/fuzz_targets.h"
#include "tests/fuzz/support.h"

namespace quire::fuzz {
namespace {

constexpr std::string_view kTexts[] = {"",
                                       " ",
                                       "Hello, world! The year is 2026.",
                                       "안녕 🦙 \xE2\x96\x81\xE2\x96\x81",
                                       "\xFF\xC3 cut \xE2\x96",
                                       "<s></s><unk><0x41>\t\n"};

/// Decodes ids in one go and as they come: both must be the same text.
void decode(const Tokenizer& tokenizer, const std::vector<TokenId>& ids) {
  require(tokenizer.decode(ids, true).size() < (1u << 24), "a text that grows without end");
  StreamDecoder stream(tokenizer);
  std::string streamed;
  for (const TokenId id : ids) streamed += stream.push(id);
  streamed += stream.finish();
  Utf8Stream whole;
  std::string expected;
  whole.append(tokenizer.decode(ids), expected);
  whole.finish(expected);
  require(streamed == expected, "a text that differs when it is streamed");
}

/// Encodes and decodes: every id must be the vocabulary's own.
void use(const Tokenizer& tokenizer, std::string_view text) {
  const int num_tokens = tokenizer.vocab_size();
  const TextRun runs[] = {{text, false}, {text, true}};
  for (const auto& ids : {tokenizer.encode(text), tokenizer.encode_with_special(text),
                          tokenizer.encode_continuation(text), tokenizer.encode_runs(runs)}) {
    for (const TokenId id : ids) {
      require(id >= 0 && id < num_tokens, "an id outside of the vocabulary");
    }
    decode(tokenizer, ids);
  }
}

/// The same with texts that every vocabulary should see, and the input's own.
void use_with_texts(const Tokenizer& tokenizer, std::string_view generated) {
  for (const std::string_view text : kTexts) use(tokenizer, text);
  use(tokenizer, generated);
  // Longer than an input may be: what is quadratic takes too long.
  constexpr size_t kLong = 20'000;
  std::string repeated;
  while (!generated.empty() && repeated.size() < kLong) repeated += generated;
  if (!repeated.empty()) (void)tokenizer.encode(repeated);
  const int num_tokens = tokenizer.vocab_size();
  for (const TokenId id : {-1, 0, num_tokens - 1, num_tokens}) {
    require(tokenizer.token_bytes(id).size() <= (1u << 24), "a token of endless bytes");
    require(tokenizer.token_piece(id).size() <= (1u << 24), "a token of endless bytes");
  }
}

}  // namespace

void fuzz_sentencepiece(std::string_view input) {
  const auto [bytes, text] = split_text(input);
  const auto model = parse_sentencepiece_model(bytes);
  if (!model) {
    require(!model.error().message.empty(), "an error says nothing");
  } else {
    for (const SentencePiece& piece : model->pieces) {
      const bool is_inside = piece.text.empty() ||
                             (piece.text.data() >= bytes.data() &&
                              piece.text.data() + piece.text.size() <= bytes.data() + bytes.size());
      require(is_inside, "a piece lies outside of its file");
    }
  }
  static const ScratchFolder folder;
  const auto tokenizer = load_sentencepiece(folder.write("tokenizer.model", bytes).string());
  require(model.has_value() || !tokenizer.has_value(), "what does not parse is loaded");
  if (!tokenizer) return require_sentence(tokenizer.error(), {"tokenizer.model"});
  use_with_texts(**tokenizer, text);
}

void fuzz_gguf_tokenizer(std::string_view input) {
  const auto [bytes, text] = split_text(input);
  constexpr const char* kFileName = "input.gguf";
  static const ScratchFolder folder;
  const auto file = GgufFile::open(folder.write(kFileName, bytes));
  if (!file) return require_sentence(file.error(), {kFileName});
  const auto tokenizer = load_gguf_tokenizer(*file);
  if (!tokenizer) return require_sentence(tokenizer.error(), {kFileName});
  for (const TokenId id : gguf_end_tokens(*file)) require(id >= 0, "an end token below zero");
  use_with_texts(**tokenizer, text);
}

void fuzz_tokenizer_json(std::string_view input) {
  const auto [bytes, text] = split_text(input);
  static const ScratchFolder folder;
  const auto texts = split_at_zeros(bytes, 2);
  folder.write("tokenizer.json", texts[0]);
  if (texts.size() > 1) {
    folder.write("tokenizer_config.json", texts[1]);
  } else {
    folder.remove("tokenizer_config.json");
  }
  const auto tokenizer = load_tokenizer(folder.path());
  if (!tokenizer) {
    return require_sentence(tokenizer.error(), {"tokenizer.json", "tokenizer_config.json"});
  }
  use_with_texts(**tokenizer, text);
}

void fuzz_tokenizer_config(std::string_view input) {
  const auto [bytes, text] = split_text(input);
  static const ScratchFolder folder;
  static const bool prepared = [] {
    folder.write("tokenizer.model", read_source_file("tests/data/tokenizer/exact/tokenizer.model"));
    return true;
  }();
  require(prepared, "the model is there");
  static constexpr const char* kNames[] = {"tokenizer_config.json", "special_tokens_map.json",
                                           "added_tokens.json"};
  const auto texts = split_at_zeros(bytes, std::size(kNames));
  for (size_t i = 0; i < std::size(kNames); ++i) {
    if (i < texts.size()) {
      folder.write(kNames[i], texts[i]);
    } else {
      folder.remove(kNames[i]);
    }
  }
  const auto tokenizer = load_tokenizer(folder.path());
  if (!tokenizer) {
    return require_sentence(tokenizer.error(),
                            {kNames[0], kNames[1], kNames[2], "tokenizer.model"});
  }
  use_with_texts(**tokenizer, text);
}

}  // namespace quire::fuzz
