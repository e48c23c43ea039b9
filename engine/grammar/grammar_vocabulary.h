#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/grammar/token_mask.h"
#include "engine/tokenizer/tokenizer.h"

namespace quire {

/// A model's tokens as a trie of their bytes, in which those that may follow are found without
/// spelling each one from its beginning; and what is known of them inside JSON strings, where
/// nearly all tokens may follow.
///
/// The trie's nodes are in preorder: the descendants of node i are the nodes after it up to its
/// `end`. Special tokens and those of more than kMaxTokenBytes are not in it: they are never part
/// of a text with a grammar.
/// Thread: immutable; any. Takes some 15 MB and a tenth of a second for 150,000 tokens.
class GrammarVocabulary {
 public:
  static constexpr size_t kMaxTokenBytes = 256;

  /// `vocab_size`: the number of the model's logits. `end_tokens` end an answer.
  GrammarVocabulary(const Tokenizer& tokenizer, int vocab_size, std::vector<TokenId> end_tokens);

  struct Node {
    uint32_t end;          ///< The node after its last descendant.
    uint32_t first_token;  ///< Those of the node are tokens()[first_token, that of the next node).
    uint8_t byte;
  };
  /// Without the root; one more at the end, for the tokens of the last one.
  std::span<const Node> nodes() const { return m_nodes; }
  uint32_t num_nodes() const { return static_cast<uint32_t>(m_nodes.size() - 1); }
  /// The tokens whose bytes end at a node.
  std::span<const TokenId> tokens_of(uint32_t node) const {
    return std::span(m_tokens).subspan(m_nodes[node].first_token,
                                       m_nodes[node + 1].first_token - m_nodes[node].first_token);
  }

  /// A node that closes a string which its token began in.
  struct StringEnd {
    uint32_t node;
    uint32_t num_characters;  ///< Before the quote.
    bool has_escape;          ///< Before the quote.
    uint32_t text;            ///< Of the bytes before the quote, in string_text().
    uint32_t num_bytes;
  };
  std::span<const StringEnd> string_ends() const { return m_string_ends; }
  std::string_view text_of(const StringEnd& end) const {
    return std::string_view(m_string_text).substr(end.text, end.num_bytes);
  }

  static constexpr uint32_t kAnyNumber = std::numeric_limits<uint32_t>::max();
  /// Adds the tokens that go on inside a string, between two characters, without closing it: those
  /// that begin at most so many characters.
  void add_string_tokens(TokenMask& mask, uint32_t max_characters, bool allows_escapes) const;

  /// The bytes of a token that may be part of a text; empty for others.
  std::string_view bytes_of(TokenId id) const;
  bool is_end_token(TokenId id) const;
  std::span<const TokenId> end_tokens() const { return m_end_tokens; }
  /// Of text without a grammar that does not end.
  std::shared_ptr<const TokenMask> all_but_end_tokens() const { return m_all_but_end_tokens; }
  int vocab_size() const { return m_vocab_size; }

 private:
  struct Text {
    uint32_t begin;
    uint32_t size;
  };
  /// A token that goes on inside a string.
  struct StringToken {
    TokenId id;
    uint32_t num_characters;
    bool has_escape;
  };
  void read_tokens(const Tokenizer& tokenizer);
  size_t count_nodes() const;
  void build_trie();
  void add_node(uint8_t byte);
  void walk_strings();
  void build_string_masks();

  int m_vocab_size;
  std::vector<TokenId> m_end_tokens;  ///< Ascending.
  std::shared_ptr<const TokenMask> m_all_but_end_tokens;
  std::string m_bytes;
  std::vector<Text> m_texts;  ///< By token, in m_bytes.
  std::vector<Node> m_nodes;
  std::vector<TokenId> m_tokens;
  std::vector<StringEnd> m_string_ends;
  std::string m_string_text;
  std::vector<StringToken> m_string_tokens;  ///< By their number of characters.
  /// [0]: without escapes; of up to 0, 1, ... characters, and of any number.
  std::vector<TokenMask> m_string_masks[2];
};

}  // namespace quire
