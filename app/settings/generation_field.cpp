#include "app/settings/generation_field.h"

#include <QCoreApplication>
#include <QLocale>

#include <cmath>
#include <optional>
#include <type_traits>

namespace quire {
namespace {

struct GenerationFieldTexts {
  Q_DECLARE_TR_FUNCTIONS(quire::GenerationFieldTexts)

 public:
  // Field, slider (from, to, step, decimals), name, help, range.
  static constexpr GenerationField kAll[] = {
      {SettingField::Temperature, 0.0, 2.0, 0.05, 2, QT_TR_NOOP("Temperature"),
       QT_TR_NOOP(
           "Low picks the most likely words, high allows more variety; 0 always gives the same "
           "answer."),
       QT_TR_NOOP("Temperature is a number from 0 to 100; most use 0 to 1.5.")},
      {SettingField::TopP, 0.05, 1.0, 0.05, 2, QT_TR_NOOP("Top p"),
       QT_TR_NOOP("Consider only the most likely tokens that together reach this probability."),
       QT_TR_NOOP("Top p is a number above 0, up to 1; 1 considers all tokens.")},
      {SettingField::TopK, 0.0, 0.0, 1.0, 0, QT_TR_NOOP("Top k"),
       QT_TR_NOOP("Consider only the k most likely tokens; 0 considers all."),
       QT_TR_NOOP("Top k is a whole number, 0 or more; 0 considers all tokens.")},
      {SettingField::MinP, 0.0, 0.5, 0.01, 2, QT_TR_NOOP("Min p"),
       QT_TR_NOOP("Leave out tokens less likely than this fraction of the most likely one."),
       QT_TR_NOOP("Min p is a number from 0 to 1; 0 considers all tokens.")},
      {SettingField::MaxTokens, 0.0, 0.0, 1.0, 0, QT_TR_NOOP("Maximum answer length"),
       QT_TR_NOOP("The answer stops after this many tokens, even mid-sentence."),
       QT_TR_NOOP("The maximum answer length is a whole number of tokens, 1 or more.")},
      {SettingField::RepetitionPenalty, 0.8, 1.6, 0.05, 2, QT_TR_NOOP("Repetition penalty"),
       QT_TR_NOOP("Above 1, tokens that occurred already become less likely."),
       QT_TR_NOOP("The repetition penalty is a number above 0, up to 100; 1 is none.")},
      {SettingField::PresencePenalty, -2.0, 2.0, 0.1, 2, QT_TR_NOOP("Presence penalty"),
       QT_TR_NOOP("Makes each token that is in the answer already less likely, once."),
       QT_TR_NOOP("The presence penalty is a number from -100 to 100; 0 is none.")},
      {SettingField::FrequencyPenalty, -2.0, 2.0, 0.1, 2, QT_TR_NOOP("Frequency penalty"),
       QT_TR_NOOP("Makes each token less likely every time that the answer repeats it."),
       QT_TR_NOOP("The frequency penalty is a number from -100 to 100; 0 is none.")},
      {SettingField::Stop, 0.0, 0.0, 0.0, 0, QT_TR_NOOP("Stop strings"),
       QT_TR_NOOP(
           "The answer ends before any of these. Separate with |, write \\n for a new line."),
       QT_TR_NOOP("There can be up to 64 stop strings.")},
      {SettingField::Seed, 0.0, 0.0, 1.0, 0, QT_TR_NOOP("Seed"),
       QT_TR_NOOP("The same seed gives the same answer to the same chat."),
       QT_TR_NOOP(
           "The seed is a whole number, 0 or more; leave it empty for a new one each time.")},
      {SettingField::ShowReasoning, 0.0, 0.0, 0.0, 0, QT_TR_NOOP("Show reasoning"),
       QT_TR_NOOP("What a model thinks before it answers, as a block that can be opened."),
       QT_TR_NOOP("This is either on or off.")},
  };
};

static_assert(std::size(GenerationFieldTexts::kAll) == kNumSettingFields);

QString toText(double value) {
  return QString::number(std::round(value * 1e4) / 1e4);
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

/// Parses a number with a decimal point, or in the format of the language.
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
  return validate(resolve({}, {.chat = settings}).sampling).has_value();
}

}  // namespace

std::span<const GenerationField> generationFields() {
  return GenerationFieldTexts::kAll;
}

QString GenerationField::nameText() const {
  return GenerationFieldTexts::tr(name);
}

QString GenerationField::helpText() const {
  return GenerationFieldTexts::tr(help);
}

bool GenerationField::isAdvanced() const {
  return field != SettingField::Temperature && field != SettingField::MaxTokens &&
         field != SettingField::ShowReasoning;
}

double GenerationField::number(const ResolvedSettings& resolved) const {
  if (field == SettingField::ShowReasoning) return resolved.showReasoning ? 1.0 : 0.0;
  double number = 0.0;
  forEachSetting([&](const auto& entry) {
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(SamplingParams().*entry.sampling)>>) {
      if (entry.field == field) number = static_cast<double>(resolved.sampling.*entry.sampling);
    }
  });
  return number;
}

bool GenerationField::isSetIn(const GenerationSettings& settings) const {
  bool isSet = false;
  visitSetting(settings, field, [&](const auto& value) { isSet = value.has_value(); });
  return isSet;
}

QString GenerationField::textOf(const ResolvedSettings& resolved) const {
  switch (field) {
    case SettingField::ShowReasoning:
      return toText(resolved.showReasoning);
    case SettingField::Seed:
      return resolved.originOf(field) == SettingsLayer::Default
                 ? GenerationFieldTexts::tr("new each time")
                 : toText(quint64{resolved.sampling.seed});
    case SettingField::Stop: {
      QStringList stops;
      for (const std::string& stop : resolved.sampling.stop) stops += QString::fromStdString(stop);
      return toText(stops);
    }
    default:
      return toText(number(resolved));
  }
}

QString GenerationField::setFromText(GenerationSettings& settings, const QString& text) const {
  const QString wanted = field == SettingField::Stop ? text : text.trimmed();
  GenerationSettings changed = settings;
  bool isRead = true;
  visitSetting(changed, field, [&](auto& value) {
    value.reset();
    if (!wanted.isEmpty()) isRead = read(wanted, value);
  });
  if (!isRead || !isWithinBounds(changed)) return GenerationFieldTexts::tr(range);
  settings = changed;
  return {};
}

void GenerationField::unset(GenerationSettings& settings) const {
  visitSetting(settings, field, [](auto& value) { value.reset(); });
}

}  // namespace quire
