#include "app/models/engine_settings.h"

#include <QLocale>

#include <algorithm>

#include "app/models/model_labels.h"

namespace quire {
namespace {

/// A setting with a number; the row with a list of choices has a null member.
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
    {"engine.kvType", nullptr, 0, 0},
    {"engine.batchTokens", &LoadDefaults::batchTokens, LoadBounds::kLeastBatch,
     LoadBounds::kMostBatch},
};
static_assert(std::size(kFields) == EngineSettings::kNumRows);

QString keyOf(int row) {
  return QString::fromLatin1(kFields[row].key);
}

/// The text of a row as it is stored and typed; empty if it is unset.
QString textOf(const LoadDefaults& defaults, int row) {
  if (!kFields[row].member) return defaults.cacheType;
  const int value = defaults.*kFields[row].member;
  return value > 0 ? QString::number(value) : QString();
}

/// Sets a row to a text; false if the text is not valid there.
bool assign(LoadDefaults& defaults, int row, const QString& text) {
  if (!kFields[row].member) {
    if (!text.isEmpty() && !cache_types::isOffered(text)) return false;
    defaults.cacheType = text;
    return true;
  }
  bool isNumber = false;
  const int value = text.toInt(&isNumber);
  const bool isInBounds = value >= kFields[row].least && value <= kFields[row].most;
  if (!text.isEmpty() && !(isNumber && isInBounds)) return false;
  defaults.*kFields[row].member = value;
  return true;
}

QString problemOf(int row) {
  if (!kFields[row].member) return {};
  const QLocale locale;
  return EngineSettings::tr("This is a whole number from %1 to %2.")
      .arg(locale.toString(kFields[row].least), locale.toString(kFields[row].most));
}

struct Texts {
  const char* name;
  const char* help;
};

/// Of the context "quire::EngineSettings".
constexpr Texts kTexts[] = {
    {QT_TRANSLATE_NOOP("quire::EngineSettings", "Threads"),
     QT_TRANSLATE_NOOP(
         "quire::EngineSettings",
         "CPU threads for each model. Models that answer at the same time share the cores.")},
    {QT_TRANSLATE_NOOP("quire::EngineSettings", "Context"),
     QT_TRANSLATE_NOOP("quire::EngineSettings",
                       "The longest chat in tokens. A shorter context takes less memory.")},
    {QT_TRANSLATE_NOOP("quire::EngineSettings", "Memory for chats"),
     QT_TRANSLATE_NOOP("quire::EngineSettings",
                       "For the KV cache, all chats of a model together.")},
    {QT_TRANSLATE_NOOP("quire::EngineSettings", "Cache precision"),
     QT_TRANSLATE_NOOP("quire::EngineSettings",
                       "Precision of the KV cache. 8 bit holds almost twice as much as 16 bit, "
                       "with little quality loss.")},
    {QT_TRANSLATE_NOOP("quire::EngineSettings", "Prompt batch size"),
     QT_TRANSLATE_NOOP("quire::EngineSettings",
                       "Prompt tokens computed in one step. More processes long prompts faster; "
                       "fewer keep other answers smoother.")},
};
static_assert(std::size(kTexts) == EngineSettings::kNumRows);

QString nameOf(int row) {
  return EngineSettings::tr(kTexts[row].name);
}

QString helpOf(int row) {
  return EngineSettings::tr(kTexts[row].help);
}

QString unitOf(int row) {
  if (row == EngineSettings::kCache) return EngineSettings::tr("MiB");
  const bool isCount = row == EngineSettings::kContext || row == EngineSettings::kBatch;
  return isCount ? EngineSettings::tr("tokens") : QString();
}

}  // namespace

EngineSettings::EngineSettings(DataSession& session, ComputeDevices& devices, QObject* parent)
    : RoleListModel(parent), m_session(session), m_devices(devices) {
  setRoles({{kName, "name", nameOf},
            {kHelp, "help", helpOf},
            {kUnit, "unit", unitOf},
            {kValueText, "valueText", [this](int row) { return textOf(m_defaults, row); }},
            {kDefaultText, "defaultText", [this](int row) { return defaultText(row); }},
            {kIsSet, "isSet", [this](int row) { return !textOf(m_defaults, row).isEmpty(); }},
            {kProblem, "problem", [this](int row) { return problemIn(row); }},
            {kChoices, "choices", [this](int row) { return choicesOf(row).labels; }},
            {kChoiceIndex, "choiceIndex", [this](int row) {
               return static_cast<int>(choicesOf(row).types.indexOf(m_defaults.cacheType));
             }}});
  connect(&devices, &ComputeDevices::changed, this, &EngineSettings::retranslate);
}

void EngineSettings::load() {
  LoadDefaults stored;
  for (int row = 0; row < kNumRows; ++row) assign(stored, row, m_session.setting(keyOf(row)));
  m_defaults = stored;
  retranslate();
  emit changed();
}

void EngineSettings::retranslate() {
  announceRows();
  emit staleChanged();
}

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
      return tr("Default: depends on free memory");
    case kPrecision: {
      const QString words = cache_types::labelOf(m_devices.defaultCacheType({}));
      return words.isEmpty() ? tr("Default: the device's own") : tr("Default: %1").arg(words);
    }
    default:
      return tr("Default: %1").arg(locale.toString(LoadBounds::kStandardBatch));
  }
}

/// A stored choice may become invalid when the devices or the settings change.
QString EngineSettings::problemIn(int row) const {
  const bool isChosen = row == kPrecision && !m_defaults.cacheType.isEmpty();
  if (isChosen && !cache_types::isSupported(m_defaults.cacheType, m_devices.cacheTypes({})))
    return tr("Not every device here supports this precision. Choose another.");
  return m_problems[static_cast<size_t>(row)];
}

cache_types::Choices EngineSettings::choicesOf(int row) const {
  if (row != kPrecision) return {};
  return cache_types::choices(tr("Automatic"),
                              {m_devices.cacheTypes({}), m_devices.defaultCacheType({})},
                              m_defaults.cacheType);
}

QStringList EngineSettings::sourceTexts(int row) {
  return {QString::fromUtf8(kTexts[row].name), QString::fromUtf8(kTexts[row].help)};
}

void EngineSettings::set(int row, const QString& text) {
  if (row < 0 || row >= kNumRows) return;
  LoadDefaults wanted = m_defaults;
  const bool isValid = assign(wanted, row, text.trimmed());
  m_problems[static_cast<size_t>(row)] = isValid ? QString() : problemOf(row);
  if (wanted != m_defaults) {
    m_defaults = wanted;
    m_session.putSetting(keyOf(row), textOf(wanted, row));
    emit changed();
  }
  emit dataChanged(index(row), index(row));
}

void EngineSettings::choose(int row, int index) {
  const QStringList types = choicesOf(row).types;
  if (index >= 0 && index < types.size()) set(row, types[index]);
}

QString EngineSettings::staleText() const {
  if (m_isApplying) {
    return tr("Reloading: %1. Running answers finish first.")
        .arg(m_stale.join(QStringLiteral(", ")));
  }
  if (m_stale.isEmpty()) return tr("All loaded models use these values.");
  return tr("Still loaded with earlier values: %1. To reload, apply the changes; running answers "
            "finish first.")
      .arg(m_stale.join(QStringLiteral(", ")));
}

void EngineSettings::setStale(const QStringList& names, bool isApplying) {
  if (names == m_stale && isApplying == m_isApplying) return;
  m_stale = names;
  m_isApplying = isApplying;
  emit staleChanged();
}

}  // namespace quire
