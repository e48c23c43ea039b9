#pragma once

#include <span>

#include "engine/template/function.h"

namespace quire::jinja {

/// The filters of each file; find_filter() looks through all of them.
std::span<const NamedFunction> text_filters();
std::span<const NamedFunction> value_filters();
std::span<const NamedFunction> sequence_filters();
std::span<const NamedFunction> selection_filters();
std::span<const NamedFunction> wrap_filters();
std::span<const NamedFunction> web_filters();

/// Why find_filter() finds none of that name, as a sentence for the user.
std::string missing_filter(std::string_view name);
/// The same of find_test().
std::string missing_test(std::string_view name);

/// The characters that mean something in HTML replaced, marks kept.
Value escape_html(Runtime& runtime, const Text& text);

/// What a filter's `attribute` argument reads from an item: "a.b.0" is item.a.b[0]; none is the
/// item itself. With `default_value`, what is undefined on the way is replaced by it.
Value read_path(Runtime& runtime, const Value& item, const Value& attribute,
                const Value* default_value = nullptr);

/// An item's key in sorts: its attribute, texts in lower case unless the case matters.
Value sort_key(Runtime& runtime, const Value& item, const Value& attribute, bool case_sensitive);

}  // namespace quire::jinja
