#include "engine/template/parser.h"

#include "engine/template/errors.h"
#include "engine/template/parser_state.h"

namespace quire::jinja {

namespace {

/// Calls of the parser for one pair of parentheses.
constexpr int kParserFramesPerLevel = 4;

}  // namespace

const Token& Parser::peek(size_t ahead) const {
  return m_tokens[std::min(m_at + ahead, m_tokens.size() - 1)];
}

const Token& Parser::next() {
  const Token& token = peek();
  if (m_at + 1 < m_tokens.size()) ++m_at;
  return token;
}

bool Parser::at_operator(std::string_view text) const {
  return peek().kind == TokenKind::kOperator && peek().text == text;
}

bool Parser::at_name(std::string_view text) const {
  return peek().kind == TokenKind::kName && peek().text == text;
}

bool Parser::at_any_name(Names names) const {
  for (std::string_view name : names) {
    if (at_name(name)) return true;
  }
  return false;
}

bool Parser::skip_operator(std::string_view text) {
  if (!at_operator(text)) return false;
  next();
  return true;
}

bool Parser::skip_name(std::string_view text) {
  if (!at_name(text)) return false;
  next();
  return true;
}

void Parser::expect_operator(std::string_view text) {
  if (!skip_operator(text)) fail_here("expected '" + std::string(text) + "'");
}

void Parser::expect(TokenKind kind, std::string_view what) {
  if (peek().kind != kind) return fail_here("expected " + std::string(what));
  next();
}

std::string Parser::expect_name(std::string_view what) {
  if (peek().kind == TokenKind::kName) return next().text;
  fail_here("expected " + std::string(what));
  return {};
}

bool Parser::at_tuple_end() const {
  const TokenKind kind = peek().kind;
  return kind == TokenKind::kVariableEnd || kind == TokenKind::kBlockEnd || at_operator(")");
}

void Parser::fail(uint32_t offset, std::string_view message) {
  if (!m_error) m_error = error_at(m_tree.source, offset, message);
}

bool Parser::enter() {
  if (failed()) return false;
  if (m_depth >= m_max_depth * kParserFramesPerLevel) {
    fail_here("the template is nested too deeply");
    return false;
  }
  ++m_depth;
  return true;
}

std::optional<Error> Parser::run() {
  m_tree.body = parse_block({});
  return m_error;
}

Result<std::unique_ptr<const SyntaxTree>> parse(std::string_view source, int max_depth) {
  constexpr size_t kMaxSourceBytes = size_t{4} << 20;
  if (source.size() > kMaxSourceBytes) {
    return Error{ErrorCode::kTemplate,
                 "The chat template is longer than " + std::to_string(kMaxSourceBytes) + " bytes."};
  }
  auto tree = std::make_unique<SyntaxTree>();
  tree->source = normalize_newlines(source);
  auto tokens = tokenize(tree->source);
  if (!tokens) return tokens.error();
  if (auto error = Parser(*tree, std::move(*tokens), max_depth).run()) return *error;
  return std::unique_ptr<const SyntaxTree>(std::move(tree));
}

}  // namespace quire::jinja
