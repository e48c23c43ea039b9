#include "engine/template/chat_template.h"

#include <nlohmann/json.hpp>

#include "engine/template/errors.h"
#include "engine/template/evaluator.h"
#include "engine/template/json.h"
#include "engine/template/parser.h"
#include "engine/template/runtime.h"

namespace quire {

struct ChatTemplate::Program {
  std::unique_ptr<const jinja::SyntaxTree> tree;
  TemplateLimits limits;
};

ChatTemplate::ChatTemplate(std::unique_ptr<const Program> program)
    : m_program(std::move(program)) {}
ChatTemplate::ChatTemplate(ChatTemplate&&) noexcept = default;
ChatTemplate& ChatTemplate::operator=(ChatTemplate&&) noexcept = default;
ChatTemplate::~ChatTemplate() = default;

std::string RenderedPrompt::text() const {
  std::string all;
  for (const PromptSegment& segment : segments) all += segment.text;
  return all;
}

namespace {

/// Real templates need a thousandth of it.
const WorkBudget::Limits kParserLimits = {
    .steps = 20'000'000, .bytes = 64 << 20, .cpu_time = std::chrono::milliseconds(1000)};

}  // namespace

Result<ChatTemplate> ChatTemplate::compile(std::string_view source, TemplateLimits limits) {
  WorkBudget budget(kParserLimits);
  auto tree = jinja::parse(source, limits.max_depth, budget);
  if (!tree) return tree.error();
  auto program = std::make_unique<Program>();
  program->tree = std::move(*tree);
  program->limits = limits;
  return ChatTemplate(std::move(program));
}

namespace {

/// The tokenizer's own special tokens are part of what the template writes; all else that is
/// passed in may hold a user's text.
bool is_input_name(std::string_view name) {
  return !name.ends_with("_token");
}

std::vector<PromptSegment> cut_segments(const jinja::TextBuilder& rendered) {
  std::vector<PromptSegment> segments;
  const std::string& text = rendered.bytes();
  size_t at = 0;
  const auto add = [&](size_t end, bool is_input) {
    if (end > at) segments.push_back({text.substr(at, end - at), is_input});
    at = end;
  };
  for (const jinja::ByteRange& range : rendered.input()) {
    add(range.begin, false);
    add(range.end, true);
  }
  add(text.size(), false);
  return segments;
}

}  // namespace

Result<RenderedPrompt> ChatTemplate::render(const nlohmann::ordered_json& variables,
                                            std::optional<std::chrono::local_seconds> now) const {
  CHECK(m_program);
  if (!variables.is_object()) {
    return Error{ErrorCode::kInvalidArgument, "A chat template's variables must be an object."};
  }
  jinja::Runtime runtime(m_program->limits, now);
  jinja::Scope root;
  for (const auto& [name, value] : variables.items()) {
    root.variables.emplace_back(name, jinja::from_json(runtime, value, is_input_name(name)));
  }
  jinja::TextBuilder out(runtime);
  if (!runtime.failed()) jinja::Evaluator(runtime).run(m_program->tree->body, root, out);
  if (runtime.failed()) {
    const uint32_t offset = runtime.error_offset().value_or(0);
    const std::string& source = m_program->tree->source;
    return runtime.has_raised() ? jinja::refusal_at(source, offset, runtime.error())
                                : jinja::error_at(source, offset, runtime.error());
  }
  return RenderedPrompt{cut_segments(out)};
}

}  // namespace quire
