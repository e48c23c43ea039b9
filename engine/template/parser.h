#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/template/ast.h"
#include "kernels/base/result.h"
#include "kernels/base/work_budget.h"

namespace quire::jinja {

enum class TokenKind {
  kData,
  kVariableBegin,
  kVariableEnd,
  kBlockBegin,
  kBlockEnd,
  kName,
  kString,  ///< `text` is unescaped.
  kInteger,
  kFloat,
  kOperator,
  kEnd
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  uint32_t offset = 0;
  std::string text;
};

/// Normalises a template's source as Jinja does: newlines become \n, a last one is dropped.
std::string normalize_newlines(std::string_view source);

/// Splits a normalised source into tokens and applies whitespace control, trim_blocks,
/// lstrip_blocks and comments. The last token is kEnd. Errors: kTemplate with the place, also where
/// the budget is spent.
Result<std::vector<Token>> tokenize(std::string_view source, WorkBudget& budget);

/// Parses a template. `max_depth` bounds the nesting of expressions and of blocks, each; `budget`
/// the tokens and nodes, which take a hundred times the bytes of the source.
/// Errors: kTemplate with line and column.
Result<std::unique_ptr<const SyntaxTree>> parse(std::string_view source, int max_depth,
                                                WorkBudget& budget);

/// A recursive-descent parser over tokens. After the first failure, which is kept, every function
/// returns null (or an empty block) at once.
/// Expressions: parser_expressions.cpp. The rest: parser.cpp.
class Parser {
 public:
  Parser(SyntaxTree& tree, std::vector<Token> tokens, int max_depth, WorkBudget& budget)
      : m_tree(tree), m_tokens(std::move(tokens)), m_max_depth(max_depth), m_budget(budget) {}

  std::optional<Error> run();

 private:
  using Names = std::initializer_list<std::string_view>;

  // Tokens.
  const Token& peek(size_t ahead = 0) const;
  const Token& next();
  // Most tokens are compared with several texts, nearly always in vain.
  bool at_operator(std::string_view text) const { return is_at(TokenKind::kOperator, text); }
  bool at_name(std::string_view text) const { return is_at(TokenKind::kName, text); }
  bool is_at(TokenKind kind, std::string_view text) const {
    const Token& token = peek();
    return token.kind == kind && token.text.size() == text.size() && token.text == text;
  }
  bool at_any_name(Names names) const;
  bool skip_operator(std::string_view text);
  bool skip_name(std::string_view text);
  void expect_operator(std::string_view text);
  void expect(TokenKind kind, std::string_view what);
  std::string expect_name(std::string_view what);
  bool at_tuple_end() const;
  void fail(uint32_t offset, std::string_view message);
  void fail_here(std::string_view message) { fail(peek().offset, message); }
  bool failed() const { return m_error.has_value(); }
  bool enter();
  /// Counts a node that is about to be made.
  bool charge(size_t bytes) {
    if (m_budget.spend() && m_budget.reserve(bytes)) [[likely]]
      return true;
    return fail_for_work();
  }
  bool fail_for_work();  ///< Returns false.
  void leave() { --m_depth; }

  // Expressions.
  Expression* make(ExpressionKind kind, uint32_t offset, std::vector<Expression*> operands,
                   std::string name = {});
  Expression* make_constant(uint32_t offset, Value value);
  Expression* finish(Expression* expression);
  template <typename ParseItem>
  void parse_items(std::string_view end, ParseItem parse_item);
  Expression* parse_expression(bool with_conditional = true);
  Expression* parse_conditional();
  Expression* parse_binary(int min_level);
  Expression* parse_operation(Expression* left, int level);
  Expression* parse_comparison(Expression* left);
  Expression* parse_concatenation(Expression* left);
  Expression* parse_unary(bool with_filter = true);
  Expression* parse_primary();
  Expression* parse_constant_or_name();
  Expression* parse_string();
  Expression* parse_number();
  Expression* parse_tuple(bool with_conditional = true, bool in_parentheses = false,
                          std::string_view end_name = {});
  Expression* parse_list();
  Expression* parse_dict();
  Expression* parse_postfix(Expression* value);
  Expression* parse_attribute(Expression* value);
  Expression* parse_subscript(Expression* value);
  Expression* parse_subscript_index(Expression* value);
  Expression* parse_slice_part();
  Expression* parse_call(Expression* value);
  CallSyntax parse_arguments();
  void parse_argument(CallSyntax& call);
  Expression* parse_filters_and_tests(Expression* value);
  Expression* parse_filter(Expression* value);
  Expression* parse_filter_chain(Expression* value);
  Expression* parse_test(Expression* value);
  int operator_level() const;
  int call_height(const CallSyntax& call) const;

  // Statements.
  template <typename T>
  T* make_statement(StatementKind kind, uint32_t offset);
  Block parse_block(Names end_names);
  std::string unknown_tag(const std::string& name) const;
  Block parse_body(Names end_names);
  void end_body(std::string_view end_name);
  Statement* parse_statement();
  Statement* parse_tag(const Token& tag);
  Statement* parse_if(uint32_t offset);
  Statement* parse_for(uint32_t offset);
  Statement* parse_set(uint32_t offset);
  Statement* parse_filter_block(uint32_t offset);
  Statement* parse_generation(uint32_t offset);
  Statement* parse_loop_control(uint32_t offset, StatementKind kind);
  Expression* parse_target(bool with_namespace, std::string_view end_name = {});
  Expression* parse_single_target(bool with_namespace);
  Statement* parse_macro(uint32_t offset);
  void parse_signature(MacroDefinition& macro);

  SyntaxTree& m_tree;
  std::vector<Token> m_tokens;
  int m_max_depth;
  WorkBudget& m_budget;
  size_t m_at = 0;
  int m_depth = 0;
  std::vector<std::string> m_open_ends;  ///< The tags that end the enclosing blocks.
  int m_loops = 0;                       ///< Enclosing loops within the innermost macro.
  int m_outer_loops = 0;                 ///< All enclosing loops.
  std::optional<Error> m_error;
};

}  // namespace quire::jinja
