#include "engine/template/evaluator.h"
#include "engine/template/operators.h"
#include "engine/template/print.h"

namespace quire::jinja {

bool Evaluator::evaluate_arguments(const CallSyntax& call, Scope& scope, Arguments& out) {
  if (!evaluate_all(call.positional, scope, out.positional)) return false;
  for (const auto& [name, expression] : call.named) {
    out.named.emplace_back(name, evaluate(expression, scope));
  }
  if (call.star && !m_runtime.failed()) {
    const std::vector<Value>* items = iterate(m_runtime, evaluate(call.star, scope));
    if (!items || !m_runtime.reserve(items->size() * sizeof(Value))) return false;
    out.positional.insert(out.positional.end(), items->begin(), items->end());
  }
  if (call.star_star && !m_runtime.failed()) spread_named(evaluate(call.star_star, scope), out);
  return !m_runtime.failed();
}

void Evaluator::spread_named(const Value& mapping, Arguments& out) {
  if (!is<Dict*>(mapping)) {
    m_runtime.fail("** needs a dict");
    return;
  }
  for (const auto& [key, value] : std::get<Dict*>(mapping)->entries) {
    if (!is_text(key)) {
      m_runtime.fail("** needs a dict whose keys are all str");
      return;
    }
    out.named.emplace_back(view(key), value);
  }
}

Value Evaluator::evaluate_call(const Expression& expression, Scope& scope, const Value* caller) {
  const Value callee = evaluate(expression.operands[0], scope);
  Arguments arguments;
  if (m_runtime.failed() || !evaluate_arguments(expression.call, scope, arguments)) {
    return Undefined{};
  }
  if (caller) arguments.named.emplace_back("caller", *caller);
  const Value result = call(callee, arguments);
  if (m_runtime.failed()) m_runtime.locate(expression.offset);
  return result;
}

Value Evaluator::call(const Value& callee, const Arguments& arguments) {
  if (is_undefined(callee)) return fail_undefined(m_runtime, callee);
  if (is<Loop*>(callee)) return call_loop(*std::get<Loop*>(callee), arguments);
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
  if (!callable) return Undefined{};
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
    const Parameter& parameter = macro.parameters[i];
    Value value = Undefined{&parameter.name, nullptr, nullptr};
    bool is_given = i < arguments.positional.size();
    if (is_given) value = arguments.positional[i];
    for (size_t k = 0; !is_given && k < arguments.named.size(); ++k) {
      if (arguments.named[k].first != parameter.name) continue;
      value = arguments.named[k].second;
      is_given = used[k] = true;
    }
    if (!is_given) fallbacks[i] = parameter.fallback;
    scope.set(parameter.name, std::move(value));
  }
  bind_extra(macro, arguments, used, scope);
  for (size_t i = 0; i < fallbacks.size() && !m_runtime.failed(); ++i) {
    if (fallbacks[i]) scope.set(macro.parameters[i].name, evaluate(fallbacks[i], scope));
  }
}

/// What no parameter took: caller, kwargs and varargs where the macro reads them, else an error.
void Evaluator::bind_extra(const MacroDefinition& macro, const Arguments& arguments,
                           const std::vector<bool>& used, Scope& scope) {
  bool has_caller_parameter = false;
  for (const Parameter& parameter : macro.parameters) {
    has_caller_parameter |= parameter.name == "caller";
  }
  static const std::string kCaller = "caller";
  Value caller = Undefined{&kCaller, nullptr, nullptr};
  std::vector<std::pair<Value, Value>> rest;
  for (size_t k = 0; k < arguments.named.size(); ++k) {
    const auto& [name, value] = arguments.named[k];
    if (used[k]) continue;
    if (name == "caller" && macro.uses_caller && !has_caller_parameter) {
      caller = value;
    } else if (macro.uses_kwargs) {
      rest.emplace_back(m_runtime.text(std::string(name)), value);
    } else {
      m_runtime.fail("the macro '" + macro.name + "' has no parameter '" + std::string(name) + "'");
      return;
    }
  }
  if (macro.uses_caller && !has_caller_parameter) scope.set("caller", std::move(caller));
  if (macro.uses_kwargs) scope.set("kwargs", m_runtime.dict(std::move(rest)));
  const size_t taken = std::min(macro.parameters.size(), arguments.positional.size());
  if (macro.uses_varargs) {
    scope.set("varargs",
              m_runtime.tuple({arguments.positional.begin() + static_cast<ptrdiff_t>(taken),
                               arguments.positional.end()}));
  } else if (arguments.positional.size() > taken) {
    m_runtime.fail("the macro '" + macro.name + "' takes at most " +
                   std::to_string(macro.parameters.size()) + " arguments");
  }
}

Value Evaluator::call_loop(Loop& loop, const Arguments& arguments) {
  if (!loop.recursive) return m_runtime.fail("only a loop marked recursive can be called");
  if (arguments.positional.size() != 1 || !arguments.named.empty()) {
    return m_runtime.fail("a recursive loop is called with one iterable");
  }
  if (!m_runtime.enter_macro()) return Undefined{};
  TextBuilder out(m_runtime);
  run_loop(*loop.recursive, arguments.positional[0], loop.depth0 + 1, *loop.scope, out);
  m_runtime.leave_macro();
  return out.finish();
}

}  // namespace quire::jinja
