#include <QTest>

#include <algorithm>
#include <numeric>
#include <random>

#include "engine/llm.h"
#include "tests/support/bundled_model.h"
#include "tests/support/late_backend.h"

using namespace quire;

namespace {

const char* const kPersona =
    "You are Mira, a patient teacher. Explain everything with short and simple sentences, give one "
    "small example for each idea, and end with a question. Never use a word that a child of ten "
    "would not know, and never answer with more than five sentences.";

Llm open(EngineOptions engine = {}, int num_threads = 2,
         const std::string& model = bundled_model_folder()) {
  auto llm = Llm::open({.model_path = model,
                        .backend = {.device = "cpu", .num_threads = num_threads},
                        .engine = engine,
                        .load = {}});
  if (!llm) qFatal("%s", llm.error().message.c_str());
  return std::move(*llm);
}

Request request(const Llm& llm, const std::string& user, int max_tokens = 12) {
  const std::vector<ChatMessage> messages = {{"system", kPersona, {}}, {"user", user, {}}};
  auto prompt = chat_prompt(*llm.model().chat, messages);
  if (!prompt) qFatal("%s", prompt.error().message.c_str());
  SamplingParams sampling{.temperature = 0.0f, .max_tokens = max_tokens, .ignore_eos = true};
  return {.prompt = std::move(prompt->tokens), .sampling = std::move(sampling)};
}

std::vector<Request> sixteen_chats(const Llm& llm, int max_tokens = 12) {
  std::vector<Request> requests;
  for (int i = 0; i < 16; ++i) {
    std::string text = "Tell me about number " + std::to_string(i * 7);
    for (int w = 0; w < i; ++w) text += " and more";
    requests.push_back(request(llm, text, max_tokens));
  }
  return requests;
}

/// A device without memory for scratch space.
class FullDevice final : public LateBackend {
 public:
  Result<void> reserve_scratch(const StepLimits& limits) override {
    wanted = limits;
    return Error{ErrorCode::kOutOfMemory, "No memory is left."};
  }

  StepLimits wanted;
};

using Tokens = std::vector<std::vector<TokenId>>;

Tokens answers(Llm& llm, const std::vector<Request>& requests) {
  Tokens tokens;
  for (const Completion& completion : llm.generate(requests)) tokens.push_back(completion.tokens);
  return tokens;
}

Tokens answers_one_by_one(Llm& llm, const std::vector<Request>& requests) {
  Tokens tokens;
  for (const Request& r : requests) tokens.push_back(answers(llm, {r}).front());
  return tokens;
}

}  // namespace

