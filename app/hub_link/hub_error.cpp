#include "app/hub_link/hub_error.h"

#include "app/error_strings.h"
#include "app/hub/hub_problem.h"

namespace quire {

HubError hubErrorOf(const Error& error) {
  const HubProblem problem = problemOf(error);
  return {errorText(error),
          problem == HubProblem::kNeedsConsent || problem == HubProblem::kTokenRefused};
}

}  // namespace quire
