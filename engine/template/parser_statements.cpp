#include "engine/template/parser_state.h"

namespace quire::jinja {

template <typename T>
T* Parser::make_statement(StatementKind kind, uint32_t offset) {
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
    statement->values.push_back(parse_tuple());
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
  if (name == "call") return parse_call_block(offset);
  if (name == "filter") return parse_filter_block(offset);
  if (name == "with") return parse_with(offset);
  if (name == "block") return parse_named_block(offset);
  if (name == "generation") return parse_generation(offset);
  if (name == "print") return parse_print(offset);
  if (name == "break") return parse_loop_control(offset, StatementKind::kBreak);
  if (name == "continue") return parse_loop_control(offset, StatementKind::kContinue);
  const bool is_known = name == "include" || name == "import" || name == "from" ||
                        name == "extends" || name == "autoescape";
  fail(offset, is_known ? "a chat template is one file and cannot use {% " + name + " %}"
                        : unknown_tag(name));
  return nullptr;
}

/// Mostly a wrong nesting: an end that stands where another block has to end first.
std::string Parser::unknown_tag(const std::string& name) const {
  const std::string tag = "{% " + name + " %} ";
  const bool is_part = name.starts_with("end") || name == "else" || name == "elif";
  if (!is_part) return tag + "is no tag that chat templates have";
  if (m_open_ends.empty()) return tag + "belongs to nothing that is open here";
  return tag + "stands where {% " + m_open_ends.back() + " %} is missing";
}

Statement* Parser::parse_print(uint32_t offset) {
  auto* statement = make_statement<PrintStatement>(StatementKind::kPrint, offset);
  while (!failed() && peek().kind != TokenKind::kBlockEnd) {
    if (!statement->values.empty()) expect_operator(",");
    statement->values.push_back(parse_expression());
  }
  return statement;
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
  statement->iterable = parse_tuple(false, false, "recursive");
  if (!failed() && skip_name("if")) statement->condition = parse_expression();
  statement->is_recursive = skip_name("recursive");
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

Statement* Parser::parse_with(uint32_t offset) {
  auto* statement = make_statement<ScopeStatement>(StatementKind::kWith, offset);
  while (!failed() && peek().kind != TokenKind::kBlockEnd) {
    if (!statement->assignments.empty()) expect_operator(",");
    Expression* target = parse_target(false);
    expect_operator("=");
    statement->assignments.emplace_back(target, parse_expression());
  }
  statement->body = parse_body({"endwith"});
  end_body("endwith");
  return statement;
}

Statement* Parser::parse_named_block(uint32_t offset) {
  auto* statement = make_statement<ScopeStatement>(StatementKind::kScope, offset);
  const std::string name = expect_name("the block's name");
  skip_name("scoped");
  const int loops = std::exchange(m_loops, 0);
  statement->body = parse_body({"endblock"});
  m_loops = loops;
  end_body("endblock");
  skip_name(name);
  return statement;
}

/// Marks what the assistant says, for training; renders as its body.
Statement* Parser::parse_generation(uint32_t offset) {
  auto* statement = make_statement<ScopeStatement>(StatementKind::kScope, offset);
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
  parse_macro_body(statement->macro, "endmacro");
  return statement;
}

Statement* Parser::parse_call_block(uint32_t offset) {
  auto* statement = make_statement<CallBlockStatement>(StatementKind::kCallBlock, offset);
  statement->caller.name = "caller";
  if (at_operator("(")) parse_signature(statement->caller);
  statement->call = parse_expression();
  if (!failed() && statement->call->kind != ExpressionKind::kCall) fail(offset, "expected a call");
  parse_macro_body(statement->caller, "endcall");
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

void Parser::parse_macro_body(MacroDefinition& macro, std::string_view end_name) {
  const int loops = std::exchange(m_loops, 0);
  m_macros.push_back(&macro);
  macro.body = parse_body({end_name});
  m_macros.pop_back();
  m_loops = loops;
  end_body(end_name);
}

/// A macro takes extra arguments only if it reads the names that they would have.
void Parser::note_special_name(std::string_view name) {
  for (MacroDefinition* macro : m_macros) {
    macro->uses_caller |= name == "caller";
    macro->uses_kwargs |= name == "kwargs";
    macro->uses_varargs |= name == "varargs";
  }
}

}  // namespace quire::jinja
