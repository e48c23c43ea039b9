#pragma once

#include <cstdlib>
#include <string>

namespace quire {

/// The model that ships with Quire; QUIRE_TEST_MODEL names another for a test run.
inline std::string bundled_model_folder() {
  const char* other = std::getenv("QUIRE_TEST_MODEL");
  return other != nullptr ? other : QUIRE_SOURCE_DIR "/resources/models/quire-mini";
}

/// Its draft model, a tenth of its size with the same vocabulary and template.
inline std::string draft_model_folder() {
  return bundled_model_folder() + "-draft";
}

}  // namespace quire
