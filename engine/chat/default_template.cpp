#include "engine/chat/default_template.h"

#include <algorithm>
#include <array>
#include <span>

namespace quire {
namespace {

struct Format {
  std::string_view name;
  std::array<std::string_view, 2>
      marks;  ///< Special tokens that only this format has; may be empty.
  std::string_view source;
};

// The first whose marks are all known is taken, so the plain one is last.
constexpr Format kFormats[] = {
    {"ChatML",
     {"<|im_start|>", "<|im_end|>"},
     "{% for message in messages %}"
     "{{ '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>\n' }}"
     "{% endfor %}"
     "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"},
    {"Llama 3",
     {"<|start_header_id|>", "<|eot_id|>"},
     "{% for message in messages %}"
     "{{ '<|start_header_id|>' + message.role + '<|end_header_id|>\n\n' + message.content + "
     "'<|eot_id|>' }}"
     "{% endfor %}"
     "{% if add_generation_prompt %}"
     "{{ '<|start_header_id|>assistant<|end_header_id|>\n\n' }}{% endif %}"},
    // Gemma knows no system turn: its words open the first user's.
    {"Gemma",
     {"<start_of_turn>", "<end_of_turn>"},
     "{% for message in messages %}"
     "{% if message.role == 'system' %}"
     "{{ '<start_of_turn>user\n' + message.content + '\n\n' }}"
     "{% else %}"
     "{% if not (message.role == 'user' and loop.previtem is defined "
     "and loop.previtem.role == 'system') %}"
     "{{ '<start_of_turn>' + ('model' if message.role == 'assistant' else message.role) + '\n' }}"
     "{% endif %}"
     "{{ message.content + '<end_of_turn>\n' }}"
     "{% endif %}"
     "{% endfor %}"
     "{% if add_generation_prompt %}{{ '<start_of_turn>model\n' }}{% endif %}"},
    {"Phi-3",
     {"<|assistant|>", "<|end|>"},
     "{% for message in messages %}"
     "{{ '<|' + message.role + '|>\n' + message.content + '<|end|>\n' }}"
     "{% endfor %}"
     "{% if add_generation_prompt %}{{ '<|assistant|>\n' }}{% endif %}"},
    // As Gemma's: the system's words open the next user's turn.
    {"Mistral",
     {"[INST]", "[/INST]"},
     "{% for message in messages %}"
     "{% if message.role == 'system' %}{{ '[INST] ' + message.content + '\n\n' }}"
     "{% elif message.role == 'user' %}"
     "{% if not (loop.previtem is defined and loop.previtem.role == 'system') %}{{ '[INST] ' }}"
     "{% endif %}"
     "{{ message.content + ' [/INST]' }}"
     "{% else %}{{ ' ' + message.content + eos_token }}"
     "{% endif %}"
     "{% endfor %}"},
    // Words, because such a model knows no marks.
    {"plain",
     {},
     "{% for message in messages %}"
     "{% if message.role == 'system' %}{{ message.content }}\n\n"
     "{% elif message.role == 'user' %}User: {{ message.content }}\n"
     "{% else %}Assistant: {{ message.content }}\n{% endif %}"
     "{% endfor %}"
     "{% if add_generation_prompt %}Assistant:{% endif %}"},
};

bool knows(const Tokenizer& tokenizer, const Format& format) {
  return std::all_of(format.marks.begin(), format.marks.end(), [&](std::string_view mark) {
    return mark.empty() || tokenizer.special_token(mark).has_value();
  });
}

}  // namespace

DefaultTemplate default_template(const Tokenizer& tokenizer) {
  const Format* const format =
      std::find_if(std::begin(kFormats), std::end(kFormats) - 1,
                   [&](const Format& candidate) { return knows(tokenizer, candidate); });
  DefaultTemplate chosen{.name = format->name, .source = std::string(format->source), .stops = {}};
  if (tokenizer.adds_bos() && tokenizer.bos_token()) chosen.source.insert(0, "{{ bos_token }}");
  if (format == std::end(kFormats) - 1) chosen.stops = {"\nUser:"};
  return chosen;
}

}  // namespace quire
