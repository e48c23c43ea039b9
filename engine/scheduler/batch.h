#pragma once

#include "engine/models/forward_batch.h"
#include "engine/scheduler/scheduler.h"

namespace quire {

/// The plan's rows as the model wants them: ids, positions, slots and block tables, in the order of
/// plan.rows, with a row of logits for each that samples.
ForwardBatch make_forward_batch(const StepPlan& plan);

}  // namespace quire
