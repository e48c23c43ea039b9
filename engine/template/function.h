#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/template/runtime.h"

namespace quire::jinja {

struct MacroDefinition;
struct Scope;

/// The evaluated arguments of a call.
struct Arguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string_view, Value>> named;
};

/// A filter (self is the value before the bar), a test (self is the value before `is`; returns a
/// bool), a method (self is its object) or a global function (self is undefined).
using Function = Value (*)(Runtime& runtime, const Value& self, const Arguments& arguments);

struct NamedFunction {
  std::string_view name;
  Function function;
};

/// What can be called: a function bound to its object, or a macro.
struct Callable final : Object {
  std::string name;  ///< A copy: the text that it was looked up by may be freed before it.
  Function function = nullptr;
  Value self;
  const MacroDefinition* macro = nullptr;
  Scope* scope = nullptr;  ///< Where the macro was defined.
};

Value bind_function(Runtime& runtime, std::string_view name, Function function, Value self);

/// The function of that name in a table, or null.
template <typename Table>
Function find_function(const Table& table, std::string_view name) {
  for (const NamedFunction& entry : table) {
    if (entry.name == name) return entry.function;
  }
  return nullptr;
}

/// Sorts a call's arguments under the names of a function's parameters, as Python does.
/// Fails the rendering if one is unknown, given twice, or missing among the first `required`.
class Parameters {
 public:
  Parameters(Runtime& runtime, const Arguments& arguments, std::string_view function,
             std::initializer_list<std::string_view> names, size_t required = 0);

  bool ok() const { return !m_runtime.failed(); }
  /// Whether the argument was given.
  bool has(size_t i) const { return m_values[i] != nullptr; }
  /// Given, and not None.
  bool has_value(size_t i) const { return has(i) && !is_none(*m_values[i]); }
  /// Given and true in Python's sense.
  bool is_set(size_t i) const { return has(i) && is_true(*m_values[i]); }
  /// The argument, or an undefined value.
  Value get(size_t i) const { return has(i) ? *m_values[i] : Value(Undefined{}); }
  /// The argument as an int or as text; `fallback` where it is absent. Other types fail.
  int64_t integer(size_t i, int64_t fallback) const;
  TextRef text(size_t i) const;

 private:
  Runtime& m_runtime;
  std::string_view m_function;
  std::vector<std::string_view> m_names;
  std::vector<const Value*> m_values;
};

/// Filters, tests, global functions and methods of texts by name. Null where there is none.
Function find_filter(std::string_view name);
Function find_test(std::string_view name);
Function find_global(std::string_view name);
Function find_text_method(std::string_view name);

/// The filters over sequences, in which find_filter() searches, too.
std::span<const NamedFunction> sequence_filters();

/// The error for an unknown filter or test, which `kind` says.
std::string missing_function(std::string_view kind, std::string_view name);

/// What a filter's `attribute` argument reads from an item: "a.b.0" is item.a.b[0]; none is the
/// item itself. `default_value`, if given, replaces undefined values on the path.
Value read_path(Runtime& runtime, const Value& item, const Value& attribute,
                const Value* default_value = nullptr);

}  // namespace quire::jinja
