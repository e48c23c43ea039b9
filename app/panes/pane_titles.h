#pragma once

#include <QList>
#include <QString>

#include "app/store/records.h"

namespace quire {

class ChatModel;

/// Titles the chats that await their title and will get the same first message, so that they can
/// be told apart in the list: "Why is the sky blue? · Teacher". The question is cut, because the
/// list elides the end of a long title. Chats with the same persona, or none, are numbered.
void titleApart(const QList<ChatModel*>& chats, const QString& text,
                const QList<AttachmentRecord>& files);

/// The given labels with numbers where one occurs several times: "Teacher 1", "Teacher 2". Of empty
/// ones, only the number is left.
QStringList numberedLabels(const QStringList& labels);

}  // namespace quire
