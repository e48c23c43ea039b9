#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace quire {

/// A place where a source file breaks a rule of the house.
struct Violation {
  std::string file;
  int line = 0;  ///< 1 is the first; 0 means the file as a whole.
  std::string message;
};

/// Checks one file by its path from the repository's root ("engine/cache/block_pool.h") and its
/// content: who may include whom (the table of the folders, and the order of the engine's rooms),
/// how long a file may be, and what QML may not hold. Files of no known folder break no rule.
std::vector<Violation> check_source(std::string_view path, std::string_view content);

}  // namespace quire
