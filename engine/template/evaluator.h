#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "engine/template/ast.h"
#include "engine/template/function.h"

namespace quire::jinja {

/// Names that are compared in the time of a step.
inline constexpr size_t kVariablesPerStep = 8;

/// Variables of the template, a loop's iteration, a macro's call. Reads also search the enclosing
/// scopes; writes change this scope only. The names are views of the syntax tree or of the input.
struct Scope final : Object {
  Scope* parent = nullptr;
  std::vector<std::pair<std::string_view, Value>> variables;
  /// Whether a macro that outlives the scope may still read it.
  bool is_captured = false;

  void set(Runtime& runtime, std::string_view name, Value value);
};

/// Runs a syntax tree. Statements and calls: evaluator.cpp; expressions: evaluate_expressions.cpp.
/// Thread: used by one.
class Evaluator {
 public:
  explicit Evaluator(Runtime& runtime) : m_runtime(runtime) {}

  /// Renders statements into `out`; errors are left in the runtime.
  void run(const Block& block, Scope& scope, TextBuilder& out) { execute(block, scope, out); }

 private:
  /// How a block ended.
  enum class Flow { kNormal, kBreak, kContinue };

  Flow execute(const Block& block, Scope& scope, TextBuilder& out);
  Flow execute_statement(const Statement& statement, Scope& scope, TextBuilder& out);
  Flow execute_if(const IfStatement& statement, Scope& scope, TextBuilder& out);
  Flow execute_for(const ForStatement& statement, Scope& scope, TextBuilder& out);
  const std::vector<Value>* select_items(const ForStatement& statement, const Value& iterable,
                                         Scope& scope);
  Flow execute_set_block(const SetStatement& statement, Scope& scope, TextBuilder& out);
  void assign(const Expression& target, const Value& value, Scope& scope);
  void assign_attribute(const Expression& target, const Value& value, Scope& scope);
  void unpack(const Expression& target, const Value& value, Scope& scope);
  Scope* open_scope(Scope& parent);
  /// Sets a variable and counts the memory by which its scope grows.
  void set_variable(Scope& scope, std::string_view name, Value value);

  Value evaluate(const Expression* expression, Scope& scope);
  Value evaluate_kind(const Expression& expression, Scope& scope);
  Value evaluate_name(const Expression& expression, Scope& scope);
  Value evaluate_row(const Expression& expression, SequenceKind kind, Scope& scope);
  Value evaluate_attribute(const Expression& expression, Scope& scope);
  Value evaluate_item(const Expression& expression, Scope& scope);
  Value evaluate_dict(const Expression& expression, Scope& scope);
  Value evaluate_slice(const Expression& expression, Scope& scope);
  Value evaluate_unary(const Expression& expression, Scope& scope);
  Value evaluate_binary(const Expression& expression, Scope& scope);
  Value apply_binary(const Expression& expression, Value left, Scope& scope);
  Value evaluate_compare(const Expression& expression, Scope& scope);
  Value evaluate_concat(const Expression& expression, Scope& scope);
  Value evaluate_conditional(const Expression& expression, Scope& scope);
  Value evaluate_filter(const Expression& expression, Value self, Scope& scope);
  /// A block form's filters over its rendered body; null expressions leave it as it is.
  Value filter_body(const Expression* filter, Value body, Scope& scope);
  Value evaluate_test(const Expression& expression, Scope& scope);
  bool evaluate_all(const std::vector<Expression*>& expressions, Scope& scope,
                    std::vector<Value>& out);
  /// Counts a row that lives while its parts are evaluated: recursion keeps many of them. Short
  /// ones are within what each of its levels may take.
  bool reserve_row(size_t num_items, size_t item_bytes) {
    constexpr size_t kShortRow = 64;
    return num_items <= kShortRow || m_runtime.reserve(num_items * item_bytes);
  }

  bool evaluate_arguments(const CallSyntax& call, Scope& scope, Arguments& out);
  Value evaluate_call(const Expression& expression, Scope& scope);
  Value call(const Value& callee, const Arguments& arguments);
  Value call_macro(const Callable& callable, const Arguments& arguments);
  void bind_arguments(const MacroDefinition& macro, const Arguments& arguments, Scope& scope);
  void refuse_extra(const MacroDefinition& macro, const Arguments& arguments,
                    const std::vector<bool>& used);
  Value make_macro(const MacroDefinition& macro, Scope& scope);

  Runtime& m_runtime;
};

}  // namespace quire::jinja
