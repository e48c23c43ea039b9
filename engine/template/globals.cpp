#include "engine/template/function.h"
#include "engine/template/operators.h"
#include "engine/template/print.h"
#include "engine/template/strftime.h"

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
  for (uint64_t i = 0; i < count; ++i) {
    items.push_back(static_cast<int64_t>(from + i * static_cast<uint64_t>(step)));
  }
  const Value range = runtime.sequence(SequenceKind::kRange, std::move(items));
  if (runtime.failed()) return range;
  Sequence& sequence = *std::get<Sequence*>(range);
  sequence.start = start;
  sequence.stop = stop;
  sequence.step = step;
  return range;
}

/// dict(mapping or pairs, name=value ...).
Value dict_function(Runtime& runtime, const Value&, const Arguments& arguments) {
  if (arguments.positional.size() > 1) return runtime.fail("dict() takes one positional argument");
  std::vector<std::pair<Value, Value>> entries;
  const auto set = [&](const Value& key, const Value& value) {
    for (auto& entry : entries) {
      if (!equals(runtime, entry.first, key)) continue;
      entry.second = value;
      return;
    }
    entries.emplace_back(key, value);
  };
  if (!arguments.positional.empty()) {
    const Value& source = arguments.positional[0];
    if (is_undefined(source)) return fail_undefined(runtime, source);
    if (is<Dict*>(source)) {
      entries = std::get<Dict*>(source)->entries;
    } else {
      const std::vector<Value>* pairs = iterate(runtime, source);
      for (size_t i = 0; pairs && i < pairs->size() && !runtime.failed(); ++i) {
        const std::vector<Value>* pair = iterate(runtime, (*pairs)[i]);
        if (!pair || pair->size() != 2) return runtime.fail("dict() needs pairs of key and value");
        if (is_list((*pair)[0]) || is<Dict*>((*pair)[0])) {
          return runtime.fail("a list or a dict cannot be a key");
        }
        set((*pair)[0], (*pair)[1]);
      }
    }
  }
  for (const auto& [name, value] : arguments.named) set(runtime.text(std::string(name)), value);
  return runtime.failed() ? Value(Undefined{}) : runtime.dict(std::move(entries));
}

Value namespace_function(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Value dict = dict_function(runtime, self, arguments);
  auto* result = runtime.make<Namespace>();
  if (runtime.failed()) return Undefined{};
  for (const auto& [key, value] : std::get<Dict*>(dict)->entries) {
    const TextRef name = to_text(runtime, key);
    if (name->view().starts_with('_')) {
      return runtime.fail("a namespace's attribute may not begin with an underscore");
    }
    result->attributes.emplace_back(name->bytes(), value);
  }
  return result;
}

Value raise_function(Runtime& runtime, const Value&, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "raise_exception", {"message"}, 1);
  if (!parameters.ok()) return Undefined{};
  return runtime.raise(to_text(runtime, parameters.get(0))->bytes());
}

Value strftime_function(Runtime& runtime, const Value&, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "strftime_now", {"format"}, 1);
  if (!parameters.ok()) return Undefined{};
  const TextRef format = parameters.text(0);
  return runtime.failed() ? Value(Undefined{}) : strftime(runtime, *format);
}

/// joiner(): nothing on the first call, the separator on all others.
Value joiner_call(Runtime&, const Value& self, const Arguments&) {
  Loop& state = *std::get<Loop*>(self);
  if (std::exchange(state.has_changed_value, true)) return state.changed_value[0];
  return std::make_shared<const Text>("", std::vector<ByteRange>{});
}

Value joiner_function(Runtime& runtime, const Value&, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "joiner", {"sep"});
  auto* state = runtime.make<Loop>();
  if (runtime.failed()) return Undefined{};
  state->changed_value = {parameters.has(0) ? parameters.get(0) : runtime.text(", ")};
  return bind_function(runtime, "joiner", joiner_call, state);
}

/// A cycler is a namespace of its methods and its state, which templates cannot name.
enum CyclerField { kCurrent, kNext, kReset, kItems, kPosition };

void move_cycler(const Value& self, int64_t position) {
  auto& fields = std::get<Namespace*>(self)->attributes;
  const auto& items = std::get<Sequence*>(fields[kItems].second)->items;
  const size_t at = static_cast<size_t>(position) % items.size();
  fields[kPosition].second = static_cast<int64_t>(at);
  fields[kCurrent].second = items[at];
}

Value cycler_next(Runtime&, const Value& self, const Arguments&) {
  const auto& fields = std::get<Namespace*>(self)->attributes;
  const Value current = fields[kCurrent].second;
  move_cycler(self, as_integer(fields[kPosition].second) + 1);
  return current;
}

Value cycler_reset(Runtime&, const Value& self, const Arguments&) {
  move_cycler(self, 0);
  return None{};
}

Value cycler_function(Runtime& runtime, const Value&, const Arguments& arguments) {
  if (arguments.positional.empty() || !arguments.named.empty()) {
    return runtime.fail("cycler() needs the values to cycle through");
  }
  auto* cycler = runtime.make<Namespace>();
  const Value items = runtime.tuple(arguments.positional);
  if (runtime.failed()) return Undefined{};
  cycler->attributes = {{"current", None{}},
                        {"next", bind_function(runtime, "next", cycler_next, cycler)},
                        {"reset", bind_function(runtime, "reset", cycler_reset, cycler)},
                        {"", items},
                        {"", int64_t{0}}};
  move_cycler(cycler, 0);
  return cycler;
}

Value lipsum_function(Runtime& runtime, const Value&, const Arguments&) {
  return runtime.fail("lipsum() is not supported: a prompt must always come out the same");
}

constexpr NamedFunction kGlobals[] = {
    {"range", range_function},           {"dict", dict_function},
    {"namespace", namespace_function},   {"raise_exception", raise_function},
    {"strftime_now", strftime_function}, {"joiner", joiner_function},
    {"cycler", cycler_function},         {"lipsum", lipsum_function},
};

}  // namespace

Function find_global(std::string_view name) {
  return find_function(kGlobals, name);
}

}  // namespace quire::jinja
