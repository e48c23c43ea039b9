#include "app/settings/generation_field.h"

#include <QCoreApplication>
#include <QLocale>

#include <cmath>

namespace quire {
namespace {

using Kind = GenerationField::Kind;

struct GenerationFieldTexts {
  Q_DECLARE_TR_FUNCTIONS(quire::GenerationFieldTexts)
};

/// Calls `with` with the member of that field.
template <typename Settings, typename With>
void visit(Settings& s, SettingField field, const With& with) {
  switch (field) {
    case SettingField::Temperature:
      return with(s.temperature);
    case SettingField::TopK:
      return with(s.topK);
    case SettingField::TopP:
      return with(s.topP);
    case SettingField::MinP:
      return with(s.minP);
    case SettingField::RepetitionPenalty:
      return with(s.repetitionPenalty);
    case SettingField::PresencePenalty:
      return with(s.presencePenalty);
    case SettingField::FrequencyPenalty:
      return with(s.frequencyPenalty);
    case SettingField::MaxTokens:
      return with(s.maxTokens);
    case SettingField::Seed:
      return with(s.seed);
    case SettingField::Stop:
      return with(s.stop);
    case SettingField::ShowReasoning:
      return with(s.showReasoning);
  }
}

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

/// How its value is written and how far its slider goes.
GenerationField boundsOf(SettingField field) {
  switch (field) {
    case SettingField::Temperature:
      return {field, Kind::Number, 0.0, 2.0, 0.05, 2};
    case SettingField::TopK:
      return {field, Kind::Whole, 0.0, 0.0, 1.0, 0};
    case SettingField::TopP:
      return {field, Kind::Number, 0.05, 1.0, 0.05, 2};
    case SettingField::MinP:
      return {field, Kind::Number, 0.0, 0.5, 0.01, 2};
    case SettingField::RepetitionPenalty:
      return {field, Kind::Number, 0.8, 1.6, 0.05, 2};
    case SettingField::PresencePenalty:
      return {field, Kind::Number, -2.0, 2.0, 0.1, 2};
    case SettingField::FrequencyPenalty:
      return {field, Kind::Number, -2.0, 2.0, 0.1, 2};
    case SettingField::MaxTokens:
      return {field, Kind::Whole, 0.0, 0.0, 1.0, 0};
    case SettingField::Seed:
      return {field, Kind::Whole, 0.0, 0.0, 1.0, 0};
    case SettingField::Stop:
      return {field, Kind::Text, 0.0, 0.0, 0.0, 0};
    case SettingField::ShowReasoning:
      return {field, Kind::Switch, 0.0, 0.0, 0.0, 0};
  }
  return {};
}

QString nameOf(SettingField field) {
  switch (field) {
    case SettingField::Temperature:
      return GenerationFieldTexts::tr("Temperature");
    case SettingField::TopK:
      return GenerationFieldTexts::tr("Top k");
    case SettingField::TopP:
      return GenerationFieldTexts::tr("Top p");
    case SettingField::MinP:
      return GenerationFieldTexts::tr("Min p");
    case SettingField::RepetitionPenalty:
      return GenerationFieldTexts::tr("Repetition penalty");
    case SettingField::PresencePenalty:
      return GenerationFieldTexts::tr("Presence penalty");
    case SettingField::FrequencyPenalty:
      return GenerationFieldTexts::tr("Frequency penalty");
    case SettingField::MaxTokens:
      return GenerationFieldTexts::tr("Length of an answer");
    case SettingField::Seed:
      return GenerationFieldTexts::tr("Seed");
    case SettingField::Stop:
      return GenerationFieldTexts::tr("Stop strings");
    case SettingField::ShowReasoning:
      return GenerationFieldTexts::tr("Show reasoning");
  }
  return {};
}

QString helpOf(SettingField field) {
  switch (field) {
    case SettingField::Temperature:
      return GenerationFieldTexts::tr(
          "Low keeps to the likeliest words, high takes risks; 0 always says the same.");
    case SettingField::TopK:
      return GenerationFieldTexts::tr("Choose among so many likeliest words; 0 keeps all.");
    case SettingField::TopP:
      return GenerationFieldTexts::tr("Choose among the likeliest words that make up this share.");
    case SettingField::MinP:
      return GenerationFieldTexts::tr(
          "Leave out words less likely than this share of the likeliest one.");
    case SettingField::RepetitionPenalty:
      return GenerationFieldTexts::tr("Above 1, words that were said already become less likely.");
    case SettingField::PresencePenalty:
      return GenerationFieldTexts::tr("Lowers each word that the answer already holds, once.");
    case SettingField::FrequencyPenalty:
      return GenerationFieldTexts::tr("Lowers each word for every time that the answer holds it.");
    case SettingField::MaxTokens:
      return GenerationFieldTexts::tr("It ends after so many tokens, whole or not.");
    case SettingField::Seed:
      return GenerationFieldTexts::tr("The same seed gives the same answer to the same chat.");
    case SettingField::Stop:
      return GenerationFieldTexts::tr(
          "The answer ends before any of these. Part them with |, write \\n for a new line.");
    case SettingField::ShowReasoning:
      return GenerationFieldTexts::tr(
          "What a model thinks before it answers, as a block that can be opened.");
  }
  return {};
}

/// What may be written there, for whoever wrote something else.
QString rangeOf(SettingField field) {
  switch (field) {
    case SettingField::Temperature:
      return GenerationFieldTexts::tr("Temperature is a number from 0 to 100; most use 0 to 1.5.");
    case SettingField::TopK:
      return GenerationFieldTexts::tr("Top k is a whole number, 0 or more; 0 keeps all words.");
    case SettingField::TopP:
      return GenerationFieldTexts::tr("Top p is a number above 0, up to 1; 1 keeps all words.");
    case SettingField::MinP:
      return GenerationFieldTexts::tr("Min p is a number from 0 to 1; 0 keeps all words.");
    case SettingField::RepetitionPenalty:
      return GenerationFieldTexts::tr("The repetition penalty is a number above 0; 1 is none.");
    case SettingField::PresencePenalty:
      return GenerationFieldTexts::tr(
          "The presence penalty is a number from -100 to 100; 0 is none.");
    case SettingField::FrequencyPenalty:
      return GenerationFieldTexts::tr(
          "The frequency penalty is a number from -100 to 100; 0 is none.");
    case SettingField::MaxTokens:
      return GenerationFieldTexts::tr(
          "The length of an answer is a whole number of tokens, 1 or more.");
    case SettingField::Seed:
      return GenerationFieldTexts::tr(
          "The seed is a whole number, 0 or more; leave it empty for a new one each time.");
    case SettingField::Stop:
      return GenerationFieldTexts::tr("At most 64 stop strings can be kept.");
    case SettingField::ShowReasoning:
      return GenerationFieldTexts::tr("This is either on or off.");
  }
  return {};
}

bool isWithinBounds(const GenerationSettings& settings, SettingField field) {
  constexpr double kMostPenalty = 100.0;
  if (field == SettingField::RepetitionPenalty && *settings.repetitionPenalty > kMostPenalty) {
    return false;
  }
  return validate(resolve({}, {.chat = settings}).sampling).has_value();
}

}  // namespace

const QList<SettingField>& shownFields() {
  static const QList<SettingField> kFields = {SettingField::Temperature,
                                              SettingField::TopP,
                                              SettingField::TopK,
                                              SettingField::MinP,
                                              SettingField::MaxTokens,
                                              SettingField::RepetitionPenalty,
                                              SettingField::PresencePenalty,
                                              SettingField::FrequencyPenalty,
                                              SettingField::Stop,
                                              SettingField::Seed,
                                              SettingField::ShowReasoning};
  return kFields;
}

GenerationField describe(SettingField field) {
  GenerationField described = boundsOf(field);
  described.name = nameOf(field);
  described.help = helpOf(field);
  return described;
}

QString textOf(const GenerationSettings& settings, SettingField field) {
  QString text;
  visit(settings, field, [&](const auto& value) {
    if (value) text = toText(*value);
  });
  return text;
}

QString textOf(const ResolvedSettings& resolved, SettingField field) {
  const SamplingParams& s = resolved.sampling;
  switch (field) {
    case SettingField::Stop: {
      QStringList stops;
      for (const std::string& stop : s.stop) stops.append(QString::fromStdString(stop));
      return toText(stops);
    }
    case SettingField::Seed:
      return resolved.originOf(field) == SettingsLayer::Default
                 ? GenerationFieldTexts::tr("new each time")
                 : toText(quint64{s.seed});
    case SettingField::ShowReasoning:
      return toText(resolved.showReasoning);
    default:
      return toText(numberOf(resolved, field));
  }
}

double numberOf(const ResolvedSettings& resolved, SettingField field) {
  const SamplingParams& s = resolved.sampling;
  switch (field) {
    case SettingField::Temperature:
      return s.temperature;
    case SettingField::TopK:
      return s.top_k;
    case SettingField::TopP:
      return s.top_p;
    case SettingField::MinP:
      return s.min_p;
    case SettingField::RepetitionPenalty:
      return s.repetition_penalty;
    case SettingField::PresencePenalty:
      return s.presence_penalty;
    case SettingField::FrequencyPenalty:
      return s.frequency_penalty;
    case SettingField::MaxTokens:
      return s.max_tokens;
    case SettingField::ShowReasoning:
      return resolved.showReasoning ? 1.0 : 0.0;
    case SettingField::Seed:
    case SettingField::Stop:
      break;
  }
  return 0.0;
}

QString setFromText(GenerationSettings& settings, SettingField field, const QString& text) {
  const bool isText = describe(field).kind == Kind::Text;
  const QString wanted = isText ? text : text.trimmed();
  GenerationSettings changed = settings;
  if (wanted.isEmpty()) {
    unset(settings, field);
    return {};
  }
  bool isRead = false;
  visit(changed, field, [&](auto& value) { isRead = read(wanted, value); });
  if (!isRead || !isWithinBounds(changed, field)) return rangeOf(field);
  settings = changed;
  return {};
}

void unset(GenerationSettings& settings, SettingField field) {
  visit(settings, field, [](auto& value) { value.reset(); });
}

}  // namespace quire
