#pragma once

#include <cstdint>

namespace quire::test {

/// Bytes that this program has asked the system for and not freed, whether it touched them or
/// not: the heap's blocks in use and anonymous mappings, but not threads' stacks nor files. The
/// program's own mmap() and munmap() are counted by standing in for the C library's, so link this
/// into a test program of its own.
uint64_t allocated_bytes();

/// Whether it can be counted: not where a sanitizer stands in for the same functions.
bool can_meter_memory();

/// Anonymous memory of the process that the system has given pages for.
uint64_t resident_bytes();

}  // namespace quire::test
