#pragma once

#include <istream>

#include "kernels/cpu_tuning.h"

namespace quire::cpu {

/// The key's processor and microcode, from the first processor in the text of /proc/cpuinfo.
/// Family, model and stepping are part of the processor, because a virtual machine may give all
/// processors of a maker the same name. If the text has none of these, the processor is
/// processor_name().
TuningKey processor_signature(std::istream& cpuinfo);

}  // namespace quire::cpu
