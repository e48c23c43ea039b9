#include "app/viewmodels/models/engine_settings.h"

#include <QLocale>

#include <algorithm>

#include "app/viewmodels/models/model_words.h"

namespace quire {
namespace {

struct Field {
  const char* key;
  int LoadDefaults::*member;
  int least;
  int most;
};

constexpr Field kFields[] = {
    {"engine.threads", &LoadDefaults::threads, 1, LoadBounds::kMostThreads},
    {"engine.contextLength", &LoadDefaults::contextLength, LoadBounds::kLeastContext,
     LoadBounds::kMostContext},
    {"engine.kvMiB", &LoadDefaults::cacheMebibytes, 1, LoadBounds::kMostCacheMebibytes},
    {"engine.batchTokens", &LoadDefaults::batchTokens, LoadBounds::kLeastBatch,
     LoadBounds::kMostBatch},
};
static_assert(std::size(kFields) == EngineSettings::kNumRows);

QString keyOf(int row) {
  return QString::fromLatin1(kFields[row].key);
}

bool isInBounds(int row, int value) {
  return value >= kFields[row].least && value <= kFields[row].most;
}

}  // namespace

EngineSettings::EngineSettings(DataSession& session, const ComputeDevices& devices, QObject* parent)
    : QAbstractListModel(parent), m_session(session), m_devices(devices) {
  connect(&devices, &ComputeDevices::changed, this, &EngineSettings::retranslate);
}

void EngineSettings::load() {
  LoadDefaults stored;
  for (int row = 0; row < kNumRows; ++row) {
    const int value = m_session.setting(keyOf(row)).toInt();
    if (isInBounds(row, value)) stored.*kFields[row].member = value;
  }
  m_defaults = stored;
  retranslate();
  emit changed();
}

void EngineSettings::retranslate() {
  emit dataChanged(index(0), index(kNumRows - 1));
  emit staleChanged();
}

int EngineSettings::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(kNumRows);
}

int EngineSettings::valueOf(int row) const {
  return m_defaults.*kFields[row].member;
}

namespace {

QString nameOf(int row) {
  switch (row) {
    case EngineSettings::kThreads:
      return EngineSettings::tr("Threads");
    case EngineSettings::kContext:
      return EngineSettings::tr("Context");
    case EngineSettings::kCache:
      return EngineSettings::tr("Memory for chats");
    default:
      return EngineSettings::tr("Tokens of a step");
  }
}

QString helpOf(int row) {
  switch (row) {
    case EngineSettings::kThreads:
      return EngineSettings::tr(
          "Of the processor, for each model. Models that answer at the same time share its cores.");
    case EngineSettings::kContext:
      return EngineSettings::tr("How much a chat may hold. Less of it takes less memory.");
    case EngineSettings::kCache:
      return EngineSettings::tr("For keys and values, all chats of a model together.");
    default:
      return EngineSettings::tr(
          "Computed at once. More reads long prompts faster; less lets answers beside them flow "
          "more evenly.");
  }
}

QString unitOf(int row) {
  if (row == EngineSettings::kCache) return EngineSettings::tr("MB");
  return row == EngineSettings::kThreads ? QString() : EngineSettings::tr("tokens");
}

}  // namespace

QString EngineSettings::defaultText(int row) const {
  const QLocale locale;
  const int cores = m_devices.threads();
  switch (row) {
    case kThreads:
      return cores > 0 ? tr("Default: %1, all cores").arg(locale.toString(cores))
                       : tr("Default: all cores");
    case kContext:
      return tr("Default: the model's own");
    case kCache:
      return tr("Default: by what is free");
    default:
      return tr("Default: %1").arg(locale.toString(LoadBounds::kStandardBatch));
  }
}

QVariant EngineSettings::data(const QModelIndex& index, int role) const {
  const int row = index.row();
  if (row < 0 || row >= kNumRows) return {};
  switch (role) {
    case kName:
      return nameOf(row);
    case kHelp:
      return helpOf(row);
    case kUnit:
      return unitOf(row);
    case kValueText:
      return valueOf(row) > 0 ? QString::number(valueOf(row)) : QString();
    case kDefaultText:
      return defaultText(row);
    case kIsSet:
      return valueOf(row) > 0;
    case kProblem:
      return m_problems[static_cast<size_t>(row)];
    default:
      return {};
  }
}

QHash<int, QByteArray> EngineSettings::roleNames() const {
  return {{kName, "name"},           {kHelp, "help"},   {kUnit, "unit"},
          {kValueText, "valueText"}, {kIsSet, "isSet"}, {kDefaultText, "defaultText"},
          {kProblem, "problem"}};
}

void EngineSettings::set(int row, const QString& text) {
  if (row < 0 || row >= kNumRows) return;
  QString& problem = m_problems[static_cast<size_t>(row)];
  problem.clear();
  bool isNumber = false;
  const int value = text.trimmed().toInt(&isNumber);
  const bool isReset = text.trimmed().isEmpty();
  if (!isReset && (!isNumber || !isInBounds(row, value))) {
    const QLocale locale;
    problem = tr("This is a whole number from %1 to %2.")
                  .arg(locale.toString(kFields[row].least), locale.toString(kFields[row].most));
  } else if (value != valueOf(row)) {
    m_defaults.*kFields[row].member = value;
    m_session.putSetting(keyOf(row), isReset ? QString() : QString::number(value));
    emit changed();
  }
  emit dataChanged(index(row), index(row));
}

void EngineSettings::apply() {
  emit applyWanted();
}

QString EngineSettings::staleText() const {
  if (m_isApplying) {
    return tr("Loading again: %1. Answers that are being written finish first.")
        .arg(m_stale.join(QStringLiteral(", ")));
  }
  if (m_stale.isEmpty()) return tr("Every loaded model runs with these values.");
  return tr("Still loaded with earlier values: %1. Answers that are being written finish first, "
            "then it is loaded again.")
      .arg(m_stale.join(QStringLiteral(", ")));
}

void EngineSettings::setStale(const QStringList& names, bool isApplying) {
  if (names == m_stale && isApplying == m_isApplying) return;
  m_stale = names;
  m_isApplying = isApplying;
  emit staleChanged();
}

}  // namespace quire
