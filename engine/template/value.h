#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/template/text.h"

namespace quire::jinja {

struct Sequence;
struct Dict;
struct Namespace;
struct Callable;
struct Loop;

/// The value of a missing name, key or attribute: it prints as nothing, and most uses of it are
/// errors, which say what was missing. The pointers live as long as the rendering.
struct Undefined {
  const std::string* name = nullptr;  ///< The name that was looked for.
  const char* owner = nullptr;        ///< The type that lacks it; null for a variable.
  const char* hint = nullptr;         ///< A whole sentence instead of both.
};

struct None {};

/// A Python value. Texts are shared by count; containers belong to the Runtime that made them and
/// are immutable once made, except namespaces, iterators and loops.
using Value = std::variant<Undefined, None, bool, int64_t, double, TextRef, Sequence*, Dict*,
                           Namespace*, Callable*, Loop*>;

/// Base of everything that a Runtime owns.
struct Object {
  Object() = default;
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  virtual ~Object() = default;
  int depth = 1;  ///< Levels of containers, this one included; bounded by the Runtime.
};

/// Python's kinds of sequences, which differ in how they print and what they allow.
enum class SequenceKind { kList, kTuple, kRange, kKeys, kValues, kItems, kIterator };

struct Sequence final : Object {
  SequenceKind kind = SequenceKind::kList;
  std::vector<Value> items;
  size_t next = 0;  ///< Iterators are consumed from here.
};

struct Dict final : Object {
  std::vector<std::pair<Value, Value>> entries;  ///< In insertion order; keys differ.
};

struct Namespace final : Object {
  std::vector<std::pair<std::string, Value>> attributes;
};

/// The `loop` variable.
struct Loop final : Object {
  const std::vector<Value>* items = nullptr;
  size_t index0 = 0;
};

template <typename T>
bool is(const Value& value) {
  return std::holds_alternative<T>(value);
}

inline bool is_undefined(const Value& v) {
  return is<Undefined>(v);
}
inline bool is_none(const Value& v) {
  return is<None>(v);
}
inline bool is_text(const Value& v) {
  return is<TextRef>(v);
}
inline bool is_sequence_kind(const Value& v, SequenceKind kind) {
  return is<Sequence*>(v) && std::get<Sequence*>(v)->kind == kind;
}
inline bool is_list(const Value& v) {
  return is_sequence_kind(v, SequenceKind::kList);
}
inline bool is_tuple(const Value& v) {
  return is_sequence_kind(v, SequenceKind::kTuple);
}
/// The bytes of a text; the value must be one.
inline std::string_view view(const Value& v) {
  return std::get<TextRef>(v)->view();
}

/// An int or a bool, which Python counts among them.
bool is_integer(const Value& v);
int64_t as_integer(const Value& v);
bool is_number(const Value& v);
double as_double(const Value& v);

/// Python's bool(v).
bool is_true(const Value& v);

/// Python's name of the type, as its error messages print it: "str", "int", "dict".
const char* type_name(const Value& v);

}  // namespace quire::jinja
