#include <nlohmann/json.hpp>

#include "engine/template/chat_template.h"
#include "tests/fuzz/fuzz_targets.h"
#include "tests/fuzz/support.h"

namespace quire::fuzz {
namespace {

/// Small, so that an input that runs into them costs the fuzzer little.
TemplateLimits small_limits() {
  TemplateLimits limits;
  limits.max_output_bytes = 1 << 18;
  limits.max_steps = 100'000;
  limits.max_depth = 60;
  return limits;
}

/// The names that templates read, with every type of value.
const nlohmann::ordered_json& conversation() {
  static const auto variables = nlohmann::ordered_json::parse(R"({
    "messages": [
      {"role": "system", "content": "Be <brief>."},
      {"role": "user", "content": " Hi & 안녕 🦙\n"},
      {"role": "assistant", "content": "<think>hm</think>ok", "tool_calls": [{"type": "function",
        "id": "c1", "function": {"name": "f", "arguments": {"x": 1.5, "y": [true, null]}}}]},
      {"role": "tool", "content": "{\"t\": 3}", "tool_call_id": "c1"},
      {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "image"}]}],
    "tools": [{"type": "function", "function": {"name": "f", "description": "d", "parameters":
      {"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"]}}}],
    "documents": [{"title": "T", "text": "body"}],
    "add_generation_prompt": true, "enable_thinking": false, "bos_token": "<s>",
    "eos_token": "</s>", "n": 7, "f": 2.5, "nothing": null, "empty": []})");
  return variables;
}

}  // namespace

void fuzz_template(std::string_view bytes) {
  const auto compiled = ChatTemplate::compile(bytes, small_limits());
  if (!compiled) return require_sentence(compiled.error(), {"line ", "template"});
  const auto rendered =
      compiled->render(conversation(), std::chrono::local_days(std::chrono::year(2026) / 11 / 20));
  if (!rendered) return require_sentence(rendered.error(), {"line "});
  size_t total_bytes = 0;
  const auto& segments = rendered->segments;
  for (size_t i = 0; i < segments.size(); ++i) {
    require(!segments[i].text.empty(), "an empty segment");
    require(i == 0 || segments[i].is_input != segments[i - 1].is_input, "segments not joined");
    total_bytes += segments[i].text.size();
  }
  require(total_bytes <= small_limits().max_output_bytes, "more output than the limit");
}

}  // namespace quire::fuzz
