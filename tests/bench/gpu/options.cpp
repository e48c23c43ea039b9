#include "tests/bench/gpu/options.h"

#include <string_view>

namespace quire::bench {
namespace {

Error invalid(const std::string& message) {
  return {ErrorCode::kInvalidArgument, message};
}

bool is_section(std::string_view name) {
  return name == "ceilings" || name == "kernels" || name == "models" || name == "profile";
}

/// "cuda", "cuda:0", "cpu"; the numbers of GPUs are the driver's to check.
bool is_device(std::string_view name) {
  if (name == "cpu" || name == "cuda") return true;
  return name.size() > 5 && name.starts_with("cuda:") &&
         name.find_first_not_of("0123456789", 5) == name.npos;
}

Result<void> check(const Options& options) {
  if (!options.only.empty() && !is_section(options.only)) {
    return invalid("There is no section " + options.only +
                   "; there are ceilings, kernels, models and profile.");
  }
  if (!is_device(options.device)) {
    return invalid("There is no device " + options.device + "; there are cuda, cuda:N and cpu.");
  }
  if (options.device == "cpu" && !options.is_tiny) {
    return invalid("A processor would compute these shapes for hours. Add --tiny.");
  }
  return {};
}

/// The member that takes the value after this argument, or null.
std::string* value_of(Options& options, std::string_view argument) {
  if (argument == "--device") return &options.device;
  if (argument == "--only") return &options.only;
  if (argument == "--json") return &options.json_path;
  if (argument == "--against") return &options.against_path;
  return nullptr;
}

/// The member that this argument switches on, or null.
bool* switch_of(Options& options, std::string_view argument) {
  if (argument == "--quick") return &options.is_quick;
  if (argument == "--tiny") return &options.is_tiny;
  if (argument == "--help" || argument == "-h") return &options.wants_help;
  return nullptr;
}

}  // namespace

Result<Options> parse_options(int argc, const char* const* argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (bool* const is_on = switch_of(options, argument)) {
      *is_on = true;
    } else if (std::string* const value = value_of(options, argument)) {
      if (i + 1 == argc) return invalid(argument + " needs a value.");
      *value = argv[++i];
    } else {
      return invalid("There is no option " + argument + ".");
    }
  }
  if (options.wants_help) return options;
  if (auto checked = check(options); !checked) return checked.error();
  return options;
}

}  // namespace quire::bench
