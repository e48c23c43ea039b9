#pragma once

#include <QHash>
#include <QStringList>

#include <algorithm>

#include "app/get_models/hub_access.h"

namespace quire {

/// A hub for tests of the window, which answers what it was told and notes what it was asked.
/// Thread: the window's.
class FakeHub : public HubAccess {
 public:
  PendingReply search(const QString& text, Reply<HubSearchReport> reply) override {
    asked += "search " + text;
    if (answers) reply(found);
    return reply.pending();
  }
  PendingReply list(const QString& name, Reply<HubListing> reply) override {
    asked += "list " + name;
    if (answers) reply(listings.value(name, {.problem = {"There is no such model.", false}}));
    return reply.pending();
  }
  PendingReply suggest(Reply<QList<ModelSuggestion>> reply) override {
    reply(suggestions);
    return reply.pending();
  }
  void keepToken(const QString& token, Reply<QString> reply) override {
    tokens += token;
    if (answersKeychain) reply(tokenProblem);
  }

  HubError get(const QString& listingId, int choice) override {
    if (!getProblem.isEmpty()) return {getProblem};
    for (const HubListing& listing : std::as_const(listings)) {
      if (listing.id != listingId) continue;
      const HubChoice& chosen = listing.choices[choice];
      rows.removeIf([&](const HubDownload& row) { return row.target == chosen.target; });
      add({.title = listing.name + " · " + chosen.label,
           .target = chosen.target,
           .path = chosen.path.isEmpty() ? chosen.target : chosen.path,
           .state = DownloadState::kRunning,
           .totalBytes = chosen.bytes});
    }
    return {};
  }
  QList<HubDownload> downloads() const override { return rows; }
  void act(quint64 id, DownloadAction action) override {
    switch (action) {
      case DownloadAction::kPause:
        return setState(id, DownloadState::kPaused);
      case DownloadAction::kResume:
        return setState(id, DownloadState::kRunning);
      case DownloadAction::kCancel:
      case DownloadAction::kForget:
        return forget(id);
      case DownloadAction::kMoveUp:
        return moveUp(id);
    }
  }
  void forget(quint64 id) {
    rows.removeIf([id](const HubDownload& row) { return row.id == id; });
    emit downloadsChanged();
  }
  void moveUp(quint64 id) {
    const auto row = std::ranges::find(rows, id, &HubDownload::id);
    if (row == rows.end() || row == rows.begin()) return;
    std::iter_swap(row, row - 1);
    emit downloadsChanged();
  }

  QString setMirror(const QString& address) override {
    if (address.contains(u' ')) return "This is not the address of a hub.";
    mirror = address;
    return {};
  }
  QString hubHost() const override { return host; }
  void setBytesPerSecond(qint64 bytes) override { bytesPerSecond = bytes; }
  QString defaultFolder() const override { return "/models"; }
  PendingReply examineFolder(const QString& path, Reply<FolderUse> reply) override {
    if (answersFolders) reply(folderUse(path));
    return reply.pending();
  }
  /// Also renews what it has listed, as `now` says.
  void setFolder(const QString& path) override {
    folder = path;
    ++numFolders;
    for (const HubListing& listing : std::as_const(renewals)) emit relisted(listing);
  }
  void restore() override { ++numRestored; }

  quint64 add(HubDownload download) {
    download.id = ++m_lastId;
    rows.append(download);
    emit downloadsChanged();
    return download.id;
  }
  void change(quint64 id, const std::function<void(HubDownload&)>& edit) {
    const auto row = std::ranges::find(rows, id, &HubDownload::id);
    if (row == rows.end()) return;
    edit(*row);
    const HubDownload now = *row;
    emit downloadChanged(id);
    if (now.state == DownloadState::kDone) emit downloaded(now.path);
  }
  void setState(quint64 id, DownloadState state) {
    change(id, [state](HubDownload& row) { row.state = state; });
  }

  bool answers = true;
  bool answersKeychain = true;
  bool answersFolders = true;
  QString host = "huggingface.co";
  QList<HubListing> renewals;  ///< Listings as they are from the next setFolder() on.
  int numFolders = 0;
  HubSearchReport found;
  QHash<QString, HubListing> listings;  ///< By the name that is asked for.
  QList<ModelSuggestion> suggestions;
  QString tokenProblem;
  QString getProblem;
  QList<HubDownload> rows;

  QStringList asked;  ///< What would have been sent.
  QStringList tokens;
  QString mirror;
  QString folder;
  qint64 bytesPerSecond = 0;
  int numRestored = 0;

 private:
  quint64 m_lastId = 0;
};

}  // namespace quire
