#include <new>

#include "app/confine/confine.h"
#include "app/confine/confined_call.h"

namespace quire {

std::string Confinement::text() const {
  return "not yet on Windows; this program reads them itself, with its limits for each format";
}

Confinement try_confinement() {
  return {};
}

/// Runs the work in this process: what it throws is an error, and nothing limits it otherwise.
Result<ConfinedEnd> confined_call(const ConfineLimits& limits, std::chrono::milliseconds,
                                  const std::function<std::string()>& work, std::string_view what) {
  try {
    ConfinedEnd end{.answer = work()};
    if (end.answer.size() <= limits.answer_bytes) return end;
    return make_error(ErrorCode::kOutOfMemory,
                      "Reading %1 takes too much memory, so it is not loaded. It is read again "
                      "when it changes, or with Try again.",
                      {std::string(what)});
  } catch (const std::bad_alloc&) {
    return make_error(ErrorCode::kOutOfMemory,
                      "Reading %1 takes too much memory, so it is not loaded. It is read again "
                      "when it changes, or with Try again.",
                      {std::string(what)});
  } catch (...) {
    return make_error(ErrorCode::kCorruptFile,
                      "Reading %1 ended in a crash, so it is not loaded. It is read again when it "
                      "changes, or with Try again.",
                      {std::string(what)});
  }
}

}  // namespace quire
