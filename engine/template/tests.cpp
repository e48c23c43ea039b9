#include "engine/template/function.h"
#include "engine/template/operators.h"
#include "engine/template/print.h"

namespace quire::jinja {

namespace {

/// A test that needs nothing but the value.
template <bool (*Holds)(const Value&)>
Value holds(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "this test", {});
  return parameters.ok() && Holds(self);
}

bool is_defined(const Value& v) {
  return !is_undefined(v);
}
bool is_exactly_true(const Value& v) {
  return is<bool>(v) && std::get<bool>(v);
}
bool is_exactly_false(const Value& v) {
  return is<bool>(v) && !std::get<bool>(v);
}

bool is_iterable(const Value& v) {
  return is_undefined(v) || is_text(v) || is<Sequence*>(v) || is<Dict*>(v) || is<Loop*>(v);
}

/// What has a length and takes an index.
bool is_sequence(const Value& v) {
  return is_undefined(v) || is_text(v) || is<Dict*>(v) || is_list(v) || is_tuple(v) ||
         is_sequence_kind(v, SequenceKind::kRange);
}

bool is_callable(const Value& v) {
  return is_undefined(v) || is<Callable*>(v) || is<Loop*>(v);
}

Value remainder_test(Runtime& runtime, const Value& self, const Value& divisor, int64_t expected) {
  const Value remainder = arithmetic(runtime, "%", self, divisor);
  return !runtime.failed() && equals(runtime, remainder, expected);
}

Value odd_test(Runtime& runtime, const Value& self, const Arguments&) {
  return remainder_test(runtime, self, int64_t{2}, 1);
}

Value even_test(Runtime& runtime, const Value& self, const Arguments&) {
  return remainder_test(runtime, self, int64_t{2}, 0);
}

Value divisibleby_test(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "divisibleby", {"num"}, 1);
  return parameters.ok() ? remainder_test(runtime, self, parameters.get(0), 0) : Value(false);
}

/// The operators of comparisons under their other names.
template <char kFirst, char kSecond>
Value compared(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "this test", {"other"}, 1);
  if (!parameters.ok()) return false;
  const char op[] = {kFirst, kSecond};
  return compare(runtime, std::string_view(op, kSecond ? 2 : 1), self, parameters.get(0));
}

Value in_test(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "in", {"seq"}, 1);
  return parameters.ok() && contains(runtime, parameters.get(0), self);
}

/// Identity: singletons and containers by themselves; small ints and equal texts count as the same.
Value sameas_test(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "sameas", {"other"}, 1);
  if (!parameters.ok()) return false;
  const Value other = parameters.get(0);
  if (self.index() != other.index()) return false;
  if (is<Sequence*>(self)) return std::get<Sequence*>(self) == std::get<Sequence*>(other);
  if (is<Dict*>(self)) return std::get<Dict*>(self) == std::get<Dict*>(other);
  return equals(runtime, self, other);
}

const NamedFunction kTests[] = {
    {"defined", holds<is_defined>},
    {"undefined", holds<is_undefined>},
    {"none", holds<is_none>},
    {"boolean", holds<is<bool>>},
    {"true", holds<is_exactly_true>},
    {"false", holds<is_exactly_false>},
    {"integer", holds<is<int64_t>>},
    {"float", holds<is<double>>},
    {"number", holds<is_number>},
    {"string", holds<is_text>},
    {"mapping", holds<is<Dict*>>},
    {"iterable", holds<is_iterable>},
    {"sequence", holds<is_sequence>},
    {"callable", holds<is_callable>},
    {"odd", odd_test},
    {"even", even_test},
    {"divisibleby", divisibleby_test},
    {"==", compared<'=', '='>},
    {"eq", compared<'=', '='>},
    {"equalto", compared<'=', '='>},
    {"!=", compared<'!', '='>},
    {"ne", compared<'!', '='>},
    {">", compared<'>', 0>},
    {"gt", compared<'>', 0>},
    {"greaterthan", compared<'>', 0>},
    {">=", compared<'>', '='>},
    {"ge", compared<'>', '='>},
    {"<", compared<'<', 0>},
    {"lt", compared<'<', 0>},
    {"lessthan", compared<'<', 0>},
    {"<=", compared<'<', '='>},
    {"le", compared<'<', '='>},
    {"in", in_test},
    {"sameas", sameas_test},
};

}  // namespace

Function find_test(std::string_view name) {
  return find_function(kTests, name);
}

}  // namespace quire::jinja
