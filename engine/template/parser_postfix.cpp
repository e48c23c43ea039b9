#include "engine/template/parser_state.h"

namespace quire::jinja {

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
  bool is_first = true;
  while (!failed() && !at_operator(")")) {
    if (!is_first) expect_operator(",");
    is_first = false;
    if (at_operator(")")) break;
    parse_argument(call);
  }
  expect_operator(")");
  return call;
}

void Parser::parse_argument(CallSyntax& call) {
  const bool is_named = peek().kind == TokenKind::kName && peek(1).kind == TokenKind::kOperator &&
                        peek(1).text == "=";
  if (call.star_star || (call.star && !is_named && !at_operator("**"))) {
    return fail_here("arguments may not follow *args and **kwargs");
  }
  if (skip_operator("*")) {
    call.star = parse_expression();
  } else if (skip_operator("**")) {
    call.star_star = parse_expression();
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
