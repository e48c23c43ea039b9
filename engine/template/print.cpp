#include "engine/template/print.h"

#include <charconv>
#include <cmath>

#include "engine/template/function.h"

namespace quire::jinja {

namespace {

std::string hex(char32_t c, size_t width) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out(width, '0');
  for (size_t i = width; i-- > 0; c >>= 4) out[i] = kDigits[c & 15];
  return out;
}

/// The escape that repr writes for a character, empty where it stands for itself.
std::string repr_escape(char32_t c, char quote) {
  if (c == static_cast<char32_t>(quote) || c == '\\')
    return std::string("\\") + static_cast<char>(c);
  if (c == '\n') return "\\n";
  if (c == '\r') return "\\r";
  if (c == '\t') return "\\t";
  if (c >= 0x20 && c < 0x7F) return {};
  if (c >= 0x80 && is_printable(c)) return {};
  if (c < 0x100) return "\\x" + hex(c, 2);
  return c < 0x10000 ? "\\u" + hex(c, 4) : "\\U" + hex(c, 8);
}

void print_text_repr(Runtime& runtime, TextBuilder& out, const Text& text) {
  const bool has_single = text.view().find('\'') != std::string_view::npos;
  const bool has_double = text.view().find('"') != std::string_view::npos;
  const char quote = has_single && !has_double ? '"' : '\'';
  const std::string_view quotes(&quote, 1);
  out.append(quotes);
  for (size_t at = 0; at < text.bytes().size() && runtime.charge();) {
    const CodePoint c = decode(text.view(), at);
    const std::string escape = repr_escape(c.value, quote);
    if (escape.empty()) {
      out.append(text, at, at + c.length);
    } else {
      out.append(escape, text.is_input_at(at));
    }
    at += c.length;
  }
  out.append(quotes);
}

void print_items(Runtime& runtime, TextBuilder& out, const Sequence& sequence) {
  for (size_t i = 0; i < sequence.items.size() && !runtime.failed(); ++i) {
    if (i > 0) out.append(", ");
    print_repr(runtime, out, sequence.items[i]);
  }
}

void print_sequence(Runtime& runtime, TextBuilder& out, const Sequence& sequence) {
  switch (sequence.kind) {
    case SequenceKind::kIterator:
      return out.append("<generator object>");
    case SequenceKind::kList:
      out.append("[");
      print_items(runtime, out, sequence);
      return out.append("]");
    case SequenceKind::kTuple:
      out.append("(");
      print_items(runtime, out, sequence);
      return out.append(sequence.items.size() == 1 ? ",)" : ")");
    default:
      break;
  }
  out.append(type_name(const_cast<Sequence*>(&sequence)));
  out.append("([");
  print_items(runtime, out, sequence);
  out.append("])");
}

void print_dict(Runtime& runtime, TextBuilder& out, const Dict& dict) {
  out.append("{");
  bool is_first = true;
  for (const auto& [key, value] : dict.entries) {
    if (runtime.failed()) return;
    if (!is_first) out.append(", ");
    is_first = false;
    print_repr(runtime, out, key);
    out.append(": ");
    print_repr(runtime, out, value);
  }
  out.append("}");
}

void print_object(TextBuilder& out, const Value& value) {
  if (!is<Callable*>(value)) {
    out.append(is<Loop*>(value) ? "<LoopContext>" : "<Namespace>");
    return;
  }
  const Callable& callable = *std::get<Callable*>(value);
  const std::string name = "'" + std::string(callable.name) + "'>";
  out.append((callable.macro ? "<Macro " : "<function ") + name);
}

}  // namespace

std::string float_repr(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[64];
  auto end =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr;
  const std::string_view text(buffer, static_cast<size_t>(end - buffer));
  const size_t e = text.find('e');
  int exponent = 0;
  std::from_chars(text.data() + e + (text[e + 1] == '+' ? 2 : 1), end, exponent);
  if (exponent < -4 || exponent >= 16) return std::string(text);
  end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed).ptr;
  std::string fixed(buffer, end);
  return fixed.find('.') == fixed.npos ? fixed + ".0" : fixed;
}

void print_repr(Runtime& runtime, TextBuilder& out, const Value& value) {
  if (!runtime.charge()) return;
  if (is_undefined(value)) return out.append("Undefined");
  if (is_none(value)) return out.append("None");
  if (is<bool>(value)) return out.append(std::get<bool>(value) ? "True" : "False");
  if (is<int64_t>(value)) return out.append(std::to_string(std::get<int64_t>(value)));
  if (is<double>(value)) return out.append(float_repr(std::get<double>(value)));
  if (is_text(value)) return print_text_repr(runtime, out, *std::get<TextRef>(value));
  if (is<Sequence*>(value)) return print_sequence(runtime, out, *std::get<Sequence*>(value));
  if (is<Dict*>(value)) return print_dict(runtime, out, *std::get<Dict*>(value));
  print_object(out, value);
}

void print(Runtime& runtime, TextBuilder& out, const Value& value) {
  if (is_text(value)) return out.append(*std::get<TextRef>(value));
  if (is_undefined(value)) return;
  if (!is<Sequence*>(value) && !is<Dict*>(value)) return print_repr(runtime, out, value);
  TextBuilder whole(runtime);
  print_repr(runtime, whole, value);
  whole.spread_marks();
  out.append(whole.bytes(), !whole.input().empty());
}

TextRef to_text(Runtime& runtime, const Value& value) {
  if (is_text(value)) return std::get<TextRef>(value);
  TextBuilder builder(runtime);
  print(runtime, builder, value);
  const Value text = builder.finish();
  if (is_text(text)) return std::get<TextRef>(text);
  return std::make_shared<const Text>("", std::vector<ByteRange>{});
}

Value fail_undefined(Runtime& runtime, const Value& undefined) {
  const Undefined& what = std::get<Undefined>(undefined);
  if (what.hint) return runtime.fail(what.hint);
  const std::string name = what.name ? "'" + *what.name + "'" : "the value";
  if (!what.owner) return runtime.fail(name + " is undefined");
  return runtime.fail(std::string("a value of type ") + what.owner + " has no attribute " + name);
}

}  // namespace quire::jinja
