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

static const char* sequence_type_name(SequenceKind kind) {
  switch (kind) {
    case SequenceKind::kList:
      return "list";
    case SequenceKind::kTuple:
      return "tuple";
    case SequenceKind::kRange:
      return "range";
    case SequenceKind::kKeys:
      return "dict_keys";
    case SequenceKind::kValues:
      return "dict_values";
    case SequenceKind::kItems:
      return "dict_items";
    case SequenceKind::kIterator:
      return "generator";
  }
  return "object";
}

const char* type_name(const Value& v) {
  if (is_undefined(v)) return "Undefined";
  if (is_none(v)) return "NoneType";
  if (is<bool>(v)) return "bool";
  if (is<int64_t>(v)) return "int";
  if (is<double>(v)) return "float";
  if (is_text(v)) return "str";
  if (is<Dict*>(v)) return "dict";
  if (is<Namespace*>(v)) return "Namespace";
  if (is<Loop*>(v)) return "LoopContext";
  if (is<Callable*>(v)) return "function";
  return sequence_type_name(std::get<Sequence*>(v)->kind);
}

}  // namespace quire::jinja
