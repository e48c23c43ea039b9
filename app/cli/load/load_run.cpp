#include "app/cli/load/load_run.h"

#include <deque>
#include <memory>
#include <utility>

#include "app/cli/load/answer_reader.h"
#include "kernels/base/visible_text.h"

namespace quire {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kOk = 200;
constexpr size_t kMaxErrorBytes = size_t{64} << 10;
constexpr size_t kMaxAnswerBytes = size_t{1} << 20;  ///< Of an answer that is not streamed.

/// Reads one answer into its record.
class AnswerSink final : public ResponseSink {
 public:
  AnswerSink(RequestRecord& record, bool streams, Clock::time_point begin,
             std::function<void()> done)
      : m_record(record), m_streams(streams), m_begin(begin), m_done(std::move(done)) {}

  void status(int code) override { m_record.status = code; }

  bool body(std::string_view piece) override {
    if (!m_streams || m_record.status != kOk) return keep(piece);
    const auto events = m_cutter.push(piece);
    if (!events) fail(events.error().message);
    if (events) take_all(*events);
    return m_record.error.empty();
  }

  void ended(const std::string& error) override {
    m_record.ended_s = now();
    if (!error.empty()) {
      fail(error);
    } else if (m_record.status != kOk) {
      fail_with_status();
    } else if (!m_streams) {
      take(m_whole);
    } else if (!m_is_complete) {
      fail("the stream ended without [DONE]");
    }
    if (m_record.output_tokens == 0) {
      m_record.output_tokens = static_cast<int>(m_record.pieces_s.size());
    }
    m_done();
  }

 private:
  double now() const { return std::chrono::duration<double>(Clock::now() - m_begin).count(); }

  /// Of a response that is read at its end.
  bool keep(std::string_view piece) {
    const bool is_error = m_record.status != kOk;
    if (m_whole.size() + piece.size() <= (is_error ? kMaxErrorBytes : kMaxAnswerBytes)) {
      m_whole += piece;
      return true;
    }
    if (is_error) m_whole += piece.substr(0, kMaxErrorBytes - m_whole.size());
    if (!is_error) fail("the answer is longer than 1 MiB");
    return false;
  }

  void take_all(const std::vector<std::string>& events) {
    for (const std::string& event : events) {
      if (event == "[DONE]") {
        m_is_complete = true;
      } else {
        take(event);
      }
    }
  }

  void take(std::string_view json) {
    const auto piece = read_answer_piece(json);
    if (!piece) return fail(piece.error().message);
    if (!piece->error.empty()) return fail(piece->error);
    if (piece->has_text) m_record.pieces_s.push_back(now());
    if (piece->prompt_tokens >= 0) m_record.prompt_tokens = piece->prompt_tokens;
    if (piece->output_tokens >= 0) m_record.output_tokens = piece->output_tokens;
  }

  void fail_with_status() {
    const auto piece = read_answer_piece(m_whole);
    const std::string said = piece && !piece->error.empty() ? ": " + piece->error : std::string();
    fail("status " + std::to_string(m_record.status) + said);
  }

  /// The first reason is kept.
  void fail(const std::string& why) {
    if (m_record.error.empty()) m_record.error = visible_text(why);
  }

  RequestRecord& m_record;
  const bool m_streams;
  const Clock::time_point m_begin;
  const std::function<void()> m_done;
  EventCutter m_cutter;
  std::string m_whole;
  bool m_is_complete = false;
};

/// Starts what is due, and what waited, when another ends.
class Runner {
 public:
  Runner(HttpPosts& posts, const TrafficOptions& options, const std::vector<PlannedRequest>& plan,
         const std::function<void(size_t)>& ended)
      : m_posts(posts), m_options(options), m_plan(plan), m_ended(ended), m_records(plan.size()) {}

  std::vector<RequestRecord> run() {
    for (size_t i = 0; i < m_plan.size(); ++i) {
      m_posts.after(m_plan[i].at_s, [this, i] { arrive(i); });
    }
    m_begin = Clock::now();
    m_posts.run();
    return std::move(m_records);
  }

 private:
  void arrive(size_t index) {
    m_waiting.push_back(index);
    start_waiting();
  }

  void start_waiting() {
    while (!m_waiting.empty() && m_running < m_options.concurrency) {
      const size_t index = m_waiting.front();
      m_waiting.pop_front();
      ++m_running;
      send(index);
    }
  }

  void send(size_t index) {
    RequestRecord& record = m_records[index];
    record.prompt_tokens = m_plan[index].prompt_tokens;
    record.sent_s = std::chrono::duration<double>(Clock::now() - m_begin).count();
    m_posts.send(m_options.chat ? "/chat/completions" : "/completions", m_plan[index].body,
                 std::make_shared<AnswerSink>(record, m_options.streams, m_begin, [this] {
                   --m_running;
                   if (m_ended) m_ended(++m_num_ended);
                   start_waiting();
                 }));
  }

  HttpPosts& m_posts;
  const TrafficOptions& m_options;
  const std::vector<PlannedRequest>& m_plan;
  const std::function<void(size_t)>& m_ended;
  std::vector<RequestRecord> m_records;
  Clock::time_point m_begin;
  std::deque<size_t> m_waiting;
  int m_running = 0;
  size_t m_num_ended = 0;
};

}  // namespace

bool WholeResponse::body(std::string_view piece) {
  if (text.size() + piece.size() <= most_bytes) {
    text += piece;
    return true;
  }
  error = "its answer is too long";
  return false;
}

std::vector<RequestRecord> run_load(HttpPosts& posts, const TrafficOptions& options,
                                    const std::vector<PlannedRequest>& plan,
                                    const std::function<void(size_t)>& ended) {
  return Runner(posts, options, plan, ended).run();
}

Result<std::string> ask_first_model(HttpPosts& posts) {
  const auto response = std::make_shared<WholeResponse>();
  posts.send("/models", {}, response);
  posts.run();
  const auto failed = [](const std::string& why) {
    return Error{ErrorCode::kIo, "The endpoint does not say which models it has (" +
                                     visible_text(why) + "); check --url, or pass --model."};
  };
  if (!response->error.empty()) return failed(response->error);
  if (!response->is_ok()) return failed("status " + std::to_string(response->code));
  const auto model = first_model(response->text);
  return model ? model : failed(model.error().message);
}

}  // namespace quire
