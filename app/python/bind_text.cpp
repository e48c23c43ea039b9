#include <memory>
#include <tuple>
#include <utility>

#include "app/python/bindings.h"
#include "app/python/engine_loop.h"
#include "engine/chat/chat_prompt.h"
#include "engine/embed.h"

namespace quire {
namespace {

namespace py = pybind11;

/// A message as Python passes it: its role and parts (kind, text, tool, call id).
using PartTuple = std::tuple<std::string, std::string, std::string, std::string>;
using MessageTuple = std::pair<std::string, std::vector<PartTuple>>;

/// How a model reads and writes text. Thread: any.
class TextFormat {
 public:
  explicit TextFormat(std::shared_ptr<const ChatFormat> format) : m_format(std::move(format)) {}

  const Tokenizer& tokenizer() const { return *m_format->tokenizer; }

  /// The ids of a text; special tokens written in it count as such. With the token that begins a
  /// text, if the model's files ask for it and the text does not begin with it.
  std::vector<TokenId> encode(const std::string& text, bool adds_special) const {
    std::vector<TokenId> ids = tokenizer().encode_with_special(text);
    const auto bos = tokenizer().bos_token();
    if (!adds_special || !tokenizer().adds_bos() || !bos) return ids;
    if (ids.empty() || ids.front() != *bos) ids.insert(ids.begin(), *bos);
    return ids;
  }

  std::vector<TokenId> encode_answer(const std::string& text) const {
    const TextRun run{.text = text, .is_plain = true};
    return tokenizer().encode_runs({&run, 1});
  }

  /// Errors: those of chat_prompt.
  Result<ChatPrompt> prompt(const std::vector<MessageTuple>& messages,
                            const PromptOptions& options) const;

  /// The same with another chat template. Errors: those of ChatTemplate::compile.
  Result<TextFormat> with_template(const std::string& source) const {
    auto compiled = ChatTemplate::compile(source);
    if (!compiled) return compiled.error();
    auto format = std::make_shared<ChatFormat>();
    format->tokenizer = m_format->tokenizer;
    format->chat_template = std::move(*compiled);
    format->template_source = source;
    return TextFormat(std::move(format));
  }

  const std::vector<std::string>& turn_stops() const { return m_format->turn_stops; }

 private:
  std::shared_ptr<const ChatFormat> m_format;
};

ContentPart::Kind kind_of(const std::string& name) {
  using Kind = ContentPart::Kind;
  if (name == "text") return Kind::kText;
  if (name == "reasoning") return Kind::kReasoning;
  if (name == "tool_call") return Kind::kToolCall;
  if (name == "tool_result") return Kind::kToolResult;
  throw py::value_error("part: " + name);
}

Result<ChatPrompt> TextFormat::prompt(const std::vector<MessageTuple>& messages,
                                      const PromptOptions& options) const {
  std::vector<ChatMessage> chat;
  for (const auto& [role, parts] : messages) {
    ChatMessage& message = chat.emplace_back();
    message.role = role;
    for (const auto& [kind, text, tool, call_id] : parts) {
      message.parts.push_back({kind_of(kind), text, tool, call_id});
    }
  }
  return chat_prompt(*m_format, chat, options);
}

/// Bytes of a model's vocabulary need not be whole characters.
py::str visible(std::string_view bytes) {
  return py::reinterpret_steal<py::str>(
      PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "replace"));
}

py::str token_text(const TextFormat& format, TokenId id) {
  const Tokenizer& tokenizer = format.tokenizer();
  return visible(tokenizer.is_special(id) ? tokenizer.token_piece(id) : tokenizer.token_bytes(id));
}

bool has_token(const TextFormat& format, TokenId id) {
  return id >= 0 && id < format.tokenizer().vocab_size();
}

std::vector<TokenId> chat_tokens(const TextFormat& format,
                                 const std::vector<MessageTuple>& messages,
                                 const std::string& tools, const std::string& variables,
                                 bool add_generation_prompt) {
  Result<ChatPrompt> prompt = unlocked([&] {
    return format.prompt(
        messages,
        {.add_generation_prompt = add_generation_prompt, .tools = tools, .variables = variables});
  });
  return value_or_raise(std::move(prompt)).tokens;
}

std::vector<TokenId> encode(const TextFormat& format, const std::string& text, bool adds_special) {
  return unlocked([&] { return format.encode(text, adds_special); });
}

}  // namespace

void bind_text(py::module_& module) {
  py::class_<TextFormat>(module, "TextFormat")
      .def(py::init([](const LoopModel& model) { return TextFormat(model.chat); }))
      .def("encode", &encode)
      .def("encode_answer", &TextFormat::encode_answer)
      .def("encode_for_embedding",
           [](const TextFormat& format, const std::string& text) {
             return embedding_tokens(format.tokenizer(), text);
           })
      .def("decode",
           [](const TextFormat& format, const std::vector<TokenId>& ids, bool with_special) {
             return visible(format.tokenizer().decode(ids, with_special));
           })
      .def("token_text", &token_text)
      .def("token_piece", [](const TextFormat& format,
                             TokenId id) { return visible(format.tokenizer().token_piece(id)); })
      .def("has_token", &has_token)
      .def("chat_tokens", &chat_tokens)
      .def("with_template",
           [](const TextFormat& format, const std::string& source) {
             return value_or_raise(format.with_template(source));
           })
      .def_property_readonly("turn_stops", &TextFormat::turn_stops)
      .def_property_readonly(
          "vocab_size", [](const TextFormat& format) { return format.tokenizer().vocab_size(); })
      .def_property_readonly("bos_token_id",
                             [](const TextFormat& f) { return f.tokenizer().bos_token(); })
      .def_property_readonly("eos_token_id",
                             [](const TextFormat& f) { return f.tokenizer().eos_token(); });
}

}  // namespace quire