class TestEngine : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { qunsetenv("QUIRE_CPU_ISA"); }
  void cleanup() { qunsetenv("QUIRE_CPU_ISA"); }

  void greedy_isTheSameAloneAndTogether_data() {
    QTest::addColumn<QByteArray>("isa");
    QTest::addColumn<QString>("model");
    const QString bundled = QString::fromStdString(bundled_model_folder());
    // The scalar oracle would take minutes for the bundled model; its draft model has the same
    // shape.
    QTest::newRow("scalar") << QByteArray("scalar") << QString::fromStdString(draft_model_folder());
    QTest::newRow("avx2") << QByteArray("avx2") << bundled;
    QTest::newRow("avx512") << QByteArray("avx512") << bundled;
  }
  void greedy_isTheSameAloneAndTogether() {
    QFETCH(QByteArray, isa);
    QFETCH(QString, model);
    const std::string folder = model.toStdString();
    const int max_tokens = 24;
    qputenv("QUIRE_CPU_ISA", isa);
    if (!create_backend({.device = "cpu"})) QSKIP("this processor lacks the instruction set");
    Llm llm = open({}, 2, folder);
    const std::vector<Request> requests = sixteen_chats(llm, max_tokens);
    const Tokens together = answers(llm, requests);
    for (const auto& tokens : together) QCOMPARE(tokens.size(), static_cast<size_t>(max_tokens));

    Llm cold = open({.prefix_cache = false}, 2, folder);
    QCOMPARE(answers_one_by_one(cold, requests), together);

    std::vector<size_t> order(16);
    std::iota(order.begin(), order.end(), size_t{0});
    std::shuffle(order.begin(), order.end(), std::mt19937(7));
    std::vector<Request> shuffled;
    for (const size_t i : order) shuffled.push_back(requests[i]);
    Llm other = open({}, /*num_threads=*/1, folder);
    const Tokens again = answers(other, shuffled);
    for (size_t i = 0; i < order.size(); ++i) QCOMPARE(again[i], together[order[i]]);
  }

  void answers_doNotDependOnChunksOrPreemption_data() {
    QTest::addColumn<int>("dtype");
    QTest::addColumn<QString>("model");
    QTest::newRow("f32") << static_cast<int>(DType::kF32)
                         << QString::fromStdString(bundled_model_folder());
    QTest::newRow("i8") << static_cast<int>(DType::kI8)
                        << QString::fromStdString(draft_model_folder());
  }
  void answers_doNotDependOnChunksOrPreemption() {
    QFETCH(int, dtype);
    QFETCH(QString, model);
    const std::string folder = model.toStdString();
    const DType kv_dtype = static_cast<DType>(dtype);
    Llm roomy = open({.kv_dtype = kv_dtype}, 2, folder);
    std::vector<Request> requests = sixteen_chats(roomy, 40);
    for (Request& r : requests) r.sampling.temperature = 0.8f;
    const Tokens expected = answers(roomy, requests);

    Llm chunked =
        open({.kv_dtype = kv_dtype, .max_batch_tokens = 16, .max_sequences = 5}, 2, folder);
    QCOMPARE(answers(chunked, requests), expected);
    QCOMPARE(answers_one_by_one(chunked, requests), expected);

    const size_t block = roomy.engine().stats().bytes_per_block;
    Llm tight = open({.kv_bytes = 24 * block, .kv_dtype = kv_dtype}, 2, folder);
    QCOMPARE(answers(tight, requests), expected);
    QVERIFY(tight.engine().stats().preemptions > 0);
    QCOMPARE(tight.engine().stats().used_blocks, 0);
  }

  void secondChat_computesOnlyItsOwnTokens() {
    Llm llm = open();
    const Request first = request(llm, "What is rain?");
    const Request second = request(llm, "Why is the sky blue?");
    const auto shared =
        std::ranges::mismatch(first.prompt, second.prompt).in1 - first.prompt.begin();
    QVERIFY(shared > 2 * kBlockSize);
    const Completion a = llm.generate({first}).front();
    QCOMPARE(a.usage.cached_tokens, 0);
    QCOMPARE(a.usage.computed_tokens, a.usage.prompt_tokens + a.usage.output_tokens - 1);
    const Completion b = llm.generate({second}).front();
    QCOMPARE(b.usage.cached_tokens, static_cast<int>(shared));
    QCOMPARE(b.usage.computed_tokens,
             b.usage.prompt_tokens - b.usage.cached_tokens + b.usage.output_tokens - 1);
  }

  void nextTurn_findsThePromptAndTheAnswer() {
    Llm llm = open();
    std::vector<ChatMessage> chat = {{"system", kPersona, {}}, {"user", "Who are you?", {}}};
    Request r{.prompt = chat_prompt(*llm.model().chat, chat)->tokens,
              .sampling = {.temperature = 0.7f, .seed = 3, .max_tokens = 40}};
    const Completion answer = llm.generate({r}).front();
    chat.push_back({"assistant", answer.text, answer.tokens});
    chat.push_back({"user", "Thank you!", {}});
    const auto rendered = chat_prompt(*llm.model().chat, chat);
    QVERIFY(rendered.has_value());
    const std::vector<TokenId>& next = rendered->tokens;
    // What was prompted and sampled before is the beginning of what is prompted now.
    std::vector<TokenId> before = r.prompt;
    before.insert(before.end(), answer.tokens.begin(), answer.tokens.end());
    QVERIFY(std::equal(before.begin(), before.end(), next.begin()));
    const Completion b = llm.generate({{.prompt = next, .sampling = r.sampling}}).front();
    // The last token was fed only if the end token was sampled after it.
    const int unfed = answer.finish == FinishReason::kEnd ? 0 : 1;
    const int computed_before = static_cast<int>(before.size()) - unfed;
    QCOMPARE(b.usage.cached_tokens, computed_before);
  }

  void sampling_followsTheSeed() {
    Llm llm = open();
    Request r = request(llm, "Tell me a story about a cat.", 24);
    r.sampling.temperature = 1.0f;
    std::vector<Request> requests(3, r);
    requests[2].sampling.seed = 99;
    const Tokens tokens = answers(llm, requests);
    QCOMPARE(tokens[0], tokens[1]);
    QVERIFY(tokens[0] != tokens[2]);
  }

  void cancel_keepsTheTextAndFreesTheBlocks() {
    Llm llm = open();
    std::vector<Request> requests = sixteen_chats(llm, 200);
    size_t cancelled = 0;
    const auto completions = llm.generate(requests, [&](size_t i, const RequestEvent& event) {
      const bool goes_on = event.usage.output_tokens < (i % 2 == 0 ? 3 : 20);
      cancelled += goes_on ? 0 : 1;
      return goes_on;
    });
    QVERIFY(cancelled >= 16);
    for (size_t i = 0; i < completions.size(); ++i) {
      QCOMPARE(completions[i].finish, FinishReason::kCancelled);
      QCOMPARE(completions[i].tokens.size(), i % 2 == 0 ? size_t{3} : size_t{20});
    }
    const EngineStats stats = llm.engine().stats();
    QCOMPARE(stats.used_blocks, 0);
    QCOMPARE(stats.cached_blocks + stats.free_blocks, stats.total_blocks);
  }

  void stopString_endsTheAnswerBeforeIt() {
    Llm llm = open();
    Request r = request(llm, "Who are you?", 30);
    const Completion whole = llm.generate({r}).front();
    QVERIFY(whole.text.size() > 12);
    const std::string stop = whole.text.substr(5, 4);
    r.sampling.stop = {stop};
    const Completion stopped = llm.generate({r}).front();
    QCOMPARE(stopped.finish, FinishReason::kStop);
    QCOMPARE(stopped.text, whole.text.substr(0, whole.text.find(stop)));
  }

  void logprobs_comeForEachToken() {
    Llm llm = open();
    Request r = request(llm, "Who are you?", 5);
    r.sampling.num_logprobs = 3;
    const Completion completion = llm.generate({r}).front();
    QCOMPARE(completion.logprobs.size(), size_t{5});
    for (size_t i = 0; i < 5; ++i) {
      QCOMPARE(completion.logprobs[i].size(), size_t{4});
      QCOMPARE(completion.logprobs[i][0].id, completion.tokens[i]);
      QCOMPARE(completion.logprobs[i][1].id, completion.tokens[i]);  // Greedy: also the likeliest.
      QVERIFY(completion.logprobs[i][0].logprob <= 0.0f);
      QVERIFY(completion.logprobs[i][2].logprob >= completion.logprobs[i][3].logprob);
    }
  }

  void submit_refusesWithTheNumbers() {
    Llm llm = open({.max_context = 64});
    QCOMPARE(llm.engine().max_context(), 64);
    const auto error_of = [&](Request r) {
      const auto id = llm.engine().submit(std::move(r));
      return id ? std::string() : id.error().message;
    };
    QCOMPARE(error_of({}), std::string("The prompt is empty; write something first."));
    QVERIFY(error_of({.prompt = {1, -4}, .sampling = {}}).find("Token -4") != std::string::npos);
    const std::string too_long = error_of({.prompt = std::vector<TokenId>(64, 5), .sampling = {}});
    QCOMPARE(too_long,
             std::string("The prompt has 64 tokens, and the context of 64 leaves no room for an "
                         "answer; make the prompt shorter or the context larger."));
    QVERIFY(!error_of({.prompt = {1}, .sampling = {.top_p = 0.0f}}).empty());
    QVERIFY(!llm.engine().has_work());
  }

  /// A step that finds no memory for its scratch space could only abort.
  void create_reservesTheScratchOfTheLargestStep() {
    FullDevice device;
    auto model = load_model(draft_model_folder(), device);
    QVERIFY(model.has_value());
    const auto engine = Engine::create(
        std::move(*model),
        {.kv_bytes = 4 << 20, .host_kv_bytes = 0, .max_batch_tokens = 48, .max_sequences = 3});
    QVERIFY(!engine.has_value());
    QCOMPARE(engine.error().code, ErrorCode::kOutOfMemory);
    QCOMPARE(device.wanted.max_sequences, int64_t{3});
    QVERIFY(!device.wanted.activations.empty());
    QCOMPARE(device.wanted.activations.front().num_rows, int64_t{48});
  }

  void answer_endsWhereTheContextIsFull() {
    Llm llm = open({.max_context = 64});
    SamplingParams sampling{.temperature = 0.0f, .max_tokens = 500, .ignore_eos = true};
    const Completion completion =
        llm.generate({{.prompt = std::vector<TokenId>(50, 300), .sampling = sampling}}).front();
    QCOMPARE(completion.finish, FinishReason::kContext);
    QCOMPARE(completion.tokens.size(), size_t{14});
  }

  void logits_areThoseOfTheAnswer() {
    Llm llm = open();
    const Request r = request(llm, "Hello!", 1);
    const std::vector<int32_t> last = {static_cast<int32_t>(r.prompt.size()) - 1};
    const auto logits = llm.logits(r.prompt, last);
    QVERIFY(logits.has_value());
    QCOMPARE(logits->size(), static_cast<size_t>(llm.model().config.vocab_size));
    const auto best = std::ranges::max_element(*logits) - logits->begin();
    QCOMPARE(llm.generate({r}).front().tokens.front(), static_cast<TokenId>(best));
  }
};

QTEST_APPLESS_MAIN(TestEngine)
#include "tst_engine.moc"
