#include "kernels/cpu/tuning/processor_signature.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "kernels/base/instruction_set.h"

namespace quire::cpu {
namespace {

/// What tells processors apart: x86's lines, then AArch64's.
constexpr std::string_view kFields[] = {"model name", "cpu family",      "model",
                                        "stepping",   "CPU implementer", "CPU variant",
                                        "CPU part",   "CPU revision"};

std::string_view without_blanks(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace

TuningKey processor_signature(std::istream& cpuinfo) {
  TuningKey key;
  for (std::string line; std::getline(cpuinfo, line) && !without_blanks(line).empty();) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string_view field = without_blanks(std::string_view(line).substr(0, colon));
    const std::string_view value = without_blanks(std::string_view(line).substr(colon + 1));
    if (field == "microcode") key.microcode = value;
    if (std::ranges::find(kFields, field) == std::end(kFields)) continue;
    if (!key.processor.empty()) key.processor += ", ";
    if (field != "model name") key.processor += std::string(field) + " ";
    key.processor += value;
  }
  if (key.processor.empty()) key.processor = processor_name();
  return key;
}

}  // namespace quire::cpu
