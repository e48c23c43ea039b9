#include <QtTest>

#include "app/engine/model_phase.h"

using namespace quire;

/// The phases of a model, and which event leads from which to which.
class TestModelPhase : public QObject {
  Q_OBJECT

 private slots:
  void transition_isTheTable_data() {
    using Phase = ModelPhase;
    using Event = PhaseEvent;
    using Row = std::map<Event, Phase>;
    const std::map<Phase, Row> table = {
        {Phase::kUnloaded,
         {{Event::kReady, Phase::kServing}, {Event::kUnloaded, Phase::kUnloaded}}},
        {Phase::kServing,
         {{Event::kReady, Phase::kServing},
          {Event::kDrain, Phase::kDraining},
          {Event::kSuspend, Phase::kSuspended},
          {Event::kUnload, Phase::kUnloading},
          {Event::kUnloaded, Phase::kUnloaded},
          {Event::kFail, Phase::kFailed}}},
        {Phase::kDraining,
         {{Event::kReady, Phase::kServing},
          {Event::kSuspend, Phase::kSuspended},
          {Event::kUnload, Phase::kUnloading},
          {Event::kUnloaded, Phase::kUnloaded},
          {Event::kFail, Phase::kFailed}}},
        {Phase::kSuspended,
         {{Event::kReady, Phase::kServing},
          {Event::kUnload, Phase::kUnloading},
          {Event::kUnloaded, Phase::kUnloaded},
          {Event::kFail, Phase::kFailed}}},
        {Phase::kUnloading, {{Event::kUnloaded, Phase::kUnloaded}, {Event::kFail, Phase::kFailed}}},
        {Phase::kFailed, {{Event::kReady, Phase::kServing}, {Event::kUnloaded, Phase::kUnloaded}}},
    };
    QTest::addColumn<ModelPhase>("phase");
    QTest::addColumn<PhaseEvent>("event");
    QTest::addColumn<std::optional<ModelPhase>>("next");
    for (const auto& [phase, row] : table) {
      for (int e = 0; e <= static_cast<int>(Event::kFail); ++e) {
        const auto event = static_cast<Event>(e);
        const auto next = row.find(event);
        const std::string name =
            "phase " + std::to_string(static_cast<int>(phase)) + ", event " + std::to_string(e);
        QTest::newRow(name.c_str())
            << phase << event
            << (next == row.end() ? std::optional<Phase>() : std::optional(next->second));
      }
    }
  }
  void transition_isTheTable() {
    QFETCH(const ModelPhase, phase);
    QFETCH(const PhaseEvent, event);
    QFETCH(const std::optional<ModelPhase>, next);
    QVERIFY(transition(phase, event) == next);
  }

  void onlyUnloadedAndFailedModels_areEmpty() {
    QVERIFY(isEmpty(ModelPhase::kUnloaded) && isEmpty(ModelPhase::kFailed));
    for (const ModelPhase phase : {ModelPhase::kServing, ModelPhase::kDraining,
                                   ModelPhase::kSuspended, ModelPhase::kUnloading}) {
      QVERIFY(!isEmpty(phase));
    }
  }
};

QTEST_APPLESS_MAIN(TestModelPhase)
#include "tst_model_phase.moc"
