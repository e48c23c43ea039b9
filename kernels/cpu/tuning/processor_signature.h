#pragma once

#include <istream>

#include "kernels/cpu_tuning.h"

namespace quire::cpu {

/// The processor and the microcode of the first processor in /proc/cpuinfo. The name alone is not
/// enough: a virtual machine may call all processors of a maker the same. Without such a text the
/// processor is processor_name().
TuningKey processor_signature(std::istream& cpuinfo);

}  // namespace quire::cpu
