#pragma once

#include <vector>

#include "engine/active_requests.h"
#include "engine/memory/device_state.h"
#include "engine/sampling/sample_rows.h"
#include "engine/scheduler/scheduler.h"
#include "engine/speculation/speculation.h"

namespace quire {

/// Lets a model's own draft layers guess the drafts of a planned step. These layers write keys and
/// values where the step's rows will be, so the plan must be known first. Thread: the engine's.
/// What it refers to outlives it.
class OwnDrafts {
 public:
  OwnDrafts(ActiveRequests& requests, Speculation& speculation, DeviceState& devices)
      : m_requests(requests), m_speculation(speculation), m_devices(devices) {}

  /// Replaces the placeholder drafts of the plan's sequences (Speculation::awaits_guess) by
  /// guesses. Copies that the plan asks for were made. Errors: the device's.
  Result<void> fill(const StepPlan& plan);

 private:
  using Guessing = std::vector<const ScheduledRows*>;
  Result<void> guess(int number, const Guessing& guessing);

  ActiveRequests& m_requests;
  Speculation& m_speculation;
  DeviceState& m_devices;
  SampleRows m_rows;
};

}  // namespace quire
