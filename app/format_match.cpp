#include "app/format_match.h"

#include <QRegularExpression>

namespace quire {

QString filledFormat(const QString& format, const std::vector<std::string>& arguments) {
  QString text;
  for (qsizetype i = 0; i < format.size(); ++i) {
    const int place = format[i] == u'%' && i + 1 < format.size() ? format[i + 1].digitValue() : -1;
    if (place < 1 || place > static_cast<int>(arguments.size())) {
      text += format[i];
      continue;
    }
    text += QString::fromStdString(arguments[static_cast<size_t>(place) - 1]);
    ++i;
  }
  return text;
}

std::optional<std::vector<std::string>> argumentsOf(const QString& format, const QString& text) {
  QString pattern;
  std::vector<int> places;
  qsizetype from = 0;
  for (qsizetype i = 0; i + 1 < format.size(); ++i) {
    const int place = format[i] == u'%' ? format[i + 1].digitValue() : -1;
    if (place < 1) continue;
    pattern += QRegularExpression::escape(format.sliced(from, i - from)) + QStringLiteral("(.*?)");
    places.push_back(place);
    from = i + 2;
  }
  pattern += QRegularExpression::escape(format.sliced(from));
  const QRegularExpression whole(QRegularExpression::anchoredPattern(pattern),
                                 QRegularExpression::DotMatchesEverythingOption);
  const auto match = whole.match(text);
  if (!match.hasMatch()) return std::nullopt;
  std::vector<std::string> arguments;
  for (size_t i = 0; i < places.size(); ++i) {
    const auto place = static_cast<size_t>(places[i]);
    if (arguments.size() < place) arguments.resize(place);
    arguments[place - 1] = match.captured(static_cast<int>(i) + 1).toStdString();
  }
  return arguments;
}

}  // namespace quire
