#include "engine/template/value.h"

namespace quire::jinja {

bool is_integer(const Value& v) {
  return is<int64_t>(v) || is<bool>(v);
}

int64_t as_integer(const Value& v) {
  return is<bool>(v) ? static_cast<int64_t>(std::get<bool>(v)) : std::get<int64_t>(v);
}

bool is_number(const Value& v) {
  return is_integer(v) || is<double>(v);
}

double as_double(const Value& v) {
  return is<double>(v) ? std::get<double>(v) : static_cast<double>(as_integer(v));
}

bool is_true(const Value& v) {
  if (is_undefined(v) || is_none(v)) return false;
  if (is_integer(v)) return as_integer(v) != 0;
  if (is<double>(v)) return std::get<double>(v) != 0;
  if (is_text(v)) return !view(v).empty();
  if (is<Dict*>(v)) return !std::get<Dict*>(v)->entries.empty();
  if (is<Sequence*>(v)) {
    const Sequence& sequence = *std::get<Sequence*>(v);
    return sequence.kind == SequenceKind::kIterator || !sequence.items.empty();
  }
  return true;
}

const char* type_name(const Value& v) {
  // In the order of SequenceKind, and of Value's alternatives.
  static constexpr const char* kSequences[] = {"list",        "tuple",      "range",    "dict_keys",
                                               "dict_values", "dict_items", "generator"};
  static constexpr const char* kTypes[] = {"Undefined", "NoneType", "bool",       "int",
                                           "float",     "str",      "",           "dict",
                                           "Namespace", "function", "LoopContext"};
  if (!is<Sequence*>(v)) return kTypes[v.index()];
  return kSequences[static_cast<size_t>(std::get<Sequence*>(v)->kind)];
}

}  // namespace quire::jinja
