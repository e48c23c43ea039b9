#include <QSignalSpy>
#include <QTest>

#include "app/panes/ask_plan.h"

using namespace quire;

namespace {

QList<PersonaRecord> personas(int count) {
  QList<PersonaRecord> records;
  for (int i = 1; i <= count; ++i) {
    PersonaRecord persona;
    persona.id = i;
    persona.name = QStringLiteral("Persona %1").arg(i);
    persona.position = i;
    records.append(persona);
  }
  return records;
}

}  // namespace

/// How many answers a message gets, and how they differ.
class TestAskPlan : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    m_personas = std::make_unique<PersonaListModel>();
    m_personas->setPersonas(personas(4));
    m_plan = std::make_unique<AskPlan>(*m_personas);
  }

  void count_one_givesOneOrdinaryAnswer() {
    QCOMPARE(m_plan->count(), 1);
    QVERIFY(!m_plan->isSeveral());
    const QList<AnswerPlan> plans = m_plan->plans();
    QCOMPARE(plans.size(), 1);
    QVERIFY(!plans[0].temperature && !plans[0].seed && !plans[0].personaId);
    QCOMPARE(plans[0].label, QString());
  }

  void count_staysBetweenOneAndTheMost() {
    m_plan->setCount(0);
    QCOMPARE(m_plan->count(), 1);
    m_plan->setCount(100);
    QCOMPARE(m_plan->count(), AskPlan::kMost);
    QCOMPARE(m_plan->plans().size(), AskPlan::kMost);
    QCOMPARE(m_plan->chipText(), QString("Ask 8"));
  }

  void summary_saysThatTheChatIsProcessedOnce() {
    m_plan->setCount(3);
    QVERIFY(m_plan->summary().contains("processed once for all"));
  }

  void seeds_changeNoOtherSetting() {
    m_plan->setCount(3);
    const QList<AnswerPlan> plans = m_plan->plans();
    QCOMPARE(plans.size(), 3);
    for (const AnswerPlan& plan : plans) QVERIFY(!plan.temperature && !plan.personaId);
    QCOMPARE(plans[2].label, QString("Answer 3"));
  }

  void temperatures_areEvenSteps_untilTheyAreTyped() {
    m_plan->setKind(AskPlan::Kind::Temperatures);
    m_plan->setCount(2);
    QCOMPARE(m_plan->ladder(), QString("0.2, 1.2"));
    m_plan->editLadder("0; 0.5 1,2");
    QCOMPARE(m_plan->count(), 4);
    QCOMPARE(m_plan->ladder(), QString("0, 0.5, 1, 2"));
    QCOMPARE(m_plan->plans()[1].temperature, std::optional(0.5));
    QCOMPARE(m_plan->plans()[3].label, QString("Temperature 2"));
    m_plan->setCount(3);  // The typed temperatures no longer match the count.
    QCOMPARE(m_plan->ladder(), QString("0.2, 0.7, 1.2"));
  }

  void invalidTemperatures_changeNothing_data() {
    QTest::addColumn<QString>("typed");
    QTest::newRow("a word") << "0.1, hot";
    QTest::newRow("one") << "0.5";
    QTest::newRow("too hot") << "0.5, 2.1";
    QTest::newRow("below zero") << "-0.1, 1";
    QTest::newRow("no number") << "nan, 1";
    QTest::newRow("too many") << "0 0 0 0 0 0 0 0 0";
    QTest::newRow("nothing") << "";
  }
  void invalidTemperatures_changeNothing() {
    m_plan->setKind(AskPlan::Kind::Temperatures);
    m_plan->editLadder("0.3, 0.9");
    QFETCH(QString, typed);
    m_plan->editLadder(typed);
    QVERIFY(!m_plan->problem().isEmpty());
    QCOMPARE(m_plan->ladder(), QString("0.3, 0.9"));
    m_plan->setCount(2);
    QCOMPARE(m_plan->problem(), QString());
  }

  void personas_areTheFirstOnes_untilOthersAreChosen() {
    m_plan->setKind(AskPlan::Kind::Personas);
    m_plan->setCount(2);
    QCOMPARE(m_plan->chosenPersonas(), QString(",1,2,"));
    m_plan->togglePersona(4);
    QCOMPARE(m_plan->count(), 3);
    QCOMPARE(m_plan->plans()[2].personaId, std::optional<RecordId>(4));
    QCOMPARE(m_plan->plans()[2].label, QString("Persona 4"));
    m_plan->togglePersona(1);
    m_plan->togglePersona(2);
    QVERIFY(!m_plan->problem().isEmpty());  // A single persona is not enough.
  }

  void kinds_areAskedFor_onlyWithSeveralAnswers() {
    m_plan->setKind(AskPlan::Kind::Temperatures);
    QVERIFY(!m_plan->asksTemperatures());
    m_plan->setCount(2);
    QVERIFY(m_plan->asksTemperatures() && !m_plan->asksPersonas());
    m_plan->setKind(AskPlan::Kind::Personas);
    QVERIFY(!m_plan->asksTemperatures() && m_plan->asksPersonas());
    m_plan->setKind(AskPlan::Kind::Seeds);
    QVERIFY(!m_plan->asksTemperatures() && !m_plan->asksPersonas());
  }

  void deletedPersonas_areOmitted() {
    m_plan->setKind(AskPlan::Kind::Personas);
    m_plan->setCount(2);
    m_plan->togglePersona(3);
    m_personas->setPersonas(personas(2));
    const QList<AnswerPlan> plans = m_plan->plans();
    QCOMPARE(plans.size(), 2);
    m_personas->setPersonas({});
    QCOMPARE(m_plan->plans().size(), 1);  // One ordinary answer instead of none.
  }

  void everyChange_isAnnounced() {
    QSignalSpy changed(m_plan.get(), &AskPlan::changed);
    m_plan->setCount(2);
    m_plan->setKind(AskPlan::Kind::Temperatures);
    m_plan->setKind(AskPlan::Kind::Temperatures);  // No change.
    m_plan->editLadder("0, 1");
    m_plan->togglePersona(1);
    QCOMPARE(changed.size(), 4);
  }

 private:
  std::unique_ptr<PersonaListModel> m_personas;
  std::unique_ptr<AskPlan> m_plan;
};

QTEST_GUILESS_MAIN(TestAskPlan)
#include "tst_ask_plan.moc"
