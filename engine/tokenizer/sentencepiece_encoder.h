#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "engine/tokenizer/sentencepiece_proto.h"
#include "engine/tokenizer/tokenizer.h"
#include "kernels/base/result.h"

namespace quire {

/// Text to ids through libsentencepiece, which stays hidden in the source file.
/// Thread: immutable; any thread.
class SentencePieceEncoder {
 public:
  /// `never`: by id, the tokens that text must not become. `model` was parsed from `bytes`; neither
  /// is referenced after the call. Errors: kCorruptFile, kOutOfMemory, without the file's name.
  static Result<std::unique_ptr<SentencePieceEncoder>> create(std::string_view bytes,
                                                              const SentencePieceModel& model,
                                                              std::vector<bool> never);
  ~SentencePieceEncoder();

  /// `at_start`: the text is the first of its sequence and gets the model's dummy prefix, if any.
  std::vector<TokenId> encode(std::string_view text, bool at_start) const;

  bool has_dummy_prefix() const { return m_has_dummy_prefix; }
  /// The ids that the model itself calls so; -1 for none.
  TokenId library_bos() const;
  TokenId library_eos() const;

 private:
  struct Library;
  SentencePieceEncoder();

  void index_pieces(const SentencePieceModel& model);
  void append_valid(std::string_view text, bool at_start, std::vector<TokenId>& ids) const;
  void append_chunk(std::string_view text, bool at_start, std::vector<TokenId>& ids) const;
  void append_bytes(std::string_view bytes, std::vector<TokenId>& ids) const;
  bool is_literal(std::string_view text) const;

  std::unique_ptr<Library> m_library;
  std::vector<bool> m_never;
  std::array<TokenId, 256> m_byte_ids{};  ///< The unknown token where the model has no such byte.
  bool m_has_dummy_prefix = false;
  bool m_escapes_exactly = false;   ///< U+2581 in a text is told from a space by its bytes' tokens.
  bool m_splits_at_spaces = false;  ///< No piece goes on over a space after something else.
};

}  // namespace quire
