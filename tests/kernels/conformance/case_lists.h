#pragma once

#include "tests/kernels/conformance/conformance.h"

/// The cases of conformance_cases(), by the file that has them.
namespace quire::test {

void add_memory_cases(std::vector<Case>& cases);
void add_embed_cases(std::vector<Case>& cases);
void add_linear_cases(std::vector<Case>& cases, bool is_long);
void add_expert_cases(std::vector<Case>& cases);
void add_row_cases(std::vector<Case>& cases);
void add_recurrent_cases(std::vector<Case>& cases);
void add_rope_cases(std::vector<Case>& cases);
void add_attention_cases(std::vector<Case>& cases, bool is_long);
void add_quantized_activation_cases(std::vector<Case>& cases, bool is_long);
void add_step_cases(std::vector<Case>& cases);

}  // namespace quire::test
