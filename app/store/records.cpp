#include "app/store/records.h"

#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

#include "app/store/name_limits.h"

namespace quire {

MessagePart partOf(const AttachmentRecord& file) {
  const QJsonObject properties{{"name", file.name},
                               {"media_type", file.mediaType},
                               {"bytes", file.bytes},
                               {"tokens", file.tokens}};
  return {.kind = part_kind::kAttachment,
          .payload = file.text,
          .properties = QJsonDocument(properties).toJson(QJsonDocument::Compact)};
}

AttachmentRecord attachmentOf(const MessagePart& part) {
  const QJsonObject properties = QJsonDocument::fromJson(part.properties).object();
  return {.name = cutText(properties["name"].toString(), kMaxFileNameLength),
          .mediaType = properties["media_type"].toString(),
          .bytes = properties["bytes"].toInteger(),
          .text = part.payload,
          .tokens = properties["tokens"].toInt()};
}

QString MessageRecord::textOf(QLatin1String kind) const {
  QString text;
  for (const MessagePart& part : parts) {
    if (part.kind != kind) continue;
    if (text.isEmpty()) {
      text = part.payload;  // Shared, not copied: most messages have one text.
    } else {
      text += part.payload;
    }
  }
  return text;
}

QString MessageRecord::textBeforeCut() const {
  QString begun = text();
  while (begun.endsWith(QChar::ReplacementCharacter)) begun.chop(1);
  return begun;
}

void MessageRecord::setText(const QString& text) {
  const auto isText = [](const MessagePart& part) { return part.kind == part_kind::kText; };
  const auto first = std::find_if(parts.begin(), parts.end(), isText);
  if (first == parts.end()) {
    parts.append({.kind = part_kind::kText, .payload = text});
    return;
  }
  first->payload = text;
  parts.erase(std::remove_if(first + 1, parts.end(), isText), parts.end());
}

void MessageRecord::appendText(const QString& text) {
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    if (part->kind != part_kind::kText) continue;
    part->payload += text;
    return;
  }
  setText(text);
}

QList<AttachmentRecord> MessageRecord::attachments() const {
  QList<AttachmentRecord> files;
  for (const MessagePart& part : parts) {
    if (part.kind == part_kind::kAttachment) files.append(attachmentOf(part));
  }
  return files;
}

void MessageRecord::setAttachments(const QList<AttachmentRecord>& files) {
  parts.removeIf([](const MessagePart& part) { return part.kind == part_kind::kAttachment; });
  for (qsizetype i = 0; i < files.size(); ++i) parts.insert(i, partOf(files[i]));
}

}  // namespace quire
