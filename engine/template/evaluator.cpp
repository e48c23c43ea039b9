#include "engine/template/evaluator.h"

#include "engine/template/operators.h"
#include "engine/template/print.h"

namespace quire::jinja {

void Scope::set(Runtime& runtime, std::string_view name, Value value) {
  for (auto& [key, slot] : variables) {
    if (equal_names(runtime, key, name)) {
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

void Evaluator::set_variable(Scope& scope, std::string_view name, Value value) {
  const size_t before = scope.variables.capacity();
  scope.set(m_runtime, name, std::move(value));
  const size_t grown = scope.variables.capacity() - before;
  if (grown > 0) m_runtime.reserve(grown * sizeof(scope.variables[0]));
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
    case StatementKind::kPrint: {
      const Value value = evaluate(static_cast<const PrintStatement&>(statement).value, scope);
      if (!m_runtime.failed()) print(m_runtime, out, value);
      break;
    }
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
      m_runtime.charge(scope.variables.size() / kVariablesPerStep);
      set_variable(scope, macro.name, make_macro(macro, scope));
      break;
    }
    case StatementKind::kGeneration: {
      Scope* inner = open_scope(scope);
      if (!inner) break;
      return execute(static_cast<const GenerationStatement&>(statement).body, *inner, out);
    }
    case StatementKind::kBreak:
      return Flow::kBreak;
    case StatementKind::kContinue:
      return Flow::kContinue;
  }
  return Flow::kNormal;
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

/// What the loop runs over: all items, or those that its condition selects.
const std::vector<Value>* Evaluator::select_items(const ForStatement& statement,
                                                  const Value& iterable, Scope& scope) {
  const std::vector<Value>* items = iterate(m_runtime, iterable);
  if (!items || !statement.condition) return items;
  std::vector<Value> selected;
  Scope* inner = open_scope(scope);
  for (size_t i = 0; inner && i < items->size() && !m_runtime.failed(); ++i) {
    assign(*statement.target, (*items)[i], *inner);
    const Value value = evaluate(statement.condition, *inner);
    if (m_runtime.failed()) return nullptr;
    if (!is_true(value)) continue;
    if (!m_runtime.reserve(sizeof(Value))) return nullptr;
    selected.push_back((*items)[i]);
  }
  const Value owned = m_runtime.tuple(std::move(selected));
  return m_runtime.failed() ? nullptr : &std::get<Sequence*>(owned)->items;
}

Evaluator::Flow Evaluator::execute_for(const ForStatement& statement, Scope& scope,
                                       TextBuilder& out) {
  const Value iterable = evaluate(statement.iterable, scope);
  if (m_runtime.failed()) return Flow::kNormal;
  const std::vector<Value>* items = select_items(statement, iterable, scope);
  Loop* loop = m_runtime.make<Loop>();
  Scope* inner = open_scope(scope);
  if (!items || !loop || !inner) return Flow::kNormal;
  loop->items = items;
  bool has_completed = false;  // As in Jinja, an iteration that was cut short does not count.
  for (size_t i = 0; i < items->size() && m_runtime.charge(); ++i) {
    loop->index0 = i;
    if (inner->is_captured) inner = open_scope(scope);
    if (!inner) break;
    inner->variables.clear();
    set_variable(*inner, "loop", loop);
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

void Evaluator::assign(const Expression& target, const Value& value, Scope& scope) {
  if (!m_runtime.charge(scope.variables.size() / kVariablesPerStep)) return;
  if (target.kind == ExpressionKind::kName) return set_variable(scope, target.name, value);
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
  if (!m_runtime.charge(attributes.size() / kVariablesPerStep)) return;
  for (auto& [name, slot] : attributes) {
    if (equal_names(m_runtime, name, target.name)) {
      slot = value;
      return;
    }
  }
  if (m_runtime.reserve(sizeof(attributes[0]) + target.name.size())) {
    attributes.emplace_back(target.name, value);
  }
}

bool Evaluator::evaluate_arguments(const CallSyntax& call, Scope& scope, Arguments& out) {
  if (!evaluate_all(call.positional, scope, out.positional)) return false;
  if (!reserve_row(call.named.size(), sizeof(out.named[0]))) return false;
  out.named.reserve(call.named.size());
  for (const auto& [name, expression] : call.named) {
    out.named.emplace_back(name, evaluate(expression, scope));
    if (m_runtime.failed()) return false;
  }
  return true;
}

Value Evaluator::evaluate_call(const Expression& expression, Scope& scope) {
  const Value callee = evaluate(expression.operands[0], scope);
  Arguments arguments;
  if (m_runtime.failed() || !evaluate_arguments(expression.call, scope, arguments)) {
    return Undefined{};
  }
  const Value result = call(callee, arguments);
  if (m_runtime.failed()) m_runtime.locate(expression.offset);
  return result;
}

Value Evaluator::call(const Value& callee, const Arguments& arguments) {
  if (is_undefined(callee)) return fail_undefined(m_runtime, callee);
  if (!is<Callable*>(callee)) {
    return m_runtime.fail(std::string("a value of type ") + type_name(callee) +
                          " cannot be called");
  }
  const Callable& callable = *std::get<Callable*>(callee);
  if (!callable.macro) return callable.function(m_runtime, callable.self, arguments);
  if (!m_runtime.enter_macro()) return Undefined{};
  const Value result = call_macro(callable, arguments);
  m_runtime.leave_macro();
  return result;
}

Value Evaluator::make_macro(const MacroDefinition& macro, Scope& scope) {
  auto* callable = m_runtime.make<Callable>();
  if (!callable || !m_runtime.reserve(macro.name.size())) return Undefined{};
  callable->name = macro.name;
  callable->macro = &macro;
  callable->scope = &scope;
  for (Scope* captured = &scope; captured && !captured->is_captured; captured = captured->parent) {
    captured->is_captured = true;
  }
  return callable;
}

Value Evaluator::call_macro(const Callable& callable, const Arguments& arguments) {
  Scope* scope = open_scope(*callable.scope);
  if (!scope) return Undefined{};
  bind_arguments(*callable.macro, arguments, *scope);
  if (m_runtime.failed()) return Undefined{};
  TextBuilder out(m_runtime);
  execute(callable.macro->body, *scope, out);
  return out.finish();
}

void Evaluator::bind_arguments(const MacroDefinition& macro, const Arguments& arguments,
                               Scope& scope) {
  std::vector<bool> used(arguments.named.size(), false);
  std::vector<const Expression*> fallbacks(macro.parameters.size(), nullptr);
  for (size_t i = 0; i < macro.parameters.size(); ++i) {
    // The search for its argument, and for a variable of its name.
    const size_t num_compared = arguments.named.size() + scope.variables.size();
    if (!m_runtime.charge(1 + num_compared / kVariablesPerStep)) return;
    const Parameter& parameter = macro.parameters[i];
    Value value = Undefined{&parameter.name, nullptr, nullptr};
    bool is_given = i < arguments.positional.size();
    if (is_given) value = arguments.positional[i];
    for (size_t k = 0; !is_given && k < arguments.named.size(); ++k) {
      if (!equal_names(m_runtime, arguments.named[k].first, parameter.name)) continue;
      value = arguments.named[k].second;
      is_given = used[k] = true;
    }
    if (!is_given) fallbacks[i] = parameter.fallback;
    set_variable(scope, parameter.name, std::move(value));
  }
  refuse_extra(macro, arguments, used);
  for (size_t i = 0; i < fallbacks.size() && !m_runtime.failed(); ++i) {
    if (!fallbacks[i] || !m_runtime.charge(scope.variables.size() / kVariablesPerStep)) continue;
    set_variable(scope, macro.parameters[i].name, evaluate(fallbacks[i], scope));
  }
}

/// Arguments that no parameter takes are errors.
void Evaluator::refuse_extra(const MacroDefinition& macro, const Arguments& arguments,
                             const std::vector<bool>& used) {
  for (size_t k = 0; k < used.size(); ++k) {
    if (used[k]) continue;
    m_runtime.fail("the macro '" + macro.name + "' has no parameter '" +
                   std::string(arguments.named[k].first) + "'");
    return;
  }
  if (arguments.positional.size() > macro.parameters.size()) {
    m_runtime.fail("the macro '" + macro.name + "' takes at most " +
                   std::to_string(macro.parameters.size()) + " arguments");
  }
}

}  // namespace quire::jinja
