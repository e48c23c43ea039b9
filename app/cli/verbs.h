#pragma once

#include "app/cli/cli_options.h"

namespace quire {

/// Each adds one verb to the program: its options, its help with examples, and what it does.
void add_generate(Cli& cli);
void add_chat(Cli& cli);
void add_tokenize(Cli& cli);
void add_detokenize(Cli& cli);
void add_render(Cli& cli);
void add_logits(Cli& cli);
void add_inspect(Cli& cli);
void add_perplexity(Cli& cli);
void add_bench(Cli& cli);
void add_replay(Cli& cli);  ///< Only where the store is built, which needs Qt.

}  // namespace quire
