#include "engine/template/evaluator.h"
#include "engine/template/operators.h"
#include "engine/template/print.h"

namespace quire::jinja {

void Scope::set(std::string_view name, Value value) {
  for (auto& [key, slot] : variables) {
    if (key == name) {
      slot = std::move(value);
      return;
    }
  }
  variables.emplace_back(name, std::move(value));
}

Scope* Evaluator::open_scope(Scope& parent) {
  auto* scope = m_runtime.make<Scope>();
  if (scope) scope->parent = &parent;
  return scope;
}

Evaluator::Flow Evaluator::execute(const Block& block, Scope& scope, TextBuilder& out) {
  if (!m_runtime.enter()) return Flow::kNormal;
  Flow flow = Flow::kNormal;
  for (const Statement* statement : block) {
    flow = execute_statement(*statement, scope, out);
    if (m_runtime.failed()) m_runtime.locate(statement->offset);
    if (flow != Flow::kNormal || !m_runtime.charge()) break;
  }
  m_runtime.leave();
  return flow;
}

Evaluator::Flow Evaluator::execute_statement(const Statement& statement, Scope& scope,
                                             TextBuilder& out) {
  switch (statement.kind) {
    case StatementKind::kText:
      out.append(*static_cast<const TextStatement&>(statement).text);
      break;
    case StatementKind::kPrint:
      print_values(static_cast<const PrintStatement&>(statement), scope, out);
      break;
    case StatementKind::kIf:
      return execute_if(static_cast<const IfStatement&>(statement), scope, out);
    case StatementKind::kFor:
      return execute_for(static_cast<const ForStatement&>(statement), scope, out);
    case StatementKind::kSet: {
      const auto& set = static_cast<const SetStatement&>(statement);
      const Value value = evaluate(set.value, scope);
      if (!m_runtime.failed()) assign(*set.target, value, scope);
      break;
    }
    case StatementKind::kSetBlock:
    case StatementKind::kFilterBlock:
      return execute_set_block(static_cast<const SetStatement&>(statement), scope, out);
    case StatementKind::kMacro: {
      const auto& macro = static_cast<const MacroStatement&>(statement).macro;
      scope.set(macro.name, make_macro(macro, scope));
      break;
    }
    case StatementKind::kCallBlock:
      execute_call_block(static_cast<const CallBlockStatement&>(statement), scope, out);
      break;
    case StatementKind::kWith:
    case StatementKind::kScope:
      return execute_scope(static_cast<const ScopeStatement&>(statement), scope, out);
    case StatementKind::kBreak:
      return Flow::kBreak;
    case StatementKind::kContinue:
      return Flow::kContinue;
  }
  return Flow::kNormal;
}

void Evaluator::print_values(const PrintStatement& statement, Scope& scope, TextBuilder& out) {
  for (const Expression* expression : statement.values) {
    const Value value = evaluate(expression, scope);
    if (m_runtime.failed()) return;
    print(m_runtime, out, value);
  }
}

Evaluator::Flow Evaluator::execute_if(const IfStatement& statement, Scope& scope,
                                      TextBuilder& out) {
  for (const auto& [condition, body] : statement.branches) {
    const Value value = evaluate(condition, scope);
    if (m_runtime.failed()) return Flow::kNormal;
    if (is_true(value)) return execute(body, scope, out);
  }
  return execute(statement.otherwise, scope, out);
}

Evaluator::Flow Evaluator::execute_for(const ForStatement& statement, Scope& scope,
                                       TextBuilder& out) {
  const Value iterable = evaluate(statement.iterable, scope);
  if (m_runtime.failed()) return Flow::kNormal;
  return run_loop(statement, iterable, 0, scope, out);
}

/// What the loop runs over: all items, or those that its condition selects.
const std::vector<Value>* Evaluator::select_items(const ForStatement& statement,
                                                  const Value& iterable, Scope& scope) {
  const std::vector<Value>* items = iterate(m_runtime, iterable);
  if (!items || !statement.condition) return items;
  std::vector<Value> selected;
  Scope* inner = open_scope(scope);
  for (size_t i = 0; inner && i < items->size(); ++i) {
    assign(*statement.target, (*items)[i], *inner);
    const Value value = evaluate(statement.condition, *inner);
    if (m_runtime.failed()) return nullptr;
    if (is_true(value)) selected.push_back((*items)[i]);
  }
  const Value owned = m_runtime.tuple(std::move(selected));
  return m_runtime.failed() ? nullptr : &std::get<Sequence*>(owned)->items;
}

Evaluator::Flow Evaluator::run_loop(const ForStatement& statement, const Value& iterable,
                                    int depth0, Scope& scope, TextBuilder& out) {
  const std::vector<Value>* items = select_items(statement, iterable, scope);
  Loop* loop = m_runtime.make<Loop>();
  Scope* inner = open_scope(scope);
  if (!items || !loop || !inner) return Flow::kNormal;
  loop->items = items;
  loop->depth0 = depth0;
  loop->recursive = statement.is_recursive ? &statement : nullptr;
  loop->scope = &scope;
  bool has_completed = false;  // As in Jinja, an iteration that was cut short does not count.
  for (size_t i = 0; i < items->size() && m_runtime.charge(); ++i) {
    loop->index0 = i;
    if (inner->is_captured) inner = open_scope(scope);
    if (!inner) break;
    inner->variables.clear();
    inner->set("loop", loop);
    assign(*statement.target, (*items)[i], *inner);
    if (m_runtime.failed()) break;
    const Flow flow = execute(statement.body, *inner, out);
    if (flow == Flow::kBreak) break;
    has_completed |= flow == Flow::kNormal;
  }
  if (has_completed || m_runtime.failed() || statement.otherwise.empty()) return Flow::kNormal;
  Scope* other = open_scope(scope);
  return other ? execute(statement.otherwise, *other, out) : Flow::kNormal;
}

Evaluator::Flow Evaluator::execute_set_block(const SetStatement& statement, Scope& scope,
                                             TextBuilder& out) {
  Scope* inner = open_scope(scope);
  if (!inner) return Flow::kNormal;
  TextBuilder body(m_runtime);
  const Flow flow = execute(statement.body, *inner, body);
  if (m_runtime.failed() || flow != Flow::kNormal) return flow;
  const Value value = filter_body(statement.value, body.finish(), *inner);
  if (m_runtime.failed()) return flow;
  if (statement.kind == StatementKind::kSetBlock) {
    assign(*statement.target, value, scope);
  } else {
    print(m_runtime, out, value);
  }
  return flow;
}

Evaluator::Flow Evaluator::execute_scope(const ScopeStatement& statement, Scope& scope,
                                         TextBuilder& out) {
  Scope* inner = open_scope(scope);
  if (!inner) return Flow::kNormal;
  for (const auto& [target, expression] : statement.assignments) {
    const Value value = evaluate(expression, scope);
    if (m_runtime.failed()) return Flow::kNormal;
    assign(*target, value, *inner);
  }
  return execute(statement.body, *inner, out);
}

void Evaluator::execute_call_block(const CallBlockStatement& statement, Scope& scope,
                                   TextBuilder& out) {
  const Value caller = make_macro(statement.caller, scope);
  if (m_runtime.failed()) return;
  const Value value = evaluate_call(*statement.call, scope, &caller);
  if (!m_runtime.failed()) print(m_runtime, out, value);
}

void Evaluator::assign(const Expression& target, const Value& value, Scope& scope) {
  m_runtime.charge(scope.variables.size() / 8);
  if (target.kind == ExpressionKind::kName) return scope.set(target.name, value);
  if (target.kind == ExpressionKind::kTuple) return unpack(target, value, scope);
  assign_attribute(target, value, scope);
}

void Evaluator::unpack(const Expression& target, const Value& value, Scope& scope) {
  if (is_undefined(value)) {
    m_runtime.fail("an undefined value cannot be unpacked");
    return;
  }
  const std::vector<Value>* items = iterate(m_runtime, value);
  if (!items) return;
  if (items->size() != target.operands.size()) {
    m_runtime.fail("cannot unpack " + std::to_string(items->size()) + " values into " +
                   std::to_string(target.operands.size()) + " names");
    return;
  }
  for (size_t i = 0; i < items->size() && !m_runtime.failed(); ++i) {
    assign(*target.operands[i], (*items)[i], scope);
  }
}

void Evaluator::assign_attribute(const Expression& target, const Value& value, Scope& scope) {
  const Value object = evaluate_name(*target.operands[0], scope);
  if (!is<Namespace*>(object)) {
    m_runtime.fail("only a namespace's attributes can be assigned to");
    return;
  }
  if (target.name.starts_with('_')) {
    m_runtime.fail("a namespace's attribute may not begin with an underscore");
    return;
  }
  auto& attributes = std::get<Namespace*>(object)->attributes;
  for (auto& [name, slot] : attributes) {
    if (name == target.name) {
      slot = value;
      return;
    }
  }
  if (m_runtime.reserve(sizeof(attributes[0]))) attributes.emplace_back(target.name, value);
}

}  // namespace quire::jinja
