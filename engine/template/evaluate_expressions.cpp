#include "engine/template/dict_builder.h"
#include "engine/template/evaluator.h"
#include "engine/template/operators.h"
#include "engine/template/print.h"

namespace quire::jinja {

Value Evaluator::evaluate(const Expression* expression, Scope& scope) {
  if (!m_runtime.charge() || !m_runtime.enter()) return Undefined{};
  Value value = evaluate_kind(*expression, scope);
  if (m_runtime.failed()) m_runtime.locate(expression->offset);
  m_runtime.leave();
  return value;
}

Value Evaluator::evaluate_kind(const Expression& expression, Scope& scope) {
  switch (expression.kind) {
    case ExpressionKind::kConstant:
      return expression.constant;
    case ExpressionKind::kName:
      return evaluate_name(expression, scope);
    case ExpressionKind::kTuple:
      return evaluate_row(expression, SequenceKind::kTuple, scope);
    case ExpressionKind::kList:
      return evaluate_row(expression, SequenceKind::kList, scope);
    case ExpressionKind::kDict:
      return evaluate_dict(expression, scope);
    case ExpressionKind::kAttribute:
      return evaluate_attribute(expression, scope);
    case ExpressionKind::kItem:
      return evaluate_item(expression, scope);
    case ExpressionKind::kSlice:
      return evaluate_slice(expression, scope);
    case ExpressionKind::kCall:
      return evaluate_call(expression, scope);
    case ExpressionKind::kFilter:
      return evaluate_filter(expression, evaluate(expression.operands[0], scope), scope);
    case ExpressionKind::kTest:
      return evaluate_test(expression, scope);
    case ExpressionKind::kUnary:
      return evaluate_unary(expression, scope);
    case ExpressionKind::kBinary:
      return evaluate_binary(expression, scope);
    case ExpressionKind::kCompare:
      return evaluate_compare(expression, scope);
    case ExpressionKind::kConcat:
      return evaluate_concat(expression, scope);
    case ExpressionKind::kConditional:
      return evaluate_conditional(expression, scope);
    case ExpressionKind::kNamespaceTarget:
      break;
  }
  return m_runtime.fail("this cannot be evaluated");
}

bool Evaluator::evaluate_all(const std::vector<Expression*>& expressions, Scope& scope,
                             std::vector<Value>& out) {
  if (!reserve_row(expressions.size(), sizeof(Value))) return false;
  out.reserve(expressions.size());
  for (const Expression* expression : expressions) {
    out.push_back(evaluate(expression, scope));
    if (m_runtime.failed()) return false;
  }
  return true;
}

Value Evaluator::evaluate_name(const Expression& expression, Scope& scope) {
  for (const Scope* at = &scope; at; at = at->parent) {
    if (!m_runtime.charge(at->variables.size() / kVariablesPerStep)) return Undefined{};
    for (const auto& [name, value] : at->variables) {
      if (equal_names(m_runtime, name, expression.name)) return value;
    }
  }
  if (const Function function = find_global(expression.name)) {
    return bind_function(m_runtime, expression.name, function, Undefined{});
  }
  return Undefined{&expression.name, nullptr, nullptr};
}

Value Evaluator::evaluate_row(const Expression& expression, SequenceKind kind, Scope& scope) {
  std::vector<Value> items;
  if (!evaluate_all(expression.operands, scope, items)) return Undefined{};
  return m_runtime.sequence(kind, std::move(items));
}

Value Evaluator::evaluate_attribute(const Expression& expression, Scope& scope) {
  const Value object = evaluate(expression.operands[0], scope);
  return m_runtime.failed() ? object : get_attribute(m_runtime, object, expression.name);
}

Value Evaluator::evaluate_item(const Expression& expression, Scope& scope) {
  const Value object = evaluate(expression.operands[0], scope);
  const Value key = evaluate(expression.operands[1], scope);
  return m_runtime.failed() ? object : get_item(m_runtime, object, key);
}

Value Evaluator::evaluate_dict(const Expression& expression, Scope& scope) {
  std::vector<Value> parts;
  if (!evaluate_all(expression.operands, scope, parts)) return Undefined{};
  DictBuilder dict(m_runtime);
  for (size_t i = 0; i < parts.size() && !m_runtime.failed(); i += 2) {
    dict.set(std::move(parts[i]), std::move(parts[i + 1]));
  }
  return dict.finish();
}

Value Evaluator::evaluate_slice(const Expression& expression, Scope& scope) {
  const Value object = evaluate(expression.operands[0], scope);
  Value bounds[3] = {None{}, None{}, None{}};
  for (size_t i = 0; i < 3; ++i) {
    if (expression.operands[i + 1]) bounds[i] = evaluate(expression.operands[i + 1], scope);
  }
  if (m_runtime.failed()) return Undefined{};
  return get_slice(m_runtime, object, bounds[0], bounds[1], bounds[2]);
}

Value Evaluator::evaluate_unary(const Expression& expression, Scope& scope) {
  const Value value = evaluate(expression.operands[0], scope);
  if (m_runtime.failed()) return value;
  if (expression.name == "not") return !is_true(value);
  const Value negative = negate(m_runtime, value);
  if (expression.name == "-" || m_runtime.failed()) return negative;
  return is_integer(value) ? Value(as_integer(value)) : value;
}

/// Evaluates a chain of operators along its left operands in a loop, so that its length does not
/// count as depth.
Value Evaluator::evaluate_binary(const Expression& expression, Scope& scope) {
  std::vector<const Expression*> chain = {&expression};
  while (chain.back()->operands[0]->kind == ExpressionKind::kBinary) {
    chain.push_back(chain.back()->operands[0]);
  }
  if (!reserve_row(chain.capacity(), sizeof(chain[0]))) return Undefined{};
  Value value = evaluate(chain.back()->operands[0], scope);
  for (size_t i = chain.size(); i-- > 0 && m_runtime.charge();) {
    value = apply_binary(*chain[i], std::move(value), scope);
    if (m_runtime.failed()) m_runtime.locate(chain[i]->offset);
  }
  return value;
}

Value Evaluator::apply_binary(const Expression& expression, Value left, Scope& scope) {
  if (expression.name == "and" || expression.name == "or") {
    if (is_true(left) == (expression.name == "or")) return left;
    return evaluate(expression.operands[1], scope);
  }
  const Value right = evaluate(expression.operands[1], scope);
  return m_runtime.failed() ? left : arithmetic(m_runtime, expression.name, left, right);
}

Value Evaluator::evaluate_compare(const Expression& expression, Scope& scope) {
  Value left = evaluate(expression.operands[0], scope);
  for (size_t i = 0; i < expression.operators.size(); ++i) {
    Value right = evaluate(expression.operands[i + 1], scope);
    if (m_runtime.failed()) return false;
    if (!compare(m_runtime, expression.operators[i], left, right)) return false;
    left = std::move(right);
  }
  return true;
}

Value Evaluator::evaluate_concat(const Expression& expression, Scope& scope) {
  TextBuilder out(m_runtime);
  for (const Expression* operand : expression.operands) {
    const Value value = evaluate(operand, scope);
    if (m_runtime.failed()) return value;
    print(m_runtime, out, value);
  }
  return out.finish();
}

Value Evaluator::evaluate_conditional(const Expression& expression, Scope& scope) {
  const Value condition = evaluate(expression.operands[1], scope);
  if (m_runtime.failed()) return condition;
  if (is_true(condition)) return evaluate(expression.operands[0], scope);
  if (expression.operands[2]) return evaluate(expression.operands[2], scope);
  return Undefined{nullptr, nullptr,
                   "the conditional expression was false and has no else, so it has no value"};
}

Value Evaluator::evaluate_filter(const Expression& expression, Value self, Scope& scope) {
  if (m_runtime.failed()) return self;
  const Function filter = find_filter(expression.name);
  if (!filter) return m_runtime.fail(missing_function("filter", expression.name));
  Arguments arguments;
  if (!evaluate_arguments(expression.call, scope, arguments)) return Undefined{};
  return filter(m_runtime, self, arguments);
}

Value Evaluator::filter_body(const Expression* filter, Value body, Scope& scope) {
  std::vector<const Expression*> chain;
  for (; filter; filter = filter->operands[0]) chain.push_back(filter);
  for (size_t i = chain.size(); i-- > 0 && !m_runtime.failed();) {
    body = evaluate_filter(*chain[i], std::move(body), scope);
    if (m_runtime.failed()) m_runtime.locate(chain[i]->offset);
  }
  return body;
}

Value Evaluator::evaluate_test(const Expression& expression, Scope& scope) {
  const Value value = evaluate(expression.operands[0], scope);
  if (m_runtime.failed()) return value;
  const Function test = find_test(expression.name);
  if (!test) return m_runtime.fail(missing_function("test", expression.name));
  Arguments arguments;
  if (!evaluate_arguments(expression.call, scope, arguments)) return Undefined{};
  return test(m_runtime, value, arguments);
}

}  // namespace quire::jinja
