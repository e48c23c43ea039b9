#include "tests/support/simt/runtime.h"

using simt::Entry;
using simt::runtime;

namespace {

/// The streams of a capture are ordinary ones again.
void end_capture(const std::shared_ptr<simt::Capture>& capture) {
  runtime().captures.erase(capture.get());
  for (const auto& member : capture->members) member->capture = nullptr;
  capture->members.clear();
}

}  // namespace

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
  const Entry entry("cudaStreamBeginCapture");
  if (entry.has_failed()) return entry.status();
  // The default stream cannot be captured.
  if (handle == nullptr) return entry.leave(cudaErrorStreamCaptureUnsupported);
  const auto stream = runtime().find(handle);
  if (stream == nullptr) return entry.leave(cudaErrorInvalidResourceHandle);
  if (stream->capture != nullptr) return entry.leave(cudaErrorIllegalState);
  const auto capture = std::make_shared<simt::Capture>();
  capture->mode = mode;
  capture->origin = stream.get();
  capture->members.push_back(stream);
  stream->capture = capture;
  runtime().captures.insert(capture.get());
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
  const Entry entry("cudaStreamEndCapture");
  if (graph != nullptr) *graph = nullptr;
  const auto stream = runtime().find(handle);
  if (entry.has_failed()) {
    // It ends the capture all the same.
    const auto failed = stream == nullptr ? nullptr : stream->capture;
    if (failed != nullptr) end_capture(failed);
    return entry.status();
  }
  if (stream == nullptr || graph == nullptr) return entry.leave(cudaErrorInvalidValue);
  const auto capture = stream->capture;
  if (capture == nullptr) return entry.leave(cudaErrorIllegalState);
  if (capture->origin != stream.get()) return entry.leave(cudaErrorStreamCaptureUnmatched);
  end_capture(capture);
  if (capture->is_invalid) return entry.leave(cudaErrorStreamCaptureInvalidated);
  if (!capture->branches.empty()) return entry.leave(cudaErrorStreamCaptureUnjoined);
  *graph = new CUgraph_st{{}, std::move(capture->tasks)};
  return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  const Entry entry("cudaStreamIsCapturing");
  if (entry.has_failed()) return entry.status();
  const auto stream = runtime().find(handle);
  if (stream == nullptr || status == nullptr) return entry.leave(cudaErrorInvalidValue);
  *status = cudaStreamCaptureStatusNone;
  if (stream->capture == nullptr) return cudaSuccess;
  *status = stream->capture->is_invalid ? cudaStreamCaptureStatusInvalidated
                                        : cudaStreamCaptureStatusActive;
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long) {
  const Entry entry("cudaGraphInstantiate");
  if (entry.has_failed()) return entry.status();
  if (executable == nullptr || graph == nullptr) return entry.leave(cudaErrorInvalidValue);
  *executable = new CUgraphExec_st{{}, std::make_shared<const CUgraph_st>(*graph)};
  return cudaSuccess;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t) {
  const Entry entry("cudaGraphUpload");
  if (entry.has_failed()) return entry.status();
  return entry.leave(executable == nullptr ? cudaErrorInvalidValue : cudaSuccess);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t handle) {
  const Entry entry("cudaGraphLaunch");
  if (entry.has_failed()) return entry.status();
  const auto stream = runtime().find(handle);
  if (stream == nullptr || executable == nullptr) return entry.leave(cudaErrorInvalidValue);
  // One by one, because work of another device may have to run between two of them.
  const std::shared_ptr<const CUgraph_st> graph = executable->graph;
  for (size_t i = 0; i < graph->tasks.size(); ++i) {
    const cudaError_t status =
        runtime().submit(stream, {[graph, i] { return graph->tasks[i](); }, {}});
    if (status != cudaSuccess) return entry.leave(status);
  }
  return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  const Entry entry("cudaGraphExecDestroy");
  delete executable;
  return entry.has_failed() ? entry.status() : cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  const Entry entry("cudaGraphDestroy");
  delete graph;
  return entry.has_failed() ? entry.status() : cudaSuccess;
}
