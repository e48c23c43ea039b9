#include <QtTest>

#include <cmath>
#include <thread>
#include <vector>

#include "app/server/http/http_message.h"
#include "app/server/server_metrics.h"
#include "engine/block_report.h"

using namespace quire;

namespace {

bool hasLine(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

}  // namespace

class TestMetrics : public QObject {
  Q_OBJECT

 private slots:
  void text_hasPrometheusForm();
  void labels_areEscaped();
  void histogram_countsUpToEachBound();
  void total_goesOnAfterAReset();
  void series_areLimited();
  void values_comeFromManyThreads();
  void server_namesWhatItMeasures();
};

void TestMetrics::text_hasPrometheusForm() {
  MetricRegistry registry;
  registry.counter("b_total", "How many.", {{"a", "x"}, {"c", "y"}}).add(2);
  registry.counter("b_total", "How many.", {{"a", "x"}, {"c", "y"}}).add(0.5);
  registry.gauge("a_now", "How much.").set(-1e300);
  QCOMPARE(registry.text(), std::string("# HELP a_now How much.\n"
                                        "# TYPE a_now gauge\n"
                                        "a_now -1e+300\n"
                                        "# HELP b_total How many.\n"
                                        "# TYPE b_total counter\n"
                                        "b_total{a=\"x\",c=\"y\"} 2.5\n"));
  registry.gauge("a_now", "").set(std::nan(""));
  QVERIFY(hasLine(registry.text(), "a_now NaN"));
  registry.gauge("a_now", "").set(INFINITY);
  QVERIFY(hasLine(registry.text(), "a_now +Inf"));
}

void TestMetrics::labels_areEscaped() {
  MetricRegistry registry;
  registry.gauge("a", "A.", {{"name", "x\"} 1\nb 2\\"}}).set(1);
  QVERIFY(hasLine(registry.text(), R"(a{name="x\"} 1\nb 2\\"} 1)"));
}

void TestMetrics::histogram_countsUpToEachBound() {
  MetricRegistry registry;
  MetricHistogram& histogram = registry.histogram("h", "H.", {0.5, 1, 2}, {{"a", "b"}});
  for (const double value : {0.1, 0.5, 0.75, 1.5, 2.5, 100.0}) histogram.observe(value);
  histogram.observe(std::nan(""));
  const std::string text = registry.text();
  QVERIFY(hasLine(text, "# TYPE h histogram"));
  QVERIFY(hasLine(text, "h_bucket{a=\"b\",le=\"0.5\"} 2"));
  QVERIFY(hasLine(text, "h_bucket{a=\"b\",le=\"1\"} 3"));
  QVERIFY(hasLine(text, "h_bucket{a=\"b\",le=\"2\"} 4"));
  QVERIFY(hasLine(text, "h_bucket{a=\"b\",le=\"+Inf\"} 6"));
  QVERIFY(hasLine(text, "h_sum{a=\"b\"} 105.35"));
  QVERIFY(hasLine(text, "h_count{a=\"b\"} 6"));
}

/// A model that is loaded again counts from 0.
void TestMetrics::total_goesOnAfterAReset() {
  MetricCounter counter;
  counter.setTotal(10);
  counter.setTotal(15);
  QCOMPARE(counter.value(), 15.0);
  counter.setTotal(3);
  counter.setTotal(3);
  QCOMPARE(counter.value(), 18.0);
  counter.add(-5);
  QCOMPARE(counter.value(), 18.0);
}

void TestMetrics::series_areLimited() {
  MetricRegistry registry;
  const size_t count = MetricRegistry::kMaxSeries + 50;
  for (size_t i = 0; i < count; ++i) {
    registry.counter("a", "A.", {{"name", std::to_string(i)}}).add();
  }
  registry.counter("a", "A.", {{"name", "7"}}).add();
  const std::string text = registry.text();
  QVERIFY(hasLine(text, "a{name=\"7\"} 2"));
  QVERIFY(hasLine(text, "a{name=\"other\"} 50"));
  QVERIFY(text.find("\"" + std::to_string(MetricRegistry::kMaxSeries) + "\"") == text.npos);
}

void TestMetrics::values_comeFromManyThreads() {
  MetricRegistry registry;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&registry, i] {
      for (int j = 0; j < 2000; ++j) {
        registry.counter("a", "A.", {{"i", std::to_string(i % 2)}}).add();
        registry.histogram("h", "H.", {1, 2}).observe(j % 3);
        if (j % 500 == 0) registry.text();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const std::string text = registry.text();
  QVERIFY(hasLine(text, "a{i=\"0\"} 4000"));
  QVERIFY(hasLine(text, "a{i=\"1\"} 4000"));
  QVERIFY(hasLine(text, "h_count 8000"));
}

void TestMetrics::server_namesWhatItMeasures() {
  ServerMetrics metrics;
  metrics.countResponse("/v1/models", {.status = 200, .response_bytes = 70, .ms = 20.0});
  metrics.countResponse("/v1/models", {.status = 200, .ms = 3.0, .is_complete = false});
  metrics.countTokens(100, 60, 7);
  metrics.countDrafts(5, 3);
  metrics.observeFirstToken(30.0);
  metrics.observeBetweenTokens(8.0);
  metrics.setConnections(4);
  metrics.setRequests(2, 1);
  metrics.setEngine("m", {.total_blocks = 64, .batch_sequences = 3, .preemptions = 2});
  const std::string text = metrics.text();
  for (const char* line :
       {"quire_http_requests_total{endpoint=\"/v1/models\",status=\"200\"} 1",
        "quire_http_requests_total{endpoint=\"/v1/models\",status=\"499\"} 1",
        "quire_http_request_seconds_count{endpoint=\"/v1/models\"} 2",
        "quire_http_response_bytes_total 70", "quire_prompt_tokens_total 100",
        "quire_cached_prompt_tokens_total 60", "quire_output_tokens_total 7",
        "quire_drafted_tokens_total 5", "quire_accepted_tokens_total 3",
        "quire_time_to_first_token_seconds_bucket{le=\"0.02\"} 0",
        "quire_time_to_first_token_seconds_bucket{le=\"0.04\"} 1",
        "quire_inter_token_latency_seconds_bucket{le=\"0.01\"} 1", "quire_http_connections 4",
        "quire_requests_running 2", "quire_requests_queued 1",
        "quire_engine_blocks{model=\"m\"} 64", "quire_engine_batch_sequences{model=\"m\"} 3",
        "quire_engine_preemptions_total{model=\"m\"} 2"}) {
    QVERIFY2(hasLine(text, line), line);
  }
}

QTEST_APPLESS_MAIN(TestMetrics)
#include "tst_metrics.moc"
