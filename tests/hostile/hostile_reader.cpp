// hostile_reader import|attach FILE: what the window does with a file that a user chooses, in a
// process of its own. Prints the error as quire-cli does and exits with 1.
#include <QCoreApplication>
#include <QTemporaryDir>

#include <atomic>
#include <cstdio>

#include "app/documents/attachment_file.h"
#include "app/store/conversation_store.h"
#include "app/store/transfer/transfer.h"

namespace {

using namespace quire;

template <typename T>
int end(const Result<T>& result) {
  if (result) return 0;
  std::fprintf(stderr, "%s\n", result.error().message.c_str());
  return 1;
}

int import(const QString& path) {
  QTemporaryDir folder;
  if (!ConversationStore::open(folder.path())) return 2;
  IdSource ids(1000);
  const auto goOn = [](qint64, qint64) { return true; };
  return exportKindOf(path) == ExportKind::AsMarkdown
             ? end(importMarkdown(folder.path(), path, ids, goOn))
             : end(importJson(folder.path(), path, ids, goOn));
}

}  // namespace

int main(int argc, char** argv) {
  const QCoreApplication application(argc, argv);
  if (argc != 3) return 2;
  const QString path = QFile::decodeName(argv[2]);
  if (qstrcmp(argv[1], "import") == 0) return import(path);
  const std::atomic<bool> cancelled = false;
  return end(AttachmentFile::read(path, cancelled));
}
