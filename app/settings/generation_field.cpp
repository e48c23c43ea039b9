#include "app/settings/generation_field.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <cmath>

namespace quire {
namespace {

using Kind = GenerationField::Kind;
using Settings = GenerationSettings;
using Used = const ResolvedSettings&;

struct GenerationFieldTexts {
  Q_DECLARE_TR_FUNCTIONS(quire::GenerationFieldTexts)
};

constexpr double kMostPenalty = 100.0;

// Field, kind, member, value in use, slider (from, to, step, decimals), name, help, range.
const GenerationField kGenerationFields[] = {
    {SettingField::Temperature, Kind::Number, &Settings::temperature,
     [](Used r) -> double { return r.sampling.temperature; }, 0.0, 2.0, 0.05, 2,
     QT_TRANSLATE_NOOP("quire::GenerationFieldTexts", "Temperature"),
     QT_TRANSLATE_NOOP(
         "quire::GenerationFieldTexts",
         "Low picks the most likely words, high allows more variety; 0 always gives the same "
         "answer."),
     QT_TRANSLATE_NOOP("quire::GenerationFieldTexts",
                       "Temperature is a number from 0 to 100; most use 0 to 1.5.")},
    {SettingField::TopP, Kind::Number, &Settings::topP,
     [](Used r) -> double { return r.sampling.top_p; }, 0.05, 1.0, 0.05, 2,
     QT_TRANSLATE_NOOP("quire::GenerationFieldTexts", "Top p"),
     QT_TRANSLATE_NOOP(
         "quire::GenerationFieldTexts",
         "Consider only the most likely tokens that together reach this probability."),
     QT_TRANSLATE_NOOP("quire::GenerationFieldTexts",
                       "Top p is a number above 0, up to 1; 1 considers all tokens.")},
    {SettingField::TopK, Kind::Whole, &Settings::topK,
     [](Used r) -> double { return r.sampling.top_k; }, 0.0, 0.0, 1.0, 0,
     QT_TRANSLATE_NOOP("quire::GenerationFieldTexts", "Top k"),
     QT_TRANSLATE_NOOP("quire::GenerationFieldTexts",
                       "Consider only the k most likely tokens; 0 considers all."),
     QT_TRANSLATE_NOOP("quire::GenerationFieldTexts",
                       "Top k is a whole number, 0 or more; 0 considers all tokens.")},
    {SettingField::MinP, Kind::Number, &Settings::minP,
     [](Used r) -> double { return r.sampling.min_p; }, 0.0, 0.5, 0.01, 2,
     QT_TRANSLATE_NOOP("quire::GenerationFieldTexts", "Min p"),
     QT_TRANSLATE_NOOP("quire::GenerationFieldTexts",
                       "Leave out tokens less likely than this fraction of the most likely one."),
     QT_TRANSLATE_NOOP("quire::GenerationFieldTexts",
                       "Min p is a number from 0 to 1; 0 considers all tokens.")},
    {SettingField::MaxTokens, Kind::Whole, &Settings::maxTokens,
     [](Used r) -> double { return r.sampling.max_tokens; }, 0.0, 0.0, 1.0, 0,
     QT_TRANSLATE_NOOP("quire::GenerationFieldTexts", "Maximum answer length"),
     QT_TRANSLATE_NOOP("quire::GenerationFieldTexts",
                       "The answer stops after this many tokens, even mid-sentence."),
     QT_TRANSLATE_NOOP("quire::GenerationFieldTexts",
                       "The maximum answer length is a whole number of tokens, 1 or more.")},
    {SettingField::RepetitionPenalty, Kind::Number, &Settings::repetitionPenalty,
     [](Used r) -> double { return r.sampling.repetition_penalty; }, 0.8, 1.6, 0.05, 2,
     QT_TRANSLATE_NOOP("quire::GenerationFieldTexts", "Repetition penalty"),
     QT_TRANSLATE_NOOP("quire::GenerationFieldTexts",
                       "Above 1, tokens that occurred already become less likely."),
     QT_TRANSLATE_NOOP("quire::GenerationFieldTexts",
                       "The repetition penalty is a number above 0, up to 100; 1 is none.")},
    {SettingField::PresencePenalty, Kind::Number, &Settings::presencePenalty,
     [](Used r) -> double { return r.sampling.presence_penalty; }, -2.0, 2.0, 0.1, 2,
     QT_TRANSLATE_NOOP("quire::GenerationFieldTexts", "Presence penalty"),
     QT_TRANSLATE_NOOP("quire::GenerationFieldTexts",
                       "Makes each token that is in the answer already less likely, once."),
     QT_TRANSLATE_NOOP("quire::GenerationFieldTexts",
                       "The presence penalty is a number from -100 to 100; 0 is none.")},
    {SettingField::FrequencyPenalty, Kind::Number, &Settings::frequencyPenalty,
     [](Used r) -> double { return r.sampling.frequency_penalty; }, -2.0, 2.0, 0.1, 2,
     QT_TRANSLATE_NOOP("quire::GenerationFieldTexts", "Frequency penalty"),
     QT_TRANSLATE_NOOP("quire::GenerationFieldTexts",
                       "Makes each token less likely every time that the answer repeats it."),
     QT_TRANSLATE_NOOP("quire::GenerationFieldTexts",
                       "The frequency penalty is a number from -100 to 100; 0 is none.")},
    {SettingField::Stop, Kind::Text, &Settings::stop, nullptr, 0.0, 0.0, 0.0, 0,
     QT_TRANSLATE_NOOP("quire::GenerationFieldTexts", "Stop strings"),
     QT_TRANSLATE_NOOP(
         "quire::GenerationFieldTexts",
         "The answer ends before any of these. Separate with |, write \\n for a new line."),
     QT_TRANSLATE_NOOP("quire::GenerationFieldTexts", "There can be up to 64 stop strings.")},
    {SettingField::Seed, Kind::Whole, &Settings::seed, nullptr, 0.0, 0.0, 1.0, 0,
     QT_TRANSLATE_NOOP("quire::GenerationFieldTexts", "Seed"),
     QT_TRANSLATE_NOOP("quire::GenerationFieldTexts",
                       "The same seed gives the same answer to the same chat."),
     QT_TRANSLATE_NOOP(
         "quire::GenerationFieldTexts",
         "The seed is a whole number, 0 or more; leave it empty for a new one each time.")},
    {SettingField::ShowReasoning, Kind::Switch, &Settings::showReasoning,
     [](Used r) -> double { return r.showReasoning ? 1.0 : 0.0; }, 0.0, 0.0, 0.0, 0,
     QT_TRANSLATE_NOOP("quire::GenerationFieldTexts", "Show reasoning"),
     QT_TRANSLATE_NOOP("quire::GenerationFieldTexts",
                       "What a model thinks before it answers, as a block that can be opened."),
     QT_TRANSLATE_NOOP("quire::GenerationFieldTexts", "This is either on or off.")},
};
static_assert(std::size(kGenerationFields) == kNumSettingFields);

QString toText(double value) {
  return QString::number(std::round(value * 1e4) / 1e4);
}
QString toText(int value) {
  return QString::number(value);
}
QString toText(quint64 value) {
  return QString::number(value);
}
QString toText(bool value) {
  return value ? GenerationFieldTexts::tr("on") : GenerationFieldTexts::tr("off");
}
QString toText(const QStringList& stops) {
  QStringList escaped;
  for (QString stop : stops) {
    stop.replace(u'\\', QStringLiteral("\\\\"));
    stop.replace(u'|', QStringLiteral("\\|"));
    escaped.append(stop.replace(u'\n', QStringLiteral("\\n")));
  }
  return escaped.join(u'|');
}

QStringList stopsFrom(const QString& text) {
  QStringList stops(QString{});
  for (qsizetype i = 0; i < text.size(); ++i) {
    const QChar c = text[i];
    if (c == u'|') {
      stops.append(QString());
    } else if (c == u'\\' && i + 1 < text.size()) {
      const QChar next = text[++i];
      stops.last().append(next == u'n' ? QChar(u'\n') : next);
    } else {
      stops.last().append(c);
    }
  }
  stops.removeAll(QString());
  return stops;
}

/// A number as the user writes it, with a point or as the language has it.
std::optional<double> numberFrom(const QString& text) {
  bool isNumber = false;
  double number = QLocale::c().toDouble(text, &isNumber);
  if (!isNumber) number = QLocale().toDouble(text, &isNumber);
  return isNumber && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

bool read(const QString& text, std::optional<double>& value) {
  value = numberFrom(text);
  return value.has_value();
}
bool read(const QString& text, std::optional<int>& value) {
  bool isNumber = false;
  value = text.toInt(&isNumber);
  return isNumber;
}
bool read(const QString& text, std::optional<quint64>& value) {
  bool isNumber = false;
  value = text.toULongLong(&isNumber);
  return isNumber;
}
bool read(const QString& text, std::optional<bool>& value) {
  value = text == GenerationFieldTexts::tr("on") || text == QLatin1String("on") ||
          text == QLatin1String("1");
  return *value || text == GenerationFieldTexts::tr("off") || text == QLatin1String("off") ||
         text == QLatin1String("0");
}
bool read(const QString& text, std::optional<QStringList>& value) {
  constexpr qsizetype kMaxStops = 64;
  value = stopsFrom(text);
  return value->size() <= kMaxStops;
}

bool isWithinBounds(const GenerationSettings& settings) {
  if (settings.repetitionPenalty.value_or(1.0) > kMostPenalty) return false;
  return validate(resolve({}, {.chat = settings}).sampling).has_value();
}

}  // namespace

std::span<const GenerationField> generationFields() {
  return kGenerationFields;
}

int generationRow(SettingField field) {
  const auto* const found = std::ranges::find(kGenerationFields, field, &GenerationField::field);
  return static_cast<int>(found - std::begin(kGenerationFields));
}

QString GenerationField::nameText() const {
  return GenerationFieldTexts::tr(name);
}

QString GenerationField::helpText() const {
  return GenerationFieldTexts::tr(help);
}

bool GenerationField::isSetIn(const GenerationSettings& settings) const {
  return std::visit([&](auto at) { return (settings.*at).has_value(); }, member);
}

QString GenerationField::textOf(const GenerationSettings& settings) const {
  return std::visit([&](auto at) { return settings.*at ? toText(*(settings.*at)) : QString(); },
                    member);
}

QString GenerationField::textOf(const ResolvedSettings& resolved) const {
  if (kind == Kind::Switch) return toText(resolved.showReasoning);
  if (used) return toText(used(resolved));
  if (field == SettingField::Seed) {
    return resolved.originOf(field) == SettingsLayer::Default
               ? GenerationFieldTexts::tr("new each time")
               : toText(quint64{resolved.sampling.seed});
  }
  QStringList stops;
  for (const std::string& stop : resolved.sampling.stop) stops.append(QString::fromStdString(stop));
  return toText(stops);
}

QString GenerationField::setFromText(GenerationSettings& settings, const QString& text) const {
  const QString wanted = kind == Kind::Text ? text : text.trimmed();
  if (wanted.isEmpty()) {
    unset(settings);
    return {};
  }
  GenerationSettings changed = settings;
  const bool isRead = std::visit([&](auto at) { return read(wanted, changed.*at); }, member);
  if (!isRead || !isWithinBounds(changed)) return GenerationFieldTexts::tr(range);
  settings = changed;
  return {};
}

void GenerationField::unset(GenerationSettings& settings) const {
  std::visit([&](auto at) { (settings.*at).reset(); }, member);
}

}  // namespace quire
