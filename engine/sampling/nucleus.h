#pragma once

#include <span>
#include <vector>

#include "engine/sampling/logit_blocks.h"

namespace quire {

/// Cuts `candidates` to the smallest set, by order of preference, whose weights sum to `target`; at
/// least one stays. Linear time; the set's order is unspecified but deterministic.
void keep_nucleus(std::vector<Candidate>& candidates, double target);

/// The same of a whole vocabulary, weighed, for flat distributions where it may be most of it:
/// weights are summed up by how far logits are below the largest, and only those at the edge are
/// compared with each other. logits: (V); `scratch` is overwritten.
void select_nucleus(std::span<const float> logits, SoftmaxWeight weight, double target,
                    std::vector<float>& scratch, std::vector<Candidate>& out);

}  // namespace quire
