#include "app/hub/hub_name.h"

#include <QStringList>

#include "app/hub/safe_path.h"

namespace quire {
namespace {

using Hub = HubName::Hub;

Error notAName(const QString& typed) {
  return make_error(ErrorCode::kInvalidArgument,
                    "\"%1\" is not the name of a model. Names are org/repo, org/repo:Q4_K_M, or "
                    "qwen3:8b for Ollama's registry",
                    {typed.left(200).toStdString()});
}

/// Removes the part of an address that names the hub. Nothing: there is none.
std::optional<Hub> takeHub(QString& text) {
  struct Prefix {
    const char* text;
    Hub hub;
  };
  static constexpr Prefix kPrefixes[] = {{"huggingface.co/", Hub::kHuggingFace},
                                         {"hf.co/", Hub::kHuggingFace},
                                         {"hf:", Hub::kHuggingFace},
                                         {"registry.ollama.ai/", Hub::kOllama},
                                         {"ollama.com/", Hub::kOllama},
                                         {"ollama:", Hub::kOllama}};
  for (const char* scheme : {"https://", "http://", "www."}) {
    if (text.startsWith(QLatin1String(scheme))) text.remove(0, qstrlen(scheme));
  }
  for (const Prefix& prefix : kPrefixes) {
    if (!text.startsWith(QLatin1String(prefix.text))) continue;
    text.remove(0, qstrlen(prefix.text));
    return prefix.hub;
  }
  return std::nullopt;
}

/// What follows the first `mark`, which is removed with it. Nothing: there is no such mark.
std::optional<QString> takeAfter(QString& text, QChar mark) {
  const qsizetype at = text.indexOf(mark);
  if (at < 0) return std::nullopt;
  const QString after = text.mid(at + 1);
  text.truncate(at);
  return after;
}

/// The pages of a repository that people copy: ".../tree/main", ".../blob/main/FILE".
bool readPage(QStringList& parts, HubName& name) {
  if (parts.size() < 4) return parts.size() == 2;
  const QString& kind = parts[2];
  if (kind != QLatin1String("tree") && kind != QLatin1String("blob") &&
      kind != QLatin1String("resolve")) {
    return false;
  }
  name.revision = parts[3];
  if (kind != QLatin1String("tree") && name.tag.isEmpty()) name.tag = parts.mid(4).join(u'/');
  parts = parts.mid(0, 2);
  return true;
}

bool isWhole(const HubName& name) {
  const bool isTag = name.tag.isEmpty() ||
                     (name.hub == Hub::kOllama ? isSafeName(name.tag) : isSafePath(name.tag));
  return isSafeName(name.owner) && isSafeName(name.model) && isTag &&
         (name.revision.isEmpty() || isSafeName(name.revision));
}

}  // namespace

QString hubTitle(Hub hub) {
  return hub == Hub::kOllama ? QStringLiteral("Ollama") : QStringLiteral("Hugging Face");
}

QString HubName::text() const {
  const bool isLibrary = hub == Hub::kOllama && owner == QLatin1String("library");
  QString text = isLibrary ? model : owner + u'/' + model;
  if (!revision.isEmpty()) text += u'@' + revision;
  if (!tag.isEmpty()) text += u':' + tag;
  return text;
}

Result<HubName> readHubName(const QString& typed) {
  QString text = typed.trimmed();
  const std::optional<Hub> hub = takeHub(text);
  while (text.endsWith(u'/')) text.chop(1);
  HubName name;
  const std::optional<QString> tag = takeAfter(text, u':');
  const std::optional<QString> revision = takeAfter(text, u'@');
  // "org/repo:" is not finished: it must not choose the usual file silently.
  if ((tag && tag->isEmpty()) || (revision && revision->isEmpty())) return notAName(typed);
  name.tag = tag.value_or(QString());
  name.revision = revision.value_or(QString());
  QStringList parts = text.split(u'/');
  // A name of one part is Ollama's; one of two is Hugging Face's unless its hub is named.
  name.hub = hub.value_or(parts.size() == 1 ? Hub::kOllama : Hub::kHuggingFace);
  if (name.hub == Hub::kOllama) {
    if (parts.size() == 1) parts.prepend(QStringLiteral("library"));
    if (!name.revision.isEmpty()) return notAName(typed);
    if (name.tag.isEmpty()) name.tag = QStringLiteral("latest");
  }
  if (!readPage(parts, name)) return notAName(typed);
  name.owner = parts[0];
  name.model = parts[1];
  if (!isWhole(name)) return notAName(typed);
  return name;
}

}  // namespace quire
