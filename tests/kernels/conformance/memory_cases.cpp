// allocate, upload, download, copy: what is in memory, and in which order it comes there.

#include <cstdint>
#include <numeric>

#include "tests/kernels/conformance/case_lists.h"

namespace quire::test {
namespace {

std::vector<uint8_t> pattern(size_t bytes, uint8_t first) {
  std::vector<uint8_t> numbers(bytes);
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

std::unique_ptr<DeviceBuffer> allocate(Trial& trial, size_t bytes) {
  Result<std::unique_ptr<DeviceBuffer>> buffer = trial.tested.backend.allocate(bytes);
  if (!buffer) trial.compare.require(false, buffer.error().message);
  return buffer ? std::move(*buffer) : nullptr;
}

std::vector<uint8_t> read(Trial& trial, const void* from, size_t bytes) {
  std::vector<uint8_t> numbers(bytes, 0xee);
  trial.tested.backend.download(numbers.data(), from, bytes);
  trial.tested.finish();
  return numbers;
}

/// Memory that others used before reads as zeros too.
void run_zeros(Trial& trial, size_t bytes) {
  for (int round = 0; round < 2; ++round) {
    const std::unique_ptr<DeviceBuffer> buffer = allocate(trial, bytes);
    if (buffer == nullptr) return;
    trial.compare.require(buffer->size_bytes() == bytes,
                          "The buffer has " + std::to_string(buffer->size_bytes()) + " bytes.");
    trial.compare.require(reinterpret_cast<uintptr_t>(buffer->data()) % 64 == 0,
                          "The buffer is not 64-byte aligned.");
    trial.compare.same_bits("A new buffer", read(trial, buffer->data(), bytes),
                            std::vector<uint8_t>(bytes));
    const std::vector<uint8_t> used = pattern(bytes, 1);
    trial.tested.backend.upload(buffer->data(), used.data(), bytes);
    trial.compare.same_bits("What was uploaded", read(trial, buffer->data(), bytes), used);
  }
}

/// Nothing waits in between: operations run in the order of their calls.
void run_order(Trial& trial) {
  constexpr size_t kBytes = 5003;
  Backend& backend = trial.tested.backend;
  const std::unique_ptr<DeviceBuffer> a = allocate(trial, kBytes);
  const std::unique_ptr<DeviceBuffer> b = allocate(trial, kBytes);
  if (a == nullptr || b == nullptr) return;
  const std::vector<uint8_t> first = pattern(kBytes, 1);
  const std::vector<uint8_t> second = pattern(kBytes, 100);
  std::vector<uint8_t> before(kBytes);
  std::vector<uint8_t> after(kBytes);
  std::vector<uint8_t> copied(kBytes);
  backend.upload(a->data(), first.data(), kBytes);
  backend.copy(b->data(), a->data(), kBytes);
  backend.download(before.data(), a->data(), kBytes);
  backend.upload(a->data(), second.data(), kBytes);
  backend.download(after.data(), a->data(), kBytes);
  backend.download(copied.data(), b->data(), kBytes);
  trial.tested.finish();
  trial.compare.same_bits("Downloaded before the second upload", before, first);
  trial.compare.same_bits("Downloaded after it", after, second);
  trial.compare.same_bits("Copied before it", copied, first);
}

/// Parts of buffers at odd addresses, and nothing at all.
void run_memory_parts(Trial& trial) {
  constexpr size_t kBytes = 301;
  Backend& backend = trial.tested.backend;
  const std::unique_ptr<DeviceBuffer> a = allocate(trial, kBytes);
  const std::unique_ptr<DeviceBuffer> b = allocate(trial, kBytes);
  if (a == nullptr || b == nullptr) return;
  const std::vector<uint8_t> numbers = pattern(kBytes, 1);
  auto* const at = static_cast<uint8_t*>(a->data());
  backend.upload(at + 3, numbers.data(), 7);
  backend.copy(static_cast<uint8_t*>(b->data()) + 1, at + 4, 5);
  backend.upload(at, numbers.data(), 0);
  backend.copy(b->data(), a->data(), 0);
  backend.download(nullptr, a->data(), 0);
  std::vector<uint8_t> expected_a(kBytes);
  std::vector<uint8_t> expected_b(kBytes);
  std::copy_n(numbers.begin(), 7, expected_a.begin() + 3);
  std::copy_n(numbers.begin() + 1, 5, expected_b.begin() + 1);
  trial.compare.same_bits("Uploaded to the middle", read(trial, at, kBytes), expected_a);
  trial.compare.same_bits("Copied from the middle", read(trial, b->data(), kBytes), expected_b);
  const std::vector<uint8_t> tail = read(trial, at + 5, 3);
  trial.compare.same_bits("Downloaded from the middle", tail, std::span(expected_a).subspan(5, 3));
}

void run_nothing(Trial& trial) {
  const std::unique_ptr<DeviceBuffer> buffer = allocate(trial, 0);
  if (buffer == nullptr) return;
  trial.compare.require(buffer->size_bytes() == 0, "A buffer of no bytes has some.");
  trial.tested.backend.upload(buffer->data(), nullptr, 0);
}

/// More than there is: an error with words, and the backend goes on.
void run_too_much(Trial& trial) {
  const Result<std::unique_ptr<DeviceBuffer>> buffer =
      trial.tested.backend.allocate(size_t{1} << 60);
  trial.compare.require(!buffer.has_value(), "2^60 bytes were allocated.");
  if (buffer) return;
  trial.compare.require(buffer.error().code == ErrorCode::kOutOfMemory,
                        "The error is not kOutOfMemory: " + buffer.error().message);
  trial.compare.require(!buffer.error().message.empty(), "The error says nothing.");
  run_zeros(trial, 100);
}

}  // namespace

void add_memory_cases(std::vector<Case>& cases) {
  for (size_t bytes : {size_t{1}, size_t{4099}, (size_t{9} << 20) + 1}) {
    cases.push_back({"memory", std::to_string(bytes) + " bytes",
                     [=](Trial& trial) { run_zeros(trial, bytes); }});
  }
  cases.push_back({"memory", "order", run_order});
  cases.push_back({"memory", "parts", run_memory_parts});
  cases.push_back({"memory", "nothing", run_nothing});
  cases.push_back({"memory", "too much", run_too_much});
}

}  // namespace quire::test
