#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <vector>

#include "engine/active_requests.h"
#include "engine/memory/device_state.h"
#include "engine/own_drafts.h"
#include "engine/sampling/sample_rows.h"
#include "engine/scheduler/prefix_transfer.h"
#include "engine/scheduler/scheduler.h"
#include "engine/speculation/speculation.h"

namespace quire {

/// The rows of a computed step that are of requests which have not ended meanwhile.
struct ComputedRows {
  ScheduledRows rows;
  SampledRows sampled;
};

/// Computes steps: makes the copies that a plan asks for, runs the model on its rows and samples
/// their tokens. An asynchronous device may run one step ahead: while the host turns the tokens of
/// one step into text, it computes the next.
/// Thread: the engine's. What it refers to outlives it.
class StepExecutor {
 public:
  StepExecutor(Scheduler& scheduler, PrefixTransfer& transfer, ActiveRequests& requests,
               Speculation& speculation, DeviceState& devices)
      : m_scheduler(scheduler),
        m_transfer(transfer),
        m_requests(requests),
        m_speculation(speculation),
        m_devices(devices),
        m_own_drafts(requests, speculation, devices) {}

  /// Submits a plan, which may be empty. Errors: the device's.
  Result<void> submit(StepPlan plan);
  /// Whether a step was submitted and not waited for. Its sequences may end before it does.
  bool has_submitted() const { return m_submitted.has_value(); }
  /// Waits for the submitted step. If the next step only decodes, submits it first, so that the
  /// device computes meanwhile. What is returned is valid until the next call. Errors: the
  /// device's.
  Result<std::vector<ComputedRows>> wait();
  void drop_submitted();

 private:
  struct SubmittedStep {
    StepPlan plan;
    std::vector<RequestId> ids;  ///< Of the plan's rows.
    std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
  };
  Result<void> submit(StepPlan plan, bool follows);
  std::optional<StepPlan> step_after(const SubmittedStep& step);
  void count_rows(const StepPlan& plan);
  void note_time(const SubmittedStep& step);

  Scheduler& m_scheduler;
  PrefixTransfer& m_transfer;
  ActiveRequests& m_requests;
  Speculation& m_speculation;
  DeviceState& m_devices;
  OwnDrafts m_own_drafts;
  SampleRows m_sample_rows;
  std::optional<SubmittedStep> m_submitted;
};

}  // namespace quire
