#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace simt {

/// The name of a kernel of this program, for reports; its address if the program was stripped.
std::string kernel_name(const void* kernel);

struct StaticShared {
  void* memory;  ///< On this host thread.
  size_t bytes;
};
/// The __shared__ variables declared in a kernel itself. (Not those of functions that it calls.)
const std::vector<StaticShared>& static_shared(const void* kernel);
size_t static_shared_bytes(const void* kernel);
/// The kernel's own __shared__ variables, and those of the functions that it may call: all
/// functions in namespace quire::cuda that are in its source file or are templates. Each variable
/// once.
const std::vector<StaticShared>& reachable_shared(const void* kernel);

}  // namespace simt
