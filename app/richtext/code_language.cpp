#include "app/richtext/code_language.h"

#include <QFile>
#include <QHash>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

namespace quire {
namespace {

QStringList strings(const QJsonValue& value) {
  return value.toVariant().toStringList();
}

CodeLanguage readLanguage(const QJsonObject& json) {
  const QStringList keywords =
      json[QLatin1String("keywords")].toString().split(u' ', Qt::SkipEmptyParts);
  const QStringList comment = strings(json[QLatin1String("comment")]);
  CodeLanguage language;
  language.keywords = QSet<QString>(keywords.begin(), keywords.end());
  language.lineComments = strings(json[QLatin1String("lineComments")]);
  language.commentBegin = comment.value(0);
  language.commentEnd = comment.value(1);
  language.quotes = json[QLatin1String("quotes")].toString(language.quotes);
  language.longQuotes = strings(json[QLatin1String("longQuotes")]);
  language.ignoresCase = json[QLatin1String("ignoresCase")].toBool();
  language.hasTags = json[QLatin1String("hasTags")].toBool();
  language.isPlain = json[QLatin1String("isPlain")].toBool();
  language.wordLetters = json[QLatin1String("wordLetters")].toString();
  return language;
}

/// By each of their names; the one without a name is for all others.
QHash<QString, CodeLanguage> readLanguages() {
  QFile file(QStringLiteral(":/quire/highlighting/languages.json"));
  if (!file.open(QIODevice::ReadOnly)) return {};
  QHash<QString, CodeLanguage> all;
  const QJsonArray languages = QJsonDocument::fromJson(file.readAll()).array();
  for (const QJsonValue& json : languages) {
    const CodeLanguage language = readLanguage(json.toObject());
    for (const QString& name : json[QLatin1String("names")].toString().split(u' '))
      all.insert(name, language);
  }
  return all;
}

}  // namespace

QString codeLanguageName(QStringView info) {
  constexpr qsizetype kMaxName = 40;
  const QStringView text = info.trimmed();
  const auto* const end =
      std::find_if(text.begin(), text.end(), [](QChar c) { return c.isSpace() || c == u'{'; });
  return text.first(std::min<qsizetype>(end - text.begin(), kMaxName)).toString();
}

const CodeLanguage& codeLanguage(const QString& name) {
  static const QHash<QString, CodeLanguage> kLanguages = readLanguages();
  static const CodeLanguage kOther = kLanguages.value(QString());
  const auto found = kLanguages.constFind(name.toLower());
  return found == kLanguages.cend() ? kOther : *found;
}

}  // namespace quire
