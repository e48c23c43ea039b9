#include <algorithm>
#include <charconv>

#include "engine/template/parser.h"

namespace quire::jinja {

namespace {

// Precedence of operators; the right operand of an operator has a higher one.
constexpr int kOr = 1, kAnd = 2, kNot = 3, kCompare = 4, kSum = 5, kConcat = 6, kProduct = 7;

}  // namespace

Expression* Parser::make(ExpressionKind kind, uint32_t offset, std::vector<Expression*> operands,
                         std::string name) {
  constexpr size_t kAllocationBytes = 64;  // Of the node and its operands.
  const size_t bytes =
      sizeof(Expression) + kAllocationBytes + operands.size() * sizeof(operands[0]);
  if (failed() || !charge(bytes + name.size())) return nullptr;
  auto expression = std::make_unique<Expression>();
  expression->kind = kind;
  expression->offset = offset;
  expression->operands = std::move(operands);
  expression->name = std::move(name);
  m_tree.expressions.push_back(std::move(expression));
  return finish(m_tree.expressions.back().get());
}

Expression* Parser::make_constant(uint32_t offset, Value value) {
  Expression* constant = make(ExpressionKind::kConstant, offset, {});
  if (constant) constant->constant = std::move(value);
  return constant;
}

int Parser::call_height(const CallSyntax& call) const {
  int height = 0;
  for (const Expression* value : call.positional) height = std::max(height, value->height);
  for (const auto& [name, value] : call.named) height = std::max(height, value->height);
  return height;
}

/// Computes the height. A chain of binary operators is evaluated in a loop along its left operands,
/// so that it counts as one level.
Expression* Parser::finish(Expression* expression) {
  int height = call_height(expression->call);
  for (size_t i = 0; i < expression->operands.size(); ++i) {
    const Expression* operand = expression->operands[i];
    if (!operand) continue;
    const bool is_chain = i == 0 && expression->kind == ExpressionKind::kBinary &&
                          operand->kind == ExpressionKind::kBinary;
    height = std::max(height, operand->height - (is_chain ? 1 : 0));
  }
  expression->height = height + 1;
  if (expression->height > m_max_depth) {
    fail(expression->offset, "the expression is nested too deeply");
    return nullptr;
  }
  return expression;
}

Expression* Parser::parse_expression(bool with_conditional) {
  if (!enter()) return nullptr;
  Expression* result = with_conditional ? parse_conditional() : parse_binary(kOr);
  leave();
  return result;
}

Expression* Parser::parse_conditional() {
  const uint32_t offset = peek().offset;
  Expression* value = parse_binary(kOr);
  while (!failed() && skip_name("if")) {
    Expression* condition = parse_binary(kOr);
    Expression* otherwise = skip_name("else") ? parse_expression() : nullptr;
    value = make(ExpressionKind::kConditional, offset, {value, condition, otherwise});
  }
  return value;
}

/// The level of the operator that comes next, 0 where there is none.
int Parser::operator_level() const {
  const Token& token = peek();
  const std::string& text = token.text;
  if (token.kind == TokenKind::kName) {
    if (text == "or") return kOr;
    if (text == "and") return kAnd;
    if (text == "in") return kCompare;
    const bool is_not_in =
        text == "not" && peek(1).kind == TokenKind::kName && peek(1).text == "in";
    return is_not_in ? kCompare : 0;
  }
  if (token.kind != TokenKind::kOperator) return 0;
  if (text == "+" || text == "-") return kSum;
  if (text == "~") return kConcat;
  if (text == "*" || text == "/" || text == "//" || text == "%") return kProduct;
  const bool is_comparison =
      text == "==" || text == "!=" || text == "<" || text == ">" || text == "<=" || text == ">=";
  return is_comparison ? kCompare : 0;
}

Expression* Parser::parse_binary(int min_level) {
  if (!enter()) return nullptr;
  Expression* left = nullptr;
  if (min_level <= kNot && at_name("not")) {
    const uint32_t offset = next().offset;
    left = make(ExpressionKind::kUnary, offset, {parse_binary(kNot)}, "not");
  } else {
    left = parse_unary();
  }
  for (int level = operator_level(); !failed() && level >= min_level && level > 0;
       level = operator_level()) {
    left = parse_operation(left, level);
  }
  leave();
  return left;
}

Expression* Parser::parse_operation(Expression* left, int level) {
  if (level == kCompare) return parse_comparison(left);
  if (level == kConcat) return parse_concatenation(left);
  const Token& op = next();
  Expression* right = parse_binary(level + 1);
  return make(ExpressionKind::kBinary, op.offset, {left, right}, op.text);
}

Expression* Parser::parse_comparison(Expression* left) {
  Expression* comparison = make(ExpressionKind::kCompare, peek().offset, {left});
  while (!failed() && operator_level() == kCompare) {
    std::string op = next().text;
    if (op == "not") {
      next();
      op = "not in";
    }
    Expression* right = parse_binary(kCompare + 1);
    if (failed()) return nullptr;
    comparison->operators.push_back(std::move(op));
    comparison->operands.push_back(right);
  }
  return failed() ? nullptr : finish(comparison);
}

Expression* Parser::parse_concatenation(Expression* left) {
  std::vector<Expression*> parts = {left};
  const uint32_t offset = peek().offset;
  while (!failed() && skip_operator("~")) parts.push_back(parse_binary(kConcat + 1));
  return make(ExpressionKind::kConcat, offset, std::move(parts));
}

Expression* Parser::parse_unary(bool with_filter) {
  if (!enter()) return nullptr;
  Expression* value = nullptr;
  if (at_operator("-") || at_operator("+")) {
    const Token& op = next();
    value = make(ExpressionKind::kUnary, op.offset, {parse_unary(false)}, op.text);
  } else {
    value = parse_primary();
  }
  value = parse_postfix(value);
  if (with_filter) value = parse_filters_and_tests(value);
  leave();
  return value;
}

Expression* Parser::parse_primary() {
  const Token& token = peek();
  if (token.kind == TokenKind::kName) return parse_constant_or_name();
  if (token.kind == TokenKind::kString) return parse_string();
  if (token.kind == TokenKind::kInteger || token.kind == TokenKind::kFloat) return parse_number();
  if (at_operator("[")) return parse_list();
  if (at_operator("{")) return parse_dict();
  if (!skip_operator("(")) {
    fail_here("expected an expression");
    return nullptr;
  }
  Expression* value = parse_tuple(true, true);
  expect_operator(")");
  return value;
}

Expression* Parser::parse_constant_or_name() {
  const Token& token = next();
  const std::string& name = token.text;
  if (name == "true" || name == "True") return make_constant(token.offset, true);
  if (name == "false" || name == "False") return make_constant(token.offset, false);
  if (name == "none" || name == "None") return make_constant(token.offset, None{});
  return make(ExpressionKind::kName, token.offset, {}, name);
}

Expression* Parser::parse_string() {
  const uint32_t offset = peek().offset;
  std::string text;
  while (peek().kind == TokenKind::kString) text += next().text;
  return make_constant(offset,
                       std::make_shared<const Text>(std::move(text), std::vector<ByteRange>{}));
}

Expression* Parser::parse_number() {
  const Token& token = next();
  const std::string& digits = token.text;
  const char* end = digits.data() + digits.size();
  if (token.kind == TokenKind::kFloat) {
    double value = 0;
    // Beyond the range of doubles Python reads infinity or zero; a template has no use for either.
    if (std::from_chars(digits.data(), end, value).ec != std::errc()) {
      fail(token.offset, "this number is too large or too small");
    }
    return make_constant(token.offset, value);
  }
  int64_t value = 0;
  if (std::from_chars(digits.data(), end, value).ec != std::errc()) {
    fail(token.offset, "this integer needs more than 64 bits");
  }
  return make_constant(token.offset, value);
}

Expression* Parser::parse_tuple(bool with_conditional, bool in_parentheses,
                                std::string_view end_name) {
  const uint32_t offset = peek().offset;
  std::vector<Expression*> items;
  bool is_tuple = false;
  while (!failed()) {
    if (!items.empty()) expect_operator(",");
    if (at_tuple_end() || (!end_name.empty() && at_name(end_name))) break;
    items.push_back(parse_expression(with_conditional));
    if (!at_operator(",")) break;
    is_tuple = true;
  }
  if (failed()) return nullptr;
  if (!is_tuple && !items.empty()) return items[0];
  if (!is_tuple && !in_parentheses) {
    fail_here("expected an expression");
    return nullptr;
  }
  return make(ExpressionKind::kTuple, offset, std::move(items));
}

/// Items separated by commas, and perhaps one after the last, up to and including `end`.
template <typename ParseItem>
void Parser::parse_items(std::string_view end, ParseItem parse_item) {
  for (bool is_first = true; !failed() && !at_operator(end); is_first = false) {
    if (!is_first) expect_operator(",");
    if (!at_operator(end)) parse_item();
  }
  expect_operator(end);
}

Expression* Parser::parse_list() {
  const uint32_t offset = next().offset;
  std::vector<Expression*> items;
  parse_items("]", [&] { items.push_back(parse_expression()); });
  return make(ExpressionKind::kList, offset, std::move(items));
}

Expression* Parser::parse_dict() {
  const uint32_t offset = next().offset;
  std::vector<Expression*> items;
  parse_items("}", [&] {
    items.push_back(parse_expression());
    expect_operator(":");
    items.push_back(parse_expression());
  });
  return make(ExpressionKind::kDict, offset, std::move(items));
}

Expression* Parser::parse_postfix(Expression* value) {
  while (!failed()) {
    if (at_operator(".")) {
      value = parse_attribute(value);
    } else if (at_operator("[")) {
      value = parse_subscript(value);
    } else if (at_operator("(")) {
      value = parse_call(value);
    } else {
      break;
    }
  }
  return value;
}

Expression* Parser::parse_attribute(Expression* value) {
  const uint32_t offset = next().offset;
  const Token& token = peek();
  if (token.kind == TokenKind::kInteger) {
    Expression* index = parse_number();
    return make(ExpressionKind::kItem, offset, {value, index});
  }
  return make(ExpressionKind::kAttribute, offset, {value}, expect_name("a name or a number"));
}

Expression* Parser::parse_subscript(Expression* value) {
  const uint32_t offset = next().offset;
  std::vector<Expression*> indices;
  while (!failed() && !at_operator("]")) {
    if (!indices.empty()) expect_operator(",");
    indices.push_back(parse_subscript_index(value));
  }
  expect_operator("]");
  if (failed()) return nullptr;
  if (indices.empty()) {
    fail(offset, "expected an index between the brackets");
    return nullptr;
  }
  if (indices.size() == 1) {
    const bool is_slice =
        indices[0]->kind == ExpressionKind::kSlice && indices[0]->operands[0] == value;
    if (is_slice) return indices[0];
    return make(ExpressionKind::kItem, offset, {value, indices[0]});
  }
  return make(ExpressionKind::kItem, offset,
              {value, make(ExpressionKind::kTuple, offset, std::move(indices))});
}

/// One index, or a slice of `value`.
Expression* Parser::parse_subscript_index(Expression* value) {
  const uint32_t offset = peek().offset;
  Expression* begin = at_operator(":") ? nullptr : parse_expression();
  if (!skip_operator(":")) return begin;
  Expression* end = parse_slice_part();
  Expression* step = skip_operator(":") ? parse_slice_part() : nullptr;
  return make(ExpressionKind::kSlice, offset, {value, begin, end, step});
}

Expression* Parser::parse_slice_part() {
  if (at_operator(":") || at_operator("]") || at_operator(",")) return nullptr;
  return parse_expression();
}

Expression* Parser::parse_call(Expression* value) {
  const uint32_t offset = peek().offset;
  Expression* call = make(ExpressionKind::kCall, offset, {value});
  if (!call) return nullptr;
  call->call = parse_arguments();
  return failed() ? nullptr : finish(call);
}

CallSyntax Parser::parse_arguments() {
  CallSyntax call;
  expect_operator("(");
  parse_items(")", [&] { parse_argument(call); });
  return call;
}

void Parser::parse_argument(CallSyntax& call) {
  const bool is_named = peek().kind == TokenKind::kName && peek(1).kind == TokenKind::kOperator &&
                        peek(1).text == "=";
  if (at_operator("*")) {
    fail_here("*args are not supported in chat templates");
  } else if (is_named) {
    std::string name = next().text;
    next();
    call.named.emplace_back(std::move(name), parse_expression());
  } else if (!call.named.empty()) {
    fail_here("a positional argument follows a named one");
  } else {
    call.positional.push_back(parse_expression());
  }
}

Expression* Parser::parse_filters_and_tests(Expression* value) {
  while (!failed()) {
    if (at_operator("|")) {
      value = parse_filter_chain(value);
    } else if (at_name("is")) {
      value = parse_test(value);
    } else if (at_operator("(")) {
      value = parse_call(value);
    } else {
      break;
    }
  }
  return value;
}

Expression* Parser::parse_filter_chain(Expression* value) {
  while (!failed() && skip_operator("|")) value = parse_filter(value);
  return value;
}

/// One filter, its bar already read.
Expression* Parser::parse_filter(Expression* value) {
  const uint32_t offset = peek().offset;
  std::string name = expect_name("a filter's name");
  while (!failed() && skip_operator(".")) name += "." + expect_name("a filter's name");
  Expression* filter = make(ExpressionKind::kFilter, offset, {value}, std::move(name));
  if (!filter) return nullptr;
  if (at_operator("(")) filter->call = parse_arguments();
  return failed() ? nullptr : finish(filter);
}

Expression* Parser::parse_test(Expression* value) {
  const uint32_t offset = next().offset;
  const bool is_negated = skip_name("not");
  std::string name = expect_name("a test's name");
  while (!failed() && skip_operator(".")) name += "." + expect_name("a test's name");
  Expression* test = make(ExpressionKind::kTest, offset, {value}, std::move(name));
  if (!test) return nullptr;
  const TokenKind kind = peek().kind;
  const bool is_value = kind == TokenKind::kName || kind == TokenKind::kString ||
                        kind == TokenKind::kInteger || kind == TokenKind::kFloat ||
                        at_operator("[") || at_operator("{");
  if (at_operator("(")) {
    test->call = parse_arguments();
  } else if (is_value && !at_any_name({"else", "or", "and"})) {
    if (at_name("is")) fail_here("tests cannot be chained with is");
    test->call.positional.push_back(parse_postfix(failed() ? nullptr : parse_primary()));
  }
  if (failed()) return nullptr;
  finish(test);
  return is_negated ? make(ExpressionKind::kUnary, offset, {test}, "not") : test;
}

}  // namespace quire::jinja
