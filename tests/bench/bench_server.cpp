// What the API's server adds to the time to the first token: the same requests, with the same token
// ids, in this process and through HTTP, in alternating turns, one after another and at a rate.
//
//   bench_server [requests (300)] [requests per second (20)] [prompt tokens (128)]
//
// The model is the bundled one, on the CPU; the prefix cache is off, so that both ways compute the
// same.
#include <QCoreApplication>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

#include <nlohmann/json.hpp>

#include "app/cli/load/http_posts.h"
#include "app/cli/load/load_plan.h"
#include "app/cli/load/load_run.h"
#include "app/engine/engine_service.h"
#include "app/server/api_server.h"
#include "engine/model_loader.h"
#include "tests/support/bundled_model.h"

namespace {

using namespace quire;
using Clock = std::chrono::steady_clock;

constexpr int kTurns = 10;
constexpr int kGenerateTokens = 8;

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

/// The answers of one turn in this process.
struct Answers {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<double> ttft_ms;
  int num_finished = 0;

  void wait_for(int count) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return num_finished >= count; });
  }
};

class Sink : public AnswerSink {
 public:
  explicit Sink(Answers& answers) : m_answers(answers) {}

  void started(const PromptReport&) override {}
  void textAppended(const QString&, int) override {
    if (std::exchange(m_has_text, true)) return;
    const double ms = ms_since(m_begin);
    const std::lock_guard lock(m_answers.mutex);
    m_answers.ttft_ms.push_back(ms);
  }
  void finished(const AnswerReport& report) override {
    if (!report.error.isEmpty()) std::fprintf(stderr, "%s\n", qPrintable(report.error));
    const std::lock_guard lock(m_answers.mutex);
    ++m_answers.num_finished;
    m_answers.changed.notify_one();
  }

 private:
  Answers& m_answers;
  const Clock::time_point m_begin = Clock::now();
  bool m_has_text = false;
};

/// The request of a plan as the server reads it.
ChatRequest request_of(const PlannedRequest& planned, const QString& model) {
  const auto body = nlohmann::json::parse(planned.body);
  RawPrompt prompt;
  for (const auto& id : body["prompt"]) prompt.tokens.append(id.get<qint32>());
  ChatRequest request;
  request.rawPrompt = prompt;
  request.sampling.temperature = 0.0f;
  request.sampling.ignore_eos = true;
  request.sampling.max_tokens = planned.max_tokens;
  request.priority = kApiPriority;
  request.modelPath = model;
  return request;
}

struct Bench {
  EngineService& engine;
  HttpPosts& posts;
  const Tokenizer& tokenizer;
  QString model;

  std::vector<double> in_process(const TrafficOptions& options,
                                 const std::vector<PlannedRequest>& plan) const {
    std::vector<ChatRequest> requests;
    for (const PlannedRequest& planned : plan) requests.push_back(request_of(planned, model));
    Answers answers;
    const auto begin = Clock::now();
    for (size_t i = 0; i < plan.size(); ++i) {
      answers.wait_for(static_cast<int>(i) + 1 - options.concurrency);
      const auto at = std::chrono::duration<double>(plan[i].at_s);
      std::this_thread::sleep_until(begin + std::chrono::duration_cast<Clock::duration>(at));
      engine.submit(requests[i], std::make_shared<Sink>(answers));
    }
    answers.wait_for(static_cast<int>(plan.size()));
    return answers.ttft_ms;
  }

  std::vector<double> through_server(const TrafficOptions& options,
                                     const std::vector<PlannedRequest>& plan) const {
    std::vector<double> ttft_ms;
    for (const RequestRecord& record : run_load(posts, options, plan)) {
      if (!record.is_answered()) std::fprintf(stderr, "%s\n", record.error.c_str());
      if (record.pieces_s.empty()) continue;
      ttft_ms.push_back(1000.0 * (record.pieces_s.front() - record.sent_s));
    }
    return ttft_ms;
  }
};

double at(std::vector<double> values, double share) {
  if (values.empty()) return std::nan("");
  std::ranges::sort(values);
  const auto rank = static_cast<size_t>(std::ceil(share * static_cast<double>(values.size())));
  return values[std::max<size_t>(rank, 1) - 1];
}

/// Both ways in turns, each first in every other one.
void compare(const Bench& bench, const char* name, TrafficOptions options) {
  std::vector<double> inside, outside;
  const auto append = [](std::vector<double>& all, const std::vector<double>& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  options.num_requests = std::max(options.num_requests / kTurns, 1);
  for (int turn = 0; turn < kTurns; ++turn) {
    options.seed = static_cast<uint64_t>(turn);
    const auto plan = plan_load(options, &bench.tokenizer);
    if (turn % 2 == 0) append(inside, bench.in_process(options, plan));
    append(outside, bench.through_server(options, plan));
    if (turn % 2 == 1) append(inside, bench.in_process(options, plan));
  }
  std::printf("%-12s %5zu requests", name, outside.size());
  for (const auto& [label, share] : {std::pair("p50", 0.5), std::pair("p99", 0.99)}) {
    std::printf("   %s: in process %.2f ms, server %.2f ms, added %.2f ms", label,
                at(inside, share), at(outside, share), at(outside, share) - at(inside, share));
  }
  std::printf("\n");
  std::fflush(stdout);
}

double argument(int argc, char** argv, int index, double usual) {
  return argc > index ? std::atof(argv[index]) : usual;
}

}  // namespace

int main(int argc, char** argv) {
  QCoreApplication application(argc, argv);
  const QString model = QString::fromStdString(bundled_model_folder());
  EngineServiceOptions options;
  options.bundledModelPath = model;
  options.backend.device = "cpu";
  options.engine.prefix_cache = false;
  EngineService engine(options);
  ApiServer server(engine, engine, engine);
  ApiServerOptions serving;
  serving.port = 0;
  serving.modelPaths = {model};
  const QString problem = server.start(serving);
  const auto tokenizer = load_model_tokenizer(model.toStdString());
  const auto posts =
      HttpPosts::open({.url = {.host = "127.0.0.1", .port = std::to_string(server.port())}});
  if (!problem.isEmpty() || !tokenizer || !posts) {
    std::fprintf(stderr, "cannot start: %s\n", qPrintable(problem));
    return 1;
  }
  TrafficOptions load;
  load.model = server.modelNames().value(0).toStdString();
  load.ignores_eos = true;
  load.num_requests = static_cast<int>(argument(argc, argv, 1, 300));
  load.prompt_tokens = static_cast<int>(argument(argc, argv, 3, 128));
  load.generate_tokens = kGenerateTokens;
  const double rate = argument(argc, argv, 2, 20);
  const Bench bench{engine, **posts, **tokenizer, model};
  // The engine answers while this thread runs the window's event loop.
  std::thread measuring([&] {
    TrafficOptions first = load;
    first.num_requests = 4;
    bench.through_server(first, plan_load(first, &bench.tokenizer));  // Loads the model.
    load.concurrency = 1;
    compare(bench, "in turn", load);
    load.concurrency = load.num_requests;
    load.rate = rate;
    compare(bench, "at a rate", load);
    QMetaObject::invokeMethod(&application, &QCoreApplication::quit, Qt::QueuedConnection);
  });
  const int code = QCoreApplication::exec();
  measuring.join();
  return code;
}
