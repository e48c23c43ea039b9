#pragma once

#include <QHash>
#include <QRandomGenerator>
#include <QString>

#include <functional>

#include "app/store/conversation_store.h"

namespace quire::kill {

/// What a program said was on disk, for one answer.
struct Promised {
  RecordId question = 0;
  qint64 length = 0;  ///< Characters of its text.
  bool finished = false;
};

/// By chat, then by answer.
using Promises = QHash<RecordId, QHash<RecordId, Promised>>;

/// By word and name, "draft 7".
using OtherPromises = QHash<QByteArray, qint64>;

/// Starts `program` with the folder as its argument, kills it with SIGKILL and collects what it had
/// printed, one line for each commit:
///   turn CHAT QUESTION ANSWER | checkpoint CHAT ANSWER LENGTH | finish CHAT ANSWER LENGTH
/// and any other word with a name and a number, for which `others` keeps the last number:
///   draft CHAT LENGTH | folder ID POSITION | import all CHATS | backup FILE ROUND
/// The moment counts from the first line, or from the start if `fromStart`. Returns why it did not
/// run as it should, else nothing.
QString runAndKill(const QString& program, const QString& folder, int afterMs, bool fromStart,
                   Promises& promises, OtherPromises* others = nullptr);

/// Opens the store as the next start would: it is whole, everything promised is there, nothing
/// streams any more. `checkAnswer` looks at the text of each answer; it returns what is wrong with
/// it.
QString verify(const QString& folder, const Promises& promises,
               const std::function<QString(const MessageRecord& answer)>& checkAnswer);

int countAnswers(const Promises& promises);

/// QUIRE_TEST_SEED, or a new seed; printed.
QRandomGenerator makeRandom();

/// `few`, or `many` with QUIRE_LONG_TESTS.
int numKills(int few, int many);

}  // namespace quire::kill
