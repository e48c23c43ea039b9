#pragma once

#include <string>

/// What the operating system says of itself. Nothing of it names the user or the machine's owner,
/// apart from `release`, which may name who built the kernel. Thread: any.
namespace quire::platform {

struct SystemNames {
  /// "KEY=value" lines as in Linux's /etc/os-release: "PRETTY_NAME". Lines may be missing.
  std::string description;
  std::string kernel;        ///< "Linux", "Darwin", "NT".
  std::string release;       ///< Of the kernel: "6.1.0-18-amd64".
  std::string architecture;  ///< "x86_64".
};
SystemNames system_names();

/// Differs after each start of the machine; empty where the system does not say.
std::string boot_id();

}  // namespace quire::platform
