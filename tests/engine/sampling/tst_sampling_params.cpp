#include <QtTest>
#include <cmath>
#include <functional>

#include "engine/sampling/sampling_params.h"

using namespace quire;

using Change = std::function<void(SamplingParams&)>;
Q_DECLARE_METATYPE(Change)

class TestSamplingParams : public QObject {
  Q_OBJECT
 private slots:
  void validate_acceptsDefaultsAndEdges() {
    QVERIFY(validate({}));
    SamplingParams params;
    params.temperature = 0.0f;
    params.min_p = 1.0f;
    params.top_p = 1e-6f;
    params.num_logprobs = 100;
    params.repetition_penalty = 0.001f;
    params.max_tokens = params.min_tokens = 1;
    params.stop = {"\n", "끝"};
    params.logit_bias = {{0, -100.0f}, {7, 100.0f}, {3, 0.0f}};
    params.stop_token_ids.assign(64, 5);
    QVERIFY(validate(params));
  }

  void validate_namesTheField_data() {
    QTest::addColumn<Change>("change");
    QTest::addColumn<QString>("field");
    const auto row = [](const char* name, const char* field, Change change) {
      QTest::newRow(name) << change << field;
    };
    row("negative", "temperature", [](auto& p) { p.temperature = -0.1f; });
    row("hot", "temperature", [](auto& p) { p.temperature = 100.5f; });
    row("not a number", "temperature", [](auto& p) { p.temperature = std::nanf(""); });
    row("top_k", "top_k", [](auto& p) { p.top_k = -1; });
    row("top_p zero", "top_p", [](auto& p) { p.top_p = 0.0f; });
    row("top_p above", "top_p", [](auto& p) { p.top_p = 1.01f; });
    row("min_p", "min_p", [](auto& p) { p.min_p = 1.5f; });
    row("repetition", "repetition_penalty", [](auto& p) { p.repetition_penalty = 0.0f; });
    row("tiny", "repetition_penalty", [](auto& p) { p.repetition_penalty = 1e-4f; });
    row("infinite", "repetition_penalty", [](auto& p) { p.repetition_penalty = INFINITY; });
    row("presence", "presence_penalty", [](auto& p) { p.presence_penalty = std::nanf(""); });
    row("frequency", "frequency_penalty", [](auto& p) { p.frequency_penalty = -INFINITY; });
    row("max_tokens", "max_tokens", [](auto& p) { p.max_tokens = 0; });
    row("min_tokens", "min_tokens", [](auto& p) { p.min_tokens = -1; });
    row("more than max_tokens", "min_tokens", [](auto& p) { p.min_tokens = p.max_tokens + 1; });
    row("num_logprobs", "num_logprobs", [](auto& p) { p.num_logprobs = -2; });
    row("empty stop", "stop", [](auto& p) { p.stop = {"a", ""}; });
    row("long stop", "stop", [](auto& p) { p.stop = {std::string(1025, 'a')}; });
    row("many stops", "stop", [](auto& p) { p.stop.assign(65, "a"); });
    row("bias too large", "logit_bias", [](auto& p) { p.logit_bias = {{1, 100.5f}}; });
    row("bias no number", "logit_bias", [](auto& p) { p.logit_bias = {{1, std::nanf("")}}; });
    row("bias twice", "logit_bias", [](auto& p) { p.logit_bias = {{1, 1.0f}, {2, 0}, {1, 1.0f}}; });
    row("many biases", "logit_bias", [](auto& p) {
      for (int i = 0; i <= 1024; ++i) p.logit_bias.push_back({i, 0.0f});
    });
    row("many stop tokens", "stop_token_ids", [](auto& p) { p.stop_token_ids.assign(65, 1); });
    row("broken stop", "stop", [](auto& p) { p.stop = {"\xE2\x96"}; });
  }
  void validate_namesTheField() {
    QFETCH(Change, change);
    QFETCH(QString, field);
    SamplingParams params;
    change(params);
    const auto result = validate(params);
    QVERIFY(!result);
    QVERIFY(result.error().code == ErrorCode::kInvalidArgument);
    const QString message = QString::fromStdString(result.error().message);
    QVERIFY2(message.startsWith(field + ' '), qPrintable(message));
  }
};

QTEST_APPLESS_MAIN(TestSamplingParams)
#include "tst_sampling_params.moc"
