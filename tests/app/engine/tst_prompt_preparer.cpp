#include <QSemaphore>
#include <QTest>

#include <mutex>
#include <new>

#include "app/engine/prompt_preparer.h"
#include "engine/model_loader.h"
#include "kernels/backend.h"
#include "tests/support/bundled_model.h"

using namespace quire;

namespace {

/// Runs out of memory at each text.
class LargeTokenizer final : public Tokenizer {
 public:
  int vocab_size() const override { return 0; }
  std::vector<TokenId> encode(std::string_view) const override { throw std::bad_alloc(); }
  std::optional<TokenId> special_token(std::string_view) const override { return std::nullopt; }
  const std::vector<std::string>& special_tokens() const override { return m_specials; }
  bool is_special(TokenId) const override { return false; }
  std::string_view token_bytes(TokenId) const override { return {}; }
  std::string_view token_piece(TokenId) const override { return {}; }
  std::optional<TokenId> bos_token() const override { return std::nullopt; }
  std::optional<TokenId> eos_token() const override { return std::nullopt; }
  bool adds_bos() const override { return false; }

 private:
  std::vector<std::string> m_specials;
};

}  // namespace

/// In which order prompts are prepared.
class TestPromptPreparer : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    auto backend = create_backend({.device = "cpu"});
    QVERIFY(backend.has_value());
    m_backend = std::move(*backend);
    auto model = load_model(bundled_model_folder(), *m_backend);
    QVERIFY2(model.has_value(), model ? "" : model.error().message.c_str());
    m_model = std::move(*model);
  }

  void prompts_areOrderedByPriority_andLeftOutIfUnwanted() {
    QSemaphore begun, goOn, ended;
    std::mutex mutex;
    QStringList order;
    PromptPreparer preparer(m_model, 256);
    const auto prepare = [&](const QString& name, int priority, auto isWanted) {
      const ChatRequest request = {.turns = {{"user", name, {}}}, .priority = priority};
      preparer.prepare(request, isWanted, [&, name](Result<PreparedChat> chat) {
        const std::lock_guard lock(mutex);
        order.append(chat ? name : "failed");
        ended.release();
      });
    };
    const auto wanted = [] { return true; };
    prepare("first", kApiPriority, [&] {
      begun.release();
      goOn.acquire();
      return true;
    });
    begun.acquire();
    prepare("api", kApiPriority, wanted);
    prepare("gone", kFocusedPriority, [] { return false; });
    prepare("background", kBackgroundPriority, wanted);
    prepare("focused", kFocusedPriority, wanted);
    goOn.release();
    QVERIFY(ended.tryAcquire(4, 60'000));
    const std::lock_guard lock(mutex);
    QCOMPARE(order, (QStringList{"first", "focused", "background", "api"}));
  }

  /// What the answers of one request have in common is prepared once.
  void answersOfOneRequest_areOnePrompt() {
    LastPrompt last;
    ChatRequest chat = {.turns = {{"user", "Hi", {}}}, .dropsOldTurns = false};
    chat.sampling.seed = 1;
    const auto first = last.prepare(m_model, 256, chat, nullptr);
    ChatRequest second = chat;
    second.sampling.seed = 2;
    second.sampling.stop = {"x"};
    second.priority = 7;
    const auto again = last.prepare(m_model, 256, second, nullptr);
    QVERIFY(first && again);
    QCOMPARE(last.numPrepared(), 1);
    const auto whole = prepareChat(m_model, 256, second);
    QCOMPARE(again->request.prompt, whole->request.prompt);
    QCOMPARE(again->request.sampling.stop, whole->request.sampling.stop);
    QCOMPARE(again->request.sampling.seed, uint64_t{2});
    QCOMPARE(again->request.priority, 7);
    QCOMPARE(again->request.message_starts, whole->request.message_starts);
    // Anything that the prompt or the format depends on makes it another one.
    int numPrepared = 1;
    const auto differs = [&](const auto& change) {
      ChatRequest other = second;
      change(other);
      QVERIFY(last.prepare(m_model, 256, second, nullptr).has_value());
      const int before = last.numPrepared();
      static_cast<void>(last.prepare(m_model, 256, other, nullptr));
      QCOMPARE(last.numPrepared(), before + 1);
      ++numPrepared;
    };
    differs([](ChatRequest& other) { other.turns[0].text = "Ho"; });
    differs([](ChatRequest& other) { other.prompt.add_generation_prompt = false; });
    differs([](ChatRequest& other) { other.prompt.variables = "{\"a\": 1}"; });
    differs([](ChatRequest& other) { other.format.kind = AnswerFormat::Kind::kJson; });
    differs([](ChatRequest& other) { other.rawPrompt = RawPrompt{.text = "Hi", .tokens = {}}; });
    differs([](ChatRequest& other) { other.dropsOldTurns = true; });
    QCOMPARE(numPrepared, 7);
  }

  void rawPrompts_areOnePrompt() {
    LastPrompt last;
    ChatRequest chat = {.rawPrompt = RawPrompt{.text = "Once upon", .tokens = {}}};
    const auto first = last.prepare(m_model, 256, chat, nullptr);
    chat.sampling.seed = 5;
    const auto again = last.prepare(m_model, 256, chat, nullptr);
    QVERIFY(first && again);
    QCOMPARE(last.numPrepared(), 1);
    QCOMPARE(again->request.prompt, first->request.prompt);
    QCOMPARE(again->request.sampling.seed, uint64_t{5});
    chat.sampling.stop_token_ids = {m_model.config.vocab_size};
    QVERIFY(!last.prepare(m_model, 256, chat, nullptr));
  }

  /// Running out of memory for one program's prompt is an error, not the end of all.
  void lackOfMemory_isAnError() {
    QSemaphore ended;
    const TrialOfModel trial = [](const QString&, const std::stop_token&) -> Result<void> {
      throw std::bad_alloc();
    };
    ErrorCode code = ErrorCode::kInternal;
    PromptPreparer preparer(m_model, 256, trial);
    ChatRequest request = {.turns = {{"user", "Hi", {}}}};
    request.adapterPath = QStringLiteral("adapter");
    preparer.prepare(
        request, [] { return true; },
        [&](const Result<PreparedChat>& chat) {
          if (!chat) code = chat.error().code;
          ended.release();
        });
    QVERIFY(ended.tryAcquire(1, 60'000));
    QCOMPARE(code, ErrorCode::kOutOfMemory);
  }

  void lackOfMemory_isAnErrorOfAForecast_andLeavesPersonasOut() {
    auto format = load_chat_format(bundled_model_folder(), nullptr);
    QVERIFY(format.has_value());
    format->tokenizer = std::make_shared<const LargeTokenizer>();
    LoadedModel model;
    model.chat = std::make_shared<const ChatFormat>(std::move(*format));
    QSemaphore ended;
    QString error;
    size_t numPersonas = 1;
    PromptPreparer preparer(model, 256);
    preparer.forecast(
        {.turns = {{"user", "Hi", {}}}}, [] { return true; },
        [&](const PreparedForecast& prepared) {
          error = prepared.forecast.error;
          ended.release();
        });
    PersonaPrompt persona;
    persona.systemPrompt = QStringLiteral("Answer in verse.");
    preparer.personas({persona}, [&](const std::vector<PersonaTokens>& personas) {
      numPersonas = personas.size();
      ended.release();
    });
    QVERIFY(ended.tryAcquire(2, 60'000));
    QVERIFY2(error.contains(QStringLiteral("not enough memory")), qPrintable(error));
    QCOMPARE(numPersonas, size_t{0});
  }

  /// The long one is held until the short one, which came later, has ended.
  void longPrompt_ofAnotherProgram_holdsNoOtherUp() {
    QSemaphore goOn, ended, longEnded;
    PromptPreparer preparer(m_model, 256);
    const QString text = QString(15'000'000, u' ');
    const ChatRequest large = {
        .turns = {{"user", text, {}}}, .priority = kApiPriority, .dropsOldTurns = false};
    ErrorCode code = ErrorCode::kInternal;
    preparer.prepare(
        large,
        [&] {
          goOn.acquire();
          return true;
        },
        [&](const Result<PreparedChat>& chat) {
          if (!chat) code = chat.error().code;
          longEnded.release();
        });
    const ChatRequest small = {.turns = {{"user", "Hi", {}}}, .priority = kApiPriority};
    preparer.prepare(
        small, [] { return true; }, [&](const Result<PreparedChat>&) { ended.release(); });
    const bool hasEnded = ended.tryAcquire(1, 10'000);
    goOn.release();
    QVERIFY(longEnded.tryAcquire(1, 60'000));
    QVERIFY(hasEnded);
    QCOMPARE(code, ErrorCode::kContextOverflow);
  }

 private:
  std::unique_ptr<Backend> m_backend;
  LoadedModel m_model;
};

QTEST_APPLESS_MAIN(TestPromptPreparer)
#include "tst_prompt_preparer.moc"
