#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/cli/load/http_posts.h"
#include "app/cli/load/load_plan.h"

namespace quire {

/// How one request went. Times are in seconds since the run began.
struct RequestRecord {
  double sent_s = 0.0;
  double ended_s = 0.0;
  std::vector<double> pieces_s;  ///< When each piece of text came; of a whole answer, its end.
  int prompt_tokens = 0;         ///< As the endpoint counts them, else as planned.
  int output_tokens = 0;         ///< As the endpoint counts them, else one for each piece.
  int status = 0;
  std::string error;  ///< Empty: it was answered.

  bool is_answered() const { return error.empty(); }
};

/// Sends the requests of a plan at their times, as many at once as the options allow; those that
/// wait for another's end go in the plan's order. `ended` is called after each with the number of
/// those that have ended. Records are in the plan's order.
std::vector<RequestRecord> run_load(HttpPosts& posts, const TrafficOptions& options,
                                    const std::vector<PlannedRequest>& plan,
                                    const std::function<void(size_t)>& ended = {});

/// Keeps a whole response; a longer one than `most_bytes` is an error.
struct WholeResponse final : ResponseSink {
  void status(int value) override { code = value; }
  bool body(std::string_view piece) override;
  void ended(const std::string& why) override {
    if (error.empty()) error = why;
  }
  bool is_ok() const { return error.empty() && code == 200; }

  size_t most_bytes = size_t{4} << 20;
  int code = 0;
  std::string text;
  std::string error;
};

/// The first model of the endpoint's list. Errors: kIo, with the endpoint's own sentence.
Result<std::string> ask_first_model(HttpPosts& posts);

}  // namespace quire
