// The machine of libquire_cuda_harness.so, which has no other way to be told: QUIRE_SIMT_DEVICES,
// QUIRE_SIMT_MEMORY_MB (of each), QUIRE_SIMT_DRIVER=none for a machine without a driver, and
// QUIRE_SIMT_LOSE_AT=n to lose the device with its n-th kernel.

#include <cstdlib>
#include <string_view>

#include "simt/control.h"

namespace {

size_t number_from(const char* name, size_t fallback) {
  const char* const value = std::getenv(name);
  return value == nullptr ? fallback : static_cast<size_t>(std::strtoull(value, nullptr, 10));
}

simt::Machine machine_from_environment() {
  simt::Machine machine;
  machine.num_devices = static_cast<int>(number_from("QUIRE_SIMT_DEVICES", 1));
  machine.memory_bytes = number_from("QUIRE_SIMT_MEMORY_MB", 2048) << 20;
  const char* const driver = std::getenv("QUIRE_SIMT_DRIVER");
  if (driver != nullptr && std::string_view(driver) == "none") {
    machine.driver = cudaErrorInsufficientDriver;
  }
  return machine;
}

[[maybe_unused]] const bool kIsSet = [] {
  simt::set_machine(machine_from_environment());
  const size_t nth = number_from("QUIRE_SIMT_LOSE_AT", 0);
  if (nth > 0) {
    simt::fail_call("cudaLaunchKernelExC", static_cast<int>(nth), cudaErrorIllegalAddress);
  }
  return true;
}();

}  // namespace
