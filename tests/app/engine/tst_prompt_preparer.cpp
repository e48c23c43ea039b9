#include <QSemaphore>
#include <QTest>

#include <mutex>

#include "app/engine/prompt_preparer.h"
#include "engine/model_loader.h"
#include "kernels/backend.h"
#include "tests/support/bundled_model.h"

using namespace quire;

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
