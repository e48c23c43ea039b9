#include "app/panes/ask_plan.h"

#include <QLocale>
#include <QRegularExpression>

#include <algorithm>
#include <cmath>

namespace quire {
namespace {

constexpr double kLowest = 0.2;
constexpr double kHighest = 1.2;
constexpr double kHottest = 2.0;

QString text(double temperature) {
  return QString::number(temperature, 'g', 3);
}

}  // namespace

AskPlan::AskPlan(const PersonaListModel& personas, QObject* parent)
    : QObject(parent), m_personas(personas) {}

int AskPlan::count() const {
  if (m_kind == Kind::Personas && m_count > 1 && m_chosen.size() > 1) {
    return static_cast<int>(m_chosen.size());
  }
  return m_count;
}

void AskPlan::setCount(int count) {
  m_count = std::clamp(count, 1, kMost);
  if (m_ladder.size() != m_count) m_ladder.clear();
  if (m_chosen.size() != m_count) m_chosen.clear();
  m_problem.clear();
  emit changed();
}

void AskPlan::setKind(Kind kind) {
  if (kind == m_kind) return;
  m_kind = kind;
  m_problem.clear();
  emit changed();
}

QList<double> AskPlan::temperatures() const {
  if (!m_ladder.isEmpty()) return m_ladder;
  QList<double> steps;
  const int last = std::max(1, m_count - 1);
  for (int i = 0; i <= last; ++i) {
    // Finer steps than a tenth make no visible difference.
    steps.append(std::round(10 * (kLowest + (kHighest - kLowest) * i / last)) / 10);
  }
  return steps;
}

QString AskPlan::ladder() const {
  QStringList parts;
  for (const double one : temperatures()) parts.append(text(one));
  return parts.join(QStringLiteral(", "));
}

void AskPlan::editLadder(const QString& typed) {
  static const QRegularExpression kGaps(QStringLiteral("[,;\\s]+"));
  QList<double> ladder;
  bool isGood = true;
  for (const QString& part : typed.split(kGaps, Qt::SkipEmptyParts)) {
    bool isNumber = false;
    const double value = part.toDouble(&isNumber);
    isGood = isGood && isNumber && value >= 0.0 && value <= kHottest && ladder.size() < kMost;
    if (!isGood) break;
    ladder.append(value);
  }
  if (isGood && ladder.size() >= 2) {
    m_ladder = ladder;
    m_count = static_cast<int>(ladder.size());
    m_problem.clear();
  } else {
    m_problem = tr("Use 2 to %1 temperatures from 0 to 2, separated by commas.").arg(kMost);
  }
  emit changed();
}

/// The personas that the user chose, or the first ones of the library.
QList<RecordId> AskPlan::personaIds() const {
  if (!m_chosen.isEmpty()) return m_chosen;
  QList<RecordId> ids;
  for (int row = 0; row < std::min(m_personas.rowCount(), m_count); ++row) {
    ids.append(m_personas.data(m_personas.index(row), PersonaListModel::kPersonaId).toLongLong());
  }
  return ids;
}

QString AskPlan::chosenPersonas() const {
  QString text = QStringLiteral(",");
  for (const RecordId id : personaIds()) text += QString::number(id) + u',';
  return text;
}

void AskPlan::togglePersona(qint64 id) {
  if (m_chosen.isEmpty()) m_chosen = personaIds();
  if (!m_chosen.removeOne(id) && m_chosen.size() < kMost) m_chosen.append(id);
  if (m_chosen.size() > 1) m_count = static_cast<int>(m_chosen.size());
  m_problem = m_chosen.size() > 1 ? QString() : tr("Choose at least two personas.");
  emit changed();
}

QString AskPlan::summary() const {
  if (count() == 1) return tr("One answer.");
  const QString tail = tr("The chat is processed once for all of them.");
  switch (m_kind) {
    case Kind::Seeds:
      return tr("%1 answers with different seeds.").arg(count()) + u' ' + tail;
    case Kind::Temperatures:
      return tr("%1 answers, from precise to creative.").arg(count()) + u' ' + tail;
    case Kind::Personas:
      return tr("One answer from each of %1 personas; the chat is processed once for each.")
          .arg(count());
  }
  return {};
}

QList<AnswerPlan> AskPlan::plans() const {
  QList<AnswerPlan> plans;
  if (count() == 1) return {AnswerPlan()};
  if (m_kind == Kind::Temperatures) {
    for (const double one : temperatures()) {
      plans.append({.temperature = one, .label = tr("Temperature %1").arg(text(one))});
    }
  } else if (m_kind == Kind::Personas) {
    for (const RecordId id : personaIds()) {
      const PersonaRecord* persona = m_personas.find(id);
      if (persona) plans.append({.personaId = persona->id, .label = persona->name});
    }
  } else {
    for (int i = 1; i <= count(); ++i) plans.append({.label = tr("Answer %1").arg(i)});
  }
  return plans.isEmpty() ? QList<AnswerPlan>{AnswerPlan()} : plans;
}

}  // namespace quire
