#include "engine/template/parser.h"

#include <algorithm>
#include <utility>

#include "engine/template/errors.h"

namespace quire::jinja {

namespace {

/// Nested calls of the parser for one pair of parentheses.
constexpr int kParserFramesPerLevel = 4;
/// The allocator's, and a place in the lists of nodes.
constexpr size_t kTreeAllocationBytes = 32;

}  // namespace

const Token& Parser::peek(size_t ahead) const {
  return m_tokens[std::min(m_at + ahead, m_tokens.size() - 1)];
}

const Token& Parser::next() {
  const Token& token = peek();
  if (m_at + 1 < m_tokens.size()) ++m_at;
  return token;
}

bool Parser::at_any_name(Names names) const {
  return std::ranges::any_of(names, [this](std::string_view name) { return at_name(name); });
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
  if (!charge(0)) return false;
  ++m_depth;
  return true;
}

bool Parser::fail_for_work() {
  fail_here(m_budget.error("the template").message);
  return false;
}

template <typename T>
T* Parser::make_statement(StatementKind kind, uint32_t offset) {
  charge(sizeof(T) + kTreeAllocationBytes);
  auto statement = std::make_unique<T>();
  T* result = statement.get();
  result->kind = kind;
  result->offset = offset;
  m_tree.statements.push_back(std::move(statement));
  return result;
}

/// Statements until a tag with one of the names, which is left unread; without names, all.
Block Parser::parse_block(Names end_names) {
  Block block;
  if (end_names.size() > 0) m_open_ends.emplace_back(*(end_names.end() - 1));
  while (!failed() && peek().kind != TokenKind::kEnd) {
    if (peek().kind == TokenKind::kBlockBegin) {
      const uint32_t offset = next().offset;
      if (at_any_name(end_names)) {
        m_open_ends.pop_back();
        return block;
      }
      if (peek().kind != TokenKind::kName) fail(offset, "expected the name of a tag");
    }
    if (failed() || !enter()) break;
    if (Statement* statement = parse_statement()) block.push_back(statement);
    leave();
  }
  if (!failed() && end_names.size() > 0) {
    fail_here("the template ends where " + std::string(*(end_names.end() - 1)) + " is missing");
  }
  return block;
}

/// The end of a tag, then its body.
Block Parser::parse_body(Names end_names) {
  skip_operator(":");
  expect(TokenKind::kBlockEnd, "the end of the tag");
  return parse_block(end_names);
}

void Parser::end_body(std::string_view end_name) {
  if (!skip_name(end_name)) fail_here("expected " + std::string(end_name));
}

Statement* Parser::parse_statement() {
  const Token& token = peek();
  if (token.kind == TokenKind::kData) {
    auto* statement = make_statement<TextStatement>(StatementKind::kText, token.offset);
    statement->text = std::make_shared<const Text>(next().text, std::vector<ByteRange>{});
    return statement;
  }
  if (token.kind == TokenKind::kVariableBegin) {
    auto* statement = make_statement<PrintStatement>(StatementKind::kPrint, next().offset);
    statement->value = parse_tuple();
    expect(TokenKind::kVariableEnd, "}}");
    return statement;
  }
  Statement* statement = parse_tag(next());
  expect(TokenKind::kBlockEnd, "the end of the tag");
  return statement;
}

Statement* Parser::parse_tag(const Token& tag) {
  const std::string& name = tag.text;
  const uint32_t offset = tag.offset;
  if (name == "if") return parse_if(offset);
  if (name == "for") return parse_for(offset);
  if (name == "set") return parse_set(offset);
  if (name == "macro") return parse_macro(offset);
  if (name == "filter") return parse_filter_block(offset);
  if (name == "generation") return parse_generation(offset);
  if (name == "break") return parse_loop_control(offset, StatementKind::kBreak);
  if (name == "continue") return parse_loop_control(offset, StatementKind::kContinue);
  const bool is_known = name == "include" || name == "import" || name == "from" ||
                        name == "extends" || name == "autoescape";
  fail(offset, is_known ? "a chat template is one file and cannot use {% " + name + " %}"
                        : unknown_tag(name));
  return nullptr;
}

/// The error for an unknown tag: mostly wrong nesting, an end tag before that of an inner block.
std::string Parser::unknown_tag(const std::string& name) const {
  const std::string tag = "{% " + name + " %} ";
  const bool is_part = name.starts_with("end") || name == "else" || name == "elif";
  if (!is_part) return tag + "is no tag that chat templates have";
  if (m_open_ends.empty()) return tag + "belongs to nothing that is open here";
  return tag + "stands where {% " + m_open_ends.back() + " %} is missing";
}

Statement* Parser::parse_if(uint32_t offset) {
  auto* statement = make_statement<IfStatement>(StatementKind::kIf, offset);
  do {
    Expression* condition = parse_tuple(false);
    Block body = parse_body({"elif", "else", "endif"});
    statement->branches.emplace_back(condition, std::move(body));
  } while (!failed() && skip_name("elif"));
  if (!failed() && skip_name("else")) statement->otherwise = parse_body({"endif"});
  end_body("endif");
  return statement;
}

Statement* Parser::parse_for(uint32_t offset) {
  auto* statement = make_statement<ForStatement>(StatementKind::kFor, offset);
  ++m_outer_loops;
  statement->target = parse_target(false, "in");
  if (!failed() && !skip_name("in")) fail_here("expected in");
  statement->iterable = parse_tuple(false);
  if (!failed() && skip_name("if")) statement->condition = parse_expression();
  if (at_name("recursive")) fail_here("recursive loops are not supported in chat templates");
  ++m_loops;
  statement->body = parse_body({"else", "endfor"});
  --m_loops;
  --m_outer_loops;
  if (!failed() && skip_name("else")) statement->otherwise = parse_body({"endfor"});
  end_body("endfor");
  return statement;
}

Statement* Parser::parse_set(uint32_t offset) {
  auto* statement = make_statement<SetStatement>(StatementKind::kSet, offset);
  statement->target = parse_target(true);
  if (skip_operator("=")) {
    statement->value = parse_tuple();
    return statement;
  }
  statement->kind = StatementKind::kSetBlock;
  statement->value = parse_filter_chain(nullptr);
  statement->body = parse_body({"endset"});
  end_body("endset");
  return statement;
}

Statement* Parser::parse_filter_block(uint32_t offset) {
  auto* statement = make_statement<SetStatement>(StatementKind::kFilterBlock, offset);
  statement->value = parse_filter_chain(parse_filter(nullptr));
  statement->body = parse_body({"endfilter"});
  end_body("endfilter");
  return statement;
}

Statement* Parser::parse_generation(uint32_t offset) {
  auto* statement = make_statement<GenerationStatement>(StatementKind::kGeneration, offset);
  const int loops = std::exchange(m_loops, 0);
  statement->body = parse_body({"endgeneration"});
  m_loops = loops;
  end_body("endgeneration");
  return statement;
}

Statement* Parser::parse_loop_control(uint32_t offset, StatementKind kind) {
  if (m_loops == 0) fail(offset, "break and continue only work inside a loop");
  return make_statement<Statement>(kind, offset);
}

Expression* Parser::parse_target(bool with_namespace, std::string_view end_name) {
  if (!enter()) return nullptr;
  const uint32_t offset = peek().offset;
  std::vector<Expression*> items;
  bool is_tuple = false;
  while (!failed()) {
    items.push_back(parse_single_target(with_namespace));
    if (!skip_operator(",")) break;
    is_tuple = true;
    if (at_operator(")") || at_operator("=") || (!end_name.empty() && at_name(end_name))) break;
  }
  leave();
  if (failed()) return nullptr;
  return is_tuple ? make(ExpressionKind::kTuple, offset, std::move(items)) : items[0];
}

Expression* Parser::parse_single_target(bool with_namespace) {
  if (skip_operator("(")) {
    Expression* inner = parse_target(with_namespace);
    expect_operator(")");
    return inner;
  }
  if (peek().kind != TokenKind::kName ||
      at_any_name({"true", "false", "none", "True", "False", "None"})) {
    fail_here("expected a name to assign to");
    return nullptr;
  }
  const Token& token = next();
  if (with_namespace && skip_operator(".")) {
    Expression* name = make(ExpressionKind::kName, token.offset, {}, token.text);
    return make(ExpressionKind::kNamespaceTarget, token.offset, {name},
                expect_name("an attribute's name"));
  }
  if (token.text == "loop" && m_outer_loops > 0) {
    fail(token.offset, "the loop variable cannot be assigned to");
  }
  return make(ExpressionKind::kName, token.offset, {}, token.text);
}

Statement* Parser::parse_macro(uint32_t offset) {
  auto* statement = make_statement<MacroStatement>(StatementKind::kMacro, offset);
  statement->macro.name = expect_name("the macro's name");
  parse_signature(statement->macro);
  const int loops = std::exchange(m_loops, 0);
  statement->macro.body = parse_body({"endmacro"});
  m_loops = loops;
  end_body("endmacro");
  return statement;
}

void Parser::parse_signature(MacroDefinition& macro) {
  expect_operator("(");
  while (!failed() && !at_operator(")")) {
    if (!macro.parameters.empty()) expect_operator(",");
    Parameter parameter{expect_name("a parameter's name")};
    if (skip_operator("=")) {
      parameter.fallback = parse_expression();
    } else if (!macro.parameters.empty() && macro.parameters.back().fallback) {
      fail_here("a parameter without a default follows one that has a default");
    }
    macro.parameters.push_back(std::move(parameter));
  }
  expect_operator(")");
}

std::optional<Error> Parser::run() {
  m_tree.body = parse_block({});
  return m_error;
}

Result<std::unique_ptr<const SyntaxTree>> parse(std::string_view source, int max_depth,
                                                WorkBudget& budget) {
  constexpr size_t kMaxSourceBytes = size_t{4} << 20;
  if (source.size() > kMaxSourceBytes) {
    return Error{ErrorCode::kTemplate,
                 "The chat template is longer than " + std::to_string(kMaxSourceBytes) + " bytes."};
  }
  auto tree = std::make_unique<SyntaxTree>();
  tree->source = normalize_newlines(source);
  auto tokens = tokenize(tree->source, budget);
  if (!tokens) return tokens.error();
  if (auto error = Parser(*tree, std::move(*tokens), max_depth, budget).run()) return *error;
  return std::unique_ptr<const SyntaxTree>(std::move(tree));
}

}  // namespace quire::jinja
