#include <algorithm>
#include <chrono>

#include "tests/support/simt/runtime.h"

using simt::Entry;
using simt::runtime;
using simt::Stream;

namespace {

double now_milliseconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(now).count();
}

cudaError_t create_stream(cudaStream_t* handle, unsigned flags) {
  if (handle == nullptr || flags > cudaStreamNonBlocking) return cudaErrorInvalidValue;
  const auto stream = std::make_shared<Stream>();
  stream->device = simt::current_device();
  stream->is_blocking = flags == cudaStreamDefault;
  runtime().current().streams.push_back(stream);
  *handle = reinterpret_cast<cudaStream_t>(stream.get());
  return cudaSuccess;
}

cudaError_t create_event(cudaEvent_t* event, unsigned flags) {
  if (event == nullptr) return cudaErrorInvalidValue;
  *event = new CUevent_st;
  (*event)->has_time = (flags & cudaEventDisableTiming) == 0;
  return cudaSuccess;
}

/// Refuses to wait for a stream that is captured.
cudaError_t refuse_captured(const Stream& stream) {
  if (stream.capture == nullptr) return cudaSuccess;
  stream.capture->is_invalid = true;
  return cudaErrorStreamCaptureUnsupported;
}

bool is_done(const simt::StreamPoint& point) {
  return point.stream == nullptr || point.stream->num_done >= point.number;
}

/// Another stream of a capture, or a branch that comes back.
cudaError_t wait_captured(const std::shared_ptr<Stream>& stream, const CUevent_st& event) {
  simt::Capture& capture = *event.capture;
  if (capture.is_invalid) return cudaErrorStreamCaptureInvalidated;
  if (stream->capture != nullptr && stream->capture != event.capture) {
    return cudaErrorStreamCaptureMerge;
  }
  if (stream->capture == nullptr) {
    stream->capture = event.capture;
    capture.members.push_back(stream);
    capture.branches[stream.get()] = capture.tasks.size();
  }
  const auto branch = capture.branches.find(event.capture_stream);
  const bool is_joined = branch != capture.branches.end() && stream.get() != branch->first &&
                         event.capture_position >= branch->second;
  if (is_joined) capture.branches.erase(branch);
  return cudaSuccess;
}

}  // namespace

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
  return cudaStreamCreateWithFlags(stream, flags);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  const Entry entry("cudaStreamCreateWithFlags");
  if (entry.has_failed()) return entry.status();
  return entry.leave(create_stream(stream, flags));
}

cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  const Entry entry("cudaStreamDestroy");
  const auto stream = handle == nullptr ? nullptr : runtime().find(handle);
  if (stream == nullptr) return entry.leave(cudaErrorInvalidResourceHandle);
  const cudaError_t status = runtime().run_until({stream, stream->num_submitted});
  auto& streams = runtime().device(stream->device).streams;
  streams.erase(std::find(streams.begin(), streams.end(), stream));
  return entry.leave(entry.has_failed() ? entry.status() : status);
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  const Entry entry("cudaStreamSynchronize");
  if (entry.has_failed()) return entry.status();
  const auto stream = runtime().find(handle);
  if (stream == nullptr) return entry.leave(cudaErrorInvalidResourceHandle);
  const cudaError_t refused = refuse_captured(*stream);
  if (refused != cudaSuccess) return entry.leave(refused);
  return entry.leave(runtime().run_until({stream, stream->num_submitted}));
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
  const Entry entry("cudaStreamQuery");
  if (entry.has_failed()) return entry.status();
  const auto stream = runtime().find(handle);
  if (stream == nullptr) return entry.leave(cudaErrorInvalidResourceHandle);
  const cudaError_t refused = refuse_captured(*stream);
  if (refused != cudaSuccess) return entry.leave(refused);
  if (stream->num_done == stream->num_submitted) return cudaSuccess;
  const cudaError_t status = runtime().run_until({stream, stream->num_done + 1});
  return entry.leave(status == cudaSuccess ? cudaErrorNotReady : status);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned) {
  const Entry entry("cudaStreamWaitEvent");
  if (entry.has_failed()) return entry.status();
  const auto stream = runtime().find(handle);
  if (stream == nullptr || event == nullptr) return entry.leave(cudaErrorInvalidResourceHandle);
  if (event->capture != nullptr) return entry.leave(wait_captured(stream, *event));
  if (stream->capture != nullptr && event->is_recorded) {
    // The event lies outside of what is captured.
    stream->capture->is_invalid = true;
    return entry.leave(cudaErrorStreamCaptureIsolation);
  }
  if (!event->is_recorded || event->point.stream == stream) return cudaSuccess;
  return entry.leave(runtime().submit(stream, {nullptr, {event->point}}));
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, void (*function)(void*), void* data) {
  const Entry entry("cudaLaunchHostFunc");
  if (entry.has_failed()) return entry.status();
  const auto stream = runtime().find(handle);
  if (stream == nullptr) return entry.leave(cudaErrorInvalidResourceHandle);
  const auto run = [function, data] {
    function(data);
    return cudaSuccess;
  };
  return entry.leave(runtime().submit(stream, {run, {}}));
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  const Entry entry("cudaEventCreateWithFlags");
  if (entry.has_failed()) return entry.status();
  return entry.leave(create_event(event, flags));
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  const Entry entry("cudaEventDestroy");
  if (event == nullptr) return entry.leave(cudaErrorInvalidResourceHandle);
  delete event;
  return entry.has_failed() ? entry.status() : cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t handle) {
  const Entry entry("cudaEventRecord");
  if (entry.has_failed()) return entry.status();
  const auto stream = runtime().find(handle);
  if (stream == nullptr || event == nullptr) return entry.leave(cudaErrorInvalidResourceHandle);
  event->is_recorded = true;
  event->capture = stream->capture;
  if (stream->capture != nullptr) {
    event->capture_position = stream->capture->tasks.size();
    event->capture_stream = stream.get();
    return entry.leave(stream->capture->is_invalid ? cudaErrorStreamCaptureInvalidated
                                                   : cudaSuccess);
  }
  const auto time = std::make_shared<double>(0.0);
  event->milliseconds = time;
  const auto run = [time] {
    *time = now_milliseconds();
    return cudaSuccess;
  };
  const cudaError_t status = runtime().submit(stream, {run, {}});
  event->point = {stream, stream->num_submitted};
  return entry.leave(status);
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  const Entry entry("cudaEventQuery");
  if (entry.has_failed()) return entry.status();
  if (event == nullptr) return entry.leave(cudaErrorInvalidResourceHandle);
  if (event->capture != nullptr) return entry.leave(cudaErrorCapturedEvent);
  if (is_done(event->point)) return cudaSuccess;
  const simt::StreamPoint next{event->point.stream, event->point.stream->num_done + 1};
  const cudaError_t status = runtime().run_until(next);
  return entry.leave(status == cudaSuccess ? cudaErrorNotReady : status);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  const Entry entry("cudaEventSynchronize");
  if (entry.has_failed()) return entry.status();
  if (event == nullptr) return entry.leave(cudaErrorInvalidResourceHandle);
  if (event->capture != nullptr) return entry.leave(cudaErrorCapturedEvent);
  if (is_done(event->point)) return cudaSuccess;
  return entry.leave(runtime().run_until(event->point));
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  const Entry entry("cudaEventElapsedTime");
  if (entry.has_failed()) return entry.status();
  for (const cudaEvent_t event : {begin, end}) {
    if (event == nullptr || !event->has_time || event->milliseconds == nullptr) {
      return entry.leave(cudaErrorInvalidResourceHandle);
    }
    if (!is_done(event->point)) return entry.leave(cudaErrorNotReady);
  }
  *milliseconds = static_cast<float>(*end->milliseconds - *begin->milliseconds);
  return cudaSuccess;
}
