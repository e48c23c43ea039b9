#pragma once

#include <cstddef>
#include <memory>

#include "kernels/backend.h"

namespace quire::cpu {

/// Zeroed pages of the system, committed when they are first touched, in huge pages if possible.
class Mapping {
 public:
  /// Errors: kOutOfMemory with the number of MB.
  static Result<std::shared_ptr<Mapping>> create(size_t bytes);
  ~Mapping();
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  char* data() const { return m_data; }
  /// Gives the pages behind the first `bytes` back to the system.
  void shorten(size_t bytes);

 private:
  Mapping(char* data, size_t bytes) : m_data(data), m_bytes(bytes) {}
  char* m_data;
  size_t m_bytes;
};

/// Zeroed memory, 64-byte aligned, committed when it is first touched, in huge pages if possible.
/// Errors: kOutOfMemory with the number of MB.
Result<std::unique_ptr<DeviceBuffer>> allocate_buffer(size_t bytes);

/// The machine's memory, and what is available without swapping.
void query_memory(uint64_t& total_bytes, uint64_t& free_bytes);

}  // namespace quire::cpu
