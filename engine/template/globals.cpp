#include <ctime>

#include "engine/template/dict_builder.h"
#include "engine/template/function.h"
#include "engine/template/operators.h"
#include "engine/template/print.h"
#include "platform/time.h"

namespace quire::jinja {

namespace {

constexpr uint64_t kMaxRange = 100'000;  // As Jinja's sandbox.

Value range_function(Runtime& runtime, const Value&, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "range", {"start", "stop", "step"}, 1);
  if (!parameters.ok()) return Undefined{};
  const bool has_start = parameters.has(1);
  const int64_t start = has_start ? parameters.integer(0, 0) : 0;
  const int64_t stop = has_start ? parameters.integer(1, 0) : parameters.integer(0, 0);
  const int64_t step = parameters.integer(2, 1);
  if (runtime.failed()) return Undefined{};
  if (step == 0) return runtime.fail("range(): the step cannot be zero");
  const bool is_empty = step > 0 ? start >= stop : start <= stop;
  const uint64_t from = static_cast<uint64_t>(start), to = static_cast<uint64_t>(stop);
  const uint64_t distance = step > 0 ? to - from : from - to;
  const uint64_t stride = step > 0 ? static_cast<uint64_t>(step) : 0 - static_cast<uint64_t>(step);
  const uint64_t count = is_empty ? 0 : (distance - 1) / stride + 1;
  if (count > kMaxRange) {
    return runtime.fail("range(): more than " + std::to_string(kMaxRange) + " numbers");
  }
  std::vector<Value> items;
  items.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    items.push_back(static_cast<int64_t>(from + i * static_cast<uint64_t>(step)));
  }
  return runtime.sequence(SequenceKind::kRange, std::move(items));
}

/// dict(mapping or pairs, name=value ...).
Value dict_function(Runtime& runtime, const Value&, const Arguments& arguments) {
  if (arguments.positional.size() > 1) return runtime.fail("dict() takes one positional argument");
  DictBuilder dict(runtime);
  if (!arguments.positional.empty()) {
    const Value& source = arguments.positional[0];
    if (is_undefined(source)) return fail_undefined(runtime, source);
    if (is<Dict*>(source)) {
      dict.copy(*std::get<Dict*>(source));
    } else {
      const std::vector<Value>* pairs = iterate(runtime, source);
      for (size_t i = 0; pairs && i < pairs->size() && !runtime.failed(); ++i) {
        const std::vector<Value>* pair = iterate(runtime, (*pairs)[i]);
        if (!pair || pair->size() != 2) return runtime.fail("dict() needs pairs of key and value");
        dict.set((*pair)[0], (*pair)[1]);
      }
    }
  }
  for (const auto& [name, value] : arguments.named) {
    if (runtime.failed()) return Undefined{};
    dict.set(runtime.text(std::string(name)), value);
  }
  return dict.finish();
}

Value namespace_function(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Value dict = dict_function(runtime, self, arguments);
  auto* result = runtime.make<Namespace>();
  if (runtime.failed()) return Undefined{};
  const auto& entries = std::get<Dict*>(dict)->entries;
  if (!runtime.reserve(entries.size() * sizeof(result->attributes[0]))) return Undefined{};
  for (const auto& [key, value] : entries) {
    if (runtime.failed()) return Undefined{};
    const TextRef name = to_text(runtime, key);
    if (name->view().starts_with('_')) {
      return runtime.fail("a namespace's attribute may not begin with an underscore");
    }
    if (!runtime.reserve(name->bytes().size())) return Undefined{};
    result->attributes.emplace_back(name->bytes(), value);
  }
  return result;
}

Value raise_function(Runtime& runtime, const Value&, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "raise_exception", {"message"}, 1);
  if (!parameters.ok()) return Undefined{};
  return runtime.raise(to_text(runtime, parameters.get(0))->bytes());
}

/// The time that strftime_now shows, broken down; local, so that it has no zone.
std::tm broken_down(const Runtime& runtime) {
  if (!runtime.now()) return platform::local_time(std::time(nullptr));
  return platform::utc_time(static_cast<std::time_t>(runtime.now()->time_since_epoch().count()));
}

/// Python's strftime with English names, whatever the process's locale. Unknown directives are
/// printed as they stand.
Value strftime_function(Runtime& runtime, const Value&, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "strftime_now", {"format"}, 1);
  if (!parameters.ok()) return Undefined{};
  const TextRef text = parameters.text(0);
  const std::string_view format = text->view();
  const std::tm fields = broken_down(runtime);
  TextBuilder out(runtime);
  for (size_t i = 0; i < format.size() && runtime.charge(); ++i) {
    const bool is_plain = format.substr(i).starts_with("%-");  // Without leading zeros.
    const size_t last = i + (is_plain ? 2 : 1);
    if (format[i] != '%' || last >= format.size()) {
      out.append(*text, i, i + 1);
      continue;
    }
    const char letter = format[last];
    char shown[64];
    size_t size = 0;
    // Local times have no zone, and whole seconds no fraction.
    if (letter == 'f') size = std::string_view("000000").copy(shown, 6);
    if (letter != 'f' && letter != 'z' && letter != 'Z') {
      const std::string directive(format.substr(i, last + 1 - i));
      size = platform::format_time(shown, directive.c_str(), fields);
    }
    out.append(std::string_view(shown, size), text->is_input_at(last));
    i = last;
  }
  return out.finish();
}

/// joiner(): nothing on the first call, the separator on all others.
Value joiner_call(Runtime& runtime, const Value& self, const Arguments&) {
  auto& [is_first, separator] = std::get<Namespace*>(self)->attributes[0];
  return std::exchange(is_first, "").empty() ? separator : runtime.text("");
}

Value joiner_function(Runtime& runtime, const Value&, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "joiner", {"sep"});
  auto* state = runtime.make<Namespace>();
  if (runtime.failed()) return Undefined{};
  state->attributes = {{"first", parameters.has(0) ? parameters.get(0) : runtime.text(", ")}};
  return bind_function(runtime, "joiner", joiner_call, state);
}

constexpr NamedFunction kGlobals[] = {
    {"range", range_function},           {"dict", dict_function},
    {"namespace", namespace_function},   {"raise_exception", raise_function},
    {"strftime_now", strftime_function}, {"joiner", joiner_function},
};

}  // namespace

Function find_global(std::string_view name) {
  return find_function(kGlobals, name);
}

}  // namespace quire::jinja
