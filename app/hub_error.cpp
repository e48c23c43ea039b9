#include "app/hub_error.h"

#include "app/error_strings.h"
#include "app/hub/hub_problem.h"

namespace quire {

HubError hubErrorOf(const Error& error) {
  return {errorText(error), problemOf(error) == HubProblem::kNeedsConsent};
}

}  // namespace quire
