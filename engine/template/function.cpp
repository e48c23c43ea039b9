#include "engine/template/function.h"

namespace quire::jinja {

Value bind_function(Runtime& runtime, std::string_view name, Function function, Value self) {
  auto* callable = runtime.make<Callable>();
  if (!callable) return Undefined{};
  callable->name = name;
  callable->function = function;
  callable->self = std::move(self);
  return callable;
}

Parameters::Parameters(Runtime& runtime, const Arguments& arguments, std::string_view function,
                       std::initializer_list<std::string_view> names, size_t required)
    : m_runtime(runtime), m_function(function), m_names(names), m_values(names.size()) {
  const std::string title = std::string(function) + "() ";
  if (arguments.positional.size() > m_names.size()) {
    runtime.fail(title + "takes at most " + std::to_string(m_names.size()) + " arguments");
    return;
  }
  for (size_t i = 0; i < arguments.positional.size(); ++i) m_values[i] = &arguments.positional[i];
  for (const auto& [name, value] : arguments.named) {
    size_t i = 0;
    while (i < m_names.size() && m_names[i] != name) ++i;
    if (i == m_names.size() || m_values[i]) {
      runtime.fail(title + "got an unexpected argument '" + std::string(name) + "'");
      return;
    }
    m_values[i] = &value;
  }
  for (size_t i = 0; i < required; ++i) {
    if (!m_values[i]) runtime.fail(title + "misses its argument '" + std::string(m_names[i]) + "'");
  }
}

int64_t Parameters::integer(size_t i, int64_t fallback) const {
  if (!has(i)) return fallback;
  if (is_integer(*m_values[i])) return as_integer(*m_values[i]);
  m_runtime.fail(std::string(m_function) + "(): '" + std::string(m_names[i]) +
                 "' must be an int, not " + type_name(*m_values[i]));
  return fallback;
}

TextRef Parameters::text(size_t i) const {
  static const TextRef kEmpty = std::make_shared<const Text>("", std::vector<ByteRange>{});
  if (has(i) && is_text(*m_values[i])) return std::get<TextRef>(*m_values[i]);
  if (has(i)) {
    m_runtime.fail(std::string(m_function) + "(): '" + std::string(m_names[i]) +
                   "' must be a str, not " + type_name(*m_values[i]));
  }
  return kEmpty;
}

}  // namespace quire::jinja
